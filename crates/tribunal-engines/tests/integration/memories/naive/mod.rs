//! The models by their definitions: every relation is a matrix, every mo is tried. It shares no code with the library
//! beyond the execution itself, and is slow on purpose.

mod c11;
mod causal;
mod multiprocessor;
mod pram;
mod relation;

use relation::Relation;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Observation, Order};
use tribunal_history::model::Model;
use tribunal_history::verdict::ModificationOrder;

/// Whether the history satisfies the model's axioms, with some mo if it has one; none if the model says nothing about
/// such a history.
pub fn consistent(x: &Execution, model: Model) -> Option<bool> {
    use Model::*;
    let fences = x.events().any(|e| x.label(e).kind() == Kind::Fence);
    let final_value = |of| matches!(of, Observation::Final { .. });
    let finals = !x.finals().is_empty() || x.open().any(final_value);
    match model {
        Cc | Ccv | Cm | Ccm | Wccm | Wsc if fences || finals => return None,
        Wra | Pram if finals => return None,
        _ => {}
    }
    // Where values repeat, some choice of sources must do.
    if let Some(of) = x.open().next() {
        let with = |&source| consistent(&x.choosing(&[(of, source)]), model) == Some(true);
        return Some(x.writers(of).iter().any(with));
    }
    let h = History::new(x);
    Some(match model {
        Wra => h.wra(),
        Cc => h.cc(),
        Ccv => h.ccv(),
        Cm => h.cm(),
        Ccm => h.ccm(),
        Wccm => h.wccm(),
        Wsc => h.wsc(),
        Pram => h.pram(),
        Rc20 | Rc11 | Ra | Sra | Relaxed => h.some_c11_mo(model),
        Sc | Tso | Pso | Rmo | Wmo | Coherence | Custom(_) => h.some_multiprocessor_mo(model),
        _ => panic!("{model} is not defined here"),
    })
}

/// The data races of a history whose po ∪ rf is acyclic, in the order of their ids; none if it is cyclic.
pub fn races(x: &Execution, model: Model) -> Option<Vec<[EventId; 2]>> {
    let h = History::new(x);
    h.po_rf().then(|| h.races(model))
}

/// Whether this mo satisfies the axioms of a model with mo.
pub fn satisfies(x: &Execution, model: Model, mo: &ModificationOrder) -> bool {
    let h = History::new(x);
    let orders: Vec<Vec<EventId>> = x.locations().map(|loc| mo.of(loc).to_vec()).collect();
    match model {
        Model::Rc20 | Model::Rc11 | Model::Ra | Model::Sra | Model::Relaxed => h.c11(&orders, model),
        _ => h.multiprocessor(&orders, model),
    }
}

struct History<'a> {
    x: &'a Execution,
    size: usize,
    po: Relation,
    rf: Relation,
    /// Pairs of accesses of one location.
    same_location: Relation,
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
        let same_location = Relation::new(size, |a, b| {
            let (a, b) = (x.loc(EventId::from_index(a)), x.loc(EventId::from_index(b)));
            a.is_some() && a == b
        });
        History { x, size, po, rf, same_location }
    }

    fn reads(&self, e: usize) -> bool {
        matches!(self.x.label(EventId::from_index(e)).kind(), Kind::Read | Kind::Rmw)
    }

    fn writes(&self, e: usize) -> bool {
        matches!(self.x.label(EventId::from_index(e)).kind(), Kind::Write | Kind::Rmw)
    }

    fn is_fence(&self, e: usize) -> bool {
        self.x.label(EventId::from_index(e)).kind() == Kind::Fence
    }

    fn order(&self, e: usize) -> Order {
        self.x.label(EventId::from_index(e)).order()
    }

    /// `[S]`
    fn set(&self, set: impl Fn(usize) -> bool) -> Relation {
        Relation::identity(self.size, set)
    }

    /// po between accesses of one location
    fn po_loc(&self) -> Relation {
        &self.po & &self.same_location
    }

    /// The rf pairs that po does not relate either way.
    fn rfe(&self) -> Relation {
        self.rf.minus(&self.po).minus(&self.po.inverse())
    }

    /// acyclic(po ∪ rf)
    fn po_rf(&self) -> bool {
        (&self.po | &self.rf).acyclic()
    }

    /// mo as a relation, from the order of the writes of each location.
    fn mo(&self, orders: &[Vec<EventId>]) -> Relation {
        let mut position = vec![0; self.size];
        for (i, w) in orders.iter().flat_map(|order| order.iter().enumerate()) {
            position[w.index()] = i;
        }
        Relation::new(self.size, |a, b| {
            self.writes(a) && self.writes(b) && self.same_location.holds(a, b) && position[a] < position[b]
        })
    }

    /// fr = (rf⁻¹ ; mo) minus identity
    fn fr(&self, mo: &Relation) -> Relation {
        self.rf.inverse().then(mo).minus_identity()
    }

    /// Every order of the writes of a location that begins with the initial write and ends with the final one, if one is
    /// given. mo that puts another write before the initial one goes against po-loc, which no model with mo allows.
    fn orders(&self, loc: LocId) -> Vec<Vec<EventId>> {
        let x = self.x;
        let mut writes = vec![x.init_write(loc)];
        writes.extend(x.events().filter(|&e| self.writes(e.index()) && x.loc(e) == Some(loc)));
        let mut orders = Vec::new();
        permutations(&mut writes, 1, &mut |order| orders.push(order.to_vec()));
        orders.retain(|order| self.ends_well(loc, order));
        orders
    }

    fn ends_well(&self, loc: LocId, order: &[EventId]) -> bool {
        self.x.finals().iter().all(|&(at, last)| at != loc || order.last() == Some(&last))
    }

    fn all_end_well(&self, orders: &[Vec<EventId>]) -> bool {
        self.x.locations().all(|loc| self.ends_well(loc, &orders[loc.index()]))
    }
}

/// Whether some choice of one item from every list is right.
fn some_choice<T: Clone>(lists: &[Vec<T>], chosen: &mut Vec<T>, right: &impl Fn(&[T]) -> bool) -> bool {
    let Some(list) = lists.get(chosen.len()) else { return right(chosen) };
    list.iter().any(|item| {
        chosen.push(item.clone());
        let found = some_choice(lists, chosen, right);
        chosen.pop();
        found
    })
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
