//! `tribunal record transactions`: random clients of a real database, and the isolation levels that it gives them.

mod table;

use super::Destination;
use crate::args::seconds;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::time::{Duration, Instant};
use table::{Row, Table};
use tribunal_database::{Clients, Database, Isolation, Recorder, Setting};
use tribunal_engines::transactions::strongest_levels;
use tribunal_formats::{Format, Labels, Notes, Transactions, Writer, write_transactions};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::History;

const HELP: &str = "\
Examples:
  tribunal record transactions                    SQLite, embedded
  tribunal record transactions --driver postgres  a server of its own
  tribunal record transactions --driver postgres --isolation repeatable-read
  tribunal record transactions --driver postgres --server postgresql://me@db/x

Clients run in threads, each with its own connection, unique values and the times of a monotonic clock. A transaction \
that the database refuses is aborted; one whose connection is lost during commit has an unknown outcome. Every \
history is checked at all levels, and the certificates are verified. For each isolation level the table shows what \
the database promises, the strongest levels that all histories satisfy, and the smallest anomaly of each history that \
fails, by name.

SQLite runs in a temporary directory. PostgreSQL is started from a Debian package's programs, or from the path, in a \
temporary directory with a socket; as root it runs as the user postgres. With --server two tables, tribunal_registers \
and tribunal_lists, are created in that database and dropped at the end.

Exit status: 0 every history satisfies what is promised; 1 one does not, or a certificate is refused; 2 bad usage, no \
database, or output that cannot be written; 3 some undecided and no promise broken; 130 stopped by Ctrl-C.";

/// The default time for which each isolation level is recorded.
const RECORDING: Duration = Duration::from_secs(5);
/// The time that a question about a history may take.
const THINKING: Duration = Duration::from_secs(10);

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct TransactionsArguments {
    /// The database
    #[arg(long, value_name = "DRIVER", default_value = "sqlite")]
    driver: Driver,
    /// For PostgreSQL: the URL of a running server; by default one is started
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The isolation level to ask the database for, or all that it has
    #[arg(long, value_name = "LEVEL", default_value = "all", value_parser = isolation())]
    isolation: Asked,
    /// Clients, each in its own thread
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=500))]
    clients: u32,
    /// Transactions in each history, over all clients
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    transactions: u32,
    /// Most operations in a transaction
    #[arg(long, value_name = "N", default_value_t = Clients::default().ops, value_parser = clap::value_parser!(u32).range(1..=1 << 12))]
    ops: u32,
    /// Keys; with few there are more conflicts
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    keys: u32,
    /// Share of operations that are reads, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().reads)]
    reads: f64,
    /// Share of keys that are lists, from 0 to 1: text that is appended to; the rest are registers
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().lists)]
    lists: f64,
    /// Share of transactions that their client aborts, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().aborts)]
    aborts: f64,
    /// The random seed of the clients; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = Clients::default().seed)]
    seed: u64,
    /// The most histories to record at each isolation level
    #[arg(long, value_name = "N")]
    histories: Option<u64>,
    /// The longest time to record each isolation level, in seconds; 5 unless --histories is given
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,
    #[command(flatten)]
    destination: Destination,
}

/// The databases by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Driver {
    /// SQLite, embedded
    Sqlite,
    /// PostgreSQL
    Postgres,
}

/// The isolation levels that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    All,
    One(Isolation),
}

fn isolation() -> impl TypedValueParser<Value = Asked> {
    let names = Isolation::ALL.map(Isolation::name).into_iter().chain(["all"]);
    PossibleValuesParser::new(names.collect::<Vec<_>>())
        .map(|name| name.parse().map_or(Asked::All, Asked::One))
}

pub fn run(arguments: &TransactionsArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    if arguments.server.is_some() && arguments.driver != Driver::Postgres {
        return Err(Failure::Usage("--server is of --driver postgres".into()));
    }
    arguments.clients().validate().map_err(|error| Failure::Usage(error.to_string()))?;
    let database = open(arguments)?;
    let mut settings = database.settings();
    if let Asked::One(isolation) = arguments.isolation {
        let mut has: Vec<&str> = settings.iter().map(|setting| setting.isolation.name()).collect();
        has.dedup();
        let none = format!("{} does not have {isolation}: it has {}", database.name(), has.join(", "));
        settings.retain(|setting| setting.isolation == isolation);
        if settings.is_empty() {
            return Err(Failure::Usage(none));
        }
    }
    let heading = format!(
        "{}, {} clients, {} transactions a history, {} keys, seed {}",
        database.name(),
        arguments.clients,
        arguments.transactions,
        arguments.keys,
        arguments.seed
    );
    let mut table = Table::new(heading);
    // Histories on standard output leave no room for a table in between.
    let mut writer = match arguments.destination.output {
        Some(_) => Some(arguments.destination.open(Format::Json, out)?),
        None => None,
    };
    for setting in settings {
        let row = arguments.record(&*database, setting, writer.as_mut())?;
        table.add(row);
        if interrupt::requested() {
            break;
        }
    }
    if let Some(writer) = writer {
        arguments.destination.finish(writer)?;
    }
    table.print(out)?;
    Ok(table.tally())
}

