//! The outcomes of complete executions, with their counts.

use super::code::Code;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What one worker saw.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    counts: FxHashMap<Box<[i64]>, u64>,
    /// By claim, whether an outcome satisfies it, of those that say that one does.
    pub exists: Vec<bool>,
}

impl Seen {
    pub fn new(code: &Code) -> Self {
        Seen { counts: FxHashMap::default(), exists: vec![false; code.claims.len()] }
    }

    pub fn note(&mut self, outcome: &[i64]) {
        match self.counts.get_mut(outcome) {
            Some(count) => *count += 1,
            None => _ = self.counts.insert(outcome.into(), 1),
        }
    }
}

/// The outcomes of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The names of the values of an outcome.
    pub names: Vec<String>,
    /// Outcomes, with the number of executions that had them.
    pub counts: BTreeMap<Vec<i64>, u64>,
    /// Conditions that some outcome should satisfy and none did.
    pub missing: Vec<String>,
}

impl Outcomes {
    /// What all workers saw.
    pub(super) fn merged<'a>(code: &Code, workers: impl IntoIterator<Item = &'a Seen>) -> Self {
        let mut counts = BTreeMap::new();
        let mut exists = vec![false; code.claims.len()];
        for seen in workers {
            for (outcome, count) in &seen.counts {
                *counts.entry(outcome.to_vec()).or_default() += count;
            }
            exists.iter_mut().zip(&seen.exists).for_each(|(any, one)| *any |= one);
        }
        let missing = code.claims.iter().zip(exists).filter(|(claim, seen)| claim.is_missing(*seen));
        Outcomes {
            names: code.outcome_names().map(str::to_string).collect(),
            counts,
            missing: missing.map(|(claim, _)| claim.text.clone()).collect(),
        }
    }
}
