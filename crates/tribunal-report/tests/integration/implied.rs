//! The labeled corpora, all questions at once: what follows from a stronger answer is as labeled, and its certificate is accepted.

use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Instant;
use tribunal_formats::{History, Input, open, read};
use tribunal_history::limits::Limits;
use tribunal_history::object::Criterion;
use tribunal_history::verdict::Verdict;
use tribunal_report::{Check, Question, Questions, Specifications, Verification, refuted_by};

/// Every so many histories of a corpus: its families come in turns, and all take part.
const EVERY: usize = 19;

/// How many answers were implied, which are right and verified; the first that is not panics.
fn implied(all: &Check, history: &History) -> usize {
    let limits = Limits::default();
    let checkable = all.checkable(&history.subject, "corpus").expect("fit to be checked");
    let mut asked: Vec<Question> = Vec::new();
    let mut implied = 0;
    let answers = all.ask_all(&checkable, |question, known| {
        assert!(!asked.iter().any(|weak| weak.includes(question)), "{question} comes after a weaker one");
        asked.push(question.clone());
        let mut answer = all.answer_after(known, &checkable, question, &limits);
        let stronger = known
            .iter()
            .any(|strong| strong.verdict().is_consistent() && question.includes(&strong.question()));
        if stronger && !matches!(answer.verdict(), Verdict::Unsupported(())) {
            implied += 1;
            answer.verify(&limits);
            let accepted =
                matches!(answer.verification, Some(Verification::Accepted | Verification::Trusting { .. }));
            assert!(accepted, "{question}: {:?}", answer.verification);
        }
        Some(answer)
    });
    let questions: Vec<Question> = answers.iter().map(|answer| answer.question()).collect();
    assert_eq!(questions, all.questions(&checkable), "the answers are in the order of the questions");
    for (name, label) in &history.labels.0 {
        let named = answers.iter().find(|answer| answer.question().to_string() == *name);
        if let (Some(answer), Some(label)) = (named, label) {
            assert_eq!(answer.verdict().is_consistent(), *label, "line {}: {name}", history.line);
        }
    }
    implied
}

fn all_of(corpus: &str, least: usize) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../tribunal-engines/tests/data", corpus].iter().collect();
    let histories = open(&Input::Path(path), None).expect("a corpus").step_by(EVERY);
    let histories: Vec<History> = histories.collect::<Result<_, _>>().expect("histories");
    let all = Check::new(Questions::All, Specifications::default());
    let answers: usize = histories.par_iter().map(|history| implied(&all, history)).sum();
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
    let all = Check::new(Questions::All, Specifications::default());
    let history = all.checkable(&history.subject, "thin-air.json").expect("fit to be checked");
    let (weak, late) = (Limits::default(), Limits { deadline: Some(Instant::now()), ..Limits::default() });
    let answers = all.ask_all(&history, |question, known| {
        let limits = if question.to_string() == "weak" { &weak } else { &late };
        Some(all.answer_after(known, &history, question, limits))
    });
    let by = |at| refuted_by(&answers, at).map(|weaker| weaker.to_string());
    let refuted: Vec<_> =
        answers.iter().enumerate().map(|(at, answer)| (answer.verdict().word(), by(at))).collect();
    assert_eq!(refuted[0], ("inconsistent", None));
    // Sequential does not include weak, nor the other way round: it stays undecided.
    for (at, (word, by)) in refuted.iter().enumerate().skip(1) {
        let expected = (Criterion::ALL[at] != Criterion::Sequential).then(|| "weak".to_string());
        assert_eq!((*word, by), ("undecided", &expected), "{}", Criterion::ALL[at]);
    }
}
