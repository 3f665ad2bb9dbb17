//! PostgreSQL: a temporary server or an existing one.

#[cfg(unix)]
mod server;

#[cfg(unix)]
pub use server::{Server, installed};

use crate::driver::elements;
use crate::{Connection, Database, Error, Isolation, Setting, StatementError};
use postgres::error::SqlState;
use postgres::types::{FromSql, ToSql};
use postgres::{Client, NoTls, Statement};
use tribunal_history::transactions::{Base, Isolation as Kind, Level};

const NAME: &str = "PostgreSQL";

/// A PostgreSQL server.
pub struct Postgres {
    url: String,
    version: String,
    /// Lives as long as this does.
    #[cfg(unix)]
    _server: Option<Server>,
}

impl Postgres {
    /// An existing server: `postgresql://user@host/database`, or anything else libpq accepts. Two tables, `tribunal_registers` and `tribunal_lists`,
    /// are created in its database and dropped at the end.
    pub fn at(url: &str) -> Result<Self, Error> {
        let version = version(url)?;
        Ok(Postgres {
            url: url.into(),
            version,
            #[cfg(unix)]
            _server: None,
        })
    }

    /// A temporary server, in a temporary directory.
    #[cfg(unix)]
    pub fn start() -> Result<Self, Error> {
        let server = Server::start()?;
        let (url, version) = (server.url(), version(&server.url())?);
        Ok(Postgres { url, version, _server: Some(server) })
    }

    /// Terminates all other connections, as an administrator may at any time.
    pub fn end_connections(&self) -> Result<(), Error> {
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
        let ended = connect(&self.url)?.execute(others, &[]);
        ended.map(drop).map_err(|error| failed("ending connections", &error))
    }

    /// Whether the server is one's own.
    fn is_own(&self) -> bool {
        #[cfg(unix)]
        return self._server.is_some();
        #[cfg(not(unix))]
        false
    }
}

fn version(url: &str) -> Result<String, Error> {
    let version =
        connect(url)?.query_one("SHOW server_version", &[]).and_then(|row| row.try_get::<_, String>(0));
    let version = version.map_err(|error| failed("asking for its version", &error))?;
    // Behind it Debian names its package.
    Ok(version.split(' ').next().unwrap_or_default().into())
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A server of one's own goes with its tables; of another, only they do.
        if !self.is_own()
            && let Ok(mut client) = connect(&self.url)
        {
            let _gone_or_not =
                client.batch_execute("DROP TABLE IF EXISTS tribunal_registers, tribunal_lists");
        }
    }
}

fn connect(url: &str) -> Result<Client, Error> {
    Client::connect(url, NoTls).map_err(|error| failed("connecting", &error))
}

fn failed(what: &'static str, error: &postgres::Error) -> Error {
    // The error itself says no more than `db error`.
    let problem = match error.as_db_error() {
        Some(told) => told.to_string(),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    };
    Error::Database { database: NAME, what, problem }
}

impl Database for Postgres {
    fn name(&self) -> String {
        format!("{NAME} {}", self.version)
    }

    fn settings(&self) -> Vec<Setting> {
        let setting = |isolation, kind| {
            let promised = Level::new(kind, Base::None)?;
            Some(Setting { isolation, how: None, promised })
        };
        let all = [
            setting(Isolation::ReadCommitted, Kind::Rc),
            setting(Isolation::RepeatableRead, Kind::Si),
            setting(Isolation::Serializable, Kind::Ser),
        ];
        all.into_iter().flatten().collect()
    }

    fn reset(&self, _: Setting, keys: u32) -> Result<(), Error> {
        let script = format!(
            "CREATE TABLE IF NOT EXISTS tribunal_registers (k INT PRIMARY KEY, v BIGINT);
             CREATE TABLE IF NOT EXISTS tribunal_lists (k INT PRIMARY KEY, v TEXT NOT NULL);
             TRUNCATE tribunal_registers, tribunal_lists;
             INSERT INTO tribunal_registers SELECT k, NULL FROM generate_series(0, {keys} - 1) k;
             INSERT INTO tribunal_lists SELECT k, '' FROM generate_series(0, {keys} - 1) k;"
        );
        connect(&self.url)?.batch_execute(&script).map_err(|error| failed("making the tables", &error))
    }

