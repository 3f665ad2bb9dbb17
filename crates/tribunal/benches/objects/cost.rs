//! Judging with a stopwatch, and with a scale.

use crate::explosions;
use crate::peak::{peak, start_peak};
use crate::table::time;
use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};
use tribunal::Limits;
use tribunal::object::{Criterion, Engine, History, Judgement, Specification, Verdict, judge, judge_by};
use tribunal::verify::object::verify;

/// How long an engine may take over one history.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A verdict and what it cost.
pub struct Timed {
    pub judgement: Judgement,
    pub time: Duration,
}

impl Timed {
    pub fn decided(&self) -> bool {
        !matches!(self.judgement.verdict, Verdict::Undecided(_) | Verdict::Unsupported(_))
    }

    /// The time it took, or that it was not enough.
    pub fn show(&self) -> String {
        if self.decided() { time(self.time) } else { format!("> {}", time(self.time)) }
    }
}

/// Judges once, by an engine or by whatever is best; the only limits are patience and memory.
pub fn timed(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    engine: Option<Engine>,
) -> Timed {
    let start = Instant::now();
    let limits = Limits {
        deadline: Some(start + PATIENCE),
        max_states: u64::MAX,
        max_memory: 2 << 30,
        ..Limits::default()
    };
    let judgement = match engine {
        Some(engine) => Judgement { verdict: judge_by(history, spec, criterion, engine, &limits), engine },
        None => judge(history, spec, criterion, &limits),
    };
    Timed { judgement, time: start.elapsed() }
}

/// The fastest of so many runs.
pub fn best(
    runs: u32,
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    engine: Option<Engine>,
) -> Timed {
    let mut best = timed(history, spec, criterion, engine);
    for _ in 1..runs {
        let again = timed(history, spec, criterion, engine);
        if again.time < best.time {
            best = again;
        }
    }
    best
}

/// Whether the certificate verifies, and how long that takes.
pub fn verified(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
) -> String {
    let start = Instant::now();
    match verify(history, spec, criterion, verdict) {
        Ok(()) => time(start.elapsed()),
        Err(refusal) => format!("REFUSED: {refusal}"),
    }
}

/// The argument, before a load's name, that makes this program measure itself.
pub const CHILD: &str = "--measure-memory";

/// The peak of a process that checks a history, in bytes: the program and the history included.
pub fn memory(load: &str) -> Result<Option<u64>, Box<dyn Error>> {
    if peak().is_none() {
        return Ok(None);
    }
    let output = Command::new(std::env::current_exe()?).args([CHILD, load]).output()?;
    if !output.status.success() {
        return Err(format!("{load}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
}

/// Builds and checks a history; prints the peak of checking it.
pub fn measure(load: &str) -> Result<(), Box<dyn Error>> {
    let case = explosions::case(load).ok_or_else(|| format!("no case `{load}`"))?;
    start_peak();
    let verdict = timed(&case.history, &*case.spec, &Criterion::Linearizable, None).judgement.verdict;
    assert_eq!(verdict.is_consistent(), case.linearizable, "{load}");
    println!("{}", peak().ok_or("no peak")?);
    Ok(())
}
