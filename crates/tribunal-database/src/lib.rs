//! Transactions on real databases: random clients in threads, recorded as histories with real times.
//!
//! A [`Database`] opens [`Connection`]s with a [`Setting`], which is an isolation level and what the database promises for it. A
//! [`Recorder`] runs [`Clients`] on their own connections and records one history after another. Values are unique, so each read identifies
//! its source. A transaction that the database refuses is aborted; one whose connection is lost while it commits has an unknown outcome.
//!
//! The databases are optional features, `sqlite` and `postgres`, since they take long to build.
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::atomic::AtomicBool;
//! use tribunal::transactions::{Verdict, check};
//! use tribunal_database::{Clients, Database, Recorder, sqlite::Sqlite};
//! let database = Sqlite::new()?;
//! for setting in database.settings() {
//!     let mut recorder = Recorder::new(&database, setting, Clients::default())?;
//!     let history = recorder.history(&AtomicBool::new(false))?;
//!     assert!(matches!(check(&history, setting.promised), Verdict::Consistent(_)));
//! }
//! # }
//! # Ok::<(), tribunal_database::Error>(())
//! ```

mod driver;
mod error;
#[cfg(feature = "postgres")]
pub mod postgres;
mod record;
#[cfg(feature = "sqlite")]
pub mod sqlite;

pub use driver::{Connection, Database, Isolation, Setting, StatementError};
pub use error::Error;
pub use record::Recorder;
pub use tribunal_machines::transactions::Clients;
