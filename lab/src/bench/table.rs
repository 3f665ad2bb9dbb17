//! Figures in rows and columns.

use std::fmt::Write as _;
use std::time::Duration;

/// A table: the first column to the left, the others to the right.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, heads: &[&str]) -> Self {
        Table {
            title: title.into(),
            heads: heads.iter().map(|head| head.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, which has as many cells as there are columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let row: Vec<String> = cells.into_iter().collect();
        debug_assert_eq!(row.len(), self.heads.len(), "{}", self.title);
        self.rows.push(row);
    }

    /// Aligned, for a terminal.
    pub fn text(&self) -> String {
        let all = || std::iter::once(&self.heads).chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let mut text = format!("{}\n\n", self.title);
        for row in all() {
            let mut line = String::from("   ");
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let _ = match column {
                    0 => write!(line, " {cell:<width$}"),
                    _ => write!(line, "  {cell:>width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// For a document.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|---|{}\n", "---:|".repeat(self.heads.len().saturating_sub(1)));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}:\n\n{}{rule}{rows}", self.title, line(&self.heads))
    }
}

/// `2.34 ms`: three digits and a unit.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "us"),
    };
    let decimals = match value {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {unit}")
}

/// Millions of events a second.
pub(crate) fn rate(events: u64, duration: Duration) -> String {
    format!("{:.1} M/s", events as f64 / duration.as_secs_f64() / 1e6)
}

pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// Whether a figure keeps to its budget.
pub(crate) fn kept(keeps: bool) -> String {
    if keeps { "kept" } else { "MISSED" }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new("t", &["model", "time"]);
        table.row(["sc".into(), time(Duration::from_micros(1500))]);
        assert_eq!(table.text(), "t\n\n    model     time\n    sc     1.50 ms\n");
        assert_eq!(table.markdown(), "t:\n\n| model | time |\n|---|---:|\n| sc | 1.50 ms |\n");
    }
}
