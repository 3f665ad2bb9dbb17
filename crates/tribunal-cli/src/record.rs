//! `tribunal record`: histories of what this machine, or a database, really does.

mod program;
mod transactions;

use crate::args::seconds;
use crate::destination::Destination;
use crate::exit::Tally;
use crate::explain;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Page, STRONG, Stdout, complain};
use crate::progress::Progress;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_formats::{Format, History, Labels, Lines, Subject, Writer, write_history};
use tribunal_history::memory::Execution;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_host::named;
use tribunal_machines::{Clients, Mix};
use tribunal_record::memory::{Layout, Pinning, Recorder, litmus};
use tribunal_report::{Answer, Checkable, Question};
use tribunal_report::{SCREENFUL, printable, section};

#[derive(Args, Debug)]
pub struct RecordArguments {
    #[command(subcommand)]
    pub what: Record,
}

#[derive(Debug, Subcommand)]
pub enum Record {
    /// Run random programs on this machine's memory and record what they read
    Memory(MemoryArguments),
    /// Run random clients on a database and check which isolation levels it really has
    Transactions(transactions::TransactionsArguments),
}

const MEMORY_HELP: &str = "\
Examples:
  tribunal record memory --until-not sc          does this processor reorder?
  tribunal record memory --until-not tso --seconds 3600    is it faulty?
  tribunal record memory --layout packed --events 1000000 -o long.axe.zst
  tribunal record memory --histories 10000 | tribunal check -m tso -
  tribunal record memory --program SB.litmus --seconds 10

Each thread is pinned to a core and runs loads, stores, swaps (the RMWs) and fences on shared atomics, with nothing \
in between. The seed determines the programs, not what they read. On x86 every history is consistent with tso, but \
not every one with sc. On other processors expect rc20, as far as they do without load buffering, and nothing \
stronger.

With --until-not, histories are recorded until the model forbids one. Its smallest forbidden part is explained, and \
-o writes the whole history. Without -o nothing is written.

With --program a litmus test is run instead: one in C, or for X86 on x86-64. The output is how often each final state \
was reached, as litmus7 prints it, and which states a model allows. It runs for a second, or as --seconds or \
--histories (a number of runs) says; of the other options only --layout applies.

Exit status: 0 done, or the model allows all that was recorded; 1 the model forbids a history or a state; 2 bad \
usage, a model that does not apply, or an output that could not be written; 3 some undecided and none forbidden; 130 \
stopped by Ctrl-C.";

/// The default time of a search for a forbidden history.
const SEARCH: Duration = Duration::from_secs(10);

#[derive(Args, Debug)]
#[command(after_help = MEMORY_HELP)]
pub struct MemoryArguments {
    /// Threads, each pinned to a core
    #[arg(long, value_name = "N", default_value_t = litmus().threads, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Events in each history, over all threads
    #[arg(long, value_name = "N", default_value_t = litmus().events)]
    pub events: u64,
    /// Locations
    #[arg(long, value_name = "N", default_value_t = litmus().locations, value_parser = clap::value_parser!(u32).range(1..))]
    pub locations: u32,
    /// Where locations are: on a cache line each, packed on shared lines, on a page each, or any of these
    #[arg(long, value_name = "LAYOUT", default_value = "mixed", value_parser = layout())]
    pub layout: Layout,
    /// Share of accesses that are writes, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = litmus().writes)]
    pub writes: f64,
    /// Share of accesses that are RMWs, from 0 to 1; the rest are reads
    #[arg(long, value_name = "SHARE", default_value_t = litmus().rmws)]
    pub rmws: f64,
    /// Share of events that are fences, from 0 to 1; Axe traces have only seq_cst fences
    #[arg(long, value_name = "SHARE", default_value_t = litmus().fences)]
    pub fences: f64,
    /// Share of accesses to their thread's last location or the next one, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = litmus().locality)]
    pub locality: f64,
    /// Orders of accesses and fences with their weights, 1 by default
    #[arg(long, value_name = "ORDER=N,..", default_value_t = litmus().orders)]
    pub orders: Mix,
    /// The random seed of the programs; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = litmus().seed)]
    pub seed: u64,
    /// The most histories to record; 1 unless --seconds or --until-not is given
    #[arg(long, value_name = "N")]
    pub histories: Option<u64>,
    /// The longest time to record, in seconds; with --until-not 10, unless --histories is given
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Record until this model forbids a history, and explain why
    #[arg(long, value_name = "MODEL", value_parser = model)]
    pub until_not: Option<Model>,
    /// Run this litmus test instead
    #[arg(long, value_name = "TEST", value_hint = ValueHint::FilePath, conflicts_with = "until_not")]
    pub program: Option<PathBuf>,
    /// The model that allows or forbids the final states: a built-in one or FILE.cat; by default tso for X86, rc11 for C
    #[arg(long, value_name = "MODEL", requires = "program")]
    pub model: Option<String>,
    /// Also look for cat files in this directory
    #[arg(short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "program")]
    pub include: Vec<PathBuf>,
    #[command(flatten)]
    pub destination: Destination,
}

