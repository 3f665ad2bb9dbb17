//! Forgetting operations of a collection that can no longer matter.
//!
//! Let H be what has happened, all of it linearizable, and F any continuation. Each rule drops operations D of H, and may
//! narrow the intervals of others, such that H·F is linearizable iff what is left, followed by F, is. Open operations
//! were called at or after `T`, and so are those of F. The values of D are gone for good before `T`: if F returns one,
//! then H·F is not linearizable, and nor is what is left, where nobody has inserted it. If F inserts one again, that is another value,
//! since all its operations in D are over.

mod priority_queue;
mod queue;
mod register;
mod stack;

use super::window::{NEVER, Operation, Outcome, Window};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_history::object::{Collection, Value};

/// Drops what can no longer matter; nothing and false if a value that is held was inserted twice. The initial value of a
/// register was inserted before all.
pub(super) fn compact(collection: &Collection, window: &mut Window) -> bool {
    drop_all(window, |operation| operation.outcome == Outcome::Withdrawn);
    let mut inserted = FxHashSet::default();
    if let Collection::Register(initial) = collection {
        inserted.insert(initial);
    }
    if !window.iter().filter_map(|(_, operation)| operation.args.first()).all(|value| inserted.insert(value))
    {
        return false;
    }
    match collection {
        Collection::Register(initial) => {
            drop_all(window, |operation| {
                operation.outcome == Outcome::Crashed && &*operation.method == "read"
            });
            register::compact(window, initial);
        }
        Collection::Queue => queue::compact(window),
        Collection::Stack => stack::compact(window),
        Collection::PriorityQueue => priority_queue::compact(window),
        // These are searched: a set value by value, since its operations have keys.
        Collection::Set | Collection::List | Collection::KeyedList | Collection::KvStore => {}
    }
    true
}

fn drop_all(window: &mut Window, over: impl Fn(&Operation) -> bool) {
    let slots: Vec<u32> =
        window.iter().filter(|(_, operation)| over(operation)).map(|(slot, _)| slot).collect();
    for slot in slots {
        window.remove(slot);
    }
}

/// The operations of one value of a queue, stack or priority queue. Once the value is removed, its insertion is over too.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    /// The slots.
    insert: Option<u32>,
    remove: Option<u32>,
}

/// A pair whose value has been inserted and removed.
#[derive(Clone, Copy, Debug)]
struct Gone {
    slots: [u32; 2],
    insert: (u64, u64),
    remove: (u64, u64),
}

/// The operations of a queue, a stack or a priority queue.
struct Container {
    pairs: FxHashMap<Value, Pair>,
    /// Removals that found nothing.
    empty: Vec<u32>,
    /// The call of the first operation that is open, or removes and crashed: nobody knows what it removed.
    t: u64,
}

impl Container {
    fn new(window: &Window) -> Self {
        let mut container =
            Container { pairs: FxHashMap::default(), empty: Vec::new(), t: window.first_open() };
        for (slot, operation) in window.iter() {
            match (&*operation.args, operation.result()) {
                ([value], _) => container.pairs.entry(value.clone()).or_default().insert = Some(slot),
                (_, Some(Value::Null)) => container.empty.push(slot),
                (_, Some(value)) => container.pairs.entry(value.clone()).or_default().remove = Some(slot),
                (_, None) => container.t = container.t.min(operation.call),
            }
        }
        container
    }

    /// The values that are gone.
    fn gone(&self, window: &Window) -> Vec<Gone> {
        let gone = self.pairs.values().filter_map(|pair| {
            let slots = [pair.insert?, pair.remove?];
            let (insert, remove) = (window.get(slots[0])?, window.get(slots[1])?);
            Some(Gone {
                slots,
                insert: (insert.call, insert.end.min(remove.end)),
                remove: (remove.call, remove.end),
            })
        });
        let mut gone: Vec<Gone> = gone.collect();
        gone.sort_unstable_by_key(|gone| gone.remove);
        gone
    }
}

/// Whether an operation ended before that event.
fn ended_before(window: &Window, slot: u32, event: u64) -> bool {
    window.get(slot).is_some_and(|operation| operation.end != NEVER && operation.end < event)
}
