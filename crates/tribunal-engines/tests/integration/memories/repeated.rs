//! Histories in which values repeat: locks, flags, counters. Labels by trying every choice of sources, and every mo.

use crate::memories::engines;
use crate::memories::naive;
use rayon::prelude::*;
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Op, Order};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{Definition, NoFiles};
use tribunal_history::model::{Keep, Preserved};
use tribunal_history::verdict::Verdict;
use tribunal_random::Random;
use tribunal_verify::{verify, verify_violation};

/// A history of few values, one in four with fences, dependencies or final values; one in twenty reads what nobody wrote.
fn history(seed: u64) -> Execution {
    let mut random = Random::new(seed);
    let fences = random.below(4) == 0;
    drawn(&mut random, fences, &Order::ALL[..if fences { 6 } else { 5 }])
}

/// The same with few orders but seq_cst; in one of two all are.
fn of_seq_cst(seed: u64) -> Execution {
    let mut random = Random::new(seed);
    let (fences, sc) = (random.below(4) == 0, Order::SeqCst);
    let orders = [sc, sc, sc, sc, Order::Relaxed, Order::AcqRel];
    drawn(&mut random, fences, &orders[..if seed.is_multiple_of(2) { 4 } else { 6 }])
}

fn drawn(random: &mut Random, fences: bool, orders: &[Order]) -> Execution {
    let mut b = Execution::builder();
    let threads: Vec<_> = (0..2 + random.below(2)).map(|t| b.thread(&format!("T{t}"))).collect();
    let locations: Vec<_> = ["x", "y"].iter().map(|name| b.location(name)).collect();
    let (deps, finals) = (random.below(4) == 0, random.below(4) == 0);
    let values = if random.below(20) == 0 { 3 } else { 2 };
    let rmws = random.below(4);
    for _ in 0..4 + random.below(4) {
        let thread = threads[random.below(threads.len() as u64) as usize];
        let loc = locations[random.below(2) as usize];
        let order = orders[random.below(orders.len() as u64) as usize];
        let (value, read) = (random.below(values), random.below(values));
        let op = match random.below(8) {
            0 if fences && Order::OF_FENCES.contains(&order) => Op::fence(order),
            0..=1 if rmws > 0 && order != Order::NonAtomic => Op::rmw(loc, read, value).order(order),
            0..=3 => Op::write(loc, value).order(order),
            _ => Op::read(loc, value).order(order),
        };
        let slot = b.push(thread, op);
        if deps && slot.index > 0 && random.below(2) == 0 {
            // Malformed unless the event before reads: then there is no dependency.
            let mut with = b.clone();
            with.depends(slot, slot.index - 1);
            b = if with.clone().build().is_ok() { with } else { b };
        }
    }
    if finals {
        b.final_value(locations[0], random.below(2));
    }
    b.build().expect("a history")
}

/// Some pair (po-mm, rf-mm).
fn pair(seed: u64) -> Model {
    let mut random = Random::new(!seed);
    let mut keep = || [Keep::Never, Keep::SameLocation, Keep::Always, Keep::Always][random.below(4) as usize];
    let (rr, rw, wr, ww) = (keep(), keep(), keep(), keep());
    let mut flag = || random.below(2) == 0;
    let (rmws, dependencies, internal_rf, load_hazards) = (flag(), flag(), flag(), flag());
    Model::Custom(Preserved { rr, rw, wr, ww, rmws, dependencies, times: false, internal_rf, load_hazards })
}

