//! Sorting graphs that are given by the edges into each node, and finding a cycle in one that cannot be sorted: the edges of a base are not
//! stored, and only those into a node are cheap to find, so that [`digraph`](crate::reach::digraph) would need all of them once more.

use crate::reach::lists::Lists;
use std::collections::VecDeque;
use tribunal_history::limits::Limits;
use tribunal_history::memory::EventId;
use tribunal_history::verdict::Limit;

/// Edges between events, by where they end: where they begin.
pub(in crate::memory::models) type Arrows = Lists<EventId>;

/// The edges (from, to) of all pieces; `to` is below `events`.
pub(super) fn arrows_to(events: usize, pieces: Vec<Vec<(EventId, EventId)>>) -> Arrows {
    Lists::of_pairs(events, pieces.iter().flatten().map(|&(from, to)| (to.index(), from)))
}

/// A graph given by the edges into each node.
pub(super) trait Graph {
    fn nodes(&self) -> usize;

    /// Visits the nodes from which edges lead to `node`; any of them more than once if there are several edges.
    fn before(&self, node: u32, visit: impl FnMut(u32));
}

/// The number of nodes that are visited between two looks at the limits.
const TURN: usize = 1 << 16;

/// The nodes in an order in which every edge goes forward, or a cycle. O(nodes + edges) time, 8 bytes per node.
///
/// Nodes that nothing comes after any more are taken away, last ones first: so only the edges into a node are needed.
pub(super) fn sort(graph: &impl Graph, limits: &Limits<'_>) -> Result<Result<Vec<u32>, Vec<u32>>, Limit> {
    let mut after = vec![0u32; graph.nodes()];
    for node in 0..graph.nodes() as u32 {
        if (node as usize).is_multiple_of(TURN) {
            limits.check(0)?;
        }
        graph.before(node, |other| after[other as usize] += 1);
    }
    let mut free: Vec<u32> = (0..graph.nodes() as u32).filter(|&node| after[node as usize] == 0).collect();
    let mut order = Vec::with_capacity(graph.nodes());
    while let Some(node) = free.pop() {
        if order.len().is_multiple_of(TURN) {
            limits.check(0)?;
        }
        order.push(node);
        graph.before(node, |other| {
            after[other as usize] -= 1;
            if after[other as usize] == 0 {
                free.push(other);
            }
        });
    }
    if order.len() < graph.nodes() {
        return Ok(Err(cycle(graph, &after)));
    }
    order.reverse();
    Ok(Ok(order))
}

/// A cycle among the nodes that have `after` something: each node and, directly after it, one that it has an edge to;
/// and the last has one to the first.
fn cycle(graph: &impl Graph, after: &[u32]) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnTrail,
        Done,
    }
    let mut marks = vec![Mark::New; after.len()];
    for start in (0..after.len() as u32).filter(|&node| after[node as usize] > 0) {
        // A depth-first search against the edges: the trail, and what is still to be visited before each of its
        // nodes.
        let mut trail: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut next = (marks[start as usize] == Mark::New).then_some(start);
        loop {
            if let Some(node) = next.take() {
                marks[node as usize] = Mark::OnTrail;
                let mut before = Vec::new();
                graph.before(node, |other| before.push(other));
                trail.push((node, before));
            }
            let Some((node, before)) = trail.last_mut() else { break };
            match before.pop() {
                Some(other) if marks[other as usize] == Mark::New => next = Some(other),
                Some(other) if marks[other as usize] == Mark::OnTrail => {
                    let first =
                        trail.iter().position(|&(node, _)| node == other).expect("it is on the trail");
                    return trail[first..].iter().rev().map(|&(node, _)| node).collect();
                }
                Some(_) => {}
                None => {
                    marks[*node as usize] = Mark::Done;
                    trail.pop();
                }
            }
        }
    }
    unreachable!("nodes that cannot be sorted are on cycles, or before them")
}

/// The nodes of a lightest path from `from` to `to`, both included; edges weigh 0 or 1. O(nodes + edges).
pub(super) fn shortest(
    graph: &impl Graph,
    from: u32,
    to: u32,
    weight: impl Fn(u32, u32) -> u32,
) -> Option<Vec<u32>> {
    // Backward: how far each node is from the goal, and the next node on the way.
    let mut distance = vec![u32::MAX; graph.nodes()];
    let mut onward = vec![to; graph.nodes()];
    let mut queue = VecDeque::from([(0, to)]);
    distance[to as usize] = 0;
    while let Some((so_far, node)) = queue.pop_front() {
        if so_far > distance[node as usize] {
            continue;
        }
        if node == from {
            let mut path = vec![from];
            let mut at = from;
            while at != to {
                at = onward[at as usize];
                path.push(at);
            }
            return Some(path);
        }
        graph.before(node, |before| {
            let far = so_far + weight(before, node);
            if far < distance[before as usize] {
                distance[before as usize] = far;
                onward[before as usize] = node;
                match far == so_far {
                    true => queue.push_front((far, before)),
                    false => queue.push_back((far, before)),
                }
            }
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes before each node.
    struct Lists(&'static [&'static [u32]]);

    impl Graph for Lists {
        fn nodes(&self) -> usize {
            self.0.len()
        }

        fn before(&self, node: u32, visit: impl FnMut(u32)) {
            self.0[node as usize].iter().copied().for_each(visit);
        }
    }

    #[test]
    fn sorts_or_finds_a_cycle() {
        let sorted = |lists| sort(&Lists(lists), &Limits::default()).expect("no limit");
        assert_eq!(sorted(&[&[2], &[0, 0], &[]]), Ok(vec![2, 0, 1]));
        assert_eq!(sorted(&[]), Ok(vec![]));
        assert_eq!(sorted(&[&[0]]), Err(vec![0]));
        // 3 is before the cycle and 4 after it.
        let cycle = sorted(&[&[2, 3], &[0], &[1], &[], &[2]]).expect_err("a cycle");
        assert!([[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(&[cycle[0], cycle[1], cycle[2]]));
        assert_eq!(cycle.len(), 3);
    }

    #[test]
    fn finds_the_lightest_path() {
        let graph = Lists(&[&[], &[0], &[1], &[0, 2]]);
        assert_eq!(shortest(&graph, 0, 3, |_, _| 1), Some(vec![0, 3]));
        let dear = |from, to| u32::from((from, to) == (0, 3));
        assert_eq!(shortest(&graph, 0, 3, dear), Some(vec![0, 1, 2, 3]));
        assert_eq!(shortest(&graph, 3, 0, |_, _| 1), None);
    }
}
