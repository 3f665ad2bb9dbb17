//! An explicit order of operations: its neighbors, and a timeline that goes along with it.

use super::timeline::Timeline;
use crate::document::Edge;
use tribunal_history::object::{Event, History, OpId};

/// So many neighbors of one operation are told from what is further away; of more, all are drawn.
const TOLD: usize = 64;
/// At most so many pairs are drawn.
const DRAWN: usize = 8000;

/// The pairs of operations shown, of different processes, that hb orders with nothing shown between them.
pub fn of(history: &History, timeline: &Timeline) -> Vec<Edge> {
    let mut rows: Vec<Vec<OpId>> = vec![Vec::new(); timeline.processes().len()];
    for (row, &process) in rows.iter_mut().zip(timeline.processes()) {
        row.extend(history.of_process(process).iter().filter(|&&op| timeline.of(op).is_some()));
    }
    let mut edges = Vec::new();
    let mut last: Vec<OpId> = Vec::new();
    for (place, op) in timeline.all() {
        // hb contains po: those of a process that are before the operation are its first.
        last.clear();
        last.extend(rows.iter().filter_map(|row| {
            let before = row.partition_point(|&other| history.before(other, op));
            before.checked_sub(1).map(|at| row[at])
        }));
        let between = |a: OpId| last.len() <= TOLD && last.iter().any(|&b| history.before(a, b));
        let neighbors = last.iter().filter(|&&a| history.process(a) != history.process(op) && !between(a));
        edges.extend(neighbors.filter_map(|&a| Some([timeline.of(a)?, place])));
        if edges.len() > DRAWN {
            edges.truncate(DRAWN);
            break;
        }
    }
    edges
}

/// Calls and returns of a history without intervals, in layers: an operation is called after the returns of those that
/// happen before it, and returns in the same layer.
pub fn layers(history: &History) -> Vec<Event> {
    let processes = history.process_count();
    let mut next = vec![0usize; processes];
    let mut events = Vec::with_capacity(2 * history.len());
    let ops = |process: usize| history.of_process(tribunal_history::object::ProcessId(process as u32));
    let mut layer: Vec<OpId> = Vec::new();
    while next.iter().enumerate().any(|(process, &next)| next < ops(process).len()) {
        layer.clear();
        let waits = |op: OpId| {
            (0..processes)
                .any(|other| ops(other).get(next[other]).is_some_and(|&first| history.before(first, op)))
        };
        layer.extend(
            (0..processes).filter_map(|process| ops(process).get(next[process])).filter(|&&op| !waits(op)),
        );
        for &op in &layer {
            next[history.process(op).index()] += 1;
        }
        events.extend(layer.iter().map(|&op| Event::Call(op)));
        // A pending operation does not return, but nor does what comes after it wait for that.
        events.extend(layer.iter().filter(|&&op| !history.is_pending(op)).map(|&op| Event::Return(op)));
    }
    events
}
