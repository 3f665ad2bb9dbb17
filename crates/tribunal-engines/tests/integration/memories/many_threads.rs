//! Histories of many threads: pasts are kept in another way then, and nothing else changes.

use proptest::prelude::*;
use rayon::prelude::*;
use std::path::PathBuf;
use tribunal_engines::memory::{check, judge};
use tribunal_formats::{Input, open};
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Op, Slot, Source, ThreadId};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_machines::{Clients, Machine, execution};
use tribunal_verify::verify;

/// The history, with threads that do nothing.
fn with_idle_threads(x: &Execution, idle: usize) -> Execution {
    let mut b = Execution::builder();
    for loc in x.locations() {
        let copy = b.location(x.location_name(loc));
        b.init(copy, x.value(x.init_write(loc)));
    }
    let threads: Vec<ThreadId> = x.threads().map(|t| b.thread(x.thread_name(t))).collect();
    for i in 0..idle {
        b.thread(&format!("idle {i}"));
    }
    for (t, &copy) in x.threads().zip(&threads) {
        for e in x.thread_events(t).map(EventId) {
            let label = x.label(e);
            let loc = x.loc(e).unwrap_or(LocId(0));
            let read = x.rf(e).map_or(0, |w| x.value(w));
            let op = match label.kind() {
                Kind::Read => Op::read(loc, read),
                Kind::Write => Op::write(loc, x.value(e)),
                Kind::Rmw => Op::rmw(loc, read, x.value(e)),
                Kind::Fence => Op::fence(label.order()),
            };
            let source = x.rf(e).map_or(Source::ByValue, |w| x.slot(w).map_or(Source::Init, Source::At));
            let slot: Slot = b.push(copy, op.order(label.order()).from(source));
            for on in x.deps(e) {
                b.depends(slot, on.0 - x.thread_events(t).start);
            }
        }
    }
    for &(loc, write) in x.finals() {
        b.final_value(loc, x.value(write));
    }
    b.build().expect("a copy of a history")
}

/// The answers of all models, which are the same and verified with idle threads as without.
fn unchanged_by_idle_threads(x: &Execution) -> Result<(), String> {
    let many = with_idle_threads(x, 70);
    for model in Model::ALL {
        let (few, many_verdict) = (check(x, model), check(&many, model));
        if few.word() != many_verdict.word() {
            return Err(format!(
                "{model}: {} with idle threads, {} without",
                many_verdict.word(),
                few.word()
            ));
        }
        if let Err(refusal) = verify(&many, model, &many_verdict) {
            return Err(format!("{model}: {}: {refusal}", many_verdict.word()));
        }
    }
    Ok(())
}

#[test]
fn idle_threads_change_no_verdict_of_the_corpus() -> Result<(), tribunal_formats::Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    let corpus: Vec<_> = open(&Input::Path(path), None)?.collect::<Result<_, _>>()?;
    let wrong: Vec<String> = corpus
        .par_iter()
        .filter_map(|history| {
            let x = history.memory().expect("of a memory");
            unchanged_by_idle_threads(x).err().map(|what| format!("line {}: {what}", history.line))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// A history of a machine in which one read may read something else.
fn machine_history(
    machine: Machine,
    threads: u32,
    shape: (u32, u64, f64, f64, f64),
    seed: u64,
    change: Option<(prop::sample::Index, prop::sample::Index)>,
) -> Execution {
    let (locations, events, writes, rmws, fences) = shape;
    let clients = Clients { threads, locations, events, writes, rmws, fences, seed, ..Clients::default() };
    let x = execution(machine, &clients).expect("clients that can run");
    let reads: Vec<EventId> = x.events().filter(|&e| x.label(e).kind() == Kind::Read).collect();
    let Some((read, write)) = change.filter(|_| !reads.is_empty()) else { return x };
    let read = *read.get(&reads);
    let loc = x.loc(read);
    let writes: Vec<EventId> = x.events().filter(|&e| x.label(e).writes() && x.loc(e) == loc).collect();
    if writes.is_empty() {
        return x;
    }
    let write = *write.get(&writes);
    let mut b = Execution::builder();
    for loc in x.locations() {
        b.location(x.location_name(loc));
    }
    for t in x.threads() {
        b.thread(x.thread_name(t));
    }
    for t in x.threads() {
        for e in x.thread_events(t).map(EventId) {
            let loc = x.loc(e).unwrap_or(LocId(0));
            let from = if e == read { Some(write) } else { x.rf(e) };
            let value = from.map_or(0, |w| x.value(w));
            let op = match x.label(e).kind() {
                Kind::Read => Op::read(loc, value),
                Kind::Write => Op::write(loc, x.value(e)),
                Kind::Rmw => Op::rmw(loc, value, x.value(e)),
                Kind::Fence => Op::fence(x.label(e).order()),
            };
            b.push(t, op.order(x.label(e).order()));
        }
    }
    b.build().expect("a copy of a history")
}

fn shape() -> impl Strategy<Value = (u32, u64, f64, f64, f64)> {
    let shares =
        prop::sample::select(vec![(0.5, 0.0, 0.0), (0.35, 0.0, 0.0), (0.3, 0.1, 0.0), (0.35, 0.1, 0.05)]);
    (1..=12u32, 50..=1000u64, shares).prop_map(|(locations, events, (w, r, f))| (locations, events, w, r, f))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn idle_threads_change_no_verdict_of_machines(
        machine in prop::sample::select(Machine::ALL.to_vec()),
        threads in 2..=8u32,
        shape in shape(),
        seed in any::<u64>(),
        change in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let x = machine_history(machine, threads, shape, seed, change);
        prop_assert_eq!(unchanged_by_idle_threads(&x), Ok(()));
    }

    #[test]
    fn certificates_of_many_threads_verify(
        machine in prop::sample::select(vec![Machine::Atomic, Machine::Tso, Machine::View]),
        threads in 65..=300u32,
        shape in shape(),
        seed in any::<u64>(),
        change in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let unchanged = change.is_none();
        let x = machine_history(machine, threads, shape, seed, change);
        for model in [Model::Ra, Model::Rc20, Model::Wra, Model::Cc, Model::Ccv, Model::Relaxed, Model::Sra] {
            // sra is NP-complete with RMWs.
            let limits = Limits { max_states: 500, ..Limits::default() };
            let verdict = judge(&x, model, &limits).0;
            if matches!(verdict, Verdict::Undecided(_)) {
                continue;
            }
            if unchanged && matches!(machine, Machine::Atomic) {
                prop_assert!(!matches!(verdict, Verdict::Inconsistent(_)), "{} of atomic memory", model);
            }
            prop_assert_eq!(verify(&x, model, &verdict).err().map(|refusal| refusal.to_string()), None, "{}", model);
        }
    }
}
