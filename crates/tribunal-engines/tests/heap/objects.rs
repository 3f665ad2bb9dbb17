//! Object engines keep to the memory that they are allowed, on histories that are hard for them.

use crate::allocations::{alone, peak_of};
use tribunal_engines::Engine;
use tribunal_engines::object::{Inconclusive, Monitor, Status, engines, judge_by, shrink};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::named;
use tribunal_history::object::{Builder, Criterion, Event, History, Specification, Value, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_machines::objects::{Bug, Clients, Implementation, Simulation, Values};

/// Beside the limit a check may take so many times what the history takes: a step has a state in hand, which is no larger.
const HISTORIES: usize = 2;

/// A history that is hard for some engines, and what it takes.
struct Hard {
    name: &'static str,
    spec: Box<dyn Specification>,
    history: History,
    bytes: usize,
}

impl Hard {
    fn new(name: &'static str, spec: &str, history: impl FnOnce() -> History) -> Self {
        let spec = named(spec).expect("a specification");
        let history = history();
        // A copy has no room to spare.
        let (_, bytes) = peak_of(|| history.clone());
        Hard { name, spec, history, bytes }
    }

    /// What an engine says within so many bytes; it takes no more.
    fn holds(&self, criterion: &Criterion, engine: Engine, max_memory: usize) -> Verdict {
        let limits = Limits { max_memory, max_states: 150_000, ..Limits::default() };
        let typed = self.history.typed(&*self.spec).expect("calls that fit");
        let (verdict, peak) =
            peak_of(|| judge_by(&typed, criterion, engine, &limits).expect("an engine of the criterion").0);
        let most = max_memory / 10 * 11 + HISTORIES * self.bytes;
        let name = format!("{}: {criterion} by {} within {max_memory}", self.name, engine.name());
        assert!(peak <= most, "{name}: {peak} bytes, {most} at most, the history takes {}", self.bytes);
        if let Verdict::Undecided(limit) = &verdict {
            let expected = matches!(limit, Limit::Memory { bytes, .. } if *bytes == max_memory)
                || matches!(limit, Limit::States { .. } | Limit::Operations { .. });
            assert!(expected, "{name}: {limit}");
        }
        verdict
    }
}

/// Clients of a buggy object.
fn buggy(spec: &str, bug: Bug, clients: Clients) -> History {
    let simulation =
        Simulation { implementation: Implementation::Buggy(bug), ..Simulation::new(spec, clients) };
    simulation.history().expect("a bug of the object")
}

/// So many enqueues at once, and then dequeues that return these.
fn enqueues(count: i64, dequeued: &[i64]) -> History {
    let mut builder = Builder::default();
    let calls: Vec<_> = (0..count)
        .map(|number| {
            let process = builder.process(&number.to_string());
            builder.call(process, "enqueue", &[number.into()], number as u64)
        })
        .collect();
    for (number, call) in (0..).zip(calls) {
        builder.ret(call, Value::Null, (count + number) as u64);
    }
    let process = builder.process("0");
    for (at, &value) in (0..).zip(dequeued) {
        let time = (2 * count + 2 * at) as u64;
        let call = builder.call(process, "dequeue", &[], time);
        builder.ret(call, value.into(), time + 1);
    }
    builder.build().expect("a history")
}

fn clients(operations: u32, processes: u32) -> Clients {
    Clients { operations, processes, ..Clients::default() }
}

fn lost_updates() -> Hard {
    Hard::new("a queue with lost updates", "queue", || {
        buggy("queue", Bug::LostUpdate, Clients { seed: 1, ..clients(1000, 4) })
    })
}

fn list() -> Hard {
    Hard::new("a list", "list", || buggy("list", Bug::LostUpdate, Clients { seed: 3, ..clients(200, 8) }))
}

fn bank() -> Hard {
    let clients = Clients { pending: 0.1, values: Values::Upto(5), lies: 0.02, ..clients(300, 12) };
    Hard::new("a bank", "bank", || clients.run("bank"))
}

fn many_keys() -> Hard {
    Hard::new("a map of many keys", "keyed map", || {
        let clients = Clients { values: Values::Upto(4), lies: 0.01, concurrency: 100, ..clients(3000, 24) };
        Simulation { keys: 60, ..Simulation::new("keyed map", clients) }.history().expect("a map")
    })
}

fn hard() -> Vec<Hard> {
    let wide = Clients { concurrency: 100, lies: 0.02, values: Values::Upto(3), ..clients(600, 200) };
    let pending = Clients { pending: 0.1, values: Values::Upto(5), lies: 0.02, ..clients(300, 12) };
    vec![
        lost_updates(),
        list(),
        many_keys(),
        bank(),
        Hard::new("a small queue", "queue", || {
            buggy("queue", Bug::LostUpdate, Clients { values: Values::Upto(4), ..clients(48, 6) })
        }),
        Hard::new("enqueues at once", "queue", || enqueues(20, &[19, 18, 3, 3])),
        Hard::new("a map", "map", || {
            buggy("map", Bug::StaleRead, Clients { values: Values::Upto(40), ..clients(400, 10) })
        }),
        Hard::new("a wide register", "cas-register", || wide.run("cas-register")),
        Hard::new("a wide stack", "stack", || wide.run("stack")),
        Hard::new("a priority queue", "priority-queue", || pending.run("priority-queue")),
        Hard::new("a store of texts", "kv-store", || pending.run("kv-store")),
        Hard::new("a set", "set", || pending.run("set")),
    ]
}

#[test]
fn engines_keep_to_their_memory() {
    let _alone = alone();
    all_engines_on_all_histories();
    large_tables_and_states();
    collections();
    any_number_of_cores();
    shrinking();
    monitors();
    processes();
}

/// Every engine under every criterion that it decides.
fn all_engines_on_all_histories() {
    let (mut decided, mut met) = (0, 0);
    for hard in hard() {
        for criterion in &Criterion::ALL {
            for &engine in engines(criterion) {
                for max_memory in [64 << 10, 512 << 10, 2 << 20] {
                    match hard.holds(criterion, engine, max_memory) {
                        Verdict::Undecided(Limit::Memory { .. }) => met += 1,
                        Verdict::Undecided(_) | Verdict::Unsupported(_) => {}
                        Verdict::Consistent(_) | Verdict::Inconsistent(_) => decided += 1,
                    }
                }
            }
        }
    }
    // Neither all too easy nor all too hard.
    assert!(decided > 50 && met > 50, "{decided} decided, {met} beyond the limit");
}

/// Where tables and states are large.
fn large_tables_and_states() {
    for (hard, criterion, engine) in [
        (lost_updates(), Criterion::Sequential, Engine::Search),
        (list(), Criterion::Causal, Engine::Minimal),
        (bank(), Criterion::Sequential, Engine::Search),
    ] {
        for max_memory in [16 << 20, 64 << 20] {
            let verdict = hard.holds(&criterion, engine, max_memory);
            assert!(matches!(verdict, Verdict::Undecided(Limit::Memory { .. })), "{}", hard.name);
        }
    }
}

/// The algorithms for collections say beforehand what they take.
fn collections() {
    for spec in ["register", "set", "queue", "stack", "priority-queue", "list", "kv-store"] {
        for pending in [0.0, 0.001] {
            let clients = Clients { operations: 30_000, processes: 20, pending, ..Clients::default() };
            let hard = Hard::new("a long history", spec, || clients.run(spec));
            for per_operation in [64, 128, 192, 256] {
                hard.holds(&Criterion::Linearizable, Engine::Collection, 30_000 * per_operation);
            }
        }
    }
}

/// What is found does not depend on the number of cores: keys share the memory in the same way.
fn any_number_of_cores() {
    let hard = many_keys();
    for max_memory in [600 << 10, 2 << 20, 16 << 20] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| hard.holds(&Criterion::Linearizable, Engine::Search, max_memory))
        };
        let (one, many) = (on(1), on(40));
        assert_eq!(one, many);
    }
}

