//! That databases give what they promise, and not always more. Built and run by `cargo xtask databases`.

#![cfg(any(feature = "sqlite", feature = "postgres"))]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tribunal_database::{Clients, Database, Isolation, Recorder, Setting};
use tribunal_engines::transactions::judge;
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, Level, Status, Verdict};

fn clients(lists: f64) -> Clients {
    Clients { sessions: 4, transactions: 60, keys: 4, lists, ..Clients::default() }
}

fn satisfies(history: &History, level: Level) -> bool {
    match judge(history, level, &Limits::default()).0 {
        Verdict::Consistent(_) => true,
        Verdict::Inconsistent(_) => false,
        other => panic!("{level}: {other:?}"),
    }
}

/// Records some histories at every setting, and holds them against what is promised.
fn keeps_its_promises(database: &dyn Database) {
    let stop = AtomicBool::new(false);
    for setting in database.settings() {
        for lists in [0.0, 1.0] {
            let mut recorder = Recorder::new(database, setting, clients(lists)).expect("it connects");
            let (mut committed, mut aborted) = (0, 0);
            for _ in 0..20 {
                let history = recorder.history(&stop).expect("it runs");
                assert_eq!((history.len(), history.is_timed()), (60, true));
                let promised = setting.promised;
                assert!(satisfies(&history, promised), "{setting} breaks {promised}: {history:?}");
                let count = |status| history.transactions().filter(|&t| history.status(t) == status).count();
                committed += count(Status::Committed);
                aborted += count(Status::Aborted);
            }
            assert!(committed > 100 && aborted > 20, "{setting}: {committed} committed, {aborted} aborted");
        }
    }
}

/// Records until a history breaks a level.
fn breaks(database: &dyn Database, setting: Setting, level: &str) {
    let level: Level = level.parse().expect("a level");
    let start = Instant::now();
    let mut recorder = Recorder::new(database, setting, clients(0.0)).expect("it connects");
    while start.elapsed() < Duration::from_secs(20) {
        if !satisfies(&recorder.history(&AtomicBool::new(false)).expect("it runs"), level) {
            return;
        }
    }
    panic!("{setting} gives {level}");
}

fn setting(database: &dyn Database, isolation: Isolation) -> Setting {
    let mut settings = database.settings().into_iter();
    settings.find(|setting| setting.isolation == isolation).expect("it has the level")
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::*;
    use tribunal_database::sqlite::Sqlite;

    #[test]
    fn sqlite_keeps_its_promises() {
        keeps_its_promises(&Sqlite::new().expect("a directory"));
    }

    #[test]
    fn read_uncommitted_reads_what_is_not_committed() {
        let database = Sqlite::new().expect("a directory");
        breaks(&database, setting(&database, Isolation::ReadUncommitted), "rc");
    }

    #[test]
    fn clients_that_are_stopped_begin_nothing() {
        let database = Sqlite::new().expect("a directory");
        let setting = setting(&database, Isolation::Serializable);
        let mut recorder = Recorder::new(&database, setting, clients(0.5)).expect("it connects");
        assert!(recorder.history(&AtomicBool::new(true)).is_ok_and(|history| history.is_empty()));
        let impossible = Clients { keys: 0, ..clients(0.0) };
        let refused = Recorder::new(&database, setting, impossible).err().expect("refused");
        assert_eq!(refused.to_string(), "clients need at least one key");
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use tribunal_database::postgres::{Postgres, installed};

    /// A server, where one can be had.
    fn server() -> Option<Postgres> {
        if installed().is_none() {
            eprintln!("left out: PostgreSQL is not installed");
            return None;
        }
        Some(Postgres::start().expect("it starts"))
    }

    #[test]
    fn postgresql_keeps_its_promises_and_no_more() {
        let Some(database) = server() else { return };
        keeps_its_promises(&database);
        breaks(&database, setting(&database, Isolation::ReadCommitted), "rat");
        // Write skew.
        breaks(&database, setting(&database, Isolation::RepeatableRead), "ser");
    }

    #[test]
    fn servers_that_are_not_there_are_named() {
        let refused = Postgres::at("host=/nonexistent user=postgres").err().expect("refused").to_string();
        assert!(refused.starts_with("PostgreSQL: connecting: "), "{refused}");
    }

    #[test]
    fn a_lost_connection_is_an_unknown_outcome_at_most() {
        let Some(database) = server() else { return };
        let setting = setting(&database, Isolation::ReadCommitted);
        let many = Clients { transactions: 4_000, ..clients(0.0) };
        let mut recorder = Recorder::new(&database, setting, many).expect("it connects");
        let done = AtomicBool::new(false);
        let history = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    database.end_connections().expect("it lets us");
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            let history = recorder.history(&AtomicBool::new(false));
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            history.expect("clients connect again")
        });
        assert_eq!(history.len(), 4_000);
        assert!(satisfies(&history, setting.promised));
        let unknown = history.transactions().filter(|&t| history.status(t) == Status::Unknown).count();
        assert!(unknown > 0, "every commit was answered");
    }
}
