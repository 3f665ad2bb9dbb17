//! Recognizing a format by its content.

use super::buffer::Buffer;
use super::jepsen::log::is_level;
use super::transactions::{cobra, dbcop};
use crate::error::quote;
use crate::{Error, ErrorKind, Format};

/// The length of a line that is needed to tell the formats apart.
const ENOUGH: usize = 4096;

/// An error if text of 16 bits a letter is ahead, with its mark or without.
pub(super) fn refuse_utf16(buffer: &mut Buffer) -> Result<(), Error> {
    let begins = |ahead: &[u8]| {
        matches!(ahead, [] | [_] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, ..] | [0, _, ..])
    };
    while buffer.ahead().len() < 6 && begins(buffer.ahead()) && buffer.more()? {}
    let letter = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let utf16 = match *buffer.ahead() {
        [0xff, 0xfe, a, 0, ..] | [0xfe, 0xff, 0, a, ..] => letter(a),
        [a, 0, b, 0, c, 0, ..] | [0, a, 0, b, 0, c, ..] => [a, b, c].into_iter().all(letter),
        _ => false,
    };
    if utf16 { Err(Error::of_input(buffer.name(), ErrorKind::Utf16)) } else { Ok(()) }
}

/// The format of what is ahead in the buffer, of which nothing is consumed: what the first line looks like that is
/// neither blank nor a comment.
pub(super) fn format_of(buffer: &mut Buffer) -> Result<Format, Error> {
    let mut ended = false;
    loop {
        if buffer.ahead().trim_ascii_start().starts_with(b"#jepsen.") {
            return Ok(Format::Edn);
        }
        if let Some(format) = format_of_binary(buffer.ahead()) {
            return Ok(format);
        }
        let content = content(buffer.ahead());
        let line_end = memchr::memchr(b'\n', content);
        if let Some(format) = format_of_bracket(content) {
            return Ok(format);
        }
        if line_end.is_some() || ended || content.len() >= ENOUGH {
            let line = &content[..line_end.unwrap_or(content.len())];
            return match format_of_line(line.trim_ascii()) {
                Some(format) => Ok(format),
                None if content.is_empty() => Err(Error::of_input(buffer.name(), ErrorKind::Empty)),
                None => {
                    let before = &buffer.ahead()[..buffer.ahead().len() - content.len()];
                    let lines = memchr::memchr_iter(b'\n', before).count() as u64;
                    let kind = if is_litmus(line) {
                        ErrorKind::Litmus
                    } else {
                        ErrorKind::UnknownFormat { found: quote(line) }
                    };
                    Err(Error::at(buffer.name(), 1 + lines, None, kind))
                }
            };
        }
        ended = !buffer.more()?;
    }
}

/// Whether this is the first line of a litmus test: an architecture and a name.
pub fn is_litmus(line: &[u8]) -> bool {
    const ARCHITECTURES: [&[u8]; 10] =
        [b"C", b"X86", b"X86_64", b"AArch64", b"ARM", b"PPC", b"RISCV", b"MIPS", b"BPF", b"LISA"];
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| ARCHITECTURES.contains(&word)) && words.next().is_some()
}

/// What is binary: a number of eight bytes, whose high ones are zero, begins dbcop's bincode, and stands after the first letter of
/// Cobra's logs. Text in any encoding has no four zeros in a row, nor two after a letter.
fn format_of_binary(ahead: &[u8]) -> Option<Format> {
    match ahead {
        [b'S', 0, 0, ..] => Some(Format::Cobra),
        [_, _, _, _, 0, 0, 0, 0, ..] => Some(Format::Dbcop),
        _ => None,
    }
}

/// Whether a log of Cobra's is ahead.
pub(super) fn is_cobra(buffer: &mut Buffer) -> Result<bool, Error> {
    while buffer.ahead().len() < 2 && buffer.more()? {}
    Ok(cobra::is_log(buffer.ahead()))
}

/// Whether JSON is ahead, where it may also be dbcop's bincode or its text form: `[x:=1]`.
pub(super) fn is_json(buffer: &mut Buffer) -> Result<bool, Error> {
    if dbcop::is_bincode(buffer)? {
        return Ok(false);
    }
    loop {
        let mut bytes = buffer.ahead().iter().copied().filter(|byte| !byte.is_ascii_whitespace());
        let head = (bytes.next(), bytes.next());
        match head {
            (Some(b'{'), _) | (Some(b'['), Some(b'[')) => return Ok(true),
            (None, _) | (Some(b'['), None) if buffer.more()? => {}
            _ => return Ok(false),
        }
    }
}

/// Whether what is ahead begins, after brackets, with a quoted key and a colon, as JSON does and EDN does not.
pub(super) fn has_json_key(buffer: &mut Buffer) -> Result<bool, Error> {
    loop {
        let ahead = buffer.ahead();
        let bracket = |b: &&u8| matches!(b, b'[' | b'{') || b.is_ascii_whitespace();
        let inside = &ahead[ahead.iter().take_while(bracket).count()..];
        let after = match inside {
            [b'"', key @ ..] => memchr::memchr(b'"', key).map(|end| key[end + 1..].trim_ascii_start()),
            [] => None,
            _ => return Ok(false),
        };
        match after {
            Some([first, ..]) => return Ok(*first == b':'),
            _ if ahead.len() >= ENOUGH => return Ok(false),
            _ => {}
        }
        if !buffer.more()? {
            return Ok(false);
        }
    }
}

/// The bytes after blank lines and comments; nothing if the last comment has no end yet.
fn content(mut bytes: &[u8]) -> &[u8] {
    loop {
        bytes = bytes.trim_ascii_start();
        if bytes.first() != Some(&b'#') {
            return bytes;
        }
        bytes = &bytes[memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())..];
    }
}