impl MemoryArguments {
    fn clients(&self) -> Clients {
        Clients {
            threads: self.threads,
            events: self.events,
            locations: self.locations,
            writes: self.writes,
            rmws: self.rmws,
            fences: self.fences,
            locality: self.locality,
            orders: self.orders,
            seed: self.seed,
            ..litmus()
        }
    }

    /// The greatest number of histories that are recorded, and the time for that.
    fn extent(&self) -> (u64, Option<Duration>) {
        match (self.histories, self.seconds) {
            (None, None) if self.until_not.is_some() => (u64::MAX, Some(SEARCH)),
            (None, None) => (1, None),
            (histories, seconds) => (histories.unwrap_or(u64::MAX), seconds),
        }
    }
}

/// Layouts by name, listed in the help and in completions.
fn layout() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.map(Layout::name)).try_map(|name| name.parse())
}

/// A model of memories.
fn model(name: &str) -> Result<Model, String> {
    match named(name)? {
        Question::Model(model) => Ok(model),
        Question::Criterion(_) => Err("a criterion of objects: expected a model of memories".into()),
        Question::Level(_) => Err("a level of transactions: expected a model of memories".into()),
    }
}

pub fn run(arguments: &RecordArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let arguments = match &arguments.what {
        Record::Memory(arguments) => arguments,
        Record::Transactions(arguments) => return transactions::run(arguments, out),
    };
    if let Some(file) = &arguments.program {
        return program::run(file, arguments, out);
    }
    let recorder = Recorder::new(arguments.clients(), arguments.layout)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    match recorder.pinning() {
        Pinning::Apart => {}
        Pinning::Crowded { threads, cores } => complain(&format!(
            "warning: {threads} threads on {cores} cores: those on one core never run at the same time"
        )),
        Pinning::Loose => complain("warning: threads are not pinned to cores: two may come to share one"),
    }
    match arguments.until_not {
        None => stream(recorder, arguments, out),
        Some(model) => search(recorder, model, arguments, out),
    }
}

/// Says if threads have to share cores.
fn warn(threads: usize) {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    if threads > cores {
        complain(&format!(
            "warning: {threads} threads on {cores} cores: those on one core never run at the same time"
        ));
    }
}

/// Writes what is recorded.
fn stream(recorder: Recorder, arguments: &MemoryArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let mut writer = arguments.destination.open(Format::Text, out)?;
    for history in bounded(recorder, arguments) {
        write(&history?, &mut writer, arguments)?;
        if interrupt::requested() {
            return Ok(Tally::default());
        }
    }
    arguments.destination.finish(writer)?;
    Ok(Tally::default())
}

