//! rc20, ra, sra, wra and relaxed.

use super::{History, Relation, some_choice};
use tribunal::Model;
use tribunal::memory::{EventId, Order};

impl History<'_> {
    /// sw = [E⊒REL] ; ([F];po)? ; [W⊒rlx] ; rf⁺ ; [R⊒rlx] ; (po;[F])? ; [E⊒ACQ]
    fn synchronises_with(&self) -> Relation {
        let release = self.set(|e| self.order(e).is_release());
        let acquire = self.set(|e| self.order(e).is_acquire());
        let fence = self.set(|e| self.is_fence(e));
        let atomic = self.set(|e| self.order(e) != Order::NonAtomic);
        release
            .then(&fence.then(&self.po).optional())
            .then(&atomic)
            .then(&self.rf.plus())
            .then(&atomic)
            .then(&self.po.then(&fence).optional())
            .then(&acquire)
    }

    fn happens_before(&self, model: Model) -> Relation {
        match model {
            Model::Rc20 => (&self.po | &self.synchronises_with()).plus(),
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
        let rmws = self.set(|e| self.reads(e) && self.writes(e));
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

    /// The axioms that speak of mo.
    fn c11_axioms(&self, hb: &Relation, orders: &[Vec<EventId>], model: Model) -> bool {
        let mo = self.mo(orders);
        let fr = self.fr(&mo);
        let rf_opt = self.rf.optional();
        let write_coherence = match model {
            Model::Sra => (hb | &mo).acyclic(),
            _ => mo.then(&rf_opt).then(&hb.optional()).irreflexive(),
        };
        write_coherence && fr.then(&rf_opt).then(hb).irreflexive() && fr.then(&mo).irreflexive()
    }
}
