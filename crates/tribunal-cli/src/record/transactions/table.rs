//! The guarantees that a database gave at each of its isolation levels, as a table.

use crate::exit::Tally;
use crate::output::{BAD, STRONG, Stdout};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;
use tribunal_database::Setting;
use tribunal_engines::transactions::{StrongestLevels, judge};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, Level, Status as Outcome, Verdict};
use tribunal_report::transactions::anomaly;
use tribunal_verify::transactions::verify;

/// An isolation level, and what was found of it.
pub struct Row {
    setting: Setting,
    /// The levels that every history satisfied.
    kept: Vec<Level>,
    histories: u64,
    committed: u64,
    aborted: u64,
    unknown: u64,
    /// The smallest anomalies of histories, by name.
    anomalies: BTreeMap<String, u64>,
    undecided: u64,
    /// The number of histories that break the promise.
    broken: u64,
    /// The number of those with a certificate that was refused: an error of ours.
    refused: u64,
    time: Duration,
}

impl Row {
    pub fn new(setting: Setting) -> Self {
        Row {
            setting,
            kept: Level::ALL.into(),
            histories: 0,
            committed: 0,
            aborted: 0,
            unknown: 0,
            anomalies: BTreeMap::new(),
            undecided: 0,
            broken: 0,
            refused: 0,
            time: Duration::ZERO,
        }
    }

    /// Adds a history with what was found of it; what there is to complain of.
    pub fn add(&mut self, history: &History, found: &StrongestLevels, limits: &Limits<'_>) -> Option<String> {
        self.histories += 1;
        for txn in history.transactions() {
            *match history.status(txn) {
                Outcome::Committed => &mut self.committed,
                Outcome::Aborted => &mut self.aborted,
                Outcome::Unknown => &mut self.unknown,
            } += 1;
        }
        let satisfied = |level: &Level| found.strongest.iter().any(|&strong| level.includes(strong));
        self.kept.retain(satisfied);
        self.undecided += u64::from(!found.undecided.is_empty());
        if let Err(refusal) = verified(history, found, limits) {
            self.refused += 1;
            return Some(refusal);
        }
        if let Some(smallest) = &found.anomaly {
            let anomaly = anomaly(history, smallest.level, &smallest.violation);
            *self.anomalies.entry(anomaly.to_string()).or_default() += 1;
        }
        let promised = self.setting.promised;
        if satisfied(&promised) || found.undecided.iter().any(|&level| level.includes(promised)) {
            return None;
        }
        self.broken += 1;
        Some(format!("breaks {promised}, which is promised"))
    }

    pub fn took(&mut self, time: Duration) {
        self.time = time;
    }

    /// The strongest levels that every history satisfied.
    fn strongest(&self) -> String {
        let is_strongest =
            |level: &&Level| !self.kept.iter().any(|&strong| strong != **level && level.includes(strong));
        let strongest: Vec<&str> = self.kept.iter().filter(is_strongest).map(|level| level.name()).collect();
        if strongest.is_empty() { "none".into() } else { strongest.join(", ") }
    }

    fn cells(&self) -> [String; 9] {
        let mut anomalies: Vec<(&String, &u64)> = self.anomalies.iter().collect();
        anomalies.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        let mut anomalies: Vec<String> =
            anomalies.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        for (what, count) in [("undecided", self.undecided), ("certificate refused", self.refused)] {
            if count > 0 {
                anomalies.push(format!("{what} {count}"));
            }
        }
        [
            self.setting.to_string(),
            self.setting.promised.to_string(),
            self.strongest(),
            self.histories.to_string(),
            self.committed.to_string(),
            self.aborted.to_string(),
            self.unknown.to_string(),
            format!("{:.1}", self.time.as_secs_f64()),
            if anomalies.is_empty() { "none".into() } else { anomalies.join(", ") },
        ]
    }
}

/// Checks the certificates of the strongest levels and of the smallest anomaly.
fn verified(history: &History, found: &StrongestLevels, limits: &Limits<'_>) -> Result<(), String> {
    let satisfied = found.strongest.iter().map(|&level| (level, judge(history, level, limits).0));
    let violated = found.anomaly.iter();
    let violated = violated.map(|found| (found.level, Verdict::Inconsistent(found.violation.clone())));
    for (level, verdict) in satisfied.chain(violated) {
        // Nothing is claimed of what a limit left undecided the second time.
        if !matches!(verdict, Verdict::Undecided(_)) {
            verify(history, level, &verdict)
                .map_err(|refusal| format!("has a certificate of {level} that is refused: {refusal}"))?;
        }
    }
    Ok(())
}

/// All rows.
pub struct Table {
    heading: String,
    rows: Vec<Row>,
}

const COLUMNS: [&str; 9] =
    ["asked", "promised", "found", "histories", "committed", "aborted", "unknown", "seconds", "anomalies"];

/// The columns of numbers.
const NUMBERS: std::ops::RangeInclusive<usize> = 3..=7;

impl Table {
    pub fn new(heading: String) -> Self {
        Table { heading, rows: Vec::new() }
    }

    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The number of promises that were not kept, or may not have been.
    pub fn tally(&self) -> Tally {
        let sum = |of: fn(&Row) -> u64| self.rows.iter().map(of).sum();
        let (inconsistent, undecided) = (sum(|row| row.broken + row.refused), sum(|row| row.undecided));
        Tally { inconsistent, undecided, ..Tally::default() }
    }

    pub fn print(&self, out: &mut Stdout) -> io::Result<()> {
        writeln!(out, "{}", out.paint(STRONG, &self.heading))?;
        let cells: Vec<[String; 9]> = self.rows.iter().map(Row::cells).collect();
        let width = |column: usize| {
            let widest = cells.iter().map(|cells| cells[column].chars().count()).max();
            widest.unwrap_or(0).max(COLUMNS[column].len())
        };
        let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
        let padded = |column: usize, cell: &str| match widths[column] {
            _ if column + 1 == COLUMNS.len() => cell.to_string(),
            width if NUMBERS.contains(&column) => format!("{cell:>width$}"),
            width => format!("{cell:width$}"),
        };
        let line = |cells: &[String]| {
            cells.iter().enumerate().map(|(column, cell)| padded(column, cell)).collect::<Vec<_>>().join("  ")
        };
        writeln!(out, "{}", line(&COLUMNS.map(String::from)))?;
        for (row, cells) in self.rows.iter().zip(&cells) {
            let kept = if row.broken > 0 { out.paint(BAD, "broken") } else { String::new() };
            let space = if kept.is_empty() { "" } else { "  " };
            writeln!(out, "{}{space}{kept}", line(cells))?;
        }
        Ok(())
    }
}
