//! Comparing verdicts with the labels that histories carry.

use tribunal_formats::Labels;
use tribunal_history::verdict::{Limit, Verdict};
use tribunal_report::Case;
use tribunal_report::Question;
use tribunal_report::{Answer, counted};

/// The comparisons so far.
#[derive(Default)]
pub struct Expectations {
    compared: u64,
    mismatched: u64,
    unsupported: u64,
}

impl Expectations {
    /// Compares the answers on a history with its labels; a line for each mismatch. With `every_label`, a label of a
    /// model that does not exist here counts as unsupported.
    pub fn compare(
        &mut self,
        case: &Case<'_>,
        labels: &Labels,
        answers: &[Answer],
        every_label: bool,
    ) -> Vec<String> {
        let mut mismatches = Vec::new();
        for (name, label) in &labels.0 {
            let Some(expected) = *label else { continue };
            let question = name.parse::<Question>().ok();
            let asked = answers.iter().find(|answer| Some(answer.question()) == question);
            let Some(answer) = asked else {
                self.unsupported += u64::from(every_label);
                continue;
            };
            let agrees = match answer.verdict() {
                Verdict::Unsupported(()) => {
                    self.unsupported += 1;
                    continue;
                }
                Verdict::Undecided(Limit::Stopped) => continue,
                Verdict::Undecided(_) => false,
                Verdict::Consistent(()) => expected,
                Verdict::Inconsistent(()) => !expected,
            };
            self.compared += 1;
            if !agrees {
                self.mismatched += 1;
                let expected = if expected { "consistent" } else { "inconsistent" };
                let (index, question, word) = (case.index, answer.question(), answer.verdict().word());
                mismatches
                    .push(format!("{case}, history {index}: {question}: expected {expected}, got {word}"));
            }
        }
        mismatches
    }

    /// Adds what was compared elsewhere.
    pub fn add(&mut self, other: &Expectations) {
        self.compared += other.compared;
        self.mismatched += other.mismatched;
        self.unsupported += other.unsupported;
    }

    /// Whether there was nothing to compare: no label of what was asked.
    pub fn is_empty(&self) -> bool {
        self.compared == 0 && self.unsupported == 0
    }

    /// The comparisons in words.
    pub fn summary(&self) -> String {
        let Expectations { compared, mismatched, unsupported } = self;
        let compared = counted(*compared, "verdict");
        format!("{compared} compared, {mismatched} mismatched, {unsupported} unsupported")
    }
}
