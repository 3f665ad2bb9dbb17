//! Histories of machines, few enough writes for the dynamic program.

use super::MODELS;
use super::contest::{Contest, at_most};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::hard::mutants;
use tribunal_machines::{Clients, Machine, Mix, execution};

const ENGINES: [Engine; 5] = [Engine::Search, Engine::Sat, Engine::Subset, Engine::Memoized, Engine::Enum];

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes = session.pick(&[8, 12, 16][..], &[8, 12, 16, 20, 24]);
    let histories = session.pick(4, 20);
    let patience = session.pick(Duration::from_millis(500), Duration::from_secs(5));
    let names = Contest::new(&ENGINES, patience).names();
    let mut table = Table::new(
        format!(
            "{histories} histories of 8 threads on 4 locations, every other one redirected until it is refused, mean times; {}",
            at_most(patience)
        ),
        &[&["model", "writes", "inconsistent"][..], &names].concat(),
    );
    let mut plot = Plot::new(
        "subset-machines",
        "Histories of the tso machine, growing numbers of writes, tso",
        "writes",
    );
    session.begin("machines", (MODELS.len() * sizes.len()) as u64 * histories);
    for model in MODELS {
        let mut contest = Contest::new(&ENGINES, patience);
        for &writes in sizes {
            let mut inconsistent = 0;
            for seed in 0..histories {
                let (x, known) = history(model, writes, seed)?;
                let timed = contest.judge(&x, model, known);
                inconsistent += u32::from(timed.verdict.is_inconsistent());
                session.step()?;
            }
            let row = contest.row();
            if model == Model::Tso {
                row.plot(&mut plot, f64::from(writes));
            }
            let known = [model.to_string(), writes.to_string(), inconsistent.to_string()];
            table.row(known.into_iter().chain(row.cells()));
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

/// A history by a machine of the model, and whether it is consistent, if that is known. Of every odd number reads are
/// redirected, one more at a time, until the model refuses it, if it ever does.
fn history(model: Model, writes: u32, number: u64) -> Result<(Execution, Option<bool>), Error> {
    let x = valid(model, writes, number)?;
    let mutant = (number % 2 == 1)
        .then(|| mutants(&x, 20, number).find(|mutant| check(mutant, model).is_inconsistent()))
        .flatten();
    // The machine of rmo allows load-load hazards, which the model without a name does not.
    let known = (!matches!(model, Model::Custom(_))).then_some(true);
    Ok(mutant.map_or((x, known), |mutant| (mutant, Some(false))))
}

/// A history with that many writes.
fn valid(model: Model, writes: u32, number: u64) -> Result<Execution, Error> {
    let machine = match model {
        Model::Sc => Machine::Atomic,
        Model::Tso => Machine::Tso,
        Model::Pso => Machine::Pso,
        _ => Machine::Rmo,
    };
    let mut clients = Clients {
        threads: 8,
        events: 2 * u64::from(writes),
        locations: 4,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        deps: 0.5,
        orders: Mix::only(Order::Relaxed),
        seed: number * 1000,
        ..Clients::default()
    };
    // About one in ten has as many writes as it should.
    loop {
        let x = execution(machine, &clients)?;
        if x.features().writes == writes as usize {
            return Ok(x);
        }
        clients.seed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_engines_agree_on_small_histories() {
        for model in MODELS {
            let mut contest = Contest::new(&ENGINES, Duration::from_secs(60));
            for number in 0..6 {
                let (x, known) = history(model, 8, number).expect("valid clients");
                contest.judge(&x, model, known);
            }
            assert!(contest.row().cells().all(|cell| !cell.contains('>')), "{model}: all have decided");
        }
    }
}
