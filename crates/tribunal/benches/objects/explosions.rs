//! Histories on which searches over sets of operations explode.

use crate::cost::{best, memory, timed, verified};
use crate::table::{Table, kept};
use std::error::Error;
use std::time::Duration;
use tribunal::object::specs::named;
use tribunal::object::{Builder, Criterion, History, OpId, Specification, Value};
use tribunal_machines::objects::{Clients, Values};

/// A history with its true verdict.
pub struct Case {
    pub spec: Box<dyn Specification>,
    pub history: History,
    pub linearizable: bool,
}

/// The cases, by name.
const CASES: [&str; 13] = [
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

pub fn case(name: &str) -> Option<Case> {
    let (spec, history, linearizable) = match name {
        "64 enqueues, 64 dequeues" => ("queue", phases("enqueue", "dequeue", shuffled(64)), true),
        "64 enqueues, a wrong dequeue" => ("queue", phases("enqueue", "dequeue", twice(64)), false),
        "64 pushes, 64 pops" => ("stack", phases("push", "pop", shuffled(64)), true),
        "64 pushes, a wrong pop" => ("stack", phases("push", "pop", twice(64)), false),
        "64 inserts, 64 delete_mins" => {
            ("priority-queue", phases("insert", "delete_min", shuffled(64)), true)
        }
        "64 incs, a wrong get" => ("counter", increments(64, &[65]), false),
        "64 incs, concurrent gets" => ("counter", increments(64, &[64]), true),
        "queue, 100k, 8 clients" => ("queue", clients(8, 100_000, 0.0).run("queue"), true),
        "stack, 100k, 8 clients" => ("stack", clients(8, 100_000, 0.0).run("stack"), true),
        "register, 100k, 32 clients" => ("register", clients(32, 100_000, 0.0).run("register"), true),
        "register, 20 timed-out writes" => ("register", timed_out(200, 20, None), true),
        "cas-register, 20 timed-out" => ("cas-register", timed_out(200, 20, None), true),
        "cas-register, 20 timed-out, wrong" => ("cas-register", timed_out(200, 20, Some(190)), false),
        _ => return None,
    };
    Some(Case { spec: named(spec).ok()?, history, linearizable })
}

fn clients(processes: u32, operations: u32, pending: f64) -> Clients {
    let concurrency = 90;
    Clients { processes, operations, values: Values::Distinct, concurrency, pending, lies: 0.0, seed: 1 }
}

/// 1 to n in an order that is neither.
fn shuffled(n: i64) -> Vec<i64> {
    (0..n).map(|at| (at * 37 + 11) % n + 1).collect()
}

/// All but the last, which is the first again.
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

/// Concurrent increments, then gets that return these.
fn increments(n: usize, gets: &[i64]) -> History {
    let (mut b, mut time) = (History::builder(), 0);
    concurrent(&mut b, &mut time, (0..n).map(|_| ("inc", vec![], Value::Null)));
    concurrent(&mut b, &mut time, gets.iter().map(|&get| ("get", vec![], Value::Int(get))));
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

pub fn report() -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(&["history", "ops", "verdict", "engine", "time", "< 1 s", "peak", "verify"]);
    for name in CASES {
        let case = case(name).expect("a case of the list");
        let runs = if case.history.len() > 10_000 { 3 } else { 5 };
        let timed = best(runs, &case.history, &*case.spec, &Criterion::Linearizable, None);
        let verdict = &timed.judgement.verdict;
        assert!(!timed.decided() || verdict.is_consistent() == case.linearizable, "{name}");
        table.row([
            name.to_string(),
            case.history.len().to_string(),
            verdict.word().into(),
            timed.judgement.engine.name().into(),
            timed.show(),
            kept(timed.decided() && timed.time < Duration::from_secs(1)),
            memory(name)?.map_or("-".into(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6)),
            verified(&case.history, &*case.spec, &Criterion::Linearizable, verdict),
        ]);
    }
    table.print("explosions: where searches over sets of operations explode; best of 5; the peak of a process that checks one");
    Ok(())
}

/// The small cases, for their verdicts alone.
pub fn agreement() -> Result<(), Box<dyn Error>> {
    for name in CASES {
        let case = case(name).expect("a case of the list");
        if case.history.len() < 1000 {
            let timed = timed(&case.history, &*case.spec, &Criterion::Linearizable, None);
            assert_eq!(timed.judgement.verdict.is_consistent(), case.linearizable, "{name}");
        }
    }
    Ok(())
}
