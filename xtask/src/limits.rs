//! Attacks the command with large and hostile inputs under small limits, and says where limits do not hold: in time, in memory, or
//! by a status that is no answer.

mod certificates;
mod files;
mod histories;
mod measure;
mod programs;
mod transactions;

use crate::{cargo, run, target_directory};
use measure::{End, measure};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `cargo xtask limits` is asked for.
pub struct Options {
    /// Only families whose names contain this.
    family: Option<String>,
    /// The command to attack, instead of one that is built with the feature `polls`.
    command: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options { family: None, command: None };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value = arguments.next().cloned().ok_or_else(|| format!("{argument}: a value is missing"))?;
            match argument.as_str() {
                "--family" => options.family = Some(value),
                "--command" => options.command = Some(value.into()),
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        Ok(options)
    }
}

/// The memory that an answer may take, unless an attack says otherwise.
const MEMORY: u64 = 64 << 20;
/// The time that an answer may take.
const TIME: Duration = Duration::from_secs(1);
/// How much later than its limit a command may end.
const GRACE: Duration = Duration::from_secs(1);
/// So many bytes of input are read in a second, by an unoptimized build.
const READING: f64 = 4e6;
/// What a process takes before it does anything: code, stacks, buffers.
const BASE: u64 = 32 << 20;
/// The longest time between two polls.
const GAP: Duration = Duration::from_millis(100);

/// Attacks of one kind.
struct Family {
    name: &'static str,
    attacks: Vec<Attack>,
}

/// A command line with its files.
struct Attack {
    /// What is special about it.
    name: String,
    arguments: Vec<String>,
    /// Files by name, in the directory in which the command runs.
    files: Vec<(String, Content)>,
    /// The number of answers that it gives, each within the time.
    answers: u32,
    /// Whether it takes `--timeout`.
    timed: bool,
    /// Whether it takes `--max-memory`, and how much that is.
    bounded: bool,
    memory: u64,
    /// Whether it may go on as long as it likes, as one that was asked for that much: then only its memory counts.
    endless: bool,
}

enum Content {
    Bytes(Vec<u8>),
    /// A link to a file of the system.
    Link(&'static str),
}

impl Attack {
    /// A command line that takes both limits.
    fn new(name: impl Into<String>, arguments: &str) -> Self {
        let arguments = arguments.split_whitespace().map(str::to_string).collect();
        Attack {
            name: name.into(),
            arguments,
            files: Vec::new(),
            answers: 1,
            timed: true,
            bounded: true,
            memory: MEMORY,
            endless: false,
        }
    }

    fn with(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.into(), Content::Bytes(content.into())));
        self
    }

    fn link(mut self, name: &str, target: &'static str) -> Self {
        self.files.push((name.into(), Content::Link(target)));
        self
    }

    fn answers(self, answers: u32) -> Self {
        Attack { answers, ..self }
    }

    /// With so much memory.
    fn memory(self, memory: u64) -> Self {
        Attack { memory, ..self }
    }

    /// Without `--max-memory`.
    fn unbounded(self) -> Self {
        Attack { bounded: false, ..self }
    }

    /// Without any limit.
    fn unlimited(self) -> Self {
        Attack { bounded: false, timed: false, ..self }
    }

    /// Without an end: it is ended after a while.
    fn endless(self) -> Self {
        Attack { endless: true, ..self.unlimited() }
    }

    /// The time that it may take: its answers, reading its files, and a second.
    fn most_time(&self) -> Duration {
        let bytes: usize = self.files.iter().map(|(_, content)| content.len()).sum();
        TIME * self.answers + GRACE + Duration::from_secs_f64(bytes as f64 / READING)
    }

    /// How much memory it may take: a history, an answer, and the reserve of both.
    fn most_memory(&self) -> u64 {
        if self.bounded { 2 * self.memory + self.memory / 4 + (64 << 20) + BASE } else { 1 << 30 }
    }
}

impl Content {
    fn len(&self) -> usize {
        match self {
            Content::Bytes(bytes) => bytes.len(),
            Content::Link(_) => 0,
        }
    }
}

/// Attacks the command, and fails if a limit does not hold.
pub fn attack(options: &Options) -> Result<(), String> {
    let command = match &options.command {
        Some(command) => {
            fs::canonicalize(command).map_err(|error| format!("{}: {error}", command.display()))?
        }
        None => build()?,
    };
    let all = [
        histories::memory(),
        histories::objects(),
        histories::formats(),
        transactions::families(),
        certificates::families(),
        programs::explore(),
        programs::litmus(),
        programs::cat(),
        files::links(),
        files::numbers(),
    ];
    let wanted =
        |family: &Family| options.family.as_ref().is_none_or(|name| family.name.contains(name.as_str()));
    let families: Vec<Family> = all.into_iter().flatten().filter(wanted).collect();
    if families.is_empty() {
        return Err("no family has this name".into());
    }
    let begin = Instant::now();
    let mut report = Report::default();
    for family in &families {
        report.family(family, &command)?;
    }
    report.end(families.len(), begin.elapsed())
}

