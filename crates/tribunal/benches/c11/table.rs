//! Printing figures for people.

use std::time::Duration;

/// Columns as wide as their widest cell: the first to the left, the others to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(heads: &[&str]) -> Self {
        Table { rows: vec![heads.iter().map(|head| head.to_string()).collect()] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn print(&self, title: &str) {
        let columns = self.rows[0].len();
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        println!("\n{title}\n");
        for row in &self.rows {
            print!("    {:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                print!("  {cell:>width$}");
            }
            println!();
        }
    }
}

/// `2.34 ms`: three digits and a unit.
pub fn time(duration: Duration) -> String {
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
pub fn rate(events: u64, duration: Duration) -> String {
    format!("{:.1} M/s", events as f64 / duration.as_secs_f64() / 1e6)
}

pub fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// Whether a figure keeps to its budget.
pub fn kept(keeps: bool) -> String {
    if keeps { "kept" } else { "MISSED" }.into()
}
