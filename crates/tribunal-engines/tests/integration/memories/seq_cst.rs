//! rc20 and rc11 on random histories with seq_cst, against the definitions.

use crate::memories::engines;
use crate::memories::naive;
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tribunal_formats::{History, Input, open};
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Op, Order, Source};
use tribunal_history::verdict::{Axiom, ModificationOrder, Witness};
use tribunal_history::{model::Model, verdict::Verdict};
use tribunal_random::Random;
use tribunal_verify::{Refusal, verify, verify_witness};

const MODELS: [Model; 2] = [Model::Rc20, Model::Rc11];
const HISTORIES: u64 = 20_000;
const LOCATIONS: [&str; 3] = ["x", "y", "z"];
/// Keeps the number of mo at bay.
const WRITES: usize = 4;

/// A history with seq_cst in which every read reads what was written before, in the order in which it is made, and mostly
/// nothing older than what its thread has seen; with `all`, every event is seq_cst.
fn history(seed: u64, all: bool) -> Execution {
    let mut random = Random::new(seed);
    let (threads, locations) = (2 + random.index(3), [1, 2, 2, 2, 2, 3, 3, 3][random.index(8)]);
    let (fences, seq_cst) = (2 + random.index(6), 1 + random.index(3));
    let mut ops: Vec<Vec<Op>> = vec![Vec::new(); threads];
    let (mut written, mut seen) = (vec![0; locations], vec![vec![0; locations]; threads]);
    for _ in 0..6 + random.index(9) {
        let t = random.index(threads);
        let loc = LocId(random.index(locations) as u32);
        let weaker = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
        let order =
            if all || random.index(seq_cst + 1) > 0 { Order::SeqCst } else { weaker[random.index(4)] };
        let (last, seen) = (&mut written[loc.index()], &mut seen[t][loc.index()]);
        let oldest = if random.one_in(8) { 0 } else { *seen };
        let read = if random.index(4) > 0 { oldest } else { oldest + random.index(*last + 1 - oldest) };
        let op = match random.index(5) {
            _ if random.one_in(fences) => {
                Op::fence(if order == Order::Relaxed { Order::AcqRel } else { order })
            }
            0 | 1 if *last < WRITES => {
                *last += 1;
                *seen = *last;
                let order =
                    if order == Order::Acquire || order == Order::AcqRel { Order::Release } else { order };
                Op::write(loc, *last as u64).order(order)
            }
            2 if *last < WRITES && random.one_in(2) => {
                *last += 1;
                *seen = *last;
                Op::rmw(loc, read as u64, *last as u64).order(order)
            }
            _ => {
                *seen = read;
                let order =
                    if order == Order::Release || order == Order::AcqRel { Order::Acquire } else { order };
                Op::read(loc, read as u64).order(order)
            }
        };
        ops[t].push(op);
    }
    let mut b = Execution::builder();
    LOCATIONS.iter().take(locations).for_each(|name| {
        b.location(name);
    });
    for (t, ops) in ops.iter().enumerate() {
        let t = b.thread(&format!("T{t}"));
        ops.iter().for_each(|&op| {
            b.push(t, op);
        });
    }
    b.build().expect("values are distinct")
}

