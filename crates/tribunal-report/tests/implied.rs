//! The labeled corpora, all questions at once: what follows from a stronger answer is as labeled, and its certificate is accepted.
#![allow(missing_docs)]

use rayon::prelude::*;
use std::path::PathBuf;
use tribunal::Limits;
use tribunal_formats::{History, Input, open};
use tribunal_report::{Inquiry, Question, Questions, Specifications, Verification, Word};

/// Every so many histories of a corpus: its families come in turns, and all take part.
const EVERY: usize = 7;

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
            let word = match findings.iter().find(|finding| finding.ruling.question().to_string() == *name) {
                Some(finding) => finding.ruling.word(),
                None => continue,
            };
            let expected = match label {
                Some(true) => Word::Consistent,
                Some(false) => Word::Inconsistent,
                None => Word::Unsupported,
            };
            assert_eq!(word, expected, "line {}: {name}", history.line);
        }
        implied
    });
    answered.expect("fit to be judged")
}

fn all_of(corpus: &str, least: usize) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../tribunal/tests/data", corpus].iter().collect();
    let histories = open(&Input::Path(path), None).expect("a corpus").step_by(EVERY);
    let histories: Vec<History> = histories.collect::<Result<_, _>>().expect("histories");
    let inquiry = Inquiry::new(Questions::All, Specifications::default());
    let answers: usize = histories.par_iter().map(|history| implied(&inquiry, history)).sum();
    assert!(answers >= least, "{answers} answers were implied");
}

#[test]
fn by_stronger_models() {
    all_of("memory-public.jsonl.zst", 1000);
    all_of("seqcst-public.jsonl.zst", 500);
}

#[test]
fn by_stronger_criteria() {
    all_of("object-public.jsonl.zst", 300);
}

#[test]
fn by_stronger_levels() {
    all_of("txn-public.jsonl.zst", 1000);
}