    fn connect(&self, setting: Setting) -> Result<Box<dyn Connection>, Error> {
        let mut client = connect(&self.url)?;
        let begin = match setting.isolation {
            Isolation::ReadUncommitted => "BEGIN ISOLATION LEVEL READ UNCOMMITTED",
            Isolation::ReadCommitted => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Isolation::RepeatableRead => "BEGIN ISOLATION LEVEL REPEATABLE READ",
            Isolation::Serializable => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        };
        let mut prepare = |sql| client.prepare(sql).map_err(|error| failed("preparing a statement", &error));
        Ok(Box::new(Session {
            begin,
            read: prepare("SELECT v FROM tribunal_registers WHERE k = $1")?,
            read_list: prepare("SELECT v FROM tribunal_lists WHERE k = $1")?,
            write: prepare("UPDATE tribunal_registers SET v = $2 WHERE k = $1")?,
            append: prepare("UPDATE tribunal_lists SET v = v || ',' || $2::BIGINT WHERE k = $1")?,
            client,
        }))
    }
}

/// A connection, with its statements.
struct Session {
    client: Client,
    begin: &'static str,
    read: Statement,
    read_list: Statement,
    write: Statement,
    append: Statement,
}

/// What an error means to a transaction.
fn trouble(what: &'static str) -> impl Fn(postgres::Error) -> StatementError {
    move |error| match error.code() {
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
            StatementError::Refused
        }
        // The server is going down, or someone ended the connection: it says so, and goes.
        Some(&SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW) => {
            StatementError::Lost
        }
        Some(_) => StatementError::Failed(failed(what, &error)),
        None if error.is_closed()
            || std::error::Error::source(&error).is_some_and(|source| source.is::<std::io::Error>()) =>
        {
            StatementError::Lost
        }
        None => StatementError::Failed(failed(what, &error)),
    }
}

/// Keys are integers of SQL.
fn number(key: u32) -> i32 {
    key as i32
}

fn query<T: for<'a> FromSql<'a>>(
    client: &mut Client,
    sql: &Statement,
    key: u32,
) -> Result<T, StatementError> {
    let row = client.query_one(sql, &[&number(key)]).map_err(trouble("reading"))?;
    row.try_get(0).map_err(trouble("reading"))
}

impl Session {
    fn batch(&mut self, sql: &'static str) -> Result<(), StatementError> {
        self.client.batch_execute(sql).map_err(trouble(sql))
    }
}

fn execute(
    client: &mut Client,
    sql: &Statement,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<(), StatementError> {
    client.execute(sql, parameters).map(drop).map_err(trouble("writing"))
}

impl Connection for Session {
    fn begin(&mut self) -> Result<(), StatementError> {
        self.batch(self.begin)
    }

    fn read(&mut self, key: u32) -> Result<Option<i64>, StatementError> {
        query(&mut self.client, &self.read, key)
    }

    fn read_list(&mut self, key: u32) -> Result<Vec<i64>, StatementError> {
        let text: String = query(&mut self.client, &self.read_list, key)?;
        elements(key, &text)
    }

    fn write(&mut self, key: u32, value: i64) -> Result<(), StatementError> {
        execute(&mut self.client, &self.write, &[&number(key), &value])
    }

    fn append(&mut self, key: u32, value: i64) -> Result<(), StatementError> {
        execute(&mut self.client, &self.append, &[&number(key), &value])
    }

    fn commit(&mut self) -> Result<(), StatementError> {
        self.batch("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), StatementError> {
        self.batch("ROLLBACK")
    }
}
