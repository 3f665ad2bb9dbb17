//! A history there and back: reading it all, writing it, showing it in full.

use std::io::Cursor;
use tribunal_formats::{
    Error, Format, History, Labels, Object, WriteError, Writer, read, write_history, write_object,
};
use tribunal_history::memory::Execution;
use tribunal_history::object;

/// The formats that memories are written in.
pub const MEMORY: [Format; 3] = [Format::Json, Format::Axe, Format::Text];

/// Every history of an input, or the first error.
pub fn all(bytes: impl Into<Vec<u8>>, name: &str, format: Option<Format>) -> Result<Vec<History>, Error> {
    read(Cursor::new(bytes.into()), name, format)?.collect()
}

/// An execution in full, for comparison: everything but the numbering of locations.
pub fn shown(x: &Execution) -> String {
    let mut lines = vec![format!("name {:?}", x.name())];
    for thread in x.threads() {
        lines.push(format!("thread {}", x.thread_name(thread)));
        for event in x.thread_events(thread).map(tribunal_history::memory::EventId) {
            let source = x.rf(event).map(|write| x.show(write).to_string());
            let deps: Vec<_> = x.deps(event).map(|on| x.show(on).to_string()).collect();
            lines.push(format!("{} from {source:?} dep {deps:?} {:?}", x.show(event), x.interval(event)));
        }
    }
    let mut values: Vec<_> = x.locations().map(|l| (x.location_name(l), x.init_value(l))).collect();
    // A location that is only named has no part in the execution.
    values.retain(|&(_, value)| value != 0);
    values.sort_unstable();
    let mut finals: Vec<_> =
        x.finals().iter().map(|&(l, w)| (x.location_name(l), x.show(w).to_string())).collect();
    finals.sort_unstable();
    lines.push(format!("init {values:?} final {finals:?}"));
    lines.join("\n")
}

/// A history in a format.
pub fn written(x: &Execution, labels: &Labels, format: Format) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new(), format);
    write_history(&mut writer, x, labels)?;
    Ok(writer.finish()?)
}

/// A history of an object in a format.
pub fn written_object(object: &Object, labels: &Labels, format: Format) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new(), format);
    write_object(&mut writer, object, labels)?;
    Ok(writer.finish()?)
}

/// The operations of a history in words.
pub fn operations(history: &object::History) -> Vec<String> {
    history.ops().map(|op| history.show(op)).collect()
}

/// A history of an object in full, for comparison: everything but the times, which may be other ones in the same order.
pub fn shown_object(object: &Object) -> String {
    let h = &object.history;
    let before: Vec<_> =
        h.ops().flat_map(|a| h.ops().filter(move |&b| h.before(a, b)).map(move |b| (a.0, b.0))).collect();
    format!("{:?} {} {:?} {before:?}", h.name(), object.spec, operations(h))
}
