//! The points at which an execution departs from sequential consistency.

use super::history::{History, history_of};
use crate::Failure;
use crate::graph::{Event, EventId};
use std::sync::Arc;
use tribunal_engines::memory::models::judge;
use tribunal_formats::{Labels, Lines, Subject};
use tribunal_history::memory::MalformedHistory;
use tribunal_history::verdict::Limit;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_report::{Answer, Checkable, Question, section};

/// The first event that a stronger model forbids, in the order of the execution.
#[derive(Clone, Debug)]
pub struct Weak {
    /// The model.
    pub model: Model,
    /// The event: a read.
    pub event: EventId,
    /// The model's explanation of the execution up to there.
    pub lines: Vec<String>,
}

/// The reason why it is not known what a stronger model forbids.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unexplained {
    /// The execution is not a history.
    #[error("the execution is not a history: {0}")]
    Malformed(#[from] MalformedHistory),
    /// A limit was reached.
    #[error("whether {model} allows this execution too is undecided: {limit}")]
    Limit {
        /// The model.
        model: Model,
        /// The limit.
        limit: Limit,
    },
}

/// Most lines of an explanation.
const HEIGHT: usize = 40;

impl Failure {
    /// The first event that a stronger model forbids; `None` if it allows the whole execution.
    pub fn weak(&self, model: Model, limits: &Limits<'_>) -> Result<Option<Weak>, Unexplained> {
        let of = |length: usize| history_of(self, length, Event::order);
        let forbidden = |history: &History| match judge(&history.execution, model, limits).0 {
            Verdict::Undecided(limit) => Err(Unexplained::Limit { model, limit }),
            verdict => Ok(verdict.is_inconsistent()),
        };
        let all = self.graph.events().len();
        if !forbidden(&of(all)?)? {
            return Ok(None);
        }
        // A prefix of what a model allows is allowed.
        let (mut allowed, mut too_long) = (0, all);
        while allowed + 1 < too_long {
            let middle = (allowed + too_long) / 2;
            match forbidden(&of(middle)?)? {
                true => too_long = middle,
                false => allowed = middle,
            }
        }
        let execution = Arc::new(of(too_long)?.execution);
        let question = Question::Model(model);
        let answer = Answer::of(&Checkable::Memory(execution.clone()), &question, None, limits);
        let source = tribunal_formats::History {
            subject: Subject::Memory(execution),
            labels: Labels::default(),
            line: 0,
            lines: Lines::default(),
        };
        let lines = section(&answer, &source, HEIGHT, limits).lines;
        Ok(Some(Weak { model, event: EventId(too_long as u32 - 1), lines }))
    }
}
