//! Explanations line by line.

use crate::printable;

/// A line of an explanation, with what it speaks of: the events of a memory, or the operations of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<Id> {
    /// How deep it stands below what it explains.
    pub depth: usize,
    /// What it says; fit for a terminal.
    pub text: String,
    /// What it speaks of, in the order of speaking.
    pub about: Vec<Id>,
    /// The edges it speaks of.
    pub arrows: Vec<Arrow<Id>>,
}

/// An edge that a line speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow<Id> {
    /// Where it begins.
    pub from: Id,
    /// Where it ends.
    pub to: Id,
    /// What relates the ends: `po`, `rf`, `mo`, `fr`, ...
    pub name: &'static str,
}

impl<Id> Line<Id> {
    /// A line that points at nothing yet.
    pub fn new(depth: usize, text: &str) -> Self {
        Line { depth, text: printable(text).into_owned(), about: Vec::new(), arrows: Vec::new() }
    }

    /// The line as printed: two spaces for each step of depth.
    pub fn indented(&self) -> String {
        format!("{:indent$}{}", "", self.text, indent = 2 * self.depth)
    }
}
