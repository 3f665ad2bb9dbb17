//! The tokens of a program as text.

use super::error::Mistake;
use super::parser::DEPTH;
use tribunal_cat::text::{self, Language, Scanned, Token, run};

/// The language of programs. A line break ends a statement, as `;` does.
pub(super) enum Program {}

impl Language for Program {
    type Problem = Mistake;
    const DEPTH: usize = DEPTH;
    const LINES: bool = true;

    #[inline]
    fn comment(rest: &str) -> usize {
        text::line("#", rest)
    }

    fn token(first: char, rest: &str) -> Scanned<'_, Mistake> {
        let token = match first {
            '0'..='9' => {
                let digits = run(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                number(digits).map(|_| (Token::Number(digits), digits.len()))
            }
            '→' => Ok((Token::Sign("->"), first.len_utf8())),
            '≠' => Ok((Token::Sign("!="), first.len_utf8())),
            '≤' => Ok((Token::Sign("<="), first.len_utf8())),
            '≥' => Ok((Token::Sign(">="), first.len_utf8())),
            _ if first.is_alphabetic() || first == '_' => {
                let word = run(rest, |c| c.is_alphanumeric() || c == '_' || c == '\'');
                let token = if is_keyword(word) { Token::Word(word) } else { Token::Name(word) };
                Ok((token, word.len()))
            }
            _ => text::sign(sign_length(rest.as_bytes()), rest).ok_or(Mistake::Character(first)),
        };
        token.map_err(|mistake| (0, mistake))
    }

    fn expected(expected: &str, found: Token<'_>) -> Mistake {
        let found = match found {
            Token::Sign("\n" | ";") => "the end of the statement".into(),
            Token::Number(digits) => format!("`{}`", number(digits).unwrap_or_default()),
            Token::Name(word) | Token::Word(word) | Token::Sign(word) => format!("`{word}`"),
            _ => "the end of the text".into(),
        };
        Mistake::Expected { expected: expected.into(), found }
    }

    fn too_deep() -> Mistake {
        Mistake::Deep(DEPTH)
    }
}

fn sign_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'+' | b'-' | b'&' | b'|' | b'^' | b'=' | b'!' | b'<' | b'>', b'=', ..] => 2,
        [b'-', b'>', ..] | [b'<', b'<', ..] | [b'>', b'>', ..] | [b'&', b'&', ..] | [b'|', b'|', ..] => 2,
        [b'.', b'.', ..] => 2,
        [
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'=' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>',
            ..,
        ] => 1,
        [b'&' | b'|' | b'^' | b'!' | b'~' | b'@' | b',' | b':' | b'.' | b';', ..] => 1,
        _ => 0,
    }
}

/// Words with a meaning, which cannot be names.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "atomic"
            | "plain"
            | "mutex"
            | "const"
            | "order"
            | "thread"
            | "main"
            | "final"
            | "fn"
            | "outcome"
            | "exists"
            | "forall"
            | "never"
            | "allow"
            | "expect"
            | "if"
            | "else"
            | "while"
            | "loop"
            | "for"
            | "in"
            | "step"
            | "break"
            | "continue"
            | "return"
            | "fence"
            | "await"
            | "assume"
            | "assert"
            | "spin"
            | "lock"
            | "unlock"
            | "trylock"
            | "free"
            | "xchg"
            | "cas"
    )
}

/// A number in decimal or, after `0x`, hexadecimal digits; `_` may stand between them.
pub(super) fn number(digits: &str) -> Result<i64, Mistake> {
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
