//! What a conflict depends on, as a proof that can be checked without any of this.

use super::super::graph::Node;
use super::super::{Because, End, Link, Proof, Rel, Step};
use super::known::Hop;
use super::saturation::{CommitSaturation, Conflict, Ground, Known, NONE, Reason};
use crate::split::Refuted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

impl CommitSaturation<'_> {
    /// Why an edge closes a cycle. To be asked before going back.
    pub(super) fn refute(&self, conflict: Conflict) -> Refuted<Proof> {
        let Conflict { from, to, reason } = conflict;
        let mut cycle = vec![(from, to, reason)];
        cycle.extend(self.path(to, from, self.edges.len(), usize::MAX));
        self.refuted(&cycle)
    }

    /// A short cycle, given all nodes that are on cycles or behind them.
    pub(super) fn shortest(&self, cyclic: &[Node]) -> Refuted<Proof> {
        /// From how many nodes to look.
        const STARTS: usize = 64;
        let all = self.edges.len();
        let start = self.on_cycle(cyclic);
        let mut shortest = self.path(start, start, all, usize::MAX);
        for &start in cyclic.iter().step_by(cyclic.len().div_ceil(STARTS).max(1)) {
            let cycle = self.path(start, start, all, self.links(&shortest).len().saturating_sub(1));
            if !cycle.is_empty() {
                shortest = cycle;
            }
        }
        self.refuted(&shortest)
    }

    /// A node on a cycle: going back from any of them comes to one.
    fn on_cycle(&self, cyclic: &[Node]) -> Node {
        let mut previous: FxHashMap<Node, Option<Node>> = cyclic.iter().map(|&node| (node, None)).collect();
        for &from in cyclic {
            for (to, ..) in self.edges_of(from) {
                previous.entry(to).and_modify(|previous| *previous = Some(from));
            }
        }
        let mut seen = FxHashSet::default();
        let mut node = cyclic[0];
        while seen.insert(node) {
            match previous.get(&node).copied().flatten() {
                Some(before) => node = before,
                None => break,
            }
        }
        node
    }

    fn refuted(&self, cycle: &[Hop]) -> Refuted<Proof> {
        let mut steps: BTreeMap<u32, Option<Step>> = BTreeMap::new();
        let mut cases = BTreeSet::new();
        let mut pending: Vec<u32> = rests_on(cycle).collect();
        while let Some(number) = pending.pop() {
            if steps.contains_key(&number) {
                continue;
            }
            let Known { key, first, second, ground, edges } = self.steps[number as usize];
            let because = match ground {
                Ground::List(read) => Some(Because::List(read)),
                Ground::Assumed(choice) => {
                    cases.insert(choice);
                    None
                }
                Ground::Seen(read) => {
                    let reader = self.nodes.snapshot(self.history.txn_of(read));
                    let path = self.path(self.nodes.commit(first), reader, edges, usize::MAX);
                    pending.extend(rests_on(&path));
                    Some(Because::Seen { read, path: self.links(&path) })
                }
                Ground::Otherwise => {
                    let path =
                        self.path(self.nodes.target(first), self.nodes.commit(second), edges, usize::MAX);
                    pending.extend(rests_on(&path));
                    Some(Because::Otherwise(self.links(&path)))
                }
            };
            steps.insert(number, because.map(|because| Step { key, first, second, because }));
        }
        let steps = steps.into_values().flatten().collect();
        let proof = Proof { steps, end: End::Cycle(self.links(cycle)) };
        let bytes = bytes_of(&proof);
        Refuted { proof, cases: cases.into_iter().collect(), bytes }
    }

    /// A shortest path of one edge or more, of at most so many links, that uses only so many of the first edges; nothing if there is none. What is
    /// within a transaction, between moments, or leads to a junction is no link of its own.
    fn path(&self, from: Node, to: Node, edges: usize, longest: usize) -> Vec<Hop> {
        let mut came: FxHashMap<Node, (Node, Reason)> = FxHashMap::default();
        let mut queue = VecDeque::from([(from, 0)]);
        let moment = |node: Node| self.nodes.txn(node).is_none();
        'all: while let Some((node, links)) = queue.pop_front() {
            for (next, reason, number) in self.edges_of(node) {
                let free =
                    matches!(reason, Reason::Inside | Reason::Reads(_)) || moment(node) && moment(next);
                let links = if free { links } else { links + 1 };
                let known = came.contains_key(&next) || next == from && from != to;
                if number as usize >= edges || known || links > longest {
                    continue;
                }
                came.insert(next, (node, reason));
                if next == to {
                    break 'all;
                }
                if free {
                    queue.push_front((next, links));
                } else {
                    queue.push_back((next, links));
                }
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while let Some(&(before, reason)) = came.get(&at) {
            path.push((before, at, reason));
            at = before;
            if at == from {
                path.reverse();
                return path;
            }
        }
        Vec::new()
    }

    /// A path, or a cycle, between transactions.
    fn links(&self, hops: &[Hop]) -> Vec<Link> {
        // A cycle is told from a transaction on.
        let start = hops.iter().position(|(from, ..)| self.nodes.txn(*from).is_some()).unwrap_or(0);
        let mut links = Vec::new();
        let (mut left, mut read) = (None, None);
        for &(from, to, reason) in hops[start..].iter().chain(&hops[..start]) {
            left = self.nodes.txn(from).or(left);
            let rel = match reason {
                Reason::Inside => continue,
                Reason::So => Rel::So,
                Reason::Moment => Rel::Rt,
                Reason::Wr(op) => Rel::Wr(op),
                Reason::Ww(step) => Rel::Ww(self.steps[step as usize].key),
                Reason::Rw(op, _) => Rel::Rw(op),
                Reason::Reads(op) => {
                    read = Some(op);
                    continue;
                }
                Reason::Overwrites(_) => match read {
                    Some(op) => Rel::Rw(op),
                    None => continue,
                },
            };
            if let (Some(from), Some(to)) = (left, self.nodes.txn(to)) {
                links.push(Link { from, to, rel });
            }
        }
        links
    }
}

/// How many bytes the proof of a conflict takes.
fn bytes_of(proof: &Proof) -> usize {
    let path = |step: &Step| match &step.because {
        Because::List(_) => 0,
        Because::Seen { path, .. } | Because::Otherwise(path) => path.len(),
    };
    let links = proof.steps.iter().map(path).sum::<usize>();
    let cycle = if let End::Cycle(cycle) = &proof.end { cycle.len() } else { 0 };
    size_of::<Proof>() + proof.steps.len() * size_of::<Step>() + (links + cycle) * size_of::<Link>()
}

/// The steps that the edges of a path come from.
fn rests_on(hops: &[Hop]) -> impl Iterator<Item = u32> + '_ {
    hops.iter().filter_map(|(.., reason)| match *reason {
        Reason::Ww(step) | Reason::Rw(_, step) | Reason::Overwrites(step) if step != NONE => Some(step),
        _ => None,
    })
}
