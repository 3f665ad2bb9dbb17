//! The executions of a structure: every read is given its write, one after the other, as long as values, addresses and the model allow.
//!
//! Values are solved as they become known. Where all addresses are known from the start, what is placed of `rf` so far is shown to the model, whose checks
//! may refute it before the rest is placed. At the end final writes are chosen and the coherence order is decided, not enumerated.

use tribunal_cat::decide::Decider;
use tribunal_cat::limits::Limits;

use crate::facts::Candidate;
use crate::paths::truth;
use crate::run::{RunError, Tally};
use crate::structure::{Cell, Structure};
use crate::test::{Location, Observable};
use crate::value::{Size, Value};

/// The first number of a value out of thin air, as herd counts them.
const FIRST_UNKNOWN: u16 = 8;

pub(crate) struct Search<'s, 'p, 'o> {
    structure: &'s Structure<'s>,
    decider: &'o mut Decider<'p>,
    tally: &'o mut Tally,
    limits: &'o mut dyn Limits,
    nodes: u64,
    known: Vec<Option<Value>>,
    /// Cells that became known, to be forgotten on the way back.
    trail: Vec<usize>,
    /// Cells that are not constants.
    open: Vec<usize>,
    sources: Vec<Option<usize>>,
    locations: Vec<Option<Location>>,
    reads: Vec<usize>,
    writes: Vec<usize>,
    /// Whether every address is known before anything is read.
    fixed: bool,
    /// What the coherence order must have for the final writes to be last.
    extra: Vec<(usize, usize)>,
    /// The last write of each location, where the model asks for `FW`.
    finals: Vec<usize>,
    asks_finals: bool,
}

impl<'s, 'p, 'o> Search<'s, 'p, 'o> {
    pub fn new(
        structure: &'s Structure<'s>,
        decider: &'o mut Decider<'p>,
        tally: &'o mut Tally,
        limits: &'o mut dyn Limits,
        asks_finals: bool,
    ) -> Self {
        let known: Vec<_> = structure
            .cells
            .iter()
            .map(|cell| match cell {
                Cell::Constant(value) => Some(*value),
                _ => None,
            })
            .collect();
        let open = (0..known.len()).filter(|cell| known[*cell].is_none()).collect();
        let events = &structure.events;
        Search {
            nodes: 0,
            known,
            trail: Vec::new(),
            open,
            sources: vec![None; events.len()],
            locations: vec![None; events.len()],
            reads: (0..events.len()).filter(|e| events[*e].reads()).collect(),
            writes: (0..events.len()).filter(|e| events[*e].writes()).collect(),
            fixed: false,
            extra: Vec::new(),
            finals: Vec::new(),
            asks_finals,
            structure,
            decider,
            tally,
            limits,
        }
    }

    /// Goes through all executions.
    pub fn run(&mut self) -> Result<(), RunError> {
        if !self.propagate() {
            return Ok(());
        }
        let structure = self.structure;
        self.locate();
        self.check_accesses(true)?;
        self.fixed =
            structure.events.iter().zip(&self.locations).all(|(e, l)| e.address.is_none() || l.is_some());
        if self.fixed {
            self.load()?;
        }
        self.place(0)
    }

    fn load(&mut self) -> Result<(), RunError> {
        let candidate = Candidate {
            structure: self.structure,
            locations: &self.locations,
            sources: &self.sources,
            finals: &self.finals,
        };
        Ok(self.decider.load(&candidate)?)
    }

    fn change(&mut self, name: &str) -> Result<(), RunError> {
        let candidate = Candidate {
            structure: self.structure,
            locations: &self.locations,
            sources: &self.sources,
            finals: &self.finals,
        };
        Ok(self.decider.change(&candidate, &[name])?)
    }

    /// Every access of a variable is of one size: nothing is known of parts of values. Whether all are where there is something: what is `known`
    /// to be elsewhere is an error, and executions in which values lead there do not count.
    fn check_accesses(&self, known: bool) -> Result<bool, RunError> {
        let test = self.structure.test;
        // As in herd, where these have no parts of values.
        let whole = matches!(test.arch.as_str(), "BPF" | "MIPS");
        let mut sizes: Vec<Option<Size>> = vec![None; test.variables.len()];
        for (event, location) in self.structure.events.iter().zip(&self.locations) {
            let (Some(size), Some(location)) = (event.size, location) else { continue };
            let symbol = usize::from(location.symbol.0);
            let name = || test.variables[symbol].name.clone();
            if !whole && sizes[symbol].is_some_and(|other| other != size) {
                return Err(RunError::Mixed(name()));
            }
            sizes[symbol] = Some(size);
            if !test.memory.iter().any(|(there, _)| there == location) {
                let outside = RunError::Outside(name(), location.offset);
                return if known { Err(outside) } else { Ok(false) };
            }
        }
        Ok(true)
    }

