//! The operations that a violation may leave out.
//!
//! Leaving operations out of an abstract execution, from lin and from vis, keeps every axiom: the relations between those
//! that stay are the same, and a composition has no new pairs. It is Ret that must be argued, rule by rule; the rules are
//! applied to an abstract execution of the whole history one after the other: to what changes nothing, to values, to what
//! comes after the cut, to keys. Each but the third depends on a hint of the specification.

use super::all_see_all;
use super::hints::{Hint, Hints};
use super::idle::{Idles, null_is_a_value};
use rustc_hash::FxHashSet;
use tribunal_history::object::{
    Collection, Criterion, History, Invocation, OpId, Specification, Value, Violation,
};

pub(super) struct Omissions<'a> {
    history: &'a History,
    spec: &'a dyn Specification,
    criterion: &'a Criterion,
    /// The operations that are left in.
    operations: &'a [OpId],
    cut: Option<u32>,
    idles: &'a Idles,
    all_see_all: bool,
    /// The collection that the history is of, if each of its operations is one of that collection's, or left out because it is
    /// read-only.
    collection: Option<Collection>,
    /// The hints that leaving out by value depends on.
    by_value: Hints,
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
        Violation { operations, cut }: &'a Violation,
        idles: &'a Idles,
    ) -> Self {
        let mut by_value = Hints::from(Hint::Collection);
        let collection = spec.collection().filter(|collection| {
            history.ops().filter(|&op| role(collection, history.called(op)).is_none()).all(|op| {
                let left_out = operations.binary_search(&op).is_err();
                match idles.read_only[op.index()].trusting().filter(|_| left_out) {
                    Some(hints) => {
                        by_value = by_value.union(hints);
                        true
                    }
                    None => false,
                }
            })
        });
        let keys = operations.iter().map(|&op| spec.key(history.called(op))).collect();
        let mut omissions = Omissions {
            history,
            spec,
            criterion,
            operations,
            cut: *cut,
            idles,
            all_see_all: all_see_all(criterion),
            collection,
            by_value,
            ambiguous: null_is_a_value(history),
            values: FxHashSet::default(),
            keys,
        };
        let held = operations.iter().filter(|&&op| omissions.holds_its_value(op));
        omissions.values = held.filter_map(|&op| omissions.value(op)).collect();
        omissions
    }

    /// The operations that are left out without a reason that depends on these hints alone.
    pub(super) fn unfounded(&self, trust: Hints) -> impl Iterator<Item = OpId> {
        self.left_out().filter(move |&op| self.reason(op, trust).is_none())
    }

    /// The hints that what is left out depends on, of those given.
    pub(super) fn rest_on(&self, trust: Hints) -> Hints {
        let reasons = self.left_out().filter_map(|op| self.reason(op, trust));
        let unlisted = self.unlisted(trust).next().map(|_| self.by_value);
        reasons.chain(unlisted).fold(Hints::NONE, Hints::union)
    }

    /// The appends to a list that are left out because of their values, if these hints are trusted: reads are then taken to
    /// return the list without those values.
    pub(super) fn unlisted(&self, trust: Hints) -> impl Iterator<Item = OpId> {
        let trusted = self.collection == Some(Collection::List) && self.by_value.is_within(trust);
        self.left_out().filter(move |&op| trusted && self.value_is_absent(op))
    }

    fn left_out(&self) -> impl Iterator<Item = OpId> {
        let mut part = self.operations.iter().peekable();
        self.history.ops().filter(move |op| part.next_if_eq(&op).is_none())
    }

    /// The hints that the first reason to leave an operation out depends on, of those that depend on these hints.
    fn reason(&self, op: OpId, trust: Hints) -> Option<Hints> {
        let idle = || {
            // It never changes a state, so nobody's return differs without it.
            let read_only = self.idles.read_only[op.index()].trusting();
            // The return says that the state was not changed. Only where all see all is the operation executed nowhere else,
            // where it might change something.
            let unchanged = self.idles.unchanged[op.index()].trusting().filter(|_| self.all_see_all);
            read_only.or(unchanged)
        };
        let reasons: [&dyn Fn() -> Option<Hints>; 5] = [
            &|| self.called_after_cut(op).then_some(Hints::NONE),
            &|| idle().filter(|hints| hints.is_empty()),
            &|| self.has_another_key(op).then_some(Hint::Key.into()),
            &|| self.value_is_absent(op).then_some(self.by_value),
            &idle,
        ];
        reasons.into_iter().find_map(|reason| reason().filter(|hints| hints.is_within(trust)))
    }

    /// All operations of one value can be left out of a legal sequence of a collection's operations: the order of the other values
    /// in a queue, a stack or a priority queue stays the same, and so does the last write of another value. A pending
    /// operation that took the value is then left out too. In views, where a removal is executed again and may
    /// take another value, this holds only of sets, whose values do not meet, and of registers.
    ///
    /// So can all appends of one value to a list, if what reads return is taken without that value ([`Self::unlisted`]). That
    /// is so of the values appended by the cut: what is appended later is left out for that alone, or not at all.
    fn value_is_absent(&self, op: OpId) -> bool {
        let may_go = match self.collection {
            Some(Collection::Set | Collection::Register(_)) => true,
            Some(Collection::List) => self.all_see_all && self.called_by_cut(op),
            _ => self.all_see_all && !self.ambiguous,
        };
        may_go && self.value(op).is_some_and(|value| !self.values.contains(value))
    }

    /// The value that an operation of a collection is of; a removal that found nothing is of none, nor is a pending one.
    fn value(&self, op: OpId) -> Option<&'a Value> {
        match role(self.collection.as_ref()?, self.history.called(op))? {
            Role::Insert(value) | Role::OfSet(value) => Some(value),
            Role::Take => self.history.result(op).filter(|&ret| *ret != Value::Null),
            Role::Read => self.history.result(op),
            Role::ReadAll => None,
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
        match (self.cut, self.history.intervals()) {
            (Some(cut), Some(intervals)) => intervals.ret[op.index()] < cut,
            _ => true,
        }
    }

    /// Whether an operation had been called by the cut.
    fn called_by_cut(&self, op: OpId) -> bool {
        match (self.cut, self.history.intervals()) {
            (Some(cut), Some(intervals)) => intervals.call[op.index()] < cut,
            _ => true,
        }
    }

    /// It is after all that had returned by the cut, in hb and so in lin: no return that the part has depends on it. `sequential`
    /// does not know hb.
    fn called_after_cut(&self, op: OpId) -> bool {
        *self.criterion != Criterion::Sequential && !self.called_by_cut(op)
    }

    /// Operations of other keys neither see nor change what it does.
    fn has_another_key(&self, op: OpId) -> bool {
        match (&self.keys, self.spec.key(self.history.called(op))) {
            (Some(keys), Some(key)) => !keys.contains(&key),
            _ => false,
        }
    }
}

/// The role of an operation in a collection.
enum Role<'h> {
    Insert(&'h Value),
    /// Removes the next value and returns it.
    Take,
    /// Adds, removes or asks for a value of a set.
    OfSet(&'h Value),
    Read,
    /// Reads all values of a list.
    ReadAll,
}

fn role<'h>(collection: &Collection, call: Invocation<'h>) -> Option<Role<'h>> {
    match (collection, call.method, call.args) {
        (Collection::Queue, "enqueue", [value])
        | (Collection::Stack, "push", [value])
        | (Collection::PriorityQueue, "insert", [value])
        | (Collection::List, "append", [value])
        | (Collection::Register(_), "write", [value]) => Some(Role::Insert(value)),
        (Collection::Queue, "dequeue", [])
        | (Collection::Stack, "pop", [])
        | (Collection::PriorityQueue, "delete_min", []) => Some(Role::Take),
        (Collection::Set, "add" | "remove" | "contains", [value]) => Some(Role::OfSet(value)),
        (Collection::Register(_), "read", []) => Some(Role::Read),
        (Collection::List, "read", []) => Some(Role::ReadAll),
        _ => None,
    }
}
