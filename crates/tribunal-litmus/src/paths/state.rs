//! The state of a way through a thread.

use super::{Path, PathEvent};
use crate::micro::{Micro, Register, Temporary};
use crate::term::TermId;
use tribunal_cat::relation::FixedSet;

/// Events of a thread, by index.
pub(super) type Few = FixedSet<4>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub term: TermId,
    pub taint: Few,
    pub control: Few,
    pub writer: Option<u16>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Temp {
    pub term: TermId,
    /// The loads, and stores that tell their success, that it depends on.
    pub taint: Few,
    /// What it is control-dependent on, in C: of importance to conditions only.
    pub control: Few,
    /// The events of this instruction that gave it.
    pub origin: Few,
}

#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub micros: &'a [Micro],
    pub by: Option<Temporary>,
}

#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub until: usize,
    pub taint: Few,
}

#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    pub path: Path,
    /// The thread whose code is run: jumps to addresses may leave one's own.
    pub code: usize,
    pub pc: usize,
    pub frames: Vec<Frame<'a>>,
    pub temps: Vec<Option<Temp>>,
    pub registers: Vec<(Register, Slot)>,
    pub ctrl: Few,
    /// What predicates of this instruction depend on.
    pub predicate: Few,
    /// The events of these predicates.
    pub predicates: Few,
    pub scopes: Vec<Scope>,
    /// How often loops went round, by instruction.
    pub rounds: Vec<(usize, u32)>,
    pub instance: u16,
    pub steps: u32,
}

impl Temp {
    pub fn of(event: u16, term: TermId) -> Self {
        let itself = Few::one(usize::from(event));
        Self { term, taint: itself, control: Few::EMPTY, origin: itself }
    }

    pub fn with(self, other: Self, term: TermId) -> Self {
        Self {
            term,
            taint: self.taint | other.taint,
            control: self.control | other.control,
            origin: self.origin | other.origin,
        }
    }
}

impl State<'_> {
    pub fn at(&mut self, event: u16) -> &mut PathEvent {
        &mut self.path.events[usize::from(event)]
    }

    pub fn give(&mut self, temporary: Temporary, temp: Temp) {
        let index = usize::from(temporary.0);
        if self.temps.len() <= index {
            self.temps.resize(index + 1, None);
        }
        self.temps[index] = Some(temp);
    }

    /// What was never given is zero.
    pub fn temp(&self, temporary: Temporary, zero: TermId) -> Temp {
        let none = Temp { term: zero, taint: Few::EMPTY, control: Few::EMPTY, origin: Few::EMPTY };
        self.temps.get(usize::from(temporary.0)).copied().flatten().unwrap_or(none)
    }

    pub fn round(&mut self, at: usize) -> u32 {
        match self.rounds.iter_mut().find(|(a, _)| *a == at) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.rounds.push((at, 1));
                1
            }
        }
    }

    pub fn clone_empty(&self) -> Self {
        State {
            path: Path::default(),
            code: self.code,
            pc: self.pc,
            frames: Vec::new(),
            temps: Vec::new(),
            registers: Vec::new(),
            ctrl: Few::EMPTY,
            predicate: Few::EMPTY,
            predicates: Few::EMPTY,
            scopes: Vec::new(),
            rounds: Vec::new(),
            instance: 0,
            steps: 0,
        }
    }
}
