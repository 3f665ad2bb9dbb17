//! SQLite, embedded: a database in a temporary directory.

use crate::driver::elements;
use crate::{Connection, Database, Error, Isolation, Setting, StatementError};
use rusqlite::{ErrorCode, OpenFlags};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;
use tribunal_history::transactions::{Base, Isolation as Kind, Level};

const NAME: &str = "SQLite";
const SHARED_CACHE: &str = "shared cache";
const WAL: &str = "write-ahead log";
const JOURNAL: &str = "rollback journal";

/// The time for which a statement that waits for a lock sleeps before it asks again, and how often it does so before its transaction gives up. SQLite's
/// own pauses are meant for transactions that take longer.
const PAUSE: Duration = Duration::from_micros(50);
const MOST_PAUSES: i32 = 400;

/// Whether to go on waiting.
fn wait(asked: i32) -> bool {
    std::thread::sleep(PAUSE);
    asked < MOST_PAUSES
}

/// A database in a temporary directory, which is removed with it. It does not sync to disk.
pub struct Sqlite {
    directory: TempDir,
    /// A connection to the database of a setting, by which tables are made.
    keeper: Mutex<Option<(Setting, rusqlite::Connection)>>,
}

impl Sqlite {
    /// Makes the directory.
    pub fn new() -> Result<Self, Error> {
        let directory = tempfile::Builder::new().prefix("tribunal-sqlite").tempdir();
        let directory = directory.map_err(|error| Error::Start {
            database: NAME,
            problem: format!("temporary directory: {error}"),
        })?;
        Ok(Sqlite { directory, keeper: Mutex::new(None) })
    }

    fn path(&self, setting: Setting) -> PathBuf {
        self.directory.path().join(match setting.how {
            Some(WAL) => "wal.db",
            Some(SHARED_CACHE) => "shared.db",
            _ => "journal.db",
        })
    }

    fn open(&self, setting: Setting) -> Result<rusqlite::Connection, Error> {
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        if setting.how == Some(SHARED_CACHE) {
            flags |= OpenFlags::SQLITE_OPEN_SHARED_CACHE | OpenFlags::SQLITE_OPEN_FULL_MUTEX;
        } else {
            flags |= OpenFlags::SQLITE_OPEN_NO_MUTEX;
        }
        let opened = || {
            let mut connection = rusqlite::Connection::open_with_flags(self.path(setting), flags)?;
            connection.busy_handler(Some(wait))?;
            let journal = if setting.how == Some(WAL) { "WAL" } else { "TRUNCATE" };
            connection.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "OFF")?;
            let uncommitted = setting.isolation == Isolation::ReadUncommitted;
            connection.pragma_update(None, "read_uncommitted", uncommitted)?;
            Ok(connection)
        };
        opened().map_err(|error: rusqlite::Error| failed("opening the database", &error))
    }
}

impl Database for Sqlite {
    fn name(&self) -> String {
        format!("{NAME} {}", rusqlite::version())
    }

    fn settings(&self) -> Vec<Setting> {
        let setting = |isolation, how, kind| {
            let promised = Level::new(kind, Base::None)?;
            Some(Setting { isolation, how: Some(how), promised })
        };
        let all = [
            setting(Isolation::ReadUncommitted, SHARED_CACHE, Kind::Ru),
            setting(Isolation::Serializable, JOURNAL, Kind::Ser),
            setting(Isolation::Serializable, WAL, Kind::Ser),
        ];
        all.into_iter().flatten().collect()
    }

    fn reset(&self, setting: Setting, keys: u32) -> Result<(), Error> {
        let mut keeper = self.keeper.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if keeper.as_ref().is_none_or(|(kept, _)| *kept != setting) {
            *keeper = Some((setting, self.open(setting)?));
        }
        let Some((_, connection)) = keeper.as_mut() else { return Ok(()) };
        let mut made = || {
            let transaction = connection.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS registers (k INTEGER PRIMARY KEY, v INTEGER);
                 CREATE TABLE IF NOT EXISTS lists (k INTEGER PRIMARY KEY, v TEXT NOT NULL);
                 DELETE FROM registers;
                 DELETE FROM lists;",
            )?;
            for key in 0..keys {
                transaction.execute("INSERT INTO registers VALUES (?1, NULL)", [key])?;
                transaction.execute("INSERT INTO lists VALUES (?1, '')", [key])?;
            }
            transaction.commit()
        };
        made().map_err(|error| failed("making the tables", &error))
    }

    fn connect(&self, setting: Setting) -> Result<Box<dyn Connection>, Error> {
        Ok(Box::new(Client(self.open(setting)?)))
    }
}

fn failed(what: &'static str, error: &rusqlite::Error) -> Error {
    Error::Database { database: NAME, what, problem: error.to_string() }
}

/// A connection.
struct Client(rusqlite::Connection);

/// What an error means to a transaction.
fn trouble(what: &'static str) -> impl Fn(rusqlite::Error) -> StatementError {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StatementError::Refused,
        _ => StatementError::Failed(failed(what, &error)),
    }
}

impl Client {
    fn execute(&mut self, sql: &str, key: u32, value: i64) -> Result<(), StatementError> {
        let executed = self.0.prepare_cached(sql).and_then(|mut sql| sql.execute((key, value)));
        executed.map(drop).map_err(trouble("writing"))
    }

    fn query<T: rusqlite::types::FromSql>(&mut self, sql: &str, key: u32) -> Result<T, StatementError> {
        let mut sql = self.0.prepare_cached(sql).map_err(trouble("reading"))?;
        sql.query_row([key], |row| row.get(0)).map_err(trouble("reading"))
    }
}

impl Connection for Client {
    fn begin(&mut self) -> Result<(), StatementError> {
        self.0.execute_batch("BEGIN").map_err(trouble("BEGIN"))
    }

    fn read(&mut self, key: u32) -> Result<Option<i64>, StatementError> {
        self.query("SELECT v FROM registers WHERE k = ?1", key)
    }

    fn read_list(&mut self, key: u32) -> Result<Vec<i64>, StatementError> {
        let text: String = self.query("SELECT v FROM lists WHERE k = ?1", key)?;
        elements(key, &text)
    }

    fn write(&mut self, key: u32, value: i64) -> Result<(), StatementError> {
        self.execute("UPDATE registers SET v = ?2 WHERE k = ?1", key, value)
    }

    fn append(&mut self, key: u32, value: i64) -> Result<(), StatementError> {
        self.execute("UPDATE lists SET v = v || ',' || ?2 WHERE k = ?1", key, value)
    }

    fn commit(&mut self) -> Result<(), StatementError> {
        self.0.execute_batch("COMMIT").map_err(trouble("COMMIT"))
    }

    fn rollback(&mut self) -> Result<(), StatementError> {
        // Some errors have undone the transaction already.
        if self.0.is_autocommit() {
            return Ok(());
        }
        self.0.execute_batch("ROLLBACK").map_err(trouble("ROLLBACK"))
    }
}
