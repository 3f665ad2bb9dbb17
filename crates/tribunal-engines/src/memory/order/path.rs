//! Shortest paths through po and given edges, for explanations.

use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::{Because, Edge};

/// The way in which a thread's events came to be known during a backward search: all events of the thread up to `last` come before
/// the goal, by way of `last` -edge-> `to` in the region `next`.
struct Region {
    thread: ThreadId,
    last: EventId,
    to: EventId,
    because: Because,
    next: usize,
}

/// A path with the fewest edges from `from` to `to` through po and the edges into each event that `edges_into` appends, if
/// there is one.
///
/// A breadth-first search backward over regions (prefixes of threads), so that po costs nothing extra. Every event is
/// looked at once.
pub(crate) fn shortest_path(
    x: &Execution,
    from: EventId,
    to: EventId,
    mut edges_into: impl FnMut(EventId, &mut Vec<(EventId, Because)>),
) -> Option<Vec<Edge>> {
    let goal = x.slot(to)?;
    let Some(source) = x.slot(from) else {
        return Some(vec![Edge { from, to, because: Because::Po }]);
    };
    let mut covered: Vec<u32> = x.threads().map(|t| x.thread_events(t).start).collect();
    let mut regions =
        vec![Region { thread: goal.thread, last: to, to, because: Because::Po, next: usize::MAX }];
    let mut edges = Vec::new();
    let mut visited = 0;
    while let Some(region) = regions.get(visited) {
        let (thread, last) = (region.thread, region.last);
        if thread == source.thread && (from < last || (from == last && visited > 0)) {
            return Some(unwind(&regions, visited, from));
        }
        let begin = covered[thread.index()];
        covered[thread.index()] = begin.max(last.0 + 1);
        for e in (begin..=last.0).map(EventId) {
            edges_into(e, &mut edges);
            for (last, because) in edges.drain(..) {
                if let Some(thread) = x.thread_of(last)
                    && last.0 >= covered[thread.index()]
                {
                    regions.push(Region { thread, last, to: e, because, next: visited });
                }
            }
        }
        visited += 1;
    }
    None
}

/// The path from `from`, which lies in `regions[i]`, to the goal.
fn unwind(regions: &[Region], mut i: usize, from: EventId) -> Vec<Edge> {
    let mut path = Vec::new();
    let mut at = from;
    loop {
        let region = &regions[i];
        if at != region.last {
            path.push(Edge { from: at, to: region.last, because: Because::Po });
        }
        if region.next == usize::MAX {
            return path;
        }
        path.push(Edge { from: region.last, to: region.to, because: region.because.clone() });
        at = region.to;
        i = region.next;
    }
}
