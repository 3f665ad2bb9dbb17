//! The text of tests: sections, initial states, columns of instructions, conditions.

mod columns;
mod condition;
mod init;
mod lexer;
mod sections;

pub(crate) use columns::columns;
pub use condition::{Comparison, Place, Proposition, Quantifier, Scope, Term};
pub(crate) use condition::{Question, question};
pub(crate) use init::{Initial, initial};
pub(crate) use lexer::{Litmus, bits, literal, number};
pub(crate) use sections::{Sections, sections};
pub use tribunal_cat::text::Position;
