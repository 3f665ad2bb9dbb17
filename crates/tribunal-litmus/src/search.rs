//! The executions of a structure: every read is given its write, one after the other, as long as values, addresses and the model allow.
//!
//! Values are solved as they become known. Where all addresses are known from the start, what is placed of `rf` so far is shown to the model, whose checks
//! may refute it before the rest is placed. At the end final writes are chosen and the coherence order is decided, not enumerated.

use rustc_hash::FxHashMap;
use tribunal_cat::limits::Limits;
use tribunal_engines::memory::definition::Decider;

use crate::error::Fault;
use crate::example;
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

/// A read that has a write to read of.
struct Placed {
    read: usize,
    /// The next of the writes to try.
    write: usize,
    /// How many cells were known before.
    mark: usize,
}

/// A place that is observed: the writes of its location, and those of them that may be last.
struct Finals {
    place: usize,
    all: Vec<usize>,
    last: Vec<usize>,
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
        let nowhere = |event: &usize| {
            let address = structure.events[*event].address.and_then(|cell| self.known[cell]);
            address.is_some_and(|value| Structure::location(value).is_none())
        };
        if let Some(event) = (0..structure.events.len()).find(nowhere) {
            self.leave_out(event);
            return Ok(());
        }
        self.check_accesses()?;
        self.fixed =
            structure.events.iter().zip(&self.locations).all(|(e, l)| e.address.is_none() || l.is_some());
        if self.fixed {
            self.load()?;
        }
        self.place()
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

    /// Every access of a variable is of one size, that of its type if it was declared: nothing is known of parts of values.
    fn check_accesses(&self) -> Result<(), RunError> {
        let test = self.structure.test;
        // As in herd, where these have no parts of values.
        let whole = matches!(test.arch.as_str(), "BPF" | "MIPS" | "C" | "LISA");
        let mut sizes: Vec<Option<Size>> =
            test.variables.iter().map(|variable| variable.sized.then_some(variable.ty.size)).collect();
        for (event, location) in self.structure.events.iter().zip(&self.locations) {
            let (Some(size), Some(location)) = (event.size, location) else { continue };
            let symbol = usize::from(location.symbol.0);
            let name = || test.variables[symbol].name.clone();
            if !whole && sizes[symbol].is_some_and(|other| other != size) {
                return Err(RunError::Mixed(name()));
            }
            sizes[symbol] = Some(size);
            if !self.is_there(Value::Address(location.symbol, location.offset)) {
                return Err(RunError::Outside(name(), location.offset));
            }
        }
        Ok(())
    }

    /// An access to what is no location: a number, or the address of an instruction.
    fn nowhere(&self, event: usize) -> RunError {
        let event = &self.structure.events[event];
        let test = self.structure.test;
        let message = match event.address.and_then(|cell| self.known[cell]) {
            Some(value @ Value::Code(..)) => {
                format!("an access to code, at {}, is not supported", test.value(value))
            }
            Some(Value::Address(symbol, offset)) => {
                return RunError::Outside(test.variables[usize::from(symbol.0)].name.clone(), offset);
            }
            Some(value) => format!("an access to the address {}, which is no location", test.value(value)),
            None => "an access to an address that is not known".to_owned(),
        };
        RunError::Test(Fault::new(event.position, message).within(&test.name))
    }

