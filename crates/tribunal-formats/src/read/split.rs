//! Cutting an input into pieces of whole histories, which can then be read side by side.

use super::buffer::Buffer;
use super::cursor::in_name;
use crate::Format;
use memchr::{memchr, memmem, memrchr};

/// A batch is cut at the first end of a history from here on.
const BATCH: usize = 64 << 10;
/// A longer history is read as it comes.
pub(super) const LARGE: usize = 1 << 20;

/// Finds the ends of histories ahead of a buffer's position. Every byte is looked at once, however slowly they come.
pub(super) struct Splitter {
    format: Format,
    /// Whether what is malformed must end before the next history begins.
    keep_going: bool,
    /// The number of bytes that it has looked at, from the position on.
    scanned: usize,
    /// The ends found, from the position on.
    ends: Vec<usize>,
    json: Brackets,
}

impl Splitter {
    pub(super) fn new(format: Format, keep_going: bool) -> Self {
        Splitter { format, keep_going, scanned: 0, ends: Vec::new(), json: Brackets::default() }
    }

    /// The ends of the histories that the next batch holds, one at least; none if the next history is large, if the input
    /// breaks off before its end, or if there is nothing left. Waits for input only while not a single history is there.
    pub(super) fn ends(&mut self, buffer: &mut Buffer) -> Vec<usize> {
        loop {
            let ahead = buffer.ahead();
            match self.format {
                Format::Json => self.scan_json(ahead),
                _ => self.scan_lines(ahead),
            }
            if !self.ends.is_empty() {
                break;
            }
            let there = ahead.len();
            if there >= LARGE {
                break;
            }
            if !buffer.fill() {
                if buffer.is_at_end() && there > 0 {
                    self.ends.push(there);
                }
                break;
            }
        }
        let mut ends = std::mem::take(&mut self.ends);
        // What begins after the last end is looked at again.
        (self.scanned, self.json) = Default::default();
        if ends.first().is_some_and(|&end| end > LARGE) {
            ends.clear();
        }
        ends
    }

    /// Looks for lines that end a trace or a history of the text form.
    fn scan_lines(&mut self, ahead: &[u8]) {
        let word: &[u8] = if self.format == Format::Axe { b"check" } else { b"---" };
        for found in memmem::find_iter(&ahead[self.scanned..], word) {
            let at = self.scanned + found;
            let line = memrchr(b'\n', &ahead[..at]).map_or(0, |end| end + 1);
            if self.ends.last().is_some_and(|&end| line < end) {
                continue;
            }
            // A line that is not all there is looked at again.
            let Some(length) = memchr(b'\n', &ahead[at..]) else { break };
            if ends_history(self.format, &ahead[line..at + length]) {
                let end = at + length + 1;
                self.ends.push(end);
                if end >= BATCH {
                    return;
                }
            }
        }
        self.scanned = memrchr(b'\n', ahead).map_or(0, |end| end + 1);
    }

    /// Looks for lines at whose end no bracket is open.
    fn scan_json(&mut self, ahead: &[u8]) {
        while self.scanned < ahead.len() {
            let rest = &ahead[self.scanned..];
            let line_end = memchr(b'\n', rest);
            if self.keep_going && self.json.open > 0 && self.begins_line(ahead) && rest[0] == b'{' {
                let Some(line_end) = line_end else { return };
                if begins_document(&rest[..line_end]) {
                    self.ends.push(self.scanned);
                    self.json = Brackets::default();
                }
            }
            let length = line_end.map_or(rest.len(), |end| end + 1);
            self.json.pass(&rest[..length]);
            self.scanned += length;
            if line_end.is_some() {
                // No string goes on in the next line.
                (self.json.quoted, self.json.escaped) = (false, false);
            }
            if self.json.content && self.json.open <= 0 && !self.json.quoted {
                self.ends.push(self.scanned);
                self.json = Brackets::default();
                if self.scanned >= BATCH {
                    return;
                }
            }
        }
    }

    fn begins_line(&self, ahead: &[u8]) -> bool {
        self.scanned == 0 || ahead[self.scanned - 1] == b'\n'
    }
}

