//! Shrinking: a minimal inconsistent part of an inconsistent history.

use super::judge::judge_within;
use super::meter::Meter;
use super::{Collection, Criterion, History, OpId, Typed, Value, Verdict, Violation};
use crate::shrink::{Pieces, Shrunk, leave_out};
use rustc_hash::FxHashSet;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// Shrinks a history that violates a criterion: the result has the shortest cut, and no operation that may be
/// omitted, unless a limit is reached. If the history is not known to violate the criterion, the verdict is returned instead.
///
/// The limits apply to all checks together. Only operations that [`Violation`] allows to omit are omitted, so if the part is inconsistent, so is the whole. `tick` is
/// called before every check with the number of remaining operations.
///
/// ```
/// use tribunal::{Limits, object::{Criterion, History, Value, shrink, specs::Queue}};
/// let mut b = History::builder();
/// let p = b.process("0");
/// for (time, value) in (0..).zip([1, 2, 3]) {
///     let op = b.call(p, "enqueue", &[Value::from(value)], 10 * time);
///     b.ret(op, Value::Null, 10 * time + 5);
/// }
/// let op = b.call(p, "dequeue", &[], 30);
/// b.ret(op, Value::from(2), 35);
/// let history = b.build()?;
/// let typed = history.typed(&Queue)?;
/// let shrunk = shrink(&typed, &Criterion::Linearizable, &Limits::default(), |_| ()).expect("not first in, first out");
/// assert_eq!(shrunk.part.operations.len(), 3); // 3 has nothing to do with it
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn shrink(
    typed: &Typed<'_>,
    criterion: &Criterion,
    limits: &Limits<'_>,
    tick: impl FnMut(usize),
) -> Result<Shrunk<Violation>, Box<Verdict>> {
    let mut meter = Meter::new(limits);
    match judge_within(typed, criterion, &mut meter).0 {
        Verdict::Inconsistent(violation) => {
            let mut shrinking =
                Shrinking { typed, criterion, meter, tick, violation, limit: None, skipped: None };
            shrinking.cut();
            let mut before = usize::MAX;
            while shrinking.violation.operations.len() < before {
                before = shrinking.violation.operations.len();
                shrinking.drop_keys();
                shrinking.drop_values();
                shrinking.drop_idle();
            }
            let Shrinking { violation, limit, skipped, .. } = shrinking;
            Ok(Shrunk { part: violation, limit: limit.or(skipped) })
        }
        other => Err(Box::new(other)),
    }
}

struct Shrinking<'a, T> {
    typed: &'a Typed<'a>,
    criterion: &'a Criterion,
    meter: Meter<'a>,
    tick: T,
    violation: Violation,
    /// The limit that was reached, and ended the work.
    limit: Option<Limit>,
    /// The first limit that kept a part from being decided.
    skipped: Option<Limit>,
}

