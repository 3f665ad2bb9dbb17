//! One more write: what it costs an engine.

use super::MODELS;
use super::contest::{Contest, at_most};
use super::hidden::{OWN_WRITES, in_a_crowd};
use crate::bench::table::ratio;
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::model::Model;

const ENGINES: [Engine; 5] = [Engine::Search, Engine::Sat, Engine::Subset, Engine::Memoized, Engine::Enum];

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    by_writes(session)?;
    by_model(session)
}

fn by_writes(session: &mut Session<'_>) -> Result<(), Error> {
    let most = session.pick(18, 26);
    // The largest table of the program takes its time.
    let patience = session.pick(Duration::from_secs(2), Duration::from_secs(60));
    let mut contest = Contest::new(&ENGINES, patience);
    let mut table = Table::new(
        format!("growing numbers of writes, sc, inconsistent; {}", at_most(patience)),
        &[&["writes"], &contest.names()[..], &["subset, a write more"]].concat(),
    );
    let mut plot =
        Plot::new("subset-writes", "An inconsistent history with growing numbers of writes, sc", "writes");
    let mut before = None;
    let sizes = (8..=most).step_by(2);
    session.begin("writes", sizes.clone().count() as u64);
    for writes in sizes {
        contest.judge(&in_a_crowd(writes - OWN_WRITES), Model::Sc, Some(false));
        let row = contest.row();
        row.plot(&mut plot, f64::from(writes));
        let subset = row.mean(Engine::Subset);
        let a_write = subset.zip(before).map(|(now, before)| format!("x {:.2}", ratio(now, before).sqrt()));
        let cells = std::iter::once(writes.to_string()).chain(row.cells());
        table.row(cells.chain([a_write.unwrap_or("-".into())]));
        before = subset;
        session.step()?;
    }
    session.table(table);
    session.plot(plot);
    session.note(
        "Six writes of three locations make a cycle that saturation does not see; the others are bystanders, each in a thread of its own and \
         all to one more location. Every set of bystanders is the beginning of an order, so that `subset` takes twice as long for each more \
         (the paper's bound, 2^k), as does `memoized`, and `enum` has k! orders of them. What decides here by cases opens those of the six.",
    );
    Ok(())
}

fn by_model(session: &mut Session<'_>) -> Result<(), Error> {
    let writes = session.pick(16, 22);
    let patience = session.pick(Duration::from_secs(1), Duration::from_secs(5));
    let x = in_a_crowd(writes - OWN_WRITES);
    let mut table = Table::new(
        format!("the same with {writes} writes under every model, inconsistent; {}", at_most(patience)),
        &[&["model"][..], &Contest::new(&ENGINES, patience).names()].concat(),
    );
    session.begin("models", MODELS.len() as u64);
    for model in MODELS {
        let mut contest = Contest::new(&ENGINES, patience);
        contest.judge(&x, model, Some(false));
        table.row(std::iter::once(model.to_string()).chain(contest.row().cells()));
        session.step()?;
    }
    session.table(table);
    Ok(())
}
