//! Every engine for memories keeps its memory limit: no more than a tenth over it, beside what the history takes.

use crate::allocations::{alone, held_by, peak_of};
use tribunal_engines::Engine;
use tribunal_engines::memory::{engines, judge_by};
use tribunal_history::memory::{Execution, LocId, Op};
use tribunal_history::verdict::{Limit, Verdict};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::satisfiability::{Reduction, history};
use tribunal_machines::hard::{Formula, Lock};
use tribunal_machines::{Clients, Machine, execution};
use tribunal_verify::verify_within;

/// `threads` threads that each do this, given their number.
fn threads_of(threads: u32, ops: impl Fn(u32, &mut dyn FnMut(&str) -> LocId) -> Vec<Op>) -> Execution {
    let mut b = Execution::builder();
    for t in 0..threads {
        let thread = b.thread(&format!("T{t}"));
        let ops = ops(t, &mut |name| b.location(name));
        for op in ops {
            b.push(thread, op);
        }
    }
    b.build().expect("every value read was written once")
}

fn machine(machine: Machine, threads: u32, locations: u32, events: u64) -> Execution {
    let clients =
        Clients { threads, locations, events, writes: 0.4, rmws: 0.05, fences: 0.02, ..Clients::default() };
    execution(machine, &clients).expect("clients that can run")
}

fn without_fences(machine: Machine, threads: u32, locations: u32, events: u64) -> Execution {
    let clients =
        Clients { threads, locations, events, writes: 0.4, rmws: 0.05, fences: 0.0, ..Clients::default() };
    execution(machine, &clients).expect("clients that can run")
}

fn seq_cst(machine: Machine, threads: u32, locations: u32, events: u64) -> Execution {
    let orders = "relaxed=3,acquire=2,release=2,acq_rel=1,seq_cst=2".parse().expect("a mix of orders");
    let clients = Clients { threads, locations, events, fences: 0.1, orders, ..Clients::default() };
    execution(machine, &clients).expect("clients that can run")
}

fn families() -> Vec<(&'static str, Execution)> {
    let chain = |t: u32, loc: &mut dyn FnMut(&str) -> _| {
        let x = loc("x");
        vec![Op::read(x, u64::from(t)), Op::write(x, u64::from(t) + 1)]
    };
    let writes = |t: u32, loc: &mut dyn FnMut(&str) -> _| vec![Op::write(loc("x"), u64::from(t) + 1)];
    let own = |t: u32, loc: &mut dyn FnMut(&str) -> _| {
        let (own, x) = (loc(&format!("x{t}")), loc("x0"));
        vec![Op::write(own, 1), Op::read(x, 1)]
    };
    let mut families = vec![
        ("3,000 threads of one write", threads_of(3_000, writes)),
        ("2,000 threads, each reading what the one before wrote", threads_of(2_000, chain)),
        ("2,000 threads with a location each", threads_of(2_000, own)),
        ("atomic, 8 threads", machine(Machine::Atomic, 8, 16, 10_000)),
        ("atomic, 8 threads, no fences", without_fences(Machine::Atomic, 8, 16, 10_000)),
        ("atomic, 60 threads, no fences", without_fences(Machine::Atomic, 60, 4, 10_000)),
        ("atomic, 2,000 threads", without_fences(Machine::Atomic, 2_000, 16, 10_000)),
        ("tso, 8 threads", machine(Machine::Tso, 8, 16, 10_000)),
        ("rmo, 16 threads", machine(Machine::Rmo, 16, 16, 10_000)),
        ("view, 16 threads", machine(Machine::View, 16, 16, 10_000)),
        ("view, 500 threads", machine(Machine::View, 500, 16, 10_000)),
        ("view, seq_cst", seq_cst(Machine::View, 8, 16, 10_000)),
        ("view, seq_cst, 500 threads", seq_cst(Machine::View, 500, 16, 10_000)),
        ("atomic, seq_cst, 5,000 locations", seq_cst(Machine::Atomic, 8, 5_000, 10_000)),
        ("lock", Lock { handovers: 500, ..Lock::default() }.history()),
        ("view, 5,000 locations", machine(Machine::View, 8, 5_000, 10_000)),
    ];
    for reduction in Reduction::ALL {
        let formula = Formula::random(20, 4.26, 7).expect("a formula");
        families.push(("3-SAT", history(&formula, reduction)));
    }
    families
}

#[test]
fn every_engine_keeps_its_memory_limit() {
    let _alone = alone();
    let mut broken = Vec::new();
    for (name, history) in families() {
        let bytes = held_by(|| history.clone()).1;
        for model in Model::ALL {
            for &engine in engines(model) {
                for limit in [1 << 16, 1 << 20, 1 << 22, 1 << 24] {
                    // Searches are ended by their states, so that the test ends.
                    let max_states = if engine == Engine::Enum { 20 } else { 5_000 };
                    let limits = Limits { max_memory: limit, max_states, ..Limits::default() };
                    let (judged, peak) = peak_of(|| judge_by(&history, model, engine, &limits));
                    let verdict = judged.expect("one of the model's engines").0;
                    let allowed = limit + limit / 10 + bytes;
                    if peak > allowed {
                        let word = verdict.word();
                        broken.push(format!(
                            "{name}: {model} by {}: {peak} bytes, allowed {allowed}: {word}",
                            engine.name()
                        ));
                    }
                    if matches!(verdict, Verdict::Undecided(Limit::Memory { bytes, .. }) if bytes != limit) {
                        broken.push(format!("{name}: {model}: the limit is misstated"));
                    }
                    let within = Limits { max_memory: limit, ..Limits::default() };
                    let (_, peak) = peak_of(|| verify_within(&history, model, &verdict, &within));
                    if peak > allowed {
                        broken.push(format!("{name}: verify {model}: {peak} bytes, allowed {allowed}"));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} broken\n{}", broken.len(), broken.join("\n"));
}
