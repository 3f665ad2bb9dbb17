//! Notes: the remarks of an input beside the operations of its clients.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The notes on a history, about things that are not among its operations: counted or kept, so that nothing is left out in silence.
///
/// ```
/// use tribunal_formats::read;
/// let edn = "{:process :nemesis :type :info :f :kill :value [\"n1\"] :time 7}
///            {:process 0 :type :invoke :f :write :value 1 :time 8}
///            {:process 0 :type :fail :f :write :value 1 :error :refused :time 9}";
/// let history = read(edn.as_bytes(), "a.edn", None)?.next().expect("a history")?;
/// let notes = &history.object().expect("of an object").notes;
/// assert_eq!((notes.failed, notes.errors["refused"]), (1, 1));
/// assert_eq!(notes.others[0].to_string(), "nemesis kill [\"n1\"]");
/// assert_eq!(notes.disturbances()[0].what, "nemesis kill [\"n1\"]");
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Reads of nil that were dropped; see [`NilReads`](crate::NilReads).
    pub nil_reads: u64,
    /// Operations that failed: they did not take effect.
    pub failed: u64,
    /// Operations that only read and have no answer.
    pub unanswered: u64,
    /// Lines of a log that other loggers wrote.
    pub log_lines: u64,
    /// Operations of Cobra's garbage collection.
    pub garbage: u64,
    /// Events of processes that are no clients, such as the nemesis, in their order.
    pub others: Vec<OtherEvent>,
    /// Whether the history's times are positions, since the input has none that are sound: then those of others' events are on another scale.
    pub untimed: bool,
    /// The `:error` values that clients gave, each with how often.
    pub errors: BTreeMap<Arc<str>, u64>,
    /// The same by operation or transaction of the history, sorted. What failed may not be in it.
    pub errors_of: Vec<(u32, Arc<str>)>,
}

/// An event of a process that is no client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEvent {
    /// Its line, from 1.
    pub line: u64,
    /// Its time, if the input has it.
    pub time: Option<i64>,
    /// Its place in the history's times: it came after everything that has an earlier one, and before everything else.
    pub at: i64,
    /// The process.
    pub process: String,
    /// The event and its value: `kill ["n1"]`.
    pub what: String,
}

impl std::fmt::Display for OtherEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.process, self.what)
    }
}

impl Notes {
    /// The time of an event of another, if it is on the scale of the history's times.
    pub fn time_of(&self, event: usize) -> Option<i64> {
        self.others.get(event)?.time.filter(|_| !self.untimed)
    }

    /// The `:error` that the client of an operation or transaction gave.
    pub fn error_of(&self, place: u32) -> Option<&str> {
        let found = self.errors_of.binary_search_by_key(&place, |&(of, _)| of).ok()?;
        Some(&self.errors_of[found].1)
    }

    /// The notes of a part of the history that has these operations or transactions, in this order.
    pub fn of_part(&self, kept: impl IntoIterator<Item = u32>) -> Notes {
        Notes { errors_of: self.errors_within(kept), ..self.clone() }
    }

    /// The errors by operation or transaction of that part.
    pub(crate) fn errors_within(&self, kept: impl IntoIterator<Item = u32>) -> Vec<(u32, Arc<str>)> {
        let within = kept.into_iter().zip(0..).filter_map(|(whole, part)| {
            let found = self.errors_of.binary_search_by_key(&whole, |&(of, _)| of).ok()?;
            Some((part, self.errors_of[found].1.clone()))
        });
        within.collect()
    }

    /// The parts of the input that are not in the history, in words; none if there are none.
    pub fn left_out(&self) -> Option<String> {
        let nil = match self.nil_reads {
            0 => None,
            1 => Some("1 read of nil was left out; --nil-reads keep keeps it".to_string()),
            count => Some(format!("{count} reads of nil were left out; --nil-reads keep keeps them")),
        };
        let counted = [
            (self.failed, "operation that failed", "operations that failed"),
            (self.unanswered, "read without an answer", "reads without an answer"),
            (self.log_lines, "line of another logger", "lines of other loggers"),
            (self.garbage, "operation of a garbage collection", "operations of garbage collections"),
        ];
        let mut counts: Vec<String> = counted
            .into_iter()
            .filter(|&(count, ..)| count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        if !self.others.is_empty() {
            let mut processes: Vec<&str> = self.others.iter().map(|event| &*event.process).collect();
            processes.sort_unstable();
            processes.dedup();
            let more = if processes.len() > 3 { ", .." } else { "" };
            processes.truncate(3);
            let events = if self.others.len() == 1 { "event" } else { "events" };
            counts.push(format!("{} {events} of {}{more}", self.others.len(), processes.join(", ")));
        }
        let rest = match counts.pop() {
            None => None,
            Some(last) if counts.is_empty() => Some(format!("not in the history: {last}")),
            Some(last) => Some(format!("not in the history: {} and {last}", counts.join(", "))),
        };
        match (nil, rest) {
            (Some(nil), Some(rest)) => Some(format!("{nil}; {rest}")),
            (nil, rest) => nil.or(rest),
        }
    }
}
