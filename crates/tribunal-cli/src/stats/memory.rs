//! The contents of a history of a memory, in numbers.

use super::spread;
use crate::output::Page;
use std::io::{self, Write};
use tribunal_history::memory::{EventId, Execution, Kind, Order};
use tribunal_history::model::Model;
use tribunal_history::verdict::Unsupported;
use tribunal_report::counted;

/// Describes an execution.
pub fn print(x: &Execution, out: &mut Page) -> io::Result<()> {
    let features = x.features();
    let per_thread = x.threads().map(|thread| x.thread_events(thread).len());
    writeln!(out, "  threads     {}{}", x.thread_count(), spread(per_thread, "event"))?;
    let kinds = [
        (features.reads, "read"),
        (features.writes, "write"),
        (features.rmws, "RMW"),
        (features.fences, "fence"),
    ];
    let kinds = kinds.map(|(count, kind)| counted(count as u64, kind));
    writeln!(out, "  events      {}: {}", x.len(), kinds.join(", "))?;
    writeln!(out, "  orders      {}", orders(x))?;
    writeln!(out, "  locations   {}", x.location_count())?;
    let sources = Sources::of(x);
    writeln!(
        out,
        "  reads       {} from initial writes, {} from the own thread, {} from other threads",
        sources.initial, sources.own_thread, sources.other_threads
    )?;
    let chains = Chains::of(x);
    if features.rmws > 0 {
        let longest = counted(chains.longest.into(), "RMW");
        writeln!(out, "  RMW chains  {}, the longest of {longest}", chains.count)?;
    }
    writeln!(out, "  values      {}", values(x))?;
    let extras =
        [(features.deps, "dependencies"), (features.finals, "final values"), (features.times, "times")];
    let extras: Vec<_> = extras.into_iter().filter_map(|(given, what)| given.then_some(what)).collect();
    if !extras.is_empty() {
        writeln!(out, "  also        {}", extras.join(", "))?;
    }
    writeln!(out, "  memory      {:.1} bytes an event", x.bytes() as f64 / x.len().max(1) as f64)?;
    let apply: Vec<_> =
        Model::ALL.into_iter().filter(|model| model.unsupported(x).is_none()).map(Model::name).collect();
    writeln!(out, "  models      {}", apply.join(", "))?;
    let mut others: Vec<(Unsupported, Vec<&str>)> = Vec::new();
    for model in Model::ALL {
        let Some(why) = model.unsupported(x) else { continue };
        match others.iter_mut().find(|(other, _)| *other == why) {
            Some((_, models)) => models.push(model.name()),
            None => others.push((why, vec![model.name()])),
        }
    }
    for (why, models) in others {
        writeln!(out, "              not {}: {why}", models.join(", "))?;
    }
    Ok(())
}

fn orders(x: &Execution) -> String {
    let mut counts = [0u64; Order::ALL.len()];
    for label in x.labels() {
        counts[label.order() as usize] += 1;
    }
    let used = Order::ALL.into_iter().filter(|&order| counts[order as usize] > 0);
    let counted: Vec<_> = used.map(|order| format!("{} {}", counts[order as usize], order.name())).collect();
    counted.join(", ")
}

/// The writes that reads and RMWs read from.
#[derive(Default)]
struct Sources {
    initial: u64,
    own_thread: u64,
    other_threads: u64,
}

impl Sources {
    fn of(x: &Execution) -> Self {
        let mut sources = Sources::default();
        for thread in x.threads() {
            let events = x.thread_events(thread);
            for write in events.clone().filter_map(|event| x.rf(EventId(event))) {
                if x.is_init(write) {
                    sources.initial += 1;
                } else if events.contains(&write.0) {
                    sources.own_thread += 1;
                } else {
                    sources.other_threads += 1;
                }
            }
        }
        sources
    }
}

/// RMWs that read from one another.
#[derive(Default)]
struct Chains {
    /// RMWs that read from something else than an RMW.
    count: u64,
    longest: u32,
}

impl Chains {
    fn of(x: &Execution) -> Self {
        const UNKNOWN: u32 = 0;
        // Not a length either: the walk came by, so that a cycle of RMWs ends it.
        const PASSED: u32 = u32::MAX;
        let mut chains = Chains::default();
        let mut length = vec![UNKNOWN; x.len()];
        let mut walk = Vec::new();
        let source = |event| x.rf(event).filter(|&write| x.label(write).kind() == Kind::Rmw);
        for event in x.events().filter(|&event| x.label(event).kind() == Kind::Rmw) {
            chains.count += u64::from(source(event).is_none());
            let mut at = Some(event);
            while let Some(rmw) = at.filter(|rmw| length[rmw.index()] == UNKNOWN) {
                length[rmw.index()] = PASSED;
                walk.push(rmw);
                at = source(rmw);
            }
            let mut reached = at.map_or(0, |rmw| length[rmw.index()]) % PASSED;
            while let Some(rmw) = walk.pop() {
                reached += 1;
                length[rmw.index()] = reached;
            }
            chains.longest = chains.longest.max(reached);
        }
        chains
    }
}

/// The values written, and whether a value names its write.
fn values(x: &Execution) -> String {
    let written =
        x.events().filter(|&event| x.label(event).writes()).chain(x.locations().map(|loc| x.init_write(loc)));
    let mut values: Vec<_> = written.filter_map(|event| Some((x.loc(event)?, x.value(event)))).collect();
    let (Some(least), Some(most)) =
        (values.iter().map(|&(_, value)| value).min(), values.iter().map(|&(_, value)| value).max())
    else {
        return "none".into();
    };
    let writes = values.len();
    values.sort_unstable();
    values.dedup();
    match writes - values.len() {
        0 => format!("{least} to {most}, each written once to a location"),
        repeated => {
            format!("{least} to {most}, {repeated} of {writes} writes repeat a value of their location")
        }
    }
}
