//! rc20, rc11, ra, sra, wra and relaxed.

use super::{History, Relation, some_choice};
use tribunal_history::memory::{EventId, Order};
use tribunal_history::model::Model;

impl History<'_> {
    /// sw = [E⊒REL] ; ([F];po)? ; [W⊒rlx] ; rf⁺ ; [R⊒rlx] ; (po;[F])? ; [E⊒ACQ], for rc11 with rs ; rf in place of rf⁺
    fn synchronizes_with(&self, model: Model) -> Relation {
        let release = self.set(|e| self.order(e).is_release());
        let acquire = self.set(|e| self.order(e).is_acquire());
        let fence = self.set(|e| self.is_fence(e));
        let atomic = self.set(|e| self.order(e) != Order::NonAtomic);
        let read_from = match model {
            Model::Rc11 => self.release_sequences().then(&self.rf),
            _ => self.rf.plus(),
        };
        release
            .then(&fence.then(&self.po).optional())
            .then(&atomic)
            .then(&read_from)
            .then(&atomic)
            .then(&self.po.then(&fence).optional())
            .then(&acquire)
    }

    /// rs = [W] ; po-loc? ; [W] ; (rf;[RMW])*, of atomic writes
    fn release_sequences(&self) -> Relation {
        let writes = self.set(|e| self.writes(e) && self.order(e) != Order::NonAtomic);
        let through = self.rf.then(&self.rmws()).plus().optional();
        writes.then(&self.po_loc().optional()).then(&writes).then(&through)
    }

    fn rmws(&self) -> Relation {
        self.set(|e| self.reads(e) && self.writes(e))
    }

    /// scb = po ∪ (far ; hb ; far) ∪ hb-loc ∪ mo ∪ fr
    ///
    /// psc = ([SC] ∪ [F_sc];hb?) ; scb ; ([SC] ∪ hb?;[F_sc]) ∪ [F_sc] ; (hb ∪ hb;eco;hb) ; [F_sc]
    fn psc(&self, hb: &Relation, mo: &Relation, fr: &Relation, model: Model) -> Relation {
        let sc = self.set(|e| self.order(e) == Order::SeqCst);
        let fences = self.set(|e| self.is_fence(e) && self.order(e) == Order::SeqCst);
        let far = match model {
            Model::Rc11 => self.po.minus(&self.same_location),
            _ => self.po.clone(),
        };
        let far_hb = far.then(hb).then(&far);
        let scb = &(&(&self.po | &far_hb) | &(hb & &self.same_location)) | &(mo | fr);
        let from = &sc | &fences.then(&hb.optional());
        let to = &sc | &hb.optional().then(&fences);
        let eco = (&(&self.rf | mo) | fr).plus();
        let between_fences = hb | &hb.then(&eco).then(hb);
        &from.then(&scb).then(&to) | &fences.then(&between_fences).then(&fences)
    }

    fn happens_before(&self, model: Model) -> Relation {
        match model {
            Model::Rc20 | Model::Rc11 => (&self.po | &self.synchronizes_with(model)).plus(),
            Model::Relaxed => self.po.clone(),
            _ => (&self.po | &self.rf).plus(),
        }
    }

    /// Two accesses of one location, one a write, one non-atomic, in different threads and not ordered by hb either way.
    pub fn races(&self, model: Model) -> Vec<[EventId; 2]> {
        let hb = self.happens_before(model);
        let race = |a: usize, b: usize| {
            let thread = |e| self.x.thread_of(EventId::from_index(e));
            self.same_location.holds(a, b)
                && thread(a).is_some()
                && thread(b).is_some()
                && thread(a) != thread(b)
                && (self.writes(a) || self.writes(b))
                && [a, b].iter().any(|&e| self.order(e) == Order::NonAtomic)
                && !hb.holds(a, b)
                && !hb.holds(b, a)
        };
        let pairs = (0..self.size).flat_map(|a| (a + 1..self.size).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| race(a, b)).map(|(a, b)| [a, b].map(EventId::from_index)).collect()
    }

    /// acyclic(po∪rf); irr(hbloc;[W];hb;rf⁻¹); no two RMWs read from one write
    pub fn wra(&self) -> bool {
        let hb = self.happens_before(Model::Wra);
        let hbloc = &hb & &self.same_location;
        let writes = self.set(|e| self.writes(e));
        let weak_read_coherence = hbloc.then(&writes).then(&hb).then(&self.rf.inverse()).irreflexive();
        let rmws = self.rmws();
        let shared_source = rmws.then(&self.rf.inverse()).then(&self.rf).then(&rmws).minus_identity();
        self.po_rf() && weak_read_coherence && shared_source.is_empty()
    }

    pub fn some_c11_mo(&self, model: Model) -> bool {
        let hb = self.happens_before(model);
        let orders: Vec<_> = self.x.locations().map(|loc| self.orders(loc)).collect();
        self.po_rf() && some_choice(&orders, &mut Vec::new(), &|orders| self.c11_axioms(&hb, orders, model))
    }

    pub fn c11(&self, orders: &[Vec<EventId>], model: Model) -> bool {
        self.po_rf()
            && self.all_end_well(orders)
            && self.c11_axioms(&self.happens_before(model), orders, model)
    }

    /// The axioms that mention mo.
    fn c11_axioms(&self, hb: &Relation, orders: &[Vec<EventId>], model: Model) -> bool {
        let mo = self.mo(orders);
        let fr = self.fr(&mo);
        let rf_opt = self.rf.optional();
        let write_coherence = match model {
            Model::Sra => (hb | &mo).acyclic(),
            _ => mo.then(&rf_opt).then(&hb.optional()).irreflexive(),
        };
        let seq_cst =
            || !matches!(model, Model::Rc20 | Model::Rc11) || self.psc(hb, &mo, &fr, model).acyclic();
        write_coherence && fr.then(&rf_opt).then(hb).irreflexive() && fr.then(&mo).irreflexive() && seq_cst()
    }
}
