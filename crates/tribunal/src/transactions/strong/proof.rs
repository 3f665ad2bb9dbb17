//! What a conflict rests on, as a proof that can be checked without any of this.

use super::super::graph::Node;
use super::super::{Because, End, Link, Proof, Rel, Step};
use super::saturation::{Conflict, Ground, Known, NONE, Reason, Saturation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A proof under the choices that it uses.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub proof: Proof,
    /// The numbers of the choices.
    pub uses: BTreeSet<u32>,
}

/// An edge of a path: where it begins, where it leads, and why.
type Hop = (Node, Node, Reason);

impl Saturation<'_> {
    /// Why an edge closes a cycle. To be asked before going back.
    pub(super) fn refute(&self, conflict: Conflict) -> Part {
        let Conflict { from, to, reason } = conflict;
        let mut cycle = vec![(from, to, reason)];
        cycle.extend(self.path(to, from, self.edges.len()));
        let mut steps: BTreeMap<u32, Option<Step>> = BTreeMap::new();
        let mut uses = BTreeSet::new();
        let mut pending: Vec<u32> = rests_on(&cycle).collect();
        while let Some(number) = pending.pop() {
            if steps.contains_key(&number) {
                continue;
            }
            let Known { key, first, second, ground, edges } = self.steps[number as usize];
            let because = match ground {
                Ground::List(read) => Some(Because::List(read)),
                Ground::Assumed(choice) => {
                    uses.insert(choice);
                    None
                }
                Ground::Seen(read) => {
                    let reader = self.snapshot(self.history.txn_of(read));
                    let path = self.path(self.commit(first), reader, edges);
                    pending.extend(rests_on(&path));
                    Some(Because::Seen { read, path: self.links(&path) })
                }
                Ground::Otherwise => {
                    let path = self.path(self.target(first), self.commit(second), edges);
                    pending.extend(rests_on(&path));
                    Some(Because::Otherwise(self.links(&path)))
                }
            };
            steps.insert(number, because.map(|because| Step { key, first, second, because }));
        }
        let steps = steps.into_values().flatten().collect();
        Part { proof: Proof { steps, end: End::Cycle(self.links(&cycle)) }, uses }
    }

    /// A shortest path that uses only so many of the first edges.
    fn path(&self, from: Node, to: Node, edges: usize) -> Vec<Hop> {
        let mut came: BTreeMap<Node, (Node, Reason)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (next, reason, number) in self.edges_of(node) {
                if number as usize >= edges || next == from || came.contains_key(&next) {
                    continue;
                }
                came.insert(next, (node, reason));
                queue.push_back(next);
            }
            if came.contains_key(&to) {
                break;
            }
        }
        let mut path = Vec::new();
        let mut at = to;
        while let Some(&(before, reason)) = came.get(&at) {
            path.push((before, at, reason));
            at = before;
        }
        path.reverse();
        path
    }

    /// A path, or a cycle, between transactions.
    fn links(&self, hops: &[Hop]) -> Vec<Link> {
        // A cycle is told from a transaction on.
        let start = hops.iter().position(|(from, ..)| self.txn(*from).is_some()).unwrap_or(0);
        let mut links = Vec::new();
        let mut left = None;
        for &(from, to, reason) in hops[start..].iter().chain(&hops[..start]) {
            left = self.txn(from).or(left);
            let rel = match reason {
                Reason::Inside => continue,
                Reason::So => Rel::So,
                Reason::Moment => Rel::Rt,
                Reason::Wr(op) => Rel::Wr(op),
                Reason::Ww(step) => Rel::Ww(self.steps[step as usize].key),
                Reason::Rw(op, _) => Rel::Rw(op),
            };
            if let (Some(from), Some(to)) = (left, self.txn(to)) {
                links.push(Link { from, to, rel });
            }
        }
        links
    }
}

/// The steps that the edges of a path come from.
fn rests_on(hops: &[Hop]) -> impl Iterator<Item = u32> + '_ {
    hops.iter().filter_map(|(.., reason)| match *reason {
        Reason::Ww(step) | Reason::Rw(_, step) if step != NONE => Some(step),
        _ => None,
    })
}