    /// Executions in which values lead to such an access do not count; the first is remembered, in case there are no others.
    fn leave_out(&mut self, event: usize) {
        if self.tally.nowhere.is_none() {
            self.tally.nowhere = Some(self.nowhere(event));
        }
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

    /// Places all reads, in every way. There may be thousands of them, so no recursion.
    fn place(&mut self) -> Result<(), RunError> {
        let mut placed: Vec<Placed> = Vec::new();
        loop {
            self.poll()?;
            if placed.len() == self.reads.len() {
                self.leaf()?;
            } else if let Some(read) = self.next(placed.len()) {
                let address = self.structure.events[read].address.and_then(|cell| self.known[cell]);
                if address.is_some_and(|value| !self.is_there(value)) {
                    self.leave_out(read);
                } else {
                    placed.push(Placed { read, write: 0, mark: self.trail.len() });
                }
            }
            // On with the last read that has another write to read of.
            loop {
                let Some(last) = placed.last_mut() else { return Ok(()) };
                if self.advance(last)? {
                    break;
                }
                placed.pop();
            }
        }
    }

    fn poll(&mut self) -> Result<(), RunError> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) {
            self.limits.check(0, self.nodes)?;
        }
        Ok(())
    }

    /// Has a read take the next write that is possible, if there is one.
    fn advance(&mut self, placed: &mut Placed) -> Result<bool, RunError> {
        let read = placed.read;
        loop {
            self.sources[read] = None;
            for cell in self.trail.drain(placed.mark..) {
                self.known[cell] = None;
            }
            let Some(&write) = self.writes.get(placed.write) else { return Ok(false) };
            placed.write += 1;
            if write == read || self.structure.feeds.contains(read, write) {
                continue;
            }
            let address =
                |event: usize| self.structure.events[event].address.and_then(|cell| self.known[cell]);
            if address(write).is_some() && address(write) != address(read) {
                continue;
            }
            self.poll()?;
            self.sources[read] = Some(write);
            if self.propagate() && !self.refuted()? {
                return Ok(true);
            }
        }
    }

    /// Whether there is a location at an address.
    fn is_there(&self, address: Value) -> bool {
        let memory = &self.structure.test.memory;
        Structure::location(address)
            .is_some_and(|location| memory.binary_search_by(|(there, _)| there.cmp(&location)).is_ok())
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
        Ok(self.decider.is_refuted(&[], self.limits)?)
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
                // What a load extends is the value itself.
                while let Cell::Unary(op, of) = self.structure.cells[at]
                    && op.extends()
                {
                    at = of;
                }
                let Cell::Read(event) = self.structure.cells[at] else { return false };
                match self.sources[event].and_then(|write| self.structure.events[write].value) {
                    Some(value) => at = value,
                    None => return false,
                }
            }
            while let Cell::Unary(_, of) = self.structure.cells[at] {
                at = of;
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
            let address =
                |event: usize| self.structure.events[event].address.and_then(|cell| self.known[cell]);
            let mut events = 0..self.structure.events.len();
            if let Some(event) = events.find(|e| address(*e).is_some_and(|value| !self.is_there(value))) {
                self.leave_out(event);
                return Ok(());
            }
            self.check_accesses()?;
            self.load()?;
        } else if self.reads.is_empty() {
            self.change("rf")?;
        }
        let test = self.structure.test;
        let register = |cell: &Option<usize>| cell.and_then(|cell| self.known[cell]).unwrap_or(Value::ZERO);
        let places = test.observed.iter().zip(&self.structure.registers);
        let mut state: Vec<Value> = places.map(|((_, ty), cell)| ty.cast(register(cell))).collect();
        let mut writes: FxHashMap<Location, Vec<usize>> = FxHashMap::default();
        for &write in &self.writes {
            if let Some(location) = self.locations[write] {
                writes.entry(location).or_default().push(write);
            }
        }
        let mut finals = Vec::new();
        for (place, (observable, _)) in test.observed.iter().enumerate() {
            let Observable::Location(location) = observable else { continue };
            let all = writes.get(location).cloned().unwrap_or_default();
            let later = all.iter().copied().filter(|w| self.structure.events[*w].kind.is_some());
            let mut last: Vec<usize> = later.collect();
            if last.is_empty() {
                last.clone_from(&all);
            }
            if last.len() > 1 && !self.asks_finals {
                let mut kept = Vec::new();
                for write in last {
                    if self.may_be_last(write, &all)? {
                        kept.push(write);
                    }
                }
                last = kept;
            }
            finals.push(Finals { place, all, last });
        }
        let raises = self.tally.raises(self.decider, self.limits)?;
        self.tally.raising = raises;
        self.finals(&finals, &mut state)?;
        if self.asks_finals {
            self.change("FW")?;
        }
        Ok(())
    }

    /// One evaluation tells of most writes that they cannot be last.
    fn may_be_last(&mut self, write: usize, all: &[usize]) -> Result<bool, RunError> {
        self.extra.clear();
        self.extra.extend(all.iter().filter(|w| **w != write).map(|w| (*w, write)));
        let refuted = self.decider.is_refuted(&self.extra, self.limits)?;
        self.extra.clear();
        Ok(!refuted)
    }

    /// Chooses the last write of each of these places, in every way. There may be thousands of them, so no recursion.
    fn finals(&mut self, places: &[Finals], state: &mut [Value]) -> Result<(), RunError> {
        // Which write is next, and how many pairs there were before: of each place that has a last write, and of the next one.
        let mut levels = vec![(0, self.extra.len())];
        while let Some((next, mark)) = levels.last_mut() {
            let (mark, candidate) = (*mark, *next);
            *next += 1;
            let level = levels.len() - 1;
            self.extra.truncate(mark);
            self.finals.truncate(level);
            let Some(Finals { place, all, last }) = places.get(level) else {
                self.consistent(state)?;
                levels.pop();
                continue;
            };
            let Some(&write) = last.get(candidate) else {
                levels.pop();
                continue;
            };
            let Some(value) = self.structure.events[write].value.and_then(|cell| self.known[cell]) else {
                continue;
            };
            self.poll()?;
            state[*place] = self.structure.test.observed[*place].1.cast(value);
            self.finals.push(write);
            self.extra.extend(all.iter().filter(|w| **w != write).map(|w| (*w, write)));
            levels.push((0, self.extra.len()));
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
        } else if self.tally.has(&shown, holds) && !self.tally.raising && !self.tally.wants(holds) {
            0
        } else {
            u64::from(self.decider.is_consistent(&self.extra, self.limits)?)
        };
        if executions > 0 {
            if self.tally.wants(holds) {
                let candidate = Candidate {
                    structure: self.structure,
                    locations: &self.locations,
                    sources: &self.sources,
                    finals: &self.finals,
                };
                self.tally.example = example::history(&candidate, &self.known);
            }
            self.tally.add(shown, holds, executions);
            if std::mem::take(&mut self.tally.raising) {
                self.tally.raise(self.decider, self.limits)?;
            }
        }
        Ok(())
    }
}