/// Every mo with the initial writes first.
fn orders(x: &Execution) -> Vec<ModificationOrder> {
    let mut all: Vec<Vec<Vec<EventId>>> = vec![Vec::new()];
    for loc in x.locations() {
        let mut permutations = vec![vec![x.init_write(loc)]];
        for w in x.events().filter(|&e| x.label(e).writes() && x.loc(e) == Some(loc)) {
            let inserted = |order: &Vec<EventId>| {
                let order = order.clone();
                (1..=order.len()).map(move |at| [&order[..at], &[w], &order[at..]].concat())
            };
            permutations = permutations.iter().flat_map(inserted).collect();
        }
        let with = |orders: &Vec<Vec<EventId>>| {
            permutations
                .iter()
                .map(|order| [&orders[..], std::slice::from_ref(order)].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let mo = |orders: &Vec<Vec<EventId>>| {
        let mut mo = ModificationOrder::new();
        orders.iter().for_each(|order| mo.push_location(order.iter().copied()));
        mo
    };
    all.iter().map(mo).collect()
}

#[test]
fn an_mo_is_accepted_if_and_only_if_it_satisfies_the_axioms() {
    let (accepted, by_psc) = (AtomicUsize::new(0), AtomicUsize::new(0));
    (0..HISTORIES).into_par_iter().for_each(|seed| {
        let x = history(seed, false);
        for mo in orders(&x) {
            for model in MODELS {
                let verified = verify_witness(&x, model, &Witness::Mo(mo.clone()));
                let right = verified.is_ok() == naive::satisfies(&x, model, &mo);
                assert!(right, "{seed}, {model}: {verified:?}\n{}\n{mo:?}", shown(&x));
                match verified {
                    Ok(()) => accepted.fetch_add(1, Ordering::Relaxed),
                    Err(Refusal::Broken { axiom: Axiom::SeqCst, .. }) => {
                        by_psc.fetch_add(1, Ordering::Relaxed)
                    }
                    Err(_) => 0,
                };
            }
        }
    });
    let (accepted, by_psc) = (accepted.into_inner(), by_psc.into_inner());
    assert!(accepted > 20_000 && by_psc > 2_000, "{accepted} accepted, {by_psc} refused by psc");
}

/// The definitions' answer, by every engine, with certificates that verify.
#[test]
fn every_engine_agrees_with_the_definitions_and_proves_it() {
    (0..HISTORIES).into_par_iter().for_each(|seed| {
        let x = history(seed, false);
        for model in MODELS {
            judged(&x, model, naive::consistent(&x, model), seed);
        }
    });
}

#[test]
fn where_every_event_is_seq_cst_both_are_sc() {
    (0..HISTORIES / 4).into_par_iter().for_each(|seed| {
        let x = history(seed, true);
        let expected = naive::consistent(&x, Model::Sc);
        for model in MODELS {
            judged(&x, model, expected, seed);
        }
    });
}

/// The same history with every event seq_cst: each read of the same write, whatever its value.
fn strengthened(x: &Execution) -> Execution {
    let source = |e: EventId| match x.rf(e) {
        Some(write) => x.slot(write).map_or(Source::Init, Source::At),
        None => Source::ByValue,
    };
    let mut b = Execution::builder();
    for loc in x.locations() {
        let id = b.location(x.location_name(loc));
        b.init(id, x.init_value(loc));
    }
    for thread in x.threads() {
        let id = b.thread(x.thread_name(thread));
        for e in x.thread_events(thread).map(|e| EventId::from_index(e as usize)) {
            let op = match (x.label(e).kind(), x.loc(e)) {
                (Kind::Read, Some(loc)) => Op::read(loc, x.value(e)).from(source(e)),
                (Kind::Write, Some(loc)) => Op::write(loc, x.value(e)),
                (Kind::Rmw, Some(loc)) => {
                    Op::rmw(loc, x.value_read(e).expect("an RMW reads"), x.value(e)).from(source(e))
                }
                _ => Op::fence(Order::SeqCst),
            };
            b.push(id, op.order(Order::SeqCst));
        }
    }
    for &(loc, write) in x.finals() {
        b.final_value(loc, x.value(write));
    }
    b.build().expect("as before")
}

#[test]
fn both_are_sc_on_the_corpora_if_every_event_is_seq_cst() -> Result<(), tribunal_formats::Error> {
    for corpus in ["memory-public.jsonl.zst", "seqcst-public.jsonl.zst"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(corpus);
        let histories: Vec<History> = open(&Input::Path(path), None)?.collect::<Result<_, _>>()?;
        histories.par_iter().for_each(|history| {
            let x = strengthened(history.memory().expect("of a memory"));
            let labeled = history.labels.0.iter().find(|(name, _)| name.as_str() == "sc");
            let (_, sc) = labeled.expect("a label for sc");
            for model in MODELS {
                judged(&x, model, *sc, history.line);
            }
        });
    }
    Ok(())
}

fn judged(x: &Execution, model: Model, expected: Option<bool>, seed: u64) {
    for (engine, verdict) in engines::verdicts(x, model) {
        let answer = match verdict {
            Verdict::Consistent(_) => Some(true),
            Verdict::Inconsistent(_) => Some(false),
            _ => None,
        };
        assert_eq!(answer, expected, "{seed}, {model} by {engine}\n{}", shown(x));
        let verified = verify(x, model, &verdict);
        assert_eq!(verified, Ok(()), "{seed}, {model} by {engine}: {verdict:?}\n{}", shown(x));
    }
}

fn shown(x: &Execution) -> String {
    x.events().map(|e| x.show(e).to_string()).collect::<Vec<_>>().join("\n")
}

/// A fence comes before another if a seq_cst write behind the one is read before the other, although nothing is acquired.
#[test]
fn fences_are_ordered_by_what_is_read_of_a_seq_cst_write() {
    let mut b = Execution::builder();
    let threads = ["T0", "T1", "T2"].map(|name| b.thread(name));
    let [x, y, z] = LOCATIONS.map(|name| b.location(name));
    let seq_cst = |op: Op| op.order(Order::SeqCst);
    let [t0, t1, t2] = threads;
    b.push(t0, Op::write(y, 1));
    b.push(t0, Op::fence(Order::SeqCst));
    b.push(t0, seq_cst(Op::write(x, 1)));
    b.push(t1, Op::read(x, 1));
    b.push(t1, Op::write(z, 1).order(Order::Release));
    b.push(t2, Op::read(z, 1).order(Order::Acquire));
    b.push(t2, Op::fence(Order::SeqCst));
    b.push(t2, Op::read(y, 0).from(Source::Init));
    let history = b.build().expect("a history");
    for model in MODELS {
        assert_eq!(naive::consistent(&history, model), Some(false));
        assert!(tribunal_engines::memory::check(&history, model).is_inconsistent(), "{model}");
    }
}
