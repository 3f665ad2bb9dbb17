//! All questions about a history: the strongest first, and a yes answers what is weaker.

use crate::memory::Racy;
use crate::{EngineChoice, Finding, Inquiry, Judged, Question, Ruling, Word};
use tribunal_engines::memory::models::weaken;
use tribunal_history::object::Verdict as OfObject;
use tribunal_history::transactions::{Isolation, Verdict as OfTransactions};
use tribunal_history::{limits::Limits, verdict::Verdict};

impl Inquiry {
    /// Asks the questions about a history, none before one that is stronger, until `ask` returns none; it is given the findings so
    /// far. The findings are in the order of the questions.
    pub fn ask_all<'a>(
        &self,
        judged: Judged<'a>,
        mut ask: impl FnMut(&Question, &[Finding<'a>]) -> Option<Finding<'a>>,
    ) -> Vec<Finding<'a>> {
        let questions = self.questions(judged);
        let stronger = |weak: &Question| {
            questions.iter().filter(|&strong| strong != weak && weak.includes(strong)).count()
        };
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_by_key(|&at| stronger(&questions[at]));
        let mut findings = Vec::with_capacity(questions.len());
        for &at in &order {
            let Some(finding) = ask(&questions[at], &findings) else { break };
            findings.push(finding);
        }
        let mut findings: Vec<(usize, Finding<'a>)> = order.into_iter().zip(findings).collect();
        findings.sort_by_key(|(at, _)| *at);
        findings.into_iter().map(|(_, finding)| finding).collect()
    }

    /// Asks one of the questions, unless it follows from findings on the same history. An engine that was named is always asked, and so are
    /// questions that were.
    pub fn ask_after<'a>(
        &self,
        findings: &[Finding<'a>],
        judged: Judged<'a>,
        question: &Question,
        limits: &Limits<'_>,
    ) -> Finding<'a> {
        let alone = !self.is_of_all() || self.engine() != EngineChoice::Auto;
        let implied = findings.iter().filter(|_| !alone).find_map(|strong| strong.implies(question, limits));
        implied.unwrap_or_else(|| self.ask(judged, question, limits))
    }
}

impl<'a> Finding<'a> {
    /// The answer to a weaker question if this one is a yes whose witness serves for both.
    fn implies(&self, question: &Question, limits: &Limits<'_>) -> Option<Self> {
        if self.ruling.word() != Word::Consistent || !question.includes(&self.ruling.question()) {
            return None;
        }
        let (ruling, racy) = match (&self.ruling, question) {
            (
                Ruling::Memory { execution, verdict: Verdict::Consistent(witness), .. },
                &Question::Model(model),
            ) => {
                if model.unsupported(execution).is_some() {
                    return None;
                }
                let verdict = Verdict::Consistent(weaken(witness, model)?);
                let racy = Racy::of(execution, model, &verdict, limits);
                (Ruling::Memory { execution, model, verdict }, racy)
            }
            (
                Ruling::Object { typed, verdict: OfObject::Consistent(execution), .. },
                Question::Criterion(criterion),
            ) => {
                let verdict = OfObject::Consistent(execution.clone());
                (Ruling::Object { typed, criterion: criterion.clone(), verdict }, None)
            }
            // Under ru the transactions that count are others.
            (
                Ruling::Transactions { history, verdict: OfTransactions::Consistent(witness), .. },
                &Question::Level(level),
            ) if level.isolation() != Isolation::Ru => {
                let verdict = OfTransactions::Consistent(witness.clone());
                (Ruling::Transactions { history, level, verdict }, None)
            }
            _ => return None,
        };
        Some(Finding { ruling, engine: self.engine, micros: 0, racy, verification: None })
    }
}
