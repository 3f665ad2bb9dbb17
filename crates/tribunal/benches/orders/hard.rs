//! Histories that saturation does not decide.

use crate::cost::{Times, timed};
use crate::table::{Table, ratio, time};
use std::error::Error;
use std::path::PathBuf;
use tribunal::memory::Execution;
use tribunal::{Engine, Model};
use tribunal_formats::{Input, open};
use tribunal_machines::hard::satisfiability::{Reduction, history};
use tribunal_machines::hard::{Formula, Threads, compose, kernel};

const ENGINES: [Option<Engine>; 4] = [None, Some(Engine::Search), Some(Engine::Sat), Some(Engine::Plain)];

pub fn report() -> Result<(), Box<dyn Error>> {
    let heads = ["history", "events", "threads", "verdict", "engine", "auto", "search", "sat", "plain"];
    let mut table = Table::new(&heads);
    for (name, x, consistent) in compositions()? {
        row(&mut table, name, &x, Model::Sc, consistent);
    }
    table.print("hard: the corpus' histories that are wsc and not sc, or are sc and small, composed; sc");

    let mut table = Table::new(&heads);
    for locations in [2, 10, 100, 1000] {
        row(&mut table, format!("Fig. 4, {locations}"), &kernel::ring(locations), Model::Sc, Some(true));
    }
    for pairs in 2..=6 {
        let allowed = kernel::combinations(pairs, Some(1));
        row(&mut table, format!("Fig. 5, {pairs} pairs"), &allowed, Model::Sc, Some(true));
        let refused = kernel::combinations(pairs, None);
        row(&mut table, format!("Fig. 5, {pairs} pairs, none allowed"), &refused, Model::Sc, Some(false));
    }
    table.print("hard: the kernel's counterexamples, sc");

    let mut table = Table::new(&heads);
    for variables in [10, 20, 30, 40] {
        let formula = Formula::random(variables, 4.26, 1)?;
        let satisfiable = Some(formula.solve().is_some());
        for (reduction, model) in [(Reduction::Guarded, Model::Sc), (Reduction::Split, Model::Tso)] {
            let name = format!("{variables} variables, {model}");
            row(&mut table, name, &history(&formula, reduction), model, satisfiable);
        }
    }
    table.print("hard: random formulas, 4.26 clauses a variable, sc by Fig. 1 and tso by Fig. 2");
    Ok(())
}

fn row(table: &mut Table, name: String, x: &Execution, model: Model, consistent: Option<bool>) {
    let by = ENGINES.map(|engine| timed(x, model, engine));
    for (timed, engine) in by.iter().zip(ENGINES) {
        let agrees = consistent.is_none_or(|consistent| timed.consistent() == consistent);
        assert!(agrees || !timed.decided(), "{name} by {}", engine.map_or("auto", Engine::name));
    }
    let judgement = &by[0].judgement;
    let known = [
        name,
        x.len().to_string(),
        x.thread_count().to_string(),
        judgement.verdict.word().into(),
        judgement.engine.name().into(),
    ];
    table.row(known.into_iter().chain(by.iter().map(|timed| timed.show())));
}

/// What a composition is called, itself, and whether it is consistent with sc.
type Composition = (String, Execution, Option<bool>);

fn compositions() -> Result<Vec<Composition>, Box<dyn Error>> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    let (mut hidden, mut valid) = (Vec::new(), Vec::new());
    for history in open(&Input::Path(path), None)? {
        let history = history?;
        let label = |model: &str| {
            history.labels.0.iter().find(|(name, _)| name == model).and_then(|&(_, label)| label)
        };
        match (label("wsc"), label("sc")) {
            (Some(true), Some(false)) => hidden.push(history.into_memory().expect("of a memory")),
            (Some(true), Some(true)) if history.memory().expect("of a memory").features().writes > 2 => {
                valid.push(history.into_memory().expect("of a memory"))
            }
            _ => {}
        }
    }
    if hidden.is_empty() || valid.is_empty() {
        return Err("the corpus has no history that is wsc and not sc".into());
    }
    let mut compositions = Vec::new();
    for parts in [1, 10, 100, 1000] {
        for (threads, name) in [(Threads::Own, "own"), (Threads::Shared, "shared")] {
            let all: Vec<&Execution> = hidden.iter().cycle().take(parts).collect();
            compositions.push((
                format!("{parts} hidden, {name} threads"),
                compose(&all, threads),
                Some(false),
            ));
            let good: Vec<&Execution> = valid.iter().cycle().take(parts).collect();
            compositions.push((
                format!("{parts} valid, {name} threads"),
                compose(&good, threads),
                Some(true),
            ));
            let last = [&good[..], &[&hidden[0]]].concat();
            compositions.push((
                format!("{parts} valid and 1 hidden, {name} threads"),
                compose(&last, threads),
                Some(false),
            ));
        }
    }
    Ok(compositions)
}

/// Verdicts are satisfiability on a thousand formulas of 20 variables near the threshold.
pub fn satisfiability() -> Result<(), Box<dyn Error>> {
    const FORMULAS: u64 = 1000;
    const VARIABLES: u32 = 20;
    let mut table =
        Table::new(&["history", "model", "formulas", "satisfiable", "mean", "longest", "undecided"]);
    for reduction in Reduction::ALL {
        for &model in reduction.models() {
            let (mut times, mut satisfiable) = (Times::default(), 0);
            for seed in 0..FORMULAS {
                let formula = Formula::random(VARIABLES, 4.26, seed)?;
                let expected = formula.solve().is_some();
                satisfiable += u64::from(expected);
                let timed = timed(&history(&formula, reduction), model, None);
                assert!(!timed.decided() || timed.consistent() == expected, "{model}, {reduction:?}: {seed}");
                times.add(&timed);
            }
            table.row([
                format!("{reduction:?}"),
                model.to_string(),
                FORMULAS.to_string(),
                satisfiable.to_string(),
                time(times.mean()),
                format!(
                    "{} ({:.0} times the mean)",
                    time(times.longest()),
                    ratio(times.longest(), times.mean())
                ),
                times.undecided.to_string(),
            ]);
        }
    }
    table.print(&format!(
        "satisfiability: random formulas of {VARIABLES} variables, 4.26 clauses a variable; at most {} a history",
        time(crate::cost::PATIENCE)
    ));
    Ok(())
}
