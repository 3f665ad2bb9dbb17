//! Histories of containers, value by value: one insert, at most one remove.

use super::{Found, POLL};
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Event, History, Intervals, NEVER, OpId, Unsupported, Value, Violation};
use tribunal_history::verdict::Limit;

/// The methods of a container: one inserts a value, the other removes one and returns it, or null if there is none.
#[derive(Clone, Copy)]
pub(super) struct Methods {
    pub(super) insert: &'static str,
    pub(super) remove: &'static str,
}

/// A container's history by value. Values are in the order in which their inserts were called.
///
/// A pending insert whose value nobody returned is no value here: with a linearization that has it there is one without
/// it and without the pending remove that took it, if any.
///
/// Each value was removed after it was inserted, or not at all, so what both say about each is put in already:
/// `insert_ret` is at most `remove_ret`, and `remove_call` is at least `insert_call`. Apart from these two equalities
/// inside a value all ranks are different.
pub(super) struct Container<'h> {
    /// The ranks of all events.
    pub(super) intervals: Intervals<'h>,
    /// By value: what it is.
    pub(super) value: Vec<&'h Value>,
    /// By value: who inserts it, and between which ranks.
    pub(super) insert: Vec<OpId>,
    pub(super) insert_call: Vec<u32>,
    pub(super) insert_ret: Vec<u32>,
    /// By value: who removes it, completed, and between which ranks: both [`NEVER`] if nobody does.
    pub(super) remove: Vec<Option<OpId>>,
    pub(super) remove_call: Vec<u32>,
    pub(super) remove_ret: Vec<u32>,
    /// The removes that returned null, in the order of their calls.
    pub(super) empties: Vec<OpId>,
    /// The removes that are pending, in the order of their calls: each may have removed a value that no other did.
    pub(super) pending_removes: Vec<OpId>,
}

impl<'h> Container<'h> {
    /// Reads a history; or says that it is not such a one, or that the operations of a single value are wrong already.
    pub(super) fn new(
        history: &'h History,
        methods: Methods,
        limits: &Limits<'_>,
    ) -> Result<Result<Self, Found>, Limit> {
        let unsupported = |why| Ok(Err(Found::Unsupported(why)));
        let Some(intervals) = history.intervals() else {
            return unsupported(Unsupported::NotIntervals);
        };
        let mut view = Container {
            intervals,
            value: Vec::new(),
            insert: Vec::new(),
            insert_call: Vec::new(),
            insert_ret: Vec::new(),
            remove: Vec::new(),
            remove_call: Vec::new(),
            remove_ret: Vec::new(),
            empties: Vec::new(),
            pending_removes: Vec::new(),
        };
        let mut inserts: Vec<OpId> = Vec::new();
        let mut inserted = vec![false; history.invocation_count()];
        let mut removes: FxHashMap<&Value, OpId> = FxHashMap::default();
        let mut again: Option<OpId> = None;
        for (at, event) in intervals.events.iter().enumerate() {
            if at % POLL == 0 {
                limits.check(0)?;
            }
            let Event::Call(op) = *event else { continue };
            let call = history.called(op);
            match (call.args, history.result(op)) {
                ([value], None | Some(Value::Null)) if call.method == methods.insert => {
                    let inserted = &mut inserted[history.invocation_of(op).index()];
                    if *inserted || *value == Value::Null {
                        return unsupported(Unsupported::NotDistinct);
                    }
                    *inserted = true;
                    inserts.push(op);
                }
                ([], None) if call.method == methods.remove => view.pending_removes.push(op),
                ([], Some(Value::Null)) if call.method == methods.remove => view.empties.push(op),
                ([], Some(value)) if call.method == methods.remove => {
                    if removes.insert(value, op).is_some() {
                        again = again.or(Some(op));
                    }
                }
                _ => return unsupported(Unsupported::NoCollection),
            }
        }
        if let Some(op) = again {
            return Ok(Err(Found::Violated(view.removed_twice(history, op, &inserts))));
        }
        for (at, &insert) in inserts.iter().enumerate() {
            if at % POLL == 0 {
                limits.check(0)?;
            }
            let value = &history.called(insert).args[0];
            let remove = removes.remove(value);
            if let Some(violation) = view.push(value, insert, remove) {
                return Ok(Err(Found::Violated(violation)));
            }
        }
        // What is left was never inserted. The first to return makes the shortest story.
        let stray = removes.into_values().min_by_key(|op| intervals.ret[op.index()]);
        Ok(match stray {
            Some(remove) => Err(Found::Violated(view.violation(vec![remove], None))),
            None => Ok(view),
        })
    }

    /// Adds a value; or says that it was removed before its insert was called.
    fn push(&mut self, value: &'h Value, insert: OpId, remove: Option<OpId>) -> Option<Violation> {
        let Intervals { call, ret, .. } = self.intervals;
        let (insert_call, insert_ret) = (call[insert.index()], ret[insert.index()]);
        if remove.is_none() && insert_ret == NEVER {
            return None;
        }
        let (remove_call, remove_ret) =
            remove.map_or((NEVER, NEVER), |op| (call[op.index()], ret[op.index()]));
        if let Some(remove) = remove
            && remove_ret < insert_call
        {
            return Some(self.violation(vec![remove], None));
        }
        self.value.push(value);
        self.insert.push(insert);
        self.insert_call.push(insert_call);
        self.insert_ret.push(insert_ret.min(remove_ret));
        self.remove.push(remove);
        self.remove_call.push(remove_call.max(insert_call));
        self.remove_ret.push(remove_ret);
        None
    }

    fn removed_twice(&self, history: &History, again: OpId, inserts: &[OpId]) -> Violation {
        let value = history.result(again);
        let mut operations: Vec<OpId> = inserts.to_vec();
        operations.retain(|&insert| history.called(insert).args.first() == value);
        let others =
            history.ops().filter(|&op| history.called(op).args.is_empty() && history.result(op) == value);
        operations.extend(others);
        self.violation(operations, None)
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.value.len()
    }

    /// The part that consists of these values and these empty removes, as a violation; see [`Container::violation`].
    pub(super) fn part(&self, values: &[u32], empties: &[OpId], cut: Option<u32>) -> Violation {
        let mut operations = empties.to_vec();
        for &value in values {
            operations.push(self.insert[value as usize]);
            operations.extend(self.remove[value as usize]);
        }
        self.violation(operations, cut)
    }

    /// The part that consists of these operations, without those that were called after the cut, and of the pending
    /// removes, which could remove anything, called before it. A cut must not fall between call and return of a remove
    /// of the part, since that one could then remove anything too. Without one, the part ends with its last return: what
    /// is called later can be last in a linearization.
    pub(super) fn violation(&self, mut operations: Vec<OpId>, cut: Option<u32>) -> Violation {
        let Intervals { call, ret, .. } = self.intervals;
        let returns = operations.iter().map(|op| ret[op.index()]).filter(|&ret| ret != NEVER);
        let cut = cut.unwrap_or(returns.max().map_or(0, |last| last + 1));
        let open = self.pending_removes.iter().filter(|op| call[op.index()] < cut);
        operations.extend(open);
        operations.retain(|op| call[op.index()] < cut);
        operations.sort_unstable();
        operations.dedup();
        Violation { operations, cut: Some(cut) }
    }
}
