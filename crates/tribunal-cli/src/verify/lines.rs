//! Verdict lines, in groups that belong to histories that are read together.

use std::io::{self, BufRead, Read};
use tribunal_formats::certificate;

/// So many bytes of lines may wait while others are read.
const GROUP: usize = 1 << 20;

/// The lines of a file of verdicts, and how many histories they have been matched with.
pub struct Lines {
    file: Box<dyn BufRead + Send>,
    /// The greatest length of a line.
    longest: usize,
    /// The number of the line last read.
    number: u64,
    /// A line that speaks of a history further on.
    next: Option<Line>,
    ended: bool,
    histories: u64,
}

/// A line that is not blank.
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// The line, or why it could not be read.
    pub text: Result<String, String>,
}

impl Lines {
    /// The longest line in bytes.
    pub fn new(file: Box<dyn BufRead + Send>, longest: usize) -> Self {
        Lines { file, longest, number: 0, next: None, ended: false, histories: 0 }
    }

    /// The number of the line last read, or at which the file ends.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The model that the first line speaks of, if it is one as `check` prints it.
    pub fn first_model(&mut self) -> Option<&str> {
        const KEY: &str = "\"model\":\"";
        self.next = self.take();
        let text = self.next.as_ref()?.text.as_ref().ok()?;
        let model = &text[text.find(KEY)? + KEY.len()..];
        model.split('"').next()
    }

    /// The number of histories so far.
    pub fn histories(&self) -> u64 {
        self.histories
    }

    /// Passes some histories.
    pub fn pass(&mut self, histories: usize) {
        self.histories += histories as u64;
    }

    /// Whether there is no line left. Nothing is read to know it: that is so after a group that is complete.
    pub fn is_at_end(&self) -> bool {
        self.ended && self.next.is_none()
    }

    /// The next lines that speak of histories before this one, and whether that is all of them: there may be many.
    pub fn group(&mut self, end: u64) -> (Vec<Line>, bool) {
        let (mut group, mut bytes) = (Vec::new(), 0);
        while bytes < GROUP {
            let Some(line) = self.take() else { return (group, true) };
            // A malformed line is reported where it stands.
            if line.index(self.longest).is_some_and(|index| index >= end) {
                self.next = Some(line);
                return (group, true);
            }
            bytes += line.text.as_ref().map_or(0, String::len);
            group.push(line);
        }
        (group, false)
    }

    /// The next line; none at the end. After a line that cannot be read there is none.
    pub fn take(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        while !self.ended {
            let mut text = String::new();
            let read = self.file.by_ref().take((self.longest as u64).saturating_add(1)).read_line(&mut text);
            self.number += 1;
            let problem = match read {
                Ok(0) => {
                    self.ended = true;
                    return None;
                }
                Ok(length) if length > self.longest => {
                    let longest = self.longest;
                    format!("a line of more than {longest} bytes, half of what --max-memory allows")
                }
                Ok(_) if text.trim().is_empty() => continue,
                Ok(_) => return Some(Line { number: self.number, text: Ok(text) }),
                Err(error) => io::Error::to_string(&error),
            };
            self.ended = true;
            return Some(Line { number: self.number, text: Err(problem) });
        }
        None
    }
}

impl Line {
    /// The history that the line speaks of, if it makes sense and takes no more memory than this.
    fn index(&self, max_memory: usize) -> Option<u64> {
        const KEY: &str = "\"index\":";
        let text = self.text.as_ref().ok()?;
        // As `check` prints it, there is no other bracket before; else the line must be understood.
        if let Some(at) = text.find(KEY)
            && text.starts_with('{')
            && !text[1..at].contains(['{', '['])
        {
            let number = &text[at + KEY.len()..];
            let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            if let Ok(index) = number[..digits].parse() {
                return Some(index);
            }
        }
        certificate::parse(text, max_memory).ok()?.get("index")?.as_u64()
    }
}
