//! Verdicts on histories of objects in words.

mod difference;
mod explain;
mod listing;
mod prefix;
mod witness;

pub use difference::difference;
pub use explain::{Explanation, explain};
pub use listing::{listing, listing_of_all};
pub use witness::show_witness;

use crate::line::WIDTH;
use std::time::Duration;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, History, OpId, Typed, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_verify::object::{Refusal, verify_within};
use web_time::Instant;

/// What comes beside a verdict takes no longer.
const EXPLANATION_TIME: Duration = Duration::from_secs(5);

/// The limits of what comes beside a verdict, as its explanation does: it takes a few seconds at most.
pub fn patient<'a>(limits: &Limits<'a>) -> Limits<'a> {
    let end = Instant::now() + EXPLANATION_TIME;
    Limits { deadline: Some(limits.deadline.map_or(end, |deadline| deadline.min(end))), ..*limits }
}

/// The reason why something is not said of a history: it was not found, or it was found and could not be verified.
#[derive(Debug, thiserror::Error)]
enum Unproved {
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
    /// The verifier refused.
    #[error("{0}")]
    Refused(Refusal),
}

/// Whether a verdict may be printed: only what is verified is printed beside the certificate of the answer.
/// The specification's hints may be trusted, as for the answer.
fn verified(
    typed: &Typed<'_>,
    criterion: &Criterion,
    verdict: &Verdict,
    limits: &Limits<'_>,
) -> Result<(), Unproved> {
    let verified = verify_within(typed.history(), typed.spec(), criterion, verdict, limits);
    verified.map(drop).map_err(Unproved::Refused)
}

/// An operation as shown, without its process, and its times, as far as there are any: `write(1) → null @ 3:5`.
fn timed(history: &History, op: OpId, shown: &str) -> String {
    let shown = shown.split_once(": ").map_or(shown, |(_, shown)| shown);
    match history.times(op) {
        Some((call, Some(ret))) => format!("{shown} @ {call}:{ret}"),
        Some((call, None)) => format!("{shown} @ {call}:"),
        None => shown.into(),
    }
}

/// The items on as few lines as there is width for, with `separator` between them.
fn wrapped(items: impl IntoIterator<Item = String>, separator: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match lines.last_mut() {
            Some(line) if line.chars().count() + separator.len() + item.chars().count() <= WIDTH => {
                line.push_str(separator);
                line.push_str(&item);
            }
            Some(line) => {
                line.push_str(separator.trim_end());
                lines.push(item);
            }
            None => lines.push(item),
        }
    }
    lines
}
