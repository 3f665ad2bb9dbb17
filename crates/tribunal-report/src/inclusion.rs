//! Which questions are stronger than which.

use crate::{Finding, Question, Ruling, Word};
use tribunal::transactions::Verdict;

impl Question {
    /// Whether every history that is consistent with the other is consistent with this one, as far as that is known.
    ///
    /// ```
    /// use tribunal_report::Question;
    /// let question = |name: &str| name.parse::<Question>().expect("a model or criterion");
    /// assert!(question("cc").includes(&question("sc")));
    /// assert!(!question("pram").includes(&question("tso")));
    /// assert!(question("ryw").includes(&question("causal")));
    /// ```
    pub fn includes(&self, other: &Question) -> bool {
        match (self, other) {
            (Question::Criterion(weak), Question::Criterion(strong)) => weak.includes(strong),
            (Question::Model(weak), Question::Model(strong)) => weak.includes(*strong),
            (Question::Level(weak), Question::Level(strong)) => weak.includes(*strong),
            _ => false,
        }
    }
}

/// The findings that say most of an inconsistent history, by index: of the questions it fails, the weakest, those that
/// include no other such one from which their failing would follow. The first of them is the one to show.
pub fn weakest(findings: &[Finding<'_>]) -> Vec<usize> {
    let failing: Vec<(usize, Question)> = findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| finding.ruling.word() == Word::Inconsistent)
        .map(|(at, finding)| (at, finding.ruling.question()))
        .collect();
    let follows =
        |strong: &Question| failing.iter().any(|(_, weak)| weak.includes(strong) && !strong.includes(weak));
    failing.iter().filter(|(_, question)| !follows(question)).map(|(at, _)| *at).collect()
}

/// Answers what limits left undecided by what follows from other answers: what satisfies a level satisfies those that include it, by the same commit order, and what violates
/// a level violates those that it includes, for the same reason. The answers by index that are new.
pub fn carry(findings: &mut [Finding<'_>]) -> Vec<usize> {
    let mut carried = Vec::new();
    for at in 0..findings.len() {
        let &Ruling::Transactions { history, level, verdict: Verdict::Undecided(_) } = &findings[at].ruling
        else {
            continue;
        };
        let follows = findings.iter().find_map(|finding| match &finding.ruling {
            Ruling::Transactions { level: other, verdict, .. } => {
                let follows = match verdict {
                    Verdict::Consistent(_) => level.includes(*other),
                    Verdict::Inconsistent(_) => other.includes(level),
                    Verdict::Undecided(_) | Verdict::Unsupported(_) => false,
                };
                follows.then(|| (verdict.clone(), finding.engine))
            }
            _ => None,
        });
        if let Some((verdict, engine)) = follows {
            findings[at].ruling = Ruling::Transactions { history, level, verdict };
            findings[at].engine = engine;
            carried.push(at);
        }
    }
    carried
}
