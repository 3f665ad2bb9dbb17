//! The remarks of the input beside the operations or transactions of a history.

use crate::printable;
use tribunal_formats::{Disturbance, Notes, Object, Transactions};

/// Lines and notes of what was read; nothing of what was not.
#[derive(Clone, Copy, Default)]
pub struct Source<'a> {
    /// By operation or transaction, its line.
    pub lines: &'a [u64],
    /// The other remarks of the input.
    pub notes: Option<&'a Notes>,
}

impl<'a> From<&'a Object> for Source<'a> {
    fn from(object: &'a Object) -> Self {
        Source { lines: &object.lines, notes: Some(&object.notes) }
    }
}

impl<'a> From<&'a Transactions> for Source<'a> {
    fn from(transactions: &'a Transactions) -> Self {
        Source { lines: &transactions.lines, notes: Some(&transactions.notes) }
    }
}

impl Source<'_> {
    /// What the client of an operation or transaction gave as its error, beside what became of it: ` (timeout)`.
    pub(crate) fn why(&self, place: u32) -> String {
        let error = self.notes.and_then(|notes| notes.error_of(place));
        error.map_or_else(String::new, |error| format!(" ({})", printable(error)))
    }

    /// What others than clients did within some time: who did what, and from when to when.
    pub(crate) fn meanwhile(&self, begin: i64, end: i64) -> Vec<String> {
        let Some(notes) = self.notes else { return Vec::new() };
        let at = |event: usize| notes.others[event].at;
        let reaches =
            |did: &Disturbance| at(did.first) <= end && did.last.is_none_or(|last| at(last) > begin);
        let shown = |did: Disturbance| {
            let times = match (notes.time_of(did.first), did.last.map(|last| notes.time_of(last))) {
                (Some(first), Some(Some(last))) if first == last => format!(" @ {first}"),
                (Some(first), Some(Some(last))) => format!(" @ {first}:{last}"),
                (Some(first), None) => format!(" @ {first}:"),
                _ => String::new(),
            };
            printable(&format!("{}{times}, line {}", did.what, notes.others[did.first].line)).into_owned()
        };
        notes.disturbances().into_iter().filter(reaches).map(shown).collect()
    }
}
