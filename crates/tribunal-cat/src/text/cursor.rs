//! A place between the tokens of a text.

use super::{Language, Located, Position, Token};
use std::marker::PhantomData;

/// The result of reading.
pub type Parsed<T, L> = Result<T, Located<<L as Language>::Problem>>;

/// A place between the tokens of a text; a copy of it is a place to come back to.
pub struct Cursor<'a, L> {
    text: &'a str,
    /// The next token, where it stands, and its bytes.
    token: Token<'a>,
    at: Position,
    begin: usize,
    end: usize,
    /// Where it ends.
    after: Position,
    /// The first byte behind the token before it.
    before: usize,
    /// The number of parentheses and brackets that are open.
    open: u32,
    depth: usize,
    language: PhantomData<L>,
}

impl<L> Clone for Cursor<'_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Cursor<'_, L> {}

impl<'a, L: Language> Cursor<'a, L> {
    /// A cursor at the first token of a text that begins at a position.
    pub fn new(text: &'a str, after: Position) -> Self {
        let (token, language) = (Token::End, PhantomData);
        let (begin, end, before, open, depth) = Default::default();
        let mut cursor = Cursor { text, token, at: after, begin, end, after, before, open, depth, language };
        cursor.scan();
        cursor
    }

    /// Reads a whole text. If that fails, and something in the text is no token, the error is that, wherever it stands.
    pub fn read<T>(text: &'a str, at: Position, read: impl FnOnce(Self) -> Parsed<T, L>) -> Parsed<T, L> {
        let mut cursor = Self::new(text, at);
        read(cursor).map_err(|error| {
            while !matches!(cursor.token, Token::End | Token::Stray) {
                cursor.next();
            }
            let rest = cursor.rest();
            match rest.chars().next().map(|first| L::token(first, rest)) {
                Some(Err((at, problem))) => Located::new(cursor.at.after(&rest[..at]), problem),
                _ => error,
            }
        })
    }

    /// Goes to the next token behind the current one.
    fn scan(&mut self) {
        let (mut at, mut begin) = (self.after, self.end);
        (self.token, self.end, self.after) = loop {
            let rest = &self.text[begin..];
            let Some(first) = rest.chars().next() else { break (Token::End, begin, at) };
            if first == '\n' && L::LINES && self.open == 0 {
                break (Token::Sign("\n"), begin + 1, at.past(first));
            }
            if L::is_blank(first) {
                (begin, at) = (begin + first.len_utf8(), at.past(first));
                continue;
            }
            let skipped = L::comment(rest);
            if skipped == 0 {
                let (token, length) = L::token(first, rest).unwrap_or((Token::Stray, 0));
                let after = if length == 1 { at.past(first) } else { at.after(&rest[..length]) };
                break (token, begin + length, after);
            }
            (begin, at) = (begin + skipped, at.after(&rest[..skipped]));
        };
        (self.at, self.begin) = (at, begin);
        if L::LINES {
            self.open = match self.token {
                Token::Sign("(" | "[") => self.open + 1,
                Token::Sign(")" | "]") => self.open.saturating_sub(1),
                // A block does not stand within them: one was left open, and is missed soon.
                Token::Sign("{" | "}") => 0,
                _ => self.open,
            };
        }
    }

    /// The next token.
    #[inline]
    pub fn peek(&self) -> Token<'a> {
        self.token
    }

    /// The token after the next.
    pub fn second(&self) -> Token<'a> {
        let mut ahead = *self;
        ahead.next();
        ahead.token
    }

    /// The place of the next token.
    #[inline]
    pub fn at(&self) -> Position {
        self.at
    }

    /// The text from the next token on.
    pub fn rest(&self) -> &'a str {
        &self.text[self.begin..]
    }

    /// The text from the next token of an earlier cursor to the token before this one's next.
    pub fn since(&self, earlier: &Self) -> &'a str {
        &self.text[earlier.begin..self.before.max(earlier.begin)]
    }

    /// Goes past a token; the end stays.
    #[expect(clippy::should_implement_trait, reason = "it does not end")]
    pub fn next(&mut self) -> Token<'a> {
        let token = self.token;
        self.before = self.end;
        self.scan();
        token
    }

    /// True if this name, word or sign is next.
    #[inline]
    pub fn is(&self, text: &str) -> bool {
        matches!(self.token, Token::Name(next) | Token::Word(next) | Token::Sign(next) if next == text)
    }

    /// Takes a name, word or sign if it is next.
    #[inline]
    pub fn take(&mut self, text: &str) -> bool {
        let there = self.is(text);
        if there {
            self.next();
        }
        there
    }

    /// Takes a name, word or sign, which must be next.
    pub fn expect(&mut self, text: &str) -> Parsed<(), L> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes a name, which must be next.
    pub fn name(&mut self, expected: &str) -> Parsed<&'a str, L> {
        let Token::Name(name) = self.token else { return Err(self.expected(expected)) };
        self.next();
        Ok(name)
    }

    /// The end must be next.
    pub fn end(&self, expected: &str) -> Parsed<(), L> {
        if self.token == Token::End { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The error that something else should be next.
    pub fn expected(&self, expected: &str) -> Located<L::Problem> {
        self.fault(L::expected(expected, self.token))
    }

    /// An error here.
    pub fn fault<P>(&self, problem: impl Into<P>) -> Located<P> {
        Located::new(self.at, problem)
    }

    /// Goes a level deeper.
    pub fn enter(&mut self) -> Parsed<(), L> {
        if self.depth == L::DEPTH {
            return Err(self.fault(L::too_deep()));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back from so many levels.
    pub fn leave(&mut self, levels: usize) {
        self.depth -= levels;
    }
}

/// A reader of a language: a cursor, and perhaps more.
pub trait Grammar<'a>: Sized {
    /// The language.
    type Language: Language;

    /// The cursor.
    fn cursor(&mut self) -> &mut Cursor<'a, Self::Language>;

    /// Reads something one level deeper.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T, Self::Language>,
    ) -> Parsed<T, Self::Language> {
        self.cursor().enter()?;
        let inner = read(self)?;
        self.cursor().leave(1);
        Ok(inner)
    }
}

impl<'a, L: Language> Grammar<'a> for Cursor<'a, L> {
    type Language = L;

    fn cursor(&mut self) -> &mut Self {
        self
    }
}
