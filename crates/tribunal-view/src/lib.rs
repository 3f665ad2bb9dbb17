//! Pictures of histories and of the verdicts on them.
//!
//! A [`Document`] has all that a picture shows: the history, or a window of it, laid out, and the verdict of each model.
//! It is drawn by the [`page()`], as [`svg()`] and as [`dot()`]. Nothing here reads files or prints.
//!
//! - [`answer()`]`(name: &str, bytes: Vec<u8>, request: &`[`Request`]`, limits: &Limits) -> Result<`[`Response`]`, `[`RequestError`]`>`
//!   goes from the bytes of a file to a document,
//! - [`document()`] makes one of a history and its answers.
//!
//! ```
//! use tribunal::Limits;
//! use tribunal_view::{Request, answer};
//! let sb = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
//! let request = Request { models: "sc,tso".into(), ..Request::default() };
//! let answer = answer("sb.txt", sb.into(), &request, &Limits::default())?;
//! assert_eq!((answer.document.title.as_str(), answer.histories), ("sb.txt", 1));
//! # Ok::<(), tribunal_view::RequestError>(())
//! ```

mod answer;
mod document;
mod dot;
mod excerpt;
mod explanation;
mod memory;
mod name;
mod object;
mod overview;
mod page;
mod scene;
mod svg;
mod transactions;
mod window;

pub use answer::{Request, RequestError, Response, answer};
pub use document::{
    Arrow, Contrast, Disturbance, Document, Edge, Event, Key, Kind, Line, Longest, MemoryDrawing,
    ObjectDrawing, Operation, Outcome, Overview, Partial, Picture, Process, Shown, Step, Thread, Transaction,
    TransactionsDrawing,
};
pub use dot::dot;
pub use page::page;
pub use svg::svg;

use tribunal_formats::{History, Subject};
use tribunal_history::limits::Limits;
use tribunal_report::{Answer, Question, first_asked};

/// The document of a history and its answers. `file` is the name of its file; the limits bound the explanations.
pub fn document(history: &History, file: &str, answers: &[Answer], limits: &Limits<'_>) -> Document {
    let shown = first_asked(answers).unwrap_or(0);
    let (given, size) = (history.subject.name(), history.subject.len());
    let picture = match &history.subject {
        Subject::Memory(execution) => memory::picture(execution, &history.lines, answers, shown),
        Subject::Object(object) => object::picture(object, answers, shown, limits),
        Subject::Transactions(subject) => transactions::picture(subject, answers, shown),
    };
    let source = format!("{}:{}", name::label(file), history.line);
    Document { title: name::label(given.unwrap_or(file)), source, size, shown, picture }
}

/// A verdict, apart from what is drawn of it.
fn said<R>(answer: &Answer, lines: Vec<Line>, drawn: R) -> Shown<R> {
    let heading = match answer.reason() {
        Some(reason) => reason,
        None => answer.broken().trim_start_matches(", ").to_string(),
    };
    let question = answer.question();
    Shown {
        about: sentence(&question),
        question: name::label(&question.to_string()),
        verdict: answer.verdict().word().into(),
        heading,
        lines,
        contrast: None,
        drawn,
    }
}

/// A sentence that says what a model, criterion or level is.
fn sentence(question: &Question) -> String {
    let sentence = match question {
        Question::Model(model) => model.sentence(),
        Question::Criterion(criterion) => criterion.sentence().into(),
        Question::Level(level) => level.sentence(),
    };
    name::line(&sentence)
}
