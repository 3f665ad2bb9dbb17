//! `tribunal explore`: every behavior of small programs.

mod diagnose;
mod json;
mod print;
pub mod progress;
mod search;

pub use json::end_name;
pub use print::{no_failure, seen};
pub use search::Search;

use crate::driver::each_file;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{Page, Stdout};
use crate::progress::Progress;
use crate::watchdog::{GRACE, Watched};
use crate::{input, interrupt};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::num::NonZeroUsize;
use tribunal_explore::failure::{Repair, UnderModel};
use tribunal_explore::text::{Case, Exploration, Mismatch, Setting, Source, explore};
use tribunal_explore::{End, Mode, Options};
use tribunal_history::model::Model;
use tribunal_host::{most_memory, named, read_utf8};
use tribunal_report::counted;

const EXPLORE_HELP: &str = "\
Examples:
  tribunal explore sb.prog                      all outcomes under rc20
  tribunal explore --model sc,tso,rc20 sb.prog  the same under each model
  tribunal explore --set N=4 --set o=sc a.prog  other constants and orders
  tribunal explore --expect programs/*/*.prog   compare with expectations
  tribunal explore --random 100000 big.prog     random executions
  tribunal explore --models --repair lock.prog  which models, and a repair
  tribunal explore --replay t1.m:SS.0:W lock.prog

Store buffering is

  atomic x, y
  thread A { x = 1 @rel; a = y @acq }
  thread B { y = 1 @rel; b = x @acq }

A statement ends with its line or with `;`. Locations are declared as `atomic`, `plain` (their accesses must not \
race) or `mutex`; all other names are registers of their thread. `x = 1 @rel` stores, `r = x @acq` loads, `x += 1 \
@rlx`, `xchg(x, 1) @acq` and `cas(x, 0 -> 1) @acq/rlx` read and write, `fence @sc` is a fence. There are if, while, \
for, fn, await, assume, assert, lock and unlock: see docs/explore.md.

An execution is determined by which write each read reads from. Executions in which a thread waits forever, or \
assumes something false, are blocked and not counted. A failure is an assertion that does not hold, a data race, a \
deadlock or a misuse of memory. The first one ends the exploration and is shown with as few events as possible: one \
event per row, what each read read from, and the first read that sc would not have allowed.

Exit status: 0 no failure, and everything as expected; 1 a failure, something not as expected (with --expect only \
that), or a replay that the program does not follow; 2 bad usage or a malformed program; 3 a limit was reached and no failure found; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = EXPLORE_HELP)]
pub struct ExploreArguments {
    /// Models, separated by commas; FILE.cat is a model of your own. By default rc20, and with --expect those of the
    /// expectations
    #[arg(short, long, value_name = "MODEL,..", value_delimiter = ',', value_parser = Models)]
    pub model: Vec<Model>,
    /// Set a constant of the programs: a number, or an order (na, rlx, acq, rel, acqrel, sc). May be repeated
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "expect")]
    pub set: Vec<Setting>,
    /// Explore each case that a program states expectations for, and compare
    #[arg(long, conflicts_with_all = ["models", "repair", "history", "replay"])]
    pub expect: bool,
    /// Treat plain accesses as relaxed, and do not look for races
    #[arg(long)]
    pub allow_races: bool,
    /// Count executions with their modification orders too
    #[arg(long, conflicts_with_all = ["expect", "random", "replay"])]
    pub count_mo: bool,
    /// The number of worker threads; 0 is one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    #[command(flatten)]
    pub search: Search,
    /// List all outcomes, even if there are many
    #[arg(long)]
    pub all: bool,
    /// How to print results
    #[arg(long, value_name = "STYLE", default_value = "human")]
    pub style: ExploreStyle,
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExploreStyle {
    /// For people: a summary, a table of outcomes and the failing execution
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

/// Reads the name of a model that sessions decide.
pub fn model() -> impl TypedValueParser<Value = Model> {
    PossibleValuesParser::new(MODELS.map(Model::name)).try_map(|name| name.parse())
}

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
        match value.to_str().filter(|name| name.ends_with(".cat")) {
            Some(name) => named(name)
                .map_err(|error| command.clone().error(clap::error::ErrorKind::ValueValidation, error)),
            None => model().parse_ref(command, argument, value),
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

/// The result.
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
        is_unfinished(self.exploration.report.end)
    }

    /// Claims of outcomes that were not seen, though all was.
    fn missing(&self) -> &[String] {
        match self.exploration.report.end {
            End::Complete => &self.exploration.outcomes.missing,
            _ => &[],
        }
    }
}

/// Whether a limit ended an exploration before all was seen that was asked for.
pub fn is_unfinished(end: End) -> bool {
    match end {
        End::Complete | End::Failed | End::Sampled => false,
        End::MaxExecutions
        | End::MaxDuration
        | End::MaxMemory
        | End::Interrupted
        | End::Bounded
        | End::Skipped => true,
    }
}

/// The outcome of a replay.
enum Replayed {
    Passes,
    Fails,
    /// It does not fail, and the program did something else.
    Diverges,
    /// A limit was reached.
    Unfinished,
}

pub fn run(arguments: &ExploreArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    each_file(&arguments.files, &Progress::none(), &mut tally, out, |file, tally, out| {
        file_of(file, arguments, tally, out)
    })?;
    if arguments.expect && arguments.style == ExploreStyle::Human && !interrupt::requested() {
        let Tally { histories: cases, inconsistent: unexpected, .. } = tally;
        writeln!(out, "{}, {unexpected} not as expected", counted(cases, "case"))?;
    }
    tally.read_out(out)
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
    let read = tribunal_formats::decompressed(input::bytes(file)?).and_then(read_utf8);
    let text = read.map_err(|source| Failure::Read { file: name.to_string(), source })?;
    if tribunal_formats::is_litmus(text.lines().next().unwrap_or_default().as_bytes()) {
        let problem = "this is a litmus test, not a program of Tribunal's: `tribunal litmus FILE` runs it";
        return Err(Failure::Usage(format!("{name}: {problem}")));
    }
    let source = Source::parse(&text).map_err(malformed)?;
    // Expectations are always read, so that errors in them are found.
    let cases = source.cases().map_err(malformed)?;
    for job in jobs(&name, &source, cases, arguments)? {
        let code = source.compile(&job.settings).map_err(malformed)?;
        if let Some(replay) = &arguments.search.replay {
            match diagnose::replayed(code, replay, &job, arguments, out)? {
                Replayed::Passes => {}
                Replayed::Fails | Replayed::Diverges => tally.inconsistent += 1,
                Replayed::Unfinished => tally.undecided += 1,
            }
            continue;
        }
        let options = options(arguments, job.model);
        let limits = Watched::new(options.limits(), GRACE);
        let explored = explore(code.clone(), &options);
        progress::clear();
        let exploration =
            explored.map_err(|error| Failure::Unexplored { file: name.to_string(), source: error })?;
        let mismatches = job.case.as_ref().map_or(Vec::new(), |case| case.mismatches(&exploration));
        let mut found = Found { job: &job, exploration, mismatches, models: Vec::new(), repair: None };
        let mut page = Page::new(out.color());
        match arguments.style {
            ExploreStyle::Human => {
                print::summarized(&found, &mut page)?;
                // What was found is told before it is looked into, which takes its time.
                out.print(&page)?;
                out.flush()?;
                page = Page::new(out.color());
                diagnose::complete(&mut found, code, arguments, &limits)?;
                print::detailed(&found, arguments, &limits, &mut page)?;
            }
            ExploreStyle::Brief => print::line(&found, &mut page)?,
            ExploreStyle::Json => {
                diagnose::complete(&mut found, code, arguments, &limits)?;
                json::line(&found, &mut page)?;
            }
        }
        out.print(&page)?;
        tally.histories += 1;
        // What is compared may fail, if that is expected.
        let failed = !arguments.expect && found.exploration.report.failure.is_some();
        let unexpected = !found.mismatches.is_empty() || !found.missing().is_empty();
        tally.inconsistent += u64::from(failed || unexpected);
        tally.undecided += u64::from(found.is_unfinished());
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
    let search = &arguments.search;
    let mode = match (search.random, search.pct) {
        (None, _) => Mode::Exhaustive,
        (Some(executions), None) => Mode::Random { seed: search.seed, executions },
        (Some(executions), Some(depth)) => Mode::Pct { seed: search.seed, executions, depth },
    };
    Options {
        model,
        mode,
        threads: NonZeroUsize::new(arguments.threads.into()).unwrap_or_else(cores),
        max_executions: search.max_executions,
        max_duration: search.timeout,
        max_memory: search.max_memory.unwrap_or_else(most_memory),
        max_events: search.max_events,
        max_preemptions: search.max_preemptions,
        allow_races: arguments.allow_races,
        count_mo: arguments.count_mo,
        stop: Some(interrupt::flag()),
        progress: Some(progress::show),
        checkpoint: None,
    }
}
