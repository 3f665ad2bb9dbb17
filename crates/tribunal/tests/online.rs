//! Executions that grow: at every moment the online checker says what `check` says of the execution so far.

use proptest::prelude::*;
use std::path::PathBuf;
use tribunal::memory::{EventId, Execution, Kind, LocId, Op, Slot, Source, ThreadId};
use tribunal::online::{Online, Refused, WriteId};
use tribunal::verify::verify;
use tribunal::{Model, check};
use tribunal_formats::{Input, open};
use tribunal_machines::hard::Pattern;
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, Step, run};

/// An event as it is revealed: it reads from a write, or writes a location, or both.
#[derive(Clone, Copy, Debug)]
enum Event {
    Write(ThreadId, LocId),
    Read(ThreadId, WriteId),
    Rmw(ThreadId, WriteId),
}

/// The execution that consists of these events, whether it is consistent or not. Writes are numbered as by
/// [`Online`], the initial ones first.
fn execution(threads: u32, locations: u32, events: &[Event]) -> Execution {
    let mut b = Execution::builder();
    for thread in 0..threads {
        b.thread(&format!("T{thread}"));
    }
    let mut writes: Vec<(LocId, Source, u64)> = Vec::new();
    for loc in 0..locations {
        writes.push((b.location(&format!("x{loc}")), Source::Init, 0));
    }
    for &event in events {
        let value = writes.len() as u64;
        let (thread, op) = match event {
            Event::Write(thread, loc) => (thread, Op::write(loc, value)),
            Event::Read(thread, WriteId(source)) => {
                let (loc, from, value) = writes[source as usize];
                (thread, Op::read(loc, value).from(from))
            }
            Event::Rmw(thread, WriteId(source)) => {
                let (loc, from, read) = writes[source as usize];
                (thread, Op::rmw(loc, read, value).from(from))
            }
        };
        let slot = b.push(thread, op);
        if op.kind != Kind::Read {
            writes.push((op.loc, Source::At(slot), value));
        }
    }
    b.build().expect("a history")
}

fn online(threads: u32, locations: u32) -> Online {
    let mut online = Online::new();
    for _ in 0..threads {
        online.thread();
    }
    for _ in 0..locations {
        online.location();
    }
    online
}

fn reveal(online: &mut Online, event: Event) -> Result<(), Refused> {
    match event {
        Event::Write(thread, loc) => {
            online.write(thread, loc);
            Ok(())
        }
        Event::Read(thread, source) => online.read(thread, source).map(|_| ()),
        Event::Rmw(thread, source) => online.rmw(thread, source).map(|_| ()),
    }
}

/// All that can be seen of an execution that grows.
fn sight(online: &mut Online, threads: u32, locations: u32) -> (String, Vec<Vec<WriteId>>) {
    let mut candidates = Vec::new();
    for thread in (0..threads).map(ThreadId) {
        for loc in (0..locations).map(LocId) {
            candidates.push(online.candidates(thread, loc).collect());
            candidates.push(online.rmw_candidates(thread, loc).collect());
        }
    }
    (format!("{:?}", online.execution().expect("a history")), candidates)
}

/// The events of an execution in an order that contains po and rf, without fences; as many as there are in front of a
/// cycle.
fn revealed(x: &Execution) -> Vec<Event> {
    let mut next: Vec<u32> = x.threads().map(|thread| x.thread_events(thread).start).collect();
    let mut number = vec![None; x.len() + x.location_count()];
    for loc in x.locations() {
        number[x.init_write(loc).index()] = Some(WriteId(loc.0));
    }
    let (mut writes, mut events) = (x.location_count() as u32, Vec::new());
    let mut moved = true;
    while moved {
        moved = false;
        for thread in x.threads() {
            let end = x.thread_events(thread).end;
            let e = EventId(next[thread.index()]);
            let source = if e.0 < end { x.rf(e) } else { continue };
            let source = match source.map(|source| number[source.index()]) {
                Some(None) => continue,
                Some(Some(source)) => source,
                None => WriteId(0),
            };
            (next[thread.index()], moved) = (e.0 + 1, true);
            match (x.label(e).kind(), x.loc(e)) {
                (Kind::Write, Some(loc)) => events.push(Event::Write(thread, loc)),
                (Kind::Read, _) => events.push(Event::Read(thread, source)),
                (Kind::Rmw, _) => events.push(Event::Rmw(thread, source)),
                _ => {}
            }
            if x.label(e).writes() {
                number[e.index()] = Some(WriteId(writes));
                writes += 1;
            }
        }
    }
    events
}

