//! Sources in words: of reads whose value was written more than once, or never.

use super::brief;
use crate::line::{Arrow, Line};
use crate::printable;
use std::collections::BTreeSet;
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::verdict::Violation;

/// Of more sources only some are named.
const FEW: usize = 6;

/// A line that an observation was from this write, in these words.
pub(super) fn line(depth: usize, text: &str, of: Observation, source: EventId) -> Line<EventId> {
    let mut line = Line { about: vec![source], ..Line::new(depth, text) };
    if let Observation::Read(read) = of {
        line.about.insert(0, read);
        line.arrows.push(Arrow { from: source, to: read, name: "rf" });
    }
    line
}

/// What is observed, in words: `T0:1 R x 2`, `the final value 2 of x`.
pub(super) fn named(x: &Execution, of: Observation) -> String {
    match of {
        Observation::Read(read) => x.show(read).to_string(),
        Observation::Final { loc, value } => format!("the final value {value} of {}", x.location_name(loc)),
    }
}

/// The value and the location that are observed.
fn observed(x: &Execution, of: Observation) -> (u64, String) {
    let (value, loc) = match of {
        Observation::Read(read) => (x.value_read(read).unwrap_or_default(), x.loc(read)),
        Observation::Final { loc, value } => (value, Some(loc)),
    };
    (value, loc.map_or_else(String::new, |loc| printable(x.location_name(loc)).into_owned()))
}

/// That nothing wrote a value.
pub(super) fn thin_air(x: &Execution, of: Observation) -> Line<EventId> {
    let (value, loc) = observed(x, of);
    let text = match of {
        Observation::Read(read) => {
            format!("{} reads {value} from {loc}, but nothing wrote {value} to {loc}", x.show(read))
        }
        Observation::Final { .. } => {
            format!("{loc} has the value {value} in the end, but nothing wrote {value} to {loc}")
        }
    };
    let about = match of {
        Observation::Read(read) => vec![read],
        Observation::Final { .. } => Vec::new(),
    };
    Line { about, ..Line::new(0, &text) }
}

/// That no source is left for a read.
pub(super) fn no_source(x: &Execution, read: EventId) -> Line<EventId> {
    let of = Observation::Read(read);
    let (value, loc) = observed(x, of);
    let writers = x.writers(of);
    let mut names: Vec<String> = writers.iter().take(FEW).map(|&write| x.show(write).to_string()).collect();
    if writers.len() > FEW {
        names.push(format!("{} more", writers.len() - FEW));
    }
    let text = format!(
        "{} cannot read from any write of {value} to {loc}: each comes after it, is overwritten before it, or is read by \
         another RMW ({})",
        x.show(read),
        names.join(", ")
    );
    let about = [&[read], &writers[..writers.len().min(FEW)]].concat();
    Line { about, ..Line::new(0, &text) }
}

/// That reads have only one source left: those that the violation speaks of, and how many there are beside.
pub(super) fn forced(
    x: &Execution,
    sources: &[(Observation, EventId)],
    then: &Violation,
) -> Vec<Line<EventId>> {
    let spoken: BTreeSet<EventId> = then.events().into_iter().collect();
    let is_spoken = |&&(of, source): &&(Observation, EventId)| match of {
        Observation::Read(read) => spoken.contains(&read),
        Observation::Final { .. } => spoken.contains(&source),
    };
    let mut lines: Vec<Line<EventId>> = Vec::new();
    let shown: Vec<_> = sources.iter().filter(is_spoken).take(FEW).collect();
    for &&(of, source) in &shown {
        let text = format!("{} can only be from {}", named(x, of), brief(x, source));
        lines.push(line(0, &text, of, source));
    }
    let others = sources.len() - shown.len();
    if others > 0 {
        let (also, reads, have, its) =
            (if shown.is_empty() { "" } else { "other " }, plural(others), have(others), its(others));
        lines.push(Line::new(
            0,
            &format!("{others} {also}{reads} of repeated values {have} one source left by {its}"),
        ));
    }
    lines
}

fn plural(reads: usize) -> &'static str {
    if reads == 1 { "read" } else { "reads" }
}

fn have(reads: usize) -> &'static str {
    if reads == 1 { "has" } else { "have" }
}

fn its(reads: usize) -> &'static str {
    if reads == 1 { "itself" } else { "themselves, one after another" }
}

/// How an observation's cases begin.
pub(super) fn any_of(x: &Execution, of: Observation, sources: usize) -> String {
    let (value, loc) = observed(x, of);
    let of = named(x, of);
    match sources {
        1 => format!("{of} can be from one write of {value} to {loc}, and that fails:"),
        _ => format!("{of} can be from any of {sources} writes of {value} to {loc}, and each fails:"),
    }
}

/// The sources that a witness chose, a line each.
pub(super) fn chosen(x: &Execution, sources: &[(Observation, EventId)]) -> Vec<Line<EventId>> {
    let text = |of, source| {
        let among = x.writers(of).len();
        format!("{} is from {}, chosen among {among}", named(x, of), brief(x, source))
    };
    sources.iter().map(|&(of, source)| line(0, &text(of, source), of, source)).collect()
}
