//! Writing native JSON: one line per history.

use super::{Event, Header, Origin, WriteError, put};
use crate::Labels;
use rustc_hash::FxHashMap;
use tribunal_history::memory::{Kind, Order};

/// The history being written.
#[derive(Default)]
pub(super) struct Form {
    names: Vec<Box<str>>,
    positions: FxHashMap<Box<str>, usize>,
    /// Number of threads begun; the last of them is still open.
    begun: usize,
    /// Whether the open thread has an event.
    any: bool,
}

impl Form {
    pub(super) fn begin(&mut self, out: &mut Vec<u8>, header: &Header) {
        *self = Form::default();
        out.extend_from_slice(b"{\"kind\":\"memory\"");
        if let Some(name) = &header.name {
            out.extend_from_slice(b",\"name\":");
            put_string(out, name);
        }
        put_values(out, "init", &header.init);
        put_values(out, "final", &header.finals);
        put_labels(out, &header.labels);
        out.extend_from_slice(b",\"threads\":[");
    }

    pub(super) fn threads<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        for name in names {
            self.position(name);
        }
    }

    pub(super) fn event(
        &mut self,
        out: &mut Vec<u8>,
        thread: &str,
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        if self.begun == 0 || *self.names[self.begun - 1] != *thread {
            let position = self.position(thread);
            if position < self.begun {
                return Err(WriteError::Interleaved { thread: thread.to_string() });
            }
            self.begin_threads(out, position + 1);
        }
        let from = match event.from {
            Some(Origin::At { thread, index }) => match self.positions.get(thread) {
                Some(&position) => Some((position, index)),
                None => return Err(WriteError::UndeclaredThread { thread: thread.to_string() }),
            },
            _ => None,
        };

        put_comma(out, usize::from(std::mem::replace(&mut self.any, true)));
        out.extend_from_slice(match event.kind {
            Kind::Read => b"{\"op\":\"read\"".as_slice(),
            Kind::Write => b"{\"op\":\"write\"",
            Kind::Rmw => b"{\"op\":\"rmw\"",
            Kind::Fence => b"{\"op\":\"fence\"",
        });
        if event.kind != Kind::Fence {
            out.extend_from_slice(b",\"loc\":");
            put_string(out, event.loc);
            if event.kind == Kind::Rmw {
                put!(out, ",\"read\":{}", event.read);
            }
            put!(out, ",\"value\":{}", event.value);
        }
        if event.order != Order::Relaxed || event.kind == Kind::Fence {
            put!(out, ",\"order\":\"{}\"", event.order.name());
        }
        if event.from == Some(Origin::Init) {
            out.extend_from_slice(b",\"from\":\"init\"");
        } else if let Some((position, index)) = from {
            put!(out, ",\"from\":[{position},{index}]");
        }
        if !event.deps.is_empty() {
            out.extend_from_slice(b",\"deps\":[");
            for (i, dep) in event.deps.iter().enumerate() {
                put_comma(out, i);
                put!(out, "{dep}");
            }
            out.push(b']');
        }
        if let Some(begin) = event.interval.begin {
            put!(out, ",\"begin\":{begin}");
        }
        if let Some(end) = event.interval.end {
            put!(out, ",\"end\":{end}");
        }
        out.push(b'}');
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.begin_threads(out, self.names.len());
        if self.begun > 0 {
            out.extend_from_slice(b"]}");
        }
        out.extend_from_slice(b"]}\n");
    }

    /// The position of a thread, new or not.
    fn position(&mut self, name: &str) -> usize {
        if let Some(&position) = self.positions.get(name) {
            return position;
        }
        self.names.push(name.into());
        self.positions.insert(name.into(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Begins threads until so many are begun; all but the last are without events.
    fn begin_threads(&mut self, out: &mut Vec<u8>, until: usize) {
        while self.begun < until {
            out.extend_from_slice(if self.begun > 0 { b"]},{" } else { b"{" });
            let name = &*self.names[self.begun];
            // The reader gives this name to a thread without one.
            if *name != *format!("T{}", self.begun) {
                out.extend_from_slice(b"\"name\":");
                put_string(out, name);
                out.push(b',');
            }
            out.extend_from_slice(b"\"events\":[");
            self.begun += 1;
            self.any = false;
        }
    }
}

fn put_values(out: &mut Vec<u8>, key: &str, values: &[(String, u64)]) {
    if values.is_empty() {
        return;
    }
    put!(out, ",\"{key}\":{{");
    for (i, (loc, value)) in values.iter().enumerate() {
        put_comma(out, i);
        put_string(out, loc);
        put!(out, ":{value}");
    }
    out.push(b'}');
}

/// Writes the right verdicts, if there are any.
pub(super) fn put_labels(out: &mut Vec<u8>, labels: &Labels) {
    if labels.0.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"verdicts\":{");
    for (i, (model, consistent)) in labels.0.iter().enumerate() {
        put_comma(out, i);
        put_string(out, model);
        match consistent {
            Some(consistent) => put!(out, ":{consistent}"),
            None => out.extend_from_slice(b":null"),
        }
    }
    out.push(b'}');
}

pub(super) fn put_comma(out: &mut Vec<u8>, items_before: usize) {
    if items_before > 0 {
        out.push(b',');
    }
}

/// A string, as JSON and EDN have it.
pub(super) fn put_string(out: &mut Vec<u8>, string: &str) {
    out.push(b'"');
    if string.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        out.extend_from_slice(string.as_bytes());
        out.push(b'"');
        return;
    }
    for c in string.chars() {
        match c {
            '"' | '\\' => out.extend_from_slice(&[b'\\', c as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            // All of them below U+0100; a terminal must not act on what it is shown.
            c if c.is_control() => put!(out, "\\u{:04x}", u32::from(c)),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}
