//! Writing Axe traces.

use super::{Event, Header, WriteError, put, put_times};
use crate::Format;
use rustc_hash::FxHashMap;
use tribunal_history::memory::{Kind, Order};

/// The trace being written.
pub(super) struct Form {
    threads: Numbers,
    locs: Numbers,
    /// The locations' numbers and final values.
    finals: Vec<(u64, u64)>,
}

impl Default for Form {
    fn default() -> Self {
        Form {
            threads: Numbers::new("thread", thread_number),
            locs: Numbers::new("location", location_number),
            finals: Vec::new(),
        }
    }
}

impl Form {
    pub(super) fn begin(&mut self, out: &mut Vec<u8>, header: &Header) -> Result<(), WriteError> {
        *self = Form::default();
        for (loc, value) in &header.init {
            if *value != 0 {
                return Err(inexpressible(format!(
                    "the initial value {value} of `{loc}`: initial values are 0"
                )));
            }
        }
        if let Some(name) = &header.name {
            if name.trim_start_matches('#').trim() != name
                || name.is_empty()
                || name.contains(char::is_control)
            {
                return Err(inexpressible(format!("the name {name:?}: a name is a comment of one line")));
            }
            put!(out, "# {name}\n");
        }
        for (loc, value) in &header.finals {
            self.finals.push((self.locs.of(loc)?, *value));
        }
        Ok(())
    }

    pub(super) fn event(
        &mut self,
        out: &mut Vec<u8>,
        thread: &str,
        event: &Event<'_>,
    ) -> Result<(), WriteError> {
        if event.from.is_some() {
            return Err(inexpressible("which write a read reads from: values must be unique".to_string()));
        }
        if !event.deps.is_empty() {
            return Err(inexpressible("dependencies".to_string()));
        }
        if event.kind == Kind::Fence && event.order != Order::SeqCst {
            let order = event.order.name();
            return Err(inexpressible(format!("a fence of order {order}: `sync` is seq_cst")));
        }
        let thread = self.threads.of(thread)?;
        let (value, read) = (event.value, event.read);
        if event.kind == Kind::Fence {
            put!(out, "{thread}: sync");
        } else {
            let loc = self.locs.of(event.loc)?;
            match event.kind {
                Kind::Read => put!(out, "{thread}: M[{loc}] == {value}"),
                Kind::Write => put!(out, "{thread}: M[{loc}] := {value}"),
                _ => put!(out, "{thread}: {{ M[{loc}] == {read}; M[{loc}] := {value} }}"),
            }
        }
        put_times(out, event.interval);
        out.push(b'\n');
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        for (loc, value) in &self.finals {
            put!(out, "final M[{loc}] == {value}\n");
        }
        out.extend_from_slice(b"check\n");
    }
}

#[cold]
fn inexpressible(what: String) -> WriteError {
    WriteError::Inexpressible { format: Format::Axe, what }
}

/// The numbers of things that have names elsewhere. A name that looks like a number is that number; other names are
/// numbered in the order of their first use. A history that has both kinds of names is not expressible: numbers
/// chosen could be taken later.
struct Numbers {
    what: &'static str,
    written: fn(&str) -> Option<u64>,
    by_name: FxHashMap<Box<str>, u64>,
    names: FxHashMap<u64, Box<str>>,
    /// Whether the names look like numbers; unknown before the first.
    numeric: Option<bool>,
}

impl Numbers {
    fn new(what: &'static str, written: fn(&str) -> Option<u64>) -> Self {
        Numbers { what, written, by_name: FxHashMap::default(), names: FxHashMap::default(), numeric: None }
    }

    fn of(&mut self, name: &str) -> Result<u64, WriteError> {
        if let Some(&number) = self.by_name.get(name) {
            return Ok(number);
        }
        let written = (self.written)(name);
        if *self.numeric.get_or_insert(written.is_some()) != written.is_some() {
            let what = self.what;
            return Err(inexpressible(format!(
                "{what} `{name}` beside {what}s of the other sort: all names or no name must be numbers"
            )));
        }
        let number = written.unwrap_or(self.by_name.len() as u64);
        if let Some(other) = self.names.insert(number, name.into()) {
            let what = self.what;
            return Err(inexpressible(format!(
                "both {what} `{other}` and {what} `{name}`, which have one number"
            )));
        }
        self.by_name.insert(name.into(), number);
        Ok(number)
    }
}

/// The number that a location's name stands for: `3`, `v3` or `M[3]`.
fn location_number(name: &str) -> Option<u64> {
    let inner = name.strip_prefix("M[").and_then(|rest| rest.strip_suffix(']'));
    digits(inner.or_else(|| name.strip_prefix('v')).unwrap_or(name))
}

/// The number that a thread's name stands for: `3`, `T3` or `P3`.
fn thread_number(name: &str) -> Option<u64> {
    digits(name.strip_prefix(['T', 'P']).unwrap_or(name))
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