    fn locate(&mut self) {
        for (event, location) in self.structure.events.iter().zip(&mut self.locations) {
            *location = event.address.and_then(|cell| self.known[cell]).and_then(Structure::location);
        }
    }

    /// The number of reads that are placed, and the next one to place: one whose address is known.
    fn next(&self, placed: usize) -> Option<usize> {
        if self.fixed {
            return self.reads.get(placed).copied();
        }
        let free = |read: &&usize| {
            let address = self.structure.events[**read].address;
            self.sources[**read].is_none() && address.is_some_and(|cell| self.known[cell].is_some())
        };
        self.reads.iter().find(free).copied()
    }

    fn place(&mut self, placed: usize) -> Result<(), RunError> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) {
            self.limits.check(0, self.nodes)?;
        }
        if placed == self.reads.len() {
            return self.leaf();
        }
        let Some(read) = self.next(placed) else { return Ok(()) };
        let location = self.structure.events[read].address.and_then(|cell| self.known[cell]);
        for index in 0..self.writes.len() {
            let write = self.writes[index];
            if write == read || self.structure.feeds.contains(read, write) {
                continue;
            }
            let address = self.structure.events[write].address.and_then(|cell| self.known[cell]);
            if address.is_some() && address != location {
                continue;
            }
            let mark = self.trail.len();
            self.sources[read] = Some(write);
            if self.propagate() && !self.refuted()? {
                self.place(placed + 1)?;
            }
            self.sources[read] = None;
            for cell in self.trail.drain(mark..) {
                self.known[cell] = None;
            }
        }
        Ok(())
    }

    fn refuted(&mut self) -> Result<bool, RunError> {
        if !self.fixed {
            return Ok(false);
        }
        self.change("rf")?;
        if self.asks_finals {
            // None are chosen yet.
            self.change("FW")?;
        }
        Ok(self.decider.is_refuted(&[]))
    }

    /// Whatever follows from what is known; whether that is without contradiction.
    fn propagate(&mut self) -> bool {
        loop {
            let mut changed = false;
            for &cell in &self.open {
                if self.known[cell].is_some() {
                    continue;
                }
                let value = match self.structure.cells[cell] {
                    Cell::Constant(value) => Some(Some(value)),
                    Cell::Read(event) => {
                        let source = self.sources[event].and_then(|write| self.structure.events[write].value);
                        source.and_then(|cell| self.known[cell]).map(Some)
                    }
                    Cell::Unary(op, of) => self.known[of].map(|v| op.apply(v)),
                    Cell::Binary(op, left, right) => match (self.known[left], self.known[right]) {
                        (Some(left), Some(right)) => Some(op.apply(left, right)),
                        _ => None,
                    },
                };
                match value {
                    // An operation that has no meaning on these values.
                    Some(None) => return false,
                    Some(value) => {
                        self.known[cell] = value;
                        self.trail.push(cell);
                        changed = true;
                    }
                    None => {}
                }
            }
            if !changed {
                break;
            }
        }
        let assumed =
            |(cell, holds): &(usize, bool)| self.known[*cell].is_none_or(|v| truth(v) == Some(*holds));
        self.structure.assumptions.iter().all(assumed) && (self.fixed || self.addresses_agree())
    }

    fn addresses_agree(&self) -> bool {
        let address = |event: usize| self.structure.events[event].address.and_then(|cell| self.known[cell]);
        self.reads.iter().all(|read| match self.sources[*read] {
            Some(write) => match (address(*read), address(write)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            },
            None => true,
        })
    }

    /// Reads whose values go round in a circle, unchanged, have a value of their own.
    fn thin_air(&mut self) -> bool {
        let mut next = FIRST_UNKNOWN;
        for index in 0..self.reads.len() {
            let Some(cell) = self.structure.events[self.reads[index]].read else { continue };
            if self.known[cell].is_some() {
                continue;
            }
            let mut at = cell;
            for _ in 0..=self.reads.len() {
                let Cell::Read(event) = self.structure.cells[at] else { return false };
                match self.sources[event].and_then(|write| self.structure.events[write].value) {
                    Some(value) => at = value,
                    None => return false,
                }
            }
            self.known[at] = Some(Value::Unknown(next));
            self.trail.push(at);
            next += 1;
            if !self.propagate() {
                return false;
            }
        }
        true
    }

    fn leaf(&mut self) -> Result<(), RunError> {
        let mark = self.trail.len();
        let solved = self.thin_air() && self.open.iter().all(|cell| self.known[*cell].is_some());
        let result = if solved { self.judge() } else { Ok(()) };
        for cell in self.trail.drain(mark..) {
            self.known[cell] = None;
        }
        result
    }

    fn judge(&mut self) -> Result<(), RunError> {
        if !self.fixed {
            self.locate();
            let accesses = self.structure.events.iter().zip(&self.locations);
            if accesses.into_iter().any(|(e, l)| e.address.is_some() && l.is_none()) {
                return Ok(());
            }
            if !self.check_accesses(false)? {
                return Ok(());
            }
            self.load()?;
        } else if self.reads.is_empty() {
            self.change("rf")?;
        }
        let test = self.structure.test;
        let register = |cell: &Option<usize>| cell.and_then(|cell| self.known[cell]).unwrap_or(Value::ZERO);
        let places = test.observed.iter().zip(&self.structure.registers);
        let mut state: Vec<Value> = places.map(|((_, ty), cell)| ty.cast(register(cell))).collect();
        let mut finals = Vec::new();
        for (place, (observable, _)) in test.observed.iter().enumerate() {
            let Observable::Location(location) = observable else { continue };
            let all: Vec<usize> =
                self.writes.iter().copied().filter(|w| self.locations[*w] == Some(*location)).collect();
            let later = all.iter().copied().filter(|w| self.structure.events[*w].kind.is_some());
            let mut last: Vec<usize> = later.collect();
            if last.is_empty() {
                last.clone_from(&all);
            }
            if last.len() > 1 && !self.asks_finals {
                last.retain(|write| self.may_be_last(*write, &all));
            }
            finals.push((place, all, last));
        }
        let raises = self.tally.raises(self.decider);
        self.tally.raising = raises;
        self.finals(&finals, &mut state)?;
        if self.asks_finals {
            self.change("FW")?;
        }
        Ok(())
    }

    /// One evaluation tells of most writes that they cannot be last.
    fn may_be_last(&mut self, write: usize, all: &[usize]) -> bool {
        self.extra.clear();
        self.extra.extend(all.iter().filter(|w| **w != write).map(|w| (*w, write)));
        let may = !self.decider.is_refuted(&self.extra);
        self.extra.clear();
        may
    }

    fn finals(
        &mut self,
        rest: &[(usize, Vec<usize>, Vec<usize>)],
        state: &mut Vec<Value>,
    ) -> Result<(), RunError> {
        let Some(((place, all, last), rest)) = rest.split_first() else { return self.consistent(state) };
        for write in last {
            let Some(value) = self.structure.events[*write].value.and_then(|cell| self.known[cell]) else {
                continue;
            };
            state[*place] = self.structure.test.observed[*place].1.cast(value);
            self.finals.push(*write);
            let mark = self.extra.len();
            self.extra.extend(all.iter().filter(|w| *w != write).map(|w| (*w, *write)));
            self.finals(rest, state)?;
            self.extra.truncate(mark);
            self.finals.pop();
        }
        Ok(())
    }

    fn consistent(&mut self, state: &[Value]) -> Result<(), RunError> {
        let test = self.structure.test;
        if test.filter.as_ref().is_some_and(|filter| !filter.holds(state)) {
            return Ok(());
        }
        if self.asks_finals {
            self.change("FW")?;
        }
        if self.structure.cut {
            if !self.tally.cut && self.decider.is_consistent(&self.extra, self.limits)? {
                self.tally.cut = true;
            }
            return Ok(());
        }
        let holds = test.condition.holds(state);
        let shown: Vec<Value> =
            test.shown.iter().flat_map(|s| &s.places).map(|place| state[*place]).collect();
        let executions = if self.tally.counts {
            self.decider.count(&self.extra, &mut self.tally.raised, self.limits)?
        } else if self.tally.dependent_flags_pending() {
            u64::from(self.decider.judge(&self.extra, &mut self.tally.raised, self.limits)?)
        } else if self.tally.has(&shown, holds) && !self.tally.raising {
            0
        } else {
            u64::from(self.decider.is_consistent(&self.extra, self.limits)?)
        };
        if executions > 0 {
            self.tally.add(shown, holds, executions);
            if std::mem::take(&mut self.tally.raising) {
                self.tally.raise(self.decider);
            }
        }
        Ok(())
    }
}
