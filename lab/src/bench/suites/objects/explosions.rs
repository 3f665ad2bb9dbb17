//! Histories on which searches over sets of operations explode.

use super::cost::Question;
use super::{ENGINE_TIME, object};
use crate::bench::table::kept;
use crate::bench::{Error, Session, Table, memory};
use std::time::Duration;
use tribunal_history::object::{Builder, History, OpId, Specification, Value};
use tribunal_machines::objects::{Clients, Values};

/// A history with its true verdict.
pub(crate) struct Case {
    spec: Box<dyn Specification>,
    history: History,
    linearizable: bool,
}

/// The cases, by name.
pub(crate) const CASES: [&str; 13] = [
    "64 enqueues, 64 dequeues",
    "64 enqueues, a wrong dequeue",
    "64 pushes, 64 pops",
    "64 pushes, a wrong pop",
    "64 inserts, 64 delete_mins",
    "64 incs, a wrong get",
    "64 incs, concurrent gets",
    "queue, 100k, 8 clients",
    "stack, 100k, 8 clients",
    "register, 100k, 32 clients",
    "register, 20 timed-out writes",
    "cas-register, 20 timed-out",
    "cas-register, 20 timed-out, wrong",
];

impl Case {
    /// The case of that name.
    pub fn named(name: &str) -> Option<Case> {
        let (spec, history, linearizable) = match name {
            "64 enqueues, 64 dequeues" => ("queue", phases("enqueue", "dequeue", shuffled(64)), true),
            "64 enqueues, a wrong dequeue" => ("queue", phases("enqueue", "dequeue", twice(64)), false),
            "64 pushes, 64 pops" => ("stack", phases("push", "pop", shuffled(64)), true),
            "64 pushes, a wrong pop" => ("stack", phases("push", "pop", twice(64)), false),
            "64 inserts, 64 delete_mins" => {
                ("priority-queue", phases("insert", "delete_min", shuffled(64)), true)
            }
            "64 incs, a wrong get" => ("counter", increments(64, 65), false),
            "64 incs, concurrent gets" => ("counter", increments(64, 64), true),
            "queue, 100k, 8 clients" => ("queue", clients(8).run("queue"), true),
            "stack, 100k, 8 clients" => ("stack", clients(8).run("stack"), true),
            "register, 100k, 32 clients" => ("register", clients(32).run("register"), true),
            "register, 20 timed-out writes" => ("register", timed_out(200, 20, None), true),
            "cas-register, 20 timed-out" => ("cas-register", timed_out(200, 20, None), true),
            "cas-register, 20 timed-out, wrong" => ("cas-register", timed_out(200, 20, Some(190)), false),
            _ => return None,
        };
        Some(Case { spec: object(spec), history, linearizable })
    }

    /// Checks it, whatever that takes.
    pub fn check(&self) {
        let timed = Question::linearizable(&self.history, &*self.spec).timed(None, ENGINE_TIME);
        assert!(!timed.decided() || timed.consistent() == self.linearizable, "a known verdict");
    }
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let mut table = Table::new(
        "where searches over sets of operations explode; best of 3; peak: of a process that checks one; budget: 1 s",
        &["history", "operations", "verdict", "engine", "time", "budget", "peak", "verify"],
    );
    session.begin("explosions", CASES.len() as u64);
    for name in CASES {
        let case = Case::named(name).expect("a case of the list");
        let question = Question::linearizable(&case.history, &*case.spec);
        let timed = question.best(3, None, ENGINE_TIME);
        let verdict = &timed.verdict;
        assert!(!timed.decided() || timed.consistent() == case.linearizable, "{name}");
        table.row([
            name.to_string(),
            case.history.len().to_string(),
            verdict.word().into(),
            timed.engine.name().into(),
            timed.show(),
            kept(timed.decided() && timed.time < Duration::from_secs(1)),
            memory::of_object(name)?.map_or("-".into(), |bytes| format!("{:.1} MB", bytes / 1e6)),
            if timed.decided() { question.verified(verdict) } else { "-".into() },
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

fn clients(processes: u32) -> Clients {
    let (operations, concurrency) = (100_000, 90);
    let values = Values::Distinct;
    Clients { processes, operations, values, concurrency, pending: 0.0, lies: 0.0, seed: 1 }
}

/// 1 to n in an order that is neither up nor down.
fn shuffled(n: i64) -> Vec<i64> {
    (0..n).map(|at| (at * 37 + 11) % n + 1).collect()
}

/// The same, but the last is the first again.
fn twice(n: i64) -> Vec<i64> {
    let mut values = shuffled(n);
    let last = values.len() - 1;
    values[last] = values[0];
    values
}

/// So many concurrent operations, each by a process of its own.
fn concurrent(
    b: &mut Builder,
    time: &mut u64,
    calls: impl Iterator<Item = (&'static str, Vec<Value>, Value)>,
) {
    let mut open: Vec<(OpId, Value)> = Vec::new();
    for (method, args, ret) in calls {
        let process = b.process(&open.len().to_string());
        open.push((b.call(process, method, &args, *time), ret));
        *time += 1;
    }
    for (op, ret) in open {
        b.ret(op, ret, *time);
        *time += 1;
    }
}

/// Concurrent inserts of 1 to n, then concurrent removes that return these.
fn phases(insert: &'static str, remove: &'static str, removed: Vec<i64>) -> History {
    let (mut b, mut time) = (History::builder(), 0);
    let n = removed.len() as i64;
    concurrent(&mut b, &mut time, (1..=n).map(|value| (insert, vec![Value::Int(value)], Value::Null)));
    concurrent(&mut b, &mut time, removed.into_iter().map(|value| (remove, vec![], Value::Int(value))));
    b.build().expect("well-formed")
}

/// Concurrent increments, then a get that returns this.
fn increments(n: usize, get: i64) -> History {
    let (mut b, mut time) = (History::builder(), 0);
    concurrent(&mut b, &mut time, (0..n).map(|_| ("inc", vec![], Value::Null)));
    concurrent(&mut b, &mut time, std::iter::once(("get", vec![], Value::Int(get))));
    b.build().expect("well-formed")
}

/// Four processes that write 0 to 4 and read in turns, with some writes that never return; one read may be wrong. Writes
/// that time out take effect at once, or never.
fn timed_out(operations: usize, pending: usize, wrong: Option<usize>) -> History {
    let mut b = History::builder();
    let mut state = Value::Null;
    let mut time = 0;
    for at in 0..operations {
        time += 2;
        let process = b.process(&(at % 4).to_string());
        let value = Value::Int((at * 7 % 5) as i64);
        if at % (operations / pending) == 3 {
            let crashed = b.process(&format!("crashed {at}"));
            b.call(crashed, "write", &[Value::Int((at * 3 % 5) as i64)], time);
            if at % 2 == 0 {
                state = Value::Int((at * 3 % 5) as i64);
            }
            time += 2;
        }
        if at % 3 == 0 {
            let op = b.call(process, "write", std::slice::from_ref(&value), time);
            b.ret(op, Value::Null, time + 1);
            state = value;
        } else {
            let op = b.call(process, "read", &[], time);
            b.ret(op, if wrong == Some(at) { Value::Int(99) } else { state.clone() }, time + 1);
        }
    }
    b.build().expect("well-formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_cases_are_what_they_are_said_to_be() {
        for name in CASES.into_iter().filter(|name| !name.contains("100k")) {
            let case = Case::named(name).expect("a case of the list");
            let timed = Question::linearizable(&case.history, &*case.spec).timed(None, ENGINE_TIME);
            assert!(timed.decided() && timed.consistent() == case.linearizable, "{name}");
        }
    }
}
