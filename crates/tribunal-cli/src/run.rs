//! `tribunal run`: every execution of programs as they are, built with `-fsanitize=thread`.

mod inspect;
mod junit;
mod print;
mod process;
mod report;
mod runtime;
mod sarif;

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
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGS"], num_args = 1.., value_hint = ValueHint::CommandWithArguments)]
    command: Vec<OsString>,
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
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("what libtribunal_run.so reports is malformed: {0}")]
    Report(serde_json::Error),
    #[error("ended without a report: {0}")]
    NoReport(ExitStatus),
}

/// A program that was explored.
struct Ran<'a> {
    arguments: &'a RunArguments,
    report: Report,
    warnings: Vec<String>,
}

impl Ran<'_> {
    /// The program, as it was named.
    fn program(&self) -> String {
        self.arguments.program()
    }

    /// The program's arguments.
    fn words(&self) -> Vec<String> {
        self.arguments.command.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The file's name and the arguments: what is run.
    fn name(&self) -> String {
        let program = self.program();
        let name = Path::new(&program).file_name().unwrap_or(OsStr::new(&program)).to_string_lossy();
        let words = [name.into_owned()].into_iter().chain(self.words());
        words.collect::<Vec<_>>().join(" ")
    }
}

impl RunArguments {
    fn program(&self) -> String {
        self.command.first().map_or(String::new(), |program| program.to_string_lossy().into_owned())
    }

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

pub fn run(arguments: &RunArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let failure = |source| Failure::Run { program: arguments.program(), source };
    let program = inspect::find(arguments.command.first().map_or(OsStr::new(""), |name| name));
    let needed = inspect::inspect(&program).map_err(failure)?;
    if let Some(history) = &arguments.search.history {
        spare_inputs(history, &[&program])?;
    }
    let libraries =
        runtime::find().and_then(|runtime| runtime::stand_in(&runtime, &needed)).map_err(failure)?;
    let mut command = Command::new(&program);
    command.args(&arguments.command[1..]).env("LD_LIBRARY_PATH", runtime::search_path(&libraries));
    for (name, value) in arguments.variables() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let ended =
        process::run(command, arguments.keep_output, arguments.longest(), libraries).map_err(failure)?;
    let mut tally = Tally { histories: 1, ..Tally::default() };
    let Ended { report, warnings, status, is_late } = ended;
    let Some(report) = report else {
        if is_late {
            complain("undecided: the program did not stop long after --timeout, and was ended");
            tally.undecided = 1;
        } else if !interrupt::requested() {
            return Err(failure(Problem::NoReport(status)));
        }
        return Ok(tally);
    };
    tally.inconsistent = u64::from(report.failure.is_some());
    tally.undecided = u64::from(report.is_unfinished());
    let ran = Ran { arguments, report, warnings };
    let mut page = Page::new(out.color());
    match arguments.style {
        RunStyle::Human => print::whole(&ran, &mut page)?,
        RunStyle::Brief => print::line(&ran, &mut page)?,
        RunStyle::Json => print::json(&ran, &mut page)?,
        RunStyle::Junit => junit::document(&ran, &mut page)?,
        RunStyle::Sarif => sarif::document(&ran, &mut page)?,
    }
    out.print(&page)?;
    tally.read_out(out)
}

/// Prints what the runtime warns of.
fn warn(warning: &str) {
    complain(&format!("warning: {}", printable(warning)));
}
