//! Pictures and pages of histories, with what models say of them.

use crate::limits::Budget;
use crate::verdict::reason;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal_host::{Answer, Source};
use tribunal_report::{Finding, Inquiry, NotJudged, Questions, Specifications, Word};
use tribunal_view::{Document, document};

/// The picture of one model, or of the weakest that forbids the history.
pub fn svg(source: &Source, questions: Questions, stop: &AtomicBool) -> Result<String, NotJudged> {
    with_document(source, questions, Duration::from_secs(10), stop, |document, _| drawn(document))
}

/// The page.
pub fn page(source: &Source, questions: Questions, stop: &AtomicBool) -> Result<String, NotJudged> {
    with_document(source, questions, Duration::from_secs(10), stop, |document, _| {
        tribunal_view::page(Some(document), "")
    })
}

/// The picture with a verdict.
pub fn svg_of(answer: &Answer, stop: &AtomicBool) -> String {
    let (source, limits) = (answer.source(), Budget::default().of_all());
    answer.with(|finding| {
        let findings = std::slice::from_ref(finding);
        drawn(&document(source.history(), source.file(), findings, &limits.limits(stop)))
    })
}

/// A verdict as HTML: its words and its picture.
pub fn of_answer(answer: &Answer, stop: &AtomicBool) -> String {
    let case = escaped(&answer.source().case().to_string());
    let (question, word) = (escaped(&answer.question().to_string()), answer.word());
    let reason = answer.with(reason).map_or(String::new(), |reason| format!(", {}", escaped(&reason)));
    format!("<p>{case}: {question}: <b>{word}</b>{reason}</p>{}", svg_of(answer, stop))
}

/// A history as HTML: what all models say, as far as they say it soon, and its picture.
pub fn of_history(source: &Arc<Source>, stop: &AtomicBool) -> Result<String, NotJudged> {
    with_document(source, Questions::All, Duration::from_secs(1), stop, |document, findings| {
        let those = |wanted: Word, text: &str| {
            let said = findings.iter().filter(|finding| finding.ruling.word() == wanted);
            let names: Vec<_> = said.map(|finding| finding.ruling.question().to_string()).collect();
            match names.is_empty() {
                true => String::new(),
                false => format!("; {text} {}", escaped(&names.join(", "))),
            }
        };
        let (no, yes) = (those(Word::Inconsistent, "forbidden by"), those(Word::Consistent, "allowed by"));
        let undecided = those(Word::Undecided, "undecided for");
        format!("<p>{}{no}{yes}{undecided}</p>{}", escaped(&source.case().to_string()), drawn(document))
    })
}

fn with_document<T>(
    source: &Source,
    questions: Questions,
    patience: Duration,
    stop: &AtomicBool,
    act: impl FnOnce(&Document, &[Finding<'_>]) -> T,
) -> Result<T, NotJudged> {
    let inquiry = Inquiry::new(questions, Specifications::default());
    let budget = Budget { timeout: Some(patience), ..Budget::default() };
    source.with(|judged| {
        let ask = |question| inquiry.ask(judged, question, &budget.limits(stop));
        let findings: Vec<_> = inquiry.questions(judged).iter().map(ask).collect();
        act(&document(source.history(), source.file(), &findings, &budget.limits(stop)), &findings)
    })
}

fn drawn(document: &Document) -> String {
    tribunal_view::svg(document, document.shown)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
