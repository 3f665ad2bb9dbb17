//! The experiments of Zennou et al. 2020 (Figs. 6 to 9) and 2019 (Figs. 4 to 6), at their sizes and at ten times.
//!
//! Their histories were made by random clients of simulated caches; ours are random clients of atomic memory, half writes,
//! on 16 locations. Invalid ones have some of their reads redirected to writes near by, and not to the effect that they are
//! still consistent; mixed sets have every other history invalid.

use crate::cost::{Times, timed};
use crate::table::{Table, kept, ratio, time};
use std::error::Error;
use tribunal::memory::{Execution, Order};
use tribunal::{Engine, Model};
use tribunal_machines::hard::{Mutation, mutate};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

#[derive(Clone, Copy, PartialEq)]
enum Set {
    Valid,
    Mixed,
    Invalid,
}

impl Set {
    fn name(self) -> &'static str {
        match self {
            Set::Valid => "valid",
            Set::Mixed => "mixed",
            Set::Invalid => "invalid",
        }
    }
}

/// A history of a set.
fn history(
    set: Set,
    model: Model,
    threads: u32,
    events: u64,
    seed: u64,
) -> Result<Execution, InvalidClients> {
    let clients = Clients {
        threads,
        events,
        locations: 16,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders: Mix::only(Order::Relaxed),
        seed,
        ..Clients::default()
    };
    let valid = execution(Machine::Atomic, &clients)?;
    if set == Set::Valid || (set == Set::Mixed && seed.is_multiple_of(2)) {
        return Ok(valid);
    }
    // One read more at a time, so that a violation is no larger than it need be.
    let mutants = (1..=events as u32).map(|reads| mutate(&valid, &Mutation { reads, distance: 20, seed }));
    Ok(mutants.into_iter().find(|mutant| !timed(mutant, model, None).consistent()).unwrap_or(valid))
}

struct Experiment {
    figure: &'static str,
    model: Model,
    set: Set,
    /// Threads and events in all.
    sizes: Vec<(u32, u64)>,
}

fn experiments() -> Vec<Experiment> {
    let by_events = |threads: u32, events: &[u64]| -> Vec<_> {
        events.iter().flat_map(|&events| [(threads, events), (threads, 10 * events)]).collect()
    };
    let by_threads = |threads: &[u32]| -> Vec<_> {
        let events = |threads: u32| 50 * u64::from(threads);
        threads.iter().flat_map(|&t| [(t, events(t)), (t, 10 * events(t))]).collect()
    };
    let few = || [by_events(4, &[100, 500]), by_threads(&[2, 6])].concat();
    let many = || by_threads(&[4, 8, 16, 64]);
    let experiment = |figure, model, set, sizes| Experiment { figure, model, set, sizes };
    vec![
        experiment("2020 Fig. 6", Model::Sc, Set::Valid, by_events(6, &[200, 800])),
        experiment("2020 Fig. 7", Model::Sc, Set::Valid, many()),
        experiment("2020 Fig. 8", Model::Sc, Set::Mixed, many()),
        experiment("2020 Fig. 9", Model::Sc, Set::Invalid, many()),
        experiment("2019 Fig. 4", Model::Sc, Set::Valid, few()),
        experiment("2019 Fig. 5", Model::Sc, Set::Invalid, by_threads(&[2, 8])),
        experiment("2019 Fig. 6", Model::Tso, Set::Valid, few()),
        experiment("mixed, tso", Model::Tso, Set::Mixed, many()),
    ]
}

pub fn report() -> Result<(), Box<dyn Error>> {
    // As many as in the papers; fewer of what is ten times as large, or slow.
    const HISTORIES: u64 = 200;
    const LARGE: u64 = 20;
    const PLAIN: u64 = 3;
    let mut undecided = 0;
    for Experiment { figure, model, set, sizes } in experiments() {
        let mut table = Table::new(&[
            "threads",
            "events",
            "histories",
            "consistent",
            "auto",
            "longest",
            "search",
            "sat",
            "plain",
            "plain/auto",
            "",
        ]);
        let mut plain_decides = true;
        for (i, (threads, events)) in sizes.into_iter().enumerate() {
            // What the baseline cannot do at a size is not tried at ten times the size.
            let (histories, plains) = match i % 2 {
                0 => (HISTORIES, PLAIN),
                _ => (LARGE, if plain_decides { PLAIN } else { 0 }),
            };
            let mut consistent = 0;
            let [mut auto, mut search, mut sat, mut plain] = [(); 4].map(|()| Times::default());
            for seed in 0..histories {
                let x = history(set, model, threads, events, seed)?;
                let verdict = timed(&x, model, None);
                assert!(set != Set::Valid || verdict.consistent() || !verdict.decided(), "{model}: {seed}");
                auto.add(&verdict);
                consistent += u64::from(verdict.consistent());
                let engines = [
                    (Engine::Search, &mut search, LARGE),
                    (Engine::Sat, &mut sat, LARGE),
                    (Engine::Plain, &mut plain, plains),
                ];
                for (engine, times, most) in engines {
                    if seed < most {
                        let by = timed(&x, model, Some(engine));
                        assert!(
                            by.consistent() == verdict.consistent() || !by.decided() || !verdict.decided(),
                            "{model} by {}: {threads} threads, {events} events, seed {seed}",
                            engine.name()
                        );
                        times.add(&by);
                    }
                }
            }
            undecided += auto.undecided;
            plain_decides = plain.undecided == 0;
            let gain = ratio(plain.mean(), auto.first(plains as usize).mean());
            let shown = format!("{}{gain:.0}", if plain_decides { "" } else { "> " });
            table.row([
                threads.to_string(),
                events.to_string(),
                histories.to_string(),
                consistent.to_string(),
                auto.show(),
                time(auto.longest()),
                search.show(),
                sat.show(),
                if plains > 0 { plain.show() } else { "-".into() },
                if plains > 0 { shown } else { "-".into() },
                if (threads, events) == (16, 800) { kept(gain >= 100.0) } else { String::new() },
            ]);
        }
        table.print(&format!(
            "papers: {figure}, {model}, {}; means; search and sat on {LARGE}, plain on {PLAIN} of them",
            set.name()
        ));
    }
    println!("\npapers: {undecided} histories undecided");
    Ok(())
}

/// The engines agree on small histories.
pub fn agreement() -> Result<(), Box<dyn Error>> {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..200 {
        for model in [Model::Sc, Model::Tso, Model::Pso] {
            let x = history(Set::Mixed, model, 3, 60, seed)?;
            let verdict = timed(&x, model, None).consistent();
            for engine in [Engine::Search, Engine::Sat, Engine::Plain] {
                let by = timed(&x, model, Some(engine));
                assert!(by.decided() && by.consistent() == verdict, "{model} by {}: {seed}", engine.name());
            }
            *if verdict { &mut yes } else { &mut no } += 1;
        }
    }
    assert!(yes > 0 && no > 0, "{yes} consistent, {no} not");
    println!("\npapers: same verdicts by every engine, {yes} consistent and {no} not");
    Ok(())
}
