//! The operations of an object that are shown, and their places on the grid.

use super::events;
use super::natural::natural;
use crate::window::{MOST, around, seeds, widest};
use tribunal_history::object::{Event, History, OpId, ProcessId};

/// No place, no row or no return.
const NONE: u32 = u32::MAX;

/// The operations shown, in the order of their calls, with their intervals among the calls and returns shown.
pub struct Timeline {
    ops: Vec<OpId>,
    intervals: Vec<(u32, Option<u32>)>,
    /// The number of calls and returns shown.
    end: u32,
    /// By operation.
    places: Vec<u32>,
    /// By operation, where its call is among all calls and returns.
    ranks: Vec<u32>,
    /// The number of calls and returns.
    length: usize,
    processes: Vec<ProcessId>,
    /// By process id.
    rows: Vec<u32>,
    window: bool,
}

impl Timeline {
    /// All operations, or those called around the parts that violations are about, of which the one of the answer `shown`
    /// comes first; without any, the beginning.
    pub fn new(history: &History, parts: &[Vec<OpId>], shown: usize) -> Self {
        let events = events(history);
        let mut ranks = vec![0; history.len()];
        let mut called: Vec<OpId> = Vec::with_capacity(history.len());
        for (event, rank) in events.iter().zip(0..) {
            if let Event::Call(op) = *event {
                ranks[op.index()] = rank;
                called.push(op);
            }
        }
        let window = history.len() > MOST;
        let ops: Vec<OpId> = if window { part(&called, parts, shown) } else { called };
        let mut places = vec![NONE; history.len()];
        for (op, place) in ops.iter().zip(0..) {
            places[op.index()] = place;
        }
        let mut intervals = vec![(0, None); ops.len()];
        let mut end = 0;
        for event in &events {
            let (Event::Call(op) | Event::Return(op)) = *event;
            let place = places[op.index()];
            if place == NONE {
                continue;
            }
            match event {
                Event::Call(_) => intervals[place as usize].0 = end,
                Event::Return(_) => intervals[place as usize].1 = Some(end),
            }
            end += 1;
        }
        let mut processes: Vec<ProcessId> = if window || history.process_count() > MOST {
            ops.iter().map(|&op| history.process(op)).collect()
        } else {
            (0..history.process_count() as u32).map(ProcessId).collect()
        };
        processes.sort_unstable();
        processes.dedup();
        processes.sort_by(|&a, &b| natural(history.process_name(a), history.process_name(b)));
        let mut rows = vec![NONE; history.process_count()];
        for (process, row) in processes.iter().zip(0..) {
            rows[process.index()] = row;
        }
        Timeline { ops, intervals, end, places, ranks, length: events.len(), processes, rows, window }
    }

    /// Whether some operations are not shown.
    pub fn is_window(&self) -> bool {
        self.window
    }

    /// Every place with its operation.
    pub fn all(&self) -> impl Iterator<Item = (u32, OpId)> + '_ {
        (0..).zip(self.ops.iter().copied())
    }

    /// The place of an operation, if it is shown.
    pub fn of(&self, op: OpId) -> Option<u32> {
        Some(self.places[op.index()]).filter(|&place| place != NONE)
    }

    /// The places of the call and of the return of the operation at a place, among what is shown.
    pub fn interval(&self, place: u32) -> (u32, Option<u32>) {
        self.intervals[place as usize]
    }

    /// The number of calls and returns shown.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// The place of an operation's call among all calls and returns.
    pub fn rank(&self, op: OpId) -> usize {
        self.ranks[op.index()] as usize
    }

    /// The number of calls and returns.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The processes shown, by row.
    pub fn processes(&self) -> &[ProcessId] {
        &self.processes
    }

    /// The row of a process, if it is shown.
    pub fn row_of(&self, process: ProcessId) -> Option<u32> {
        Some(self.rows[process.index()]).filter(|&row| row != NONE)
    }

    /// The row of an operation that is shown.
    pub fn row(&self, history: &History, op: OpId) -> u32 {
        self.rows[history.process(op).index()]
    }
}

/// The operations of a large history to show, given all in the order of their calls.
fn part(called: &[OpId], parts: &[Vec<OpId>], shown: usize) -> Vec<OpId> {
    let mut nth = vec![0u32; called.len()];
    for (op, at) in called.iter().zip(0..) {
        nth[op.index()] = at;
    }
    let first = parts.get(shown).into_iter().chain(parts);
    let seeds = seeds(first.map(|ops| ops.iter().map(|op| nth[op.index()]).collect()), MOST);
    if seeds.is_empty() {
        return called[..MOST].to_vec();
    }
    let end = called.len() as u32;
    let near = widest(MOST, |radius| around(&seeds, radius, MOST, |_| (0, end)));
    near.into_iter().map(|at| called[at as usize]).collect()
}
