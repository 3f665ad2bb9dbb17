//! Histories in which values repeat: locks, flags, counters. Labels by trying every choice of sources, and every mo.

use crate::engines;
use crate::naive;
use crate::random::Random;
use rayon::prelude::*;
use tribunal::definition::{Definition, NoFiles};
use tribunal::memory::{Execution, Op, Order};
use tribunal::verdict::Verdict;
use tribunal::verify::{verify, verify_violation};
use tribunal::{Model, check};

/// A history of few values, one in four with fences, dependencies or final values; one in twenty reads what nobody wrote.
fn history(seed: u64) -> Execution {
    let mut random = Random(seed);
    let mut b = Execution::builder();
    let threads: Vec<_> = (0..2 + random.below(2)).map(|t| b.thread(&format!("T{t}"))).collect();
    let locations: Vec<_> = ["x", "y"].iter().map(|name| b.location(name)).collect();
    let (fences, deps, finals) = (random.below(4) == 0, random.below(4) == 0, random.below(4) == 0);
    let values = if random.below(20) == 0 { 3 } else { 2 };
    let rmws = random.below(4);
    for _ in 0..4 + random.below(4) {
        let thread = threads[random.below(threads.len() as u64) as usize];
        let loc = locations[random.below(2) as usize];
        let order = Order::ALL[random.below(if fences { 6 } else { 5 }) as usize];
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

#[test]
fn every_choice_of_sources_is_tried_and_every_answer_is_proved() {
    const HISTORIES: u64 = 20_000;
    let open: u64 = (0..HISTORIES)
        .into_par_iter()
        .map(|seed| {
            let x = history(seed);
            let (mut violations, mut allowing) = (Vec::new(), Vec::new());
            for model in Model::ALL {
                let expected = naive::consistent(&x, model);
                // Every engine in one history of eight.
                let verdicts = match seed % 8 {
                    0 => engines::verdicts(&x, model),
                    _ => vec![("auto", check(&x, model))],
                };
                for (engine, verdict) in verdicts {
                    let answer = match &verdict {
                        Verdict::Consistent(_) => Some(true),
                        Verdict::Inconsistent(_) => Some(false),
                        Verdict::Unsupported(_) => None,
                        Verdict::Undecided(limit) => panic!("{seed}, {model} by {engine}: {limit}"),
                    };
                    assert_eq!(answer, expected, "{seed}, {model} by {engine}: {verdict:?}\n{x:?}");
                    if let Err(refusal) = verify(&x, model, &verdict) {
                        panic!("{seed}, {model} by {engine}: {refusal}\n{verdict:?}\n{x:?}");
                    }
                    match verdict {
                        Verdict::Consistent(witness) => {
                            let chosen = x.choosing(witness.sources());
                            let mo = witness.mo();
                            assert!(
                                mo.is_none_or(|mo| naive::satisfies(&chosen, model, mo)),
                                "{seed}, {model} by {engine}: {witness:?}"
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
                    let accepted = verify_violation(&x, model, violation).is_ok();
                    assert!(!accepted, "{seed}, {model}: {violation:?}\n{x:?}");
                }
            }
            u64::from(x.is_open())
        })
        .sum();
    assert!(open > HISTORIES / 2, "only {open} histories have repeated values");
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