/// Reveals events until one is refused, and compares with `check` at every moment.
fn same_as_check(threads: u32, locations: u32, events: &[Event]) -> bool {
    let mut online = online(threads, locations);
    for (i, &event) in events.iter().enumerate() {
        let answer = reveal(&mut online, event);
        let moment = execution(threads, locations, &events[..=i]);
        assert_eq!(answer.is_ok(), check(&moment, Model::Ra).is_consistent(), "{i}: {events:?}");
        if answer.is_err() {
            return false;
        }
    }
    true
}

#[test]
fn the_corpus_is_accepted_up_to_the_first_inconsistent_moment() -> Result<(), tribunal_formats::Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    let [mut accepted, mut refused] = [0, 0];
    for history in open(&Input::Path(path), None)? {
        let history = history?;
        let x = history.memory().expect("of a memory");
        let events = revealed(x);
        let fences = x.features().fences;
        let all = same_as_check(x.thread_count() as u32, x.location_count() as u32, &events);
        // Final values are none of the online checker's business.
        if x.finals().is_empty() && events.len() + fences == x.len() {
            assert_eq!(all, check(x, Model::Ra).is_consistent(), "line {}", history.line);
        }
        *if all { &mut accepted } else { &mut refused } += 1;
    }
    assert!(accepted > 500 && refused > 500, "{accepted} accepted, {refused} refused");
    Ok(())
}

/// How many writes there are with these events.
fn writes(locations: u32, events: &[Event]) -> u32 {
    locations + events.iter().filter(|event| !matches!(event, Event::Read(..))).count() as u32
}

