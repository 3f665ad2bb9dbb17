//! A test's answer under a model, made while others are.

use super::model::Unprepared;
use super::{LitmusStyle, Session};
use crate::interrupt;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tribunal_cat::limits::Stopped;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;
use tribunal_litmus::{Observation, Options, Outcome, RunError, Runner, Test, Verdict, herd};
use tribunal_report::{SCHEMA, printable_lines};

/// The result of a test under a model.
pub enum Answered {
    Run(Answer),
    /// The limit that was reached.
    Undecided(String),
    /// The reason why it was not run.
    Failed(String),
}

/// The answer of a model to a test.
pub struct Answer {
    pub verdict: Verdict,
    pub observation: Observation,
    pub states: usize,
    /// Whether a loop was left unfinished.
    pub cut: bool,
    /// The text that is printed of it, if it is no row of a table.
    pub text: Option<String>,
}

/// Runs one test after the other, with the same memory.
pub struct Worker<'s> {
    session: &'s Session,
    /// By model; that of the last test's architecture.
    runners: Vec<Option<(String, Runner<'s>)>>,
}

impl Session {
    pub fn worker(&self) -> Worker<'_> {
        Worker { session: self, runners: self.models.iter().map(|_| None).collect() }
    }
}

impl Worker<'_> {
    /// The answers of all models.
    pub fn answer(&mut self, file: &Path) -> Vec<Answered> {
        let name = file.to_string_lossy();
        let count = self.session.models.len();
        let all = |message: String| (0..count).map(|_| Answered::Failed(message.clone())).collect();
        let text = match tribunal_host::read_text(file) {
            Ok(bytes) => bytes,
            Err(error) => return all(format!("{name}: {error}")),
        };
        match Test::parse_with(&name, &String::from_utf8_lossy(&text), &self.session.macros) {
            Ok(test) => (0..count).map(|model| self.under(model, &name, &test)).collect(),
            Err(error) => all(error.to_string()),
        }
    }

    fn under(&mut self, model: usize, name: &str, test: &Test) -> Answered {
        if interrupt::flag().load(Ordering::Relaxed) {
            return undecided(Limit::Stopped);
        }
        let watched = self.session.budget.limits();
        // Each worker has its share of the memory.
        let limits = Limits { max_memory: watched.max_memory / self.session.workers, ..*watched };
        let prepared = match self.session.models[model].prepared(test, &limits) {
            Ok(prepared) => prepared,
            Err(Unprepared::Limit(limit)) => return undecided(limit),
            Err(Unprepared::Wrong(message)) => return Answered::Failed(message),
        };
        if self.runners[model].as_ref().is_none_or(|(arch, _)| *arch != test.arch) {
            let counts = self.session.style != LitmusStyle::Table;
            let options = Options { counts, unroll: self.session.unroll, ..prepared.options };
            self.runners[model] = Some((test.arch.clone(), Runner::new(&prepared.plan, options)));
        }
        let Some((_, runner)) = &mut self.runners[model] else { return undecided(Limit::Stopped) };
        let start = Instant::now();
        let mut reached = None;
        let outcome = runner.run(test, &mut poll(&limits, &mut reached));
        match outcome {
            Ok(outcome) => Answered::Run(Answer {
                verdict: outcome.verdict(test.quantifier),
                observation: outcome.observation(),
                states: outcome.states.len(),
                cut: outcome.cut,
                text: match self.session.style {
                    LitmusStyle::Herd => {
                        let text = herd(test, &outcome, start.elapsed().as_secs_f64());
                        Some(printable_lines(&text).into_owned())
                    }
                    LitmusStyle::Json => Some(line(&prepared.name, name, test, &outcome)),
                    LitmusStyle::Table => None,
                },
            }),
            Err(RunError::Stopped(_)) => undecided(reached.unwrap_or(Limit::Stopped)),
            Err(error) => Answered::Failed(error.to_string()),
        }
    }
}

fn undecided(limit: Limit) -> Answered {
    Answered::Undecided(format!("undecided: {limit}"))
}

/// The limits as the languages of models and tests ask for them; which one was reached.
pub fn poll(
    limits: &Limits<'_>,
    reached: &mut Option<Limit>,
) -> impl FnMut(usize, u64) -> Result<(), Stopped> {
    move |bytes, states| {
        let within = limits.check_memory(bytes, states).and(limits.check(states));
        within.map_err(|limit| {
            *reached = Some(limit);
            Stopped
        })
    }
}

/// The answer of a model to a test, as a line of JSON.
fn line(model: &str, file: &str, test: &Test, outcome: &Outcome) -> String {
    let all = outcome.executions();
    let states: Vec<String> = outcome.states.keys().map(|state| test.state(state)).collect();
    let line = json!({
        "schema": SCHEMA,
        "test": test.name,
        "file": file,
        "arch": test.arch,
        "model": model,
        "verdict": outcome.verdict(test.quantifier).to_string(),
        "observation": outcome.observation().to_string(),
        "loop": outcome.cut,
        "flags": outcome.flags,
        "positive": all.positive,
        "negative": all.negative,
        "states": states,
    });
    line.to_string()
}
