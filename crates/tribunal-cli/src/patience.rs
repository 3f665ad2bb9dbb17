//! How long the answers about a history may take.

use crate::args::Budget;
use crate::watchdog::Watched;
use std::cell::Cell;
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Verdict;
use tribunal_report::Answer;

/// What all answers of an overview but the first may take together; or as long as the first took.
const REST: Duration = Duration::from_secs(1);

/// The time for the answers about one history, by turns.
pub struct Patience<'b> {
    budget: &'b Budget,
    /// How many questions there are.
    questions: usize,
    /// Whether the answers after the first share a second.
    shared: bool,
    /// When that second is over.
    end: Cell<Option<Instant>>,
}

impl<'b> Patience<'b> {
    /// So many questions, each of which may cost what the budget says; in an overview only the first may, and the others share a second.
    pub fn new(budget: &'b Budget, questions: usize, overview: bool) -> Self {
        Patience { budget, questions, shared: overview, end: Cell::new(None) }
    }

    /// The limits of the next answer, which begins now, after these.
    pub fn limits(&self, answers: &[Answer]) -> Watched {
        let limits = self.budget.limits();
        let (true, Some(first)) = (self.shared, answers.first()) else { return limits };
        // A history that takes long to go through takes long for every question: rather some answers than none.
        let usual = match first.verdict() {
            Verdict::Undecided(_) => Duration::ZERO,
            _ => Duration::from_micros(first.micros),
        };
        let now = Instant::now();
        let end = self.end.get().unwrap_or(now + REST.max(usual));
        self.end.set(Some(end));
        // A quick answer leaves its time to those that follow.
        let left = end.saturating_duration_since(now);
        let share = left / (self.questions - answers.len()) as u32;
        let deadline = Some(now + share.max(usual.min(left)));
        Watched::new(Limits { deadline, ..*limits }, self.budget.grace)
    }

    /// The limits of what comes beside the answers. They are kept with what is printed, so nobody waits for their end.
    pub fn beside(&self) -> Limits<'static> {
        let limits = *self.budget.limits();
        Limits { deadline: self.end.get().or(limits.deadline), ..limits }
    }
}
