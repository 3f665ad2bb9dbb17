//! The monitor against the checkers: the same answers, and the very event.

use tribunal_engines::object::{MalformedEvent, Monitor, Status, check};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{NAMES, named};
use tribunal_history::object::{Criterion, Event, History, OpId, Specification, Value};
use tribunal_machines::objects::{Clients, Values};

/// The events of a history; with `crashes`, a pending operation crashes that many events after its call.
fn feed(
    monitor: &mut Monitor<'_>,
    history: &History,
    crashes: Option<usize>,
    mut each: impl FnMut(&Monitor<'_>),
) -> Option<u64> {
    let events = history.intervals().expect("has times").events;
    let mut crashing: Vec<(usize, OpId)> = Vec::new();
    // The crashes are events of the monitor, but not of the history.
    let mut number = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let op = match *event {
            Event::Call(op) | Event::Return(op) => op,
        };
        let process = history.process_name(history.process(op));
        number.push(at as u64);
        let status = match *event {
            Event::Call(_) => {
                let call = history.called(op);
                if history.is_pending(op) {
                    crashing.extend(crashes.map(|after| (at + after, op)));
                }
                monitor.call(process, call.method, call.args)
            }
            Event::Return(_) => monitor.ret(process, history.result(op).expect("returned").clone()),
        };
        let mut statuses = vec![status.expect("well-formed")];
        crashing.retain(|&(when, op)| {
            if when == at {
                number.push(at as u64);
                statuses.push(monitor.crash(history.process_name(history.process(op))).expect("open"));
            }
            when != at
        });
        each(monitor);
        for status in statuses {
            match status {
                Status::Violation(violation) => return Some(number[violation.event as usize]),
                Status::Undecided(doubt) => panic!("undecided: {doubt}"),
                Status::Consistent => {}
            }
        }
    }
    match monitor.check() {
        Status::Violation(violation) => Some(number[violation.event as usize]),
        Status::Undecided(doubt) => panic!("undecided: {doubt}"),
        Status::Consistent => None,
    }
}

/// The first event after which a history is inconsistent, by trying all.
fn first_bad(history: &History, spec: &dyn Specification, criterion: &Criterion) -> Option<u64> {
    let intervals = history.intervals().expect("has times");
    let bad = |cut: u32| {
        let called: Vec<OpId> = history.ops().filter(|op| intervals.call[op.index()] < cut).collect();
        check(&history.part(&called, Some(cut)).typed(spec).expect("typed"), criterion).is_inconsistent()
    };
    (1..=intervals.events.len() as u32).find(|&cut| bad(cut)).map(|cut| u64::from(cut) - 1)
}

fn agree(name: &str, criterion: &Criterion, clients: &Clients, crashes: Option<usize>) -> bool {
    let spec = named(name).expect("built in");
    let history = clients.run(name);
    let mut monitor = Monitor::new(&*spec, criterion.clone(), Limits::default());
    let found = feed(&mut monitor, &history, crashes, |_| {});
    let expected = first_bad(&history, &*spec, criterion);
    if found != expected {
        let events = history.intervals().expect("has times").events;
        let shown: Vec<String> = events
            .iter()
            .enumerate()
            .map(|(at, event)| match *event {
                Event::Call(op) => format!("{at} call {}", history.show(op)),
                Event::Return(op) => format!("{at} return {}", history.show(op)),
            })
            .collect();
        panic!("{name} {criterion} {clients:?}: {found:?} for {expected:?}\n{}", shown.join("\n"));
    }
    found.is_some()
}

#[test]
fn names_the_first_bad_event_of_every_object() {
    let mut names: Vec<String> = NAMES.iter().map(|name| name.to_string()).collect();
    names.extend(["keyed register", "keyed counter", "register(1)", "cas-register(2)"].map(String::from));
    for name in names {
        let mut bad = 0;
        for seed in 0..120 {
            let clients = Clients {
                processes: 2 + (seed % 4) as u32,
                operations: 4 + (seed % 17) as u32,
                values: if seed % 2 == 0 { Values::Distinct } else { Values::Upto(3) },
                concurrency: (seed * 37 % 101) as u32,
                pending: [0.0, 0.1, 0.3][seed as usize % 3],
                lies: [0.0, 0.05, 0.2][seed as usize / 2 % 3],
                seed,
            };
            let crashes = [None, Some(0), Some(3)][seed as usize / 3 % 3];
            bad += usize::from(agree(&name, &Criterion::Linearizable, &clients, crashes));
        }
        // A mutex returns nothing that could be a lie.
        assert!(bad > 10 || name == "mutex", "{name}: only {bad} violations");
    }
}