/// JSON or EDN, which both begin with a bracket; nothing if it is neither or what tells them apart is not there yet.
fn format_of_bracket(content: &[u8]) -> Option<Format> {
    match content.first()? {
        b'(' | b';' => return Some(Format::Edn),
        b'[' | b'{' => {}
        _ => return None,
    }
    let inside = content.iter().find(|b| !matches!(b, b'[' | b'{' | b',') && !b.is_ascii_whitespace())?;
    // A variable of dbcop's: `[x:=1]`.
    if content.first() == Some(&b'[') && (inside.is_ascii_alphabetic() || *inside == b'_') {
        return Some(Format::Dbcop);
    }
    Some(if matches!(inside, b':' | b';' | b'#') { Format::Edn } else { Format::Json })
}

fn format_of_line(line: &[u8]) -> Option<Format> {
    if line.iter().any(|&b| b < b' ' && b != b'\t') {
        return None;
    }
    if line.len() >= 3 && line.iter().all(|&b| b == b'-') {
        return Some(Format::Text);
    }
    let keyword = |word: &[u8]| {
        line.strip_prefix(word)
            .is_some_and(|rest| matches!(rest.trim_ascii_start().first(), None | Some(b'#' | b'M' | b'v')))
    };
    let number = |word: Option<&[u8]>| {
        word.is_some_and(|word| {
            let digits = word.strip_prefix(b"-").unwrap_or(word);
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        })
    };
    if let [b'r' | b'w', rest @ ..] = line {
        let inside = rest.trim_ascii_start().strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
        if inside
            .is_some_and(|inside| inside.split(|&b| b == b',').all(|word| number(Some(word.trim_ascii()))))
        {
            return Some(Format::Plume);
        }
        let mut words = rest.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
        if rest.first().is_some_and(u8::is_ascii_whitespace)
            && number(words.next())
            && number(words.next())
            && words.next().is_none()
        {
            return Some(Format::Awdit);
        }
    }
    if line.len() >= 3 && line.iter().all(|&b| b == b'=') {
        return Some(Format::Awdit);
    }
    if line.starts_with(b"//") {
        return Some(Format::Dbcop);
    }
    if keyword(b"check") || keyword(b"final") {
        return Some(Format::Axe);
    }
    let mut words = line.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let process = words.next();
    if (number(process) || process.is_some_and(|word| word.starts_with(b":")))
        && words.next().is_some_and(|word| matches!(word, b":invoke" | b":ok" | b":fail" | b":info"))
    {
        return Some(Format::Jepsen);
    }
    let (level, rest) = line.split_at(line.iter().position(|&b| b == b' ' || b == b'\t').unwrap_or(0));
    if is_level(level) && memchr::memmem::find(rest, b" - ").is_some() {
        return Some(Format::Jepsen);
    }
    let colon = memchr::memchr(b':', line)?;
    let (head, tail) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
    let axe_operation = matches!(tail, [b'M', b'[' | b' ', ..] | [b'v', b'0'..=b'9', ..] | [b'<' | b'{', ..])
        || tail.starts_with(b"sync");
    if head.iter().all(u8::is_ascii_digit) && axe_operation {
        return Some(Format::Axe);
    }
    let name =
        !head.is_empty() && head.iter().all(|&b| super::in_name(b)) && std::str::from_utf8(head).is_ok();
    name.then_some(Format::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_told_apart() {
        for text in
            ["{:process 0}", "[{:type :ok}", "(", "; a comment", "[ ; a comment", "[#jepsen.history.Op{"]
        {
            assert_eq!(format_of_bracket(text.as_bytes()), Some(Format::Edn), "{text}");
        }
        for text in ["{\"kind\":", "[\n {\"type\"", "{}", "[]"] {
            assert_eq!(format_of_bracket(text.as_bytes()), Some(Format::Json), "{text}");
        }
        for text in ["[", "{ ", "0: sync", ""] {
            assert_eq!(format_of_bracket(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn lines_are_told_apart() {
        let axe = [
            "0: M[1] := 1",
            "3 : v0 == 2 @ 1:2",
            "0: sync",
            "1: { M[0] == 0; M[0] := 1 }",
            "check",
            "final M[0] == 1",
        ];
        for line in axe {
            assert_eq!(format_of_line(line.as_bytes()), Some(Format::Axe), "{line}");
        }
        for line in ["T0: W x 1", "0: W x 1", "name: SB", "init: x=1", "---", "P:", "final: x=2"] {
            assert_eq!(format_of_line(line.as_bytes()), Some(Format::Text), "{line}");
        }
        for line in [
            "INFO  jepsen.util - 0\t:invoke\t:read\tnil",
            "WARN other.logger - hello: world",
            "0\t:invoke\t:txn\t[[:r 1 nil]]",
            ":nemesis :info :start nil",
        ] {
            assert_eq!(format_of_line(line.as_bytes()), Some(Format::Jepsen), "{line}");
        }
        for line in ["w(0,1,1,1)", "r ( -1, 2,3 ,4)"] {
            assert_eq!(format_of_line(line.as_bytes()), Some(Format::Plume), "{line}");
        }
        for line in ["w 0 1", "r\t3  -4", "====="] {
            assert_eq!(format_of_line(line.as_bytes()), Some(Format::Awdit), "{line}");
        }
        for line in ["r 0 x", "w 0 1 2", "w(x,1,1,1)"] {
            assert_eq!(format_of_line(line.as_bytes()), None, "{line}");
        }
        for line in ["hello world", "\u{1}\u{2}:", "", "a b: c", "<xml>"] {
            assert_eq!(format_of_line(line.as_bytes()), None, "{line}");
        }
    }
}
