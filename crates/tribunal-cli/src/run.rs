//! `tribunal run`: every execution of programs as they are, built with `-fsanitize=thread`.

mod cargo;
mod inspect;
mod junit;
mod print;
mod process;
mod report;
mod runtime;
mod sarif;

pub use cargo::{CargoArguments, test};
pub use process::abandon;

use crate::args::workers;
use crate::exit::Tally;
use crate::explore::{Search, model};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Page, Stdout, complain, spare_inputs};
use clap::{Args, ValueEnum, ValueHint};
use inspect::Toolchain;
use process::Ended;
use report::Report;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;
use tempfile::TempDir;
use tribunal_history::model::Model;
use tribunal_host::most_memory;
use tribunal_report::printable;

const RUN_HELP: &str = "\
Examples:
  gcc -g -O1 -fsanitize=thread queue_test.c -o queue_test
  tribunal run ./queue_test                 every execution under rc20
  tribunal run --model sc ./queue_test      under another model
  tribunal run --random 10000 ./queue_test  random executions
  tribunal run --replay t1.m:SWLiUi ./queue_test
  tribunal run --style sarif ./queue_test > queue.sarif

The program is one in C, C++ or Rust, built with -fsanitize=thread for Linux on x86-64, and needs no other change: \
Tribunal takes the place of ThreadSanitizer's library. It runs main again and again, once for each choice of writes \
that the reads may read. What comes after PROGRAM is the program's; its standard input is empty. clang links the \
library into programs unless -shared-libsan is given.

An execution fails at a data race, an assertion, abort, an uncaught exception, a crash, a deadlock, a leak or a misuse \
of memory or locks. The first failure ends the exploration.

In JUnit a failure is a failure, and what a limit left undecided is an error.

Exit status: 0 no failure; 1 a failure; 2 bad usage, or a program that cannot be explored; 3 a limit was reached and no \
failure found; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArguments {
    #[command(flatten)]
    options: RunOptions,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"], num_args = 1.., value_hint = ValueHint::CommandWithArguments)]
    command: Vec<OsString>,
}

/// How programs are explored.
#[derive(Args, Debug)]
struct RunOptions {
    /// The model
    #[arg(short, long, value_name = "MODEL", default_value = "rc20", value_parser = model())]
    model: Model,
    /// Do not look for data races
    #[arg(long)]
    allow_races: bool,
    /// Take memory that is never freed for a failure, not for a warning
    #[arg(long)]
    leaks: bool,
    /// The number of processes that share the work; 0 is one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    #[command(flatten)]
    search: Search,
    /// Stop a thread after so many rounds of a loop, and do not count that execution
    #[arg(long, value_name = "N")]
    unroll: Option<u64>,
    /// Count the executions with their modification orders, too, as other model checkers do
    #[arg(long, conflicts_with = "random")]
    count_mo: bool,
    /// Show what the program prints, on standard error
    #[arg(long)]
    keep_output: bool,
    /// How to print results
    #[arg(long, value_name = "STYLE", default_value = "human")]
    style: RunStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RunStyle {
    /// For people: a summary and the failing execution
    Human,
    /// For programs: one JSON object
    Json,
    /// One line, without the execution
    Brief,
    /// For test benches: JUnit XML, with one test
    Junit,
    /// For code hosts: SARIF 2.1.0, with the failure as a result
    Sarif,
}

/// Why a program cannot be explored.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Unreadable(io::Error),
    #[error("is not executable")]
    NotExecutable,
    #[error("is a script: name the program that it starts, which libtool keeps in .libs")]
    Script,
    #[error("is not a program for Linux on x86-64")]
    Foreign,
    #[error("was not built with -fsanitize=thread")]
    NotInstrumented,
    #[error("was linked without a library for -fsanitize=thread: give that flag to the linker too")]
    Unlinked,
    #[error("has ThreadSanitizer's library linked into it, which cannot be replaced: {}", .0.remedy())]
    Static(Toolchain),
    #[error("its dynamic section is malformed: {0}")]
    Malformed(object::Error),
    #[error(
        "libtribunal_run.so is neither beside the command nor in ../lib/tribunal or ../lib: \
         `cargo build --release -p tribunal-run` makes it, and TRIBUNAL_RUNTIME names it elsewhere"
    )]
    NoRuntime,
    #[error("TRIBUNAL_RUNTIME: there is no file {}", .0.display())]
    NoSuchRuntime(PathBuf),
    #[error("a folder for its libraries cannot be made: {0}")]
    Folder(io::Error),
    #[error("its tests cannot be listed: {0}")]
    List(String),
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("what libtribunal_run.so reports is malformed: {0}")]
    Report(serde_json::Error),
    #[error("ended without a report: {0}")]
    NoReport(ExitStatus),
}

/// A program that was explored.
struct Ran {
    /// The program, as it was named.
    program: String,
    /// The program's arguments.
    words: Vec<String>,
    /// What is run: the file's name and the arguments, or the name of a test.
    name: String,
    report: Report,
    warnings: Vec<String>,
}

