//! Histories of Jepsen in JSON: an array of events, or events one after another.

use super::{Dialect, Event, Run, Type};
use crate::read::keys::{Seen, keys};
use crate::read::pull::Pull;
use crate::{Error, ErrorKind, History};
use tribunal::object::Value;

keys!(EventKey { Process = "process", Type = "type", F = "f", Value = "value", Key = "key" });

/// Reads the next history, which is ahead: each array is one, and so are all events up to the next array.
pub(in crate::read) fn next(pull: &mut Pull) -> Result<Option<History>, Error> {
    let mut run = Run::new(Dialect::Jepsen, 0);
    let mut method = String::new();
    match pull.peek()? {
        None => return Ok(None),
        Some(b'[') => {
            run.line = pull.place().line;
            let mut first = true;
            pull.open_array("history")?;
            while pull.next_element(&mut first)? {
                event(pull, &mut run, &mut method)?;
            }
        }
        Some(b'{') => {
            run.line = pull.place().line;
            while pull.peek()? == Some(b'{') {
                event(pull, &mut run, &mut method)?;
            }
        }
        Some(_) => return Err(pull.expected("`[` and a history, or `{` and an event")),
    }
    run.finish(pull.buffer()).map(Some)
}

fn event(pull: &mut Pull, run: &mut Run, method: &mut String) -> Result<(), Error> {
    pull.peek()?;
    let place = pull.place();
    let (mut process, mut kind, mut value, mut key) = (None, None, Value::Null, None);
    let mut seen = Seen::default();
    let mut first = true;
    pull.open_object("history")?;
    while pull.next_entry(&mut first)? {
        let Some(known) = pull.key(EventKey::of)? else {
            pull.skip()?;
            continue;
        };
        if !seen.add(known.bit()) {
            return Err(pull.error_at(place, ErrorKind::DuplicateKey { key: known.text() }));
        }
        match known {
            EventKey::Process => process = pull.any_value("process")?.as_int(),
            EventKey::Type => kind = Some(pull.word("type", "invoke, ok, fail or info", Type::of)?),
            EventKey::F => {
                method.clear();
                if !pull.eat_null()? {
                    pull.string("f", |f| method.push_str(f))?;
                }
            }
            EventKey::Value => value = pull.any_value("value")?,
            EventKey::Key => key = Some(pull.any_value("key")?).filter(|key| *key != Value::Null),
        }
    }
    let missing = |key: EventKey| {
        let missing = ErrorKind::MissingKey { key: key.text(), object: "the event" };
        Err(pull.error_at(place, missing))
    };
    match (process, kind) {
        _ if !seen.has(EventKey::Process.bit()) => missing(EventKey::Process),
        // The nemesis and other processes that are no clients.
        (None, _) => Ok(()),
        (_, None) => missing(EventKey::Type),
        _ if !seen.has(EventKey::F.bit()) => missing(EventKey::F),
        (Some(process), Some(kind)) => {
            run.event(Event { process, kind, method, value, key, tuple: false }, place, pull.buffer())
        }
    }
}
