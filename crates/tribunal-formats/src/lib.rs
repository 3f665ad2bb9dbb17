//! Readers and writers of histories.
//!
//! Readers stream: a [`Reader`] holds one history at a time. gzip and zstd are decompressed transparently. The
//! formats are documented in `docs/formats.md`.
//!
//! ```
//! use tribunal_formats::read;
//! let sb = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
//! for history in read(sb.as_bytes(), "sb.txt", None)? {
//!     let execution = history?.into_memory().expect("of a memory");
//!     assert_eq!((execution.thread_count(), execution.len()), (2, 4));
//! }
//! # Ok::<(), tribunal_formats::Error>(())
//! ```

pub mod certificate;
mod error;
mod format;
mod history;
mod nemesis;
mod notes;
mod read;
mod write;

pub use error::{Error, ErrorKind};
pub use format::{Format, UnknownFormat};
pub use history::{History, Labels, Lines, NoSpecification, Object, Subject, Transactions};
pub use nemesis::Disturbance;
pub use notes::{Notes, OtherEvent};
pub use read::{
    Action, Batch, Cells, Events, Histories, Input, NilReads, ObjectEvent, Observations, Observed, Piece,
    Pieces, ReadAs, ReadOptions, Reader, decompressed, events, is_litmus, observations, open, open_folder,
    read,
};
pub use write::{
    Event, Header, Origin, WriteError, Writer, write_history, write_object, write_subject, write_transactions,
};
