//! Histories in which values repeat: which write does a read read from?
//!
//! A history is consistent if some choice of sources for its open reads is. That makes every model NP-complete, those that are
//! polynomial for given sources included. In practice most sources are plain: [`forced`] eliminates the others; [`guess`] runs the
//! threads on a simple machine until every read finds its value in memory, which decides most histories that are
//! consistent; [`search`] goes through what is left, case by case.

mod before;
mod forced;
mod guess;
mod search;
mod support;
#[cfg(test)]
mod tests;

use crate::Engine;
use crate::memory::models::engines;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Limit, Refutation, Verdict, Violation};

/// What is known of each read while sources are eliminated. Beside it the history is copied, with the sources that are known, with a
/// guess, and without what is open.
const BYTES_PER_EVENT: usize = 160;

/// Decides a history with open observations. `judge` decides one without.
pub(crate) fn decide(
    x: &Execution,
    model: Model,
    judge: impl Fn(&Execution, &Limits<'_>) -> (Verdict, Engine),
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    if let Some(of) = x.open().find(|&of| x.writers(of).is_empty()) {
        let violation = Violation { axiom: Axiom::Sources, refutation: Refutation::ThinAir(of) };
        return Ok((Verdict::Inconsistent(violation), engines(model)[0]));
    }
    let taken = 3 * x.bytes() + BYTES_PER_EVENT * x.len();
    limits.check_memory(taken, 0)?;
    let rest = Limits { max_memory: limits.max_memory - taken, ..*limits };
    search::search(x, model, |x| judge(x, &rest), &rest).map_err(|limit| limit.out_of(limits.max_memory))
}
