//! What is noted beside the events of clients: events of others, errors, times.

use crate::read::buffer::Place;
use crate::{Notes, OtherEvent};
use tribunal::growth::Growth;
use tribunal::object::Value;

/// Notes that are being taken, with what they hold.
#[derive(Default)]
pub(in crate::read) struct Noted {
    notes: Notes,
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
        self.growth.push(&mut self.notes.others, OtherEvent { line: place.line, time, process, what });
    }

    /// Notes what a client gave as the error of an operation.
    pub(in crate::read) fn error(&mut self, error: &Value) {
        let error = shown(error);
        if let Some(count) = self.notes.errors.get_mut(&error) {
            *count += 1;
            return;
        }
        self.growth.hold(2 * (size_of::<(String, u64)>() + error.len()));
        self.notes.errors.insert(error, 1);
    }

    /// Notes a line of a log that another logger wrote.
    pub(in crate::read) fn log_line(&mut self) {
        self.notes.log_lines += 1;
    }

    /// How many bytes the notes take at most.
    pub(in crate::read) fn memory(&self) -> usize {
        self.growth.peak()
    }

    /// The notes, which begin anew.
    pub(in crate::read) fn take(&mut self) -> Notes {
        std::mem::take(self).notes
    }
}

/// A value as a name: a text without quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// When the events of a history happened. Their order is that of the input; their times are those that the input has, if it has them all and
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

    /// How many bytes it takes at most.
    pub(in crate::read) fn memory(&self) -> usize {
        self.growth.peak()
    }
}
