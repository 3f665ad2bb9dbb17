//! The labeled corpora, all questions at once: what follows from a stronger answer is as labeled, and its certificate is accepted.

use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Instant;
use tribunal_formats::{History, Input, open, read};
use tribunal_history::limits::Limits;
use tribunal_history::object::Criterion;
use tribunal_report::{Inquiry, Question, Questions, Specifications, Verification, Word, refuted_by};

/// Every so many histories of a corpus: its families come in turns, and all take part.
const EVERY: usize = 19;

/// How many answers were implied, which are right and verified; the first that is not panics.
fn implied(inquiry: &Inquiry, history: &History) -> usize {
    let limits = Limits::default();
    let answered = inquiry.with(&history.subject, "corpus", |judged| {
        let mut asked: Vec<Question> = Vec::new();
        let mut implied = 0;
        let findings = inquiry.ask_all(judged, |question, known| {
            assert!(!asked.iter().any(|weak| weak.includes(question)), "{question} comes after a weaker one");
            asked.push(question.clone());
            let mut finding = inquiry.ask_after(known, judged, question, &limits);
            let stronger = known.iter().any(|strong| {
                strong.ruling.word() == Word::Consistent && question.includes(&strong.ruling.question())
            });
            if stronger && finding.ruling.word() != Word::Unsupported {
                implied += 1;
                finding.verify(&limits);
                let accepted = matches!(
                    finding.verification,
                    Some(Verification::Accepted | Verification::Trusting { .. })
                );
                assert!(accepted, "{question}: {:?}", finding.verification);
            }
            Some(finding)
        });
        let questions: Vec<Question> = findings.iter().map(|finding| finding.ruling.question()).collect();
        assert_eq!(questions, inquiry.questions(judged), "the findings are in the order of the questions");
        for (name, label) in &history.labels.0 {
            let named = findings.iter().find(|finding| finding.ruling.question().to_string() == *name);
            if let (Some(finding), Some(label)) = (named, label) {
                assert_eq!(
                    finding.ruling.word() == Word::Consistent,
                    *label,
                    "line {}: {name}",
                    history.line
                );
            }
        }
        implied
    });
    answered.expect("fit to be judged")
}

fn all_of(corpus: &str, least: usize) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../tribunal-engines/tests/data", corpus].iter().collect();
    let histories = open(&Input::Path(path), None).expect("a corpus").step_by(EVERY);
    let histories: Vec<History> = histories.collect::<Result<_, _>>().expect("histories");
    let inquiry = Inquiry::new(Questions::All, Specifications::default());
    let answers: usize = histories.par_iter().map(|history| implied(&inquiry, history)).sum();
    assert!(answers >= least, "{answers} answers were implied");
}

#[test]
fn by_stronger_models() {
    all_of("memory-public.jsonl.zst", 300);
    all_of("seqcst-public.jsonl.zst", 100);
}

#[test]
fn by_stronger_criteria() {
    all_of("object-public.jsonl.zst", 100);
}

#[test]
fn by_stronger_levels() {
    all_of("txn-public.jsonl.zst", 300);
}

#[test]
fn a_weaker_no_answers_what_is_undecided() {
    let text = r#"{"kind":"object","spec":"queue","operations":[
        {"process":0,"f":"dequeue","args":[],"ret":1,"call":0,"return":1}]}"#;
    let history =
        read(text.as_bytes(), "thin-air.json", None).expect("JSON").next().expect("one").expect("a history");
    let inquiry = Inquiry::new(Questions::All, Specifications::default());
    let refuted = inquiry.with(&history.subject, "thin-air.json", |judged| {
        let (weak, late) =
            (Limits::default(), Limits { deadline: Some(Instant::now()), ..Limits::default() });
        let findings = inquiry.ask_all(judged, |question, known| {
            let limits = if question.to_string() == "weak" { &weak } else { &late };
            Some(inquiry.ask_after(known, judged, question, limits))
        });
        let by = |at| refuted_by(&findings, at).map(|weaker| weaker.to_string());
        findings.iter().enumerate().map(|(at, finding)| (finding.ruling.word(), by(at))).collect::<Vec<_>>()
    });
    let refuted = refuted.expect("fit to be judged");
    assert_eq!(refuted[0], (Word::Inconsistent, None));
    // Sequential does not include weak, nor the other way round: it stays undecided.
    for (at, (word, by)) in refuted.iter().enumerate().skip(1) {
        let expected = (Criterion::ALL[at] != Criterion::Sequential).then(|| "weak".to_string());
        assert_eq!((*word, by), (Word::Undecided, &expected), "{}", Criterion::ALL[at]);
    }
}