impl TransactionsArguments {
    fn clients(&self) -> Clients {
        Clients {
            sessions: self.clients,
            transactions: self.transactions,
            ops: self.ops,
            keys: self.keys,
            reads: self.reads,
            lists: self.lists,
            aborts: self.aborts,
            seed: self.seed,
            ..Clients::default()
        }
    }

    /// The greatest number of histories that are recorded, and the time for that.
    fn extent(&self) -> (u64, Option<Duration>) {
        match (self.histories, self.seconds) {
            (None, None) => (u64::MAX, Some(RECORDING)),
            (histories, seconds) => (histories.unwrap_or(u64::MAX), seconds),
        }
    }

    /// Records and judges one isolation level.
    fn record(
        &self,
        database: &dyn Database,
        setting: Setting,
        mut writer: Option<&mut Writer<Sink<'_>>>,
    ) -> Result<Row, Failure> {
        let failed = |error: tribunal_database::Error| Failure::Usage(error.to_string());
        let (histories, time) = self.extent();
        let start = Instant::now();
        let mut recorder = Recorder::new(database, setting, self.clients()).map_err(failed)?;
        let mut row = Row::new(setting);
        for number in 0..histories {
            // However slow the database is, there is a first one.
            if interrupt::requested() || (number > 0 && time.is_some_and(|time| start.elapsed() >= time)) {
                break;
            }
            let history = recorder.history(interrupt::flag()).map_err(failed)?;
            let deadline = Instant::now().checked_add(THINKING);
            let limits = Limits { stop: Some(interrupt::flag()), deadline, ..Limits::default() };
            let found = strongest_levels(&history, &limits);
            // What was stopped while it ran, or was judged, says little.
            if interrupt::requested() {
                break;
            }
            if let Some(complaint) = row.add(&history, &found, &limits) {
                complain(&format!("{} {complaint}", history.name().unwrap_or_default()));
            }
            if let Some(writer) = &mut writer {
                self.write(history, writer)?;
            }
        }
        row.took(start.elapsed());
        Ok(row)
    }

    fn write(&self, history: History, writer: &mut Writer<Sink<'_>>) -> Result<(), Failure> {
        let transactions =
            Transactions { history: history.into(), lines: Vec::new(), notes: Notes::default() };
        let name = || transactions.history.name().unwrap_or_default().to_string();
        write_transactions(writer, &transactions, &Labels::default())
            .map_err(|error| self.destination.failure(error, &name()))
    }
}

/// The database that is asked for.
#[cfg(feature = "databases")]
fn open(arguments: &TransactionsArguments) -> Result<Box<dyn Database>, Failure> {
    use tribunal_database::{Error, postgres::Postgres, sqlite::Sqlite};
    let opened: Result<Box<dyn Database>, Error> = match (arguments.driver, &arguments.server) {
        (Driver::Sqlite, _) => Sqlite::new().map(|database| Box::new(database) as _),
        (Driver::Postgres, Some(url)) => Postgres::at(url).map(|database| Box::new(database) as _),
        #[cfg(unix)]
        (Driver::Postgres, None) => Postgres::start().map(|database| Box::new(database) as _),
        #[cfg(not(unix))]
        (Driver::Postgres, None) => {
            return Err(Failure::Usage("--driver postgres: --server must say where it is".into()));
        }
    };
    opened.map_err(|error| Failure::Usage(error.to_string()))
}

/// There is none.
#[cfg(not(feature = "databases"))]
fn open(_: &TransactionsArguments) -> Result<Box<dyn Database>, Failure> {
    Err(Failure::Usage(
        "this command was built without databases: cargo build --release -p tribunal-cli --features databases"
            .into(),
    ))
}
