//! A checker that is kept: it gives what other ways to judge give.

use tribunal_engines::Engine;
use tribunal_engines::memory::{Checker, engines, judge, judge_by};
use tribunal_history::memory::{Execution, Order};
use tribunal_history::verdict::Verdict;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::{Mutation, mutate};
use tribunal_machines::{Clients, Machine, Mix, execution};
use tribunal_verify::verify;

/// Histories about as large as words are, and smaller; some with reads sent elsewhere.
fn histories() -> impl Iterator<Item = Execution> {
    const MACHINES: [Machine; 5] = [Machine::Atomic, Machine::Tso, Machine::Pso, Machine::Rmo, Machine::View];
    const SIZES: [u64; 12] = [1, 4, 9, 16, 25, 40, 63, 64, 65, 127, 128, 129];
    const SHARES: [(f64, f64, f64); 3] = [(0.3, 0.0, 0.0), (0.35, 0.2, 0.1), (0.1, 0.6, 0.2)];
    (0..).zip(MACHINES).flat_map(|(kind, machine)| {
        (0..).zip(SIZES).flat_map(move |(size, events)| {
            SHARES.into_iter().enumerate().map(move |(share, (writes, rmws, fences))| {
                let seed = 100 * kind + 10 * size + share as u64;
                let (threads, locations) = (1 + (seed % 5) as u32, 1 + (seed % 3) as u32);
                let orders = if seed.is_multiple_of(2) { Mix::default() } else { Mix::only(Order::AcqRel) };
                let clients = Clients {
                    threads,
                    locations,
                    events,
                    writes,
                    rmws,
                    fences,
                    orders,
                    seed,
                    ..Clients::default()
                };
                let history = execution(machine, &clients).expect("clients that can run");
                mutate(&history, &Mutation { reads: (seed % 4) as u32, distance: 8, seed })
            })
        })
    })
}

/// An engine that decides the model without looking at whether the history is small.
fn general(model: Model) -> Engine {
    match model {
        Model::Sra => Engine::FrontierSearch,
        _ if model.preserved().is_some() => Engine::Search,
        _ => engines(model)[0],
    }
}

#[test]
fn a_checker_that_is_kept_gives_what_any_other_gives() {
    let limits = Limits { max_states: 20_000, ..Limits::default() };
    let histories: Vec<Execution> = histories().collect();
    for model in Model::ALL {
        let mut checker = Checker::new(model);
        let mut answers = [0; 2];
        for (i, x) in histories.iter().enumerate() {
            let judged = checker.judge(x, &limits);
            assert_eq!(judged, judge(x, model, &limits), "{model}: history {i}");
            let verdict = judged.0;
            let other = judge_by(x, model, general(model), &limits).expect("one of the model's engines").0;
            if let Verdict::Undecided(_) = other {
                continue;
            }
            assert_eq!(verdict.word(), other.word(), "{model}: history {i}");
            assert_eq!(verify(x, model, &verdict), Ok(()), "{model}: history {i}");
            answers[0] += u32::from(verdict.is_consistent());
            answers[1] += u32::from(verdict.is_inconsistent());
        }
        assert!(answers.iter().all(|&count| count > 10), "{model}: {answers:?}");
    }
}

#[test]
fn a_checker_keeps_its_limits() {
    let x = execution(Machine::View, &Clients { events: 30, ..Clients::default() }).expect("clients");
    let limits = Limits { max_memory: 100, ..Limits::default() };
    assert!(matches!(Checker::new(Model::Rc20).judge(&x, &limits).0, Verdict::Undecided(_)));
    let stop = std::sync::atomic::AtomicBool::new(true);
    let limits = Limits { stop: Some(&stop), ..Limits::default() };
    assert!(matches!(Checker::new(Model::Rc20).judge(&x, &limits).0, Verdict::Undecided(_)));
}
