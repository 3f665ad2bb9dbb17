//! A memory that is watched: the same answers as those of the batch checker, in whatever order events come.

use rayon::prelude::*;
use tribunal_engines::memory::check;
use tribunal_engines::memory::monitor::{Monitor, Unsettled, Violation, Why};
use tribunal_formats::{Input, open};
use tribunal_history::memory::{Execution, Kind, LocId, Observation, Op, Order, Slot, Source, ThreadId};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::{Clients, Machine, Mix, Step, run};
use tribunal_random::Random;
use tribunal_verify::verify;

const MODELS: [Model; 9] = [
    Model::Ra,
    Model::Rc20,
    Model::Rc11,
    Model::Relaxed,
    Model::Wra,
    Model::Sra,
    Model::Sc,
    Model::Tso,
    Model::Pso,
];

/// A monitor of the threads and locations of a history.
fn monitor_of(x: &Execution, model: Model, window: u64) -> Monitor {
    let mut monitor = Monitor::new(model, window).expect("a model with sessions");
    for thread in x.threads() {
        assert_eq!(monitor.thread(x.thread_name(thread)), thread);
    }
    for loc in x.locations() {
        assert_eq!(monitor.location(x.location_name(loc), x.value(x.init_write(loc))), loc);
    }
    monitor
}

/// An event as it comes; `named`: with what it reads from, which is else told by its value.
fn op(x: &Execution, slot: Slot, named: bool) -> Op {
    let event = x.event(slot);
    let (label, value) = (x.label(event), x.value(event));
    let loc = x.loc(event).unwrap_or(LocId(0));
    let op = match label.kind() {
        Kind::Read => Op::read(loc, value),
        Kind::Write => Op::write(loc, value),
        Kind::Rmw => Op::rmw(loc, x.value_read(event).unwrap_or_default(), value),
        Kind::Fence => Op::fence(label.order()),
    };
    let source = match x.rf(event) {
        Some(write) if named => x.slot(write).map_or(Source::Init, Source::At),
        _ => Source::ByValue,
    };
    op.order(label.order()).from(source)
}

/// Gives a monitor the events in a random order that contains po; true if something was found, which is then explained.
fn watch(x: &Execution, model: Model, seed: u64, named: bool) -> (Option<Violation>, Unsettled) {
    let mut random = Random::new(seed);
    let mut monitor = monitor_of(x, model, u64::MAX);
    let mut next = vec![0; x.thread_count()];
    let mut running: Vec<ThreadId> = x.threads().filter(|&t| !x.thread_events(t).is_empty()).collect();
    let mut found = None;
    while !running.is_empty() && found.is_none() {
        let at = random.below(running.len() as u64) as usize;
        let thread = running[at];
        let index = &mut next[thread.index()];
        monitor.event(thread, op(x, Slot { thread, index: *index }, named));
        *index += 1;
        if *index as usize == x.thread_events(thread).len() {
            running.swap_remove(at);
        }
        found = monitor.found().map(|found| monitor.first(found, &Limits::default()));
    }
    if found.is_none() {
        monitor.finish(&Limits::default());
        found = monitor.found();
    }
    if let Some(found) = &found {
        let part = monitor.part(found, &Limits::default());
        let part = part.unwrap_or_else(|| panic!("{model} {found:?}: {monitor:?}"));
        assert!(part.part.history.len() <= x.len());
        let verdict = check(&part.part.history, model);
        assert!(verdict.is_inconsistent(), "{found:?}");
        assert_eq!(verify(&part.part.history, model, &verdict), Ok(()));
    }
    (found, monitor.unsettled().clone())
}

/// Whether a location has the same value twice.
fn repeats(x: &Execution) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let initial = x.locations().map(|loc| x.init_write(loc));
    let mut writes = x.events().filter(|&event| x.label(event).writes()).chain(initial);
    !writes.all(|write| seen.insert((x.loc(write), x.value(write))))
}

#[test]
fn both_corpora_in_any_order() {
    for file in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
        let histories: Vec<_> = open(&Input::Path(path), None)
            .expect("a corpus")
            .map(|history| history.expect("a history"))
            .collect();
        let asked: usize = histories
            .par_iter()
            .enumerate()
            .map(|(i, history)| {
                let x = history.memory().expect("of a memory");
                let finals = x.open().any(|of| matches!(of, Observation::Final { .. }));
                if finals || x.features().finals {
                    return 0;
                }
                let mut asked = 0;
                for (name, label) in &history.labels.0 {
                    let model: Model = name.parse().expect("a model");
                    let Some(expected) = label.filter(|_| MODELS.contains(&model)) else { continue };
                    let (found, unsettled) = watch(x, model, i as u64, i % 2 == 0 || repeats(x));
                    match (found, unsettled.is_empty()) {
                        (Some(found), _) => assert!(!expected, "{i} {model}: {found:?}"),
                        (None, true) => assert!(expected, "{i} {model}"),
                        (None, false) => assert!(x.is_open(), "{i} {model}: {unsettled:?}"),
                    }
                    asked += 1;
                }
                asked
            })
            .sum();
        assert!(asked > 8_000, "{file}: {asked}");
    }
}

