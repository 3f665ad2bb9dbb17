//! The expectations of a program, and whether they are met.

use super::setting::Setting;
use super::syntax::{Expectation, Values};
use super::{Exploration, Outcomes};
use crate::report::{End, Problem, Report};
use std::collections::BTreeSet;
use std::fmt;
use tribunal_history::model::Model;

/// The kinds of failures that a program may expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Any.
    Any,
    /// An assertion or a condition on outcomes fails.
    Assertion,
    /// A data race.
    Race,
    /// Threads wait for one another.
    Deadlock,
    /// Threads wait in loops for values that nobody writes.
    Livelock,
    /// Something was misused: freed memory, an index out of bounds.
    Misuse,
    /// A thread that runs too long.
    Endless,
}

impl FailureKind {
    const ALL: [(&'static str, FailureKind); 7] = [
        ("failure", FailureKind::Any),
        ("assertion", FailureKind::Assertion),
        ("race", FailureKind::Race),
        ("deadlock", FailureKind::Deadlock),
        ("livelock", FailureKind::Livelock),
        ("misuse", FailureKind::Misuse),
        ("endless", FailureKind::Endless),
    ];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(other, _)| *other == name).map(|&(_, kind)| kind)
    }

    /// What programs call it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, other)| *other == self).map_or("failure", |(name, _)| name)
    }

    /// The kind of a problem.
    pub fn of(problem: &Problem) -> Self {
        match problem {
            Problem::Panic { .. } => FailureKind::Assertion,
            Problem::Race { .. } | Problem::Conflict { .. } => FailureKind::Race,
            Problem::Deadlock { .. } => FailureKind::Deadlock,
            Problem::Livelock { .. } => FailureKind::Livelock,
            Problem::TooLong { .. } => FailureKind::Endless,
            _ => FailureKind::Misuse,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The expectation for some settings under a model.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its line in the text.
    pub line: u32,
    /// Settings of constants; the others have their declared values.
    pub settings: Vec<Setting>,
    /// The model.
    pub model: Model,
    pub(super) items: Vec<Expectation>,
}

/// An expectation that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl Case {
    /// The expected number of executions, if given.
    pub fn executions(&self) -> Option<u64> {
        self.items.iter().find_map(|item| match item {
            Expectation::Executions(executions) => Some(*executions),
            _ => None,
        })
    }

    /// Whether a failure is expected.
    pub fn expects_failure(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Expectation::Failure(_)))
    }

    /// What differs from the expectation. For an exploration that a limit ended, only what is already wrong.
    pub fn mismatches(&self, exploration: &Exploration) -> Vec<Mismatch> {
        let Exploration { report, outcomes } = exploration;
        let mut mismatches: Vec<Mismatch> =
            self.items.iter().filter_map(|item| mismatch(item, report, outcomes)).collect();
        if let (false, Some(failure)) = (self.expects_failure(), &report.failure) {
            let (expected, found) =
                ("no failure".into(), format!("{} ({})", FailureKind::of(&failure.problem), failure.place));
            mismatches.insert(0, Mismatch { expected, found });
        }
        mismatches
    }
}

fn mismatch(item: &Expectation, report: &Report, outcomes: &Outcomes) -> Option<Mismatch> {
    let complete = report.end == End::Complete;
    let count = |expected: u64, found: u64, what: &str| {
        let wrong = if complete { expected != found } else { expected < found };
        wrong.then(|| Mismatch { expected: format!("{expected} {what}"), found: found.to_string() })
    };
    match item {
        Expectation::Executions(expected) => count(*expected, report.executions, "executions"),
        Expectation::Blocked(expected) => count(*expected, report.blocked, "blocked executions"),
        Expectation::OutcomeCount(expected) => count(*expected, outcomes.counts.len() as u64, "outcomes"),
        Expectation::Outcomes { these, except } => {
            let except = product(except);
            let expected: BTreeSet<Vec<i64>> = product(these).difference(&except).cloned().collect();
            let found: BTreeSet<Vec<i64>> = outcomes.counts.keys().cloned().collect();
            let (missing, added) = (tuples(expected.difference(&found)), tuples(found.difference(&expected)));
            let wrong = !added.is_empty() || complete && !missing.is_empty();
            let or_none = |text: String| if text.is_empty() { "no more".into() } else { text };
            wrong.then(|| Mismatch {
                expected: format!("outcomes that are missing: {}", or_none(missing)),
                found: format!("unexpected ones: {}", or_none(added)),
            })
        }
        // A failure that is not expected is a mismatch of the case.
        Expectation::Success => None,
        Expectation::Failure(kind) => {
            let found = report.failure.as_ref().map(|failure| FailureKind::of(&failure.problem));
            let met = match found {
                None => !complete && report.end != End::Failed,
                Some(found) => *kind == FailureKind::Any || *kind == found,
            };
            let (expected, found) =
                (kind.to_string(), found.map_or("no failure".into(), |kind| kind.to_string()));
            (!met).then_some(Mismatch { expected, found })
        }
    }
}

/// All outcomes that patterns stand for.
fn product(patterns: &[Vec<Values>]) -> BTreeSet<Vec<i64>> {
    let all = patterns.iter().flat_map(|pattern| {
        pattern.iter().fold(vec![Vec::new()], |rows: Vec<Vec<i64>>, values| {
            let longer = |row: &Vec<i64>| {
                let row = row.clone();
                values
                    .iter()
                    .cloned()
                    .flatten()
                    .map(move |value| [row.as_slice(), &[value]].concat())
                    .collect::<Vec<_>>()
            };
            rows.iter().flat_map(longer).collect()
        })
    });
    all.collect()
}

fn tuples<'a>(outcomes: impl Iterator<Item = &'a Vec<i64>>) -> String {
    let tuple = |outcome: &Vec<i64>| {
        let values: Vec<String> = outcome.iter().map(i64::to_string).collect();
        format!("({})", values.join(", "))
    };
    outcomes.map(tuple).collect::<Vec<_>>().join(" ")
}
