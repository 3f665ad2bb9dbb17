//! Questions about histories and their answers in words, for the command and the page.
//!
//! A [`Question`] is a model, a criterion or an isolation level. A [`Check`] holds the questions, the engine and the
//! specification; it returns an [`Answer`] for each question about a history. An answer shares its history: it explains itself, shows its witness and
//! carries its certificate. [`first_asked`] is the answer to show first. [`verdict_line()`] is the answer for programs. Nothing here prints.
//!
//! A violation is explained twice: briefly, as a proof ([`memory::explain`], [`object::explain`]), whose [`Line`]s point at
//! events and edges; and step by step for people who see one for the first time ([`memory::story`]), which [`section`],
//! [`sections`] and [`contrast`] put on a screen with a listing.

mod answer;
mod case;
mod check;
mod checkable;
mod columns;
mod first;
mod inclusion;
mod line;
pub mod memory;
pub mod object;
mod printable;
mod question;
mod screen;
mod shrink;
mod source;
pub mod transactions;
mod verdict_line;
mod verification;

pub use answer::{Answer, On};
pub use case::Case;
pub use check::{Check, NotDecided};
pub use checkable::{Checkable, NotCheckable, Specifications, Specified};
pub use first::{Allowance, allowance, first_asked, stronger_failing};
pub use inclusion::{refuted_by, weakest};
pub use line::{Arrow, LONGEST, Line, SCREENFUL, WIDTH, fold};
pub use printable::{counted, printable, printable_lines};
pub use question::{Question, Questions, read_as};
pub use screen::{Heading, Section, allowed, contrast, satisfied, section, sections};
pub use shrink::{Part, shrink, usual_question};
pub use source::Source;
pub use verdict_line::{SCHEMA, error_line, line_head, verdict_line};
pub use verification::{Verification, Verifications};
