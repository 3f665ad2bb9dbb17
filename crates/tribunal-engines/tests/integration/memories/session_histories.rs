//! Histories that are revealed to sessions: labeled ones, long ones and patterns.

use std::path::PathBuf;
use tribunal_engines::memory::check;
use tribunal_engines::memory::session::{Because, Session, WriteId};
use tribunal_formats::{Input, open};
use tribunal_history::memory::{EventId, Execution, Kind, Order};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::Pattern;
use tribunal_machines::{Clients, Machine, Mix, Step, run};
use tribunal_random::Random;
use tribunal_verify::verify;

fn session(model: Model, threads: usize, locations: usize) -> (Session, Vec<WriteId>) {
    let mut session = Session::new(model).expect("a model with sessions");
    (0..threads).for_each(|_| _ = session.thread());
    let mut initial = || {
        let loc = session.location();
        session.initial(loc).expect("nothing is retired")
    };
    let initial = (0..locations).map(|_| initial()).collect();
    (session, initial)
}

/// What came of revealing a history.
#[derive(PartialEq)]
enum Revealed {
    /// Every event was accepted.
    All,
    /// The rest is a cycle of po and rf.
    Cycle,
    /// An event was refused.
    Refused,
}

/// Reveals the events in an order that contains po and rf, until one is refused. A refused one is inconsistent by `check`.
fn reveal(x: &Execution, model: Model) -> Revealed {
    let (mut session, mut writes) = session(model, x.thread_count(), x.location_count());
    let mut next: Vec<u32> = x.threads().map(|thread| x.thread_events(thread).start).collect();
    let mut number = vec![None; x.len() + x.location_count()];
    x.locations().for_each(|loc| number[x.init_write(loc).index()] = Some(loc.index()));
    let mut moved = true;
    while moved {
        moved = false;
        for thread in x.threads() {
            let e = EventId(next[thread.index()]);
            if e.0 == x.thread_events(thread).end {
                continue;
            }
            let source = match x.rf(e).map(|source| number[source.index()]) {
                Some(None) => continue,
                Some(Some(source)) => writes[source],
                None => writes.first().copied().unwrap_or_else(|| unreachable!("a fence before locations")),
            };
            (next[thread.index()], moved) = (e.0 + 1, true);
            let order = x.label(e).order();
            let written = match (x.label(e).kind(), x.loc(e)) {
                (Kind::Write, Some(loc)) => Ok(Some(session.write(thread, loc, order))),
                (Kind::Rmw, _) => session.rmw(thread, source, order).map(Some),
                (Kind::Read, _) => session.read(thread, source, order).map(|()| None),
                _ => {
                    session.fence(thread, order);
                    Ok(None)
                }
            };
            match written {
                Ok(Some(write)) => {
                    number[e.index()] = Some(writes.len());
                    writes.push(write);
                }
                Ok(None) => {}
                Err(refused) => {
                    let refutation = session.refutation(&refused, &Limits::default()).expect("a history");
                    let (x, verdict) = refutation.expect("nothing is retired");
                    assert!(verdict.is_inconsistent());
                    verify(&x, model, &verdict).expect("a certificate");
                    return Revealed::Refused;
                }
            }
        }
    }
    let all = x.threads().all(|thread| next[thread.index()] == x.thread_events(thread).end);
    if all { Revealed::All } else { Revealed::Cycle }
}

#[test]
fn the_corpus_is_accepted_up_to_the_first_inconsistent_moment() -> Result<(), tribunal_formats::Error> {
    const EXACT: [Model; 4] = [Model::Ra, Model::Rc20, Model::Relaxed, Model::Wra];
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    let [mut accepted, mut refused] = [0; 2];
    for history in open(&Input::Path(path), None)? {
        let history = history?;
        let x = history.memory().expect("of a memory");
        // Final values and values that repeat are none of a session's business.
        if !x.finals().is_empty() || x.is_open() || x.location_count() == 0 {
            continue;
        }
        for model in EXACT.into_iter().chain([Model::Sra, Model::Sc, Model::Tso, Model::Pso]) {
            let revealed = reveal(x, model);
            let consistent = check(x, model).is_consistent();
            let exact = EXACT.contains(&model) && !(model == Model::Rc20 && x.features().seq_cst);
            match revealed {
                Revealed::All => assert!(!exact || consistent, "{model}, line {}", history.line),
                _ => assert!(!consistent, "{model}, line {}", history.line),
            }
            *if revealed == Revealed::All { &mut accepted } else { &mut refused } += 1;
        }
    }
    assert!(accepted > 2_000 && refused > 2_000, "{accepted} accepted, {refused} refused");
    Ok(())
}

