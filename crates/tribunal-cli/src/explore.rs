//! `tribunal explore`: every behaviour of small programs as text.

mod diagnose;
mod json;
mod print;
mod progress;

use crate::args::seconds;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{Page, Stdout};
use crate::{input, interrupt};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use tribunal::Model;
use tribunal_explore::failure::{Repair, Replay, UnderModel};
use tribunal_explore::text::{Case, Exploration, Mismatch, Setting, Source, explore};
use tribunal_explore::{End, Mode, Options};
use tribunal_host::named;

const EXPLORE_HELP: &str = "\
Examples:
  tribunal explore sb.prog                     all outcomes under C++20's model, and how many executions have each
  tribunal explore --model sc,tso,rc20 sb.prog the same under each of these models
  tribunal explore --set N=4 --set o=sc a.prog with other values for constants and orders of the program
  tribunal explore --expect programs/*/*.prog  compare with what the files say is expected
  tribunal explore --random 100000 big.prog    executions by chance where there are too many
  tribunal explore --models --repair lock.prog under which models it fails, and the weakest orders that repair it
  tribunal explore --replay t1.m:SS.0:W lock.prog  the execution that was printed, once more

Store buffering is

  atomic x, y
  thread A { x = 1 @rel; a = y @acq }
  thread B { y = 1 @rel; b = x @acq }

A statement stands on a line or before `;`. Locations are declared with `atomic`, `plain` (accesses must not race) or `mutex`; all other names are \
registers of their thread. `x = 1 @rel` stores, `r = x @acq` loads, `x += 1 @rlx`, `xchg(x, 1) @acq` and `cas(x, 0 -> 1) @acq/rlx` read and \
write, `fence @sc` is a fence; there are if, while, for, fn, await, assume, assert, lock and unlock. docs/explore.md describes it all.

An execution is a class: who reads from whom. Executions in which a thread waits for ever, or assumes what is false, are blocked and not counted. \
A failure is an assertion that does not hold, a data race, a deadlock, or a wrong use of memory; the first one ends the exploration and is \
shown with as few events as were found to do: an event a row, what each read read from, and the first read that sc would not have allowed.

Exit status: 0 no failure, and all is as the program expects; 1 a failure, or something is not as expected (with --expect: only the \
latter); 2 bad usage or a malformed program; 3 a limit ended it, and no failure was found; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = EXPLORE_HELP)]
pub struct ExploreArguments {
    /// The models under which to explore, separated by commas; FILE.cat is a model as text. By default rc20, and with --expect those of the
    /// expectations
    #[arg(short, long, value_name = "MODEL,..", value_delimiter = ',', value_parser = Models)]
    pub model: Vec<Model>,
    /// Give a constant of the programs another value: a number, or an order (na, rlx, acq, rel, acqrel, sc). May be given more
    /// than once
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "expect")]
    pub set: Vec<Setting>,
    /// Explore each case of which a program says what is expected, and compare
    #[arg(long)]
    pub expect: bool,
    /// Take plain accesses for relaxed ones, and do not look for races
    #[arg(long)]
    pub allow_races: bool,
    /// Use so many threads; 0 is one for each core. What is found does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// End after so many executions
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// End after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// An execution with more events than this is a failure
    #[arg(long, value_name = "N", default_value_t = Options::default().max_events)]
    pub max_events: usize,
    /// Leave out executions with more preemptions
    #[arg(long, value_name = "N", conflicts_with = "random")]
    pub max_preemptions: Option<usize>,
    /// Make so many executions by chance instead of all: each read picks among what it may read
    #[arg(long, value_name = "N")]
    pub random: Option<u64>,
    /// Where chance begins
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random")]
    pub seed: u64,
    /// By chance, but by priorities of threads that change at DEPTH - 1 points: for failures that need few of these
    #[arg(long, value_name = "DEPTH", requires = "random", value_parser = clap::value_parser!(u32).range(1..))]
    pub pct: Option<u32>,
    /// Of a program that fails, say under which models it does
    #[arg(long, conflicts_with_all = ["expect", "replay"])]
    pub models: bool,
    /// Of a program that fails, search the weakest orders with which it does not
    #[arg(long, conflicts_with_all = ["expect", "replay"])]
    pub repair: bool,
    /// Seconds that the search for orders may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", requires = "repair")]
    pub repair_timeout: Duration,
    /// Write the execution that fails to this file, as a history: for `tribunal explain` and `tribunal view`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "expect")]
    pub history: Option<PathBuf>,
    /// Run one execution again, as was printed of a failure
    #[arg(long, value_name = "REPLAY", conflicts_with_all = ["expect", "random", "max_preemptions"])]
    pub replay: Option<Replay>,
    /// List all outcomes, however many there are
    #[arg(long)]
    pub all: bool,
    /// How to print what was found
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: ExploreStyle,
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExploreStyle {
    /// For people: a line, a table of outcomes, and the execution that fails
    Human,
    /// For programs: one JSON object for each program, model and case
    Json,
    /// One line each, without outcomes and executions
    Brief,
}

/// The models that sessions decide.
const MODELS: [Model; 9] = [
    Model::Sc,
    Model::Tso,
    Model::Pso,
    Model::Ra,
    Model::Rc20,
    Model::Rc11,
    Model::Relaxed,
    Model::Wra,
    Model::Sra,
];

/// Reads the name of a model that sessions decide, or of a file with a model as text.
#[derive(Clone)]
struct Models;

impl TypedValueParser for Models {
    type Value = Model;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Model, clap::Error> {
        let names = PossibleValuesParser::new(MODELS.map(Model::name));
        match value.to_str().filter(|name| name.ends_with(".cat")) {
            Some(name) => named(name)
                .map_err(|error| command.clone().error(clap::error::ErrorKind::ValueValidation, error)),
            None => names.try_map(|name| name.parse()).parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(MODELS.map(Model::name).into_iter().map(clap::builder::PossibleValue::new)))
    }
}

/// One exploration: a program with settings, under a model.
struct Job<'a> {
    file: &'a str,
    settings: Vec<Setting>,
    model: Model,
    case: Option<Case>,
}

/// What came of it.
struct Found<'a> {
    job: &'a Job<'a>,
    exploration: Exploration,
    mismatches: Vec<Mismatch>,
    /// Of a failure, if it was asked for.
    models: Vec<UnderModel>,
    repair: Option<Repair>,
}

impl Found<'_> {
    /// Whether a limit ended the exploration before all was seen that was asked for.
    fn is_unfinished(&self) -> bool {
        matches!(
            self.exploration.report.end,
            End::MaxExecutions | End::MaxDuration | End::Interrupted | End::Bounded
        )
    }

    /// Claims of outcomes that were not seen, though all was.
    fn missing(&self) -> &[String] {
        match self.exploration.report.end {
            End::Complete => &self.exploration.outcomes.missing,
            _ => &[],
        }
    }
}

#[derive(Default)]
struct Tally {
    cases: u64,
    /// Failures, where they are not what was to be compared with.
    failed: u64,
    unexpected: u64,
    unfinished: u64,
}

pub fn run(arguments: &ExploreArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let mut tally = Tally::default();
    let malformed =
        input::each(&arguments.files, out, |file, out| file_of(file, arguments, &mut tally, out))?;
    if arguments.expect && arguments.style == ExploreStyle::Human && !interrupt::requested() {
        writeln!(out, "{} cases, {} not as expected", tally.cases, tally.unexpected)?;
    }
    out.finish()?;
    Ok(if interrupt::requested() {
        Status::Interrupted
    } else if malformed {
        Status::Malformed
    } else if tally.failed + tally.unexpected > 0 {
        Status::Inconsistent
    } else if out.is_closed() {
        Status::ClosedPipe
    } else if tally.unfinished > 0 {
        Status::Undecided
    } else {
        Status::Success
    })
}

/// Explores the program of a file, in all cases that are asked for.
fn file_of(
    file: &OsStr,
    arguments: &ExploreArguments,
    tally: &mut Tally,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let name = file.to_string_lossy();
    let malformed = |error| Failure::program(&name, error);
    let mut text = String::new();
    let read = tribunal_formats::decompressed(input::bytes(file)?)
        .and_then(|mut bytes| bytes.read_to_string(&mut text));
    read.map_err(|source| Failure::Read { file: name.to_string(), source })?;
    let source = Source::parse(&text).map_err(malformed)?;
    // What is expected is read in any case, so that mistakes there are found.
    let cases = source.cases().map_err(malformed)?;
    for job in jobs(&name, &source, cases, arguments)? {
        let code = source.compile(&job.settings).map_err(malformed)?;
        if let Some(replay) = &arguments.replay {
            tally.failed += u64::from(diagnose::replayed(code, replay, &job, arguments, out)?);
            continue;
        }
        let explored = explore(code.clone(), &options(arguments, job.model));
        progress::clear();
        let exploration =
            explored.map_err(|error| Failure::Unexplored { file: name.to_string(), source: error })?;
        let mismatches = job.case.as_ref().map_or(Vec::new(), |case| case.mismatches(&exploration));
        let mut found = Found { job: &job, exploration, mismatches, models: Vec::new(), repair: None };
        if !arguments.expect && arguments.style != ExploreStyle::Brief {
            diagnose::complete(&mut found, code, arguments)?;
        }
        let mut page = Page::new(out.colour());
        match arguments.style {
            ExploreStyle::Human => print::human(&found, arguments.expect, arguments.all, &mut page)?,
            ExploreStyle::Brief => print::line(&found, &mut page)?,
            ExploreStyle::Json => json::line(&found, &mut page)?,
        }
        out.print(&page)?;
        tally.cases += 1;
        tally.failed += u64::from(!arguments.expect && found.exploration.report.failure.is_some());
        tally.unexpected += u64::from(!found.mismatches.is_empty() || !found.missing().is_empty());
        tally.unfinished += u64::from(found.is_unfinished());
        if interrupt::requested() || out.is_closed() {
            break;
        }
    }
    Ok(())
}

fn jobs<'a>(
    file: &'a str,
    source: &Source,
    cases: Vec<Case>,
    arguments: &ExploreArguments,
) -> Result<Vec<Job<'a>>, Failure> {
    if arguments.expect {
        let asked = |case: &Case| arguments.model.is_empty() || arguments.model.contains(&case.model);
        let job = |case: Case| {
            let (settings, model) = (case.settings.clone(), case.model);
            Job { file, settings, model, case: Some(case) }
        };
        return Ok(cases.into_iter().filter(asked).map(job).collect());
    }
    let models = if arguments.model.is_empty() { &[Model::Rc20][..] } else { &arguments.model };
    let job = |&model: &Model| {
        let settings = arguments.set.clone();
        let case = source.case(&settings, model).map_err(|error| Failure::program(file, error))?;
        Ok(Job { file, settings, model, case })
    };
    models.iter().map(job).collect()
}

fn options(arguments: &ExploreArguments, model: Model) -> Options {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mode = match (arguments.random, arguments.pct) {
        (None, _) => Mode::Exhaustive,
        (Some(executions), None) => Mode::Random { seed: arguments.seed, executions },
        (Some(executions), Some(depth)) => Mode::Pct { seed: arguments.seed, executions, depth },
    };
    Options {
        model,
        mode,
        threads: NonZeroUsize::new(arguments.threads.into()).unwrap_or_else(cores),
        max_executions: arguments.max_executions,
        max_duration: arguments.timeout,
        max_events: arguments.max_events,
        max_preemptions: arguments.max_preemptions,
        allow_races: arguments.allow_races,
        stop: Some(interrupt::flag()),
        progress: Some(progress::show),
    }
}
