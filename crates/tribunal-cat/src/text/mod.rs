//! The text kit, of which every parser is made: positions, located errors, tokens, a cursor over them, and expressions by precedence.
//!
//! A [`Language`] says what the tokens of a text are, a [`Cursor`] goes through them, [`Operators`] reads expressions by how tightly
//! their operators bind. A problem has its place: [`Located`], and with the file, [`InFile`].
//!
//! ```
//! use tribunal_cat::text::{Cursor, Grammar, Infix, Language, Located, Operators, Parsed, Position, Scanned, Token, run, sign};
//!
//! /// Sums and products of numbers.
//! struct Sums;
//!
//! impl Language for Sums {
//!     type Problem = String;
//!
//!     fn token(first: char, rest: &str) -> Scanned<'_, String> {
//!         let digits = run(rest, |c| c.is_ascii_digit());
//!         match digits.len() {
//!             0 => sign("+*()".contains(first).into(), rest).ok_or((0, format!("unexpected {first}"))),
//!             length => Ok((Token::Number(digits), length)),
//!         }
//!     }
//!
//!     fn expected(expected: &str, _found: Token<'_>) -> String {
//!         format!("expected {expected}")
//!     }
//! }
//!
//! struct Value(u64);
//!
//! impl<'a> Operators<'a, Value> for Cursor<'a, Sums> {
//!     type Operator = fn(u64, u64) -> u64;
//!     fn operator(written: &str, _least: u8) -> Option<(u8, Self::Operator)> {
//!         Some(match written {
//!             "+" => (1, |a, b| a + b),
//!             "*" => (2, |a, b| a * b),
//!             _ => return None,
//!         })
//!     }
//!
//!     fn operand(&mut self, _least: u8) -> Parsed<Value, Sums> {
//!         if self.take("(") {
//!             let inner = self.deeper(|cursor| cursor.climb(1))?;
//!             self.expect(")")?;
//!             return Ok(inner);
//!         }
//!         let Token::Number(digits) = self.peek() else { return Err(self.expected("a number")) };
//!         self.next();
//!         digits.parse().map(Value).map_err(|_| self.fault("too large"))
//!     }
//!
//!     fn combine(&mut self, a: Value, infix: Infix<Self::Operator>, b: Value) -> Parsed<Value, Sums> {
//!         Ok(Value((infix.operator)(a.0, b.0)))
//!     }
//! }
//!
//! let sum = |text| Cursor::<Sums>::read(text, Position::START, |mut cursor| Ok(cursor.climb(1)?.0));
//! assert_eq!(sum("2 * (3 + 4) + 1"), Ok(15));
//! assert_eq!(sum("2 *\n )").map_err(|error: Located<String>| error.to_string()), Err("2:2: expected a number".into()));
//! ```

mod cursor;
mod operators;
mod tokens;

pub use cursor::{Cursor, Grammar, Parsed};
pub use operators::{Infix, Operators};
pub use tokens::{Language, Scanned, Token, line, nested, quoted, run, sign};

use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The place behind a character that is here.
    #[inline]
    pub fn past(self, c: char) -> Self {
        if c == '\n' {
            Position { line: self.line + 1, column: 1 }
        } else {
            Position { column: self.column + 1, ..self }
        }
    }

    /// The end of a text that begins here.
    pub fn after(mut self, text: &str) -> Self {
        for byte in text.bytes() {
            match byte {
                b'\n' => self = Position { line: self.line + 1, column: 1 },
                // In the middle of a character.
                0x80..0xc0 => {}
                _ => self.column += 1,
            }
        }
        self
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A problem at a place in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct Located<P> {
    /// The place.
    pub at: Position,
    /// The problem.
    pub problem: P,
}

impl<P> Located<P> {
    /// A problem at a place.
    pub fn new(at: Position, problem: impl Into<P>) -> Self {
        Located { at, problem: problem.into() }
    }

    /// The same, with the file.
    pub fn within(self, file: &str) -> InFile<P> {
        let Located { at, problem } = self;
        InFile { file: file.into(), at, problem, excerpt: String::new() }
    }
}

/// A problem at a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{at}: {problem}{excerpt}")]
pub struct InFile<P> {
    /// The file.
    pub file: String,
    /// The place in it.
    pub at: Position,
    /// The problem.
    pub problem: P,
    /// The line with a caret below the column; empty if it is not shown.
    pub excerpt: String,
}

impl<P> InFile<P> {
    /// The same, with the line if it is one that a terminal shows.
    pub(crate) fn with_excerpt(mut self, text: &str) -> Self {
        const LONGEST: usize = 160;
        let line = text.split('\n').nth(self.at.line as usize - 1).unwrap_or_default().trim_end_matches('\r');
        if !line.trim().is_empty() && line.len() <= LONGEST {
            let before = line.chars().take(self.at.column as usize - 1);
            let caret: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            self.excerpt = format!("\n    {line}\n    {caret}^");
        }
        self
    }
}
