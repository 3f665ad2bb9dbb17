//! `tribunal separate`: the smallest history that one model allows and another forbids, and how all models relate.

mod hierarchy;
mod known;
mod picture;

use crate::args::{seconds, written_format};
use crate::budget::Budget;
use crate::driver::specifications;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{BAD, GOOD, STRONG, Sink, Stdout, complain, indented};
use crate::progress::Progress;
use crate::watchdog::Watched;
use clap::{Args, ValueHint};
use hierarchy::{Cell, Hierarchy};
use known::Known;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use tribunal_formats::{Format, Labels, Notes, Object, Subject, Transactions, Writer, write_subject};
use tribunal_history::object::{Criterion, Specification, specs};
use tribunal_history::transactions::Level;
use tribunal_history::verdict::Limit;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_host::named;
use tribunal_report::{Answer, NotCheckable, Question, Specifications};
use tribunal_separate::{self as separate, MOST_EVENTS, Pair, Search, Separations};

const SEPARATE_HELP: &str = "\
Examples:
  tribunal separate --in pso --out tso    the smallest history that pso allows
                                          and tso forbids, and why
  tribunal separate --in causal --out linearizable --to json
  tribunal separate --in si --out ser     write skew
  tribunal separate --in rmo --out 'po-mm=deps;rf-mm=rfe' --events 4
  tribunal separate                       a table of all pairs of models
  tribunal separate --known found/*.txt --svg hierarchy.svg

All histories of up to --events events (reads, writes, RMWs and fences; operations of an object or of transactions) \
are tried, smallest first, once up to the names of threads, locations and values. Dependencies, orders and times \
start as strong as the forbidding model can see them, and are then weakened as far as possible. Final values are not \
tried. Each further event takes about 20 times as long: a second for 6, seconds for 7, minutes for 8.

Criteria of objects are separated by histories of a register, a counter, a set, a queue and a stack, or of --spec, \
with arguments 1 and 2.

In the table, a number is the size of a smallest history that the model of the row allows and that of the column \
forbids; ≤ marks the size of a given history; ⊆ means that there is none of up to --events events, nor among those \
given.

Where the one is known to be included in the other (see `tribunal models`), nothing is tried.

Exit status: 0 found, or the table is complete; 1 there is none, since the one is included in the other; 2 bad \
usage or malformed input; 3 none up to --events, or undecided \
because the time ran out; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = SEPARATE_HELP)]
pub struct SeparateArguments {
    /// The model, criterion or level that allows the history
    #[arg(long = "in", value_name = "MODEL", requires = "forbids", value_parser = named::<Question>)]
    allows: Option<Question>,
    /// The model, criterion or level that forbids it
    #[arg(long = "out", value_name = "MODEL", requires = "allows", value_parser = named::<Question>)]
    forbids: Option<Question>,
    /// The size of the largest histories to try, at most 8. By default 7 for two models, 5 for the table, 3 for objects and 6
    /// for transactions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=MOST_EVENTS as i64))]
    events: Option<u8>,
    /// Also try the histories of these files, of any size; `-` is standard input
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    known: Vec<OsString>,
    /// The specification of the objects: a built-in one or FILE.spec
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::FilePath)]
    spec: Option<String>,
    /// Write only the history, in this format
    #[arg(short, long, value_name = "FORMAT", value_parser = written_format(), requires = "allows")]
    to: Option<Format>,
    /// Write only the history, to this file; a name ending in .gz or .zst compresses
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "allows")]
    output: Option<PathBuf>,
    /// Draw the inclusions of the table into this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "allows")]
    svg: Option<PathBuf>,
    /// Give up after this time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
}

/// The objects whose histories tell criteria apart.
const SPECIFICATIONS: [&str; 5] = ["register", "counter", "set", "queue", "stack"];

/// The number of operations of objects that are tried unless said otherwise: every pair of criteria that differ does so with 3 operations.
const OPERATIONS: usize = 3;

/// The number of operations of transactions that are tried unless said otherwise: the long fork has 6 operations.
const TRANSACTED: usize = 6;

impl SeparateArguments {
    fn limits(&self) -> Watched {
        Budget::of_time(self.timeout).limits()
    }

    fn search(&self, usual: usize, limits: &Limits<'static>) -> Search<'static> {
        Search { events: self.events.map_or(usual, usize::from), limits: *limits, needed_only: true }
    }
}

pub fn run(arguments: &SeparateArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let known = Known::read(&arguments.known)?;
    match (&arguments.allows, &arguments.forbids) {
        (Some(allows), Some(forbids)) if allows == forbids => {
            Err(Failure::Usage(format!("nothing that {allows} allows is forbidden by itself")))
        }
        (Some(Question::Model(allows)), Some(Question::Model(forbids))) => {
            let pair = Pair { allows: *allows, forbids: *forbids };
            models(pair, &known, arguments, out)
        }
        (Some(Question::Criterion(allows)), Some(Question::Criterion(forbids))) => {
            let pair = Pair { allows: allows.clone(), forbids: forbids.clone() };
            criteria(pair, &known, arguments, out)
        }
        (Some(Question::Level(allows)), Some(Question::Level(forbids))) => {
            levels(Pair { allows: *allows, forbids: *forbids }, &known, arguments, out)
        }
        (Some(allows), Some(forbids)) => Err(Failure::Usage(format!(
            "--in {allows} --out {forbids}: they are of different kinds of histories, which have none in common"
        ))),
        _ => table(&known, arguments, out),
    }
}

/// The history that was found for two models, and what to print.
struct Found {
    subject: Subject,
    /// Whether nothing smaller separates them.
    smallest: bool,
}

fn models(
    pair: Pair,
    known: &Known,
    arguments: &SeparateArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let given = known.execution(pair);
    if given.is_none() && pair.forbids.includes(pair.allows) {
        return included([&pair.allows, &pair.forbids], arguments, out);
    }
    let limits = arguments.limits();
    let search = smaller(arguments.search(7, &limits), given.map(|given| given.len()));
    let progress = Progress::new();
    let mut separations =
        separate::models(&[pair], &search, |events, tried| progress.separating(events, tried));
    drop(progress);
    let found = separations.found[0].take().map(|execution| (execution.into(), true));
    let given = given.map(|given| (given.clone(), separations.complete + 1 >= given.len()));
    let found =
        found.or(given).map(|(execution, smallest)| Found { subject: Subject::Memory(execution), smallest });
    let questions = [pair.allows, pair.forbids].map(Question::Model);
    report(found, &Specifications::default(), &questions, Reached::of(&separations, "events"), arguments, out)
}

fn criteria(
    pair: Pair<Criterion>,
    known: &Known,
    arguments: &SeparateArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let objects = Objects::new(arguments.spec.as_deref())?;
    let given = known.object(&pair, &arguments.limits());
    if given.is_none() && pair.forbids.includes(&pair.allows) {
        return included([&pair.allows, &pair.forbids], arguments, out);
    }
    let limits = arguments.limits();
    let search = smaller(arguments.search(OPERATIONS, &limits), given.map(|given| given.history.len()));
    let progress = Progress::new();
    let tick = |operations, tried| progress.separating(operations, tried);
    let mut separations = separate::criteria(std::slice::from_ref(&pair), &objects.specs(), &search, tick);
    drop(progress);
    let found = separations.found[0].take().map(|example| {
        let lines = vec![0; example.history.len()];
        let spec = objects.name(example.spec).to_string();
        (Object { history: example.history.into(), spec, lines, notes: Notes::default() }, true)
    });
    let given = given.map(|given| (given.clone(), separations.complete + 1 >= given.history.len()));
    let found =
        found.or(given).map(|(object, smallest)| Found { subject: Subject::Object(object), smallest });
    let Pair { allows, forbids } = pair;
    let questions = [allows, forbids].map(Question::Criterion);
    report(found, &objects.given, &questions, Reached::of(&separations, "operations"), arguments, out)
}

fn levels(
    pair: Pair<Level>,
    known: &Known,
    arguments: &SeparateArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let given = known.transactions(&pair, &arguments.limits());
    if given.is_none() && pair.forbids.includes(pair.allows) {
        return included([&pair.allows, &pair.forbids], arguments, out);
    }
    let limits = arguments.limits();
    let search = smaller(arguments.search(TRANSACTED, &limits), given.map(|given| given.history.ops().len()));
    let progress = Progress::new();
    let mut separations =
        separate::levels(&[pair], &search, |operations, tried| progress.separating(operations, tried));
    drop(progress);
    let found = separations.found[0].take().map(|history| {
        let lines = vec![0; history.len()];
        (Transactions { history: history.into(), lines, notes: Notes::default() }, true)
    });
    let given = given.map(|given| (given.clone(), separations.complete + 1 >= given.history.ops().len()));
    let found = found
        .or(given)
        .map(|(transactions, smallest)| Found { subject: Subject::Transactions(transactions), smallest });
    let questions = [pair.allows, pair.forbids].map(Question::Level);
    report(
        found,
        &Specifications::default(),
        &questions,
        Reached::of(&separations, "operations"),
        arguments,
        out,
    )
}

/// Says that nothing separates the two: it is known that the one is included in the other.
fn included<M: Display>(
    [allows, forbids]: [&M; 2],
    arguments: &SeparateArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let line =
        format!("{allows} is included in {forbids}: every history that {allows} allows, {forbids} allows");
    tell(&line, arguments, out)?;
    Ok(Tally { inconsistent: 1, ..Tally::default() })
}

/// Prints a line; on standard error where the output is for the history alone.
fn tell(line: &str, arguments: &SeparateArguments, out: &mut Stdout) -> Result<(), Failure> {
    if arguments.to.is_some() || arguments.output.is_some() {
        complain(line);
    } else {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// There is no need to look for what is no smaller than what is given.
fn smaller(search: Search<'_>, given: Option<usize>) -> Search<'_> {
    Search { events: given.map_or(search.events, |given| search.events.min(given - 1)), ..search }
}

/// The reach of a search.
struct Reached {
    complete: usize,
    histories: u64,
    limit: Option<Limit>,
    unit: &'static str,
}

impl Reached {
    fn of<E>(separations: &Separations<E>, unit: &'static str) -> Self {
        let Separations { complete, histories, limit, .. } = *separations;
        Reached { complete, histories, limit, unit }
    }
}

/// Writes the history, and says why the one model allows it and the other does not.
fn report(
    found: Option<Found>,
    specifications: &Specifications,
    [allows, forbids]: &[Question; 2],
    reached: Reached,
    arguments: &SeparateArguments,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    if interrupt::requested() {
        return Ok(Tally::default());
    }
    let Reached { complete, histories, limit, unit } = reached;
    let alone = arguments.to.is_some() || arguments.output.is_some();
    let Some(Found { subject, smallest }) = found else {
        let why = limit.map_or(String::new(), |limit| format!("undecided: {limit}; "));
        let line = format!(
            "{why}none up to {complete} {unit}: {forbids} allows what {allows} allows ({histories} histories tried)"
        );
        tell(&line, arguments, out)?;
        return Ok(Tally { undecided: 1, ..Tally::default() });
    };
    write(&subject, arguments, out)?;
    let events = match &subject {
        Subject::Transactions(transactions) => transactions.history.ops().len(),
        other => other.len(),
    };
    let remark = if smallest { "no fewer do" } else { "perhaps fewer do" };
    let line = format!("{events} {unit} separate {allows} and {forbids}; {remark}");
    if alone {
        complain(&line);
        return Ok(Tally::default());
    }
    let checkable = specifications.checkable(&subject, spec_of(&subject)).map_err(|why| match why {
        NotCheckable::Specification(_) => Failure::Usage(format!("no specification `{}`", spec_of(&subject))),
        NotCheckable::IllTyped(error) | NotCheckable::OtherMethods { source: error, .. } => error.into(),
    })?;
    writeln!(out)?;
    for (question, style) in [(allows, GOOD), (forbids, BAD)] {
        let answer = Answer::of(&checkable, question, None, &arguments.limits());
        let word = out.paint(style, answer.verdict().word());
        writeln!(out, "{question}: {word}{}", answer.broken())?;
        indented(answer.explain(&arguments.limits()), out)?;
    }
    writeln!(out, "{line}")?;
    Ok(Tally::default())
}

/// The name of the specification of an object; nothing for other histories.
fn spec_of(subject: &Subject) -> &str {
    match subject {
        Subject::Object(object) => &object.spec,
        Subject::Memory(_) | Subject::Transactions(_) => "",
    }
}

/// Writes the history as asked, or as people read it.
fn write(subject: &Subject, arguments: &SeparateArguments, out: &mut Stdout) -> Result<(), Failure> {
    let path = arguments.output.as_deref();
    let usual = match subject {
        Subject::Memory(_) => Format::Text,
        Subject::Object(_) | Subject::Transactions(_) => Format::Json,
    };
    let format = arguments.to.or_else(|| path.and_then(Format::of_path)).unwrap_or(usual);
    let mut writer = Writer::new(Sink::open(path, out)?, format);
    let written = write_subject(&mut writer, subject, &Labels::default());
    written.map_err(|error| Failure::writing(error, "the history found", path))?;
    writer.finish().map_err(|source| Failure::output(path, source))?.finish()
}

/// The specifications whose histories are tried.
struct Objects {
    given: Specifications,
    name: Option<String>,
    built_in: Vec<Box<dyn Specification>>,
}

impl Objects {
    fn new(name: Option<&str>) -> Result<Self, Failure> {
        let given = specifications(name)?;
        let built_in = SPECIFICATIONS.iter().filter_map(|name| specs::named(name).ok()).collect();
        Ok(Objects { given, name: name.map(String::from), built_in })
    }

    fn specs(&self) -> Vec<&dyn Specification> {
        match self.given.given() {
            Some(given) => vec![given],
            None => self.built_in.iter().map(|spec| &**spec).collect(),
        }
    }

    fn name(&self, at: usize) -> &str {
        self.name.as_deref().unwrap_or(SPECIFICATIONS[at])
    }
}

/// The relations of all models of memories, and of all criteria of objects.
fn table(known: &Known, arguments: &SeparateArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let progress = Progress::new();
    let mut tick = |events, tried| progress.separating(events, tried);
    let pairs = ordered(&Model::ALL);
    let memories = separate::models(&pairs, &arguments.search(5, &arguments.limits()), &mut tick);
    let given = |pair: &Pair| known.execution(*pair).map(|given| given.len());
    let models = hierarchy(&Model::ALL, &pairs, &memories, |found| found.len(), given);

    let objects = Objects::new(arguments.spec.as_deref())?;
    let pairs = ordered(&Criterion::ALL);
    let limits = arguments.limits();
    let search = Search { events: OPERATIONS, limits: *limits, needed_only: true };
    let operations = separate::criteria(&pairs, &objects.specs(), &search, &mut tick);
    let given = |pair: &Pair<Criterion>| known.object(pair, &limits).map(|given| given.history.len());
    let criteria = hierarchy(&Criterion::ALL, &pairs, &operations, |found| found.history.len(), given);
    drop(progress);
    if interrupt::requested() {
        return Ok(Tally::default());
    }
    for (title, hierarchy, reached) in [
        ("Memories", &models, Reached::of(&memories, "events")),
        ("Objects", &criteria, Reached::of(&operations, "operations")),
    ] {
        let Reached { complete, histories, limit, unit } = reached;
        let limit = limit.map_or(String::new(), |limit| format!("; then {limit}"));
        let title = out.paint(STRONG, title);
        writeln!(
            out,
            "{title}, up to {complete} {unit}: {histories} histories tried{limit}\n{}\n",
            hierarchy.table()
        )?;
        for line in hierarchy.inclusions() {
            writeln!(out, "{line}")?;
        }
        if unit == "events" {
            writeln!(out)?;
        }
    }
    if let Some(path) = &arguments.svg {
        let mut sink = Sink::open(Some(path), out)?;
        let written = sink.write_all(picture::draw(&[&models, &criteria]).as_bytes());
        written.map_err(|source| Failure::output(Some(path), source))?;
        sink.finish()?;
    }
    let limited = memories.limit.is_some() || operations.limit.is_some();
    Ok(Tally { undecided: limited.into(), ..Tally::default() })
}

/// Every ordered pair of different models.
fn ordered<M: Clone + PartialEq>(all: &[M]) -> Vec<Pair<M>> {
    let pairs = all.iter().flat_map(|allows| all.iter().map(move |forbids| (allows, forbids)));
    pairs
        .filter(|(allows, forbids)| allows != forbids)
        .map(|(allows, forbids)| Pair { allows: allows.clone(), forbids: forbids.clone() })
        .collect()
}

/// The relations of models, by what was found and what was given.
fn hierarchy<M: Clone + PartialEq + ToString, E>(
    all: &[M],
    pairs: &[Pair<M>],
    separations: &Separations<E>,
    size: impl Fn(&E) -> usize,
    given: impl Fn(&Pair<M>) -> Option<usize>,
) -> Hierarchy {
    let at = |allows: &M, forbids: &M| {
        let pair = pairs.iter().position(|pair| pair.allows == *allows && pair.forbids == *forbids);
        let Some(pair) = pair else { return Cell::Same };
        match &separations.found[pair] {
            Some(found) => Cell::Events(size(found)),
            None => match given(&pairs[pair]) {
                Some(events) if events <= separations.complete + 1 => Cell::Events(events),
                Some(events) => Cell::AtMost(events),
                None => Cell::None,
            },
        }
    };
    let cells = all.iter().map(|allows| all.iter().map(|forbids| at(allows, forbids)).collect()).collect();
    Hierarchy { names: all.iter().map(ToString::to_string).collect(), cells }
}
