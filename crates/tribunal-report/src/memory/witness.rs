//! Witnesses in words.

use super::explain::{Page, Step};
use super::sources;
use crate::line::{Arrow, Line};
use std::collections::BTreeSet;
use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::verdict::Witness;

/// Of a location with more writes only those are shown that are asked for.
const FEW: usize = 6;

/// What a witness is where the axioms speak of the history alone.
const NO_MO: &str = "no mo to show: the axioms speak of the history alone";

/// The lines that show a witness.
pub fn show_witness(x: &Execution, witness: &Witness) -> Vec<Line<EventId>> {
    let mut page = Page::new(x, "mo");
    page.lines = sources::chosen(x, witness.sources());
    match witness.mo() {
        None => page.line(0, NO_MO, &[], &[]),
        Some(mo) => {
            for loc in x.locations() {
                let step = |&event: &EventId| Step { name: "mo", lemma: None, event };
                let steps: Vec<Step> = mo.of(loc).iter().map(step).collect();
                page.line(0, &format!("mo of {}:", x.location_name(loc)), &[], &[]);
                page.walk(1, &steps);
            }
        }
    }
    page.lines
}

/// A witness as far as it concerns these events: for each of their locations a line with its writes, of many only those that
/// are among the events or read by them.
pub fn show_witness_of(x: &Execution, witness: &Witness, events: &[EventId]) -> Vec<Line<EventId>> {
    let asked_of = |&(of, source): &(Observation, EventId)| match of {
        Observation::Read(read) => events.contains(&read),
        Observation::Final { .. } => events.contains(&source),
    };
    let chosen: Vec<_> = witness.sources().iter().copied().filter(asked_of).collect();
    let mut lines = sources::chosen(x, &chosen);
    let Some(mo) = witness.mo() else {
        lines.push(Line::new(0, NO_MO));
        return lines;
    };
    let locations: BTreeSet<_> = events.iter().filter_map(|&event| x.loc(event)).collect();
    let asked: BTreeSet<EventId> =
        events.iter().flat_map(|&event| [Some(event), x.rf(event)]).flatten().collect();
    for loc in locations {
        let writes = mo.of(loc);
        let shown = |write: EventId| writes.len() <= FEW || x.is_init(write) || asked.contains(&write);
        let mut line = Line::new(0, &format!("mo of {}:", x.location_name(loc)));
        let (mut last, mut skipped) = (None, 0);
        for &write in writes {
            if !shown(write) {
                skipped += 1;
                continue;
            }
            let arrow = last.map(|from| Arrow { from, to: write, name: "mo" });
            let between = if skipped > 0 { format!(" -mo-> ... {skipped} more ...") } else { String::new() };
            let to = if arrow.is_some() { " -mo->" } else { "" };
            let step = Line::<EventId>::new(0, &format!("{between}{to} {}", x.show(write)));
            line.text += &step.text;
            line.arrows.extend(arrow);
            line.about.push(write);
            (last, skipped) = (Some(write), 0);
        }
        if skipped > 0 {
            line.text += &format!(" -mo-> ... {skipped} more");
        }
        lines.push(line);
    }
    lines
}