/// What a machine does, as it comes: consistent without end, in bounded memory.
#[test]
fn machines_are_watched_in_bounded_memory() {
    for (machine, model, orders) in [
        (Machine::View, Model::Rc20, "relaxed=2,acquire=1,release=1,acq_rel=1"),
        (Machine::View, Model::Ra, "acq_rel"),
        (Machine::View, Model::Relaxed, "na=1,relaxed=1"),
        (Machine::Atomic, Model::Wra, "acq_rel"),
    ] {
        let orders: Mix = orders.parse().expect("a mix");
        let mut most = Vec::new();
        for events in [40_000, 160_000] {
            let clients = Clients { threads: 4, locations: 8, events, orders, ..Clients::default() };
            let mut monitor = Monitor::new(model, 1_000).expect("a model with sessions");
            (0..4).for_each(|t| _ = monitor.thread(&format!("T{t}")));
            (0..8).for_each(|loc| _ = monitor.location(&format!("x{loc}"), 0));
            let mut bytes = 0;
            for Step { thread, op, .. } in run(machine, &clients).expect("clients that can run") {
                monitor.event(thread, op);
                bytes = bytes.max(monitor.bytes());
                assert_eq!(monitor.found(), None, "{machine} {model}");
            }
            monitor.finish(&Limits::default());
            assert_eq!(monitor.found(), None, "{machine} {model}");
            assert!(monitor.unsettled().is_empty(), "{machine} {model}: {:?}", monitor.unsettled());
            most.push(bytes);
        }
        // The latest events are kept whatever happens; the rest does not grow.
        assert!(most[1] < most[0] + (16 << 20), "{machine} {model}: {most:?}");
    }
}

#[test]
fn a_read_that_waits_too_long_reads_what_nobody_wrote() {
    let mut monitor = Monitor::new(Model::Ra, 10).expect("ra");
    let (t0, t1) = (monitor.thread("T0"), monitor.thread("T1"));
    let (x, y) = (monitor.location("x", 0), monitor.location("y", 0));
    monitor.event(t1, Op::read(x, 1));
    for value in 1..=10 {
        monitor.event(t0, Op::write(y, value));
        assert_eq!(monitor.found(), None);
    }
    monitor.event(t0, Op::write(y, 11));
    let found = monitor.found().expect("too late");
    assert_eq!((found.event, found.why.clone()), (0, Why::Unwritten));
    assert_eq!(monitor.part(&found, &Limits::default()).expect("all is there").part.history.len(), 1);
    // It goes on without that read.
    monitor.event(t0, Op::write(x, 1));
    monitor.event(t1, Op::read(x, 1));
    monitor.event(t1, Op::read(y, 3));
    let found = monitor.found().expect("overwritten");
    assert_eq!((found.event, found.slot), (14, Slot { thread: t1, index: 2 }));
}

#[test]
fn values_that_repeat_are_told_apart_if_they_can_be() {
    let mut monitor = Monitor::new(Model::Ra, 10).expect("ra");
    let (t0, t1) = (monitor.thread("T0"), monitor.thread("T1"));
    let x = monitor.location("x", 0);
    let first = Slot { thread: t0, index: 0 };
    monitor.event(t0, Op::write(x, 1));
    monitor.event(t0, Op::write(x, 2));
    monitor.event(t0, Op::write(x, 1));
    // It may be either.
    monitor.event(t1, Op::read(x, 1));
    assert_eq!((monitor.found(), monitor.unsettled().ambiguous), (None, 1));
    monitor.event(t1, Op::read(x, 2));
    // Only the later one is left.
    monitor.event(t1, Op::read(x, 1));
    assert_eq!((monitor.found(), monitor.unsettled().ambiguous), (None, 1));
    monitor.event(t1, Op::read(x, 1).from(Source::At(first)));
    assert!(matches!(monitor.found(), Some(Violation { event: 6, why: Why::Refused(_), .. })));
}

/// A cycle of po ∪ rf, which waiting for each other shows.
#[test]
fn threads_that_wait_for_each_other() {
    for model in MODELS {
        let mut monitor = Monitor::new(model, 100).expect("a model with sessions");
        let (t0, t1) = (monitor.thread("T0"), monitor.thread("T1"));
        let (x, y) = (monitor.location("x", 0), monitor.location("y", 0));
        monitor.event(t0, Op::read(x, 1));
        monitor.event(t1, Op::read(y, 1));
        monitor.event(t0, Op::write(y, 1));
        assert_eq!(monitor.found(), None);
        monitor.event(t1, Op::write(x, 1));
        let found = monitor.found().expect("a cycle");
        assert_eq!(found.why, Why::Cyclic, "{model}");
        assert_eq!(monitor.part(&found, &Limits::default()).expect("a part").part.history.len(), 4);
        assert_eq!(monitor.found(), None, "{model}");
    }
}

