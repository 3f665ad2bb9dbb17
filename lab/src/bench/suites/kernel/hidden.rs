//! Orders of writes that every witness has and saturation does not see (Zennou et al. 2020, Figs. 3 to 5).

use crate::bench::cost::{Timed, timed};
use crate::bench::table::time;
use crate::bench::{Error, Plot, Session, Table};
use std::time::{Duration, Instant};
use tribunal_engines::Engine;
use tribunal_history::memory::Execution;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::kernel::{combinations, ring};

const ENGINES: [Option<Engine>; 4] = [None, Some(Engine::Search), Some(Engine::Sat), Some(Engine::Memoized)];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let patience = Duration::from_secs(session.pick(1, 10));
    let locations: &[u32] = session.pick(&[2, 10, 100], &[2, 10, 100, 1_000]);
    let pairs = 2..=session.pick(5, 6);
    session.begin("hidden orders", (locations.len() + 2 * pairs.clone().count()) as u64);
    let mut hidden = Hidden {
        table: Table::new(
            format!(
                "the kernel's counterexamples: sc; pairs of writes in the kernel and those of them that wsc has; at most {}",
                time(patience)
            ),
            &[
                "history", "events", "threads", "verdict", "engine", "tribunal", "search", "sat", "memoized",
                "kernel", "by wsc",
            ],
        ),
        patience,
    };
    let mut plot =
        Plot::new("kernel-ring", "2020, Figs. 3 and 4: an order behind a ring, sc", "locations of the ring");
    for &locations in locations {
        let figure = if locations == 2 { 3 } else { 4 };
        let name = format!("Fig. {figure}, {locations} locations");
        let by = hidden.row(name, &ring(locations), true);
        points(&mut plot, f64::from(locations), &by);
        session.step()?;
    }
    let title = "2020, Fig. 5: every combination of orders forbidden, sc";
    let mut refused = Plot::new("kernel-combinations", title, "pairs of writes");
    for pairs in pairs {
        hidden.row(format!("Fig. 5, {pairs} pairs"), &combinations(pairs, Some(1)), true);
        session.step()?;
        let name = format!("Fig. 5, {pairs} pairs, none allowed");
        let by = hidden.row(name, &combinations(pairs, None), false);
        points(&mut refused, f64::from(pairs), &by);
        session.step()?;
    }
    session.table(hidden.table);
    session.plot(plot);
    session.plot(refused);
    Ok(())
}

fn points(plot: &mut Plot, x: f64, by: &[Timed]) {
    for (timed, engine) in by.iter().zip(ENGINES) {
        plot.point(engine.map_or("tribunal", Engine::name), x, timed.time, !timed.decided());
    }
}

struct Hidden {
    table: Table,
    patience: Duration,
}

impl Hidden {
    /// A history judged by every engine.
    fn row(&mut self, name: String, x: &Execution, consistent: bool) -> [Timed; ENGINES.len()] {
        let by = ENGINES.map(|engine| timed(x, Model::Sc, engine, self.patience));
        for (timed, engine) in by.iter().zip(ENGINES) {
            let engine = engine.map_or("tribunal", Engine::name);
            assert!(timed.consistent() == consistent || !timed.decided(), "{name} by {engine}");
        }
        let limits = Limits { deadline: Some(Instant::now() + self.patience), ..Limits::default() };
        let kernel = crate::kernel::kernel(x, &limits).ok().flatten();
        let first = &by[0];
        let known = [
            name,
            x.len().to_string(),
            x.thread_count().to_string(),
            first.verdict.word().into(),
            first.engine.name().into(),
        ];
        let found = match kernel {
            Some(kernel) => [kernel.exact, kernel.wsc].map(|pairs| pairs.to_string()),
            None => ["-", "-"].map(String::from),
        };
        self.table.row(known.into_iter().chain(by.iter().map(|timed| timed.show())).chain(found));
        by
    }
}
