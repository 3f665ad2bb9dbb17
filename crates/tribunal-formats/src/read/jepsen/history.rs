//! Whole histories, whose methods and values tell the object.

use super::clients::{Call, Clients, End, Step};
use super::translate::{Outcome, Stage};
use super::{Clock, NilReads, Seen, Source, Type, is_tuple, only_reads, pair};
use crate::error::quote;
use crate::read::ReadAs;
use crate::read::draft::ObjectDraft;
use crate::{Error, ErrorKind, History};
use tribunal_history::heap::Growth;
use tribunal_history::object::Value;

/// The next history; none at the end of the input. What the object is, the calls tell, unless it is given.
pub(in crate::read) fn history(
    source: &mut dyn Source,
    given: ReadAs,
    nil_reads: NilReads,
) -> Result<Option<History>, Error> {
    let Some(line) = source.begin()? else { return Ok(None) };
    let file = source.name().clone();
    let mut clients = Clients::new(file.clone());
    let (mut operations, mut growth, mut clock) = (Vec::new(), Growth::default(), Clock::default());
    while let Some(event) = source.event()? {
        growth.hold(event.bytes);
        clock.note(event.time);
        if let Step::Ended(call, end) = clients.take(event)? {
            growth.push(&mut operations, (call, Some(end)));
        }
        source.hold(growth.peak() + clock.memory() + clients.memory())?;
    }
    let held = growth.peak() + clock.memory() + clients.memory();
    operations.extend(clients.left().map(|call| (call, None)));
    operations.sort_unstable_by_key(|(call, _)| call.at);
    split_tuples(&mut operations).map_err(|(line, kind)| Error::at(&file, line, None, kind))?;

    let seen = seen(&operations);
    let dialect = source.dialect();
    let object = given.object(&seen);
    let mut draft = ObjectDraft::new(line, source.room());
    draft.notes = source.notes(&clock);
    draft.spec = object.spec(dialect, &seen, operations.iter().map(|(call, _)| &call.value));
    let mut args = Vec::new();
    for (call, end) in &operations {
        let fault = |kind| Error::at(&file, call.line, None, kind);
        let outcome = object.outcome(dialect, nil_reads, call, end.as_ref()).map_err(fault)?;
        let nil = match nil_reads {
            NilReads::Drop => object.nil_reads(dialect, call, end.as_ref()),
            NilReads::Keep => 0,
        };
        draft.notes.nil_reads += nil;
        let ret = match outcome {
            Outcome::Withdrawn if end.as_ref().is_some_and(|end| end.kind == Type::Fail) => {
                draft.notes.failed += 1;
                continue;
            }
            Outcome::Withdrawn if nil > 0 => continue,
            Outcome::Withdrawn => {
                draft.notes.unanswered += 1;
                continue;
            }
            Outcome::Open if object.leaves_nothing(&call.method) => {
                draft.notes.unanswered += 1;
                continue;
            }
            Outcome::Open => None,
            Outcome::Returned(ret) => Some(ret),
        };
        args.clear();
        if seen.keyed && call.key.is_none() && call.args.is_none() {
            let object = "an operation, and others have it";
            return Err(fault(ErrorKind::MissingKey { key: ":key", object }));
        }
        let done = object.done(call, end.as_ref());
        if !object.args(call, done, Stage::Ended(nil_reads), &mut args).map_err(fault)? {
            continue;
        }
        let process = draft.builder.process(&call.process);
        let time = |at: u64| clock.at(at as i64) as u64;
        let op = draft.builder.call(process, object.method(call), &args, time(call.at));
        draft.note_line(call.line);
        draft.note_error(end.as_ref().and_then(|end| end.error.clone()));
        if let (Some(ret), Some(end)) = (ret, end) {
            draft.builder.ret(op, ret, time(end.at));
        }
        source.hold(held + draft.memory())?;
    }
    draft.finish(&file).map(Some)
}

/// The evidence of the operations.
fn seen(operations: &[(Call, Option<End>)]) -> Seen {
    let mut seen = Seen::default();
    let returned = |end: &End| end.ret.clone().unwrap_or_else(|| end.value.clone());
    let changed = operations.iter().find(|(call, end)| {
        !only_reads(&call.method) && end.as_ref().is_none_or(|end| end.kind != Type::Fail)
    });
    let changed = changed.map_or(u64::MAX, |(call, _)| call.at);
    for (call, end) in operations {
        seen.keyed |= call.key.is_some();
        seen.call(&call.method, &call.asked());
        let Some(end) = end.as_ref().filter(|end| end.kind == Type::Ok) else { continue };
        let ret = returned(end);
        seen.ret(&call.method, &ret);
        if end.at < changed && only_reads(&call.method) && ret != Value::Null && seen.initial.is_none() {
            seen.initial = Some(ret);
        }
    }
    seen
}

/// Tells the keys of jepsen.independent from the values, if all values are pairs of the two.
fn split_tuples(operations: &mut [(Call, Option<End>)]) -> Result<(), (u64, ErrorKind)> {
    let marked = operations.iter().all(|(call, _)| call.tuple);
    let all =
        || operations.iter().all(|(call, _)| call.args.is_none() && is_tuple(&call.method, &call.value));
    if operations.is_empty() || !(marked || all()) {
        return Ok(());
    }
    for (call, end) in operations {
        split_tuple(call);
        if let (Some(end), Some(key)) = (end, &call.key) {
            end.value = value_of(key, end).map_err(|kind| (call.line, kind))?;
        }
    }
    Ok(())
}

/// Tells the key of a call from its value; false if the value is no pair of the two.
pub(super) fn split_tuple(call: &mut Call) -> bool {
    let Some([key, value]) = pair(&call.value).cloned() else { return false };
    (call.key, call.value) = (Some(key), value);
    true
}

/// The value at the end of an operation, which has the key of its call. Nothing else is said but why it did not succeed.
pub(super) fn value_of(key: &Value, end: &End) -> Result<Value, ErrorKind> {
    match pair(&end.value) {
        Some([of, value]) if of == key => Ok(value.clone()),
        _ if end.value == Value::Null || end.kind != Type::Ok => Ok(Value::Null),
        _ => {
            let expected = "the key of the call in the value of its end";
            Err(ErrorKind::Syntax { expected, found: quote(end.value.to_string().as_bytes()) })
        }
    }
}
