//! Which answer a person looks for first.

use tribunal::object::Criterion;
use tribunal::transactions::{Base, Isolation};
use tribunal::{Model, Verdict};
use tribunal_report::{Finding, Question, Ruling, Word};

/// The finding to show first. Of the questions that people ask first, the one that fails with the shortest reason; else any that
/// fails, with the shortest reason; else the strongest that holds.
pub fn first_asked(findings: &[Finding<'_>]) -> usize {
    let failing = (0..findings.len()).filter(|&at| findings[at].ruling.word() == Word::Inconsistent);
    let key = |&at: &usize| {
        let rank = rank(&findings[at].ruling.question());
        (rank.is_none(), length(&findings[at].ruling), rank)
    };
    failing.min_by_key(key).or_else(|| strongest(findings)).unwrap_or(0)
}

/// The failing question by which to explain why a weaker one holds: one that implies it, asked first.
pub fn stronger_failing(findings: &[Finding<'_>], holding: usize) -> Option<usize> {
    let weak = findings[holding].ruling.question();
    let failing = (0..findings.len()).filter(|&at| findings[at].ruling.word() == Word::Inconsistent);
    let stronger = failing.filter(|&at| weak.includes(&findings[at].ruling.question()));
    stronger.min_by_key(|&at| rank(&findings[at].ruling.question()).unwrap_or(usize::MAX))
}

/// The place of a question among those that people ask first.
fn rank(question: &Question) -> Option<usize> {
    match question {
        Question::Model(model) => {
            [Model::Sc, Model::Tso, Model::Rc20, Model::Ra].iter().position(|asked| asked == model)
        }
        Question::Criterion(criterion) => (*criterion == Criterion::Linearizable).then_some(0),
        Question::Level(level) => {
            (level.isolation() == Isolation::Ser && level.base() == Base::None).then_some(0)
        }
    }
}

/// How long the reason is.
fn length(ruling: &Ruling<'_>) -> usize {
    match ruling {
        Ruling::Memory { verdict: Verdict::Inconsistent(violation), .. } => violation.weight(),
        // The part that sequential cannot explain has no first operation.
        Ruling::Object { criterion: Criterion::Sequential, .. } => 1,
        // A reason that needs neither sessions nor real time is the simplest.
        Ruling::Transactions { level, .. } => level.base() as usize,
        _ => 0,
    }
}

/// A question that holds and that no other one implies.
fn strongest(findings: &[Finding<'_>]) -> Option<usize> {
    let question = |at: usize| findings[at].ruling.question();
    let held: Vec<usize> =
        (0..findings.len()).filter(|&at| findings[at].ruling.word() == Word::Consistent).collect();
    let stronger =
        |a: usize, b: usize| question(b).includes(&question(a)) && !question(a).includes(&question(b));
    held.iter().copied().find(|&at| !held.iter().any(|&other| stronger(other, at)))
}
