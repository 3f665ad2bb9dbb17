//! The contents of a history of an object, in numbers.

use super::spread;
use crate::output::Page;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use tribunal_formats::Object;
use tribunal_history::object::{Event, History, OpId, ProcessId, Specification, Value, specs};
use tribunal_report::{counted, printable};

/// Describes the operations.
pub fn print(object: &Object, out: &mut Page) -> io::Result<()> {
    let h = &object.history;
    let spec = specs::named(&object.spec).ok();
    let unknown = if spec.is_some() { "" } else { ", which is not built in" };
    writeln!(out, "  spec        {}{unknown}", printable(&object.spec))?;
    let per_process = (0..h.process_count() as u32).map(|process| h.of_process(ProcessId(process)).len());
    writeln!(out, "  processes   {}{}", h.process_count(), spread(per_process, "operation"))?;
    let pending = h.ops().filter(|&op| h.is_pending(op)).count();
    writeln!(out, "  operations  {}, {pending} of them pending", h.len())?;
    writeln!(out, "  methods     {}", printable(&methods(h)))?;
    writeln!(out, "  order       {}", order(h))?;
    if let Some(spec) = &spec {
        writeln!(out, "  keys        {}", keys(h, &**spec))?;
        writeln!(out, "  values      {}", values(h, &**spec))?;
    }
    super::notes(&object.notes, "  notes       ", out)
}

fn methods(h: &History) -> String {
    let mut counts = vec![0u64; h.methods().len()];
    for op in h.ops() {
        counts[h.method_of(op)] += 1;
    }
    let counted = counts.iter().zip(h.methods()).filter(|&(&count, _)| count > 0);
    counted.map(|(count, method)| format!("{count} {method}")).collect::<Vec<_>>().join(", ")
}

/// The origin of happens-before, and the number of operations that are open at once.
fn order(h: &History) -> String {
    let Some(intervals) = h.intervals() else { return "a partial order that no times give".into() };
    let (mut open, mut most) = (0u64, 0);
    for event in intervals.events {
        match event {
            Event::Call(_) => open += 1,
            Event::Return(_) => open -= 1,
        }
        most = most.max(open);
    }
    let given = if h.ops().next().is_some_and(|op| h.times(op).is_some()) { "times" } else { "hb as given" };
    format!("{given}, at most {} open at once", counted(most, "operation"))
}

/// The parts of the object that operations concern.
fn keys(h: &History, spec: &dyn Specification) -> String {
    let mut keys: BTreeMap<Value, u64> = BTreeMap::new();
    let mut whole = 0u64;
    for op in h.ops() {
        match spec.key(h.called(op)) {
            Some(key) => *keys.entry(key).or_default() += 1,
            None => whole += 1,
        }
    }
    let most = keys.values().max().copied().unwrap_or(0);
    match (keys.len(), whole) {
        (0, _) => "none: every operation concerns the whole object".into(),
        (count, 0) => format!("{count}, of at most {}", counted(most, "operation")),
        (count, whole) => {
            let most = counted(most, "operation");
            format!("{count}, of at most {most}; {whole} of {} concern the whole object", h.len())
        }
    }
}

/// Whether a value that the object only keeps names the operation that put it there.
fn values(h: &History, spec: &dyn Specification) -> String {
    let kept = |op: OpId| {
        let call = h.called(op);
        spec.opaque(call).and_then(|at| Some((spec.key(call), call.method, call.args.get(at)?)))
    };
    let mut seen = BTreeSet::new();
    let (mut given, mut repeated) = (0u64, 0u64);
    for value in h.ops().filter_map(kept) {
        given += 1;
        repeated += u64::from(!seen.insert(value));
    }
    match (given, repeated) {
        (0, _) => "none that the object only keeps".into(),
        (given, 0) => format!("{given}, each given once"),
        (given, repeated) => format!("{repeated} of {given} repeat one given before"),
    }
}
