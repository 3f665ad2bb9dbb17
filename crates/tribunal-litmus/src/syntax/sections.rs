//! The places where a test's sections begin and end.

use super::lexer::{c_comment, comment};
use crate::error::Fault;
use tribunal_cat::text::Position;

/// The sections of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sections<'a> {
    pub arch: &'a str,
    pub name: &'a str,
    /// What is between the braces of the initial state.
    pub init: (&'a str, Position),
    pub program: (&'a str, Position),
    /// From the first word of what is asked on; perhaps nothing.
    pub question: (&'a str, Position),
}

const QUESTIONS: [&str; 8] =
    ["locations", "filter", "exists", "forall", "final", "observed", "Observed", "cases"];

/// Splits a test.
pub(crate) fn sections(text: &str) -> Result<Sections<'_>, Fault> {
    let start = header_start(text);
    let header = text[start..].lines().next().unwrap_or_default();
    let (arch, name) = header.trim().split_once(char::is_whitespace).unwrap_or((header.trim(), ""));
    if arch.is_empty() {
        return Err(Fault::new(
            Position::START,
            "a line with the architecture and the test's name was expected, not the end",
        ));
    }
    let name = name.trim();
    let name = name.strip_suffix(".litmus").unwrap_or(name);
    let after_header = start + header.len();
    // What is before the initial state is any text, so a comment in it need not end.
    let unclosed = || text[after_header..].find('{').map(|index| after_header + index);
    let open = find(text, after_header, b'{').or_else(unclosed).ok_or_else(|| {
        Fault::new(at(text, after_header), "an initial state in braces was expected, not the end")
    })?;
    let close = closing(text, open).ok_or_else(|| Fault::new(at(text, open), "this `{` is not closed"))?;
    let question = if arch == "C" { after_c(text, close + 1) } else { after_columns(text, close + 1) };
    let section = |from: usize, to: usize| (&text[from..to], at(text, from));
    Ok(Sections {
        arch,
        name,
        init: section(open + 1, close),
        program: section(close + 1, question),
        question: section(question, text.len()),
    })
}

fn at(text: &str, index: usize) -> Position {
    Position::START.after(&text[..index])
}

fn header_start(text: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &text[start..];
        start += rest.len() - rest.trim_start().len();
        match comment(&text[start..]) {
            0 => return start,
            length => start += length,
        }
    }
}

/// The next such byte outside comments and quotes.
fn find(text: &str, from: usize, byte: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut i = from;
    while i < bytes.len() {
        i += match bytes[i] {
            b if b == byte => return Some(i),
            b'(' => comment(&text[i..]).max(1),
            b'"' => text[i + 1..].find('"').map_or(1, |end| end + 2),
            _ => 1,
        };
    }
    None
}

/// The brace that closes the one at an index.
fn closing(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut i, mut depth) = (open, 0usize);
    while i < bytes.len() {
        match bytes[i] {
            b'(' => {
                i += comment(&text[i..]).max(1);
                continue;
            }
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

fn asks(rest: &str) -> bool {
    let rest = rest.strip_prefix('~').map_or(rest, str::trim_start);
    if rest.starts_with("scopes:") {
        return true;
    }
    QUESTIONS.iter().any(|word| {
        rest.strip_prefix(word).is_some_and(|after| {
            !after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'))
        })
    })
}

/// Rows end with `;`: the question begins where a row would, but a word of questions or a parenthesis stands.
fn after_columns(text: &str, from: usize) -> usize {
    let mut row = from;
    loop {
        let rest = &text[row..];
        row += rest.len() - rest.trim_start().len();
        if text[row..].is_empty() {
            return row;
        }
        let length = comment(&text[row..]);
        if length > 0 {
            row += length;
            continue;
        }
        if asks(&text[row..]) || text[row..].starts_with('(') {
            return row;
        }
        match find(text, row, b';') {
            Some(end) => row = end + 1,
            None => return text.len(),
        }
    }
}

/// The question begins with its word, outside all braces.
fn after_c(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut i, mut depth) = (from, 0usize);
    let mut at_word = true;
    while i < bytes.len() {
        let length = c_comment(&text[i..]);
        if length > 0 {
            i += length;
            at_word = true;
            continue;
        }
        if depth == 0 && at_word && (bytes[i] == b'~' || bytes[i].is_ascii_alphabetic()) && asks(&text[i..]) {
            return i;
        }
        match bytes[i] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at_word = !(bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_');
        i += 1;
        while !text.is_char_boundary(i) {
            i += 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_split() {
        let text = "X86 SB.litmus\n\"Fre {PodWR}\"\nCycle=Fre\n{ x=0; a={1,2}; (* } *) }\n P0 | P1 ;\n MOV [x],$1 | MFENCE ;\n(* ; *)\nexists (x=1)";
        let split = sections(text).expect("a test");
        assert_eq!((split.arch, split.name), ("X86", "SB"));
        assert_eq!(split.init.0, " x=0; a={1,2}; (* } *) ");
        assert_eq!(split.program.1, Position { line: 4, column: 26 });
        assert_eq!(split.question, ("exists (x=1)", Position { line: 8, column: 1 }));
    }

    #[test]
    fn questions_may_be_missing_and_c_has_words_of_its_own() {
        let text = "C t\n{}\nP0 (int* x) { int exists = 1; /* forall */ }\n~exists (0:r=1)";
        let split = sections(text).expect("a test");
        assert_eq!(split.question.0, "~exists (0:r=1)");
        assert_eq!(sections("X86 t\n{}\nP0;\nMFENCE;\n").expect("a test").question.0, "");
    }
}
