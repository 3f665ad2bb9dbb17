//! The grammar of the cat language: tokens to a tree.
//!
//! Recursive descent; `expression` has the operators and their precedence, `instruction` the rest. Nesting is limited, so that no text can
//! exhaust the stack.

mod expression;
mod instruction;

use crate::error::{Fault, Problem};
use crate::lexer::{Names, Symbol, Token, Word};
use crate::source::{FileId, Position};
use crate::syntax::{Instruction, InstructionKind};

/// How deep a text may nest.
pub(crate) const DEPTH: usize = 120;

type Parsed<T> = Result<T, Box<Fault>>;

/// A file as a tree: `X86 TSO`, `catdep`, instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The words of the header.
    pub header: Vec<String>,
    /// Whether the model computes dependencies itself, from events of registers.
    pub catdep: bool,
    pub instructions: Vec<Instruction>,
}

pub(crate) fn parse(text: &str, file: FileId, names: &mut Names) -> Parsed<Tree> {
    let tokens = crate::lexer::tokens(text, file, names)?;
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0, file, names };
    let header = parser.header();
    let catdep = parser.skip(Word::Catdep);
    let instructions = parser.instructions()?;
    match parser.peek() {
        Token::EndOfFile => Ok(Tree { header, catdep, instructions }),
        _ => Err(parser.expected("an instruction")),
    }
}

/// Every file that a tree includes, and where it is to be noted which file that is.
pub(crate) fn includes<'t>(
    instructions: &'t mut [Instruction],
    found: &mut Vec<(Position, &'t str, &'t mut Option<FileId>)>,
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
    text: &'a str,
    tokens: &'a [(Token, u32)],
    next: usize,
    depth: usize,
    file: FileId,
    names: &'a Names,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.next].0
    }

    /// The token after the next one.
    fn peek_second(&self) -> Token {
        self.tokens.get(self.next + 1).map_or(Token::EndOfFile, |&(token, _)| token)
    }

    fn is(&self, word: Word) -> bool {
        self.peek() == Token::Word(word)
    }

    fn position(&self) -> Position {
        Position { file: self.file, offset: self.tokens[self.next].1 }
    }

    /// Goes past a token; the end of the file stays.
    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn skip(&mut self, word: Word) -> bool {
        let there = self.is(word);
        if there {
            self.advance();
        }
        there
    }

    fn fault(&self, problem: Problem) -> Box<Fault> {
        Fault::new(self.position(), problem)
    }

    fn expected(&self, expected: &'static str) -> Box<Fault> {
        let found = match self.peek() {
            Token::Word(word) => format!("`{}`", word.text()),
            Token::Name(name) => format!("`{}`", self.names.text(name)),
            Token::Tag(tag) => format!("`'{}`", self.names.text(tag)),
            Token::Text(begin, end) => format!("{:?}", &self.text[begin as usize..end as usize]),
            Token::EndOfFile => "the end of the file".to_owned(),
        };
        self.fault(Problem::Expected { expected, found })
    }

    fn expect(&mut self, word: Word) -> Parsed<()> {
        if self.skip(word) { Ok(()) } else { Err(self.expected(quoted(word))) }
    }

    fn name(&mut self) -> Parsed<Symbol> {
        let Token::Name(name) = self.peek() else { return Err(self.expected("a name")) };
        self.advance();
        Ok(name)
    }

    fn tag(&mut self) -> Parsed<Symbol> {
        let Token::Tag(tag) = self.peek() else { return Err(self.expected("a tag")) };
        self.advance();
        Ok(tag)
    }

    fn string(&mut self) -> Parsed<String> {
        let Token::Text(begin, end) = self.peek() else { return Err(self.expected("a string")) };
        self.advance();
        Ok(self.text[begin as usize..end as usize].to_owned())
    }

    /// One level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH {
            return Err(self.fault(Problem::Depth(DEPTH)));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// `ARCH NAME`, `ARCH "text"`, `NAME`, `"text"` or nothing.
    fn header(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        if let Token::Name(name) = self.peek() {
            words.push(self.names.text(name).to_owned());
            self.advance();
        }
        match self.peek() {
            Token::Name(name) => words.push(self.names.text(name).to_owned()),
            Token::Text(begin, end) => words.push(self.text[begin as usize..end as usize].to_owned()),
            _ => return words,
        }
        self.advance();
        words
    }
}

/// A word as an error names it.
fn quoted(word: Word) -> &'static str {
    match word {
        Word::Close => "`)`",
        Word::CloseBrace => "`}`",
        Word::CloseBracket => "`]`",
        Word::OpenBracket => "`[`",
        Word::Equal => "`=`",
        Word::Arrow => "`->`",
        Word::End => "`end`",
        Word::In => "`in`",
        Word::With => "`with`",
        Word::Then => "`then`",
        Word::Else => "`else`",
        Word::From => "`from`",
        Word::Do => "`do`",
        Word::Bars => "`||`",
        Word::Pluses => "`++`",
        Word::MinusOne => "`-1`",
        other => other.text(),
    }
}
