//! What is asked of histories and what comes of it, in words: for the command, and for the page.
//!
//! A [`Question`] is a model or a criterion. An [`Inquiry`] has those that are asked, what decides them and what objects should do; it
//! asks them of histories and gives a [`Ruling`] each, which explains itself, shows its witness and carries its certificate.
//! [`verdict_line()`] is what programs read of it.
//! Nothing here prints.
//!
//! A violation is told twice: in brief, as a proof ([`memory::explain`], [`object::explain`]), whose [`Line`]s point at the
//! events and edges that they speak of; and step by step for someone who has not seen one before ([`memory::story`]), which
//! [`section`], [`sections`] and [`contrast`] put on a screen with a listing.

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
mod specifications;
pub mod transactions;
mod verdict_line;
mod verification;

pub use case::{Case, left_out};
pub use first::{Allowance, allowance, first_asked};
pub use inclusion::weakest;
pub use inquiry::{Inquiry, NotDecided};
pub use line::{Arrow, LONGEST, Line, SCREENFUL, WIDTH, fold};
pub use printable::printable;
pub use question::{EngineChoice, Question, Questions};
pub use ruling::{Finding, Judged, Ruling, Word, wrong_kind};
pub use screen::{Heading, Section, allowed, contrast, satisfied, section, sections};
pub use shrink::{Part, shrink, usual_question};
pub use specifications::{NotJudged, Specifications};
pub use verdict_line::{SCHEMA, error_line, verdict_line};
pub use verification::{Verification, Verifications};
