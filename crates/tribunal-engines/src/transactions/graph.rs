//! A graph of transactions, and of nodes that stand between them, with a reason for every edge.

use super::OpId;
use crate::reach::digraph::{sort, unsorted};
use crate::reach::lists::Lists;
use std::collections::VecDeque;

/// A node: a transaction by its id, init behind them, or a moment behind that.
pub(super) type Node = u32;

/// The reason why one comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// so.
    Session,
    /// rt, or a part of it: a moment stands between.
    Time,
    /// wr: the read.
    Read(OpId),
    /// ww: the read that returned both elements of a list, or the first and not the second.
    List(OpId),
    /// ww: the read that would have returned the first, had it come after the second.
    Seen(OpId),
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub from: Node,
    pub to: Node,
    pub why: Why,
}

/// Edges by where they begin.
pub(super) struct Graph(Lists<(Node, Why)>);

impl Graph {
    /// Of so many nodes, in time proportional to them and the edges.
    pub(super) fn new(nodes: usize, edges: &[Edge]) -> Self {
        Graph(Lists::of_pairs(nodes, edges.iter().map(|edge| (edge.from as usize, (edge.to, edge.why)))))
    }

    pub(super) fn nodes(&self) -> usize {
        self.0.keys()
    }

    pub(super) fn edges(&self, from: Node) -> impl Iterator<Item = (Node, Why)> + '_ {
        self.0.of(from as usize).iter().copied()
    }

    /// Where the edges of each node come from.
    pub(super) fn reversed(&self) -> Lists<Node> {
        let nodes = 0..self.nodes() as Node;
        let counted = self.0.items().iter().map(|&(to, _)| to as usize);
        let reversed = nodes.flat_map(|from| self.edges(from).map(move |(to, _)| (to as usize, from)));
        Lists::new(self.nodes(), counted, reversed)
    }

    /// All nodes in an order that contains the edges, or a cycle that is a shortest one through some node.
    pub(super) fn order(&self) -> Result<Vec<Node>, Vec<Edge>> {
        let mut before = vec![0u32; self.nodes()];
        self.0.items().iter().for_each(|&(to, _)| before[to as usize] += 1);
        // What is left is on cycles, or behind one: going back from anywhere among it ends on one.
        sort(before, |node| self.edges(node).map(|(to, _)| to))
            .map_err(|before| self.cycle(&unsorted(&before), &before))
    }

    /// A cycle among nodes each of which has one of them before it.
    fn cycle(&self, left: &[Node], before: &[u32]) -> Vec<Edge> {
        let mut previous = vec![Node::MAX; self.nodes()];
        for &from in left {
            for (to, _) in self.edges(from) {
                if before[to as usize] > 0 {
                    previous[to as usize] = from;
                }
            }
        }
        let mut seen = vec![false; self.nodes()];
        let mut node = left[0];
        while !seen[node as usize] {
            seen[node as usize] = true;
            node = previous[node as usize];
        }
        self.path(node, node)
    }

    /// A shortest path of one edge or more; nothing if there is none.
    pub(super) fn path(&self, from: Node, to: Node) -> Vec<Edge> {
        let mut came: Vec<Option<Edge>> = vec![None; self.nodes()];
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (next, why) in self.edges(node) {
                if came[next as usize].is_some() {
                    continue;
                }
                came[next as usize] = Some(Edge { from: node, to: next, why });
                if next != to {
                    queue.push_back(next);
                    continue;
                }
                let mut path: Vec<Edge> = Vec::new();
                let mut at = to;
                while let Some(edge) = came[at as usize] {
                    path.push(edge);
                    at = edge.from;
                    if at == from {
                        break;
                    }
                }
                path.reverse();
                return path;
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(Node, Node)]) -> Graph {
        let edges: Vec<Edge> = edges.iter().map(|&(from, to)| Edge { from, to, why: Why::Session }).collect();
        Graph::new(nodes, &edges)
    }

    #[test]
    fn an_order_contains_the_edges() {
        assert_eq!(graph(4, &[(3, 1), (1, 0), (3, 0), (0, 2)]).order(), Ok(vec![3, 1, 0, 2]));
    }

    #[test]
    fn a_cycle_is_found_behind_and_before_others() {
        let cycle = graph(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5)]).order();
        let cycle = cycle.expect_err("1, 2, 3");
        assert_eq!(cycle.len(), 3);
        let next = cycle.iter().cycle().skip(1);
        assert!(cycle.iter().zip(next).all(|(edge, next)| edge.to == next.from));
        assert_eq!(graph(1, &[(0, 0)]).order().expect_err("a loop").len(), 1);
    }
}
