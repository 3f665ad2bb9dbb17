//! `tribunal generate`: histories of random clients on simulated memories, written as they are made.

use crate::args::{Generate, GenerateArguments, MachineArguments};
use crate::exit::Status;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout};
use std::io::Write;
use tribunal::memory::{Interval, LocId, ThreadId};
use tribunal_formats::{Event, Format, Header, WriteError, Writer};
use tribunal_machines::{Clients, Machine, Step, location_name, run as run_machine, thread_name};

/// How many events pass between two looks at Ctrl-C.
const ATTENTION: usize = 1 << 14;

pub fn run(arguments: &GenerateArguments, out: &mut Stdout) -> Result<Status, Failure> {
    match &arguments.what {
        Generate::Machine(arguments) => machine(arguments, out),
    }
}

fn machine(arguments: &MachineArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let file = arguments.output.as_deref();
    let format = arguments.to.or_else(|| file.and_then(Format::of_path)).unwrap_or(Format::Text);
    let mut writer = Writer::new(Sink::open(file, out)?, format);
    let machine = arguments.machine();
    if arguments.bug.is_some() && !matches!(machine, Machine::Caches(..)) {
        return Err(Failure::Usage(format!(
            "--bug is of the caches mi, mesi and moesi, not of the {machine} machine"
        )));
    }
    for number in 0..arguments.histories {
        let clients = Clients {
            threads: arguments.threads,
            events: arguments.events,
            locations: arguments.locations,
            writes: arguments.writes,
            rmws: arguments.rmws,
            fences: arguments.fences,
            deps: arguments.deps,
            locality: arguments.locality,
            orders: arguments.orders,
            seed: arguments.seed.wrapping_add(number),
        };
        // Looks at the arguments before anything is written.
        run_machine(machine, &clients).map_err(|error| Failure::Usage(error.to_string()))?;
        let bug = arguments.bug.map_or(String::new(), |bug| format!(" with {bug}"));
        let name = format!("{machine} machine{bug}, seed {}", clients.seed);
        history(machine, &clients, &name, format, &mut writer)
            .map_err(|error| Failure::writing(error, &name, file))?;
        if interrupt::requested() {
            return Ok(Status::Interrupted);
        }
    }
    writer.finish().map_err(|source| Failure::output(file, source))?.finish()?;
    Ok(Status::Success)
}

fn history<W: Write>(
    machine: Machine,
    clients: &Clients,
    name: &str,
    format: Format,
    writer: &mut Writer<W>,
) -> Result<(), WriteError> {
    let threads: Vec<_> = (0..clients.threads).map(|thread| thread_name(ThreadId(thread))).collect();
    let locations: Vec<_> = (0..clients.locations).map(|loc| location_name(LocId(loc))).collect();
    writer.begin(&Header { name: Some(name.into()), ..Header::default() })?;
    writer.threads(threads.iter().map(String::as_str))?;
    let mut write = |Step { thread, op, depends }: Step| {
        let event = Event {
            kind: op.kind,
            order: op.order,
            loc: &locations[op.loc.index()],
            value: op.value,
            read: op.read,
            from: None,
            deps: depends.as_slice(),
            interval: Interval::default(),
        };
        writer.event(&threads[thread.index()], &event)
    };
    // JSON wants each thread's events together: the machine runs anew for each, which takes time but no memory.
    let rounds = if format == Format::Json { clients.threads } else { 1 };
    for round in (0..rounds).map(ThreadId) {
        let steps = run_machine(machine, clients).into_iter().flatten();
        for (at, step) in steps.enumerate() {
            if at % ATTENTION == 0 && interrupt::requested() {
                return Ok(());
            }
            if rounds == 1 || step.thread == round {
                write(step)?;
            }
        }
    }
    writer.end()
}