#[test]
fn drops_nothing_that_matters_in_collections() {
    for name in ["register", "queue", "stack", "priority-queue", "set"] {
        for seed in 0..150 {
            let clients = Clients {
                processes: 3 + (seed % 5) as u32,
                operations: 60,
                values: Values::Distinct,
                concurrency: (seed * 37 % 101) as u32,
                pending: [0.0, 0.0, 0.05][seed as usize % 3],
                lies: [0.0, 0.01, 0.03][seed as usize / 2 % 3],
                seed: 1000 + seed,
            };
            agree(name, &Criterion::Linearizable, &clients, [None, Some(0), Some(9)][seed as usize / 3 % 3]);
        }
    }
}

#[test]
fn weak_criteria_as_the_checker() {
    for criterion in
        Criterion::ALL.iter().filter(|it| !matches!(it, Criterion::Linearizable | Criterion::Sequential))
    {
        for name in ["register", "queue", "map"] {
            for seed in 0..12 {
                let clients = Clients {
                    processes: 3,
                    operations: 7,
                    values: Values::Upto(3),
                    concurrency: 60,
                    pending: 0.1,
                    lies: 0.4,
                    seed,
                };
                agree(name, criterion, &clients, None);
            }
        }
    }
}

#[test]
fn sequential_is_judged_at_the_end() {
    let spec = named("register").expect("built in");
    let mut monitor = Monitor::new(&*spec, Criterion::Sequential, Limits::default());
    // Reads what is written later: explained in the end.
    for (process, method, args, ret) in
        [("0", "read", vec![], Value::from(1)), ("1", "write", vec![Value::from(1)], Value::Null)]
    {
        monitor.call(process, method, &args).expect("well-formed");
        assert_eq!(monitor.ret(process, ret).expect("well-formed"), Status::Consistent);
        assert_eq!(monitor.check(), Status::Consistent);
    }
    assert_eq!(monitor.finish(), Status::Consistent);
    let mut monitor = Monitor::new(&*spec, Criterion::Sequential, Limits::default());
    monitor.call("0", "read", &[]).expect("well-formed");
    monitor.ret("0", Value::from(1)).expect("well-formed");
    assert!(matches!(monitor.finish(), Status::Violation(_)));
}

#[test]
fn a_withdrawn_operation_explains_nothing() {
    let spec = named("register").expect("built in");
    let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
    monitor.call("0", "write", &[Value::from(1)]).expect("well-formed");
    monitor.call("1", "read", &[]).expect("well-formed");
    assert_eq!(monitor.ret("1", Value::from(1)).expect("well-formed"), Status::Consistent);
    let Status::Violation(violation) = monitor.withdraw("0").expect("open") else { panic!("nobody wrote 1") };
    assert_eq!(violation.event, 3);
}

#[test]
fn the_initial_value_may_be_written_again() {
    for name in ["register(0)", "cas-register(0)"] {
        let spec = named(name).expect("built in");
        let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
        let write = |value: i64| ("write", vec![Value::from(value)], Value::Null);
        let read = |value: i64| ("read", vec![], Value::from(value));
        for (method, args, ret) in
            [read(0), write(2), read(2), write(0), write(0), read(0), write(3), read(3)]
        {
            monitor.call("0", method, &args).expect("well-formed");
            assert_eq!(monitor.ret("0", ret).expect("open"), Status::Consistent, "{name}");
            assert_eq!(monitor.check(), Status::Consistent, "{name}");
        }
        monitor.call("0", "read", &[]).expect("well-formed");
        assert!(matches!(monitor.ret("0", Value::from(0)).expect("open"), Status::Violation(_)), "{name}");
    }
}

#[test]
fn holds_only_what_matters() {
    for (name, most) in [
        ("queue", 2500),
        ("stack", 2500),
        ("priority-queue", 2500),
        ("register", 300),
        ("set", 300),
        ("cas-register", 300),
        ("counter", 300),
        ("map", 300),
        ("kv-store", 300),
        ("mutex", 300),
        ("keyed register", 300),
    ] {
        let spec = named(name).expect("built in");
        let clients = Clients {
            processes: 8,
            operations: 100_000,
            values: Values::Distinct,
            concurrency: 50,
            pending: 0.0,
            lies: 0.0,
            seed: 7,
        };
        let history = clients.run(name);
        let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
        let mut held = 0;
        let found = feed(&mut monitor, &history, None, |monitor| {
            if monitor.events() % 16 == 0 {
                held = held.max(monitor.held());
            }
        });
        assert_eq!(found, None, "{name}");
        assert!(held <= most, "{name}: {held} held");
    }
}

/// Gives events of a mutex to a monitor: who does what.
fn mutex(monitor: &mut Monitor<'_>, events: &[(&str, &str)]) -> Vec<Status> {
    let take = |&(process, event): &(&str, &str)| match event {
        "returns" => monitor.ret(process, Value::Null).expect("open"),
        "crashes" => monitor.crash(process).expect("open"),
        method => monitor.call(process, method, &[]).expect("well-formed"),
    };
    events.iter().map(take).collect()
}

