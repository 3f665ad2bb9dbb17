//! `tribunal generate hard`: histories that are hard to judge by construction.

use crate::destination::Destination;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::Stdout;
use crate::{input, interrupt};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use std::ffi::OsString;
use tribunal_formats::{Format, Labels, write_history};
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_history::transactions::History;
use tribunal_machines::hard::satisfiability::{self, Reduction};
use tribunal_machines::hard::triangles::{self, Graph};
use tribunal_machines::hard::{Formula, InvalidFormula, Lock, Pattern, kernel, renamed};
use tribunal_machines::transactions::families;

#[derive(Args, Debug)]
pub struct HardArguments {
    #[command(subcommand)]
    what: Hard,
}

#[derive(Debug, Subcommand)]
enum Hard {
    /// Formulas in 3-CNF as histories that are consistent if and only if the formula is satisfiable
    Sat(SatArguments),
    /// Graphs as histories that are consistent with wra, ra and sra if and only if there is no triangle
    Triangles(TrianglesArguments),
    /// Histories whose writes are ordered by sc but not by its saturation
    Kernel(KernelArguments),
    /// Histories that tell apart ways to maintain mo as an execution grows
    Pattern(PatternArguments),
    /// Locks: values repeat, so each read may come from any of many writes
    Lock(LockArguments),
}

/// A formula has no more clauses: its history would not fit into most memories.
const MOST_CLAUSES: u32 = 1 << 22;

const SAT_HELP: &str = "\
Examples:
  tribunal generate hard sat --variables 50 --seed 3 | tribunal check -m sc -
  tribunal generate hard sat --dimacs uf20-01.cnf --reduction guarded
  tribunal generate hard sat --transactions --variables 30 -o sat.json

The reduction `split` works for sc, tso and pso; `guarded` is for sc alone and has fewer events. With n variables and \
m clauses of three literals both have 2n + 6m writes. Formulas with about 4.26 clauses per variable are the hardest: \
half of them are satisfiable.

Exit status: 0 done, 2 bad usage or a malformed formula, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = SAT_HELP)]
struct SatArguments {
    /// Read the formula from this DIMACS file; `-` is standard input. By default formulas are random
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["variables", "clauses", "ratio", "seed", "histories"])]
    dimacs: Option<OsString>,
    /// Variables of a random formula, at least 3
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(3..=1 << 20))]
    variables: u32,
    /// Clauses of a random formula, each of three variables
    #[arg(long, value_name = "N", conflicts_with = "ratio", value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_CLAUSES)))]
    clauses: Option<u32>,
    /// Clauses per variable of a random formula
    #[arg(long, value_name = "RATIO", default_value_t = 4.26, value_parser = ratio)]
    ratio: f64,
    /// How the formula becomes a history
    #[arg(long, value_name = "REDUCTION", default_value = "split", value_parser = reduction())]
    reduction: Reduction,
    /// Write transactions, which satisfy si and ser if and only if the formula is satisfiable
    #[arg(long, conflicts_with = "reduction")]
    transactions: bool,
    #[command(flatten)]
    several: Several,
    #[command(flatten)]
    destination: Destination,
}

const TRIANGLES_HELP: &str = "\
Examples:
  tribunal generate hard triangles --nodes 100 | tribunal check --expect -
  tribunal generate hard triangles --nodes 1000 --edges 20000 --triangle-free

The histories are labeled with the verdicts of wra, ra and sra.

Exit status: 0 done, 2 bad usage, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = TRIANGLES_HELP)]
struct TrianglesArguments {
    /// Nodes of the random graph
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    nodes: u32,
    /// Edges of the random graph, at most as many as fit
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(..=1 << 22))]
    edges: u32,
    /// Draw edges only between two halves of the nodes, so that there is no triangle
    #[arg(long)]
    triangle_free: bool,
    #[command(flatten)]
    several: Several,
    #[command(flatten)]
    destination: Destination,
}

const KERNEL_HELP: &str = "\
Examples:
  tribunal generate hard kernel --ring 8
  tribunal generate hard kernel --pairs 2 --allowed 0b10
  tribunal generate hard kernel --pairs 3 | tribunal check --model sc,wsc -

A ring forbids one order of two writes through 2 or more other locations. With --pairs, every combination of the \
orders of that many pairs of writes is forbidden except --allowed: bit i says that in pair i, 2 is written before 1. \
Without --allowed none is allowed: the history is not sc, and wsc does not see it. The histories are labeled with the \
verdicts of sc and wsc.

Exit status: 0 done, 2 bad usage, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = KERNEL_HELP)]
struct KernelArguments {
    /// Locations of a ring, at least 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=1 << 20))]
    ring: u32,
    /// Pairs of writes, at most 16, with all combinations of their orders forbidden but one or none
    #[arg(long, value_name = "N", conflicts_with = "ring", value_parser = clap::value_parser!(u32).range(1..=16))]
    pairs: Option<u32>,
    /// The combination of orders that is allowed: a number, or 0b and bits
    #[arg(long, value_name = "BITS", requires = "pairs", value_parser = bits)]
    allowed: Option<u32>,
    /// Write transactions of one access each, which satisfy session-ser if and only if sc allows the history
    #[arg(long)]
    transactions: bool,
    #[command(flatten)]
    destination: Destination,
}

