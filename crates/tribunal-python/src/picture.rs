//! Pictures and pages of histories, with what models say of them.

use crate::limits::Budget;
use crate::verdict::reason;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_history::verdict::Bare;
use tribunal_host::Source;
use tribunal_report::{Answer, Check, NotCheckable, Questions, Specifications};
use tribunal_view::{Document, document};

/// The picture of one model, or of the weakest that forbids the history.
pub fn svg(source: &Source, questions: Questions, stop: &AtomicBool) -> Result<String, NotCheckable> {
    with_document(source, questions, Duration::from_secs(10), stop, |document, _| drawn(document))
}

/// The page.
pub fn page(source: &Source, questions: Questions, stop: &AtomicBool) -> Result<String, NotCheckable> {
    with_document(source, questions, Duration::from_secs(10), stop, |document, _| {
        tribunal_view::page(Some(document), "")
    })
}

/// The picture with a verdict.
pub fn svg_of(source: &Source, answer: &Answer, stop: &AtomicBool) -> String {
    let limits = Budget::default().of_all();
    let answers = std::slice::from_ref(answer);
    drawn(&document(source.history(), source.file(), answers, &limits.limits(stop)))
}

/// A verdict as HTML: its words and its picture.
pub fn of_answer(source: &Source, answer: &Answer, stop: &AtomicBool) -> String {
    let case = escaped(&source.case().to_string());
    let (question, word) = (escaped(&answer.question().to_string()), answer.verdict().word());
    let reason = reason(answer).map_or(String::new(), |reason| format!(", {}", escaped(&reason)));
    format!("<p>{case}: {question}: <b>{word}</b>{reason}</p>{}", svg_of(source, answer, stop))
}

/// A history as HTML: what all models say, as far as they say it soon, and its picture.
pub fn of_history(source: &Arc<Source>, stop: &AtomicBool) -> Result<String, NotCheckable> {
    with_document(source, Questions::All, Duration::from_secs(1), stop, |document, answers| {
        let those = |wanted: fn(&Bare) -> bool, text: &str| {
            let said = answers.iter().filter(|answer| wanted(&answer.verdict()));
            let names: Vec<_> = said.map(|answer| answer.question().to_string()).collect();
            match names.is_empty() {
                true => String::new(),
                false => format!("; {text} {}", escaped(&names.join(", "))),
            }
        };
        let (no, yes) =
            (those(Bare::is_inconsistent, "forbidden by"), those(Bare::is_consistent, "allowed by"));
        let undecided = those(|verdict| verdict.limit().is_some(), "undecided for");
        format!("<p>{}{no}{yes}{undecided}</p>{}", escaped(&source.case().to_string()), drawn(document))
    })
}

fn with_document<T>(
    source: &Source,
    questions: Questions,
    patience: Duration,
    stop: &AtomicBool,
    act: impl FnOnce(&Document, &[Answer]) -> T,
) -> Result<T, NotCheckable> {
    let check = Check::new(questions, Specifications::default());
    let budget = Budget { timeout: Some(patience), ..Budget::default() };
    let history = source.checkable()?;
    let ask = |question| check.answer(&history, question, &budget.limits(stop));
    let answers: Vec<_> = check.questions(&history).iter().map(ask).collect();
    Ok(act(&document(source.history(), source.file(), &answers, &budget.limits(stop)), &answers))
}

fn drawn(document: &Document) -> String {
    tribunal_view::svg(document, document.shown)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