#[test]
fn two_hold_a_mutex() {
    let spec = named("mutex").expect("built in");
    let new = || Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
    let mut monitor = new();
    let held = mutex(&mut monitor, &[("a", "acquire"), ("b", "acquire"), ("a", "returns")]);
    assert!(held.iter().all(|status| *status == Status::Consistent));
    let twice = mutex(&mut monitor, &[("b", "returns")]);
    let [Status::Violation(violation)] = &twice[..] else { panic!("two hold it: {twice:?}") };
    assert_eq!((violation.event, violation.operation.as_str()), (3, "b: acquire() → null"));

    // A release that nobody knows about may have been in time.
    let mut monitor = new();
    let mut events = vec![("a", "acquire"), ("a", "returns"), ("a", "release"), ("a", "crashes")];
    events.extend([("b", "acquire"), ("b", "returns")]);
    assert!(mutex(&mut monitor, &events).iter().all(|status| *status == Status::Consistent));
    // But once only.
    let third = mutex(&mut monitor, &[("c", "acquire"), ("c", "returns")]);
    assert!(matches!(third[1], Status::Violation(_)), "{third:?}");
    // And a free mutex is not released.
    let released = mutex(&mut new(), &[("a", "release"), ("a", "returns")]);
    assert!(matches!(released[1], Status::Violation(_)), "{released:?}");
}

#[test]
fn beyond_a_limit_nothing_is_known() {
    let spec = named("counter").expect("built in");
    let limits = Limits { max_states: 20, ..Limits::default() };
    let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, limits);
    // Which of these have taken effect makes 2^12 states.
    for process in 0..12 {
        monitor.call(&process.to_string(), "add", &[Value::from(1 << process)]).expect("well-formed");
    }
    monitor.call("reader", "get", &[]).expect("well-formed");
    monitor.ret("reader", Value::from(-1)).expect("open");
    let status = monitor.check();
    assert!(matches!(status, Status::Undecided(_)), "{status:?}");
    // It is said once.
    monitor.call("reader", "get", &[]).expect("well-formed");
    assert_eq!(monitor.ret("reader", Value::from(-1)).expect("open"), Status::Consistent);
    assert_eq!(monitor.check(), Status::Consistent);
    assert!(matches!(monitor.finish(), Status::Undecided(_)));
}

#[test]
fn says_how_far_it_has_checked() {
    for name in ["queue", "map", "keyed register"] {
        let spec = named(name).expect("built in");
        let clients = Clients {
            processes: 8,
            operations: 2_000,
            values: Values::Distinct,
            concurrency: 50,
            pending: 0.0,
            lies: 0.0,
            seed: 11,
        };
        let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
        let mut furthest = 0;
        feed(&mut monitor, &clients.run(name), None, |monitor| {
            assert!(furthest <= monitor.checked() && monitor.checked() <= monitor.events(), "{name}");
            furthest = monitor.checked();
        });
        assert_eq!(monitor.checked(), monitor.events(), "{name}");
    }
}

#[test]
fn a_return_of_another_type_is_a_violation() {
    for (name, method, args) in [
        ("queue", "enqueue", vec![Value::from(1)]),
        ("stack", "push", vec![Value::from(1)]),
        ("priority-queue", "insert", vec![Value::from(1)]),
        ("register", "write", vec![Value::from(1)]),
        ("set", "add", vec![Value::from(1)]),
        ("cas-register", "cas", vec![Value::Null, Value::from(1)]),
        ("mutex", "acquire", vec![]),
    ] {
        let spec = named(name).expect("built in");
        for criterion in Criterion::ALL {
            let mut monitor = Monitor::new(&*spec, criterion.clone(), Limits::default());
            monitor.call("0", method, &args).expect("well-formed");
            monitor.ret("0", Value::from(99)).expect("open");
            assert!(matches!(monitor.finish(), Status::Violation(_)), "{name} {criterion}");
        }
    }
}

#[test]
fn malformed_events_are_refused() {
    let spec = named("queue").expect("built in");
    let mut monitor = Monitor::new(&*spec, Criterion::Linearizable, Limits::default());
    let text = |error: MalformedEvent| error.to_string();
    assert_eq!(text(monitor.ret("0", Value::Null).expect_err("no call")), "process 0 returns without a call");
    assert_eq!(
        text(monitor.call("0", "enqueue", &[]).expect_err("arity")),
        "enqueue takes 1 argument, found 0"
    );
    assert_eq!(
        text(monitor.call("0", "push", &[]).expect_err("method")),
        "queue has no method `push`; it has enqueue, dequeue"
    );
    monitor.call("0", "enqueue", &[Value::from(1)]).expect("well-formed");
    assert_eq!(
        text(monitor.call("0", "dequeue", &[]).expect_err("overlap")),
        "process 0 calls dequeue() while its enqueue(1) is still open"
    );
    monitor.crash("0").expect("open");
    assert!(monitor.ret("0", Value::Null).is_err());
    assert!(monitor.call("0", "dequeue", &[]).is_err());
    assert_eq!((monitor.events(), monitor.open(), monitor.held()), (2, 0, 1));
}
