//! The interface of a store to its clients, whatever its concurrency control.

use super::StoreBug;
use super::versions::{Version, Versions};
use crate::chance::chance;
use tribunal_random::Xoshiro;

/// Of the occasions that a bug has, the share at which it strikes.
const STRIKES: f64 = 0.25;

/// An answer of a store.
pub(super) enum Answer<T> {
    /// It is done.
    Done(T),
    /// Not yet: the client asks again.
    Wait,
    /// The transaction cannot go on.
    Abort,
}

/// The state that stores share: versions, chance, and the bug.
pub(super) struct Context {
    pub(super) versions: Versions,
    pub(super) rng: Xoshiro,
    pub(super) bug: Option<StoreBug>,
}

impl Context {
    /// Whether the bug is there and strikes.
    pub(super) fn strikes(&mut self, bug: StoreBug) -> bool {
        self.bug == Some(bug) && chance(&mut self.rng, STRIKES)
    }
}

/// A store. A client has at most one transaction at a time.
pub(super) trait Engine {
    /// A client begins a transaction, which may be such that it only reads.
    fn begin(&mut self, client: usize, read_only: bool, cx: &mut Context) -> Answer<()>;

    /// Reads a key.
    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version>;

    /// Writes a register, or appends to a list.
    fn write(&mut self, client: usize, key: u32, value: i64, cx: &mut Context) -> Answer<()>;

    /// Commits. A client that cannot is told to abort.
    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()>;

    /// Undoes what the client's transaction did.
    fn abort(&mut self, client: usize, cx: &mut Context);

    /// Time goes by.
    fn pass(&mut self, cx: &mut Context);
}
