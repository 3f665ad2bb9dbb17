//! A graph of transactions, and of nodes that stand between them, with a reason for every edge.

use super::OpId;
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
pub(super) struct Graph {
    starts: Vec<u32>,
    to: Vec<Node>,
    why: Vec<Why>,
}

/// Edges by where they end.
pub(super) struct Reversed {
    starts: Vec<u32>,
    from: Vec<Node>,
}

impl Reversed {
    /// Where the edges of a node come from.
    pub(super) fn of(&self, node: Node) -> &[Node] {
        &self.from[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

impl Graph {
    /// Of so many nodes, in time proportional to them and the edges.
    pub(super) fn new(nodes: usize, edges: &[Edge]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        edges.iter().for_each(|edge| starts[edge.from as usize + 1] += 1);
        (1..=nodes).for_each(|node| starts[node] += starts[node - 1]);
        let mut next = starts.clone();
        let (mut to, mut why) = (vec![0; edges.len()], vec![Why::Session; edges.len()]);
        for edge in edges {
            let place = &mut next[edge.from as usize];
            (to[*place as usize], why[*place as usize]) = (edge.to, edge.why);
            *place += 1;
        }
        Graph { starts, to, why }
    }

    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn edges(&self, from: Node) -> impl Iterator<Item = (Node, Why)> + '_ {
        let range = self.starts[from as usize] as usize..self.starts[from as usize + 1] as usize;
        self.to[range.clone()].iter().copied().zip(self.why[range].iter().copied())
    }

    /// Where the edges of each node come from.
    pub(super) fn reversed(&self) -> Reversed {
        let nodes = self.nodes();
        let mut starts = vec![0u32; nodes + 1];
        self.to.iter().for_each(|&to| starts[to as usize + 1] += 1);
        (1..=nodes).for_each(|node| starts[node] += starts[node - 1]);
        let mut next = starts.clone();
        let mut from = vec![0; self.to.len()];
        for node in 0..nodes as Node {
            for (to, _) in self.edges(node) {
                let place = &mut next[to as usize];
                from[*place as usize] = node;
                *place += 1;
            }
        }
        Reversed { starts, from }
    }

    /// All nodes in an order that contains the edges, or a cycle that is a shortest one through some node.
    pub(super) fn order(&self) -> Result<Vec<Node>, Vec<Edge>> {
        let mut before = vec![0u32; self.nodes()];
        self.to.iter().for_each(|&to| before[to as usize] += 1);
        let nodes = 0..self.nodes() as Node;
        let mut order: Vec<Node> = nodes.clone().filter(|&node| before[node as usize] == 0).collect();
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            for (to, _) in self.edges(node) {
                before[to as usize] -= 1;
                if before[to as usize] == 0 {
                    order.push(to);
                }
            }
        }
        if order.len() == self.nodes() {
            return Ok(order);
        }
        // What is left is on cycles, or behind one: going back from anywhere among it ends on one.
        let left: Vec<Node> = nodes.filter(|&node| before[node as usize] > 0).collect();
        Err(self.cycle(&left, &before))
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
