//! Bugs of caches, as found in real ones.

use super::Protocol;
use crate::Machine;
use std::fmt;
use std::str::FromStr;
use tribunal_history::names::{UnknownName, named};

/// A bug of a cache, of its directory or of its bus. It occurs at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// A core acknowledges an invalidation but keeps its copy.
    LostInvalidation,
    /// A core writes before all others have acknowledged the invalidation.
    EarlyAck,
    /// Memory supplies a line although a core has a newer copy.
    StaleFill,
    /// The contents of an evicted line do not reach memory.
    DroppedWriteBack,
    /// The directory forgets a sharer.
    ForgottenSharer,
    /// A core ignores a request on the bus and answers that it has no copy.
    MissedSnoop,
    /// The bus grants a request for a line before an earlier one for the same line is done.
    DoubleGrant,
    /// A core keeps using a line that it gave away.
    TwoOwners,
    /// Another core may write between the read and the write of an RMW.
    SplitRmw,
    /// A write hit is delayed, and later reads overtake it.
    ReorderedStoreHit,
}

impl Bug {
    /// Every bug.
    pub const ALL: [Bug; 10] = [
        Bug::LostInvalidation,
        Bug::EarlyAck,
        Bug::StaleFill,
        Bug::DroppedWriteBack,
        Bug::ForgottenSharer,
        Bug::MissedSnoop,
        Bug::DoubleGrant,
        Bug::TwoOwners,
        Bug::SplitRmw,
        Bug::ReorderedStoreHit,
    ];

    /// The bug's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Bug::LostInvalidation => "lost-invalidation",
            Bug::EarlyAck => "early-ack",
            Bug::StaleFill => "stale-fill",
            Bug::DroppedWriteBack => "dropped-write-back",
            Bug::ForgottenSharer => "forgotten-sharer",
            Bug::MissedSnoop => "missed-snoop",
            Bug::DoubleGrant => "double-grant",
            Bug::TwoOwners => "two-owners",
            Bug::SplitRmw => "split-rmw",
            Bug::ReorderedStoreHit => "reordered-store-hit",
        }
    }

    /// Whether a machine can have it. It needs the mechanism that fails; without shared lines, there is nothing
    /// to invalidate.
    pub const fn is_of(self, machine: Machine) -> bool {
        let (protocol, snooping) = match machine {
            Machine::Caches(protocol, _) => (protocol, false),
            Machine::Snooping(protocol, _) => (protocol, true),
            _ => return false,
        };
        let shares = matches!(protocol, Protocol::Mesi | Protocol::Moesi);
        match self {
            Bug::LostInvalidation | Bug::EarlyAck => shares,
            Bug::ForgottenSharer => shares && !snooping,
            Bug::MissedSnoop | Bug::DoubleGrant => snooping,
            _ => true,
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Bug {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("bug", name, &Bug::ALL, Bug::name)
    }
}
