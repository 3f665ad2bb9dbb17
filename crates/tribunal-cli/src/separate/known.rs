//! Histories that are known already, and may separate what a search has not reached.

use crate::failure::Failure;
use crate::input;
use std::ffi::OsString;
use std::sync::Arc;
use tribunal_engines::memory::check;
use tribunal_engines::object;
use tribunal_engines::transactions;
use tribunal_formats::{Object, Subject, Transactions};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::object::{Criterion, specs};
use tribunal_history::transactions::Level;
use tribunal_host::reading;
use tribunal_separate::Pair;

/// The histories given with `--known`.
pub struct Known(Vec<Subject>);

impl Known {
    pub fn read(files: &[OsString]) -> Result<Self, Failure> {
        let mut known = Vec::new();
        for file in files {
            for history in input::open(file, reading(None, None))? {
                known.push(history?.subject);
            }
        }
        // Sorted by size, the first that separates is the smallest.
        known.sort_by_key(Subject::len);
        Ok(Known(known))
    }

    /// The smallest that separates two models.
    pub fn execution(&self, pair: Pair) -> Option<&Arc<Execution>> {
        let memories = self.0.iter().filter_map(|subject| match subject {
            Subject::Memory(execution) => Some(execution),
            _ => None,
        });
        memories.into_iter().find(|execution| {
            check(execution, pair.allows).is_consistent() && check(execution, pair.forbids).is_inconsistent()
        })
    }

    /// The smallest that separates two criteria, among those with a built-in specification.
    pub fn object(&self, pair: &Pair<Criterion>, limits: &Limits<'_>) -> Option<&Object> {
        let objects = self.0.iter().filter_map(|subject| match subject {
            Subject::Object(object) => Some(object),
            _ => None,
        });
        objects.into_iter().find(|object| {
            specs::named(&object.spec).is_ok_and(|spec| {
                object.history.typed(&*spec).is_ok_and(|typed| {
                    let verdict = |criterion| object::judge(&typed, criterion, limits).0;
                    verdict(&pair.allows).is_consistent() && verdict(&pair.forbids).is_inconsistent()
                })
            })
        })
    }

    /// The smallest that separates two levels.
    pub fn transactions(&self, pair: &Pair<Level>, limits: &Limits<'_>) -> Option<&Transactions> {
        let transactions = self.0.iter().filter_map(|subject| match subject {
            Subject::Transactions(transactions) => Some(transactions),
            _ => None,
        });
        transactions.into_iter().find(|Transactions { history, .. }| {
            transactions::judge(history, pair.allows, limits).0.is_consistent()
                && transactions::judge(history, pair.forbids, limits).0.is_inconsistent()
        })
    }
}
