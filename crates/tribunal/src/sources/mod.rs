//! Histories in which values repeat: which write does a read read from?
//!
//! A history is consistent if some choice of sources for its open reads is. That makes every model NP-complete, those that are
//! polynomial for given sources included. In practice most sources are plain: [`forced`] strikes out the others; [`guess`] runs the
//! threads on a simple machine until every read finds its value in memory, which decides most histories that are
//! consistent; [`search`] goes through what is left, case by case.

mod before;
mod forced;
mod guess;
mod search;
mod support;
#[cfg(test)]
mod tests;

use crate::limits::Limits;
use crate::memory::Execution;
use crate::models::{Engine, Judgement, Model};
use crate::verdict::{Axiom, Limit, Refutation, Verdict, Violation};

/// Decides a history with open observations. `judge` decides one without.
pub(crate) fn decide(
    x: &Execution,
    model: Model,
    judge: impl Fn(&Execution) -> Judgement,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    if let Some(of) = x.open().find(|&of| x.writers(of).is_empty()) {
        let violation = Violation { axiom: Axiom::Sources, refutation: Refutation::ThinAir(of) };
        return Ok((Verdict::Inconsistent(violation), model.engines()[0]));
    }
    // What is copied: the history with the known sources, and once more without what is open.
    limits.check_memory(2 * x.bytes(), 0)?;
    search::search(x, model, judge, limits)
}
