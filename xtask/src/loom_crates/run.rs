//! Running a test by itself, for no longer than a time of the processor: what else the machine does is not counted.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What came of a test.
pub(super) enum Verdict {
    /// Everything was explored.
    Complete,
    /// It passes, but something was left out: the line that says what.
    Bounded(String),
    Fails(String),
    TimeLimit,
}

impl Verdict {
    /// Where it is counted.
    pub(super) fn column(&self) -> usize {
        match self {
            Verdict::Complete => 0,
            Verdict::Bounded(_) => 1,
            Verdict::Fails(_) => 2,
            Verdict::TimeLimit => 3,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Complete => f.write_str("complete"),
            Verdict::Bounded(line) => write!(f, "bounded: {line}"),
            Verdict::Fails(message) => write!(f, "**fails**: {message}"),
            Verdict::TimeLimit => f.write_str("time limit"),
        }
    }
}

pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    /// Of all models of the test together.
    pub(super) executions: u64,
    /// Of the processor.
    pub(super) seconds: f64,
}

/// How many times longer than its time a test may take by the clock: one that hangs takes no time of the processor.
const LATE: u32 = 20;

/// Runs a test of one of the files.
pub(super) fn test(files: &[PathBuf], test: &str, timeout: Duration, preemptions: Option<&str>) -> Outcome {
    let none =
        |message: &str| Outcome { verdict: Verdict::Fails(message.into()), executions: 0, seconds: 0.0 };
    match files.iter().find(|file| listed(file).iter().any(|name| name == test)) {
        Some(file) => run(file, test, timeout, preemptions).unwrap_or_else(|error| none(&error.to_string())),
        None => none("there is no such test"),
    }
}

/// The names of the tests of all files.
pub(super) fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().flat_map(|file| listed(file)).collect()
}

fn listed(file: &Path) -> Vec<String> {
    let list = Command::new(file).arg("--list").output();
    let list = list.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default();
    list.lines().filter_map(|line| line.strip_suffix(": test")).map(String::from).collect()
}

fn run(file: &Path, test: &str, timeout: Duration, preemptions: Option<&str>) -> std::io::Result<Outcome> {
    let start = Instant::now();
    let mut child = Command::new(file)
        .envs(preemptions.map(|most| ("LOOM_MAX_PREEMPTIONS", most)))
        .args(["--exact", test, "--include-ignored", "--nocapture", "--test-threads", "1"])
        .env("LOOM_LOG", "info")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // What could be read before a mistake will do.
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let output = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let errors = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let mut used = Duration::ZERO;
    let status = loop {
        // Before it is waited for, behind which this can no longer be read.
        used = processor_time(child.id()).unwrap_or(start.elapsed()).max(used);
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if used > timeout || start.elapsed() > LATE * timeout => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let seconds = used.as_secs_f64();
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let executions = executions(&output);
    let verdict = match status {
        None => Verdict::TimeLimit,
        Some(status) if status.success() && executions.is_none() => {
            Verdict::Fails("it passes and explores nothing".into())
        }
        Some(status) if status.success() => incomplete(&errors).map_or(Verdict::Complete, Verdict::Bounded),
        Some(status) => Verdict::Fails(reason(&errors).unwrap_or_else(|| status.to_string())),
    };
    Ok(Outcome { verdict, executions: executions.unwrap_or_default(), seconds })
}

/// How long a process has run on the processors, where Linux says so.
fn processor_time(process: u32) -> Option<Duration> {
    const TICKS_A_SECOND: u64 = 100;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may contain anything: the state, ten more, and the ticks for itself and for the system.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().ok());
    let ticks: u64 = ticks.sum::<Option<u64>>()?;
    Some(Duration::from_millis(1000 / TICKS_A_SECOND * ticks))
}

/// The sum of all `Completed in N iterations`, if there is one.
fn executions(output: &str) -> Option<u64> {
    let counts = output.lines().filter_map(|line| {
        let (_, rest) = line.split_once("Completed in ")?;
        rest.split(' ').next()?.parse::<u64>().ok()
    });
    counts.fold(None, |sum, count| Some(sum.unwrap_or_default() + count))
}

/// The first line of what a test panicked with.
fn reason(errors: &str) -> Option<String> {
    let mut lines = errors.lines().skip_while(|line| !line.contains("panicked at"));
    let place = lines.next()?;
    let message = lines.next().unwrap_or(place);
    Some(message.chars().take(120).collect::<String>().replace('|', "/"))
}

/// What the explorer says of an end that is not complete.
fn incomplete(errors: &str) -> Option<String> {
    let line = errors.lines().find(|line| line.contains("not complete"))?;
    Some(line.chars().take(120).collect::<String>().replace('|', "/"))
}
