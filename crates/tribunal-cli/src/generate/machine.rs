//! `tribunal generate machine`: random clients on simulated memories, written as they go.

use super::spool::Spool;
use crate::destination::Destination;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use tribunal_formats::{Event, Format, Header, WriteError, Writer};
use tribunal_history::memory::{Interval, LocId, ThreadId};
use tribunal_machines::{Bug, Clients, Machine, Mix, Step, location_name, run as run_machine, thread_name};

const HELP: &str = "\
Examples:
  tribunal generate machine --machine view --events 1000000 -o view.axe.zst
  tribunal generate machine --machine tso --histories 1000 | tribunal check -
  tribunal generate machine --machine mesi --bug stale-fill --histories 100

The same options and seed give the same histories. Memory use does not grow with the number of events; JSON, which \
needs each thread's events together, uses temporary files instead.

Exit status: 0 done, 2 bad usage or output that cannot be written, 130 stopped by Ctrl-C, 141 the reader of the \
output left.";

/// The other defaults are the library's; by this one every format can express what is generated without options.
const NO_FENCES: f64 = 0.0;

/// The number of events between two looks at Ctrl-C.
const ATTENTION: usize = 1 << 14;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct MachineArguments {
    /// The simulated memory
    #[arg(long, value_name = "MACHINE", default_value = "atomic", value_parser = machine())]
    machine: Machine,
    /// Threads in each history
    #[arg(long, value_name = "N", default_value_t = Clients::default().threads, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    threads: u32,
    /// Events in each history, over all threads
    #[arg(long, value_name = "N", default_value_t = Clients::default().events)]
    events: u64,
    /// Locations
    #[arg(long, value_name = "N", default_value_t = Clients::default().locations, value_parser = clap::value_parser!(u32).range(1..))]
    locations: u32,
    /// Share of accesses that are writes, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().writes)]
    writes: f64,
    /// Share of accesses that are RMWs, from 0 to 1; the rest are reads
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().rmws)]
    rmws: f64,
    /// Share of events that are fences, from 0 to 1; Axe traces have only seq_cst fences
    #[arg(long, value_name = "SHARE", default_value_t = NO_FENCES)]
    fences: f64,
    /// For the rmo machine: share of accesses that depend on their thread's last read, from 0 to 1; Axe traces have no
    /// dependencies
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    deps: f64,
    /// Share of accesses to their thread's last location or the next one, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().locality)]
    locality: f64,
    /// A bug to inject into the caches (mi, mesi, moesi, snooping or not)
    #[arg(long, value_name = "BUG", value_parser = bug())]
    bug: Option<Bug>,
    /// Orders of accesses and fences with their weights, 1 by default
    #[arg(long, value_name = "ORDER=N,..", default_value_t = Clients::default().orders)]
    orders: Mix,
    /// The random seed; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = Clients::default().seed)]
    seed: u64,
    /// How many histories to generate
    #[arg(long, value_name = "N", default_value_t = 1)]
    histories: u64,
    #[command(flatten)]
    destination: Destination,
}

impl MachineArguments {
    /// The machine, with its bug.
    fn machine(&self) -> Result<Machine, Failure> {
        let &MachineArguments { machine, bug, .. } = self;
        let Some(bug) = bug else { return Ok(machine) };
        machine.with(bug).ok_or_else(|| {
            Failure::Usage(match Bug::ALL.into_iter().any(|bug| bug.is_of(machine)) {
                true => format!("caches of the {machine} machine cannot have {bug}"),
                false => {
                    format!("--bug is of the caches mi, mesi and moesi, not of the {machine} machine")
                }
            })
        })
    }

    /// The clients of one of the histories.
    fn clients(&self, number: u64) -> Clients {
        Clients {
            threads: self.threads,
            events: self.events,
            locations: self.locations,
            writes: self.writes,
            rmws: self.rmws,
            fences: self.fences,
            deps: self.deps,
            locality: self.locality,
            orders: self.orders,
            seed: self.seed.wrapping_add(number),
        }
    }
}

