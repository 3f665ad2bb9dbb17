//! Longer histories than the paper's.

use super::{ENGINE_TIME, WAYS};
use crate::bench::suites::objects::cost::Question;
use crate::bench::table::time;
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_history::object::specs::Map;
use tribunal_machines::objects::Walks;

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes = session.pick(&[15, 20, 30, 50, 100][..], &[15, 20, 30, 50, 100, 200, 500]);
    let histories = session.pick(10, 40);
    let mut table = Table::new(
        format!(
            "{histories} histories of a size, told truly and so hbvis, 3 processes: mean times; at most {} each",
            time(ENGINE_TIME)
        ),
        &["operations", "linearizable", "minimal", "naive", "search", "wing-gong"],
    );
    let mut plot = Plot::new(
        "weak-beyond",
        "hbvis and linearizability of a map, longer histories: mean times",
        "operations",
    );
    session.begin("longer histories", sizes.len() as u64 * histories);
    let mut out = [false; WAYS.len()];
    for &operations in sizes {
        let (mut times, mut stopped) = ([Duration::ZERO; WAYS.len()], [0; WAYS.len()]);
        let mut linearizable = 0;
        for seed in 0..histories {
            let history = Walks { operations, seed, ..Walks::default() }.run();
            let mut verdicts = [None; WAYS.len()];
            for (at, way) in WAYS.into_iter().enumerate().filter(|&(at, _)| !out[at]) {
                let question = Question { history: &history, spec: &Map, criterion: way.criterion() };
                let timed = question.timed(Some(way.engine()), ENGINE_TIME);
                verdicts[at] = timed.decided().then(|| timed.consistent());
                times[at] += timed.time;
                stopped[at] += u32::from(!timed.decided());
            }
            let [minimal, naive, search, baseline] = verdicts;
            assert!(
                minimal != Some(false) && naive != Some(false),
                "run {seed} of {operations} told the truth"
            );
            assert!(
                search.zip(baseline).is_none_or(|(a, b)| a == b),
                "run {seed} of {operations}: linearizable?"
            );
            linearizable += u32::from(search == Some(true));
            session.step()?;
        }
        let mut row = vec![operations.to_string(), linearizable.to_string()];
        for (at, way) in WAYS.into_iter().enumerate() {
            if out[at] {
                row.push("-".into());
                continue;
            }
            let mean = times[at] / histories as u32;
            plot.point(way.name(), f64::from(operations), mean, stopped[at] > 0);
            row.push(match stopped[at] {
                0 => time(mean),
                some => format!("> {} ({some} stopped)", time(mean)),
            });
            // What is stopped on most histories of a size is not asked about longer ones.
            out[at] = u64::from(stopped[at]) * 2 > histories;
        }
        table.row(row);
    }
    session.table(table);
    session.plot(plot);
    session.note("minimal and naive hold sets of at most 512 operations.");
    Ok(())
}