/// Shrinking takes no more than its checks do, and what is found within the states allowed stands.
fn shrinking() {
    let clients = Clients { values: Values::Upto(4), ..clients(300, 6) };
    for (spec, bug) in [("queue", Bug::LostUpdate), ("cas-register", Bug::StaleRead), ("map", Bug::StaleRead)]
    {
        let hard = Hard::new("a history to shrink", spec, || buggy(spec, bug, clients.clone()));
        let typed = hard.history.typed(&*hard.spec).expect("calls that fit");
        for max_memory in [64 << 10, 256 << 10, 4 << 20] {
            for max_states in [500, 5_000, 50_000] {
                let limits = Limits { max_memory, max_states, ..Limits::default() };
                let criterion = Criterion::Linearizable;
                let (shrunk, peak) = peak_of(|| shrink(&typed, &criterion, &limits, |_| ()));
                // Beside the history there is the part that is checked.
                let most = max_memory / 10 * 11 + (HISTORIES + 1) * hard.bytes;
                assert!(peak <= most, "{spec} within {max_memory}: {peak} bytes, {most} at most");
                if let Ok(shrunk) = shrunk {
                    let operations = &shrunk.part.operations;
                    let part = typed.part(operations, shrunk.part.cut);
                    let verdict = judge_by(&part, &criterion, Engine::Search, &Limits::default())
                        .expect("an engine of the criterion")
                        .0;
                    assert!(verdict.is_inconsistent(), "{spec}: {operations:?}");
                }
            }
        }
    }
}

