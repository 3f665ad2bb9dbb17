//! C programs: C11's atomics, and the kernel's through its macros.

mod ast;
mod expressions;
mod lower;
mod macros;
mod parser;

pub use macros::Macros;

use crate::error::Fault;
use crate::micro::Register;
use crate::syntax::Position;
use crate::test::Thread;
use crate::value::Symbol;

/// What a program asks of its test.
pub(crate) trait Names {
    /// The location of a parameter's name.
    fn symbol(&mut self, name: &str) -> Symbol;
    /// The register of a local variable of a thread.
    fn register(&mut self, thread: u32, name: &str) -> Register;
}

/// Reads a program.
pub(crate) fn threads(
    text: &str,
    position: Position,
    macros: &Macros,
    names: &mut dyn Names,
) -> Result<Vec<Thread>, Fault> {
    let functions = parser::program(text, position)?;
    functions.iter().map(|function| lower::thread(function, macros, names)).collect()
}
