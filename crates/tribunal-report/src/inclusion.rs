//! Inclusions between questions: which are stronger than which.

use crate::{Answer, Question};

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
pub fn refuted_by(answers: &[Answer], at: usize) -> Option<Question> {
    let strong = &answers[at];
    strong.verdict().limit()?;
    let failing = answers.iter().filter(|answer| answer.verdict().is_inconsistent());
    failing.map(|answer| answer.question()).find(|weak| weak.includes(&strong.question()))
}

/// The answers that say most of an inconsistent history, by index: of the questions it fails, the weakest, those that
/// include no other such one from which their failing would follow. The first of them is the one to show.
pub fn weakest(answers: &[Answer]) -> Vec<usize> {
    let failing: Vec<(usize, Question)> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.verdict().is_inconsistent())
        .map(|(at, answer)| (at, answer.question()))
        .collect();
    let follows =
        |strong: &Question| failing.iter().any(|(_, weak)| weak.includes(strong) && !strong.includes(weak));
    failing.iter().filter(|(_, question)| !follows(question)).map(|(at, _)| *at).collect()
}
