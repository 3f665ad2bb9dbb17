//! Writing the text form.

use super::{Event, Header, Origin, WriteError, put, put_times};
use crate::Format;
use crate::read::{KEYWORDS, in_name};
use tribunal_history::memory::Kind;

/// A line is continued up to about this column.
const WIDTH: usize = 100;

/// The history being written.
#[derive(Default)]
pub(super) struct Form {
    /// Whether a history was written before.
    any_history: bool,
    /// Whether this history has a line.
    any_line: bool,
    /// The thread whose line is being written, and the line's length so far.
    thread: String,
    width: usize,
}

impl Form {
    pub(super) fn begin(&mut self, out: &mut Vec<u8>, header: &Header) -> Result<(), WriteError> {
        self.separate(out);
        self.any_line = false;
        self.width = 0;
        if let Some(name) = &header.name {
            if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
                return Err(inexpressible(format!("the name {name:?}: a name is one line")));
            }
            put!(out, "name: {name}\n");
            self.any_line = true;
        }
        self.values(out, "init", &header.init)?;
        self.values(out, "final", &header.finals)?;
        if !header.labels.0.is_empty() {
            out.extend_from_slice(b"expect:");
            for (model, consistent) in &header.labels.0 {
                check_name("model", model)?;
                let answer = match consistent {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "na",
                };
                put!(out, " {model}={answer}");
            }
            out.push(b'\n');
            self.any_line = true;
        }
        Ok(())
    }

    /// Writes what stands between a history and the one before it.
    pub(super) fn separate(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.any_history, true) {
            out.extend_from_slice(b"---\n");
        }
    }

    fn values(&mut self, out: &mut Vec<u8>, key: &str, values: &[(String, u64)]) -> Result<(), WriteError> {
        if values.is_empty() {
            return Ok(());
        }
        put!(out, "{key}:");
        for (loc, value) in values {
            check_name("location", loc)?;
            put!(out, " {loc}={value}");
        }
        out.push(b'\n');
        self.any_line = true;
        Ok(())
    }

    pub(super) fn threads<'a>(
        &mut self,
        out: &mut Vec<u8>,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<(), WriteError> {
        self.end_line(out);
        out.extend_from_slice(b"threads:");
        for name in names {
            check_thread(name)?;
            put!(out, " {name}");
        }
        out.push(b'\n');
        self.any_line = true;
        Ok(())
    }

    pub(super) fn event(
        &mut self,
        out: &mut Vec<u8>,
        thread: &str,
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        let begin = out.len();
        if self.width > 0 && self.width < WIDTH && self.thread == thread {
            out.extend_from_slice(b"; ");
        } else {
            check_thread(thread)?;
            self.end_line(out);
            self.thread.clear();
            self.thread.push_str(thread);
            out.extend_from_slice(thread.as_bytes());
            out.extend_from_slice(b": ");
        }
        out.push(match event.kind {
            Kind::Read => b'R',
            Kind::Write => b'W',
            Kind::Rmw => b'U',
            Kind::Fence => b'F',
        });
        out.extend_from_slice(event.order.suffix().as_bytes());
        if event.kind != Kind::Fence {
            check_name("location", event.loc)?;
            out.push(b' ');
            out.extend_from_slice(event.loc.as_bytes());
            if event.kind == Kind::Rmw {
                put!(out, " {}>{}", event.read, event.value);
            } else {
                put!(out, " {}", event.value);
            }
        }
        match event.from {
            None => {}
            Some(Origin::Init) => out.extend_from_slice(b" from init"),
            Some(Origin::At { thread, index }) => {
                check_thread(thread)?;
                put!(out, " from {thread}:{index}");
            }
        }
        for (i, dep) in event.deps.iter().enumerate() {
            out.extend_from_slice(if i == 0 { b" dep " } else { b"," });
            put!(out, "{dep}");
        }
        put_times(out, event.interval);
        self.width += out.len() - begin;
        self.any_line = true;
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.end_line(out);
        // A history without a line would not be one.
        if !self.any_line {
            out.extend_from_slice(b"name:\n");
        }
    }

    fn end_line(&mut self, out: &mut Vec<u8>) {
        if self.width > 0 {
            out.push(b'\n');
        }
        self.width = 0;
    }
}

fn check_name(what: &str, name: &str) -> Result<(), WriteError> {
    // A reader takes control characters beyond ASCII, which nobody means; a terminal may act on them.
    if !name.is_empty() && name.bytes().all(in_name) && (name.is_ascii() || !name.contains(char::is_control))
    {
        return Ok(());
    }
    Err(inexpressible(format!(
        "{what} {name:?}: a name has no blanks, no control characters and none of `:;#=,`"
    )))
}

fn check_thread(name: &str) -> Result<(), WriteError> {
    if KEYWORDS.contains(&name) {
        return Err(inexpressible(format!("thread {name:?}: the name is a keyword")));
    }
    check_name("thread", name)
}

#[cold]
fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible { format: Format::Text, what }
}
