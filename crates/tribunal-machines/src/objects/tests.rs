//! What clients do, whatever the object: without lies, the order in which operations took effect explains each history.

use super::*;
use tribunal_history::object::specs::NAMES;

fn every_name() -> impl Iterator<Item = String> {
    NAMES.into_iter().flat_map(|name| [name.to_string(), format!("keyed {name}")])
}

#[test]
fn histories_are_typed_and_whole() {
    for name in every_name() {
        for seed in 0..8 {
            let share = |yes: bool, share: f64| if yes { share } else { 0.0 };
            let clients = Clients {
                processes: 5,
                operations: 300,
                values: if seed % 2 == 0 { Values::Distinct } else { Values::Upto(3) },
                concurrency: [0, 50, 100][seed as usize % 3],
                pending: share(seed & 2 > 0, 0.1),
                lies: share(seed & 4 > 0, 0.2),
                seed,
            };
            let history = clients.run(&name);
            assert_eq!(history.len(), 300, "{name}");
            assert!(history.typed(&*named(&name).expect("a built-in name")).is_ok(), "{name}");
            let pending = history.ops().filter(|&op| history.is_pending(op)).count();
            // A client at the end of a run may wait for a lock forever.
            let waiting = if name.contains("mutex") { 5 } else { 0 };
            assert!(clients.pending > 0.0 || pending <= waiting, "{name}: {pending} pending");
            assert!(clients.pending == 0.0 || (10..60).contains(&pending), "{name}: {pending} pending");
        }
    }
}

/// One operation at a time: the history is its own linearization.
#[test]
fn without_concurrency_a_history_is_a_run() {
    for name in every_name() {
        let spec = named(&name).expect("a built-in name");
        let history = Clients { concurrency: 0, ..Clients::default() }.run(&name);
        let mut replay = spec.replay();
        // One client may wait for another that holds the lock.
        for op in history.ops().filter(|_| !name.contains("mutex")) {
            let call = history.called(op);
            assert_eq!(replay.call(call).as_ref(), history.result(op), "{name}: {call}");
        }
    }
}

#[test]
fn concurrency_is_as_asked() {
    let open = |concurrency| {
        let history = Clients { processes: 16, concurrency, ..Clients::default() }.run("counter");
        let intervals = history.intervals().expect("times");
        let total: u64 =
            history.ops().map(|op| u64::from(intervals.ret[op.index()] - intervals.call[op.index()])).sum();
        total / 1000
    };
    let (none, some, all) = (open(0), open(50), open(100));
    assert!(none == 1 && some > 2 && all > 25 && some < all, "{none} {some} {all}");
}

#[test]
fn distinct_values_are_distinct() {
    for (name, inserts) in [
        ("queue", "enqueue"),
        ("stack", "push"),
        ("set", "add"),
        ("priority-queue", "insert"),
        ("register", "write"),
    ] {
        let history = Clients { operations: 20_000, ..Clients::default() }.run(name);
        let mut inserted: Vec<_> = history
            .ops()
            .map(|op| history.called(op))
            .filter(|call| call.method == inserts)
            .map(|call| &call.args[0])
            .collect();
        let count = inserted.len();
        inserted.sort();
        inserted.dedup();
        assert!(inserted.len() == count && count > 5000, "{name}");
    }
}

#[test]
fn lies_are_told() {
    for name in NAMES {
        let spec = named(name).expect("a built-in name");
        let history = Clients { concurrency: 0, lies: 0.5, ..Clients::default() }.run(name);
        let mut replay = spec.replay();
        let mut told = 0;
        for op in history.ops().filter(|_| name != "mutex") {
            told += u32::from(replay.call(history.called(op)).as_ref() != history.result(op));
        }
        assert!(if name == "mutex" { told == 0 } else { (3..600).contains(&told) }, "{name}: {told}");
    }
}
