//! Which questions are stronger than which.

use crate::{Finding, Question, Word};

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

/// The question by which an undecided one is answered after all: a weaker one that fails.
pub fn refuted_by(findings: &[Finding<'_>], at: usize) -> Option<Question> {
    let strong = &findings[at].ruling;
    if strong.word() != Word::Undecided {
        return None;
    }
    let failing = findings.iter().filter(|finding| finding.ruling.word() == Word::Inconsistent);
    failing.map(|finding| finding.ruling.question()).find(|weak| weak.includes(&strong.question()))
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