/// Reveals the steps of a machine, all of which must be accepted.
fn accepts(model: Model, (threads, locations): (u32, u32), steps: impl Iterator<Item = Step>) -> Session {
    let (mut session, initial) = session(model, threads as usize, locations as usize);
    let mut writes: Vec<Vec<Option<WriteId>>> = initial.iter().map(|&init| vec![Some(init)]).collect();
    for (i, Step { thread, op, .. }) in steps.enumerate() {
        if op.kind == Kind::Fence {
            session.fence(thread, op.order);
            continue;
        }
        let values = &mut writes[op.loc.index()];
        let from = |value: u64| values[value as usize].expect("a write that came before");
        let written = match op.kind {
            Kind::Read => session.read(thread, from(op.value), op.order).map(|_| None),
            Kind::Rmw => session.rmw(thread, from(op.read), op.order).map(Some),
            _ => Ok(Some(session.write(thread, op.loc, op.order))),
        };
        match written {
            Ok(Some(write)) => {
                let room = values.len().max(op.value as usize + 1);
                values.resize(room, None);
                values[op.value as usize] = Some(write);
            }
            Ok(None) => {}
            Err(refused) => panic!("{model}, step {i}, {op:?}: {refused}"),
        }
    }
    session
}

#[test]
fn long_histories_of_machines_are_accepted() {
    let cases = [
        (Model::Ra, Machine::View),
        (Model::Ra, Machine::Atomic),
        (Model::Rc20, Machine::View),
        (Model::Wra, Machine::View),
        (Model::Sra, Machine::Atomic),
        (Model::Sc, Machine::Atomic),
        (Model::Tso, Machine::Tso),
        (Model::Pso, Machine::Pso),
    ];
    for (model, machine) in cases {
        for (threads, locations, writes, rmws) in [(2, 1, 0.5, 0.0), (8, 3, 0.35, 0.1), (30, 20, 0.1, 0.6)] {
            let usual =
                Clients { threads, locations, writes, rmws, events: 5_000, seed: 7, ..Clients::default() };
            let clients = match model {
                Model::Ra | Model::Wra => Clients { orders: Mix::only(Order::AcqRel), ..usual },
                _ => usual,
            };
            let session = accepts(model, (threads, locations), run(machine, &clients).expect("clients"));
            let x = session.execution().expect("a history");
            let verdict = session.settle(&Limits::default()).expect("a history");
            assert!(verdict.is_consistent(), "{model}");
            verify(&x, model, &verdict).expect("a certificate");
        }
    }
}

#[test]
fn patterns_are_accepted() {
    for pattern in Pattern::ALL {
        let steps = pattern.steps(9, 5_000);
        let locations = steps.iter().map(|step| step.op.loc.0 + 1).max().unwrap_or(0);
        assert_eq!(accepts(Model::Ra, (9, locations), steps.into_iter()).len(), 5_000);
    }
}

/// As a tester would: threads that come late, and reads that read from any candidate.
#[test]
fn whatever_candidate_is_read_the_execution_stays_consistent() {
    for model in [Model::Ra, Model::Rc20, Model::Rc11, Model::Wra] {
        let mut numbers = Random::new(1);
        let mut below = |bound: usize| numbers.index(bound);
        let mut session = Session::new(model).expect("a model with sessions");
        let x = [session.location(), session.location()];
        let mut threads = Vec::new();
        for i in 0..6_000 {
            if i % 400 == 0 {
                threads.push(session.thread());
            }
            let (thread, x) = (threads[below(threads.len())], x[below(2)]);
            let order = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel][below(4)];
            match below(11) {
                0..5 => _ = session.write(thread, x, order),
                5 => {
                    let candidates = session.rmw_candidates(thread, x, order);
                    if !candidates.is_empty() {
                        let from = candidates[below(candidates.len())];
                        session.rmw(thread, from, order).expect("a candidate");
                    }
                }
                6 if order != Order::Relaxed => session.fence(thread, order),
                _ => {
                    let candidates = session.candidates(thread, x, order);
                    let from = candidates[below(candidates.len())];
                    session.read(thread, from, order).expect("a candidate");
                }
            }
            if i % 1_000 == 999 {
                let x = session.execution().expect("a history");
                assert!(check(&x, model).is_consistent(), "{model}, after event {i}");
            }
        }
    }
}

#[test]
fn refusals_are_said_in_words() {
    let mut session = Session::new(Model::Ra).expect("a model with sessions");
    let (t0, t1, x) = (session.thread(), session.thread(), session.location());
    let init = session.initial(x).expect("nothing is retired");
    let rmw = session.rmw(t0, init, Order::AcqRel).expect("nobody else did");
    let refused = session.rmw(t1, init, Order::AcqRel).expect_err("one RMW a write");
    assert_eq!(refused.because, Because::Shared { by: rmw });
    assert_eq!(refused.to_string(), "RMW 1 already reads from that write");
    let refused = session.read(t0, init, Order::AcqRel).expect_err("overwritten by itself");
    assert_eq!(refused.because, Because::Overwritten { by: rmw });
    assert_eq!(refused.to_string(), "write 1 overwrites that write before this event");
    assert_eq!((session.slot(init), session.location_of(init), session.len()), (None, Some(x), 1));
    assert!(Session::new(Model::Pram).is_err());
}

#[test]
#[should_panic(expected = "the mark is void")]
fn a_mark_behind_which_the_session_went_is_void() {
    let mut session = Session::new(Model::Sc).expect("a model with sessions");
    let (t, x) = (session.thread(), session.location());
    let first = session.mark();
    session.write(t, x, Order::Relaxed);
    let second = session.mark();
    session.undo(first);
    session.write(t, x, Order::Relaxed);
    session.undo(second);
}
