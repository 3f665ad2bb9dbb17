//! The tokens of tests: words, numbers and signs.

use crate::error::Fault;
use tribunal_cat::text::{self, Cursor, Language, Scanned, Token, nested, quoted, run};

/// The language of initial states and of questions, with comments in `(*` and `*)`; or that of C, with comments as C has them.
/// Names are of letters, digits and `_ $ % @ '`, and of `.` but in C. Any other character is a sign.
pub(crate) enum Litmus<const C: bool> {}

impl<const C: bool> Language for Litmus<C> {
    type Problem = String;
    const DEPTH: usize = if C { 150 } else { 200 };

    #[inline]
    fn comment(rest: &str) -> usize {
        if C { c_comment(rest) } else { comment(rest) }
    }

    fn token(first: char, rest: &str) -> Scanned<'_, String> {
        let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '@');
        Ok(match first {
            '0'..='9' => {
                let digits = run(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                (Token::Number(digits), digits.len())
            }
            _ if in_name(first) => {
                let name = run(rest, |c| in_name(c) || (c == '.' && !C) || c == '\'');
                (Token::Name(name), name.len())
            }
            _ => quoted(rest).unwrap_or_else(|| {
                let length = if is_double(rest.as_bytes()) { 2 } else { first.len_utf8() };
                (Token::Sign(&rest[..length]), length)
            }),
        })
    }

    fn expected(expected: &str, found: Token<'_>) -> String {
        match found {
            Token::Name(s) | Token::Number(s) | Token::Sign(s) => {
                format!("{expected} was expected, not `{s}`")
            }
            Token::Text(s) => format!("{expected} was expected, not \"{s}\""),
            _ => format!("{expected} was expected, not the end"),
        }
    }

    fn too_deep() -> String {
        format!("a {} may be nested {} deep", if C { "program" } else { "proposition" }, Self::DEPTH)
    }
}

/// Whether a text begins with a sign of two characters.
fn is_double(bytes: &[u8]) -> bool {
    match bytes {
        [b'/', b'\\', ..] | [b'\\', b'/', ..] => true,
        [b'=' | b'-', b'>', ..] | [b'<', b'>', ..] | [b'+' | b'-' | b'=' | b'!' | b'<' | b'>', b'=', ..] => {
            true
        }
        [first @ (b'&' | b'|' | b'<' | b'>' | b'+' | b'-'), second, ..] => first == second,
        _ => false,
    }
}

/// An integer of 64 bits, signed or not, as its bits: decimal, `0x`, `0b`, `0o`.
pub(crate) fn bits(digits: &str) -> Option<i64> {
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        _ => (10, digits),
    };
    u64::from_str_radix(digits, radix).ok().map(u64::cast_signed)
}

/// The same, as C writes it: with `_` between digits and a type behind them.
pub(crate) fn literal(text: &str) -> Option<i64> {
    bits(text.replace('_', "").trim_end_matches(['u', 'U', 'l', 'L']))
}

/// Takes a number with an optional sign.
pub(crate) fn number<const C: bool>(cursor: &mut Cursor<'_, Litmus<C>>, what: &str) -> Result<i64, Fault> {
    let negative = cursor.take("-");
    let Token::Number(digits) = cursor.peek() else { return Err(cursor.expected(what)) };
    let value = literal(digits).ok_or_else(|| cursor.fault(format!("{digits} is no number of 64 bits")))?;
    cursor.next();
    Ok(if negative { value.wrapping_neg() } else { value })
}

/// The length of a nested comment that a text begins with, to the end of the text where it is not closed.
#[inline]
pub(crate) fn comment(text: &str) -> usize {
    nested(text).unwrap_or(text.len())
}

/// The length of a comment of C that a text begins with.
#[inline]
pub(crate) fn c_comment(text: &str) -> usize {
    match text.strip_prefix("/*") {
        Some(inside) => inside.find("*/").map_or(text.len(), |end| end + 4),
        None => text::line("//", text),
    }
}
