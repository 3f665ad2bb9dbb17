//! Words, numbers and signs of a program as text.

use super::error::{Mistake, TextError};
use super::syntax::Position;

/// What a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// A number.
    Number(i64),
    /// A sign, one of [`SIGNS`].
    Sign(&'static str),
    /// The end of a statement: the end of a line, or `;`.
    Separator,
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub token: Token<'a>,
    pub at: Position,
    /// The first byte of the token, and the first behind it.
    pub bytes: (usize, usize),
}

impl Token<'_> {
    /// As an error names it.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Separator => "the end of the statement".into(),
            Token::End => "the end of the text".into(),
        }
    }
}

/// The signs; where one begins another, the longer stands first.
const SIGNS: [&str; 42] = [
    "->", "+=", "-=", "&=", "|=", "^=", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "..", "(", ")", "{",
    "}", "[", "]", "=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "!", "~", "@", ",", ":", ".", "→",
    "≠", "≤", "≥",
];

/// What other signs stand for.
fn plain(sign: &'static str) -> &'static str {
    match sign {
        "→" => "->",
        "≠" => "!=",
        "≤" => "<=",
        "≥" => ">=",
        sign => sign,
    }
}

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, TextError> {
    let mut tokens = Vec::new();
    let (mut offset, mut at) = (0, Position { line: 1, column: 1 });
    // How many parentheses and brackets are open: a line that ends within them goes on.
    let mut open = 0usize;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let (token, length) = match first {
            '\n' if open > 0 => (None, 1),
            '\n' | ';' => (Some(Token::Separator), 1),
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '#' => (None, rest.find('\n').unwrap_or(rest.len())),
            '0'..='9' => {
                let length =
                    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                (Some(Token::Number(number(&rest[..length]).map_err(|mistake| mistake.at(at))?)), length)
            }
            _ if first.is_alphabetic() || first == '_' => {
                let length =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').unwrap_or(rest.len());
                (Some(Token::Word(&rest[..length])), length)
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Some(Token::Sign(plain(sign))), sign.len()),
                None => return Err(Mistake::Character(first).at(at)),
            },
        };
        if let Some(token) = token {
            match token {
                Token::Sign("(" | "[") => open += 1,
                Token::Sign(")" | "]") => open = open.saturating_sub(1),
                // A block does not stand within them: one was left open, and is missed soon.
                Token::Sign("{" | "}") => open = 0,
                _ => {}
            }
            tokens.push(Placed { token, at, bytes: (offset, offset + length) });
        }
        if first == '\n' {
            at = Position { line: at.line.saturating_add(1), column: 1 };
        } else {
            at.column = at.column.saturating_add(rest[..length].chars().count() as u32);
        }
        offset += length;
    }
    tokens.push(Placed { token: Token::End, at, bytes: (text.len(), text.len()) });
    Ok(tokens)
}

/// A number in decimal or, after `0x`, hexadecimal digits; `_` may stand between them.
fn number(digits: &str) -> Result<i64, Mistake> {
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    let (digits_only, radix) = match plain.strip_prefix("0x") {
        Some(hexadecimal) => (hexadecimal, 16),
        None => (plain.as_str(), 10),
    };
    if digits_only.is_empty() || !digits_only.chars().all(|c| c.is_digit(radix)) {
        return Err(Mistake::Expected { expected: "a number".into(), found: format!("`{digits}`") });
    }
    i64::from_str_radix(digits_only, radix).map_err(|_| Mistake::LargeNumber(digits.into()))
}