/// Asks these models of a history, by every engine if so said: each gives the answer of the definitions, and proves it.
fn judged_right(x: &Execution, models: &[Model], all_engines: bool) {
    let (mut violations, mut allowing) = (Vec::new(), Vec::new());
    for &model in models {
        let expected = naive::consistent(x, model);
        let verdicts =
            if all_engines { engines::verdicts(x, model) } else { vec![("auto", check(x, model))] };
        for (engine, verdict) in verdicts {
            let answer = match &verdict {
                Verdict::Consistent(_) => Some(true),
                Verdict::Inconsistent(_) => Some(false),
                Verdict::Unsupported(_) => None,
                Verdict::Undecided(limit) => panic!("{model} by {engine}: {limit}\n{x:?}"),
            };
            assert_eq!(answer, expected, "{model} by {engine}: {verdict:?}\n{x:?}");
            if let Err(refusal) = verify(x, model, &verdict) {
                panic!("{model} by {engine}: {refusal}\n{verdict:?}\n{x:?}");
            }
            match verdict {
                Verdict::Consistent(witness) => {
                    let chosen = x.choosing(witness.sources());
                    let mo = witness.mo();
                    assert!(
                        mo.is_none_or(|mo| naive::satisfies(&chosen, model, mo)),
                        "{model} by {engine}: {witness:?}\n{x:?}"
                    );
                    allowing.push(model);
                }
                Verdict::Inconsistent(violation) => violations.push(violation),
                _ => {}
            }
        }
    }
    // What refutes one model refutes no model that allows the history.
    for model in allowing {
        for violation in &violations {
            let accepted = verify_violation(x, model, violation).is_ok();
            assert!(!accepted, "{model}: {violation:?}\n{x:?}");
        }
    }
}

#[test]
fn every_choice_of_sources_is_tried_and_every_answer_is_proved() {
    const HISTORIES: u64 = 20_000;
    let open: u64 = (0..HISTORIES)
        .into_par_iter()
        .map(|seed| {
            let x = history(seed);
            // Every engine in one history of eight.
            judged_right(&x, &Model::ALL, seed % 8 == 0);
            u64::from(x.is_open())
        })
        .sum();
    assert!(open > HISTORIES / 2, "only {open} histories have repeated values");
}

#[test]
fn so_it_is_for_pairs_of_po_and_rf() {
    (0..8_000u64).into_par_iter().for_each(|seed| {
        judged_right(&history(seed), &[pair(2 * seed), pair(2 * seed + 1)], seed % 4 == 0);
    });
}

#[test]
fn so_it_is_with_seq_cst() {
    (0..8_000u64).into_par_iter().for_each(|seed| {
        judged_right(&of_seq_cst(seed), &[Model::Rc20, Model::Rc11], seed % 4 == 0);
    });
}

/// An execution of rc11, or nearly so, in which two accesses of one location follow each other: the first of them by an interleaving, with the
/// source of each read. A read between them that may be left out is none of another location.
#[test]
fn so_it_is_where_rc11_looks_at_locations() {
    let open: u64 = (0..3_000u64)
        .into_par_iter()
        .map(|seed| {
            let mut random = Random::new(seed);
            let mut b = Execution::builder();
            let threads: Vec<_> = (0..4).map(|t| b.thread(&format!("T{t}"))).collect();
            let (x, y) = (b.location("x"), b.location("y"));
            let mut order = |orders: [Order; 3]| orders[random.below(3) as usize];
            let (sc, release, acquire) = (Order::SeqCst, Order::Release, Order::Acquire);
            b.push(threads[0], Op::write(x, 1).order(order([sc, sc, release])));
            b.push(threads[0], Op::read(x, 1).order(order([Order::Relaxed, acquire, sc])));
            b.push(threads[0], Op::write(x, 2).order(order([release, release, sc])));
            b.push(threads[1], Op::read(x, 2).order(order([acquire, acquire, sc])));
            b.push(threads[1], Op::read(y, 0).order(order([sc, sc, acquire])));
            b.push(threads[2], Op::write(y, 1).order(order([sc, sc, release])));
            b.push(threads[2], Op::read(x, 0).order(order([sc, sc, acquire])));
            // One event more, somewhere; and who else wrote 1 to x.
            let extra = threads[random.below(3) as usize];
            let loc = if random.below(2) == 0 { x } else { y };
            match random.below(4) {
                0 => _ = b.push(extra, Op::read(loc, random.below(2))),
                1 => _ = b.push(extra, Op::write(loc, 3)),
                2 => _ = b.push(extra, Op::fence(sc)),
                _ => {}
            }
            b.push(threads[3], Op::write(x, 1));
            let x = b.build().expect("a history");
            judged_right(&x, &[Model::Rc20, Model::Rc11], seed % 4 == 0);
            u64::from(x.is_open())
        })
        .sum();
    assert!(open > 2_000, "only {open} histories have repeated values");
}

