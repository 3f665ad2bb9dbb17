//! rc20, ra, wra and relaxed: what an event costs in time and memory, what seq_cst costs, and ra beside the cubic writes-before (Tunç et
//! al. 2023, Theorem 1.1 and Table 1).

mod baseline;
mod cost;
mod histories;
mod programs;
mod seq_cst;
mod writes_before;

use crate::bench::memory::{self, Load};
use crate::bench::table::kept;
use crate::bench::{Error, Session, Table};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tribunal_history::model::Model;

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    baseline::agree(session);
    programs::calls(session)?;
    programs::report(session)?;
    baseline::report(session)?;
    cost::scale(session)?;
    cost::threads(session)?;
    cost::cores(session)?;
    seq_cst::report(session)?;
    memory(session)
}

/// A pool of that many threads; 0 stands for one per core.
fn cores_of(count: usize) -> Result<ThreadPool, Error> {
    Ok(ThreadPoolBuilder::new().num_threads(count).build()?)
}

fn memory(session: &mut Session<'_>) -> Result<(), Error> {
    const MODELS: [Model; 3] = [Model::Rc20, Model::Ra, Model::Wra];
    const BUDGET: f64 = 160.0;
    let events = session.pick(1_000_000, 8_000_000);
    session.begin("memory", MODELS.len() as u64);
    let mut table = Table::new(
        format!("memory: bytes an event, {}M events, 8 threads, 16 locations, all cores", events / 1_000_000),
        &["model", "history", "peak, building", "peak, checking", "<= 160"],
    );
    for model in MODELS {
        let Some(memory) = memory::of(Load::View, model, events)? else {
            session.note("memory: not measured, since this system does not report the size of a process");
            return Ok(());
        };
        let figure = |bytes: f64| format!("{bytes:.1}");
        table.row([
            model.to_string(),
            figure(memory.history),
            figure(memory.building),
            figure(memory.checking),
            kept(memory.building.max(memory.checking) <= BUDGET),
        ]);
        session.step()?;
    }
    session.table(table);
    session.note("Peaks are of the whole process, the history included.");
    Ok(())
}