/// Whether a line ends a history, for the formats of lines.
pub(super) fn ends_history(format: Format, line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match format {
        Format::Axe => {
            line.strip_prefix(b"check").is_some_and(|rest| !rest.first().is_some_and(|&b| in_name(b)))
        }
        _ => {
            let rest = &line[line.iter().take_while(|&&b| b == b'-').count()..];
            line.starts_with(b"---") && matches!(rest.trim_ascii_start().first(), None | Some(b'#'))
        }
    }
}

/// Whether a line looks like the first of a history in JSON, whatever comes before it.
pub(super) fn begins_document(line: &[u8]) -> bool {
    line.first() == Some(&b'{') && (line.trim_ascii() == b"{" || memmem::find(line, b"\"kind\"").is_some())
}

/// The brackets of JSON that are open.
#[derive(Default)]
struct Brackets {
    open: i64,
    /// Whether a string is.
    quoted: bool,
    /// Whether a backslash was the last byte.
    escaped: bool,
    /// Whether there was anything but white space.
    content: bool,
}

impl Brackets {
    fn pass(&mut self, bytes: &[u8]) {
        self.content = self.content || bytes.iter().any(|b| !b.is_ascii_whitespace());
        if self.escaped || memchr(b'\\', bytes).is_some() {
            return self.pass_slowly(bytes);
        }
        const WORD: usize = size_of::<u64>();
        let mut words = bytes.chunks_exact(WORD);
        for word in &mut words {
            self.pass_word(u64::from_le_bytes(word.try_into().expect("a chunk of that length")));
        }
        self.pass_slowly(words.remainder());
    }

    /// Eight bytes at once, none of which is a backslash.
    #[inline(always)]
    fn pass_word(&mut self, word: u64) {
        const ONES: u64 = u64::MAX / 255;
        // The lowest bit of each byte that equals this one.
        let equal = |word: u64, byte: u8| {
            let other = word ^ (ONES * u64::from(byte));
            let low = (other & (ONES * 0x7f)) + ONES * 0x7f;
            !(low | other) >> 7 & ONES
        };
        // The sum of the quotes up to each byte is odd where a string is open.
        let quotes = equal(word, b'"').wrapping_mul(ONES) ^ if self.quoted { ONES } else { 0 };
        let outside = !quotes & ONES;
        // Round brackets differ from square ones by this bit alone.
        let folded = word & !(ONES * 0x20);
        let opened = (equal(folded, b'[') & outside).count_ones();
        let closed = (equal(folded, b']') & outside).count_ones();
        self.open += i64::from(opened) - i64::from(closed);
        self.quoted = quotes >> 56 & 1 == 1;
    }

    fn pass_slowly(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                b'{' | b'[' if !self.quoted => self.open += 1,
                b'}' | b']' if !self.quoted => self.open -= 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_counted_alike_by_words_and_by_bytes() {
        let mut random = tribunal_random::Random::new(7);
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| *b"{}[]\"az;=\xfb\x3b \x1b".get(random.index(13)).expect("in range"))
                .collect();
            let (mut fast, mut slow) = (Brackets::default(), Brackets::default());
            fast.pass(&bytes);
            slow.pass_slowly(&bytes);
            assert_eq!((fast.open, fast.quoted), (slow.open, slow.quoted), "{bytes:?}");
        }
    }

    #[test]
    fn lines_that_end_histories() {
        for line in ["check", "  check # all", "check\r", "check :"] {
            assert!(ends_history(Format::Axe, line.as_bytes()), "{line}");
        }
        for line in ["checks", "# check", "0: check"] {
            assert!(!ends_history(Format::Axe, line.as_bytes()), "{line}");
        }
        for line in ["---", " ----- ", "--- # next", "---\r"] {
            assert!(ends_history(Format::Text, line.as_bytes()), "{line}");
        }
        for line in ["--", "--- a", "---: W x 1", "T0: W --- 1"] {
            assert!(!ends_history(Format::Text, line.as_bytes()), "{line}");
        }
    }
}