impl RunOptions {
    /// What the runtime is told. What has no value is unset, so that the line says all.
    fn variables(&self) -> Vec<(&'static str, Option<OsString>)> {
        let Search { random, seed, .. } = self.search;
        let text = |value: &dyn ToString| OsString::from(value.to_string());
        let flag = |set: bool| set.then(|| "1".into());
        let seconds = |time: Duration| text(&time.as_secs_f64());
        let history = self.search.history.as_deref();
        vec![
            ("TRIBUNAL_MODEL", Some(self.model.name().into())),
            ("TRIBUNAL_RANDOM", random.map(|executions| text(&executions))),
            ("TRIBUNAL_SEED", random.map(|_| text(&seed))),
            ("TRIBUNAL_PCT", self.search.pct.map(|depth| text(&depth))),
            ("TRIBUNAL_REPLAY", self.search.replay.as_ref().map(|replay| text(replay))),
            ("TRIBUNAL_MAX_EXECUTIONS", self.search.max_executions.map(|most| text(&most))),
            ("TRIBUNAL_TIMEOUT", self.search.timeout.map(seconds)),
            ("TRIBUNAL_MAX_MEMORY", Some(text(&self.search.max_memory.unwrap_or_else(most_memory)))),
            ("TRIBUNAL_MAX_EVENTS", Some(text(&self.search.max_events))),
            ("TRIBUNAL_MAX_PREEMPTIONS", self.search.max_preemptions.map(|most| text(&most))),
            ("TRIBUNAL_THREADS", Some(text(&workers(self.threads)))),
            ("TRIBUNAL_UNROLL", self.unroll.map(|rounds| text(&rounds))),
            ("TRIBUNAL_ALLOW_RACES", flag(self.allow_races)),
            ("TRIBUNAL_COUNT_MO", flag(self.count_mo)),
            ("TRIBUNAL_LEAKS", flag(self.leaks)),
            ("TRIBUNAL_MODELS", flag(self.search.models)),
            ("TRIBUNAL_REPAIR", self.search.repair.then(|| seconds(self.search.repair_timeout))),
            // The program may change its directory.
            ("TRIBUNAL_HISTORY", history.map(|file| std::path::absolute(file).unwrap_or(file.into()).into())),
            ("TRIBUNAL_OUTPUT", flag(self.keep_output)),
        ]
    }

    /// How long the program may take, with all that is asked of it.
    fn longest(&self) -> Option<Duration> {
        let repair = if self.search.repair { self.search.repair_timeout } else { Duration::ZERO };
        self.search.timeout?.checked_add(repair)
    }
}

/// A program that can be explored, and the libraries that it is to find.
struct Ready {
    command: Command,
    libraries: TempDir,
}

/// Gets a program ready to be explored.
fn ready(program: &Path) -> Result<Ready, Problem> {
    let needed = inspect::inspect(program)?;
    let libraries = runtime::stand_in(&runtime::find()?, &needed)?;
    let mut command = Command::new(program);
    command.envs(runtime::paths(&libraries));
    Ok(Ready { command, libraries })
}

impl Ready {
    /// Explores the program. There may be no report if it was interrupted.
    fn explore(mut self, options: &RunOptions) -> Result<Explored, Problem> {
        for (name, value) in options.variables() {
            match value {
                Some(value) => self.command.env(name, value),
                None => self.command.env_remove(name),
            };
        }
        let ended = process::run(self.command, options.keep_output, options.longest(), self.libraries)?;
        match ended {
            Ended { report: Some(report), warnings, .. } => {
                Ok(Explored::Reported(Box::new(report), warnings))
            }
            Ended { is_late: true, .. } => Ok(Explored::Late),
            _ if interrupt::requested() => Ok(Explored::Interrupted),
            Ended { status, .. } => Err(Problem::NoReport(status)),
        }
    }
}

/// What came of an exploration.
enum Explored {
    /// The report and what was warned of.
    Reported(Box<Report>, Vec<String>),
    /// It did not stop in time.
    Late,
    Interrupted,
}

/// Of a program that did not stop.
const LATE: &str = "undecided: the program did not stop long after --timeout, and was ended";

/// What was found, counted.
fn tally(report: &Report) -> Tally {
    let (inconsistent, undecided) = (report.failure.is_some().into(), report.is_unfinished().into());
    Tally { histories: 1, inconsistent, undecided, ..Tally::default() }
}

pub fn run(arguments: &RunArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let RunArguments { options, command } = arguments;
    let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (name, words) = words.split_first().expect("a program is required");
    let failure = |source| Failure::Run { program: name.clone(), source };
    let program = inspect::find(&command[0]);
    let mut ready = ready(&program).map_err(failure)?;
    if let Some(history) = &options.search.history {
        spare_inputs(history, &[&program])?;
    }
    ready.command.args(&command[1..]);
    let (report, warnings) = match ready.explore(options).map_err(failure)? {
        Explored::Reported(report, warnings) => (*report, warnings),
        Explored::Late => {
            complain(LATE);
            return Ok(Tally { histories: 1, undecided: 1, ..Tally::default() });
        }
        Explored::Interrupted => return Ok(Tally { histories: 1, ..Tally::default() }),
    };
    let tally = tally(&report);
    let file = Path::new(name).file_name().unwrap_or(OsStr::new(name)).to_string_lossy();
    let file = std::iter::once(file.into_owned()).chain(words.iter().cloned());
    let file = file.collect::<Vec<_>>().join(" ");
    let ran = Ran { program: name.clone(), words: words.to_vec(), name: file, report, warnings };
    let mut page = Page::new(out.color());
    match options.style {
        RunStyle::Human => print::whole(&ran, &mut page)?,
        RunStyle::Brief => print::line(&ran, &mut page)?,
        RunStyle::Json => print::json(&ran, &mut page)?,
        RunStyle::Junit => junit::document(&[ran], &mut page)?,
        RunStyle::Sarif => sarif::document(&[ran], &mut page)?,
    }
    out.print(&page)?;
    tally.read_out(out)
}

/// Prints what the runtime warns of.
fn warn(warning: &str) {
    complain(&format!("warning: {}", printable(warning)));
}
