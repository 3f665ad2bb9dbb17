//! Which operations a violation may leave out.
//!
//! Leaving operations out of an abstract execution, from lin and from vis, keeps every axiom: the relations between those
//! that stay are the same, and a composition has no new pairs. It is Ret that must be argued, rule by rule; the rules are
//! applied to an abstract execution of the whole history in the order in which they stand here.

use super::all_see_all;
use super::unchanged::{null_is_a_value, unchanged};
use crate::object::{Collection, Criterion, History, Invocation, OpId, Specification, Value, Violation};
use rustc_hash::FxHashSet;

pub(super) struct Omissions<'a> {
    history: &'a History,
    spec: &'a dyn Specification,
    criterion: &'a Criterion,
    violation: &'a Violation,
    all_see_all: bool,
    /// The collection that the history is of, if each of its operations is one of that collection's, or left out because it is
    /// read-only.
    collection: Option<Collection>,
    /// By operation, whether its return says that it changed nothing.
    unchanged: Vec<bool>,
    /// Whether a null that a collection returns may be a value.
    ambiguous: bool,
    /// The values that operations of the part insert, remove, ask for or return.
    values: FxHashSet<&'a Value>,
    /// The keys of the part; none if an operation of the part has no key.
    keys: Option<FxHashSet<Value>>,
}

impl<'a> Omissions<'a> {
    pub(super) fn new(
        history: &'a History,
        spec: &'a dyn Specification,
        criterion: &'a Criterion,
        violation: &'a Violation,
    ) -> Self {
        let collection = spec.collection().filter(|collection| {
            let of_collection = |call| role(collection, call).is_some();
            let left_out = |op| violation.operations.binary_search(&op).is_err();
            let read_only = |op, call| left_out(op) && spec.read_only(call);
            history
                .ops()
                .map(|op| (op, history.called(op)))
                .all(|(op, call)| of_collection(call) || read_only(op, call))
        });
        let keys = violation.operations.iter().map(|&op| spec.key(history.called(op))).collect();
        let mut omissions = Omissions {
            history,
            spec,
            criterion,
            violation,
            all_see_all: all_see_all(criterion),
            collection,
            unchanged: unchanged(history, spec),
            ambiguous: null_is_a_value(history),
            values: FxHashSet::default(),
            keys,
        };
        let held = violation.operations.iter().filter(|&&op| omissions.holds_its_value(op));
        omissions.values = held.filter_map(|&op| omissions.value(op)).collect();
        omissions
    }

    /// An operation that is left out without a reason.
    pub(super) fn unfounded(&self) -> Option<OpId> {
        let mut part = self.violation.operations.iter().peekable();
        self.history.ops().find(|op| part.next_if_eq(&op).is_none() && !self.may_leave_out(*op))
    }

    fn may_leave_out(&self, op: OpId) -> bool {
        // It never changes a state, so nobody's return differs without it.
        self.spec.read_only(self.history.called(op))
            || self.changed_nothing(op)
            || self.value_is_absent(op)
            || self.called_after_cut(op)
            || self.has_another_key(op)
    }

    /// The return says that the state was not changed. Only where all see all is the operation executed nowhere else, where it
    /// might change something.
    fn changed_nothing(&self, op: OpId) -> bool {
        self.all_see_all && self.unchanged[op.index()]
    }

    /// All operations of one value can be left out of a legal sequence of a collection's operations: the order of the other values
    /// in a queue, a stack or a priority queue stays the same, and so does the last write of another value. A pending
    /// operation that took the value is then left out too. In views, where a removal is executed again and may
    /// take another value, this holds only of sets, whose values do not meet, and of registers.
    fn value_is_absent(&self, op: OpId) -> bool {
        let in_views = matches!(self.collection, Some(Collection::Set | Collection::Register(_)));
        (in_views || self.all_see_all && !self.ambiguous)
            && self.value(op).is_some_and(|value| !self.values.contains(value))
    }

    /// The value that an operation of a collection is of; a removal that found nothing is of none, nor is a pending one.
    fn value(&self, op: OpId) -> Option<&'a Value> {
        match role(self.collection.as_ref()?, self.history.called(op))? {
            Role::Insert(value) | Role::OfSet(value) => Some(value),
            Role::Take => self.history.result(op).filter(|&ret| *ret != Value::Null),
            Role::Read => self.history.result(op),
        }
    }

    /// Whether the part's operations of its value are not complete without an operation. What returned after the cut is pending
    /// in the part, where it may have taken another value, or have left things alone. And a register does not
    /// tell who wrote what nobody read.
    fn holds_its_value(&self, op: OpId) -> bool {
        let Some(collection) = &self.collection else { return false };
        match role(collection, self.history.called(op)) {
            Some(Role::Insert(_)) => !matches!(collection, Collection::Register(_)),
            Some(Role::OfSet(_)) => true,
            _ => self.returned(op),
        }
    }

    /// Whether an operation had returned by the cut.
    fn returned(&self, op: OpId) -> bool {
        match (self.violation.cut, self.history.intervals()) {
            (Some(cut), Some(intervals)) => intervals.ret[op.index()] < cut,
            _ => true,
        }
    }

    /// It is after all that had returned by the cut, in hb and so in lin: no return that the part has rests on it. `sequential`
    /// does not know hb.
    fn called_after_cut(&self, op: OpId) -> bool {
        *self.criterion != Criterion::Sequential
            && matches!((self.violation.cut, self.history.intervals()),
                (Some(cut), Some(intervals)) if intervals.call[op.index()] >= cut)
    }

    /// Operations of other keys neither see nor change what it does.
    fn has_another_key(&self, op: OpId) -> bool {
        match (&self.keys, self.spec.key(self.history.called(op))) {
            (Some(keys), Some(key)) => !keys.contains(&key),
            _ => false,
        }
    }
}

/// What an operation does to a collection.
enum Role<'h> {
    Insert(&'h Value),
    /// Removes the next value and returns it.
    Take,
    /// Adds, removes or asks for a value of a set.
    OfSet(&'h Value),
    Read,
}

fn role<'h>(collection: &Collection, call: Invocation<'h>) -> Option<Role<'h>> {
    match (collection, call.method, call.args) {
        (Collection::Queue, "enqueue", [value])
        | (Collection::Stack, "push", [value])
        | (Collection::PriorityQueue, "insert", [value])
        | (Collection::Register(_), "write", [value]) => Some(Role::Insert(value)),
        (Collection::Queue, "dequeue", [])
        | (Collection::Stack, "pop", [])
        | (Collection::PriorityQueue, "delete_min", []) => Some(Role::Take),
        (Collection::Set, "add" | "remove" | "contains", [value]) => Some(Role::OfSet(value)),
        (Collection::Register(_), "read", []) => Some(Role::Read),
        _ => None,
    }
}