const PATTERN_HELP: &str = "\
Examples:
  tribunal generate hard pattern --pattern lag | tribunal check --model ra -
  tribunal generate hard pattern --pattern chain -o chain.jsonl

All accesses are acq_rel. The histories are consistent with ra, and labeled so.

Exit status: 0 done, 2 bad usage, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = PATTERN_HELP)]
struct PatternArguments {
    /// The pattern
    #[arg(long, value_name = "PATTERN", default_value = "lag", value_parser = pattern())]
    pattern: Pattern,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(i64::from(Pattern::MIN_THREADS)..=1 << 20))]
    threads: u32,
    /// Events, over all threads
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(..=1 << 30))]
    events: u64,
    #[command(flatten)]
    destination: Destination,
}

/// The number of random ones.
#[derive(Args, Debug)]
struct Several {
    /// The random seed; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many histories to generate
    #[arg(long, value_name = "N", default_value_t = 1)]
    histories: u64,
}

impl Several {
    fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let seed = self.seed;
        (0..self.histories).map(move |number| seed.wrapping_add(number))
    }
}

fn reduction() -> impl TypedValueParser<Value = Reduction> {
    PossibleValuesParser::new(Reduction::ALL.map(Reduction::name)).map(|name| {
        let named = Reduction::ALL.into_iter().find(|reduction| reduction.name() == name);
        named.unwrap_or(Reduction::Split)
    })
}

const LOCK_HELP: &str = "\
Examples:
  tribunal generate hard lock --handovers 10000 | tribunal check -m sc,rc20 -
  tribunal generate hard lock --handovers 500 --broken --to text -o broken.txt

The histories are labeled with the verdicts of sc, tso and rc20: yes, unless broken.

Exit status: 0 done, 2 bad usage, 130 stopped by Ctrl-C, 141 the reader of the output left.";

#[derive(Args, Debug)]
#[command(after_help = LOCK_HELP)]
struct LockArguments {
    /// Threads, at least 2
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=1 << 20))]
    threads: u32,
    /// How often the lock is taken
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    handovers: u64,
    /// Let the counter that the lock protects wrap around at this number; 0: never
    #[arg(long, value_name = "N", default_value_t = 0)]
    modulus: u64,
    /// Let two threads hold the lock at the same time, once
    #[arg(long, conflicts_with = "modulus")]
    broken: bool,
    #[command(flatten)]
    several: Several,
    #[command(flatten)]
    destination: Destination,
}

fn pattern() -> impl TypedValueParser<Value = Pattern> {
    PossibleValuesParser::new(Pattern::ALL.map(Pattern::name)).try_map(|name| name.parse())
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio| (0.0..=1000.0).contains(ratio));
    ratio.ok_or_else(|| "expected a number from 0 to 1000, such as 4.26".into())
}

fn bits(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0b") {
        Some(bits) => u32::from_str_radix(bits, 2),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected a number, or 0b and bits, such as 0b10".into())
}

pub fn run(arguments: &HardArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    if let Hard::Sat(arguments) = &arguments.what
        && arguments.ratio() * f64::from(arguments.variables) > f64::from(MOST_CLAUSES)
    {
        return Err(Failure::Usage(format!("the formula would have more than {MOST_CLAUSES} clauses")));
    }
    match &arguments.what {
        Hard::Sat(arguments) if arguments.transactions => {
            let formulas: Box<dyn Iterator<Item = Formula>> = match &arguments.dimacs {
                Some(file) => Box::new([dimacs(file)?].into_iter()),
                None => Box::new(arguments.several.seeds().map(|seed| arguments.formula(seed))),
            };
            let histories =
                formulas.map(|formula| Ok((families::satisfiability(&formula), Labels::default())));
            arguments.destination.write_transactions(out, histories)
        }
        Hard::Sat(arguments) => match &arguments.dimacs {
            Some(file) => {
                let formula = dimacs(file)?;
                arguments.destination.write(out, [arguments.history(&formula, &file.to_string_lossy())])
            }
            None => {
                let random = |seed| arguments.history(&arguments.formula(seed), &format!("seed {seed}"));
                arguments.destination.write(out, arguments.several.seeds().map(random))
            }
        },
        Hard::Triangles(arguments) => {
            arguments.destination.write(out, arguments.several.seeds().map(|seed| arguments.history(seed)))
        }
        Hard::Kernel(arguments) => {
            if let (Some(pairs), Some(allowed)) = (arguments.pairs, arguments.allowed)
                && allowed >> pairs > 0
            {
                return Err(Failure::Usage(format!("--allowed {allowed} has more than {pairs} bits")));
            }
            match arguments.transactions {
                true => arguments.destination.write_transactions(out, arguments.as_transactions()),
                false => arguments.destination.write(out, [arguments.history()]),
            }
        }
        Hard::Pattern(arguments) => arguments.destination.write(out, [arguments.history()]),
        Hard::Lock(arguments) => {
            arguments.destination.write(out, arguments.several.seeds().map(|seed| arguments.history(seed)))
        }
    }
}

