//! The machines by name.

use crate::{Bug, Protocol};
use std::fmt;
use std::str::FromStr;
use tribunal_history::memory::Order;
use tribunal_history::names::{UnknownName, named};

/// A simulated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Machine {
    /// Atomic memory: histories are sc-consistent, hence consistent with every model.
    Atomic,
    /// A first-in-first-out store buffer per thread: histories are tso-consistent.
    Tso,
    /// A store buffer per thread and location: histories are pso-consistent.
    Pso,
    /// Execution out of order: histories are rmo-consistent.
    Rmo,
    /// C11 by views: histories are rc20-consistent.
    View,
    /// Caches kept coherent by a directory: histories are sc-consistent, unless there is a bug.
    Caches(Protocol, Option<Bug>),
    /// Caches that snoop on a bus: histories are sc-consistent, unless there is a bug.
    Snooping(Protocol, Option<Bug>),
}

impl Machine {
    /// Every machine, strongest first.
    pub const ALL: [Machine; 11] = [
        Machine::Atomic,
        Machine::Caches(Protocol::Mi, None),
        Machine::Caches(Protocol::Mesi, None),
        Machine::Caches(Protocol::Moesi, None),
        Machine::Snooping(Protocol::Mi, None),
        Machine::Snooping(Protocol::Mesi, None),
        Machine::Snooping(Protocol::Moesi, None),
        Machine::Tso,
        Machine::Pso,
        Machine::Rmo,
        Machine::View,
    ];

    /// The machine's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Machine::Atomic => "atomic",
            Machine::Tso => "tso",
            Machine::Pso => "pso",
            Machine::Rmo => "rmo",
            Machine::View => "view",
            Machine::Caches(Protocol::Mi, _) => "mi",
            Machine::Caches(Protocol::Mesi, _) => "mesi",
            Machine::Caches(Protocol::Moesi, _) => "moesi",
            Machine::Snooping(Protocol::Mi, _) => "mi-snooping",
            Machine::Snooping(Protocol::Mesi, _) => "mesi-snooping",
            Machine::Snooping(Protocol::Moesi, _) => "moesi-snooping",
        }
    }

    /// The order of fences if the clients' orders offer none.
    pub(crate) const fn usual_fence(self) -> Order {
        match self {
            Machine::View => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }

    /// The machine with this bug in its caches; `None` if it has no caches, or they cannot have it.
    ///
    /// ```
    /// use tribunal_machines::{Bug, Machine, Protocol};
    /// let mesi = Machine::Snooping(Protocol::Mesi, None);
    /// assert_eq!(mesi.with(Bug::MissedSnoop), Some(Machine::Snooping(Protocol::Mesi, Some(Bug::MissedSnoop))));
    /// assert_eq!(Machine::Tso.with(Bug::MissedSnoop), None);
    /// ```
    pub const fn with(self, bug: Bug) -> Option<Machine> {
        match self {
            Machine::Caches(protocol, _) if bug.is_of(self) => Some(Machine::Caches(protocol, Some(bug))),
            Machine::Snooping(protocol, _) if bug.is_of(self) => Some(Machine::Snooping(protocol, Some(bug))),
            _ => None,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Machine {
    type Err = UnknownName;

    /// ```
    /// use tribunal_machines::Machine;
    /// assert_eq!("tso".parse(), Ok(Machine::Tso));
    /// assert!("power".parse::<Machine>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("machine", name, &Machine::ALL, Machine::name).map_err(UnknownName::listing)
    }
}
