//! `tribunal record memory --program`: a litmus test on this machine, and what a model says of what it comes to.

use super::MemoryArguments;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::litmus::answer::poll;
use crate::litmus::model::{Choice, Unprepared};
use crate::output::{BAD, Stdout, complain};
use crate::progress::Progress;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_host::most_memory;
use tribunal_litmus::value::Value;
use tribunal_litmus::{Options, Quantifier, Runner, Test};
use tribunal_record::program::{Histogram, Program};
use tribunal_report::counted;

/// The default time of a test.
const RUNNING: Duration = Duration::from_secs(1);
/// The time that the model may take.
const THINKING: Duration = Duration::from_secs(10);

pub fn run(file: &Path, arguments: &MemoryArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let name = file.display().to_string();
    let text =
        tribunal_host::read_text(file).map_err(|source| Failure::Read { file: name.clone(), source })?;
    let test = Test::parse(&name, &String::from_utf8_lossy(&text))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let program = Program::new(&test).map_err(|error| Failure::Usage(error.to_string()))?;
    super::warn(test.threads.len());
    let allowed = match allowed(&test, arguments) {
        Ok(allowed) => Some(allowed),
        Err(why) => {
            complain(&format!("no model beside it: {why}"));
            None
        }
    };
    let begin = Instant::now();
    let most = arguments.histories.unwrap_or(u64::MAX);
    let time = match (arguments.histories, arguments.seconds) {
        (_, Some(seconds)) => seconds,
        (Some(_), None) => Duration::MAX,
        (None, None) => RUNNING,
    };
    let progress = Progress::new();
    let go_on = |so_far: &Histogram| {
        progress.counting(|| counted(so_far.runs(), "run"));
        so_far.runs() + so_far.unfinished < most && begin.elapsed() < time && !interrupt::requested()
    };
    let histogram =
        program.run(arguments.layout, go_on).map_err(|error| Failure::Usage(error.to_string()))?;
    progress.end();
    let forbidden = print(&test, &histogram, allowed.as_ref(), begin.elapsed(), out)?;
    Ok(Tally { inconsistent: forbidden.into(), ..Tally::default() })
}

/// The states that a model allows.
struct Allowed {
    model: String,
    states: BTreeSet<Vec<Value>>,
    /// Whether loops were left unfinished: there may be more.
    cut: bool,
}

fn allowed(test: &Test, arguments: &MemoryArguments) -> Result<Allowed, String> {
    let choice = Choice::new(arguments.model.as_deref(), &arguments.include, None, &[]);
    let limits = Limits {
        deadline: Instant::now().checked_add(THINKING),
        max_states: u64::MAX,
        max_memory: most_memory(),
        stop: Some(interrupt::flag()),
    };
    let prepared = choice.prepared(test, &limits).map_err(|unprepared| match unprepared {
        Unprepared::Wrong(message) => message,
        Unprepared::Limit(limit) => limit.to_string(),
    })?;
    let mut runner = Runner::new(&prepared.plan, Options { counts: false, ..prepared.options });
    let mut reached = None;
    let outcome = runner.run(test, &mut poll(&limits, &mut reached));
    let outcome =
        outcome.map_err(|error| reached.map_or_else(|| error.to_string(), |limit| limit.to_string()))?;
    Ok(Allowed {
        model: prepared.name.clone(),
        states: outcome.states.into_keys().collect(),
        cut: outcome.cut,
    })
}

/// Prints it as litmus7 does, with what the model says; whether it forbids what was seen.
fn print(
    test: &Test,
    histogram: &Histogram,
    allowed: Option<&Allowed>,
    took: Duration,
    out: &mut Stdout,
) -> Result<bool, Failure> {
    let kind = match test.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::ForAll => "Required",
    };
    writeln!(out, "Test {} {kind}", test.name)?;
    writeln!(out, "Histogram ({} states)", histogram.states.len())?;
    let (mut positive, mut negative, mut forbidden) = (0u64, 0u64, false);
    let mut seen = BTreeSet::new();
    for (state, count) in &histogram.states {
        let holds = test.condition.holds(state);
        *(if holds { &mut positive } else { &mut negative }) += count;
        let shown = test.shown_values(state);
        let mut remark = String::new();
        if let Some(allowed) = allowed.filter(|allowed| !allowed.states.contains(&shown)) {
            if allowed.cut {
                remark = format!("  {} with more rounds of a loop?", allowed.model);
            } else {
                remark = out.paint(BAD, &format!("  {} forbids it", allowed.model));
                forbidden = true;
            }
        }
        let mark = if holds { '*' } else { ':' };
        writeln!(out, "{count:<6}{mark}>{}{remark}", test.state(&shown))?;
        seen.insert(shown);
    }
    if let Some(allowed) = allowed {
        let unseen: Vec<_> = allowed.states.difference(&seen).collect();
        let but =
            if unseen.is_empty() { "all seen".to_string() } else { format!("{} never seen", unseen.len()) };
        writeln!(out, "{} allows {} states, {but}", allowed.model, allowed.states.len())?;
        for state in unseen {
            writeln!(out, "0      >{}", test.state(state))?;
        }
    }
    if histogram.unfinished > 0 {
        writeln!(out, "{} runs did not end", histogram.unfinished)?;
    }
    let (holds, text) = match test.quantifier {
        Quantifier::Exists => (positive > 0, "exists"),
        Quantifier::NotExists => (positive == 0, "~exists"),
        Quantifier::ForAll => (negative == 0, "forall"),
    };
    let observation = match (positive, negative) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    writeln!(out, "{}\n", if holds { "Ok" } else { "No" })?;
    writeln!(out, "Witnesses\nPositive: {positive}, Negative: {negative}")?;
    let is = if holds { "is validated" } else { "is NOT validated" };
    writeln!(out, "Condition {text} ({}) {is}", test.condition_text)?;
    writeln!(out, "Observation {} {observation} {positive} {negative}", test.name)?;
    writeln!(out, "Time {} {:.2}", test.name, took.as_secs_f64())?;
    Ok(forbidden)
}
