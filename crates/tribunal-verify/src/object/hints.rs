//! The hints of a specification, and which of them an acceptance depends on.

use std::fmt;

/// A claim of a [`Spec`](tribunal_history::object::Spec) about its steps, which the verifier cannot check
/// in general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// [`Spec::reachable`](tribunal_history::object::Spec::reachable).
    Reachable,
    /// [`Spec::key`](tribunal_history::object::Spec::key).
    Key,
    /// [`Spec::collection`](tribunal_history::object::Spec::collection).
    Collection,
    /// [`Spec::read_only`](tribunal_history::object::Spec::read_only).
    ReadOnly,
    /// [`Spec::unchanged`](tribunal_history::object::Spec::unchanged).
    Unchanged,
}

impl Hint {
    /// Every hint that the verifier knows.
    pub const ALL: [Hint; 5] =
        [Hint::Reachable, Hint::Key, Hint::Collection, Hint::ReadOnly, Hint::Unchanged];

    /// The hint's name, which is that of the method.
    pub const fn name(self) -> &'static str {
        match self {
            Hint::Reachable => "reachable",
            Hint::Key => "key",
            Hint::Collection => "collection",
            Hint::ReadOnly => "read_only",
            Hint::Unchanged => "unchanged",
        }
    }
}

/// A set of hints.
///
/// ```
/// use tribunal::verify::object::{Hint, Hints};
/// let hints = Hints::NONE.with(Hint::Key).with(Hint::Reachable);
/// assert_eq!(hints.to_string(), "reachable and key");
/// assert!(Hints::NONE.is_empty() && !hints.contains(Hint::Unchanged));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints(u8);

impl Hints {
    /// No hint: only the steps of the specification.
    pub const NONE: Hints = Hints(0);
    /// Every hint.
    pub const ALL: Hints = Hints((1 << Hint::ALL.len()) - 1);

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a hint is among them.
    pub const fn contains(self, hint: Hint) -> bool {
        self.0 >> hint as u8 & 1 == 1
    }

    /// Whether these are a subset of the others.
    pub const fn is_within(self, others: Hints) -> bool {
        self.0 & !others.0 == 0
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, hint: Hint) -> Hints {
        Hints(self.0 | 1 << hint as u8)
    }

    /// These but one.
    #[must_use]
    pub const fn without(self, hint: Hint) -> Hints {
        Hints(self.0 & !(1 << hint as u8))
    }

    /// These and the others.
    #[must_use]
    pub const fn union(self, others: Hints) -> Hints {
        Hints(self.0 | others.0)
    }

    /// The hints in both sets.
    #[must_use]
    pub const fn intersection(self, others: Hints) -> Hints {
        Hints(self.0 & others.0)
    }

    /// The hints one by one.
    pub fn iter(self) -> impl Iterator<Item = Hint> {
        Hint::ALL.into_iter().filter(move |&hint| self.contains(hint))
    }
}

impl From<Hint> for Hints {
    fn from(hint: Hint) -> Self {
        Hints::NONE.with(hint)
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Hint::name).collect();
        match names.split_last() {
            None => f.write_str("no hint"),
            Some((last, [])) => f.write_str(last),
            Some((last, others)) => write!(f, "{} and {last}", others.join(", ")),
        }
    }
}

/// A certificate is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The hints that the proof depends on. If there are none, it depends only on the specification's steps.
    pub trusting: Hints,
}
