//! Formulas as histories (Chini and Saivasan 2020): the verdict is satisfiability, by every engine.

use tribunal_engines::Engine;
use tribunal_engines::memory::{judge, judge_by};
use tribunal_history::memory::Execution;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::satisfiability::{Reduction, history};
use tribunal_machines::hard::{Formula, InvalidFormula};
use tribunal_verify::verify;

const LIMITS: Limits<'_> =
    Limits { deadline: None, max_states: 100_000_000, max_memory: usize::MAX, stop: None };

/// How many formulas; `cargo lab bench subset` takes a thousand.
const FORMULAS: u64 = 40;

#[test]
fn verdicts_on_formulas_near_the_threshold() -> Result<(), InvalidFormula> {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..FORMULAS {
        let formula = Formula::random(20, 4.26, seed)?;
        let satisfiable = formula.solve().is_some();
        *if satisfiable { &mut yes } else { &mut no } += 1;
        for reduction in Reduction::ALL {
            let x = history(&formula, reduction);
            for &model in reduction.models() {
                let verdict = judge(&x, model, &LIMITS).0;
                assert_eq!(verdict.word(), word(satisfiable), "{model}, {reduction:?}, seed {seed}");
                if let Err(refusal) = verify(&x, model, &verdict) {
                    panic!("{model}, {reduction:?}, seed {seed}: {refusal}");
                }
            }
        }
    }
    assert!(yes > 0 && no > 0, "{yes} satisfiable, {no} not");
    Ok(())
}

#[test]
fn every_engine_on_small_formulas() -> Result<(), InvalidFormula> {
    let texts = [
        ("p cnf 1 1  \n 1 0", true),
        ("p cnf 1 2  \n 1 0 -1 0", false),
        ("p cnf 2 2  \n 1 2 0 -1 -2 0", true),
        ("p cnf 2 3  \n 1 2 0 -1 0 -2 0", false),
        ("p cnf 2 3  \n 1 -2 0 -1 2 0 1 0", true),
        ("p cnf 1 1  \n 1 -1 1 0", true),
        ("p cnf 3 1  \n 1 2 -3 0", true),
    ];
    for (text, satisfiable) in texts {
        let formula: Formula = text.parse()?;
        assert_eq!(formula.solve().is_some(), satisfiable, "{text}");
        for reduction in Reduction::ALL {
            let x = history(&formula, reduction);
            for &model in reduction.models() {
                for engine in [Engine::Search, Engine::Sat, Engine::Subset, Engine::Enum, Engine::Memoized] {
                    by_engine(&x, model, engine, satisfiable, text);
                }
            }
        }
    }
    Ok(())
}

fn by_engine(x: &Execution, model: Model, engine: Engine, satisfiable: bool, text: &str) {
    let verdict = judge_by(x, model, engine, &LIMITS).expect("an engine of the model").0;
    assert_eq!(verdict.word(), word(satisfiable), "{model} by {}: {text}", engine.name());
}

fn word(consistent: bool) -> &'static str {
    if consistent { "consistent" } else { "inconsistent" }
}
