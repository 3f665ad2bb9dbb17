//! The experiments of the papers, as suites of tables and plots.
//!
//! A [`Suite`] measures, asserts every verdict that is known, and fills a [`Report`] with [`Table`]s and [`Plot`]s of our
//! time, of the baselines in the tree, and of the ratio between the two. Times are never asserted: a budget is printed
//! beside its figure.

mod command;
mod cost;
mod document;
mod error;
mod experiment;
mod memory;
mod papers;
mod plot;
mod report;
mod session;
mod suites;
mod table;

pub use command::{BenchArguments, run};
use error::Error;
use plot::Plot;
use report::{Report, Section};
use session::{Session, Size, Watch};
use suites::{SUITES, Suite};
use table::Table;
