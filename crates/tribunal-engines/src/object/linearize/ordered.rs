//! The search over operations without times: sequential consistency, or an explicit order.

use super::Found;
use super::alike::Alike;
use crate::object::meter::Meter;
use rustc_hash::FxHashSet;
use tribunal_history::heap::{Heap, block};
use tribunal_history::object::{History, Machine, OpId, ProcessId, Specification, StateId};
use tribunal_history::verdict::Limit;

/// Whether some operations have a linearization that contains po, and with `real_time` hb, and explains their returns:
/// a search over how far each process has come, each with the states reached visited once.
///
/// With k processes and n operations there are at most O(n^k) places, each with its states.
pub(super) fn search(
    history: &History,
    spec: &dyn Specification,
    alike: &Alike,
    ops: &[OpId],
    real_time: bool,
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    meter.room(BYTES * ops.len())?;
    // Each search goes through the whole history once, and there may be one for each key.
    meter.work(history.len() as u64)?;
    Search::new(history, spec, alike, ops, real_time).run(meter)
}

/// The bytes that an operation takes in the search's columns, while they are made and after.
const BYTES: usize = 48;

/// A place in the search with choices left.
struct Choice {
    /// The place of each process; the operations taken since are undone.
    at: Box<[u32]>,
    state: StateId,
    lin: u32,
    /// The next candidate to try.
    next: u32,
}

struct Search<'a> {
    history: &'a History,
    machine: Box<dyn Machine + 'a>,
    alike: &'a Alike,
    real_time: bool,
    /// The operations searched, process by process in po, and where the processes begin.
    ops: Vec<OpId>,
    begins: Vec<u32>,
    /// The place of each process.
    at: Box<[u32]>,
    state: StateId,
    lin: Vec<OpId>,
    /// Completed operations that have not taken effect.
    left: usize,
    visited: FxHashSet<(Box<[u32]>, StateId)>,
    choices: Vec<Choice>,
    candidates: Vec<Candidate>,
}

/// An operation that may come next.
#[derive(Clone, Copy)]
struct Candidate {
    process: u32,
    /// The state after its next operation; none: the operation, which is pending, is skipped.
    after: Option<StateId>,
}

impl<'a> Search<'a> {
    fn new(
        history: &'a History,
        spec: &'a dyn Specification,
        alike: &'a Alike,
        ops: &[OpId],
        real_time: bool,
    ) -> Self {
        let chosen: FxHashSet<OpId> = ops.iter().copied().collect();
        let (mut sorted, mut begins) = (Vec::<OpId>::with_capacity(ops.len()), vec![0]);
        for process in 0..history.process_count() as u32 {
            let of_process = history.of_process(ProcessId(process)).iter();
            let begin = sorted.len();
            sorted.extend(of_process.filter(|op| chosen.contains(op)));
            if sorted.len() > begin {
                begins.push(sorted.len() as u32);
            }
        }
        let at: Box<[u32]> = begins[..begins.len() - 1].into();
        let machine = spec.machine(history);
        Search {
            history,
            state: machine.initial(),
            machine,
            alike,
            real_time,
            left: ops.iter().filter(|&&op| !history.is_pending(op)).count(),
            ops: sorted,
            begins,
            at,
            lin: Vec::new(),
            visited: FxHashSet::default(),
            choices: Vec::new(),
            candidates: Vec::new(),
        }
    }

    fn run(mut self, meter: &mut Meter<'_>) -> Result<Found, Limit> {
        loop {
            meter.hold(self.held(), &mut *self.machine)?;
            self.settle();
            if self.left == 0 {
                return Ok(Found::Lin(self.lin));
            }
            if self.visited.insert((self.at.clone(), self.state)) {
                meter.visit(1)?;
                let lin = self.lin.len() as u32;
                self.choices.push(Choice { at: self.at.clone(), state: self.state, lin, next: 0 });
            }
            if !self.choose(meter)? {
                meter.hold(self.held(), &mut *self.machine)?;
                return Ok(Found::Stuck(None));
            }
        }
    }

    /// The bytes that the search holds beside the machine.
    fn held(&self) -> usize {
        let (visited, choices) = (&self.visited, &self.choices);
        BYTES * self.ops.len()
            + visited.peak()
            + choices.peak()
            + (visited.len() + choices.len() + 4) * block(size_of_val(&*self.at))
    }

    /// The next operation of a process, if all that must come before it have come.
    fn ready(&self, process: usize) -> Option<OpId> {
        let at = self.at[process];
        if at == self.begins[process + 1] {
            return None;
        }
        let op = self.ops[at as usize];
        let waits = |other: usize| {
            let first = self.at[other];
            first < self.begins[other + 1]
                && other != process
                && self.history.before(self.ops[first as usize], op)
        };
        // What has not come in a process comes in po, so its first operation stands for all.
        if self.real_time && (0..self.at.len()).any(waits) { None } else { Some(op) }
    }

    fn apply(&mut self, op: OpId) -> Option<StateId> {
        self.machine.apply(self.state, self.alike.stands_for(op))
    }

    fn advance(&mut self, process: usize, after: Option<StateId>) {
        let op = self.ops[self.at[process] as usize];
        self.at[process] += 1;
        if let Some(after) = after {
            self.lin.push(op);
            self.state = after;
            self.left -= usize::from(!self.history.is_pending(op));
        }
    }

    /// Completed operations that never change anything take effect at once.
    fn settle(&mut self) {
        let mut settled = false;
        while !settled {
            settled = true;
            for process in 0..self.at.len() {
                while let Some(op) = self.ready(process)
                    && self.alike.is_idle(op)
                    && self.apply(op).is_some()
                {
                    self.advance(process, Some(self.state));
                    settled = false;
                }
            }
        }
    }

    fn choose(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        while let Some(choice) = self.choices.last_mut() {
            let next = choice.next as usize;
            choice.next += 1;
            self.at.copy_from_slice(&choice.at);
            self.state = choice.state;
            for op in self.lin.drain(choice.lin as usize..) {
                self.left += usize::from(!self.history.is_pending(op));
            }
            let processes = self.at.len() as u64;
            meter.work(if self.real_time { processes * processes } else { processes })?;
            meter.hold(self.held(), &mut *self.machine)?;
            self.list_candidates();
            if let Some(&Candidate { process, after }) = self.candidates.get(next) {
                self.advance(process as usize, after);
                return Ok(true);
            }
            self.choices.pop();
        }
        Ok(false)
    }

    /// The operations that may come next: those that were called first first, since real time is often a good guess; skipping
    /// a pending operation last.
    fn list_candidates(&mut self) {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for process in 0..self.at.len() {
            let Some(op) = self.ready(process) else { continue };
            let pending = self.history.is_pending(op);
            if let Some(after) = self.apply(op)
                && !(pending && after == self.state)
            {
                candidates.push(Candidate { process: process as u32, after: Some(after) });
            }
            // Nobody waits for the last operation of a process, unless hb says so.
            if pending && (self.real_time || self.at[process] + 1 < self.begins[process + 1]) {
                candidates.push(Candidate { process: process as u32, after: None });
            }
        }
        let (ops, at) = (&self.ops, &self.at);
        let call = |candidate: &Candidate| {
            let op = ops[at[candidate.process as usize] as usize];
            (candidate.after.is_none(), self.history.times(op).map(|(call, _)| call), op)
        };
        candidates.sort_unstable_by_key(call);
        self.candidates = candidates;
    }
}