/// Feeds a monitor with a history, as far as all is well.
fn feed(monitor: &mut Monitor<'_>, history: &History) -> Status {
    let mut undecided = None;
    for event in history.intervals().expect("times").events {
        let status = match *event {
            Event::Call(op) => {
                let (process, call) = (history.process_name(history.process(op)), history.called(op));
                monitor.call(process, call.method, call.args)
            }
            Event::Return(op) => {
                let ret = history.result(op).expect("a return").clone();
                monitor.ret(history.process_name(history.process(op)), ret)
            }
        };
        match status.expect("well-formed") {
            Status::Consistent => {}
            Status::Undecided(doubt) => undecided = undecided.or(Some(Status::Undecided(doubt))),
            violation @ Status::Violation(_) => return violation,
        }
    }
    undecided.unwrap_or(Status::Consistent)
}

/// What a monitor holds and what its checks take keep to the limit together.
fn monitors() {
    let mut met = 0;
    for hard in hard() {
        for criterion in [Criterion::Linearizable, Criterion::Causal] {
            for max_memory in [64 << 10, 512 << 10, 2 << 20] {
                let limits = Limits { max_memory, max_states: 20_000, ..Limits::default() };
                let (status, peak) = peak_of(|| {
                    let mut monitor = Monitor::new(&*hard.spec, criterion.clone(), limits);
                    feed(&mut monitor, &hard.history)
                });
                let most = max_memory / 10 * 11 + HISTORIES * hard.bytes;
                let name = format!("a monitor of {}, {criterion}, within {max_memory}", hard.name);
                assert!(peak <= most, "{name}: {peak} bytes, {most} at most");
                met += usize::from(matches!(
                    status,
                    Status::Undecided(Inconclusive::Limit(Limit::Memory { .. }))
                ));
            }
        }
    }
    assert!(met > 10, "{met} beyond the limit");
}

/// A monitor keeps nothing of processes that have no open operation, and a bit of those that crashed.
fn processes() {
    let spec = named("cas-register(0)").expect("a specification");
    let ((), peak) = peak_of(|| {
        let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
        for process in 0..1_000_000 {
            let name = process.to_string();
            let read = process % 2 == 0;
            let (method, args, ret) = match read {
                true => ("read", vec![], Value::Int(0)),
                false => ("write", vec![Value::Int(0)], Value::Null),
            };
            monitor.call(&name, method, &args).expect("well-formed");
            let status = if process % 4 == 0 { monitor.crash(&name) } else { monitor.ret(&name, ret) };
            assert_eq!(status.expect("open"), Status::Consistent);
            assert!(process % 4 != 0 || monitor.call(&name, "read", &[]).is_err(), "{process} crashed");
        }
        assert_eq!(monitor.finish(), Status::Consistent);
    });
    assert!(peak < 1 << 20, "{peak} bytes for a million processes");
}
