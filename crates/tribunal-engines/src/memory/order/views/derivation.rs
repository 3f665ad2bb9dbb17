//! The reason why saturation ran into a cycle: the derived edges that the cycle depends on, each with the path it was derived from.

use super::saturation::{Conflict, Reason, ViewSaturation};
use crate::reach::graph::Node;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// A base edge.
    Base(Node, Node),
    /// The derived edge of this index: in `Derivation::lemmas` once the derivation is complete.
    Derived(usize),
}

/// An edge and what it was derived from: for [`Reason::Read`] a path from its begin to the read, for
/// [`Reason::Fr`] one from the source to its end (none if the source is an initial write), for [`Reason::Reached`]
/// one from its begin to its end, for [`Reason::Same`] the other edge, for [`Reason::Assumed`] nothing.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub from: Node,
    pub to: Node,
    pub reason: Reason,
    pub path: Vec<Hop>,
}

pub(crate) struct Derivation {
    /// Each depends on earlier ones only.
    pub lemmas: Vec<Lemma>,
    /// The edge that closes the cycle.
    pub closing: Lemma,
    /// The path from the end of the closing edge to its begin.
    pub path: Vec<Hop>,
    /// The cases it depends on, by their depth.
    pub cases: Vec<u32>,
}

impl ViewSaturation<'_> {
    /// The reason why a conflict is one.
    pub(crate) fn derivation(&self, conflict: &Conflict) -> Derivation {
        let Conflict { from, to, reason } = *conflict;
        let all = self.graph.derived().len();
        let mut path = self.path(to, from, all);
        let mut closing = Lemma { from, to, reason, path: self.grounds(from, to, reason, all) };
        let mut lemmas: BTreeMap<usize, Lemma> = BTreeMap::new();
        let mut cases = Vec::new();
        note_case(reason, &mut cases);
        let mut open: BinaryHeap<usize> = derived_in(&path).chain(derived_in(&closing.path)).collect();
        // Latest first, since an edge depends on earlier ones only.
        while let Some(index) = open.pop() {
            if lemmas.contains_key(&index) {
                continue;
            }
            let edge = &self.graph.derived()[index];
            note_case(edge.reason, &mut cases);
            let grounds = self.grounds(edge.from, edge.to, edge.reason, index);
            open.extend(derived_in(&grounds));
            let lemma = Lemma { from: edge.from, to: edge.to, reason: edge.reason, path: grounds };
            lemmas.insert(index, lemma);
        }
        let renamed: FxHashMap<usize, usize> =
            lemmas.keys().enumerate().map(|(new, &old)| (old, new)).collect();
        let mut lemmas: Vec<Lemma> = lemmas.into_values().collect();
        let rename = |hop: &mut Hop| {
            if let Hop::Derived(index) = hop {
                *index = renamed[index];
            }
        };
        path.iter_mut().chain(&mut closing.path).for_each(rename);
        lemmas.iter_mut().flat_map(|lemma| &mut lemma.path).for_each(rename);
        cases.sort_unstable();
        cases.dedup();
        Derivation { lemmas, closing, path, cases }
    }

    fn grounds(&self, from: Node, to: Node, reason: Reason, before: usize) -> Vec<Hop> {
        match reason {
            Reason::Read { read } => self.path(from, read.into(), before),
            Reason::Reached => self.path(from, to, before),
            Reason::Fr { source } if source.index() < self.events() => self.path(source.into(), to, before),
            Reason::Same { edge } => vec![Hop::Derived(edge as usize)],
            Reason::Fr { .. } | Reason::Assumed { .. } => Vec::new(),
        }
    }

    /// A path through base edges and the first `before` derived edges. Derived edges are dear, since each needs a proof.
    pub(crate) fn path(&self, from: Node, to: Node, before: usize) -> Vec<Hop> {
        const BASE: u32 = 1;
        const DERIVED: u32 = 8;
        let lowest = self.graph.place(from);
        let mut reached: FxHashMap<Node, (u32, Hop)> = FxHashMap::default();
        let mut heap = BinaryHeap::from([Reverse((0, to))]);
        while let Some(Reverse((distance, node))) = heap.pop() {
            if node == from && (from != to || distance > 0) {
                break;
            }
            if reached.get(&node).is_some_and(|&(best, _)| best < distance) {
                continue;
            }
            let base = self.graph.base_preds(node).iter().map(|&pred| (pred, BASE, Hop::Base(pred, node)));
            let derived = self.graph.derived_into(node).filter(|&(index, _)| index < before);
            let derived = derived.map(|(index, edge)| (edge.from, DERIVED, Hop::Derived(index)));
            for (pred, weight, hop) in base.chain(derived) {
                let longer = distance + weight;
                if self.graph.place(pred) >= lowest
                    && reached.get(&pred).is_none_or(|&(best, _)| longer < best)
                {
                    reached.insert(pred, (longer, hop));
                    heap.push(Reverse((longer, pred)));
                }
            }
        }
        let mut hops = Vec::new();
        let mut at = from;
        while at != to {
            let (_, hop) = reached[&at];
            hops.push(hop);
            at = match hop {
                Hop::Base(_, next) => next,
                Hop::Derived(index) => self.graph.derived()[index].to,
            };
        }
        hops
    }
}

fn derived_in(path: &[Hop]) -> impl Iterator<Item = usize> + '_ {
    path.iter().filter_map(|hop| match hop {
        Hop::Derived(index) => Some(*index),
        Hop::Base(..) => None,
    })
}

fn note_case(reason: Reason, cases: &mut Vec<u32>) {
    if let Reason::Assumed { depth } = reason {
        cases.push(depth);
    }
}
