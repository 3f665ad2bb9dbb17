//! Explorations of small programs: every execution with what decides inside replaced by writes-before (Tunç et al. 2023, Table 1), random
//! executions with it replaced by a closed mo (Table 2), executions a second, and two cores beside one.

mod closed;
mod writes_before;

use crate::bench::table::{ratio, time};
use crate::bench::{Error, Session, Table};
use closed::ClosedMo;
use std::sync::Arc;
use std::time::Duration;
use tribunal_explore::search::{search, search_with};
use tribunal_explore::text::{Code, Interpreter, Setting, Source};
use tribunal_explore::{End, Mode, Options, Report};
use tribunal_history::model::Model;
use writes_before::WritesBefore;

/// A program with a constant set.
struct Case {
    name: &'static str,
    text: &'static str,
    set: &'static str,
}

macro_rules! programs {
    ($($name:literal $set:literal),* $(,)?) => {
        &[$(Case {
            name: $name,
            text: include_str!(concat!("../../../../../crates/tribunal-explore/programs/", $name, ".prog")),
            set: $set,
        }),*]
    };
}

/// Those without plain accesses and seq_cst, so that ra has all there is to decide.
const EXHAUSTED: &[Case] = programs![
    "synthetic/fib" "NUM=4,LARGEST=144",
    "synthetic/big0" "",
    "synthetic/ainc" "N=7",
    "synthetic/binc" "N=4",
    "synthetic/casrot" "N=8",
    "synthetic/wcas" "N=8",
    "synthetic/readers" "N=13",
    "synthetic/eratosthenes" "",
    "synthetic/CoA" "N=5",
    "synthetic/lockinc" "N=6",
    "litmus/wrw" "N=4",
    "litmus/inc+inc+RR+W+RR" "",
];

/// Everything there is, races and seq_cst included.
const STRUCTURES: &[Case] = programs![
    "structures/treiber" "",
    "structures/mpmc-queue" "",
    "structures/chase-lev" "",
    "structures/dq" "",
    "structures/spinlock" "",
    "structures/ticketlock" "",
    "structures/ttaslock" "",
    "structures/barrier" "",
    "synthetic/szymanski" "",
    "synthetic/fib" "NUM=5,LARGEST=144",
    "synthetic/indexer" "N=15",
];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    checkers(session)?;
    speeds(session)?;
    testers(session)
}

impl Case {
    fn code(&self) -> Arc<Code> {
        let source = Source::parse(self.text).expect("a shipped program");
        let known = source.constants(&[]).expect("its own constants");
        let settings: Vec<Setting> = self
            .set
            .split(',')
            .filter(|set| !set.is_empty())
            .map(|set| set.parse().expect("a setting"))
            .collect();
        let settings: Vec<Setting> = settings
            .into_iter()
            .filter(|set| known.iter().any(|constant| constant.name == set.name))
            .collect();
        Arc::new(source.compile(&settings).expect("a shipped program"))
    }

    fn shown(&self) -> String {
        let name = self.name.rsplit('/').next().unwrap_or(self.name);
        format!("{name} {}", self.set).trim_end().to_owned()
    }
}

fn options(code: &Code, model: Model, patience: Duration) -> Options {
    Options { model, allow_races: code.allow_races(), max_duration: Some(patience), ..Options::default() }
}

fn finished(report: &Report) -> String {
    match report.end {
        End::Complete | End::Failed | End::Sampled => time(report.duration),
        _ => format!("> {}", time(report.duration)),
    }
}

