//! Notes beside the events of clients: events of others, errors, times.

use crate::read::buffer::Place;
use crate::{Notes, OtherEvent};
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::object::Value;

/// Notes that are being taken, with what they hold.
#[derive(Default)]
pub(in crate::read) struct Noted {
    notes: Notes,
    /// The number of events of clients.
    clients: i64,
    growth: Growth,
}

impl Noted {
    /// Notes an event of a process that is no client.
    pub(in crate::read) fn other(
        &mut self,
        place: Place,
        time: Option<i64>,
        process: &Value,
        (method, value): (&str, &Value),
    ) {
        let process = shown(process);
        let what = match value {
            Value::Null => method.to_string(),
            value => format!("{method} {value}"),
        };
        self.growth.hold(process.len() + what.len());
        let event = OtherEvent { line: place.line, time, at: self.clients, process, what };
        self.growth.push(&mut self.notes.others, event);
    }

    /// Notes an event of a client, and what it gave as the error of its operation.
    pub(in crate::read) fn client(&mut self, error: &Value) -> Option<Arc<str>> {
        self.clients += 1;
        if *error == Value::Null {
            return None;
        }
        let error = shown(error);
        if let Some((known, _)) = self.notes.errors.get_key_value(&*error) {
            let known = known.clone();
            self.notes.errors.entry(known.clone()).and_modify(|count| *count += 1);
            return Some(known);
        }
        self.growth.hold(2 * size_of::<(Arc<str>, u64)>() + super::COUNTERS + error.len());
        let error: Arc<str> = error.into();
        self.notes.errors.insert(error.clone(), 1);
        Some(error)
    }

    /// Notes a line of a log that another logger wrote.
    pub(in crate::read) fn log_line(&mut self) {
        self.notes.log_lines += 1;
    }

    /// The number of bytes that the notes take at most.
    pub(in crate::read) fn memory(&self) -> usize {
        self.growth.peak()
    }

    /// The notes, which begin anew. Others' events get their place in the times of the clock.
    pub(in crate::read) fn take(&mut self, clock: &Clock) -> Notes {
        let mut notes = std::mem::take(self).notes;
        notes.untimed = clock.broken;
        notes.others.iter_mut().for_each(|event| event.at = clock.after(event.at));
        notes
    }
}

/// A value as a name: a text without quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// The times at which the events of a history happened. Their order is that of the input; their times are those that the input has, if it has them all and
/// they never go back, and else their positions.
#[derive(Default)]
pub(in crate::read) struct Clock {
    /// Of each event as it came, its time. Of equal ones the later in the input is the later in time, by one.
    times: Vec<i64>,
    /// Whether some event has no time, or one that goes back.
    broken: bool,
    /// The time of the last event as the input has it.
    last: Option<i64>,
    growth: Growth,
}

impl Clock {
    /// Notes the time of the next event.
    pub(in crate::read) fn note(&mut self, time: Option<i64>) {
        if self.broken {
            return;
        }
        // A margin at both ends: equal times are spread, and something may have begun before everything.
        let sound =
            |time: &i64| (0..i64::MAX / 2).contains(time) && self.last.is_none_or(|last| last <= *time);
        let Some(time) = time.filter(sound) else {
            (self.broken, self.times) = (true, Vec::new());
            return;
        };
        self.last = Some(time);
        let apart = self.times.last().map_or(time, |&before| time.max(before + 1));
        self.growth.push(&mut self.times, apart);
    }

    /// The time of the event that came after so many.
    pub(in crate::read) fn at(&self, position: i64) -> i64 {
        match usize::try_from(position) {
            Ok(position) => self.times.get(position).copied().unwrap_or(position as i64),
            // Before everything.
            Err(_) => self.times.first().map_or(position, |first| first + position),
        }
    }

    /// A time later than those of so many events, and not later than that of the next.
    fn after(&self, events: i64) -> i64 {
        let next = usize::try_from(events).ok().and_then(|next| self.times.get(next));
        let beyond = || self.times.last().map_or(events, |last| last + 1);
        next.copied().unwrap_or_else(beyond)
    }

    /// The number of bytes that it takes at most.
    pub(in crate::read) fn memory(&self) -> usize {
        self.growth.peak()
    }
}