impl<T: FnMut(usize)> Shrinking<'_, T> {
    fn fails(&mut self, operations: &[OpId], cut: Option<u32>) -> bool {
        if self.limit.is_some() {
            return false;
        }
        (self.tick)(self.violation.operations.len());
        match judge_within(&self.typed.part(operations, cut), self.criterion, &mut self.meter).0 {
            Verdict::Inconsistent(_) => return true,
            // What one part takes, another may not.
            Verdict::Undecided(limit @ (Limit::Memory { .. } | Limit::Step | Limit::Operations { .. })) => {
                self.skipped = self.skipped.take().or(Some(limit));
            }
            Verdict::Undecided(limit) => self.limit = Some(limit),
            Verdict::Consistent(_) | Verdict::Unsupported(_) => {}
        }
        false
    }

    /// Operations of the violation that were called within so many events.
    fn called(&self, cut: u32) -> Vec<OpId> {
        let mut operations = self.violation.operations.clone();
        if let Some(intervals) = self.typed.history().intervals() {
            operations.retain(|op| intervals.call[op.index()] < cut);
        }
        operations
    }

    /// The fewest events after which the part fails: once it does, it does ever after.
    fn cut(&mut self) {
        let Some(intervals) = self.typed.history().intervals() else { return };
        if *self.criterion == Criterion::Sequential {
            return;
        }
        // Only the returns of the part can make it fail.
        let mut cuts: Vec<u32> = self
            .violation
            .operations
            .iter()
            .map(|op| intervals.ret[op.index()])
            .filter(|&ret| ret < self.violation.cut.unwrap_or(u32::MAX))
            .map(|ret| ret + 1)
            .collect();
        cuts.sort_unstable();
        let (mut low, mut high) = (0, cuts.len().saturating_sub(1));
        while low < high {
            let middle = low.midpoint(high);
            let operations = self.called(cuts[middle]);
            if self.fails(&operations, Some(cuts[middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if let Some(&cut) = cuts.get(high) {
            self.violation = Violation { operations: self.called(cut), cut: Some(cut) };
        }
    }

    /// Whether the part without some of its operations still fails; then they are gone.
    fn try_without(&mut self, dropped: impl Fn(OpId) -> bool) -> bool {
        let operations = &self.violation.operations;
        let left: Vec<OpId> = operations.iter().copied().filter(|&op| !dropped(op)).collect();
        let fails = left.len() < operations.len() && self.fails(&left, self.violation.cut);
        if fails {
            self.violation.operations = left;
        }
        fails
    }

    /// Leaves out whole keys, if no operation concerns all.
    fn drop_keys(&mut self) {
        let (history, spec) = (self.typed.history(), self.typed.spec());
        let key = |op: OpId| spec.key(history.called(op));
        let keys: Option<Vec<Value>> = self.violation.operations.iter().map(|&op| key(op)).collect();
        let Some(mut keys) = keys else { return };
        keys.sort_unstable();
        keys.dedup();
        self.drop_units(&keys, |op, units| key(op).is_some_and(|key| units.binary_search(&key).is_ok()));
    }

    /// Leaves out whole values of a collection.
    fn drop_values(&mut self) {
        let (history, total) = (self.typed.history(), self.all_see_all());
        let Some(collection) = self.typed.spec().collection() else { return };
        if matches!(collection, Collection::KeyedList | Collection::KvStore) {
            return;
        }
        let in_views = matches!(collection, Collection::Set | Collection::Register(_));
        let left_out = |op| self.violation.operations.binary_search(&op).is_err();
        let idle = |op| left_out(op) && self.typed.spec().read_only(history.called(op));
        let known = |op| collection.knows(history.called(op)) || idle(op);
        if !(in_views || total) || !history.ops().all(known) {
            return;
        }
        let value = |op: OpId| value_of(history, &collection, op);
        let mut values: Vec<&Value> = self.violation.operations.iter().filter_map(|&op| value(op)).collect();
        values.sort_unstable();
        values.dedup();
        self.drop_units(&values, |op, units| {
            value(op).is_some_and(|value| units.binary_search(&value).is_ok())
        });
        if let Collection::Register(_) = collection {
            self.drop_unread();
        }
    }

    /// Leaves out writes to a register of what nobody read.
    fn drop_unread(&mut self) {
        let (history, cut) = (self.typed.history(), self.violation.cut.unwrap_or(u32::MAX));
        let returned = |op: OpId| history.intervals().is_none_or(|intervals| intervals.ret[op.index()] < cut);
        let operations = &self.violation.operations;
        let is_read = |op: &OpId| history.called(*op).args.is_empty() && returned(*op);
        let read: FxHashSet<&Value> =
            operations.iter().filter(|op| is_read(op)).filter_map(|&op| history.result(op)).collect();
        let unread = |op: &OpId| history.called(*op).args.first().is_some_and(|value| !read.contains(value));
        let unread: Vec<OpId> = operations.iter().copied().filter(unread).collect();
        self.drop_units(&unread, |op, units| units.binary_search(&op).is_ok());
    }

    fn all_see_all(&self) -> bool {
        matches!(self.criterion, Criterion::Linearizable | Criterion::Sequential)
    }

    /// Leaves out operations that change nothing.
    fn drop_idle(&mut self) {
        let total = self.all_see_all();
        let idle = |op: &OpId| {
            let call = self.typed.history().called(*op);
            let unchanged = |ret: &Value| total && self.typed.spec().unchanged(call, ret);
            self.typed.spec().read_only(call) || self.typed.history().result(*op).is_some_and(unchanged)
        };
        let idle: Vec<OpId> = self.violation.operations.iter().copied().filter(idle).collect();
        self.drop_units(&idle, |op, units| units.binary_search(&op).is_ok());
    }

    /// Leaves out the operations of as many units as can go.
    fn drop_units<U: Clone>(&mut self, units: &[U], belongs: impl Fn(OpId, &[U]) -> bool) {
        leave_out(&mut Units { shrinking: self, units: units.to_vec(), belongs });
    }
}

/// Units of operations that go together: those of a key, of a value.
struct Units<'s, 'a, T, U, B> {
    shrinking: &'s mut Shrinking<'a, T>,
    units: Vec<U>,
    belongs: B,
}

impl<T: FnMut(usize), U, B: Fn(OpId, &[U]) -> bool> Pieces for Units<'_, '_, T, U, B> {
    fn len(&self) -> usize {
        self.units.len()
    }

    fn leave_out(&mut self, pieces: Range<usize>) -> bool {
        let fails = self.shrinking.try_without(|op| (self.belongs)(op, &self.units[pieces.clone()]));
        if fails {
            self.units.drain(pieces);
        }
        fails
    }

    fn is_over(&self) -> bool {
        self.shrinking.limit.is_some()
    }
}

/// The value of a collection that an operation inserts, removes or returns.
fn value_of<'h>(history: &'h History, collection: &Collection, op: OpId) -> Option<&'h Value> {
    let call = history.called(op);
    match (collection, call.args) {
        (_, [value]) => Some(value),
        (Collection::List, _) => None,
        // A read of the initial value is of no insert, but of a value all the same.
        (Collection::Register(_), _) => history.result(op),
        _ => history.result(op).filter(|&ret| *ret != Value::Null),
    }
}
