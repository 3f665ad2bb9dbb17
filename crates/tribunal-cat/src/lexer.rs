//! The words of the cat language.

use crate::error::Problem;
use crate::parser::DEPTH;
use crate::text::{self, Language, Scanned, Token};
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

/// The cat language.
pub(crate) enum Cat {}

impl Language for Cat {
    type Problem = Problem;
    const DEPTH: usize = DEPTH;

    #[inline]
    fn is_blank(c: char) -> bool {
        matches!(c, ' ' | '\t' | '\r' | '\n')
    }

    #[inline]
    fn comment(rest: &str) -> usize {
        match rest.as_bytes() {
            [b'#', ..] => text::line("#", rest),
            [b'/', ..] => text::line("//", rest),
            _ => text::nested(rest).unwrap_or(0),
        }
    }

    fn token(first: char, rest: &str) -> Scanned<'_, Problem> {
        let quote = usize::from(first == '\'');
        if let length @ 1.. = name(&rest[quote..]) {
            let name = &rest[quote..quote + length];
            let token = match name {
                _ if quote == 1 => Token::Tag(name),
                _ if is_reserved(name) => Token::Word(name),
                _ => Token::Name(name),
            };
            return Ok((token, quote + length));
        }
        match first {
            '"' => text::quoted(rest).ok_or((0, Problem::Unterminated("string"))),
            '(' if rest.as_bytes().get(1) == Some(&b'*') => Err((0, Problem::Unterminated("comment"))),
            _ => text::sign(sign_length(rest.as_bytes()), rest).ok_or((0, Problem::Character(first))),
        }
    }

    fn expected(expected: &str, found: Token<'_>) -> Problem {
        let found = match found {
            Token::Tag(tag) => format!("`'{tag}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Name(word) | Token::Word(word) | Token::Number(word) | Token::Sign(word) => {
                format!("`{word}`")
            }
            Token::Stray | Token::End => "the end of the file".to_owned(),
        };
        Problem::Expected { expected: expected.to_owned(), found }
    }

    fn too_deep() -> Problem {
        Problem::Depth(DEPTH)
    }
}

fn sign_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'|', b'|', ..] | [b'&', b'&', ..] | [b'+', b'+', ..] | [b'-', b'>' | b'1', ..] => 2,
        [
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'_' | b'0' | b'~' | b',' | b'=' | b'|' | b'&' | b'+',
            ..,
        ] => 1,
        [b'*' | b'?' | b'^' | b';' | b'\\', ..] => 1,
        _ => 0,
    }
}

/// The length of the name that a text begins with: `_?[A-Za-z][A-Za-z0-9_.-]*'?`; 0 if there is none.
fn name(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let first = usize::from(bytes.first() == Some(&b'_'));
    if !bytes.get(first).is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let inner = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let length = first + bytes[first..].iter().take_while(|b| inner(b)).count();
    length + usize::from(bytes.get(length) == Some(&b'\''))
}

fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "let"
            | "rec"
            | "and"
            | "in"
            | "fun"
            | "match"
            | "with"
            | "try"
            | "if"
            | "then"
            | "else"
            | "not"
            | "begin"
            | "end"
            | "include"
            | "show"
            | "unshow"
            | "as"
            | "acyclic"
            | "irreflexive"
            | "empty"
            | "flag"
            | "undefined_unless"
            | "assert"
            | "procedure"
            | "call"
            | "forall"
            | "do"
            | "from"
            | "enum"
            | "instructions"
            | "default"
            | "catdep"
            | "when"
            | "debug"
            | "subset"
            | "variant"
    )
}
