//! A digest of a history: of what it says, whatever format says it.

use crate::write::{finals, pairs};
use crate::{Object, Subject};
use sha2::{Digest, Sha256};
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::object::{Event, Value};
use tribunal_history::transactions;
use tribunal_history::transactions::{Op, SessionId, Span, Status};

/// The digest that certificates of a history carry: `sha256-` and 64 hexadecimal digits.
///
/// Names of histories, expected verdicts, specifications and lines are no part of it. Times of operations and transactions count by their
/// order alone.
///
/// ```
/// use tribunal_formats::{certificate::digest, read};
/// let of = |text: &'static str, name| -> Result<_, tribunal_formats::Error> {
///     Ok(digest(&read(text.as_bytes(), name, None)?.next().expect("a history")?.subject))
/// };
/// let axe = of("0: M[0] := 1\n1: M[0] == 1\n", "a.axe")?;
/// let json = r#"{"name":"b","threads":[{"name":"0","events":[{"op":"write","loc":"M[0]","value":1}]},
///     {"name":"1","events":[{"value":1,"loc":"M[0]","op":"read","from":[0,0]}]}]}"#;
/// assert_eq!(axe, of(json, "b.json")?);
/// assert_ne!(axe, of("0: M[0] := 1\n1: M[0] == 0\n", "a.axe")?);
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn digest(subject: &Subject) -> String {
    let mut form = Form(Sha256::new());
    match subject {
        Subject::Memory(execution) => form.memory(execution),
        Subject::Object(object) => form.object(object),
        Subject::Transactions(transactions) => form.transactions(&transactions.history),
    }
    let mut text = String::from("sha256-");
    for byte in form.0.finalize() {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).expect("a hexadecimal digit"));
        }
    }
    text
}

/// The canonical form of a history, fed to the hash: texts with their lengths, numbers of 16 bytes, everything with a tag.
struct Form(Sha256);

impl Form {
    fn text(&mut self, text: &str) {
        self.0.update([b't']);
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn number(&mut self, number: impl Into<i128>) {
        self.0.update([b'n']);
        self.0.update(number.into().to_le_bytes());
    }

    /// The number of things that follow.
    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn optional(&mut self, number: Option<impl Into<i128>>) {
        match number {
            Some(number) => self.number(number),
            None => self.0.update([b'-']),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.0.update([b'-']),
            Value::Bool(truth) => self.0.update([if *truth { b'y' } else { b'f' }]),
            Value::Int(number) => self.number(*number),
            Value::Text(text) => self.text(text),
            Value::List(values) => self.values(values),
        }
    }

    fn values(&mut self, values: &[Value]) {
        self.0.update([b'l']);
        self.count(values.len());
        values.iter().for_each(|value| self.value(value));
    }

    fn memory(&mut self, x: &Execution) {
        self.text("memory");
        let initial = x.locations().map(|loc| (x.location_name(loc), x.init_value(loc)));
        let mut initial: Vec<_> = initial.filter(|&(_, value)| value != 0).collect();
        let mut last: Vec<_> = finals(x).map(|(loc, value)| (x.location_name(loc), value)).collect();
        for values in [&mut initial, &mut last] {
            values.sort_unstable();
            self.count(values.len());
            for &mut (location, value) in values {
                self.text(location);
                self.number(value);
            }
        }
        self.count(x.thread_count());
        for thread in x.threads() {
            self.text(x.thread_name(thread));
            let events = x.thread_events(thread);
            self.count(events.len());
            for event in events.clone().map(EventId) {
                let label = x.label(event);
                self.number(label.kind() as u8);
                self.text(label.order().name());
                self.text(x.loc(event).map_or("", |loc| x.location_name(loc)));
                self.number(x.value(event));
                self.optional(x.value_read(event));
                let source = x.rf(event).map(|write| x.slot(write));
                self.optional(source.map(|slot| slot.map_or(-1, |slot| i64::from(slot.thread.0))));
                self.optional(source.flatten().map(|slot| slot.index));
                let deps: Vec<u32> = x.deps(event).map(|on| on.0 - events.start).collect();
                self.count(deps.len());
                deps.into_iter().for_each(|dep| self.number(dep));
                let interval = x.interval(event);
                self.optional(interval.begin);
                self.optional(interval.end);
            }
        }
    }

    fn object(&mut self, object: &Object) {
        let history = &object.history;
        self.text("object");
        self.count(history.len());
        for op in history.ops() {
            self.text(history.process_name(history.process(op)));
            let call = history.called(op);
            self.text(call.method);
            self.values(call.args);
            match history.result(op) {
                Some(ret) => self.value(ret),
                None => self.0.update([b'p']),
            }
        }
        match history.intervals() {
            Some(intervals) => {
                for event in intervals.events {
                    match event {
                        Event::Call(op) => self.optional(Some(op.0)),
                        Event::Return(op) => self.number(-1 - i64::from(op.0)),
                    }
                }
            }
            None => {
                for (a, b) in pairs(history) {
                    self.number(a.0);
                    self.number(b.0);
                }
            }
        }
    }

    fn transactions(&mut self, history: &transactions::History) {
        self.text("transactions");
        self.optional(history.init());
        let spans = || history.transactions().filter_map(|txn| history.span(txn));
        let mut times: Vec<i64> =
            spans().flat_map(|Span { begin, end }| [Some(begin), end]).flatten().collect();
        times.sort_unstable();
        times.dedup();
        let rank = |time: i64| times.partition_point(|&before| before < time) as u64;
        self.count(history.session_count());
        for session in (0..history.session_count() as u32).map(SessionId) {
            self.text(history.session_name(session));
            self.count(history.session(session).len());
            for txn in history.session(session) {
                self.number(match history.status(txn) {
                    Status::Committed => 0,
                    Status::Aborted => 1,
                    Status::Unknown => 2,
                });
                self.optional(history.span(txn).map(|span| rank(span.begin)));
                self.optional(history.span(txn).and_then(|span| span.end).map(rank));
                self.count(history.ops_of(txn).len());
                for op in history.ops_of(txn) {
                    self.op(history, history.op(op));
                }
            }
        }
    }

    fn op(&mut self, history: &transactions::History, op: Op<'_>) {
        self.text(history.key_name(op.key()));
        match op {
            Op::Write(_, value) => {
                self.text("w");
                self.number(value);
            }
            Op::Append(_, value) => {
                self.text("append");
                self.number(value);
            }
            Op::Read(_, value) => {
                self.text("r");
                self.optional(value);
            }
            Op::ReadList(_, list) => {
                self.text("list");
                self.count(list.len());
                list.iter().for_each(|&element| self.number(element));
            }
            Op::Unknown(_) => self.text("unknown"),
        }
    }
}
