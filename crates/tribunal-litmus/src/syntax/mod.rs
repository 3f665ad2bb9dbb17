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
pub use lexer::Position;
pub(crate) use lexer::{Lexer, Token, number};
pub(crate) use sections::{Sections, sections};
