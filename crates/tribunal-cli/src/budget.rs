//! The cost that answers may have: each by itself, and all those about a history together.

use crate::args::{seconds, size};
use crate::interrupt;
use crate::watchdog::{GRACE, Watched};
use clap::Args;
use std::cell::Cell;
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Verdict;
use tribunal_host::most_memory;
use tribunal_report::{Answer, Checkable};
use tribunal_verify::object::MOST_MEMORY;

/// The limits of each answer.
#[derive(Args, Clone, Debug)]
pub struct Budget {
    /// Give up on an answer after this time: it is undecided. By default 10 seconds where all models are checked, and no
    /// limit for a model that is named; without --model, all answers but the strongest share a second
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Give up on an answer after this many search states: it is undecided
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states)]
    pub max_states: u64,
    /// Give up on an answer that takes more memory than this beside the history: bytes, or with k, M or G. A history that
    /// alone takes more, and more than 16M, is an error. By default three quarters of the machine's memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
    /// The time after the timeout in which an answer may still come.
    #[arg(skip = GRACE)]
    pub grace: Duration,
}

/// The time that each answer may take by default where all models are checked.
pub const ANSWER_TIME: Duration = Duration::from_secs(10);

impl Budget {
    /// A budget of time alone.
    pub fn of_time(timeout: Option<Duration>) -> Self {
        Budget { timeout, max_states: Limits::default().max_states, max_memory: None, grace: GRACE }
    }

    /// The budget of each answer where all models are checked.
    pub fn of_all(&self) -> Self {
        match self.timeout {
            Some(_) => self.clone(),
            // Nobody asked for this limit, so that all answers are not given up for a late one.
            None => Budget { timeout: Some(ANSWER_TIME), grace: ANSWER_TIME, ..self.clone() },
        }
    }

    /// The advice about answers that took too long, if the user gave no time; in an overview all answers but the first share a second.
    pub fn hint(&self, overview: bool) -> Option<&'static str> {
        let hint = match overview {
            true => "10 s for the strongest and 1 s for all others; --model all gives each 10 s",
            false => "the default time limit of 10 s for each answer; --timeout changes it",
        };
        self.timeout.is_none().then_some(hint)
    }

    /// The limits of an answer that begins now; Ctrl-C stops it.
    pub fn limits(&self) -> Watched {
        self.limits_with(self.max_memory.unwrap_or_else(most_memory))
    }

    fn limits_with(&self, max_memory: usize) -> Watched {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let limits =
            Limits { deadline, max_states: self.max_states, max_memory, stop: Some(interrupt::flag()) };
        Watched::new(limits, self.grace)
    }

    /// The limits of verifying a certificate, beginning now. By default an object may take as much memory as the library's own
    /// default.
    pub fn limits_of_verification(&self, checkable: &Checkable) -> Watched {
        match checkable {
            Checkable::Object(_) if self.max_memory.is_none() => {
                self.limits_with(most_memory().min(MOST_MEMORY))
            }
            _ => self.limits(),
        }
    }
}

/// The time that all answers of an overview but the first may take together; or as long as the first took.
const REST: Duration = Duration::from_secs(1);

/// The time for the answers about one history, by turns.
pub struct Patience<'b> {
    budget: &'b Budget,
    /// The number of questions.
    questions: usize,
    /// Whether the answers after the first share a second.
    shared: bool,
    /// The time at which that second is over.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_to_everything_have_a_time_unless_one_is_given() {
        let budget = |timeout| Budget { timeout, max_states: 1, max_memory: None, grace: GRACE };
        let none = budget(None);
        assert_eq!((none.of_all().timeout, none.limits().deadline), (Some(ANSWER_TIME), None));
        let of_each = "the default time limit of 10 s for each answer; --timeout changes it";
        assert_eq!(none.hint(false), Some(of_each));
        let given = budget(Some(Duration::from_secs(60)));
        assert_eq!((given.of_all().timeout, given.hint(true)), (given.timeout, None));
    }
}
