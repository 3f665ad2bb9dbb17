//! The experiments of the papers, as suites of tables and plots.
//!
//! A [`Suite`] measures, asserts every verdict that is known, and fills a [`Report`] with [`Table`]s and [`Plot`]s of our
//! time, of the baselines in the tree, and of the ratio between the two. Times are never asserted: a budget is printed
//! beside its figure.
//!
//! ```no_run
//! use tribunal_bench::{NoWatch, Size, suite};
//!
//! let (report, outcome) = suite("kernel").expect("a suite").run(Size::Quick, &mut NoWatch);
//! print!("{}", report.text());
//! outcome?;
//! # Ok::<(), tribunal_bench::Error>(())
//! ```

mod cost;
mod error;
mod experiment;
pub mod memory;
mod papers;
mod plot;
mod report;
mod session;
mod suites;
mod table;

pub use error::Error;
pub use plot::{Plot, Point, Series};
pub use report::{Report, Section};
pub use session::{NoWatch, Session, Size, Watch};
pub use suites::{SUITES, Suite, suite};
pub use table::Table;