/// Events of few threads and locations; a read reads from whatever write there is.
fn events() -> impl Strategy<Value = (u32, u32, Vec<Event>)> {
    (2..6u32, 1..4u32).prop_flat_map(|(threads, locations)| {
        let event = (0..threads, 0..locations, 0..8u32, any::<prop::sample::Index>());
        prop::collection::vec(event, 1..40).prop_map(move |raw| {
            let mut writes = locations;
            let events = raw
                .into_iter()
                .map(|(thread, loc, kind, source)| {
                    let (thread, source) = (ThreadId(thread), WriteId(source.index(writes as usize) as u32));
                    match kind {
                        0..3 => {
                            writes += 1;
                            Event::Write(thread, LocId(loc))
                        }
                        3 => Event::Rmw(thread, source),
                        _ => Event::Read(thread, source),
                    }
                })
                .collect();
            (threads, locations, events)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What is refused is left out, and those after it go on as if it had not been there.
    #[test]
    fn every_answer_is_that_of_check((threads, locations, events) in events()) {
        let mut online = online(threads, locations);
        let mut so_far = Vec::new();
        let mut writes: Vec<WriteId> = (0..locations).map(WriteId).collect();
        for event in events {
            // Writes are numbered as if every RMW had been refused: those that were not come on top.
            let number = |WriteId(source): WriteId| writes[source as usize % writes.len()];
            let event = match event {
                Event::Write(thread, loc) => Event::Write(thread, loc),
                Event::Read(thread, source) => Event::Read(thread, number(source)),
                Event::Rmw(thread, source) => Event::Rmw(thread, number(source)),
            };
            so_far.push(event);
            let consistent = check(&execution(threads, locations, &so_far), Model::Ra).is_consistent();
            let may = match event {
                Event::Write(..) => true,
                Event::Read(thread, source) => online.may_read(thread, source),
                Event::Rmw(thread, source) => online.may_rmw(thread, source),
            };
            prop_assert_eq!(may, consistent);
            let before = sight(&mut online, threads, locations);
            let answer = reveal(&mut online, event);
            prop_assert_eq!(answer.is_ok(), consistent);
            match (answer, event) {
                (Ok(()), Event::Read(..)) => {}
                (Ok(()), _) => writes.push(WriteId(writes.len() as u32)),
                (Err(refused), _) => {
                    so_far.pop();
                    prop_assert_eq!(sight(&mut online, threads, locations), before);
                    is_right(&online, &so_far, event, refused, (threads, locations))?;
                }
            }
        }
        let x = online.execution().expect("a history");
        let verdict = check(&x, Model::Ra);
        prop_assert!(verdict.is_consistent());
        prop_assert!(verify(&x, Model::Ra, &verdict).is_ok());
    }

    #[test]
    fn the_candidates_are_those_that_check_accepts((threads, locations, events) in events()) {
        let mut online = online(threads, locations);
        let mut so_far: Vec<Event> = Vec::new();
        for event in events {
            match event {
                Event::Read(_, source) | Event::Rmw(_, source) if source.0 >= writes(locations, &so_far) => continue,
                _ => {}
            }
            if reveal(&mut online, event).is_ok() {
                so_far.push(event);
            }
        }
        let writes = writes(locations, &so_far);
        for thread in (0..threads).map(ThreadId) {
            for loc in (0..locations).map(LocId) {
                let accepted = |event: &dyn Fn(WriteId) -> Event| -> Vec<WriteId> {
                    (0..writes).map(WriteId).filter(|&write| online.location_of(write) == loc).filter(|&write| {
                        let next: Vec<Event> = so_far.iter().copied().chain([event(write)]).collect();
                        check(&execution(threads, locations, &next), Model::Ra).is_consistent()
                    }).collect()
                };
                let reads = accepted(&|write| Event::Read(thread, write));
                let rmws = accepted(&|write| Event::Rmw(thread, write));
                let mut found: Vec<WriteId> = online.candidates(thread, loc).collect();
                found.sort();
                prop_assert_eq!(found, reads);
                let mut found: Vec<WriteId> = online.rmw_candidates(thread, loc).collect();
                found.sort();
                prop_assert_eq!(found, rmws);
            }
        }
    }
}

/// The write that is named happens before the event, and the other cannot be behind it in mo.
fn is_right(
    online: &Online,
    so_far: &[Event],
    event: Event,
    refused: Refused,
    (threads, locations): (u32, u32),
) -> Result<(), TestCaseError> {
    match (refused, event) {
        (Refused::Shared { write, by }, Event::Rmw(_, source)) => {
            prop_assert_eq!(write, source);
            let read: Vec<WriteId> = so_far
                .iter()
                .filter(|event| !matches!(event, Event::Read(..)))
                .zip((locations..).map(WriteId))
                .filter_map(|(event, id)| (id == by).then_some(event))
                .filter_map(|event| if let Event::Rmw(_, source) = event { Some(*source) } else { None })
                .collect();
            prop_assert_eq!(read, vec![source]);
        }
        (Refused::Overwritten { write, by }, Event::Read(thread, source) | Event::Rmw(thread, source)) => {
            prop_assert_eq!(write, source);
            prop_assert_eq!(online.location_of(by), online.location_of(write));
            // Whoever reads `by` cannot read the other any more, and the thread knows that there is something to read.
            let stranger = ThreadId(threads);
            let with = |next: &[Event]| -> bool {
                let events: Vec<Event> = so_far.iter().chain(next).copied().collect();
                check(&execution(threads + 1, locations, &events), Model::Ra).is_consistent()
            };
            prop_assert!(with(&[Event::Read(stranger, by)]));
            prop_assert!(!with(&[Event::Read(stranger, by), Event::Read(stranger, source)]));
            prop_assert!(!with(&[Event::Read(thread, online.initial(online.location_of(by)))]));
            prop_assert!(online.slot(by).is_some(), "nothing is overwritten by an initial write");
        }
        _ => return Err(TestCaseError::fail(format!("{event:?}: {refused}"))),
    }
    Ok(())
}

/// Reveals the steps of a machine, all of which must be accepted.
fn accepts(threads: u32, locations: u32, steps: impl Iterator<Item = Step>) -> Online {
    let mut online = online(threads, locations);
    let mut writes: Vec<Vec<WriteId>> = (0..locations).map(|init| vec![WriteId(init)]).collect();
    for (i, Step { thread, op, .. }) in steps.enumerate() {
        let values = &mut writes[op.loc.index()];
        let written = match op.kind {
            Kind::Write => Ok(Some(online.write(thread, op.loc))),
            Kind::Read => online.read(thread, values[op.value as usize]).map(|_| None),
            Kind::Rmw => online.rmw(thread, values[op.read as usize]).map(Some),
            Kind::Fence => Ok(None),
        };
        match written {
            Ok(Some(write)) => {
                let room = values.len().max(op.value as usize + 1);
                values.resize(room, WriteId(u32::MAX));
                values[op.value as usize] = write;
            }
            Ok(None) => {}
            Err(refused) => panic!("step {i}, {op:?}: {refused}"),
        }
    }
    online
}

#[test]
fn long_histories_of_machines_are_accepted() -> Result<(), InvalidClients> {
    for machine in [Machine::View, Machine::Atomic] {
        for (threads, locations, writes, rmws) in [(2, 1, 0.5, 0.0), (8, 3, 0.35, 0.1), (30, 20, 0.1, 0.6)] {
            let orders = Mix::only(tribunal::memory::Order::AcqRel);
            let clients = Clients {
                threads,
                locations,
                writes,
                rmws,
                events: 20_000,
                orders,
                seed: 7,
                ..Clients::default()
            };
            let online = accepts(threads, locations, run(machine, &clients)?);
            let x = online.execution().expect("a history");
            let verdict = check(&x, Model::Ra);
            assert!(verdict.is_consistent());
            verify(&x, Model::Ra, &verdict).expect("a certificate");
        }
    }
    Ok(())
}

#[test]
fn patterns_are_accepted() {
    for pattern in Pattern::ALL {
        let steps = pattern.steps(9, 5_000);
        let locations = steps.iter().map(|step| step.op.loc.0 + 1).max().unwrap_or(0);
        assert_eq!(accepts(9, locations, steps.into_iter()).len(), 5_000);
    }
}

/// As a tester would: threads that come late, and reads that read from any candidate.
#[test]
fn whatever_candidate_is_read_the_execution_stays_consistent() {
    let mut state = 1u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    let mut online = Online::new();
    let x = [online.location(), online.location()];
    let mut threads = Vec::new();
    for i in 0..12_000 {
        if i % 400 == 0 {
            threads.push(online.thread());
        }
        let (thread, x) = (threads[below(threads.len())], x[below(2)]);
        match below(10) {
            0..5 => {
                online.write(thread, x);
            }
            5 => {
                let candidates: Vec<WriteId> = online.rmw_candidates(thread, x).collect();
                if !candidates.is_empty() {
                    online.rmw(thread, candidates[below(candidates.len())]).expect("a candidate");
                }
            }
            _ => {
                let candidates: Vec<WriteId> = online.candidates(thread, x).collect();
                online.read(thread, candidates[below(candidates.len())]).expect("a candidate");
            }
        }
        if i % 1_000 == 999 {
            let x = online.execution().expect("a history");
            assert!(check(&x, Model::Ra).is_consistent(), "after event {i}");
        }
    }
}

#[test]
fn refusals_are_said_in_words() {
    let mut online = Online::new();
    let (t0, t1, x) = (online.thread(), online.thread(), online.location());
    let init = online.initial(x);
    let rmw = online.rmw(t0, init).expect("nobody else did");
    let refused = online.rmw(t1, init).expect_err("one RMW a write");
    assert_eq!(refused, Refused::Shared { write: init, by: rmw });
    assert_eq!(refused.to_string(), "RMW 1 reads from write 0 already");
    let refused = online.read(t0, init).expect_err("overwritten by itself");
    assert_eq!(refused.to_string(), "write 0 is overwritten by write 1, which happens before");
    assert_eq!(online.slot(rmw), Some(Slot { thread: t0, index: 0 }));
    assert_eq!((online.slot(init), online.location_of(init), online.len()), (None, x, 1));
}
