//! The operations that a monitor holds: those that can still matter.

use std::sync::Arc;
use tribunal_history::heap::{Heap, block};
use tribunal_history::object::{History, Invocation, OpId, Value};

/// The number of an event that has not happened.
pub(super) const NEVER: u64 = u64::MAX;

/// The end of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Not yet.
    Open,
    /// It will not return; whether it took effect is not known.
    Crashed,
    /// With this return.
    Returned(Value),
    /// It did not take effect and will not.
    Withdrawn,
}

/// An operation between the numbers of two events.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) process: Arc<str>,
    pub(super) method: Arc<str>,
    pub(super) args: Box<[Value]>,
    pub(super) call: u64,
    /// [`NEVER`] unless it returned or was withdrawn.
    pub(super) end: u64,
    pub(super) outcome: Outcome,
}

impl Operation {
    pub(super) fn invocation(&self) -> Invocation<'_> {
        Invocation { method: &self.method, args: &self.args }
    }

    /// The value that it had returned when that event had happened.
    pub(super) fn returned(&self, upto: u64) -> Option<&Value> {
        match &self.outcome {
            Outcome::Returned(value) if self.end <= upto => Some(value),
            _ => None,
        }
    }

    /// The bytes that it refers to, about.
    fn held(&self) -> usize {
        let values = self.args.iter().chain(self.result());
        let parts = values.map(|value| value.parts(usize::MAX, u32::MAX).unwrap_or(0)).sum::<usize>();
        block(self.process.len() + 16) + block(parts * size_of::<Value>())
    }

    /// The value that it has returned.
    pub(super) fn result(&self) -> Option<&Value> {
        self.returned(NEVER)
    }

    /// Whether it was known to have had no effect when that event had happened.
    pub(super) fn withdrawn(&self, upto: u64) -> bool {
        self.outcome == Outcome::Withdrawn && self.end <= upto
    }

    pub(super) fn show(&self) -> String {
        match &self.outcome {
            Outcome::Returned(ret) => format!("{}: {} → {ret}", self.process, self.invocation()),
            Outcome::Withdrawn => format!("{}: {} failed", self.process, self.invocation()),
            _ => format!("{}: {} pending", self.process, self.invocation()),
        }
    }
}

/// Operations in slots that are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    slots: Vec<Option<Operation>>,
    free: Vec<u32>,
    /// The bytes that the operations refer to.
    held: usize,
}

impl Window {
    /// The bytes that the window takes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.peak() + self.free.peak() + self.held
    }

    pub(super) fn insert(&mut self, operation: Operation) -> u32 {
        self.held += operation.held();
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(operation);
                slot
            }
            None => {
                self.slots.push(Some(operation));
                self.slots.len() as u32 - 1
            }
        }
    }

    pub(super) fn remove(&mut self, slot: u32) -> Option<Operation> {
        let operation = self.slots[slot as usize].take();
        if let Some(operation) = &operation {
            self.held -= operation.held();
            self.free.push(slot);
        }
        if self.free.len() == self.slots.len() {
            // At rest nothing is kept.
            *self = Window::default();
        }
        operation
    }

    /// An operation has ended.
    pub(super) fn end(&mut self, slot: u32, end: u64, outcome: Outcome) {
        if let Some(operation) = self.get_mut(slot) {
            let before = operation.held();
            operation.end = end;
            operation.outcome = outcome;
            let after = operation.held();
            self.held += after - before;
        }
    }

    /// Drops all that is not open.
    pub(super) fn forget_ended(&mut self) {
        let ended = self.iter().filter(|(_, operation)| operation.outcome != Outcome::Open);
        let ended: Vec<u32> = ended.map(|(slot, _)| slot).collect();
        for slot in ended {
            self.remove(slot);
        }
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Operation> {
        self.slots.get(slot as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Operation> {
        self.slots.get_mut(slot as usize)?.as_mut()
    }

    /// The operations with their slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Operation)> {
        self.slots.iter().enumerate().filter_map(|(slot, operation)| Some((slot as u32, operation.as_ref()?)))
    }

    /// The number of operations.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// One more than the greatest slot in use.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The number of the first call whose operation is open.
    pub(super) fn first_open(&self) -> u64 {
        let open = self.iter().filter(|(_, operation)| operation.outcome == Outcome::Open);
        open.map(|(_, operation)| operation.call).min().unwrap_or(NEVER)
    }

    /// The numbers of the returns and withdrawals after that event, in order.
    pub(super) fn ends_after(&self, event: u64) -> Vec<u64> {
        let ends = self.iter().map(|(_, operation)| operation.end);
        let mut ends: Vec<u64> = ends.filter(|&end| end > event && end != NEVER).collect();
        ends.sort_unstable();
        ends
    }

    /// The operations that had happened when that event had, as a history; with the slots of its operations.
    pub(super) fn history(&self, upto: u64) -> (History, Vec<u32>) {
        let mut called: Vec<(u32, &Operation)> = self
            .iter()
            .filter(|(_, operation)| operation.call <= upto && !operation.withdrawn(upto))
            .collect();
        called.sort_unstable_by_key(|(_, operation)| operation.call);
        let mut builder = History::builder();
        for (at, (_, operation)) in called.iter().enumerate() {
            let process = builder.process(&operation.process);
            builder.call(process, &operation.method, &operation.args, operation.call);
            if let Some(value) = operation.returned(upto) {
                builder.ret(OpId(at as u32), value.clone(), operation.end);
            }
        }
        let history =
            builder.build().expect("the monitor takes events in order, and one operation a process");
        (history, called.into_iter().map(|(slot, _)| slot).collect())
    }
}
