//! Pictures of histories and of what models say of them.
//!
//! A [`Document`] has all that a picture shows: the history, or a window of it, laid out, and what came of each question.
//! It is drawn by the [`page()`], as [`svg()`] and as [`dot()`]. Nothing here reads files or prints.
//!
//! - [`hear`]`(name: &str, bytes: Vec<u8>, request: &`[`Request`]`, limits: &Limits) -> Result<`[`Heard`]`, `[`Unheard`]`>`
//!   goes from the bytes of a file to a document,
//! - [`document()`] from a history and what was found.
//!
//! ```
//! use tribunal::Limits;
//! use tribunal_view::{Request, hear};
//! let sb = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
//! let request = Request { models: "sc,tso".into(), ..Request::default() };
//! let heard = hear("sb.txt", sb.into(), &request, &Limits::default())?;
//! assert_eq!((heard.document.title.as_str(), heard.histories), ("sb.txt", 1));
//! # Ok::<(), tribunal_view::Unheard>(())
//! ```

mod document;
mod dot;
mod excerpt;
mod explanation;
mod hear;
mod memory;
mod name;
mod object;
mod overview;
mod page;
mod scene;
mod svg;
mod transactions;
mod window;

pub use document::{
    Arrow, Document, Edge, Event, Key, Kind, Line, Longest, MemoryRuling, ObjectRuling, Operation, Outcome,
    Overview, Partial, Picture, Process, Said, Step, Thread, Transaction, TransactionsRuling,
};
pub use dot::dot;
pub use hear::{Heard, Request, Unheard, hear};
pub use page::page;
pub use svg::svg;

use tribunal::object::Criterion;
use tribunal::{Limits, Verdict};
use tribunal_formats::{History, Subject};
use tribunal_report::{Finding, Ruling, Word, weakest};

/// The document of a history from a file of that name, with what was found of it. The limits are those of explaining.
pub fn document(history: &History, file: &str, findings: &[Finding<'_>], limits: &Limits<'_>) -> Document {
    let shown = shown_first(findings);
    let (given, size) = (history.subject.name(), history.subject.len());
    let picture = match &history.subject {
        Subject::Memory(execution) => memory::picture(execution, &history.lines, findings, shown),
        Subject::Object(object) => object::picture(object, findings, shown, limits),
        Subject::Transactions(subject) => transactions::picture(subject, findings, shown),
    };
    let source = format!("{}:{}", name::label(file), history.line);
    Document { title: name::label(given.unwrap_or(file)), source, size, shown, picture }
}

/// What came of a question, apart from what is drawn.
fn said<R>(finding: &Finding<'_>, lines: Vec<Line>, ruling: R) -> Said<R> {
    let Finding { ruling: found, .. } = finding;
    let heading = match found.reason() {
        Some(reason) => reason,
        None => found.broken().trim_start_matches(", ").to_string(),
    };
    Said {
        question: name::label(&found.question().to_string()),
        verdict: found.word().to_string(),
        heading,
        lines,
        ruling,
    }
}

/// Which finding says most: of the weakest that forbid the history the one with the shortest reason, or else the strongest
/// that allows it. Nothing goes wrong first under sequential, which knows no real time: another criterion says more.
fn shown_first(findings: &[Finding<'_>]) -> usize {
    let effort = |&at: &usize| match &findings[at].ruling {
        Ruling::Memory { verdict: Verdict::Inconsistent(violation), .. } => violation.weight(),
        Ruling::Object { criterion: Criterion::Sequential, .. } => 1,
        // What needs neither sessions nor real time says most.
        Ruling::Transactions { level, .. } => level.base() as usize,
        _ => 0,
    };
    let allowing = || {
        let held = findings.iter().map(|finding| finding.ruling.word() == Word::Consistent);
        let held: Vec<usize> = held.enumerate().filter_map(|(at, held)| held.then_some(at)).collect();
        let question = |at: usize| findings[at].ruling.question();
        let stronger =
            |a: usize, b: usize| question(b).includes(&question(a)) && !question(a).includes(&question(b));
        held.iter().copied().find(|&at| !held.iter().any(|&other| stronger(other, at)))
    };
    weakest(findings).into_iter().min_by_key(effort).or_else(allowing).unwrap_or(0)
}
