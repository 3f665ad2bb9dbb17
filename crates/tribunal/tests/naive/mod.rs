//! The models by their definitions: every relation is a matrix, every mo is tried. It shares no code with the library
//! beyond the execution itself, and is slow on purpose.

mod relation;

use relation::Relation;
use tribunal::Model;
use tribunal::memory::{EventId, Execution, Kind, LocId, Order};
use tribunal::verdict::ModificationOrder;

/// Whether some mo satisfies the model's axioms; none if the model says nothing about such a history.
pub fn consistent(x: &Execution, model: Model) -> Option<bool> {
    let h = History::new(x);
    match model {
        Model::Rc20 if h.events().any(|e| x.label(e).order() == Order::SeqCst) => None,
        Model::Wra if !x.finals().is_empty() => None,
        Model::Wra => Some(h.wra()),
        _ => Some(h.po_rf() && h.some_mo(model)),
    }
}

/// Whether this mo satisfies the axioms of a model with mo.
pub fn satisfies(x: &Execution, model: Model, mo: &ModificationOrder) -> bool {
    let h = History::new(x);
    let orders: Vec<Vec<EventId>> = x.locations().map(|loc| mo.of(loc).to_vec()).collect();
    h.po_rf() && h.axioms(&h.happens_before(model), &orders, model)
}

struct History<'a> {
    x: &'a Execution,
    size: usize,
    po: Relation,
    rf: Relation,
}

impl<'a> History<'a> {
    fn new(x: &'a Execution) -> Self {
        let size = x.len() + x.location_count();
        let thread = |e: usize| x.thread_of(EventId::from_index(e));
        let po = Relation::new(size, |a, b| match (thread(a), thread(b)) {
            (None, Some(_)) => true,
            (Some(t), Some(u)) => t == u && a < b,
            (_, None) => false,
        });
        let rf = Relation::new(size, |a, b| x.rf(EventId::from_index(b)) == Some(EventId::from_index(a)));
        History { x, size, po, rf }
    }

    fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.size).map(EventId::from_index)
    }

    /// `[S]`
    fn set(&self, set: impl Fn(EventId) -> bool) -> Relation {
        Relation::identity(self.size, |e| set(EventId::from_index(e)))
    }

    /// acyclic(po ∪ rf)
    fn po_rf(&self) -> bool {
        (&self.po | &self.rf).acyclic()
    }

    /// sw = [E⊒REL] ; ([F];po)? ; rf⁺ ; (po;[F])? ; [E⊒ACQ]
    fn synchronises_with(&self) -> Relation {
        let x = self.x;
        let release = self.set(|e| x.label(e).order().is_release());
        let acquire = self.set(|e| x.label(e).order().is_acquire());
        let fence = self.set(|e| x.label(e).kind() == Kind::Fence);
        release
            .then(&fence.then(&self.po).optional())
            .then(&self.rf.plus())
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

    /// acyclic(po∪rf); irr(hbloc;[W];hb;rf⁻¹); no two RMWs read from one write
    fn wra(&self) -> bool {
        let x = self.x;
        let hb = self.happens_before(Model::Wra);
        let same_location = Relation::new(self.size, |a, b| {
            let (a, b) = (x.loc(EventId::from_index(a)), x.loc(EventId::from_index(b)));
            a.is_some() && a == b
        });
        let hbloc = &hb & &same_location;
        let writes = self.set(|e| x.label(e).writes());
        let weak_read_coherence = hbloc.then(&writes).then(&hb).then(&self.rf.inverse()).irreflexive();
        let rmws = self.set(|e| x.label(e).kind() == Kind::Rmw);
        let shared_source = rmws.then(&self.rf.inverse()).then(&self.rf).then(&rmws).minus_identity();
        self.po_rf() && weak_read_coherence && shared_source.is_empty()
    }

    fn some_mo(&self, model: Model) -> bool {
        let hb = self.happens_before(model);
        self.extend_mo(&hb, &mut Vec::new(), model)
    }

    /// Tries every order of the next location's writes. The initial write goes first: it is po-before every other, and
    /// mo against po breaks (strong) write coherence.
    fn extend_mo(&self, hb: &Relation, orders: &mut Vec<Vec<EventId>>, model: Model) -> bool {
        if orders.len() == self.x.location_count() {
            return self.axioms(hb, orders, model);
        }
        let loc = LocId::from_index(orders.len());
        let mut writes: Vec<EventId> =
            self.x.events().filter(|&e| self.x.label(e).writes() && self.x.loc(e) == Some(loc)).collect();
        writes.insert(0, self.x.init_write(loc));
        let mut found = false;
        permutations(&mut writes, 1, &mut |order| {
            if !found {
                orders.push(order.to_vec());
                found = self.extend_mo(hb, orders, model);
                orders.pop();
            }
        });
        found
    }

    /// The axioms that speak of mo, and the final values.
    fn axioms(&self, hb: &Relation, orders: &[Vec<EventId>], model: Model) -> bool {
        let mut position = vec![0; self.size];
        for w in orders.iter().flat_map(|order| order.iter().enumerate().map(|(i, w)| (w.index(), i))) {
            position[w.0] = w.1;
        }
        let x = self.x;
        let writes_of_one =
            |a: EventId, b: EventId| x.label(a).writes() && x.label(b).writes() && x.loc(a) == x.loc(b);
        let mo = Relation::new(self.size, |a, b| {
            writes_of_one(EventId::from_index(a), EventId::from_index(b)) && position[a] < position[b]
        });
        let fr = self.rf.inverse().then(&mo).minus_identity();
        let rf_opt = self.rf.optional();
        let write_coherence = match model {
            Model::Sra => (hb | &mo).acyclic(),
            _ => mo.then(&rf_opt).then(&hb.optional()).irreflexive(),
        };
        let finals = x.finals().iter().all(|&(loc, w)| orders[loc.index()].last() == Some(&w));
        finals && write_coherence && fr.then(&rf_opt).then(hb).irreflexive() && fr.then(&mo).irreflexive()
    }
}

fn permutations(items: &mut [EventId], from: usize, visit: &mut impl FnMut(&[EventId])) {
    if from >= items.len() {
        visit(items);
        return;
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, visit);
        items.swap(from, i);
    }
}
