//! acyclic(po ∪ rf): the axiom that every model here shares, and the cycle that breaks it.

use super::replay::Deadlock;
use crate::reach::digraph::{Arc, short_cycle};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Histories up to this size get the shortest of all cycles.
const LITMUS: usize = 256;

/// The cycle in po ∪ rf at which a replay got stuck.
pub(crate) fn explain(x: &Execution, deadlock: &Deadlock) -> Violation {
    let edges = if x.len() <= LITMUS { shortest_cycle(x) } else { wait_cycle(x, deadlock) };
    Violation { axiom: Axiom::PoRf, refutation: Refutation::Cycle(Cycle { lemmas: Vec::new(), edges }) }
}

/// po as an edge, whatever is between its ends, and rf.
fn shortest_cycle(x: &Execution) -> Vec<Edge> {
    let mut arcs = Vec::new();
    for e in x.events() {
        let thread = x.thread_of(e).expect("an event of a thread");
        let later = e.0 + 1..x.thread_events(thread).end;
        arcs.extend(later.map(|head| Arc { tail: e.0, head, weight: 1 }));
        if let Some(write) = x.rf(e).filter(|&write| !x.is_init(write)) {
            arcs.push(Arc { tail: write.0, head: e.0, weight: 1 });
        }
    }
    let cycle = short_cycle(x.len(), &arcs).expect("the replay got stuck, so there is a cycle");
    let edge = |arc: Arc| {
        let (from, to) = (EventId(arc.tail), EventId(arc.head));
        Edge { from, to, because: if x.rf(to) == Some(from) { Because::Rf } else { Because::Po } }
    };
    cycle.into_iter().map(|arc| edge(arcs[arc])).collect()
}

fn wait_cycle(x: &Execution, deadlock: &Deadlock) -> Vec<Edge> {
    let waits = deadlock.cycle(x);
    let mut edges = Vec::new();
    // Forwards: the awaited write is read by the blocked event, which is po-before the write awaited by the one before.
    for i in (0..waits.len()).rev() {
        let (blocked, awaited) = waits[i];
        edges.push(Edge { from: awaited, to: blocked, because: Because::Rf });
        let wanted = waits[(i + waits.len() - 1) % waits.len()].1;
        if wanted != blocked {
            edges.push(Edge { from: blocked, to: wanted, because: Because::Po });
        }
    }
    edges
}
