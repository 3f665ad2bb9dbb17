//! sc, tso, pso, rmo, wmo, coherence, and models given as a pair (po-mm, rf-mm).

use super::{History, Relation, some_choice};
use tribunal_history::memory::{EventId, Order};
use tribunal_history::model::Keep;
use tribunal_history::model::Model;

impl History<'_> {
    /// Whether the kinds of its ends keep a po pair of accesses; an RMW counts as a read and as a write.
    fn kinds_keep(&self, model: Model, a: usize, b: usize) -> bool {
        let same_location = self.same_location.holds(a, b);
        let from_read = self.reads(a);
        let writes = self.writes(a) && self.writes(b);
        match model {
            Model::Sc => true,
            Model::Tso => from_read || writes,
            Model::Pso => from_read,
            Model::Wmo => same_location && (from_read || writes),
            Model::Custom(p) if !p.rmws && [a, b].iter().any(|&e| self.reads(e) && self.writes(e)) => false,
            Model::Custom(p) => {
                let keeps = |keep| keep == Keep::Always || keep == Keep::SameLocation && same_location;
                from_read && self.reads(b) && keeps(p.rr)
                    || from_read && self.writes(b) && keeps(p.rw)
                    || self.writes(a) && self.reads(b) && keeps(p.wr)
                    || writes && keeps(p.ww)
            }
            _ => false,
        }
    }

    fn fence_keeps(&self, a: usize, b: usize) -> bool {
        (0..self.size).filter(|&f| self.is_fence(f) && self.po.holds(a, f) && self.po.holds(f, b)).any(|f| {
            match self.order(f) {
                Order::SeqCst => true,
                Order::AcqRel => self.reads(a) || self.writes(b),
                Order::Acquire => self.reads(a),
                Order::Release => self.writes(b),
                Order::NonAtomic | Order::Relaxed => false,
            }
        })
    }

    fn deps(&self) -> Relation {
        Relation::new(self.size, |a, b| {
            self.x.deps(EventId::from_index(b)).any(|on| on == EventId::from_index(a))
        })
    }

    /// A read that had ended before a later event of its thread began.
    fn ended_before(&self, a: usize, b: usize) -> bool {
        let end = self.x.interval(EventId::from_index(a)).end;
        let begin = self.x.interval(EventId::from_index(b)).begin;
        self.reads(a) && end.is_some() && begin.is_some() && end < begin
    }

    pub fn ppo(&self, model: Model) -> Relation {
        let deps = self.deps();
        let dependencies = has_dependencies(model);
        Relation::new(self.size, |a, b| {
            self.po.holds(a, b)
                && !self.is_fence(a)
                && !self.is_fence(b)
                && (self.kinds_keep(model, a, b)
                    || self.fence_keeps(a, b)
                    || dependencies && deps.holds(a, b)
                    || has_times(model) && self.ended_before(a, b))
        })
    }

    /// po-loc; for rmo without the pairs of events that do not write.
    fn kept_po_loc(&self, model: Model) -> Relation {
        let po_loc = self.po_loc();
        let hazards = model == Model::Rmo || matches!(model, Model::Custom(p) if p.load_hazards);
        Relation::new(self.size, |a, b| po_loc.holds(a, b) && (!hazards || self.writes(a) || self.writes(b)))
    }

    fn global(&self, model: Model) -> Relation {
        match model {
            Model::Sc => &self.po | &self.rf,
            Model::Custom(p) if p.internal_rf => &self.ppo(model) | &self.rf,
            _ => &self.ppo(model) | &self.rfe(),
        }
    }

    /// acyclic(deps ∪ rf), where dependencies count
    fn no_thin_air(&self, model: Model) -> bool {
        !has_dependencies(model) || (&self.deps() | &self.rf).acyclic()
    }

    pub fn some_multiprocessor_mo(&self, model: Model) -> bool {
        let local = &self.kept_po_loc(model) | &self.rf;
        // The local view relates accesses of one location only: each location's orders stand or fall alone.
        let orders: Vec<_> = self
            .x
            .locations()
            .map(|loc| {
                let here = Relation::new(self.size, |a, b| {
                    local.holds(a, b) && self.x.loc(EventId::from_index(a)) == Some(loc)
                });
                let mut orders = self.orders(loc);
                orders.retain(|order| self.acyclic_with(&here, std::slice::from_ref(order)));
                orders
            })
            .collect();
        let global = self.global(model);
        let right = |orders: &[Vec<EventId>]| model == Model::Coherence || self.acyclic_with(&global, orders);
        self.no_thin_air(model) && some_choice(&orders, &mut Vec::new(), &right)
    }

    pub fn multiprocessor(&self, orders: &[Vec<EventId>], model: Model) -> bool {
        let local = &self.kept_po_loc(model) | &self.rf;
        self.all_end_well(orders)
            && self.no_thin_air(model)
            && (model == Model::Sc || self.acyclic_with(&local, orders))
            && (model == Model::Coherence || self.acyclic_with(&self.global(model), orders))
    }

    /// Whether a relation is acyclic together with mo and fr, of the locations of which an order is given.
    fn acyclic_with(&self, relation: &Relation, orders: &[Vec<EventId>]) -> bool {
        let mo = self.mo(orders);
        (&(relation | &mo) | &self.fr(&mo)).acyclic()
    }
}

fn has_dependencies(model: Model) -> bool {
    model == Model::Rmo || matches!(model, Model::Custom(p) if p.dependencies)
}

fn has_times(model: Model) -> bool {
    model == Model::Wmo || matches!(model, Model::Custom(p) if p.times)
}
