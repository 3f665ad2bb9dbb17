//! The threads of a violation side by side, with the events that it speaks of.

use crate::columns::{Column, padded, side_by_side};
use crate::line::Arrow;
use crate::printable;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_formats::Lines;
use tribunal_history::memory::{EventId, Execution, Slot};

/// What stands in a thread's column.
enum Row {
    Event(EventId),
    /// So many events are left out.
    More(u32),
}

/// The threads of these events side by side, as many as there is width for, the others below: `(1)` where the first step
/// begins (or ends, if the steps do not lead round), what each read reads from, what fr and mo lead to, and the lines of the input. Rows are at most `height`; if
/// there are too many events, those where no step begins are left out.
pub fn listing(
    x: &Execution,
    lines: &Lines,
    events: &[EventId],
    steps: &[Arrow<EventId>],
    height: usize,
) -> Vec<String> {
    let round = steps.iter().zip(steps.iter().cycle().skip(1)).all(|(one, next)| one.to == next.from);
    let mark = |step: &Arrow<EventId>| if round { step.from } else { step.to };
    // Where several stand, the first counts.
    let marks: BTreeMap<EventId, usize> = steps.iter().map(mark).zip(0..steps.len()).rev().collect();
    let all: BTreeSet<EventId> = events.iter().chain(marks.keys()).copied().collect();
    let marks = &marks;
    let in_full = Listing { x, lines, steps, marks, leads: true }.rows(&all);
    // Where steps lead to is left to the words if that makes the listing shorter.
    let brief = Listing { x, lines, steps, marks, leads: false };
    let rows = brief.rows(&all);
    let rows = if rows.len() < in_full.len() { rows } else { in_full };
    if rows.len() <= height {
        return rows;
    }
    let mut rows = brief.rows(&marks.keys().copied().collect());
    if rows.len() > height {
        rows.truncate(height.saturating_sub(1));
        rows.push("...".into());
    }
    rows
}

struct Listing<'a> {
    x: &'a Execution,
    lines: &'a Lines,
    steps: &'a [Arrow<EventId>],
    /// By event, the step whose number stands there.
    marks: &'a BTreeMap<EventId, usize>,
    /// Whether it is noted where fr and mo lead to.
    leads: bool,
}

impl Listing<'_> {
    fn rows(&self, events: &BTreeSet<EventId>) -> Vec<String> {
        let mut threads: BTreeMap<u32, Vec<Slot>> = BTreeMap::new();
        for slot in events.iter().filter_map(|&event| self.x.slot(event)) {
            threads.entry(slot.thread.0).or_default().push(slot);
        }
        let lines: BTreeSet<u64> = threads.values().flatten().map(|&slot| self.lines.of(slot)).collect();
        let one_line = lines.len() == 1 && threads.len() > 1;
        let columns: Vec<Column> = threads.values().map(|slots| self.column(slots, one_line)).collect();
        let mut rows = side_by_side(&columns);
        // Lines count from 1: a history that was not read has none.
        if let (true, Some(line @ 1..)) = (one_line, lines.first()) {
            rows.push(format!("all on line {line}"));
        }
        rows
    }

    /// The column of a thread's events, which are in order and at least one.
    fn column(&self, slots: &[Slot], one_line: bool) -> Column {
        let x = self.x;
        let mut rows = Vec::new();
        let mut next = slots[0].index;
        for &slot in slots {
            match slot.index - next {
                0 => {}
                // A row that says that an event is left out takes no less room than the event.
                1 => rows.push(Row::Event(x.event(Slot { index: next, ..slot }))),
                more => rows.push(Row::More(more)),
            }
            rows.push(Row::Event(x.event(slot)));
            next = slot.index + 1;
        }
        let lines: BTreeSet<u64> = slots.iter().map(|&slot| self.lines.of(slot)).collect();
        let name = printable(x.thread_name(slots[0].thread)).into_owned();
        let (mut header, mut each) = (name, false);
        match lines.first() {
            _ if one_line => {}
            Some(0) => {}
            Some(line) if lines.len() == 1 => header += &format!(", line {line}"),
            _ => each = true,
        }
        let mut cells: Vec<[String; 5]> = Vec::new();
        for row in rows {
            cells.push(match row {
                Row::More(more) => {
                    [String::new(), "...".into(), format!("{more} more"), String::new(), String::new()]
                }
                Row::Event(event) => self.cells(event, each),
            });
        }
        let width = |at: usize| cells.iter().map(|cells| cells[at].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), width(3), width(4)];
        let mut rows = vec![header];
        for cells in &cells {
            let cells = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
            rows.push(padded(cells.map(|(cell, width)| (cell.as_str(), width + 1))));
        }
        Column::of(rows)
    }

    /// The step that begins at an event, its index, what it does, its line and notes.
    fn cells(&self, event: EventId, line: bool) -> [String; 5] {
        let x = self.x;
        let slot = x.slot(event).expect("an event of a thread");
        let whole = x.show(event).to_string();
        let place = format!("{}:{} ", x.thread_name(slot.thread), slot.index);
        let what = printable(whole.strip_prefix(&place).unwrap_or(&whole)).into_owned();
        let marked = self.marks.get(&event).copied();
        let mut notes = Vec::new();
        if let Some(source) = x.rf(event) {
            notes.push(format!("reads from {}", super::brief(x, source)));
        }
        if let Some(step) = marked.filter(|_| self.leads).map(|at| &self.steps[at])
            && !matches!(step.name, "po" | "ppo" | "po-loc" | "rf" | "dep")
        {
            notes.push(format!("{} to {}", step.name, super::brief(x, step.to)));
        }
        [
            marked.map_or_else(String::new, |at| format!("({})", at + 1)),
            slot.index.to_string(),
            what,
            if line { format!("line {}", self.lines.of(slot)) } else { String::new() },
            notes.join(", "),
        ]
    }
}
