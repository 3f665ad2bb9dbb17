//! `tribunal generate object`: random clients of simulated objects.

use super::share;
use crate::destination::Destination;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Stdout;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tribunal_formats::{Format, Labels, Notes, Object, write_object};
use tribunal_machines::objects::{Bug, Clients, Implementation, Simulation, Values};

const HELP: &str = "\
Examples:
  tribunal generate object --spec queue | tribunal check -m linearizable -
  tribunal generate object --spec map --implementation delayed -o m.json
  tribunal generate object --spec cas-register --bug lost-update -o bug.json
  tribunal generate object --spec 'keyed register' --overlap 90 --crashes 0.01

atomic: each operation takes effect at one moment between call and return, so histories are linearizable. delayed: \
each process has a replica that sees the operations of others late; histories are causal, hence ryw, mr and weak, and \
rarely linearizable. buggy: atomic but for a bug, that of --bug or else each possible one in turn.

The same options and seed give the same histories. One history at a time is held in memory.

Exit status: 0 done, 2 bad usage or output that cannot be written, 130 stopped by Ctrl-C, 141 the reader of the \
output left.";

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ObjectArguments {
    /// A built-in specification, such as queue, cas-register(0) or keyed set
    #[arg(long, value_name = "SPEC", default_value = "register")]
    spec: String,
    /// How the object is implemented; --bug implies buggy
    #[arg(
        long,
        value_name = "HOW",
        default_value = "atomic",
        default_value_if("bug", clap::builder::ArgPredicate::IsPresent, "buggy")
    )]
    implementation: How,
    /// The bug of a buggy object
    #[arg(long, value_name = "BUG", value_parser = bug())]
    bug: Option<Bug>,
    /// For a delayed object: after how many operations at most an operation is seen by all
    #[arg(long, value_name = "N", default_value_t = 10)]
    delay: u32,
    /// Processes
    #[arg(long, value_name = "N", default_value_t = Clients::default().processes, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    processes: u32,
    /// Operations in each history, over all processes
    #[arg(long, value_name = "N", default_value_t = Clients::default().operations, value_parser = clap::value_parser!(u32).range(..=1 << 28))]
    operations: u32,
    /// How many different values are written; by default every value is new
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    values: Option<u32>,
    /// Keys of maps, stores and keyed objects
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    keys: u32,
    /// How long calls stay open, from 0, one operation at a time, to 100, all processes all the time
    #[arg(long, value_name = "PERCENT", default_value_t = Clients::default().concurrency, value_parser = clap::value_parser!(u32).range(..=100))]
    overlap: u32,
    /// Share of operations that never return, from 0 to 1; about half of them take effect
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().pending, value_parser = share)]
    crashes: f64,
    /// The random seed; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = Clients::default().seed)]
    seed: u64,
    /// How many histories to generate
    #[arg(long, value_name = "N", default_value_t = 1)]
    histories: u64,
    #[command(flatten)]
    destination: Destination,
}

/// The implementations by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// Operations take effect at one moment
    Atomic,
    /// Operations are seen by others late
    Delayed,
    /// Atomic but for a bug
    Buggy,
}

fn bug() -> impl TypedValueParser<Value = Bug> {
    PossibleValuesParser::new(Bug::ALL.map(Bug::name)).try_map(|name| name.parse())
}

pub fn run(arguments: &ObjectArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    if arguments.bug.is_some() && arguments.implementation != How::Buggy {
        return Err(Failure::Usage("--bug is of the buggy implementation".into()));
    }
    let mut writer = arguments.destination.open(Format::Json, out)?;
    for seed in (0..arguments.histories).map(|number| arguments.seed.wrapping_add(number)) {
        let simulation = arguments.simulation(seed);
        let history = simulation.history().map_err(|error| Failure::Usage(format!("--spec: {error}")))?;
        let object = Object {
            history: history.into(),
            spec: arguments.spec.clone(),
            lines: Vec::new(),
            notes: Notes::default(),
        };
        write_object(&mut writer, &object, &Labels::default())
            .map_err(|error| arguments.destination.failure(error, &simulation.to_string()))?;
        if interrupt::requested() {
            return Ok(Tally::default());
        }
    }
    arguments.destination.finish(writer)?;
    Ok(Tally::default())
}

impl ObjectArguments {
    fn simulation(&self, seed: u64) -> Simulation {
        let clients = Clients {
            processes: self.processes,
            operations: self.operations,
            values: self.values.map_or(Values::Distinct, Values::Upto),
            concurrency: self.overlap,
            pending: self.crashes,
            lies: 0.0,
            seed,
        };
        let implementation = match self.implementation {
            How::Atomic => Implementation::Atomic,
            How::Delayed => Implementation::Delayed(self.delay),
            How::Buggy => Implementation::Buggy(self.bug.unwrap_or_else(|| self.bug_in_turn(seed))),
        };
        Simulation { spec: self.spec.clone(), implementation, keys: self.keys, clients }
    }

    /// One of the bugs that the object can have.
    fn bug_in_turn(&self, seed: u64) -> Bug {
        let bugs: Vec<Bug> = Bug::ALL.into_iter().filter(|bug| bug.is_of(&self.spec)).collect();
        bugs[(seed % bugs.len() as u64) as usize]
    }
}
