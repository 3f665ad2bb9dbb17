//! Directed graphs, and whether they have a cycle.

/// A directed graph; its nodes are numbers from 0.
#[derive(Clone, Default)]
pub(super) struct Digraph {
    nodes: u32,
    edges: Vec<(u32, u32)>,
}

/// The successors of every node of a graph.
pub(super) struct Successors {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Successors {
    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

impl Digraph {
    pub(super) fn new(nodes: usize) -> Self {
        Digraph { nodes: nodes as u32, edges: Vec::new() }
    }

    pub(super) fn add_node(&mut self) -> u32 {
        self.nodes += 1;
        self.nodes - 1
    }

    pub(super) fn add_edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to));
    }

    pub(super) fn add_edges(&mut self, edges: &[(u32, u32)]) {
        self.edges.extend_from_slice(edges);
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Adds the edges of another graph of the same nodes.
    pub(super) fn add_all(&mut self, other: &Digraph) {
        self.add_edges(&other.edges);
    }

    pub(super) fn successors(&self) -> Successors {
        let mut starts = vec![0; self.nodes as usize + 1];
        for &(from, _) in &self.edges {
            starts[from as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; self.edges.len()];
        for &(from, to) in &self.edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Successors { starts, targets }
    }

    /// The nodes in topological order; the error is the first node of some cycle.
    pub(super) fn order(&self, successors: &Successors) -> Result<Vec<u32>, u32> {
        let mut waiting_for = vec![0u32; self.nodes as usize];
        for &(_, to) in &self.edges {
            waiting_for[to as usize] += 1;
        }
        let mut order: Vec<u32> = (0..self.nodes).filter(|&node| waiting_for[node as usize] == 0).collect();
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            for &next in successors.of(node) {
                waiting_for[next as usize] -= 1;
                if waiting_for[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        if order.len() == self.nodes as usize { Ok(order) } else { Err(self.on_cycle(&waiting_for)) }
    }

    /// The first node of a cycle among the nodes that still wait, each of which waits for another of them.
    fn on_cycle(&self, waiting_for: &[u32]) -> u32 {
        const NONE: u32 = u32::MAX;
        let waits = |node: u32| waiting_for[node as usize] > 0;
        let mut before = vec![NONE; self.nodes as usize];
        for &(from, to) in &self.edges {
            if waits(from) && waits(to) {
                before[to as usize] = from;
            }
        }
        let mut at = (0..self.nodes).find(|&node| waits(node)).expect("some node waits");
        // Going back, after as many steps as there are nodes, the walk is on the cycle.
        for _ in 0..self.nodes {
            at = before[at as usize];
        }
        let (end, mut first) = (at, at);
        loop {
            at = before[at as usize];
            if at == end {
                return first;
            }
            first = first.min(at);
        }
    }

    /// Whether there is no cycle; the error is the first node of one.
    pub(super) fn acyclic(&self) -> Result<(), u32> {
        self.order(&self.successors()).map(drop)
    }
}
