//! The grammar of the cat language: tokens to a tree.
//!
//! Recursive descent; `expression` has the operators and their precedence, `instruction` the rest. Nesting is limited, so that no text can
//! exhaust the stack.

mod expression;
mod instruction;

use crate::error::{Fault, Problem};
use crate::lexer::{Cat, Names, Symbol};
use crate::source::{FileId, Place};
use crate::syntax::{Instruction, InstructionKind};
use crate::text::{Cursor, Grammar, Located, Position, Token};

/// How deep a text may nest.
pub(crate) const DEPTH: usize = 120;

type Parsed<T> = Result<T, Located<Problem>>;

/// A file as a tree: `X86 TSO`, `catdep`, instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The words of the header.
    pub header: Vec<String>,
    /// Whether the model computes dependencies itself, from events of registers.
    pub catdep: bool,
    pub instructions: Vec<Instruction>,
}

pub(crate) fn parse(text: &str, file: FileId, names: &mut Names) -> Result<Tree, Box<Fault>> {
    let tree = Cursor::read(text, Position::START, |cursor| {
        let mut parser = Parser { cursor, file, names };
        let header = parser.header();
        let catdep = parser.cursor.take("catdep");
        let instructions = parser.instructions()?;
        parser.cursor.end("an instruction")?;
        Ok(Tree { header, catdep, instructions })
    });
    tree.map_err(|Located { at, problem }| Fault::new(Place { file, at }, problem))
}

/// Every file that a tree includes, and where it is to be noted which file that is.
pub(crate) fn includes<'t>(
    instructions: &'t mut [Instruction],
    found: &mut Vec<(Place, &'t str, &'t mut Option<FileId>)>,
) {
    for Instruction { at, kind } in instructions {
        match kind {
            InstructionKind::Include(name, file) => found.push((*at, name, file)),
            InstructionKind::Procedure { body, .. } | InstructionKind::Forall { body, .. } => {
                includes(body, found)
            }
            InstructionKind::If { then, otherwise, .. } => {
                includes(then, found);
                includes(otherwise, found);
            }
            InstructionKind::Match { cases, otherwise, .. } => {
                for (_, body) in cases {
                    includes(body, found);
                }
                if let Some(body) = otherwise {
                    includes(body, found);
                }
            }
            _ => {}
        }
    }
}

struct Parser<'a> {
    cursor: Cursor<'a, Cat>,
    file: FileId,
    names: &'a mut Names,
}

impl<'a> Grammar<'a> for Parser<'a> {
    type Language = Cat;

    fn cursor(&mut self) -> &mut Cursor<'a, Cat> {
        &mut self.cursor
    }
}

impl<'a> Parser<'a> {
    fn place(&self) -> Place {
        Place { file: self.file, at: self.cursor.at() }
    }

    fn name(&mut self) -> Parsed<Symbol> {
        let name = self.cursor.name("a name")?;
        Ok(self.names.symbol(name))
    }

    fn tag(&mut self) -> Parsed<Symbol> {
        let Token::Tag(tag) = self.cursor.peek() else { return Err(self.cursor.expected("a tag")) };
        self.cursor.next();
        Ok(self.names.symbol(tag))
    }

    fn string(&mut self) -> Parsed<String> {
        let Token::Text(text) = self.cursor.peek() else { return Err(self.cursor.expected("a string")) };
        self.cursor.next();
        Ok(text.to_owned())
    }

    /// `ARCH NAME`, `ARCH "text"`, `NAME`, `"text"` or nothing.
    fn header(&mut self) -> Vec<String> {
        let first = self.name().map(|name| self.names.text(name).to_owned());
        let second = self.string().or_else(|_| self.name().map(|name| self.names.text(name).to_owned()));
        first.into_iter().chain(second).collect()
    }
}
