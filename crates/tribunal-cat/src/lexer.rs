//! The words of the cat language.

use crate::error::{Fault, Problem};
use crate::source::{FileId, Position};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A name, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub u32);

/// The names of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Symbol>,
}

impl Names {
    pub fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = name.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of a name that occurs.
    pub fn known(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }
}

macro_rules! words {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// A word without a text of its own: keywords and signs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Word { $($variant),* }

        impl Word {
            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $(Word::$variant => $text),* }
            }

            fn of(text: &str) -> Option<Word> {
                match text { $($text => Some(Word::$variant),)* _ => None }
            }
        }
    };
}

words! {
    Let "let", Rec "rec", And "and", In "in", Fun "fun", Match "match", With "with", Try "try", If "if", Then "then",
    Else "else", Not "not", Begin "begin", End "end", Include "include", Show "show", Unshow "unshow", As "as",
    Acyclic "acyclic", Irreflexive "irreflexive", Empty "empty", Flag "flag", UndefinedUnless "undefined_unless",
    Assert "assert", Procedure "procedure", Call "call", Forall "forall", Do "do", From "from", Enum "enum",
    Instructions "instructions", Default "default", Catdep "catdep", When "when", Debug "debug", Subset "subset",
    Variant "variant",
    Open "(", Close ")", OpenBrace "{", CloseBrace "}", OpenBracket "[", CloseBracket "]", Underscore "_", Zero "0",
    Bar "|", Bars "||", Ampersand "&", Ampersands "&&", Star "*", Tilde "~", Plus "+", Pluses "++", Caret "^",
    MinusOne "-1", Backslash "\\", Question "?", Equal "=", Semicolon ";", Comma ",", Arrow "->",
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(Word),
    Name(Symbol),
    Tag(Symbol),
    /// A string, by its first byte and the one after its last.
    Text(u32, u32),
    EndOfFile,
}

/// The tokens of a text, each with its first byte; the last is the end of the file.
pub(crate) fn tokens(text: &str, file: FileId, names: &mut Names) -> Result<Vec<(Token, u32)>, Box<Fault>> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, file };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        lexer.skip()?;
        let begin = lexer.at as u32;
        let token = lexer.token(names)?;
        tokens.push((token, begin));
        if token == Token::EndOfFile {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    file: FileId,
}

impl Lexer<'_> {
    fn fault(&self, offset: usize, problem: Problem) -> Box<Fault> {
        Fault::new(Position { file: self.file, offset: offset as u32 }, problem)
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks and comments.
    fn skip(&mut self) -> Result<(), Box<Fault>> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.at += 1,
                (b'#', _) | (b'/', b'/') => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                (b'(', b'*') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Comments nest.
    fn comment(&mut self) -> Result<(), Box<Fault>> {
        let begin = self.at;
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'(', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b')') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => self.at += 1,
            }
        }
        Err(self.fault(begin, Problem::Unterminated("comment")))
    }

    /// The length of the name that begins so many bytes ahead: `_?[A-Za-z][A-Za-z0-9_.-]*'?`
    fn name(&self, ahead: usize) -> Option<usize> {
        let rest = self.bytes.get(self.at + ahead..)?;
        let first = usize::from(rest.first() == Some(&b'_'));
        if !rest.get(first)?.is_ascii_alphabetic() {
            return None;
        }
        let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
        let length = first + rest[first..].iter().take_while(|b| inner(b)).count();
        Some(length + usize::from(rest.get(length) == Some(&b'\'')))
    }

    fn token(&mut self, names: &mut Names) -> Result<Token, Box<Fault>> {
        let begin = self.at;
        if begin == self.bytes.len() {
            return Ok(Token::EndOfFile);
        }
        if let Some(length) = self.name(0) {
            self.at += length;
            let name = &self.text[begin..self.at];
            return Ok(match Word::of(name) {
                Some(word) => Token::Word(word),
                None => Token::Name(names.symbol(name)),
            });
        }
        if self.byte(0) == b'\''
            && let Some(length) = self.name(1)
        {
            self.at += 1 + length;
            return Ok(Token::Tag(names.symbol(&self.text[begin + 1..self.at])));
        }
        if self.byte(0) == b'"' {
            let rest = &self.bytes[begin + 1..];
            let Some(length) = rest.iter().position(|&b| b == b'"') else {
                return Err(self.fault(begin, Problem::Unterminated("string")));
            };
            self.at += length + 2;
            return Ok(Token::Text(begin as u32 + 1, self.at as u32 - 1));
        }
        for length in [2, 1] {
            if let Some(word) = self.text.get(begin..begin + length).and_then(Word::of) {
                self.at += length;
                return Ok(Token::Word(word));
            }
        }
        let character = self.text[begin..].chars().next().unwrap_or('\u{fffd}');
        Err(self.fault(begin, Problem::Character(character)))
    }
}
