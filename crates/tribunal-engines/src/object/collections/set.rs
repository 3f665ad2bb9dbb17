//! Sets: each value is in or out, whatever the others do.

use super::{Found, POLL};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Event, History, InvocationId, OpId, Unsupported, Value, Violation};
use tribunal_history::verdict::Limit;

/// Decides a set's history by letting each value change only when a return asks for it, in O(n log n). Values may be
/// added and removed any number of times, and pending operations are no harder than others.
///
/// Of one value, an add or remove that returned true *changes* it; one that is pending may; the others *observe* it as in or
/// out, and a pending observer is left out. Changes alternate between adds and removes. The sweep lets an observer
/// take effect as soon as the value is as it says, and changes the value only just before a return: of a change that
/// has not taken effect yet, or of an observer that has not. Of the adds (or removes) that are open it takes the one that
/// returns first.
///
/// Invariant: no linearization has made fewer changes by the same event. For if one has made as few, then
/// - at the return of an observer that waits since its call, the value must have been otherwise since that call, so it
///   has made one change more;
/// - at the return of an add that has not taken effect, let τ be when the sweep last took an add that returns later. At τ
///   no add that returns by now was open, so those that do were all called since: the linearization has all of them, the
///   sweep has one less, and by τ the linearization had no fewer adds. So it has one add more, and what lies between.
///
/// And whoever made more changes used more of the operations called so far, so the sweep finds one to take, too. So when it
/// finds none there is no linearization (cf. Lowe's just-in-time linearization, 2017).
pub(super) fn decide(history: &History, limits: &Limits<'_>) -> Result<Found, Limit> {
    let Some(intervals) = history.intervals() else {
        return Ok(Found::Unsupported(Unsupported::NotIntervals));
    };
    let (key_of, keys) = keys(history);
    let mut sweep = Sweep {
        lin: Vec::with_capacity(history.len()),
        took_effect: vec![false; history.len()],
        asked: vec![false; history.len()],
        elements: (0..keys).map(|_| Element::default()).collect(),
    };
    for (at, event) in intervals.events.iter().enumerate() {
        if at % POLL == 0 {
            limits.check(0)?;
        }
        let (Event::Call(op) | Event::Return(op)) = *event;
        let key = key_of[history.invocation_of(op).index()];
        let Some(role) = role(history, op) else {
            return Ok(Found::Unsupported(Unsupported::NoCollection));
        };
        match event {
            Event::Call(_) => sweep.call(key, op, role, intervals.ret[op.index()]),
            Event::Return(_) => {
                if !sweep.ret(key, op, role) {
                    return Ok(Found::Violated(sweep.violation(history, &key_of, op, at as u32 + 1)));
                }
            }
        }
    }
    Ok(Found::Linearized(sweep.lin))
}

/// The role of an operation: what it says of its value.
#[derive(Clone, Copy)]
enum Role {
    /// It makes it present, or absent.
    Changes { to_present: bool },
    /// It finds it so.
    Observes { present: bool },
    /// It is pending and changes nothing.
    LeftOut,
}

/// The role of an operation; nothing if a set has no such operation.
fn role(history: &History, op: OpId) -> Option<Role> {
    let result = match history.result(op) {
        None => None,
        Some(&Value::Bool(truth)) => Some(truth),
        Some(_) => return None,
    };
    let call = history.called(op);
    if call.args.len() != 1 {
        return None;
    }
    Some(match (call.method, result) {
        ("add", None | Some(true)) => Role::Changes { to_present: true },
        ("remove", None | Some(true)) => Role::Changes { to_present: false },
        ("add", Some(false)) => Role::Observes { present: true },
        ("remove", Some(false)) => Role::Observes { present: false },
        ("contains", Some(present)) => Role::Observes { present },
        ("contains", None) => Role::LeftOut,
        _ => return None,
    })
}

/// By invocation the key of its argument, and how many keys there are.
fn keys(history: &History) -> (Vec<u32>, u32) {
    let mut ids: FxHashMap<Option<&Value>, u32> = FxHashMap::default();
    let invocations = (0..history.invocation_count() as u32).map(|id| history.invocation(InvocationId(id)));
    let key_of = invocations
        .map(|call| {
            let fresh = ids.len() as u32;
            *ids.entry(call.args.first()).or_insert(fresh)
        })
        .collect();
    (key_of, ids.len() as u32)
}

/// Operations that are open, the one that returns first on top.
type Open = BinaryHeap<Reverse<(u32, OpId)>>;

/// A value of the set.
#[derive(Default)]
struct Element {
    present: bool,
    adds: Open,
    removes: Open,
    /// Observers that have not seen what they say.
    waiting: Vec<OpId>,
}

struct Sweep {
    lin: Vec<OpId>,
    /// By operation.
    took_effect: Vec<bool>,
    /// By operation, whether its return asked for a change.
    asked: Vec<bool>,
    elements: Vec<Element>,
}

impl Sweep {
    fn call(&mut self, key: u32, op: OpId, role: Role, ret: u32) {
        let element = &mut self.elements[key as usize];
        match role {
            Role::Changes { to_present: true } => element.adds.push(Reverse((ret, op))),
            Role::Changes { to_present: false } => element.removes.push(Reverse((ret, op))),
            Role::Observes { present } if present == element.present => self.take(op),
            Role::Observes { .. } => element.waiting.push(op),
            Role::LeftOut => {}
        }
    }

    /// Makes an operation that returns take effect, if it has not; says whether that can be.
    fn ret(&mut self, key: u32, op: OpId, role: Role) -> bool {
        if self.took_effect[op.index()] {
            return true;
        }
        self.asked[op.index()] = true;
        match role {
            Role::Changes { to_present } => {
                // Changes that return first take effect first, so the next one that fits is this one.
                (self.elements[key as usize].present != to_present || self.change(key)) && self.change(key)
            }
            Role::Observes { .. } | Role::LeftOut => self.change(key),
        }
    }

    /// Changes a value by the open operation that returns first, if there is one.
    fn change(&mut self, key: u32) -> bool {
        let element = &mut self.elements[key as usize];
        let open = if element.present { &mut element.removes } else { &mut element.adds };
        let Some(Reverse((_, op))) = open.pop() else { return false };
        element.present = !element.present;
        let mut seen = std::mem::take(&mut element.waiting);
        self.take(op);
        for observer in seen.drain(..) {
            self.take(observer);
        }
        // The room is kept.
        self.elements[key as usize].waiting = seen;
        true
    }

    fn take(&mut self, op: OpId) {
        self.took_effect[op.index()] = true;
        self.lin.push(op);
    }

    /// All changes of the value called before the cut, and the observers that asked for one: the others could be left
    /// out and the sweep would be the same.
    fn violation(&self, history: &History, key_of: &[u32], last: OpId, cut: u32) -> Violation {
        let calls = history.intervals().map_or(&[][..], |intervals| intervals.call);
        let key = |op: OpId| key_of[history.invocation_of(op).index()];
        let keeps = |op: OpId| match role(history, op) {
            Some(Role::Changes { .. }) => calls[op.index()] < cut,
            _ => self.asked[op.index()],
        };
        let operations = history.ops().filter(|&op| key(op) == key(last) && keeps(op)).collect();
        Violation { operations, cut: Some(cut) }
    }
}
