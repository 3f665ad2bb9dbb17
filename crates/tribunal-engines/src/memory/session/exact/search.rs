//! Another mo, if the one at hand will not do: a search over the orders of rf-chains that coherence leaves open.
//!
//! A partial mo is refuted by a cycle of psc, since what follows from it follows from all that extend it. A pair of chains of which one
//! order is refuted has the other; if neither is, one is tried and then the other.
//!
//! It is no [theory](crate::split::Theory): a session asks for an mo, not for a proof, so a cycle is found without what it depends on, and what looking ahead
//! leaves is mostly nothing.

use super::super::log::NONE;
use super::graph::Graph;
use super::psc::Cycles;
use tribunal_cat::relation::BitRows;
use tribunal_cat::relation::bits::{contains, insert, members, union};

/// No order of a pair of chains will do: one is before the other already, or within one chain it is the other way around.
struct Contradiction;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The graph has another mo.
    Another,
    /// There is none; the graph has the one it had.
    None,
    /// It took too long; the graph has the mo it had.
    GaveUp,
}

/// Room for searching.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The mo at hand when the search began.
    old: BitRows,
    /// By write: the first of its chain.
    heads: Vec<u32>,
    /// By head: the chain. All heads, location by location, and where each location's begin.
    chains: BitRows,
    all: Vec<u32>,
    starts: Vec<usize>,
    cycles: Cycles,
    checks: u32,
    row: Vec<u64>,
}

/// Cycles that are looked for before giving up.
const MOST_CHECKS: u32 = 20_000;

impl Search {
    pub(super) fn new() -> Self {
        Search {
            old: BitRows::new(1),
            heads: Vec::new(),
            chains: BitRows::new(1),
            all: Vec::new(),
            starts: Vec::new(),
            cycles: Cycles::default(),
            checks: 0,
            row: Vec::new(),
        }
    }

    /// Whether psc has a cycle that leads to `ends`.
    pub(super) fn is_cyclic(&mut self, graph: &Graph, ends: impl Iterator<Item = usize>) -> bool {
        self.cycles.any(graph, ends)
    }

    /// Puts back the mo before the last search.
    pub(super) fn restore(&mut self, graph: &mut Graph) {
        graph.before.copy_from(&self.old);
    }

    /// Looks for an mo.
    pub(super) fn run(&mut self, graph: &mut Graph) -> Found {
        self.old.copy_from(&graph.before);
        self.checks = 0;
        self.find_chains(graph);
        let found = match self.force(graph) {
            Err(Contradiction) => Found::None,
            // Mostly coherence leaves nothing open.
            Ok(()) if self.is_refuted(graph) => Found::None,
            Ok(()) if self.open_pair(graph, 0).is_none() || self.first_guess(graph) => Found::Another,
            Ok(()) => self.solve(graph),
        };
        if found != Found::Another {
            self.restore(graph);
        }
        found
    }

    fn find_chains(&mut self, graph: &Graph) {
        let n = graph.nodes.len();
        self.heads.clear();
        self.heads.resize(n, NONE);
        self.chains.reset(graph.words(), n);
        self.all.clear();
        self.starts.clear();
        for writes in &graph.writes {
            self.starts.push(self.all.len());
            for &write in writes {
                let node = &graph.nodes[write as usize];
                let head = match node.is_rmw() && node.source != NONE {
                    true => self.heads[node.source as usize],
                    false => write,
                };
                self.heads[write as usize] = head;
                insert(self.chains.row_mut(head as usize), write as usize);
                if head == write {
                    self.all.push(write);
                }
            }
        }
        self.starts.push(self.all.len());
    }

    /// Leaves of mo what coherence asks for.
    fn force(&mut self, graph: &mut Graph) -> Result<(), Contradiction> {
        for i in 0..graph.nodes.len() {
            graph.before.row_mut(i).fill(0);
            // In its chain, those that came earlier are before it.
            let (head, node) = (self.heads[i], &graph.nodes[i]);
            if head != NONE && node.source != NONE && node.is_rmw() {
                let source = node.source;
                graph.before.extend_row(i, source as usize);
                insert(graph.before.row_mut(i), source as usize);
            }
        }
        for (starts, writes) in self.starts.windows(2).zip(0..) {
            // What reads from the initial write directly follows it.
            let heads = &self.all[starts[0]..starts[1]];
            let Some(&first) = heads.iter().find(|&&head| graph.nodes[head as usize].is_rmw()) else {
                continue;
            };
            for &write in &graph.writes[writes as usize] {
                if self.heads[write as usize] != first {
                    union(graph.before.row_mut(write as usize), self.chains.row(first as usize));
                }
            }
        }
        for b in 0..graph.nodes.len() as u32 {
            let node = graph.nodes[b as usize];
            let Some(loc) = node.loc else { continue };
            let looked_at = if node.reads { node.source } else { b };
            self.row.clear();
            self.row.extend_from_slice(graph.hb.row(b as usize));
            let hb = std::mem::take(&mut self.row);
            let mut forced = Ok(());
            for a in members(&hb) {
                let earlier = &graph.nodes[a];
                if earlier.loc != Some(loc) {
                    continue;
                }
                let left = if earlier.writes { a as u32 } else { earlier.source };
                if left != NONE && left != looked_at && forced.is_ok() {
                    forced = match looked_at {
                        NONE => Err(Contradiction),
                        _ => self.add(graph, left, looked_at),
                    };
                }
            }
            self.row = hb;
            forced?;
        }
        Ok(())
    }

