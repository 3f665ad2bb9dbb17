//! The lines that events are on.

use std::collections::VecDeque;

/// The line of an event, for the events that a violation may still name.
#[derive(Default)]
pub struct Lines {
    /// Each event and its line hold for those after it too, one a line, up to the next.
    runs: VecDeque<(u64, u64)>,
    /// The number of runs that were left when some were last dropped.
    kept: usize,
}

impl Lines {
    /// So many runs are kept at least.
    const SLACK: usize = 1024;

    /// Notes the line of the next event. Those before `checked` will not be asked for.
    pub fn note(&mut self, event: u64, line: u64, checked: impl FnOnce() -> u64) {
        if self.runs.back().is_some_and(|&(first, at)| event - first == line - at) {
            return;
        }
        self.runs.push_back((event, line));
        if self.runs.len() > 2 * self.kept + Lines::SLACK {
            let checked = checked();
            while self.runs.get(1).is_some_and(|&(next, _)| next <= checked) {
                self.runs.pop_front();
            }
            self.kept = self.runs.len();
        }
    }

    /// The line of an event.
    pub fn of(&self, event: u64) -> u64 {
        let run = self.runs.partition_point(|&(first, _)| first <= event).saturating_sub(1);
        self.runs.get(run).map_or(0, |&(first, line)| line + event.saturating_sub(first))
    }
}
