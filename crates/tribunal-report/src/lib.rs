//! What is asked of histories and what comes of it, in words: for the command, and for the page.
//!
//! A [`Question`] is a model or a criterion; [`Finding::of`] asks it of a history and gives a [`Ruling`], which explains
//! itself, shows its witness and carries its certificate. Nothing here prints.

mod line;
pub mod memory;
pub mod object;
mod printable;
mod question;
mod ruling;

pub use line::{Arrow, Line};
pub use printable::printable;
pub use question::{EngineChoice, Question, Questions};
pub use ruling::{Finding, Judged, Ruling, Word, unfit};
