//! Comparing verdicts with the labels that histories carry.

use super::{Case, Finding};
use tribunal::verdict::Limit;
use tribunal::{Model, Verdict};
use tribunal_formats::Labels;

/// What was compared so far.
#[derive(Default)]
pub struct Expectations {
    compared: u64,
    mismatched: u64,
    unsupported: u64,
}

impl Expectations {
    /// Compares the findings on a history with its labels; a line for each mismatch. With `every_label`, a label of a
    /// model that does not exist here counts as unsupported.
    pub fn compare(
        &mut self,
        case: &Case<'_>,
        labels: &Labels,
        findings: &[Finding],
        every_label: bool,
    ) -> Vec<String> {
        let mut mismatches = Vec::new();
        for (name, label) in &labels.0 {
            let Some(expected) = *label else { continue };
            let model = name.parse::<Model>().ok();
            let Some(finding) = findings.iter().find(|finding| Some(finding.model) == model) else {
                self.unsupported += u64::from(every_label);
                continue;
            };
            let verdict = &finding.judgement.verdict;
            let agrees = match verdict {
                Verdict::Unsupported(_) => {
                    self.unsupported += 1;
                    continue;
                }
                Verdict::Undecided(Limit::Stopped) => continue,
                Verdict::Undecided(_) => false,
                Verdict::Consistent(_) => expected,
                Verdict::Inconsistent(_) => !expected,
            };
            self.compared += 1;
            if !agrees {
                self.mismatched += 1;
                let expected = if expected { "consistent" } else { "inconsistent" };
                let (index, model, word) = (case.index, finding.model, verdict.word());
                mismatches.push(format!("{case}, history {index}: {model}: expected {expected}, got {word}"));
            }
        }
        mismatches
    }

    /// Whether every comparison agreed.
    pub fn all_agree(&self) -> bool {
        self.mismatched == 0
    }

    /// The comparisons in words.
    pub fn summary(&self) -> String {
        let Expectations { compared, mismatched, unsupported } = self;
        format!("{compared} verdicts compared, {mismatched} mismatched, {unsupported} unsupported")
    }
}