fn machine() -> impl TypedValueParser<Value = Machine> {
    PossibleValuesParser::new(Machine::ALL.map(Machine::name)).try_map(|name| name.parse())
}

fn bug() -> impl TypedValueParser<Value = Bug> {
    PossibleValuesParser::new(Bug::ALL.map(Bug::name)).try_map(|name| name.parse())
}

pub fn run(arguments: &MachineArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let machine = arguments.machine()?;
    let mut writer = arguments.destination.open(Format::Text, out)?;
    for number in 0..arguments.histories {
        let clients = arguments.clients(number);
        // Looks at the arguments before anything is written.
        let steps = run_machine(machine, &clients).map_err(|error| Failure::Usage(error.to_string()))?;
        let bug = arguments.bug.map_or(String::new(), |bug| format!(" with {bug}"));
        let name = format!("{machine} machine{bug}, seed {}", clients.seed);
        let mut history = History::begin(&mut writer, &clients, &name)
            .map_err(|error| arguments.destination.failure(error, &name))?;
        for (at, step) in steps.enumerate() {
            if at % ATTENTION == 0 && interrupt::requested() {
                return Ok(Tally::default());
            }
            history.add(step).map_err(|error| error.of(&arguments.destination, &name))?;
        }
        history.end().map_err(|error| error.of(&arguments.destination, &name))?;
        if interrupt::requested() {
            return Ok(Tally::default());
        }
    }
    arguments.destination.finish(writer)?;
    Ok(Tally::default())
}

/// A history that is being written.
struct History<'a, 'o> {
    writer: &'a mut Writer<Sink<'o>>,
    threads: Vec<String>,
    locations: Vec<String>,
    /// JSON wants each thread's events together: they wait here until all are known.
    spool: Option<Spool>,
}

/// The reason why a step could not be written.
enum Unwritten {
    Output(WriteError),
    Spool(std::io::Error),
}

impl From<std::io::Error> for Unwritten {
    fn from(error: std::io::Error) -> Self {
        Unwritten::Spool(error)
    }
}

impl Unwritten {
    fn of(self, destination: &Destination, history: &str) -> Failure {
        match self {
            Unwritten::Output(error) => destination.failure(error, history),
            Unwritten::Spool(source) => Failure::Write { file: std::env::temp_dir(), source },
        }
    }
}

impl<'a, 'o> History<'a, 'o> {
    fn begin(writer: &'a mut Writer<Sink<'o>>, clients: &Clients, name: &str) -> Result<Self, WriteError> {
        let threads: Vec<_> = (0..clients.threads).map(|thread| thread_name(ThreadId(thread))).collect();
        let locations = (0..clients.locations).map(|loc| location_name(LocId(loc))).collect();
        writer.begin(&Header { name: Some(name.into()), ..Header::default() })?;
        writer.threads(threads.iter().map(String::as_str))?;
        let spool = (writer.format() == Format::Json).then(|| Spool::new(clients.threads));
        Ok(History { writer, threads, locations, spool })
    }

    fn add(&mut self, step: Step) -> Result<(), Unwritten> {
        match &mut self.spool {
            Some(spool) => Ok(spool.push(&step)?),
            None => self.write(&step).map_err(Unwritten::Output),
        }
    }

    fn write(&mut self, step: &Step) -> Result<(), WriteError> {
        let Step { thread, op, depends } = step;
        let event = Event {
            kind: op.kind,
            order: op.order,
            loc: &self.locations[op.loc.index()],
            value: op.value,
            read: op.read,
            from: None,
            deps: depends.as_slice(),
            interval: Interval::default(),
        };
        self.writer.event(&self.threads[thread.index()], &event)
    }

    fn end(mut self) -> Result<(), Unwritten> {
        if let Some(spool) = self.spool.take() {
            let mut given = 0;
            spool.drain(|step| {
                given += 1;
                if given % ATTENTION == 0 && interrupt::requested() {
                    return Err(Unwritten::Spool(std::io::Error::other("stopped by Ctrl-C")));
                }
                self.write(step).map_err(Unwritten::Output)
            })?;
        }
        self.writer.end().map_err(Unwritten::Output)
    }
}