    /// Puts the chain of a write before that of another.
    fn add(&self, graph: &mut Graph, a: u32, b: u32) -> Result<(), Contradiction> {
        let (first, second) = (self.heads[a as usize], self.heads[b as usize]);
        if first == second {
            return if contains(graph.before.row(b as usize), a as usize) {
                Ok(())
            } else {
                Err(Contradiction)
            };
        }
        if contains(graph.before.row(second as usize), first as usize) {
            return Ok(());
        }
        if contains(graph.before.row(first as usize), second as usize) {
            return Err(Contradiction);
        }
        let Some(loc) = graph.nodes[a as usize].loc else { return Ok(()) };
        for at in 0..graph.writes[loc.index()].len() {
            let write = graph.writes[loc.index()][at];
            if self.heads[write as usize] == second
                || contains(graph.before.row(write as usize), second as usize)
            {
                union(graph.before.row_mut(write as usize), self.chains.row(first as usize));
                graph.before.extend_row(write as usize, first as usize);
            }
        }
        Ok(())
    }

    /// A pair of chains that has no order, in the order it had.
    fn open_pair(&self, graph: &Graph, mut skip: usize) -> Option<(u32, u32)> {
        for starts in self.starts.windows(2) {
            let heads = &self.all[starts[0]..starts[1]];
            for (i, &a) in heads.iter().enumerate() {
                for &b in &heads[i + 1..] {
                    let (of_a, of_b) = (graph.before.row(a as usize), graph.before.row(b as usize));
                    if !contains(of_a, b as usize) && !contains(of_b, a as usize) {
                        if skip == 0 {
                            let swapped = contains(self.old.row(a as usize), b as usize);
                            return Some(if swapped { (b, a) } else { (a, b) });
                        }
                        skip -= 1;
                    }
                }
            }
        }
        None
    }

    fn is_refuted(&mut self, graph: &Graph) -> bool {
        self.checks += 1;
        let ends = graph.sc();
        self.cycles.any(graph, members(ends))
    }

    /// Keeps as much of the old mo as coherence allows.
    fn first_guess(&mut self, graph: &mut Graph) -> bool {
        let forced = graph.before.clone();
        while let Some((a, b)) = self.open_pair(graph, 0) {
            if self.add(graph, a, b).is_err() {
                break;
            }
        }
        let holds = !self.is_refuted(graph);
        if !holds {
            graph.before = forced;
        }
        holds
    }

    /// Searches from a partial mo.
    fn solve(&mut self, graph: &mut Graph) -> Found {
        if self.is_refuted(graph) {
            return Found::None;
        }
        let mut skip = 0;
        let mut open = None;
        while let Some((a, b)) = self.open_pair(graph, skip) {
            if self.checks > MOST_CHECKS {
                return Found::GaveUp;
            }
            let partial = graph.before.clone();
            let mut refuted = [false; 2];
            for (refuted, (a, b)) in refuted.iter_mut().zip([(a, b), (b, a)]) {
                *refuted = self.add(graph, a, b).is_err() || self.is_refuted(graph);
                graph.before.copy_from(&partial);
            }
            let forced = match refuted {
                [true, true] => return Found::None,
                [true, false] => Some((b, a)),
                [false, true] => Some((a, b)),
                [false, false] => None,
            };
            match forced {
                Some((a, b)) => {
                    // Another pair may be decided now.
                    if self.add(graph, a, b).is_err() {
                        return Found::None;
                    }
                    (skip, open) = (0, None);
                }
                None => {
                    open = open.or(Some((a, b)));
                    skip += 1;
                }
            }
        }
        let Some((a, b)) = open else { return Found::Another };
        let partial = graph.before.clone();
        for (a, b) in [(a, b), (b, a)] {
            if self.add(graph, a, b).is_ok() {
                match self.solve(graph) {
                    Found::None => {}
                    found => return found,
                }
            }
            graph.before.copy_from(&partial);
        }
        Found::None
    }

    /// Takes an mo that was found elsewhere: the writes of each location in order.
    pub(super) fn take(&mut self, graph: &mut Graph, orders: &[Vec<u32>]) {
        self.old.copy_from(&graph.before);
        for order in orders {
            for (i, &write) in order.iter().enumerate() {
                graph.before.row_mut(write as usize).fill(0);
                for &earlier in &order[..i] {
                    insert(graph.before.row_mut(write as usize), earlier as usize);
                }
            }
        }
        debug_assert!(!self.is_refuted(graph));
    }
}
