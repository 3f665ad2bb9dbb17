//! Nogoods that leave no orders, as a tree of cases: by unit propagation and splits. A split that its refutations do not depend on is left out.

use super::explain::Nogood;
use crate::limits::{Limits, Stopped};
use crate::refutation::{Case, Edge, Refutation};
use rustc_hash::FxHashMap;

pub(super) struct Tree<'a> {
    nogoods: &'a [Nogood],
    limits: &'a mut dyn Limits,
    states: &'a mut u64,
    /// How the edges of the cases under way are ordered, each under its smaller event.
    assumed: FxHashMap<Edge, Edge>,
    refutation: Refutation,
    /// The clause of each nogood that was used.
    clauses: FxHashMap<usize, u32>,
}

/// A split under way: the case of the first way and what it depends on, once it is known.
struct Split {
    edge: Edge,
    forward: Option<(u32, Vec<Edge>)>,
}

fn key(edge: Edge) -> Edge {
    if edge.first < edge.second { edge } else { edge.reversed() }
}

impl<'a> Tree<'a> {
    pub(super) fn new(nogoods: &'a [Nogood], limits: &'a mut dyn Limits, states: &'a mut u64) -> Self {
        let refutation = Refutation::default();
        Tree {
            nogoods,
            limits,
            states,
            assumed: FxHashMap::default(),
            refutation,
            clauses: FxHashMap::default(),
        }
    }

    /// Depth first, with the splits under way on a stack: chains of propagation are long.
    pub(super) fn refute(mut self) -> Result<Refutation, Stopped> {
        let mut splits: Vec<Split> = Vec::new();
        loop {
            *self.states += 1;
            self.limits.check(48 * self.refutation.cases.len(), *self.states)?;
            let (nogood, open) = self.shortest();
            if let Some(edge) = open {
                self.assumed.insert(key(edge), edge);
                splits.push(Split { edge, forward: None });
                continue;
            }
            let mut rests_on: Vec<Edge> = self.nogoods[nogood].edges.clone();
            let mut case = self.leaf(nogood);
            // Back to the last split whose other way is not known yet.
            loop {
                let Some(split) = splits.last_mut() else { return Ok(self.refutation) };
                let present = self.assumed[&key(split.edge)];
                if !rests_on.contains(&present) {
                    // It holds without this split.
                    self.assumed.remove(&key(split.edge));
                    splits.pop();
                    continue;
                }
                match split.forward.take() {
                    None => {
                        split.forward = Some((case, rests_on));
                        self.assumed.insert(key(split.edge), split.edge.reversed());
                        break;
                    }
                    Some((forward, others)) => {
                        let edge = split.edge;
                        rests_on.extend(others);
                        rests_on.retain(|&other| key(other) != key(edge));
                        rests_on.sort_unstable();
                        rests_on.dedup();
                        self.refutation.cases.push(Case::Split { edge, forward, backward: case });
                        case = self.refutation.cases.len() as u32 - 1;
                        self.assumed.remove(&key(edge));
                        splits.pop();
                    }
                }
            }
        }
    }

    fn leaf(&mut self, nogood: usize) -> u32 {
        let case = match self.nogoods[nogood].clause() {
            None => Case::Cycle,
            Some(clause) => {
                let clauses = &mut self.refutation.clauses;
                Case::Clause(*self.clauses.entry(nogood).or_insert_with(|| {
                    clauses.push(clause);
                    clauses.len() as u32 - 1
                }))
            }
        };
        self.refutation.cases.push(case);
        self.refutation.cases.len() as u32 - 1
    }

    /// Of the nogoods that what is assumed does not rule out, one with fewest edges that are not assumed, and the first of these.
    fn shortest(&self) -> (usize, Option<Edge>) {
        let mut best: Option<(usize, usize, Option<Edge>)> = None;
        for (index, nogood) in self.nogoods.iter().enumerate() {
            let (mut open, mut first, mut ruled_out) = (0, None, false);
            for &edge in &nogood.edges {
                match self.assumed.get(&key(edge)) {
                    None => {
                        open += 1;
                        first = first.or(Some(edge));
                    }
                    Some(&assumed) if assumed != edge => {
                        ruled_out = true;
                        break;
                    }
                    Some(_) => {}
                }
            }
            if !ruled_out && best.is_none_or(|(least, ..)| open < least) {
                best = Some((open, index, first));
                if open == 0 {
                    break;
                }
            }
        }
        debug_assert!(best.is_some(), "the nogoods leave no orders");
        best.map_or((0, None), |(_, index, open)| (index, open))
    }
}
