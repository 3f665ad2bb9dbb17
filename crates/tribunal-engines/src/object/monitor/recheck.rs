//! Monitoring by checking again what is held, now and then.

use super::compact::compact;
use super::window::{Operation, Outcome, Window};
use super::{Checked, Inconclusive, Place};
use crate::Engine;
use crate::object::meter::Meter;
use crate::object::{judge, judge_by};
use std::borrow::Cow;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Collection, Criterion, Specification, Typed, Verdict};
use tribunal_history::verdict::Limit;

/// The bytes that an operation takes in a history, while it is built.
const BYTES: usize = 240;

/// A collection, whose operations are dropped when they can no longer matter; or any object under a criterion
/// that drops nothing.
pub(super) struct Recheck<'s> {
    spec: &'s dyn Specification,
    criterion: Criterion,
    collection: Option<Collection>,
    pub(super) window: Window,
    /// All is well up to this event.
    pub(super) checked: u64,
    /// The number of operations that have ended since.
    unchecked: usize,
    /// A limit was reached: nothing is known any more.
    lost: bool,
}

impl<'s> Recheck<'s> {
    pub(super) fn new(
        spec: &'s dyn Specification,
        criterion: Criterion,
        collection: Option<Collection>,
    ) -> Self {
        let window = Window::default();
        Recheck { spec, criterion, collection, window, checked: 0, unchecked: 0, lost: false }
    }

    pub(super) fn call(&mut self, operation: Operation) -> Place {
        Place { slot: self.window.insert(operation), key: None }
    }

    pub(super) fn end(&mut self, place: &Place, end: u64, outcome: Outcome, limits: &Limits<'s>) -> Checked {
        let crashed = outcome == Outcome::Crashed;
        let called = self.window.get(place.slot).map(Operation::invocation);
        let read = called.is_some_and(|call| self.spec.read_only(call));
        if self.lost || crashed && read {
            self.window.remove(place.slot);
            return Checked::Nothing;
        }
        self.window.end(place.slot, end, outcome);
        if crashed {
            return Checked::Nothing;
        }
        self.unchecked += 1;
        if self.unchecked < super::interval(self.window.len()) {
            return Checked::Nothing;
        }
        self.check(end, limits)
    }

    /// Checks, unless nothing has ended since the last time. Under `sequential` what is not explained may be explained by an
    /// operation that is called later: there is nothing to check before the end.
    pub(super) fn check(&mut self, last: u64, limits: &Limits<'s>) -> Checked {
        if self.criterion == Criterion::Sequential { Checked::Nothing } else { self.check_now(last, limits) }
    }

    pub(super) fn check_now(&mut self, last: u64, limits: &Limits<'s>) -> Checked {
        if self.lost || self.unchecked == 0 {
            return Checked::Nothing;
        }
        match self.judge(last, limits) {
            Verdict::Consistent(_) => {
                self.checked = last;
                self.unchecked = 0;
                match &self.collection {
                    Some(collection) if !compact(collection, &mut self.window) => Checked::Unsupported,
                    _ => Checked::Nothing,
                }
            }
            Verdict::Inconsistent(_) => {
                if self.criterion == Criterion::Sequential {
                    return Checked::Violation { event: last, key: None };
                }
                let ends = self.window.ends_after(self.checked);
                let first = super::first(&ends, |upto| match self.judge(upto, limits) {
                    Verdict::Undecided(limit) => Err(limit),
                    verdict => Ok(verdict.is_inconsistent()),
                });
                match first {
                    Ok(event) => Checked::Violation { event, key: None },
                    Err(limit) => self.lose(limit),
                }
            }
            Verdict::Undecided(limit) => self.lose(limit),
            Verdict::Unsupported(_) => Checked::Unsupported,
        }
    }

    fn judge(&self, upto: u64, limits: &Limits<'s>) -> Verdict {
        // What is held, its history, and what that is made from.
        let held = self.window.bytes().saturating_add(BYTES * self.window.len());
        let left = Meter::new(limits).room(held);
        if let Err(limit) = left {
            return Verdict::Undecided(limit);
        }
        let typed = Typed::known(Cow::Owned(self.window.history(upto).0), self.spec);
        let limits = &Limits { max_memory: limits.max_memory - held, ..*limits };
        let by_algorithm = self
            .collection
            .as_ref()
            .and_then(|_| judge_by(&typed, &self.criterion, Engine::Collection, limits));
        by_algorithm.unwrap_or_else(|| judge(&typed, &self.criterion, limits)).0
    }

    /// The operations that the checker shows as inconsistent after that event: their slots.
    pub(super) fn core(&self, event: u64, limits: &Limits<'s>) -> Vec<u32> {
        let (_, slots) = self.window.history(event);
        match self.judge(event, limits) {
            Verdict::Inconsistent(violation) => {
                violation.operations.iter().map(|op| slots[op.index()]).collect()
            }
            _ => slots,
        }
    }

    fn lose(&mut self, limit: Limit) -> Checked {
        self.give_up();
        Checked::Undecided(Inconclusive::Limit(limit))
    }

    /// There is too much to be held: all but what is open is forgotten, and nothing is known any more. Whether anything was.
    pub(super) fn give_up(&mut self) -> bool {
        let known = !std::mem::replace(&mut self.lost, true);
        self.window.forget_ended();
        known
    }
}
