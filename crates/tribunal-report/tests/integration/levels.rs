//! The labelled corpus of transactions: whatever is inconsistent is explained on a screen, and has a name that agrees with the levels.

use rayon::prelude::*;
use std::path::PathBuf;
use tribunal_engines::transactions::Shape;
use tribunal_formats::{History, Input, Subject, Transactions, open};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{Base, Isolation, Level};
use tribunal_history::verdict::Verdict;
use tribunal_report::transactions::anomaly;
use tribunal_report::{Answer, Checkable, On, Question, SCREENFUL, Section, contrast, section, sections};

/// No line is longer.
const COLUMNS: usize = 110;

fn corpus() -> Vec<History> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../tribunal-engines/tests/data/txn-public.jsonl.zst"].iter().collect();
    let histories = open(&Input::Path(path), None).expect("a corpus");
    histories.collect::<Result<_, _>>().expect("histories")
}

fn ill_shown(shown: &[Section]) -> Option<String> {
    let height = 1 + shown.iter().map(Section::height).sum::<usize>();
    let wide =
        shown.iter().flat_map(|section| &section.lines).find(|line| line.chars().count() + 2 > COLUMNS);
    match wide {
        _ if height > SCREENFUL => Some(format!("{height} lines")),
        Some(line) => Some(format!("too wide: {line}")),
        None => None,
    }
}

/// The isolations that forbid a shape whatever the base.
fn forbids(shape: Shape) -> Isolation {
    match shape {
        Shape::DirtyWrite | Shape::IncompatibleOrder => Isolation::Ru,
        Shape::Misread(what) if what.breaks_everything() => Isolation::Ru,
        Shape::Misread(_) | Shape::CircularFlow => Isolation::Rc,
        Shape::NonMonotonicRead => Isolation::Mav,
        Shape::NonRepeatableRead | Shape::FracturedRead => Isolation::Rat,
        Shape::StaleSessionRead | Shape::StaleRead => Isolation::Rat,
        Shape::CausalityViolation | Shape::LostUpdate | Shape::GSingle | Shape::LongFork => Isolation::Psi,
        Shape::GNonadjacent => Isolation::Si,
        _ => Isolation::Ser,
    }
}

/// The answers to all levels.
fn all_of(transactions: &Transactions) -> Vec<Answer> {
    let history = Checkable::Transactions(transactions.history.clone());
    let ask = |level| Answer::of(&history, &Question::Level(level), None, &Limits::default());
    Level::ALL.into_iter().map(ask).collect()
}

#[test]
fn every_violation_of_transactions_is_explained() {
    let ill: Vec<String> = corpus()
        .par_iter()
        .flat_map_iter(|history| {
            let Subject::Transactions(transactions) = &history.subject else { panic!("transactions") };
            let limits = Limits::default();
            let answers = all_of(transactions);
            let mut ill = Vec::new();
            let mut add = |what: &str, found: Option<String>| {
                ill.extend(found.map(|found| format!("line {}: {what}: {found}", history.line)));
            };
            add("all", ill_shown(&sections(&answers, history, SCREENFUL - 1, &limits)));
            for answer in &answers {
                let shown = section(answer, history, SCREENFUL - 1, &limits);
                add(&answer.question().to_string(), ill_shown(&[shown]));
            }
            let strong = answers.iter().find(|answer| answer.verdict().is_inconsistent());
            let weak = answers.iter().rfind(|answer| answer.verdict().is_consistent());
            if let (Some(strong), Some(weak)) = (strong, weak) {
                add("contrast", ill_shown(&contrast(strong, weak, history, SCREENFUL - 3, &limits)));
            }
            ill
        })
        .collect();
    assert!(ill.is_empty(), "{} wrong\n{}", ill.len(), ill[..ill.len().min(20)].join("\n"));
}

/// What the weakest level that fails is violated by is nothing that a weaker one would have forbidden: but for a few, whose proofs rest on more than is looked at.
#[test]
fn names_agree_with_levels() {
    let (named, wrong): (usize, usize) = corpus()
        .par_iter()
        .map(|history| {
            let Subject::Transactions(transactions) = &history.subject else { panic!("transactions") };
            let history = &*transactions.history;
            let answers = all_of(transactions);
            let mut counts = (0, 0);
            for at in tribunal_report::weakest(&answers) {
                if let On::Transactions { level, verdict: Verdict::Inconsistent(violation), .. } =
                    &answers[at].on
                {
                    counts.0 += 1;
                    let least = match (forbids(anomaly(history, *level, violation).shape()), level.base()) {
                        // ru knows neither sessions nor real time.
                        (Isolation::Ru, Base::Session | Base::Strict) => Isolation::Rc,
                        (least, _) => least,
                    };
                    counts.1 += usize::from(least < level.isolation() && least < Isolation::Tcc);
                }
            }
            counts
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(named > 1500 && wrong * 400 <= named, "{wrong} of {named}");
}
