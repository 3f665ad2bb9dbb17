//! Where an execution departs from sequential consistency.

use super::history::{History, history_of};
use crate::Failure;
use crate::graph::{Event, EventId};
use tribunal::memory::MalformedHistory;
use tribunal::models::judge;
use tribunal::{Limits, Model};
use tribunal_formats::{Labels, Lines, Subject};
use tribunal_report::{Ruling, section};

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

/// Most lines of an explanation.
const HEIGHT: usize = 40;

impl Failure {
    /// The first event that a stronger model forbids; `None` if it allows the whole execution.
    pub fn weak(&self, model: Model) -> Result<Option<Weak>, MalformedHistory> {
        let of = |length: usize| history_of(self, length, Event::order);
        let forbidden = |history: &History| {
            judge(&history.execution, model, &Limits::default()).verdict.is_inconsistent()
        };
        let all = self.graph.events().len();
        if !forbidden(&of(all)?) {
            return Ok(None);
        }
        // A prefix of what a model allows is allowed.
        let (mut allowed, mut too_long) = (0, all);
        while allowed + 1 < too_long {
            let middle = (allowed + too_long) / 2;
            match forbidden(&of(middle)?) {
                true => too_long = middle,
                false => allowed = middle,
            }
        }
        let execution = of(too_long)?.execution;
        let verdict = judge(&execution, model, &Limits::default()).verdict;
        let ruling = Ruling::Memory { execution: &execution, model, verdict };
        let source = tribunal_formats::History {
            subject: Subject::Memory(execution.clone()),
            labels: Labels::default(),
            line: 0,
            lines: Lines::default(),
        };
        let lines = section(&ruling, &source, HEIGHT, &Limits::default()).lines;
        Ok(Some(Weak { model, event: EventId(too_long as u32 - 1), lines }))
    }
}
