//! Words, numbers and signs, with their positions.

use std::fmt;

use crate::error::Fault;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Position {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// Where one is after a text that begins here.
    pub fn after(mut self, text: &str) -> Self {
        for c in text.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Letters, digits and `_ $ % . @`, not beginning with a digit.
    Word(&'a str),
    /// A number, as it is written.
    Number(&'a str),
    /// Text in quotes.
    Text(&'a str),
    /// `/\ \/ => == <> != && || << >> <= >= ->` and single characters.
    Sign(&'a str),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(s) | Self::Number(s) | Self::Sign(s) => write!(f, "`{s}`"),
            Self::Text(s) => write!(f, "\"{s}\""),
            Self::End => f.write_str("the end"),
        }
    }
}

const SIGNS: [&str; 17] =
    ["/\\", "\\/", "=>", "==", "<>", "!=", "&&", "||", "<<", ">>", "<=", ">=", "->", "+=", "-=", "++", "--"];

/// A number: decimal, `0x`, `0b`, `0o`; what has no room in 64 bits is none.
pub(crate) fn number(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    u64::from_str_radix(digits, radix).ok().map(|n| n as i64)
}

/// Goes through a text token by token.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    rest: &'a str,
    position: Position,
    /// Whether `//` and `/* */` are comments, as in C, rather than `(* *)`.
    c: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, position: Position) -> Self {
        let mut lexer = Self { rest: text, position, c: false };
        lexer.skip();
        lexer
    }

    pub fn of_c(text: &'a str, position: Position) -> Self {
        let mut lexer = Self { rest: text, position, c: true };
        lexer.skip();
        lexer
    }

    pub fn position(&self) -> Position {
        self.position
    }

    pub fn peek(&self) -> Token<'a> {
        self.scan().0
    }

    /// The token after the next.
    pub fn second(&self) -> Token<'a> {
        let mut ahead = self.clone();
        ahead.next();
        ahead.peek()
    }

    pub fn next(&mut self) -> Token<'a> {
        let (token, length) = self.scan();
        self.advance(length);
        self.skip();
        token
    }

    /// Takes a sign or a word if it is next.
    pub fn take(&mut self, text: &str) -> bool {
        let next = matches!(self.peek(), Token::Sign(s) | Token::Word(s) if s == text);
        if next {
            self.next();
        }
        next
    }

    pub fn expect(&mut self, text: &str) -> Result<(), Fault> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    pub fn word(&mut self, what: &str) -> Result<&'a str, Fault> {
        match self.peek() {
            Token::Word(word) => {
                self.next();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub fn number(&mut self, what: &str) -> Result<i64, Fault> {
        let negative = self.take("-");
        match self.peek() {
            Token::Number(digits) => {
                let value =
                    number(digits).ok_or_else(|| self.fault(format!("{digits} is no number of 64 bits")))?;
                self.next();
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            _ => Err(self.expected(what)),
        }
    }

    pub fn expected(&self, what: &str) -> Fault {
        self.fault(format!("{what} was expected, not {}", self.peek()))
    }

    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.position, message)
    }

    fn advance(&mut self, length: usize) {
        let (gone, rest) = self.rest.split_at(length);
        self.position = self.position.after(gone);
        self.rest = rest;
    }

    /// Over blanks and comments.
    fn skip(&mut self) {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            let length = if self.c { c_comment(self.rest) } else { comment(self.rest) };
            if length == 0 {
                return;
            }
            self.advance(length);
        }
    }

    fn scan(&self) -> (Token<'a>, usize) {
        let rest = self.rest;
        let Some(first) = rest.chars().next() else { return (Token::End, 0) };
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '@');
        if first == '"' {
            return match rest[1..].find('"') {
                Some(end) => (Token::Text(&rest[1..=end]), end + 2),
                None => (Token::Sign(&rest[..1]), 1),
            };
        }
        if first.is_ascii_digit() {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            return (Token::Number(&rest[..length]), length);
        }
        if in_word(first) {
            let dotted = |c: char| in_word(c) || (c == '.' && !self.c) || c == '\'';
            let length = rest.find(|c: char| !dotted(c)).unwrap_or(rest.len());
            return (Token::Word(&rest[..length]), length);
        }
        let length = SIGNS.iter().find(|s| rest.starts_with(**s)).map_or(first.len_utf8(), |s| s.len());
        (Token::Sign(&rest[..length]), length)
    }
}

/// The length of a nested comment that a text begins with, to the end of the text where it is not closed.
pub(crate) fn comment(text: &str) -> usize {
    if !text.starts_with("(*") {
        return 0;
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"(*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*)") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

/// The length of a comment of C that a text begins with.
pub(crate) fn c_comment(text: &str) -> usize {
    if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if let Some(inside) = text.strip_prefix("/*") {
        inside.find("*/").map_or(text.len(), |end| end + 4)
    } else {
        0
    }
}
