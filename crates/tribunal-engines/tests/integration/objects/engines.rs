//! Every way the library has to judge a history, held to the right answer and to a proof of it.

use crate::objects::naive;
use tribunal_engines::Engine;
use tribunal_engines::object::{engines, judge, judge_by};
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, History, Specification, Verdict};
use tribunal_verify::object::verify;

/// Histories of at most this many operations are small enough for the definitions and the baselines.
const SMALL: usize = 16;

/// The verdict of the library's own choice of engine, and of every engine that decides the criterion for such a history.
pub fn verdicts(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
) -> Vec<(&'static str, Verdict)> {
    let limits = Limits::default();
    let mut verdicts = vec![("auto", judge(&history.typed(spec).expect("typed"), criterion, &limits).0)];
    let may_explode = |engine| matches!(engine, Engine::WingGong | Engine::Naive) && history.len() > SMALL;
    for &engine in engines(criterion).iter().filter(|&&engine| !may_explode(engine)) {
        match judge_by(&history.typed(spec).expect("typed"), criterion, engine, &limits)
            .expect("an engine of the criterion")
            .0
        {
            // The specialized algorithms are for some histories only.
            Verdict::Unsupported(_) if engine == Engine::Collection => {}
            verdict => verdicts.push((engine.name(), verdict)),
        }
    }
    verdicts
}

/// What is wrong with the library's answers, by whatever engine. The definitions are tried on witnesses of histories that are
/// small enough for it.
pub fn mismatches(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    expected: bool,
) -> Vec<String> {
    let expected = if expected { "consistent" } else { "inconsistent" };
    let mut mismatches = Vec::new();
    for (engine, verdict) in verdicts(history, spec, criterion) {
        let mut mismatch = |what: String| mismatches.push(format!("{criterion} by {engine}: {what}"));
        if verdict.word() != expected {
            mismatch(format!("{} instead of {expected}: {verdict:?}", verdict.word()));
        } else if let Err(refusal) = verify(history, spec, criterion, &verdict) {
            mismatch(format!("the certificate is refused: {refusal}: {verdict:?}"));
        } else if let Verdict::Consistent(execution) = &verdict
            && history.len() <= SMALL
            && !naive::explains(history, spec, criterion, execution)
        {
            mismatch(format!("the naive checker refuses the witness: {execution:?}"));
        }
    }
    mismatches
}

pub fn none(mismatches: Vec<String>) {
    assert!(mismatches.is_empty(), "{} mismatches\n{}", mismatches.len(), mismatches.join("\n"));
}