/// Table 1: the same search, asking a session or writes-before.
fn checkers(session: &mut Session<'_>) -> Result<(), Error> {
    let patience = Duration::from_secs(session.pick(2, 60));
    let mut table = Table::new(
        "explore: every execution under ra, the same search asking a session or writes-before",
        &["program", "executions", "events", "session", "writes-before", "ratio"],
    );
    session.begin("checkers", EXHAUSTED.len() as u64);
    for case in EXHAUSTED {
        let code = case.code();
        let options = options(&code, Model::Ra, patience);
        let make = || Interpreter::new(code.clone(), Model::Ra);
        let (ours, _) = search(make, drop, &options).expect("ra has sessions");
        let (theirs, _) = search_with(|| (make(), WritesBefore::default()), drop, &options);
        if ours.end == End::Complete && theirs.end == End::Complete {
            assert_eq!(ours.executions, theirs.executions, "{}", case.name);
        }
        table.row([
            case.shown(),
            ours.executions.to_string(),
            ours.events.to_string(),
            finished(&ours),
            finished(&theirs),
            format!("{:.1}", ratio(theirs.duration, ours.duration)),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// How fast, and how much faster two cores are.
fn speeds(session: &mut Session<'_>) -> Result<(), Error> {
    let patience = Duration::from_secs(session.pick(2, 60));
    let mut table = Table::new(
        "explore: every execution under rc20, on one core and on two",
        &[
            "program",
            "executions",
            "blocked",
            "events",
            "one core",
            "executions a second",
            "two cores",
            "ratio",
        ],
    );
    session.begin("speeds", STRUCTURES.len() as u64);
    for case in STRUCTURES {
        let code = case.code();
        let one = options(&code, Model::Rc20, patience);
        let two = Options { threads: 2.try_into().expect("not 0"), ..one.clone() };
        let explore = |options: &Options| {
            let make = || Interpreter::new(code.clone(), Model::Rc20);
            search(make, drop, options).expect("rc20 has sessions").0
        };
        let (alone, together) = (explore(&one), explore(&two));
        if alone.end == End::Complete && together.end == End::Complete {
            assert_eq!(alone.executions, together.executions, "{}", case.name);
        }
        let rate = (alone.executions + alone.blocked) as f64 / alone.duration.as_secs_f64();
        table.row([
            case.shown(),
            alone.executions.to_string(),
            alone.blocked.to_string(),
            alone.events.to_string(),
            finished(&alone),
            format!("{rate:.0}"),
            finished(&together),
            format!("{:.2}", ratio(alone.duration, together.duration)),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// Table 2: random executions, asking a session or a closed mo.
fn testers(session: &mut Session<'_>) -> Result<(), Error> {
    let executions = session.pick(2_000, 100_000);
    let mut table = Table::new(
        format!("explore: {executions} random executions under rc20, asking a session or a closed mo"),
        &["program", "events", "session", "closed mo", "ratio"],
    );
    let cases: Vec<&Case> = EXHAUSTED.iter().filter(|case| case.name != "synthetic/readers").collect();
    session.begin("testers", cases.len() as u64);
    for case in cases {
        let code = case.code();
        let options = Options {
            mode: Mode::Random { seed: 1, executions },
            allow_races: true,
            ..options(&code, Model::Rc20, Duration::MAX)
        };
        let make = || Interpreter::new(code.clone(), Model::Rc20);
        let (ours, _) = search(make, drop, &options).expect("rc20 has sessions");
        let (theirs, _) = search_with(|| (make(), ClosedMo::new(code.threads())), drop, &options);
        table.row([
            case.shown(),
            ours.events.to_string(),
            finished(&ours),
            finished(&theirs),
            format!("{:.1}", ratio(theirs.duration, ours.duration)),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_explore::text::explore;

    /// Writes-before and sessions agree on every program of the comparison that is small.
    #[test]
    fn both_find_the_same() {
        for case in
            EXHAUSTED.iter().filter(|case| !["synthetic/big0", "synthetic/readers"].contains(&case.name))
        {
            let source = Source::parse(case.text).expect("a program");
            let code = Arc::new(source.compile(&[]).expect("a program"));
            let options = options(&code, Model::Ra, Duration::from_secs(20));
            let make = || Interpreter::new(code.clone(), Model::Ra);
            let (ours, _) = search(make, drop, &options).expect("ra has sessions");
            let (theirs, _) = search_with(|| (make(), WritesBefore::default()), drop, &options);
            assert_eq!((ours.executions, ours.blocked), (theirs.executions, theirs.blocked), "{}", case.name);
        }
    }

    #[test]
    fn programs_are_as_expected() {
        for case in STRUCTURES.iter().filter(|case| case.name.starts_with("structures")) {
            let source = Source::parse(case.text).expect("a program");
            let code = source.compile(&[]).expect("a program");
            let options = options(&code, Model::Rc20, Duration::MAX);
            let explored = explore(code, &options).expect("rc20 has sessions");
            assert!(explored.report.executions > 0, "{}", case.name);
        }
    }
}
