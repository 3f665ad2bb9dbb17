//! The steps that a thread takes.

use std::sync::atomic::Ordering;
use tribunal_litmus::value::{Binary, Unary};

/// A place of a thread's own: registers come before temporaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(pub(super) u16);

/// The place of an access: a cell that is known, or the one that a slot names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Cell(usize),
    Slot(Slot),
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Set {
        into: Slot,
        value: i64,
    },
    Copy {
        into: Slot,
        from: Slot,
    },
    Unary {
        op: Unary,
        of: Slot,
        into: Slot,
    },
    Binary {
        op: Binary,
        left: Slot,
        right: Slot,
        into: Slot,
    },
    Load {
        at: At,
        into: Slot,
        order: Ordering,
    },
    Store {
        at: At,
        value: Slot,
        order: Ordering,
    },
    Swap {
        at: At,
        value: Slot,
        into: Slot,
        order: Ordering,
    },
    Fetch {
        at: At,
        op: Binary,
        value: Slot,
        into: Slot,
        order: Ordering,
    },
    /// Goes to `other` if it does not find what it expects.
    CompareExchange {
        at: At,
        expected: Slot,
        value: Slot,
        into: Slot,
        order: Ordering,
        other: usize,
    },
    Fence(Ordering),
    /// Goes to `target` if it is zero, or if it is not.
    If {
        condition: Slot,
        zero: bool,
        target: usize,
    },
    Goto(usize),
    Stop,
}
