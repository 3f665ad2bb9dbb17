//! The causal family and wsc: `co = (po ∪ rf)⁺`, and no mo.

use super::{History, Relation};
use tribunal_history::model::Model;

impl History<'_> {
    fn po_rf_pairs(&self) -> Relation {
        &self.po | &self.rf
    }

    fn co(&self) -> Relation {
        self.po_rf_pairs().plus()
    }

    /// X_WW: the pairs of distinct writes to one location.
    fn ww(&self, of: &Relation) -> Relation {
        Relation::new(self.size, |a, b| {
            a != b && of.holds(a, b) && self.same_location.holds(a, b) && self.writes(a) && self.writes(b)
        })
    }

    /// X_WR: the pairs of a write and a read on one location.
    fn wr(&self, of: &Relation) -> Relation {
        Relation::new(self.size, |a, b| {
            of.holds(a, b) && self.same_location.holds(a, b) && self.writes(a) && self.reads(b)
        })
    }

    /// rw[X] = rf⁻¹ ; X_WW minus identity
    fn rw(&self, of: &Relation) -> Relation {
        self.rf.inverse().then(&self.ww(of)).minus_identity()
    }

    /// cf[X] = X_WR ; rf⁻¹ minus identity, with this rf
    fn cf(&self, of: &Relation, rf: &Relation) -> Relation {
        self.wr(of).then(&rf.inverse()).minus_identity()
    }

    /// acyclic(po ∪ rf), irreflexive(rw[co] ; co)
    pub fn cc(&self) -> bool {
        let co = self.co();
        self.po_rf() && self.rw(&co).then(&co).irreflexive()
    }

    /// cc, acyclic(po ∪ rf ∪ cf[co])
    pub fn ccv(&self) -> bool {
        self.cc() && (&self.po_rf_pairs() | &self.cf(&self.co(), &self.rf)).acyclic()
    }

    /// cc, and for every event o: hb_o acyclic
    pub fn cm(&self) -> bool {
        self.cc() && (0..self.size).all(|o| self.hb_o(o, &self.co(), &self.po).irreflexive())
    }

    /// acyclic(po ∪ rf ∪ pww ∪ rw[pww]) with hb = (∪_o hb_o)⁺, pww = (hb_WW ∪ cf[hb])⁺
    pub fn ccm(&self) -> bool {
        let hb = self.hb(&self.co(), &self.po);
        let pww = (&self.ww(&hb) | &self.cf(&hb, &self.rf)).plus();
        (&(&self.po_rf_pairs() | &pww) | &self.rw(&pww)).acyclic()
    }

    /// acyclic(po-loc∪rf); and both acyclic(π ∪ rfe ∪ wpww ∪ rw[wpww]) for π = tso's ppo and π = po-loc
    pub fn wccm(&self) -> bool {
        let rfe = self.rfe();
        let kept = [self.ppo(Model::Tso), self.po_loc()];
        let hbs = kept.each_ref().map(|kept| self.hb(&(kept | &rfe).plus(), &kept.plus()));
        let whb = (&hbs[0] | &hbs[1]).plus();
        let conflicts = &self.cf(&hbs[0], &rfe) | &self.cf(&hbs[1], &rfe);
        let wpww = (&self.ww(&whb) | &conflicts).plus();
        let ordered = &wpww | &self.rw(&wpww);
        (&self.po_loc() | &self.rf).acyclic() && kept.iter().all(|kept| (&(kept | &rfe) | &ordered).acyclic())
    }

    /// acyclic(hb) for the least hb, st with st = ((hb_WR;rf⁻¹ minus identity) ∪ hb_WW)⁺ and
    /// hb = (po ∪ rf ∪ st ∪ rw[st])⁺
    pub fn wsc(&self) -> bool {
        let mut hb = self.co();
        loop {
            let st = (&self.cf(&hb, &self.rf) | &self.ww(&hb)).plus();
            let next = (&(&self.po_rf_pairs() | &st) | &self.rw(&st)).plus();
            if next == hb {
                return hb.irreflexive();
            }
            hb = next;
        }
    }

    /// (∪_o hb_o)⁺
    fn hb(&self, co: &Relation, before: &Relation) -> Relation {
        let empty = Relation::new(self.size, |_, _| false);
        (0..self.size).fold(empty, |hb, o| &hb | &self.hb_o(o, co, before)).plus()
    }

    /// The least transitive relation with (1) (a,b) when (a,b) ∈ co, (a,o) ∈ co and (b,o) ∈ co*; (2) (w1,w2), distinct
    /// writes to one location, when (w1,r) ∈ hb_o, (w2,r) ∈ rf and r = o or r is before o.
    fn hb_o(&self, o: usize, co: &Relation, before: &Relation) -> Relation {
        let past = |e: usize| e == o || co.holds(e, o);
        let mut hb = Relation::new(self.size, |a, b| co.holds(a, b) && co.holds(a, o) && past(b)).plus();
        let observed = self.set(|r| r == o || before.holds(r, o));
        loop {
            let seen = self.ww(&self.wr(&hb).then(&observed).then(&self.rf.inverse()));
            let next = (&hb | &seen).plus();
            if next == hb {
                return hb;
            }
            hb = next;
        }
    }
}
