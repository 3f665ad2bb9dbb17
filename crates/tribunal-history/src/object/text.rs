//! Tokens of names with parameters, such as `cas-register(0)`, and of the language of specifications; and constants in them.

use super::Value;
use std::marker::PhantomData;
use tribunal_cat::text::{self, Cursor, Grammar, Language, Parsed, Position, Scanned, Token, run};

/// The fault at a place in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextFault {
    /// An unexpected character.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// An unterminated string.
    #[error("this string does not end on its line")]
    OpenText,
    /// A backslash before anything other than `"`, `\`, `n` or `t`.
    #[error("unknown escape, expected one of \\\" \\\\ \\n \\t")]
    Escape,
    /// A number beyond 64 bits.
    #[error("{0} does not fit in 64 bits")]
    Number(String),
    /// Another token was expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The text that should be there.
        expected: String,
        /// The text that is there.
        found: String,
    },
    /// Too deep nesting.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
}

/// The tokens of specifications, for a reader whose errors are `P`. Comments go from `#` to the end of their line.
pub struct Words<P>(PhantomData<P>);

impl<P: From<TextFault>> Language for Words<P> {
    type Problem = P;
    /// Whatever walks the tree recurses at most this deep.
    const DEPTH: usize = 40;

    #[inline]
    fn comment(rest: &str) -> usize {
        text::line("#", rest)
    }

    fn token(first: char, rest: &str) -> Scanned<'_, P> {
        let token = match first {
            '"' => quoted(rest),
            '0'..='9' => {
                let digits = run(rest, |c| c.is_ascii_digit());
                let too_large = |_| (0, TextFault::Number(digits.into()));
                digits.parse::<i64>().map(|_| (Token::Number(digits), digits.len())).map_err(too_large)
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = &rest[..name_length(rest)];
                Ok((Token::Name(name), name.len()))
            }
            _ => text::sign(sign_length(rest.as_bytes()), rest).ok_or((0, TextFault::Character(first))),
        };
        token.map_err(|(at, fault)| (at, fault.into()))
    }

    fn expected(expected: &str, found: Token<'_>) -> P {
        let found = match (found, literal(found)) {
            (_, Some(value)) => value.to_string(),
            (Token::Name(word) | Token::Sign(word), _) => format!("`{word}`"),
            _ => "the end".into(),
        };
        TextFault::Unexpected { expected: expected.into(), found }.into()
    }

    fn too_deep() -> P {
        TextFault::TooDeep(Self::DEPTH).into()
    }
}

fn sign_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'-', b'>', ..] | [b'=' | b'!' | b'<' | b'>', b'=', ..] => 2,
        [b'<' | b'>' | b'=' | b'+' | b'-' | b'*' | b'(' | b')' | b'{' | b'}', ..] => 1,
        [b'[' | b']' | b',' | b':' | b'.', ..] => 1,
        _ => 0,
    }
}

/// Letters, digits and `_`, and a `-` between two of them if a letter follows: `read-only` is a name, `n - 1` is not.
fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 1;
    while end < bytes.len() {
        let joins = bytes[end] == b'-' && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic);
        if !(bytes[end].is_ascii_alphanumeric() || bytes[end] == b'_' || joins) {
            break;
        }
        end += 1;
    }
    end
}

/// A text in quotes, which ends on its line.
fn quoted(rest: &str) -> Scanned<'_, TextFault> {
    let mut escaped = false;
    for (at, c) in rest.lines().next().unwrap_or(rest).char_indices().skip(1) {
        escaped = match (escaped, c) {
            (false, '"') => return Ok((Token::Text(&rest[1..at]), at + 1)),
            (true, '"' | '\\' | 'n' | 't') => false,
            (true, _) => return Err((at, TextFault::Escape)),
            (false, c) => c == '\\',
        };
    }
    Err((0, TextFault::OpenText))
}

/// Reads a whole text. What follows its last line break is no line of its own.
///
/// ```
/// use tribunal::object::Value;
/// use tribunal_history::object::text::{TextFault, constant, read};
/// let value = |text| read::<_, TextFault>(text, |mut cursor| constant(&mut cursor));
/// assert_eq!(value("[1, \"a\"]"), Ok(Value::list([Value::from(1), Value::from("a")])));
/// assert_eq!(value("[1 ?").map_err(|error| error.to_string()), Err("1:4: unexpected character '?'".into()));
/// ```
pub fn read<'a, T, P: From<TextFault>>(
    text: &'a str,
    read: impl FnOnce(Cursor<'a, Words<P>>) -> Parsed<T, Words<P>>,
) -> Parsed<T, Words<P>> {
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    Cursor::read(text, Position::START, read)
}

/// The value of a number or of a text in quotes.
pub fn literal(token: Token<'_>) -> Option<Value> {
    match token {
        Token::Number(digits) => digits.parse().ok().map(Value::Int),
        Token::Text(text) => {
            let mut chars = text.chars();
            let unescaped = std::iter::from_fn(|| {
                Some(match chars.next()? {
                    '\\' => match chars.next()? {
                        'n' => '\n',
                        't' => '\t',
                        quoted => quoted,
                    },
                    plain => plain,
                })
            });
            Some(Value::from(unescaped.collect::<String>().as_str()))
        }
        _ => None,
    }
}

/// Reads a constant: null, true, false, a number, a string, a list, or a map, which is read as the list of its entries.
pub fn constant<P: From<TextFault>>(cursor: &mut Cursor<'_, Words<P>>) -> Parsed<Value, Words<P>> {
    let value = match cursor.peek() {
        Token::Name("null") => Value::Null,
        Token::Name("true") => Value::Bool(true),
        Token::Name("false") => Value::Bool(false),
        Token::Sign("-") => {
            cursor.next();
            match literal(cursor.peek()) {
                Some(Value::Int(number)) => Value::Int(number.wrapping_neg()),
                _ => return Err(cursor.expected("a number")),
            }
        }
        Token::Sign("[") => return cursor.deeper(|cursor| constants(cursor, "]", constant)),
        Token::Sign("{") => {
            return cursor.deeper(|cursor| {
                constants(cursor, "}", |cursor| {
                    let key = constant(cursor)?;
                    cursor.expect(":")?;
                    Ok(Value::list([key, constant(cursor)?]))
                })
            });
        }
        token => literal(token).ok_or_else(|| cursor.expected("a value"))?,
    };
    cursor.next();
    Ok(value)
}

/// A bracket, and what is between it and the one that closes it.
fn constants<P: From<TextFault>>(
    cursor: &mut Cursor<'_, Words<P>>,
    close: &str,
    each: impl Fn(&mut Cursor<'_, Words<P>>) -> Parsed<Value, Words<P>>,
) -> Parsed<Value, Words<P>> {
    cursor.next();
    let mut values = Vec::new();
    while !cursor.take(close) {
        if !values.is_empty() {
            cursor.expect(",")?;
        }
        values.push(each(cursor)?);
    }
    Ok(Value::list(values))
}