/// A history to be written, with what is known of it.
struct Known {
    history: Execution,
    name: String,
    verdicts: Vec<(Model, bool)>,
}

impl Destination {
    fn write(&self, out: &mut Stdout, histories: impl IntoIterator<Item = Known>) -> Result<Tally, Failure> {
        let mut writer = self.open(Format::Text, out)?;
        for Known { history, name, verdicts } in histories {
            let labels =
                verdicts.into_iter().map(|(model, consistent)| (model.to_string(), Some(consistent)));
            write_history(&mut writer, &renamed(&history, &name), &Labels(labels.collect()))
                .map_err(|error| self.failure(error, &name))?;
            if interrupt::requested() {
                return Ok(Tally::default());
            }
        }
        self.finish(writer)?;
        Ok(Tally::default())
    }
}

/// Reads a formula.
fn dimacs(file: &OsString) -> Result<Formula, Failure> {
    let name = || file.to_string_lossy().into_owned();
    let read = tribunal_host::read_utf8(input::lines(file)?);
    let text = read.map_err(|source| Failure::Read { file: name(), source })?;
    text.parse().map_err(|error| match error {
        InvalidFormula::At { line, problem } => {
            Failure::History { file: name(), line: line as u64, problem: problem.to_string() }
        }
        error => Failure::History { file: name(), line: 1, problem: error.to_string() },
    })
}

impl SatArguments {
    /// Clauses per variable.
    fn ratio(&self) -> f64 {
        self.clauses.map_or(self.ratio, |clauses| f64::from(clauses) / f64::from(self.variables))
    }

    fn formula(&self, seed: u64) -> Formula {
        Formula::random(self.variables, self.ratio(), seed).expect("three variables or more")
    }

    fn history(&self, formula: &Formula, origin: &str) -> Known {
        let (reduction, variables, clauses) =
            (self.reduction.name(), formula.variables(), formula.clauses().len());
        Known {
            history: satisfiability::history(formula, self.reduction),
            name: format!("3-SAT, {reduction}, {variables} variables, {clauses} clauses, {origin}"),
            verdicts: Vec::new(),
        }
    }
}

impl TrianglesArguments {
    fn history(&self, seed: u64) -> Known {
        let graph = Graph::random(self.nodes, self.edges, !self.triangle_free, seed);
        let free = self.triangle_free || !graph.has_triangle();
        Known {
            history: triangles::history(&graph),
            name: format!("triangles, {} nodes, {} edges, seed {seed}", graph.nodes, graph.edges.len()),
            verdicts: [Model::Wra, Model::Ra, Model::Sra].map(|model| (model, free)).into(),
        }
    }
}

impl KernelArguments {
    fn history(&self) -> Known {
        let (history, name) = match (self.pairs, self.allowed) {
            (None, _) => (kernel::ring(self.ring), format!("kernel, ring of {} locations", self.ring)),
            (Some(pairs), allowed) => {
                let but = allowed
                    .map_or("none".into(), |allowed| format!("{allowed:0pairs$b}", pairs = pairs as usize));
                (kernel::combinations(pairs, allowed), format!("kernel, {pairs} pairs, {but} allowed"))
            }
        };
        let consistent = self.pairs.is_none() || self.allowed.is_some();
        Known { history, name, verdicts: vec![(Model::Sc, consistent), (Model::Wsc, true)] }
    }
}

impl KernelArguments {
    /// The same as transactions.
    fn as_transactions(&self) -> Option<Result<(History, Labels), Failure>> {
        let Known { history, name, verdicts } = self.history();
        let sc = verdicts.iter().find(|(model, _)| *model == Model::Sc).map(|&(_, consistent)| consistent);
        let labels = Labels(vec![("session-ser".into(), sc)]);
        families::of_memory(&renamed(&history, &name)).map(|history| Ok((history, labels)))
    }
}

impl PatternArguments {
    fn history(&self) -> Known {
        let &PatternArguments { pattern, threads, events, .. } = self;
        Known {
            history: pattern.history(threads, events),
            name: format!("pattern {}, {threads} threads, {events} events", pattern.name()),
            verdicts: vec![(Model::Ra, true)],
        }
    }
}

impl LockArguments {
    fn history(&self, seed: u64) -> Known {
        let &LockArguments { threads, handovers, modulus, broken, .. } = self;
        let lock = Lock { threads, handovers, modulus, broken, seed, ..Lock::default() };
        let how = if broken { ", broken" } else { "" };
        Known {
            history: lock.history(),
            name: format!("lock, {threads} threads, {handovers} handovers{how}, seed {seed}"),
            // Of few handovers none may be too early.
            verdicts: [Model::Sc, Model::Tso, Model::Rc20]
                .map(|model| (model, !broken || handovers < 2))
                .into(),
        }
    }
}
