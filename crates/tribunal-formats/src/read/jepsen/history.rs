//! Whole histories, whose methods and values tell the object.

use super::clients::{Call, Clients, End, Step};
use super::translate::{Outcome, Stage};
use super::{NilReads, Object, Source, is_tuple, only_reads, pair};
use crate::read::draft::ObjectDraft;
use crate::{Error, ErrorKind, History};
use rustc_hash::FxHashSet;
use tribunal::growth::Growth;
use tribunal::object::Value;

/// The next history; none at the end of the input.
pub(in crate::read) fn history(
    source: &mut dyn Source,
    nil_reads: NilReads,
) -> Result<Option<History>, Error> {
    let Some(line) = source.begin()? else { return Ok(None) };
    let file = source.name().clone();
    let mut clients = Clients::new(file.clone());
    let (mut operations, mut growth) = (Vec::new(), Growth::default());
    while let Some(event) = source.event()? {
        growth.hold(event.bytes);
        if let Step::Ended(call, end) = clients.take(event)? {
            growth.push(&mut operations, (call, Some(end)));
        }
        source.hold(growth.peak() + clients.memory())?;
    }
    let held = growth.peak() + clients.memory();
    operations.extend(clients.left().map(|call| (call, None)));
    operations.sort_unstable_by_key(|(call, _)| call.at);
    split_tuples(&mut operations);

    let methods: FxHashSet<&str> = operations.iter().map(|(call, _)| &*call.method).collect();
    let dialect = source.dialect();
    let keyed = operations.iter().any(|(call, _)| call.key.is_some());
    let object = Object::of(methods.iter().copied(), keyed);
    let mut draft = ObjectDraft::new(line, source.room());
    draft.spec = object.spec(dialect, keyed, operations.iter().map(|(call, _)| &call.value));
    let mut args = Vec::new();
    for (call, end) in &operations {
        let fault = |kind| Error::at(&file, call.line, None, kind);
        if nil_reads == NilReads::Drop {
            draft.nil_reads += object.nil_reads(dialect, call, end.as_ref());
        }
        let ret = match object.outcome(dialect, nil_reads, call, end.as_ref()).map_err(fault)? {
            Outcome::Withdrawn => continue,
            Outcome::Open if only_reads(&call.method) => continue,
            Outcome::Open => None,
            Outcome::Returned(ret) => Some(ret),
        };
        args.clear();
        if keyed && call.key.is_none() && call.args.is_none() {
            let object = "an operation, and others have it";
            return Err(fault(ErrorKind::MissingKey { key: ":key", object }));
        }
        let done = object.done(call, end.as_ref());
        if !object.args(call, done, Stage::Ended(nil_reads), &mut args).map_err(fault)? {
            continue;
        }
        let process = draft.builder.process(&call.process);
        let op = draft.builder.call(process, object.method(call), &args, call.at);
        draft.note_line(call.line);
        if let (Some(ret), Some(end)) = (ret, end) {
            draft.builder.ret(op, ret, end.at);
        }
        source.hold(held + draft.memory())?;
    }
    draft.finish(&file).map(Some)
}

/// Tells the keys of jepsen.independent from the values, if all values are pairs of the two.
fn split_tuples(operations: &mut [(Call, Option<End>)]) {
    let marked = operations.iter().all(|(call, _)| call.tuple);
    let all =
        || operations.iter().all(|(call, _)| call.args.is_none() && is_tuple(&call.method, &call.value));
    if operations.is_empty() || !(marked || all()) {
        return;
    }
    for (call, end) in operations {
        split_tuple(call);
        if let (Some(end), Some(key)) = (end, &call.key) {
            end.value = value_of(key, &end.value);
        }
    }
}

/// Tells the key of a call from its value; false if the value is no pair of the two.
pub(super) fn split_tuple(call: &mut Call) -> bool {
    let Some([key, value]) = pair(&call.value).cloned() else { return false };
    (call.key, call.value) = (Some(key), value);
    true
}

/// The value of a pair with this key; any other says nothing.
pub(super) fn value_of(key: &Value, tuple: &Value) -> Value {
    match pair(tuple) {
        Some([of, value]) if of == key => value.clone(),
        _ => Value::Null,
    }
}
