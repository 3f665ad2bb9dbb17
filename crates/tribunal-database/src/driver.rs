//! The interface of a recorded database.

use crate::Error;
use std::fmt;
use std::str::FromStr;
use tribunal_history::names::{UnknownName, named};
use tribunal_history::transactions::Level;

/// An isolation level, as SQL names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// READ UNCOMMITTED.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
}

impl Isolation {
    /// Every one, the weakest first.
    pub const ALL: [Isolation; 4] = [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Serializable,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read-uncommitted",
            Isolation::ReadCommitted => "read-committed",
            Isolation::RepeatableRead => "repeatable-read",
            Isolation::Serializable => "serializable",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Isolation {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("isolation level", name, &Isolation::ALL, Isolation::name)
    }
}

/// An isolation level of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub isolation: Isolation,
    /// The implementation, if the database has several.
    pub how: Option<&'static str>,
    /// The level that the database's documentation promises.
    pub promised: Level,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.how {
            Some(how) => write!(f, "{}, {how}", self.isolation),
            None => write!(f, "{}", self.isolation),
        }
    }
}

/// A database with a table of registers and one of lists.
pub trait Database: Sync {
    /// Its name and version.
    fn name(&self) -> String;

    /// The isolation levels that it has, the weakest first.
    fn settings(&self) -> Vec<Setting>;

    /// Recreates the tables, with `keys` empty keys from 0 on.
    fn reset(&self, setting: Setting, keys: u32) -> Result<(), Error>;

    /// A connection whose transactions run at an isolation level.
    fn connect(&self, setting: Setting) -> Result<Box<dyn Connection>, Error>;
}

/// The reason why a statement failed.
#[derive(Debug)]
pub enum StatementError {
    /// The database refused the transaction: a conflict, a deadlock, a lock timeout.
    Refused,
    /// The connection is gone.
    Lost,
    /// An unexpected error.
    Failed(Error),
}

/// A connection, with one transaction at a time. After an error, [`rollback`](Connection::rollback) ends the transaction.
pub trait Connection: Send {
    /// Begins a transaction.
    fn begin(&mut self) -> Result<(), StatementError>;

    /// Reads a register; `None` if it was never written.
    fn read(&mut self, key: u32) -> Result<Option<i64>, StatementError>;

    /// Reads a list.
    fn read_list(&mut self, key: u32) -> Result<Vec<i64>, StatementError>;

    /// Writes a register.
    fn write(&mut self, key: u32, value: i64) -> Result<(), StatementError>;

    /// Appends to a list.
    fn append(&mut self, key: u32, value: i64) -> Result<(), StatementError>;

    /// Commits the transaction.
    fn commit(&mut self) -> Result<(), StatementError>;

    /// Undoes the transaction.
    fn rollback(&mut self) -> Result<(), StatementError>;
}

/// The elements of a list that is kept as text, with a comma before each.
#[cfg(any(feature = "sqlite", feature = "postgres", test))]
pub(crate) fn elements(key: u32, text: &str) -> Result<Vec<i64>, StatementError> {
    let malformed = || StatementError::Failed(Error::List { key, text: text.into() });
    let Some(rest) = text.strip_prefix(',') else {
        return if text.is_empty() { Ok(Vec::new()) } else { Err(malformed()) };
    };
    rest.split(',').map(|element| element.parse().map_err(|_| malformed())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_text() {
        assert!(elements(0, "").is_ok_and(|list| list.is_empty()));
        assert!(elements(0, ",1,-2,3").is_ok_and(|list| list == [1, -2, 3]));
        for malformed in ["1", ",", ",1,", ",x"] {
            assert!(matches!(
                elements(7, malformed),
                Err(StatementError::Failed(Error::List { key: 7, .. }))
            ));
        }
    }

    #[test]
    fn names_come_back() {
        for isolation in Isolation::ALL {
            assert_eq!(isolation.name().parse(), Ok(isolation));
        }
        assert!(
            "serialisable".parse::<Isolation>().is_err_and(|e| e.to_string().contains("`serializable`?"))
        );
    }
}
