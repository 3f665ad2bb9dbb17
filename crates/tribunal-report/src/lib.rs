//! Questions about histories and their answers in words, for the command and the page.
//!
//! A [`Question`] is a model, a criterion or an isolation level. An [`Inquiry`] holds the questions, the engine and the
//! specification; it checks histories and returns a [`Finding`] for each question, whose [`Ruling`] explains itself, shows its witness and carries its
//! certificate. [`first_asked`] is the finding to show first. [`verdict_line()`] is the answer for programs. Nothing here prints.
//!
//! A violation is explained twice: briefly, as a proof ([`memory::explain`], [`object::explain`]), whose [`Line`]s point at
//! events and edges; and step by step for people who see one for the first time ([`memory::story`]), which [`section`],
//! [`sections`] and [`contrast`] put on a screen with a listing.

mod all;
mod case;
mod columns;
mod first;
mod inclusion;
mod inquiry;
mod line;
pub mod memory;
pub mod object;
mod printable;
mod question;
mod ruling;
mod screen;
mod shrink;
mod source;
mod specifications;
pub mod transactions;
mod verdict_line;
mod verification;

pub use case::Case;
pub use first::{Allowance, allowance, first_asked, stronger_failing};
pub use inclusion::{refuted_by, weakest};
pub use inquiry::{Inquiry, NotDecided};
pub use line::{Arrow, LONGEST, Line, SCREENFUL, WIDTH, fold};
pub use printable::{counted, printable, printable_lines};
pub use question::{EngineChoice, Question, Questions, read_as};
pub use ruling::{Finding, Judged, Ruling, Word, wrong_kind};
pub use screen::{Heading, Section, allowed, contrast, satisfied, section, sections};
pub use shrink::{Part, shrink, usual_question};
pub use source::Source;
pub use specifications::{NotJudged, Specifications};
pub use verdict_line::{SCHEMA, error_line, verdict_line};
pub use verification::{Verification, Verifications};