/// A pair that says `rmw=none` keeps nothing of an RMW: an open one is no plain write, and no RMW is on the line of the writes.
#[test]
fn an_open_rmw_keeps_no_more_than_with_a_source() {
    let pair = |text: &str| Model::Custom(text.parse().expect("a pair"));
    let mut b = Execution::builder();
    let [t0, t1, t2] = ["T0", "T1", "T2"].map(|name| b.thread(name));
    let (x, y) = (b.location("x"), b.location("y"));
    b.push(t0, Op::rmw(x, 2, 2));
    b.push(t0, Op::read(y, 0));
    b.push(t1, Op::write(y, 1));
    b.push(t1, Op::fence(Order::SeqCst));
    b.push(t1, Op::rmw(x, 0, 2));
    b.push(t2, Op::write(x, 2));
    let history = b.build().expect("a history");
    let model = pair("po-mm=WR;rf-mm=rfe;rmw=none");
    assert_eq!(naive::consistent(&history, model), Some(true));
    judged_right(&history, &[model], true);

    let mut b = Execution::builder();
    let (t0, x) = (b.thread("T0"), b.location("x"));
    b.push(t0, Op::write(x, 3));
    b.push(t0, Op::write(x, 2));
    b.push(t0, Op::rmw(x, 3, 1));
    judged_right(&b.build().expect("a history"), &[pair("po-mm=WW;rf-mm=rfe;rmw=none")], true);

    let mut b = Execution::builder();
    let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
    b.push(t0, Op::write(x, 1));
    b.push(t0, Op::write(x, 2));
    b.push(t0, Op::rmw(x, 4, 3));
    b.push(t1, Op::rmw(x, 1, 4));
    judged_right(&b.build().expect("a history"), &[pair("po-mm=RW+WW;rf-mm=rfe;rmw=none")], true);
}

/// Where all events are seq_cst, rc20 is sc; some of the cases are refuted as the one, some as the other.
#[test]
fn cases_of_seq_cst_are_proved_as_they_come() {
    let sc = Order::SeqCst;
    let mut b = Execution::builder();
    let [t0, t1, t2] = ["T0", "T1", "T2"].map(|name| b.thread(name));
    let y = b.location("y");
    b.push(t0, Op::read(y, 1).order(sc));
    b.push(t0, Op::rmw(y, 1, 1).order(sc));
    b.push(t1, Op::write(y, 1).order(sc));
    b.push(t2, Op::read(y, 1).order(sc));
    b.push(t2, Op::read(y, 0).order(sc));
    b.push(t2, Op::write(y, 1).order(sc));
    judged_right(&b.build().expect("a history"), &[Model::Rc20, Model::Rc11, Model::Sc], true);
}

/// What an absent source means is left to the text: nothing is eliminated, and what is missing of rf only grows.
#[test]
fn a_model_given_as_text_is_the_model() {
    let given = Model::ALL.map(|model| {
        let definition = Definition::new(&format!("{model}.cat"), &model.text(), &mut NoFiles);
        (model, Model::Cat(definition.expect("its own text")))
    });
    (0..1_500u64).into_par_iter().for_each(|seed| {
        let x = history(seed);
        for (model, given) in given {
            let Some(expected) = naive::consistent(&x, model) else { continue };
            let verdict = check(&x, given);
            assert_eq!(verdict.is_consistent(), expected, "{given}: {verdict:?} of {x:?}");
            assert_eq!(verify(&x, given, &verdict), Ok(()), "{given}: {verdict:?} of {x:?}");
        }
    });
}