/// Events as they come, each read after some write of what it reads: with its source, or by its value; few values, or all distinct.
/// Every other stream begins with store buffering, which is against psc; the sessions of rc20 and rc11 take that.
fn stream(seed: u64) -> Vec<(ThreadId, Op)> {
    let mut random = Random::new(seed);
    let (threads, named, few) = (2 + random.below(3) as u32, random.below(2) == 0, random.below(2) == 0);
    let orders =
        [Order::SeqCst, Order::SeqCst, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
    let (t0, t1, x, y) = (ThreadId(0), ThreadId(1), LocId(0), LocId(1));
    let buffering =
        [(t0, Op::write(x, 1)), (t1, Op::write(y, 1)), (t0, Op::read(y, 0)), (t1, Op::read(x, 0))];
    let begin = if seed.is_multiple_of(2) { 0 } else { buffering.len() };
    // The writes of each location so far.
    let mut written = vec![vec![(Source::Init, 0)]; 2];
    let mut next = vec![0; threads as usize];
    let events = begin + 6 + random.below(8) as usize;
    (0..events)
        .map(|event| {
            let (thread, op) = if event < begin {
                let (thread, op) = buffering[event];
                let op = if op.kind == Kind::Read { op.from(Source::Init) } else { op };
                (thread, op.order(Order::SeqCst))
            } else {
                let loc = LocId(random.below(2) as u32);
                let writes = &written[loc.index()];
                let (source, read) = writes[random.below(writes.len() as u64) as usize];
                let value = if few { 1 + event as u64 % 3 } else { event as u64 + 1 };
                let op = match random.below(8) {
                    0..3 => Op::write(loc, value),
                    3 => Op::rmw(loc, read, value),
                    _ => Op::read(loc, read),
                };
                let op = if op.kind != Kind::Write && (named || few) { op.from(source) } else { op };
                let order = orders[random.below(orders.len() as u64) as usize];
                (ThreadId(random.below(threads.into()) as u32), op.order(order))
            };
            if matches!(op.kind, Kind::Write | Kind::Rmw) {
                let slot = Slot { thread, index: next[thread.index()] };
                written[op.loc.index()].push((Source::At(slot), op.value));
            }
            next[thread.index()] += 1;
            (thread, op)
        })
        .collect()
}

/// The event that is named is the first with which a prefix is inconsistent, whatever the session takes.
#[test]
fn the_first_event_is_named() {
    let late: usize = (0..600u64)
        .into_par_iter()
        .map(|seed| {
            let events = stream(seed);
            let prefix = |length: usize| {
                let mut b = Execution::builder();
                (0..4).for_each(|t| _ = b.thread(&format!("T{t}")));
                ["x", "y"].iter().for_each(|name| _ = b.location(name));
                events[..length].iter().for_each(|&(thread, op)| _ = b.push(thread, op));
                b.build().expect("a history")
            };
            let mut late = 0;
            for model in MODELS {
                let inconsistent = |&length: &usize| check(&prefix(length), model).is_inconsistent();
                let expected = (1..=events.len()).find(inconsistent).map(|length| length as u64 - 1);
                let mut monitor = monitor_of(&prefix(0), model, 100);
                let mut found = None;
                for &(thread, op) in &events {
                    monitor.event(thread, op);
                    found = monitor.found();
                    if found.is_some() {
                        break;
                    }
                }
                if found.is_none() {
                    monitor.finish(&Limits::default());
                    found = monitor.found();
                }
                let session = found.as_ref().map(|found| found.event);
                let found = found.map(|found| monitor.first(found, &Limits::default()).event);
                assert_eq!(found, expected, "{seed} {model}: {events:?}");
                assert!(monitor.unsettled().is_empty(), "{seed} {model}: {:?}", monitor.unsettled());
                late += usize::from(session != expected);
            }
            late
        })
        .sum();
    assert!(late > 0, "no session took what is inconsistent");
}

/// One value that is written and read again and again is looked at in no time: each thread looks at each write once.
#[test]
fn a_value_that_is_written_again_and_again() {
    for model in [Model::Sc, Model::Ra] {
        let mut monitor = Monitor::new(model, 100).expect("a model with sessions");
        let threads = ["T0", "T1", "T2", "T3"].map(|name| monitor.thread(name));
        let x = monitor.location("x", 0);
        for event in 0..20_000 {
            let op = if event % 2 == 0 { Op::write(x, 1) } else { Op::read(x, 1) };
            monitor.event(threads[event / 2 % 4], op);
            assert_eq!(monitor.found(), None, "{model}");
        }
        assert!(monitor.unsettled().ambiguous > 0, "{model}");
    }
}
