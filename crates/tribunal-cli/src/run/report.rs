//! What the runtime tells: a JSON object a line, through a pipe that the program inherits.

use crate::explore::is_unfinished;
use serde::Deserialize;
use std::time::Duration;
use tribunal_explore::options;
use tribunal_explore::{End, Estimate};

/// A line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// How far it is.
    Progress(Progress),
    /// Something that the user should know.
    Warning(String),
    /// The result.
    Report(Box<Report>),
}

#[derive(Debug, Deserialize)]
pub struct Progress {
    executions: u64,
    blocked: u64,
    seconds: f64,
    estimate: Option<Told>,
}

/// How many executions there are.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Told {
    executions: f64,
    error: f64,
}

/// The result of an exploration.
#[derive(Debug, Deserialize)]
pub struct Report {
    pub model: String,
    executions: u64,
    with_mo: Option<u64>,
    blocked: u64,
    outside: u64,
    events: usize,
    #[serde(with = "EndName")]
    end: End,
    /// Why not all was seen, in a line.
    pub unfinished: Option<String>,
    seconds: f64,
    #[serde(default)]
    estimate: Option<Told>,
    pub failure: Option<Failure>,
    #[serde(default)]
    pub models: Vec<Under>,
    pub repair: Option<Repair>,
}

/// The names of ends.
#[derive(Deserialize)]
#[serde(remote = "End", rename_all = "kebab-case")]
enum EndName {
    Complete,
    Failed,
    MaxExecutions,
    MaxDuration,
    MaxMemory,
    Interrupted,
    Bounded,
    Skipped,
    Sampled,
}

/// An execution that fails.
#[derive(Debug, Deserialize)]
pub struct Failure {
    /// In a word, such as `race`.
    pub kind: String,
    /// In a line or two.
    pub headline: String,
    /// In all detail.
    pub text: String,
    /// Where it was noticed.
    pub place: Option<Place>,
    /// The places that the failure is about, as far as they are known.
    #[serde(default)]
    places: Vec<Option<Place>>,
    pub thread: Option<String>,
    pub replay: String,
    /// The last lines that the execution prints.
    #[serde(default)]
    pub output: Vec<String>,
    /// The file that it was written to.
    pub history: Option<String>,
}

/// A place in the source; without debug information a place in the program, with line 0.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Failure {
    /// The places that it is about.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().flatten()
    }
}

/// Whether a program that fails does so under a model.
#[derive(Debug, Deserialize)]
pub struct Under {
    pub model: String,
    pub verdict: String,
}

/// How to repair a program that fails.
#[derive(Debug, Deserialize)]
pub struct Repair {
    pub lines: Vec<String>,
}

impl From<Told> for Estimate {
    fn from(Told { executions, error }: Told) -> Self {
        Estimate { executions, error }
    }
}

impl From<Progress> for options::Progress {
    fn from(progress: Progress) -> Self {
        options::Progress {
            executions: progress.executions,
            blocked: progress.blocked,
            estimate: progress.estimate.map(Estimate::from),
            elapsed: Duration::try_from_secs_f64(progress.seconds).unwrap_or_default(),
        }
    }
}

impl Report {
    /// Whether a limit ended the exploration before all was seen that was asked for.
    pub fn is_unfinished(&self) -> bool {
        is_unfinished(self.end)
    }

    /// The same as the explorer says it, but for the failure.
    pub fn counts(&self) -> tribunal_explore::Report {
        tribunal_explore::Report {
            executions: self.executions,
            with_mo: self.with_mo,
            blocked: self.blocked,
            outside: self.outside,
            events: self.events,
            end: self.end,
            estimate: self.estimate.map(Estimate::from),
            failure: None,
            duration: Duration::try_from_secs_f64(self.seconds).unwrap_or_default(),
        }
    }
}
