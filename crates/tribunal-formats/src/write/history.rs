//! Writing an execution.

use super::{Event, Header, Origin, WriteError, Writer};
use crate::{Format, Labels};
use std::io;
use tribunal_history::memory::{EventId, Execution, LocId, Observation};

/// Writes an execution as one history. The source of a read is written only if its value does not determine it.
///
/// ```
/// use tribunal_formats::{Format, Labels, Writer, read, write_history};
/// let text = "T0: W x 1\nT1: R.acq x 1; R x 0\n";
/// let history = read(text.as_bytes(), "corr", None)?.next().expect("a history")?;
/// let mut writer = Writer::new(Vec::new(), Format::Axe);
/// write_history(&mut writer, history.memory().expect("of a memory"), &history.labels)?;
/// assert_eq!(writer.finish()?, b"0: M[0] := 1\n1: M[0] == 1\n1: M[0] == 0\ncheck\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_history<W: io::Write>(
    writer: &mut Writer<W>,
    execution: &Execution,
    labels: &Labels,
) -> Result<(), WriteError> {
    let x = execution;
    let repeated = RepeatedValues::of(x);
    writer.begin(&header(x, labels))?;
    let names = || x.threads().map(|t| x.thread_name(t));
    // In text, threads are numbered by their first mention: a line declares them where events would not do it in order.
    let in_order = repeated.0.is_empty() && x.threads().all(|t| !x.thread_events(t).is_empty());
    if writer.format() != Format::Text || !in_order {
        writer.threads(names())?;
    }

    let mut deps = Vec::new();
    for thread in x.threads() {
        let range = x.thread_events(thread);
        for id in range.clone() {
            let event = EventId(id);
            let label = x.label(event);
            let source = x.rf(event);
            let read = x.value_read(event).unwrap_or_default();
            let from = match (source, x.loc(event)) {
                (Some(write), Some(loc)) if repeated.contain(loc, read) => Some(match x.slot(write) {
                    None => Origin::Init,
                    Some(slot) => Origin::At { thread: x.thread_name(slot.thread), index: slot.index },
                }),
                _ => None,
            };
            deps.clear();
            if x.features().deps {
                deps.extend(x.deps(event).map(|on| on.0 - range.start));
            }
            let event = Event {
                kind: label.kind(),
                order: label.order(),
                loc: x.loc(event).map_or("", |loc| x.location_name(loc)),
                value: x.value(event),
                read,
                from,
                deps: &deps,
                interval: x.interval(event),
            };
            writer.event(x.thread_name(thread), &event)?;
        }
    }
    writer.end()
}

fn header(x: &Execution, labels: &Labels) -> Header {
    let name = |loc| x.location_name(loc).to_string();
    Header {
        name: x.name().map(str::to_string),
        init: x
            .locations()
            .filter(|&loc| x.init_value(loc) != 0)
            .map(|loc| (name(loc), x.init_value(loc)))
            .collect(),
        finals: finals(x).map(|(loc, value)| (name(loc), value)).collect(),
        labels: labels.clone(),
    }
}

/// The final values given, open ones included.
pub(crate) fn finals(x: &Execution) -> impl Iterator<Item = (LocId, u64)> + '_ {
    let open = x.open().filter_map(|of| match of {
        Observation::Final { loc, value } => Some((loc, value)),
        Observation::Read(_) => None,
    });
    x.finals().iter().map(|&(loc, write)| (loc, x.value(write))).chain(open)
}

/// The values that more than one write wrote to a location, sorted.
struct RepeatedValues(Vec<(LocId, u64)>);

impl RepeatedValues {
    fn of(x: &Execution) -> Self {
        let initial = x.locations().map(|loc| x.init_write(loc));
        let writes = x.events().filter(|&event| x.label(event).writes()).chain(initial);
        let mut values: Vec<_> =
            writes.filter_map(|write| x.loc(write).map(|loc| (loc, x.value(write)))).collect();
        values.sort_unstable();
        let mut repeated: Vec<_> = values.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
        repeated.dedup();
        RepeatedValues(repeated)
    }

    fn contain(&self, loc: LocId, value: u64) -> bool {
        !self.0.is_empty() && self.0.binary_search(&(loc, value)).is_ok()
    }
}
