//! Formulas as histories, which are consistent if and only if the formula is satisfiable.

use super::contest::{Contest, at_most};
use crate::bench::cost::{Times, timed};
use crate::bench::table::{ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::model::Model;
use tribunal_machines::hard::Formula;
use tribunal_machines::hard::satisfiability::{Reduction, history};

/// Clauses a variable: here about half of the random formulas are satisfiable, and these are the hardest.
const THRESHOLD: f64 = 4.26;

const ENGINES: [Engine; 3] = [Engine::Search, Engine::Sat, Engine::Memoized];

fn random(variables: u32, seed: u64) -> Formula {
    Formula::random(variables, THRESHOLD, seed).expect("three variables or more")
}

/// The paper's figure with a construction.
fn figure(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Guarded => "Fig. 1",
        Reduction::Split => "Fig. 2",
    }
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes = session.pick(&[5, 10, 15, 20][..], &[5, 10, 20, 30, 40, 50]);
    let formulas = session.pick(2, 5);
    let patience = session.pick(Duration::from_secs(1), Duration::from_secs(10));
    let mut table = Table::new(
        format!(
            "{formulas} random formulas of each size, {THRESHOLD} clauses a variable, mean times; {}",
            at_most(patience)
        ),
        &[
            "construction",
            "variables",
            "satisfiable",
            "writes",
            "events",
            "auto",
            "search",
            "sat",
            "memoized",
        ],
    );
    let mut plot = Plot::new(
        "subset-formulas",
        "Random 3-SAT near the threshold as histories, sc by Fig. 1",
        "variables",
    );
    session.begin("formulas", (2 * sizes.len()) as u64 * formulas);
    for (reduction, model) in [(Reduction::Guarded, Model::Sc), (Reduction::Split, Model::Pso)] {
        let mut contest = Contest::new(&ENGINES, patience);
        for &variables in sizes {
            let (mut satisfiable, mut writes, mut events) = (0, 0, 0);
            for seed in 0..formulas {
                let formula = random(variables, seed);
                let expected = formula.solve().is_some();
                let x = history(&formula, reduction);
                contest.judge(&x, model, Some(expected));
                satisfiable += u32::from(expected);
                (writes, events) = (x.features().writes, x.len());
                session.step()?;
            }
            let row = contest.row();
            if reduction == Reduction::Guarded {
                row.plot(&mut plot, f64::from(variables));
            }
            let known = [
                format!("{}, {model}", figure(reduction)),
                variables.to_string(),
                satisfiable.to_string(),
                writes.to_string(),
                events.to_string(),
            ];
            table.row(known.into_iter().chain(row.cells()));
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

/// Verdicts are satisfiability on many formulas of 20 variables.
pub(super) fn satisfiability(session: &mut Session<'_>) -> Result<(), Error> {
    const VARIABLES: u32 = 20;
    let patience = Duration::from_secs(10);
    let formulas = session.pick(10, 1000);
    let cases: Vec<(Reduction, Model)> = Reduction::ALL
        .into_iter()
        .flat_map(|reduction| reduction.models().iter().map(move |&model| (reduction, model)))
        .collect();
    let mut all = vec![Times::default(); cases.len()];
    let (mut satisfiable, mut confirmed) = (0u64, 0u64);
    session.begin("satisfiability", formulas);
    for seed in 0..formulas {
        let formula = random(VARIABLES, seed);
        let expected = formula.solve().is_some();
        satisfiable += u64::from(expected);
        for (&(reduction, model), times) in cases.iter().zip(&mut all) {
            let timed = timed(&history(&formula, reduction), model, None, patience);
            assert!(!timed.decided() || timed.consistent() == expected, "{model}, {reduction:?}: {seed}");
            confirmed += u64::from(timed.decided());
            times.add(&timed);
        }
        session.step()?;
    }
    let mut table = Table::new(
        format!(
            "{formulas} random formulas of {VARIABLES} variables, {satisfiable} of them satisfiable; {}",
            at_most(patience)
        ),
        &["construction", "model", "mean", "longest", "longest by mean", "undecided"],
    );
    for ((reduction, model), times) in cases.iter().zip(&all) {
        table.row([
            figure(*reduction).into(),
            model.to_string(),
            time(times.mean()),
            time(times.longest()),
            format!("{:.0}", ratio(times.longest(), times.mean())),
            times.undecided.to_string(),
        ]);
    }
    session.table(table);
    session.note(format!(
        "A formula of n variables and m clauses has 2n + 6m writes. The verdict is the formula's satisfiability, by a solver of its own, in all \
         {confirmed} cases that were decided, of {}.",
        formulas * cases.len() as u64
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_satisfiability() {
        let mut contest = Contest::new(&ENGINES[..2], Duration::from_secs(60));
        for seed in 0..4 {
            let formula = random(6, seed);
            let expected = formula.solve().is_some();
            for reduction in Reduction::ALL {
                for &model in reduction.models() {
                    contest.judge(&history(&formula, reduction), model, Some(expected));
                }
            }
        }
        assert!(contest.row().cells().all(|cell| !cell.contains('>')), "all have decided");
    }
}