/// Looks for a history that a model forbids.
fn search(
    recorder: Recorder,
    model: Model,
    arguments: &MemoryArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let limits = Limits { stop: Some(interrupt::flag()), ..Limits::default() };
    let progress = Progress::new();
    let (mut recorded, mut undecided) = (0u64, 0u64);
    for history in bounded(recorder, arguments) {
        let history = history?;
        recorded += 1;
        if recorded % 1024 == 0 {
            progress.separating(history.len(), recorded);
        }
        let verdict = tribunal_engines::memory::judge(&history, model, &limits).0;
        if interrupt::requested() {
            return Ok(Tally::default());
        }
        match verdict {
            Verdict::Consistent(_) => {}
            Verdict::Undecided(_) => undecided += 1,
            Verdict::Unsupported(why) => {
                return Err(Failure::Usage(format!("--until-not {model}: {why}")));
            }
            Verdict::Inconsistent(_) => {
                if arguments.destination.output.is_some() {
                    let mut writer = arguments.destination.open(Format::Text, out)?;
                    write(&history, &mut writer, arguments)?;
                    arguments.destination.finish(writer)?;
                }
                return progress.aside(|| show(&history, model, recorded, &limits, out));
            }
        }
    }
    let but = if undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
    progress.aside(|| complain(&format!("{model} allows every history recorded, {recorded}{but}")));
    Ok(Tally { undecided, ..Tally::default() })
}

/// As many histories as are asked for, while there is time.
fn bounded(
    recorder: Recorder,
    arguments: &MemoryArguments,
) -> impl Iterator<Item = Result<Execution, Failure>> {
    let (histories, seconds) = arguments.extent();
    let end = seconds.and_then(|seconds| Instant::now().checked_add(seconds));
    let numbered = (0..histories).zip(recorder);
    // However slow the machine is, there is a first one.
    let timely =
        numbered.take_while(move |&(number, _)| number == 0 || end.is_none_or(|end| Instant::now() < end));
    timely.map(|(number, history)| {
        // A read of a value that was never written: the memory is broken, or this program is.
        history.map_err(|problem| Failure::History {
            file: "recorded memory".into(),
            line: number + 1,
            problem: problem.to_string(),
        })
    })
}

fn write<W: Write>(
    history: &Execution,
    writer: &mut Writer<W>,
    arguments: &MemoryArguments,
) -> Result<(), Failure> {
    let written = write_history(writer, history, &Labels::default());
    let name = || history.name().unwrap_or_default().to_string();
    written.map_err(|error| arguments.destination.failure(error, &name()))
}

/// Explains the smallest part of a history that a model forbids, and says what the other models say of it.
fn show(
    history: &Execution,
    model: Model,
    recorded: u64,
    limits: &Limits<'_>,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    // There was an answer within the limits before: only Ctrl-C can have ended this.
    let Ok(shrunk) = tribunal_engines::memory::shrink(history, model, limits, |_| ()) else {
        return Ok(Tally::default());
    };
    let part = shrunk.part.history;
    let name = printable(history.name().unwrap_or_default()).into_owned();
    let (left, all) = (part.len(), history.len());
    let after = match recorded {
        1 => "the first history recorded".into(),
        _ => format!("after {recorded} histories"),
    };
    writeln!(out, "{}, {after}: {left} of {all} events are not {model}", out.paint(STRONG, &name))?;
    let part = Arc::new(part);
    let checkable = Checkable::Memory(part.clone());
    let source = History {
        subject: Subject::Memory(part),
        labels: Labels::default(),
        line: 0,
        lines: Lines::default(),
    };
    let ask = |model| Answer::of(&checkable, &Question::Model(model), None, limits);
    let mut page = Page::new(out.color());
    explain::print(&section(&ask(model), &source, SCREENFUL, limits), &mut page)?;
    out.print(&page)?;
    writeln!(out)?;
    let words = Model::ALL.map(|model| (model.to_string(), ask(model).verdict()));
    for (heading, wanted) in
        [("forbidden by", Verdict::Inconsistent(())), ("allowed by", Verdict::Consistent(()))]
    {
        let models: Vec<&str> =
            words.iter().filter(|(_, word)| *word == wanted).map(|(name, _)| name.as_str()).collect();
        if !models.is_empty() {
            writeln!(out, "{heading:13} {}", models.join(", "))?;
        }
    }
    Ok(Tally { inconsistent: 1, ..Tally::default() })
}
