//! Histories that are consistent if and only if a graph has no triangle (Tunç et al. 2023, section 4.6).
//!
//! That is why no checker of wra, ra or sra is linear: it would find triangles faster than is believed possible.
//!
//! Each node a has a location y and a write w(a) of it, and two junctions; each edge (a, b), a < b, has a write w(a, b) of
//! a's location, a read r(a, b) of w(b), and an event of its own, e(a, b). Every one of them is in a thread of its own;
//! happens-before between two of them is made by a write after the one and a read before the other:
//!
//! - w(a) → w(a, b) → the first junction of b → e(a, b) → the second junction of a → r(a, b)
//!
//! A triangle a < b < c lets w(b, c), which overwrites w(b), happen before r(a, b), which reads from it; without a
//! triangle nothing is overwritten, and mo has each w(a) first.

use std::collections::BTreeSet;
use tribunal_history::memory::{Execution, ExecutionBuilder, LocId, Op};
use tribunal_random::Xoshiro;

/// An undirected graph without loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The number of nodes that it has: 0, 1, ...
    pub nodes: u32,
    /// Its edges, each once, the smaller node first.
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    /// A random graph with as many different edges as asked for, or all there can be. Without `triangles` an edge goes from
    /// the lower to the upper half of the nodes, so that there are none.
    pub fn random(nodes: u32, edges: u32, triangles: bool, seed: u64) -> Graph {
        let mut rng = Xoshiro::new(seed);
        let half = nodes / 2;
        let most = if triangles {
            u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2
        } else {
            u64::from(half) * u64::from(nodes - half)
        };
        let edges = u64::from(edges).min(most) as usize;
        let mut chosen = BTreeSet::new();
        let mut list = Vec::with_capacity(edges);
        while list.len() < edges {
            let (a, b) = if triangles {
                (rng.index(nodes as usize) as u32, rng.index(nodes as usize) as u32)
            } else {
                (rng.index(half as usize) as u32, half + rng.index((nodes - half) as usize) as u32)
            };
            let edge = (a.min(b), a.max(b));
            if a != b && chosen.insert(edge) {
                list.push(edge);
            }
        }
        Graph { nodes, edges: list }
    }

    /// Whether three nodes are all neighbors of each other.
    pub fn has_triangle(&self) -> bool {
        let edges: BTreeSet<(u32, u32)> = self.edges.iter().copied().collect();
        let mut later = vec![Vec::new(); self.nodes as usize];
        for &(a, b) in &self.edges {
            later[a as usize].push(b);
        }
        later.iter().any(|neighbors| {
            neighbors.iter().any(|&b| neighbors.iter().any(|&c| b < c && edges.contains(&(b, c))))
        })
    }
}

/// The history of a graph: consistent with wra, ra and sra if and only if the graph has no triangle.
///
/// ```
/// use tribunal::{Model, check};
/// use tribunal_machines::hard::triangles::{Graph, history};
/// let path = Graph { nodes: 3, edges: vec![(0, 1), (1, 2)] };
/// assert!(check(&history(&path), Model::Sra).is_consistent());
/// let triangle = Graph { nodes: 3, edges: vec![(0, 1), (1, 2), (0, 2)] };
/// assert!(check(&history(&triangle), Model::Wra).is_inconsistent());
/// ```
pub fn history(graph: &Graph) -> Execution {
    let mut events = Events::default();
    let nodes: Vec<[usize; 3]> = (0..graph.nodes)
        .map(|a| {
            let location = events.builder.location(&format!("y{a}"));
            let own = events.add(format!("w{a}"), Some(Op::write(location, 1)));
            [own, events.add(format!("j{a}"), None), events.add(format!("k{a}"), None)]
        })
        .collect();
    let mut written = vec![1; graph.nodes as usize];
    for &(a, b) in &graph.edges {
        let [of_a, of_b] = [a, b].map(|node| events.builder.location(&format!("y{node}")));
        written[a as usize] += 1;
        let write = events.add(format!("w{a}-{b}"), Some(Op::write(of_a, written[a as usize])));
        let read = events.add(format!("r{a}-{b}"), Some(Op::read(of_b, 1)));
        let edge = events.add(format!("e{a}-{b}"), None);
        let ([own, _, second], [_, first, _]) = (nodes[a as usize], nodes[b as usize]);
        let path = [own, write, first, edge, second, read];
        path.windows(2).for_each(|pair| events.order(pair[0], pair[1]));
    }
    events.build()
}

/// Events in threads of their own, and what happens before what.
#[derive(Default)]
struct Events {
    builder: ExecutionBuilder,
    events: Vec<Event>,
}

struct Event {
    name: String,
    /// None: nothing but a place in happens-before.
    op: Option<Op>,
    /// Locations read before it and written after it.
    before: Vec<LocId>,
    after: Vec<LocId>,
}

impl Events {
    fn add(&mut self, name: String, op: Option<Op>) -> usize {
        self.events.push(Event { name, op, before: Vec::new(), after: Vec::new() });
        self.events.len() - 1
    }

    fn order(&mut self, from: usize, to: usize) {
        let location = format!("{}>{}", self.events[from].name, self.events[to].name);
        let location = self.builder.location(&location);
        self.events[from].after.push(location);
        self.events[to].before.push(location);
    }

    fn build(mut self) -> Execution {
        for Event { name, op, before, after } in self.events {
            let thread = self.builder.thread(&name);
            let ops = before.into_iter().map(|loc| Op::read(loc, 1)).chain(op);
            for op in ops.chain(after.into_iter().map(|loc| Op::write(loc, 1))) {
                self.builder.push(thread, op);
            }
        }
        self.builder.build().expect("every location read is written once, or is a node's")
    }
}
