//! Isolation levels of workloads that grow, and of hard histories.

use crate::bench::cost::limits;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::{Duration, Instant};
use tribunal_engines::Engine;
use tribunal_engines::transactions::{judge, judge_by};
use tribunal_history::transactions::{History, Level, Verdict};
use tribunal_machines::hard::{Formula, kernel};
use tribunal_machines::transactions::families::{BlindWrites, ListAppend, Orders, of_memory, satisfiability};
use tribunal_machines::transactions::{Clients, Store, run as simulate};

const ENGINE_TIME: Duration = Duration::from_secs(60);
/// How much longer eight times as many transactions may take where a level is polynomial, or lists tell the order.
const GROWTH: f64 = 10.0;

/// A workload of so many transactions, and the levels that are asked of it; whether their growth is bounded.
struct Workload {
    name: &'static str,
    make: fn(u32) -> Result<History, Error>,
    levels: &'static [&'static str],
    bounded: bool,
}

const WORKLOADS: [Workload; 4] = [
    Workload {
        name: "serial store",
        make: |transactions| {
            let clients = Clients {
                sessions: 50,
                transactions,
                ops: 18,
                keys: transactions,
                aborts: 0.0,
                unknown: 0.0,
                seed: 1,
                ..Clients::default()
            };
            Ok(simulate(Store::Serial, None, &clients).expect("clients as they can be"))
        },
        levels: &["session-mav", "session-rat", "tcc"],
        bounded: true,
    },
    Workload {
        name: "list-append",
        make: |transactions| Ok(ListAppend { transactions, ..ListAppend::default() }.history()),
        levels: &["session-ser", "strict-ser"],
        bounded: true,
    },
    Workload {
        name: "blind writes",
        make: |transactions| Ok(BlindWrites { transactions, ..BlindWrites::default() }.history()),
        levels: &["session-si", "session-ser", "ser"],
        bounded: false,
    },
    Workload {
        name: "orders",
        make: |transactions| Ok(Orders { transactions, ..Orders::default() }.history()),
        levels: &["session-si", "session-ser"],
        bounded: false,
    },
];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    workloads(session)?;
    formulas(session)
}

/// The verdict of an engine, or of whatever is best, and the time that it took: the least of three, unless it is long.
fn timed(history: &History, level: Level, engine: Option<Engine>) -> (Verdict, Duration) {
    let mut best: Option<(Verdict, Duration)> = None;
    for _ in 0..3 {
        let start = Instant::now();
        let limits = limits(start, ENGINE_TIME);
        let (verdict, _) = match engine {
            Some(engine) => judge_by(history, level, engine, &limits).expect("an engine of the level"),
            None => judge(history, level, &limits),
        };
        let took = start.elapsed();
        if best.as_ref().is_none_or(|(_, least)| took < *least) {
            best = Some((verdict, took));
        }
        if took > Duration::from_secs(1) {
            break;
        }
    }
    best.expect("at least one run")
}

fn workloads(session: &mut Session<'_>) -> Result<(), Error> {
    let few = session.pick(1_250, 12_500);
    let mut table = Table::new(
        format!("workloads without a bug, {few} transactions and {}", 8 * few),
        &["workload", "level", "operations", "few", "many", "growth", "<= 10", "transactions a second"],
    );
    let steps = WORKLOADS.iter().map(|workload| workload.levels.len() as u64).sum();
    session.begin("levels of workloads", steps);
    for Workload { name, make, levels, bounded } in &WORKLOADS {
        let (small, large) = (make(few)?, make(8 * few)?);
        for level in *levels {
            let level: Level = level.parse().expect("a level");
            let ((_, first), (verdict, last)) = (timed(&small, level, None), timed(&large, level, None));
            let growth = ratio(last, first);
            table.row([
                name.to_string(),
                level.to_string(),
                large.ops().len().to_string(),
                time(first),
                if verdict.is_consistent() { time(last) } else { verdict.word().into() },
                format!("{growth:.1}"),
                if *bounded { kept(growth <= GROWTH) } else { String::new() },
                format!("{:.0}", large.len() as f64 / last.as_secs_f64()),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

/// Histories whose writers have to be chosen, by engines that choose.
fn formulas(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes: &[u32] = session.pick(&[4, 8], &[10, 20, 30, 40, 50, 60]);
    let hard = sizes.iter().map(|&variables| {
        let formula = Formula::random(variables, 4.3, 1).expect("enough variables");
        (format!("3-SAT, {variables} variables"), Level::SER, satisfiability(&formula))
    });
    let pairs: &[u32] = session.pick(&[2, 3], &[2, 3, 4]);
    let session_ser: Level = "session-ser".parse().expect("a level");
    let memories = pairs.iter().map(|&pairs| {
        let history = of_memory(&kernel::combinations(pairs, None)).expect("every source is known");
        (format!("wsc and not sc, {pairs} pairs"), session_ser, history)
    });
    let all: Vec<_> = hard.chain(memories).collect();
    let mut table = Table::new(
        "3-SAT as transactions (Biswas and Enea 2019), 4.3 clauses a variable; memories that only cases refute",
        &["history", "level", "transactions", "verdict", "time", "search", "sat"],
    );
    session.begin("hard histories", all.len() as u64);
    for (name, level, history) in all {
        let (verdict, took) = timed(&history, level, None);
        let by = |engine| {
            let (other, took) = timed(&history, level, Some(engine));
            let decided = other.is_consistent() || other.is_inconsistent();
            assert!(
                !decided
                    || !(verdict.is_consistent() || verdict.is_inconsistent())
                    || other.word() == verdict.word()
            );
            if decided { time(took) } else { other.word().into() }
        };
        table.row([
            name,
            level.to_string(),
            history.len().to_string(),
            verdict.word().into(),
            time(took),
            by(Engine::Search),
            by(Engine::Sat),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}
