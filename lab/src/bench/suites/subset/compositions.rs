//! Many small histories that saturation does not decide, as one.

use super::contest::{Contest, at_most};
use super::hidden::sequential;
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::hard::{Threads, compose};
use tribunal_machines::{Clients, Machine, Mix, execution};

const ENGINES: [Engine; 3] = [Engine::Search, Engine::Sat, Engine::Memoized];

/// What the parts are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// wsc and not sc, all of them.
    Hidden,
    /// sc, all of them.
    Valid,
    /// sc, except for the last.
    OneHidden,
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes = session.pick(&[1, 10, 100][..], &[1, 10, 100, 1000]);
    let patience = session.pick(Duration::from_secs(1), Duration::from_secs(10));
    // Each as large as the other: 12 events of 4 threads on 3 locations.
    let hidden: Vec<Execution> = (0..1 << 6).map(sequential).collect();
    let valid = (0..64).map(valid).collect::<Result<Vec<Execution>, Error>>()?;
    let mut table = Table::new(
        format!(
            "compositions of histories that are wsc and not sc (hidden) or sc (valid), 12 events each, sc; {}",
            at_most(patience)
        ),
        &["parts", "threads", "events", "verdict", "engine", "auto", "search", "sat", "memoized"],
    );
    let mut plot =
        Plot::new("subset-compositions", "Histories of which the last hides a cycle, composed: sc", "parts");
    let kinds =
        [(Parts::Hidden, "hidden"), (Parts::Valid, "valid"), (Parts::OneHidden, "valid and 1 hidden")];
    session.begin("compositions", (kinds.len() * 2 * sizes.len()) as u64);
    for (kind, name) in kinds {
        for (threads, whose) in [(Threads::Own, "own"), (Threads::Shared, "shared")] {
            let mut contest = Contest::new(&ENGINES, patience);
            for &count in sizes {
                let from = if kind == Parts::Hidden { &hidden } else { &valid };
                let mut parts: Vec<&Execution> = from.iter().cycle().take(count).collect();
                if kind == Parts::OneHidden {
                    parts.push(&hidden[0]);
                }
                let x = compose(&parts, threads);
                let timed = contest.judge(&x, Model::Sc, Some(kind == Parts::Valid));
                let row = contest.row();
                if kind == Parts::OneHidden && threads == Threads::Own {
                    row.plot(&mut plot, parts.len() as f64);
                }
                let known = [
                    format!("{count} {name}, {whose} threads"),
                    x.thread_count().to_string(),
                    x.len().to_string(),
                    timed.verdict.word().into(),
                    timed.engine.name().into(),
                ];
                table.row(known.into_iter().chain(row.cells()));
                session.step()?;
            }
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

fn valid(seed: u64) -> Result<Execution, Error> {
    let clients = Clients {
        threads: 4,
        events: 12,
        locations: 3,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders: Mix::only(Order::Relaxed),
        seed,
        ..Clients::default()
    };
    Ok(execution(Machine::Atomic, &clients)?)
}
