//! Bugs of objects: mistakes that implementations often make, to be found again.

use super::calls::Object;
use std::fmt;
use std::str::FromStr;
use tribunal_history::names::{UnknownName, named};

/// A bug of an object. It strikes now and then, not always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// A read returns what was true some time before it was called: from a cache, from a replica that lags.
    StaleRead,
    /// An update works on what the object was when the operation was called, and undoes what others did since.
    LostUpdate,
    /// An update returns as if it had taken effect, and does not.
    DroppedUpdate,
    /// An update takes effect twice: it is sent again, since the answer is late.
    RetriedUpdate,
    /// An update returns before it takes effect.
    EarlyReturn,
    /// A removed value stays, and is removed again.
    DuplicatedRemoval,
    /// A removal takes the element behind the one that it should.
    ReorderedRemoval,
    /// A value that is there is not found.
    MissedValue,
    /// A read of several parts looks at them one after the other, while others change them.
    TornRead,
    /// A lock is given to two at a time.
    DoubleAcquire,
}

impl Bug {
    /// Every bug.
    pub const ALL: [Bug; 10] = [
        Bug::StaleRead,
        Bug::LostUpdate,
        Bug::DroppedUpdate,
        Bug::RetriedUpdate,
        Bug::EarlyReturn,
        Bug::DuplicatedRemoval,
        Bug::ReorderedRemoval,
        Bug::MissedValue,
        Bug::TornRead,
        Bug::DoubleAcquire,
    ];

    /// The bug's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Bug::StaleRead => "stale-read",
            Bug::LostUpdate => "lost-update",
            Bug::DroppedUpdate => "dropped-update",
            Bug::RetriedUpdate => "retried-update",
            Bug::EarlyReturn => "early-return",
            Bug::DuplicatedRemoval => "duplicated-removal",
            Bug::ReorderedRemoval => "reordered-removal",
            Bug::MissedValue => "missed-value",
            Bug::TornRead => "torn-read",
            Bug::DoubleAcquire => "double-acquire",
        }
    }

    /// Whether an object with that specification can have it, such that it shows.
    ///
    /// ```
    /// use tribunal_machines::objects::Bug;
    /// assert!(Bug::ReorderedRemoval.is_of("queue") && !Bug::ReorderedRemoval.is_of("register(0)"));
    /// ```
    pub fn is_of(self, spec: &str) -> bool {
        use Object::*;
        let (object, keyed) = Object::of(spec);
        let removes_any = matches!(object, Queue | Stack | PriorityQueue);
        match self {
            Bug::StaleRead => !removes_any && object != Mutex,
            // A write leaves nothing of what was there before, whether it knew it or not.
            Bug::LostUpdate => object != Mutex && (object != Register || keyed),
            Bug::DroppedUpdate | Bug::EarlyReturn => object != Mutex,
            // Twice is as good as once.
            Bug::RetriedUpdate => removes_any || matches!(object, Counter | List | Bank | KvStore),
            Bug::DuplicatedRemoval | Bug::MissedValue => removes_any || matches!(object, Set | Map),
            Bug::ReorderedRemoval => removes_any,
            Bug::TornRead => !keyed && matches!(object, Map | Bank | MultiRegister),
            Bug::DoubleAcquire => object == Mutex,
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
