//! The findings of a suite, as text and as Markdown.

use crate::bench::{Plot, Table};
use std::fmt::Write as _;

/// What a suite found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The suite.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    /// In the order in which it was found.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Clone, Debug)]
pub enum Section {
    /// Figures.
    Table(Table),
    /// Curves.
    Plot(Plot),
    /// A paragraph.
    Note(String),
}

impl Report {
    /// For a terminal; plots are left out.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.name, self.about);
        for section in &self.sections {
            let part = match section {
                Section::Table(table) => table.text(),
                Section::Note(note) => format!("{note}\n"),
                Section::Plot(_) => continue,
            };
            let _ = write!(text, "\n{part}");
        }
        text
    }

    /// For a document; plots are linked at `{folder}/{name}.svg`.
    pub fn markdown(&self, folder: &str) -> String {
        let parts = self.sections.iter().map(|section| match section {
            Section::Table(table) => table.markdown(),
            Section::Note(note) => format!("{note}\n"),
            Section::Plot(plot) => format!("![{}]({folder}/{}.svg)\n", plot.title, plot.name),
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The plots of the report.
    pub fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.sections.iter().filter_map(|section| match section {
            Section::Plot(plot) => Some(plot),
            _ => None,
        })
    }
}
