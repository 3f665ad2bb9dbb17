//! What came of a row.

use super::Model;
use super::rows::Row;
use super::run::Answer;
use serde_json::Value;
use std::fmt;

pub(super) enum Outcome {
    /// It was built, and that was all that was asked for.
    Built,
    NotBuilt(String),
    /// A limit ended it.
    Limit,
    /// It printed nothing that could be read.
    Crashed(String),
    /// All of its executions were explored.
    Complete(Counts),
    /// An execution fails.
    Failed {
        kind: String,
        message: String,
    },
}

/// Numbers of executions.
pub(super) struct Counts {
    pub(super) executions: u64,
    /// The same with mo.
    pub(super) with_mo: u64,
    pub(super) blocked: u64,
}

/// How an outcome stands to what GenMC says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    Equal,
    Differs,
    Limit,
    NotBuilt,
    Crashed,
}

impl Standing {
    pub(super) const ALL: [Standing; 5] =
        [Standing::Equal, Standing::Differs, Standing::Limit, Standing::NotBuilt, Standing::Crashed];

    pub(super) fn name(self) -> &'static str {
        match self {
            Standing::Equal => "equal",
            Standing::Differs => "differ",
            Standing::Limit => "limit",
            Standing::NotBuilt => "not built",
            Standing::Crashed => "crashed",
        }
    }
}

impl Outcome {
    /// What an answer says of a row.
    pub(super) fn of(answer: Answer) -> Self {
        let report = match answer {
            Answer::Report(report) => report,
            Answer::Late => return Outcome::Limit,
            Answer::Silent(why) => return Outcome::Crashed(why),
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let failure = &report["failure"];
        if failure.is_object() {
            return Outcome::Failed { kind: text(&failure["kind"]), message: text(&failure["message"]) };
        }
        let executions = report["executions"].as_u64();
        match (report["end"].as_str(), executions) {
            (Some("complete"), Some(executions)) => Outcome::Complete(Counts {
                executions,
                with_mo: report["with_mo"].as_u64().unwrap_or(executions),
                blocked: report["blocked"].as_u64().unwrap_or_default(),
            }),
            (Some(_), Some(_)) => Outcome::Limit,
            _ => Outcome::Crashed(format!("it printed {report}")),
        }
    }

    /// How it stands to what GenMC has: the same number of executions, or the error.
    pub(super) fn standing(&self, row: &Row, model: Model) -> Standing {
        let equal = match self {
            Outcome::NotBuilt(_) => return Standing::NotBuilt,
            Outcome::Limit => return Standing::Limit,
            Outcome::Crashed(_) => return Standing::Crashed,
            Outcome::Built => true,
            Outcome::Complete(counts) => row.error.is_none() && row.expected(model) == Some(counts.with_mo),
            Outcome::Failed { kind, .. } => {
                row.error.as_ref().is_some_and(|error| kinds(error).contains(&kind.as_str()))
            }
        };
        if equal { Standing::Equal } else { Standing::Differs }
    }
}

/// The kinds of failure that an error of GenMC's is here.
fn kinds(error: &str) -> &'static [&'static str] {
    match error {
        "Non-Atomic race" => &["race"],
        "Safety violation" => &["panic"],
        "Liveness violation" => &["livelock", "deadlock"],
        // What is not allocated need not be mapped.
        "Attempt to access non-allocated memory" => &["misuse", "crash"],
        _ => &["misuse"],
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Built => f.write_str("built"),
            Outcome::NotBuilt(why) => write!(f, "not built: {why}"),
            Outcome::Limit => f.write_str("limit"),
            Outcome::Crashed(why) => write!(f, "crashed: {why}"),
            Outcome::Complete(Counts { executions, with_mo, blocked }) => {
                write!(f, "{with_mo} executions ({executions} without mo, {blocked} blocked)")
            }
            Outcome::Failed { kind, message } => write!(f, "{kind}: {message}"),
        }
    }
}