/// Builds the command that measures the time between two polls.
fn build() -> Result<PathBuf, String> {
    run(cargo().args(["build", "--profile", "test", "-p", "tribunal-cli", "--features", "polls"]))?;
    let built = target_directory()?.join("debug/tribunal");
    // The next build of the tests takes its place.
    let kept = target_directory()?.join("tribunal-with-polls");
    fs::copy(&built, &kept).map_err(|error| format!("{}: {error}", built.display()))?;
    Ok(kept)
}

/// What was found.
#[derive(Default)]
struct Report {
    runs: usize,
    failures: Vec<String>,
    /// Runs that only the watchdog has ended.
    last_resorts: Vec<String>,
    /// The worst share of the time and the memory allowed, and whose it is.
    time: (f64, String),
    memory: (f64, String),
}

impl Report {
    fn family(&mut self, family: &Family, command: &Path) -> Result<(), String> {
        let (mut time, mut memory) = (0f64, 0f64);
        for attack in &family.attacks {
            let name = format!("{}: {}", family.name, attack.name);
            let end = carry_out(attack, command).map_err(|error| format!("{name}: {error}"))?;
            let shares = self.judge(attack, &name, &end);
            (time, memory) = (time.max(shares.0), memory.max(shares.1));
        }
        self.runs += family.attacks.len();
        println!(
            "{:28} {:3} runs, at most {:3.0} % of the time and {:3.0} % of the memory allowed",
            family.name,
            family.attacks.len(),
            100.0 * time,
            100.0 * memory
        );
        Ok(())
    }

    /// Compares a run with its limits. The shares of time and memory that it took.
    fn judge(&mut self, attack: &Attack, name: &str, end: &End) -> (f64, f64) {
        let mut wrong = Vec::new();
        // On a loaded machine the processor's time is the better measure, on an idle one with many cores the clock's.
        let took = end.elapsed.min(end.processor);
        let time = if attack.endless { 0.0 } else { took.as_secs_f64() / attack.most_time().as_secs_f64() };
        let memory = end.peak as f64 / attack.most_memory() as f64;
        if !attack.endless && (time > 1.0 || end.killed) {
            wrong.push(format!(
                "{:.1} s of {:.1} s",
                end.elapsed.as_secs_f64(),
                attack.most_time().as_secs_f64()
            ));
        }
        if memory > 1.0 {
            wrong.push(format!("{} MB of {} MB", end.peak >> 20, attack.most_memory() >> 20));
        }
        if !end.killed && !matches!(end.status, Some(0..=3)) {
            wrong.push(format!(
                "status {}",
                end.status.map_or("none: a signal".into(), |status| status.to_string())
            ));
        }
        if end.complaint.contains("a bug of tribunal") {
            wrong.push("ended by the watchdog".into());
        }
        for (gap, between) in &end.gaps {
            if *gap > GAP {
                wrong.push(format!("{} ms between the polls {between}", gap.as_millis()));
            }
        }
        if end.complaint.contains("undecided: out of memory") {
            self.last_resorts.push(name.into());
        }
        if !wrong.is_empty() {
            let line = attack.arguments.join(" ");
            let first = end.complaint.lines().next().unwrap_or_default();
            let failure = format!("{name}: {}\n    tribunal {line}\n    {first}", wrong.join(", "));
            println!("  {failure}");
            self.failures.push(failure);
        }
        for (share, worst) in [(time, &mut self.time), (memory, &mut self.memory)] {
            if share > worst.0 {
                *worst = (share, name.into());
            }
        }
        (time, memory)
    }

    fn end(self, families: usize, took: Duration) -> Result<(), String> {
        let Report { runs, failures, last_resorts, time, memory } = self;
        println!("{families} families, {runs} runs in {:.0} s", took.as_secs_f64());
        println!("most time: {:.0} % of what is allowed, {}", 100.0 * time.0, time.1);
        println!("most memory: {:.0} % of what is allowed, {}", 100.0 * memory.0, memory.1);
        if !last_resorts.is_empty() {
            println!(
                "{} runs were held only by the reserve: {}",
                last_resorts.len(),
                last_resorts.join("; ")
            );
        }
        match failures.len() {
            0 => Ok(()),
            many => Err(format!("{many} of {runs} runs did not keep to their limits")),
        }
    }
}

/// Runs the command in a directory of its own.
fn carry_out(attack: &Attack, command: &Path) -> Result<End, String> {
    let directory = std::env::temp_dir().join(format!("tribunal-limits-{}", std::process::id()));
    let made = fs::create_dir_all(&directory);
    made.map_err(|error| format!("{}: {error}", directory.display()))?;
    for (name, content) in &attack.files {
        let path = directory.join(name);
        let written = match content {
            Content::Bytes(bytes) => fs::write(&path, bytes),
            Content::Link(target) => std::os::unix::fs::symlink(target, &path),
        };
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let mut arguments = attack.arguments.clone();
    if attack.timed {
        arguments.extend(["--timeout".into(), TIME.as_secs().to_string()]);
    }
    if attack.bounded {
        arguments.extend(["--max-memory".into(), attack.memory.to_string()]);
    }
    let most = if attack.endless { 2 * TIME } else { attack.most_time() * 3 + Duration::from_secs(5) };
    let end = measure(command, &arguments, &directory, most);
    fs::remove_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    end
}
