//! The isolation levels: what each forbids, and over which base.

use crate::names::suggestion;
use std::fmt;
use std::str::FromStr;

/// The requirement of a level, given its base `b`. A history satisfies it if some total order co ⊇ b ∪ wr of the transactions that count
/// explains the lists and makes this relation irreflexive.
///
/// ww is co between writers of one key; rw = wr⁻¹ ; ww leads from a reader to the writers that overwrite what it read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolation {
    /// Read uncommitted: only lists must have an order; co need not contain b or wr.
    Ru,
    /// Read committed: nothing more than co ⊇ b ∪ wr.
    Rc,
    /// Monotonic atomic view: `wr ; rw`, where the read of wr is before that of rw in the transaction.
    Mav,
    /// Read atomic: `(b ∪ wr) ; rw`.
    Rat,
    /// Transactional causal consistency: `(b ∪ wr)⁺ ; rw`, with b ⊇ so.
    Tcc,
    /// Parallel snapshot isolation: `(b ∪ wr ∪ ww)⁺ ; rw`.
    Psi,
    /// Prefix consistency: `co? ; (b ∪ wr) ; rw`.
    Pc,
    /// Snapshot isolation: `co? ; (b ∪ wr ∪ ww) ; rw`.
    Si,
    /// Serializability: `co ; rw`.
    Ser,
}

/// The base of a level: what a commit order contains in addition to wr.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// Nothing: sessions and real time do not matter.
    None,
    /// so, the order of each session.
    Session,
    /// so ∪ rt: also real time.
    Strict,
}

/// An isolation level.
///
/// ```
/// use tribunal::{history::transactions::{Base, Isolation}, transactions::Level};
/// let level: Level = "strong-session-snapshot-isolation".parse()?;
/// assert_eq!((level.isolation(), level.base()), (Isolation::Si, Base::Session));
/// assert_eq!(level.to_string(), "session-si");
/// assert!("session-rat".parse::<Level>()?.includes(level));
/// assert!("ra".parse::<Level>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level {
    isolation: Isolation,
    base: Base,
}

/// Names that others have for levels, with what they mean by them.
const ALIASES: &[(&str, &str)] = &[
    ("read-uncommitted", "ru"),
    ("read-committed", "rc"),
    ("monotonic-atomic-view", "mav"),
    ("read-atomic", "rat"),
    ("causal", "tcc"),
    ("consistent-view", "psi"),
    ("parallel-snapshot-isolation", "psi"),
    ("prefix-consistency", "pc"),
    ("snapshot-isolation", "si"),
    ("repeatable-read", "ser"),
    ("serializable", "ser"),
    ("strong-session-consistent-view", "session-psi"),
    ("strong-session-snapshot-isolation", "session-si"),
    ("strong-session-serializable", "session-ser"),
    ("strong-snapshot-isolation", "strict-si"),
    ("strong-serializable", "strict-ser"),
    ("strict-serializable", "strict-ser"),
    ("sser", "strict-ser"),
];

impl Level {
    /// Every level: the strongest base first, and within a base the strongest level first.
    pub const ALL: [Level; 24] = {
        use Base::{None, Session, Strict};
        use Isolation::{Mav, Pc, Psi, Rat, Rc, Ru, Ser, Si, Tcc};
        const fn level(base: Base, isolation: Isolation) -> Level {
            Level { isolation, base }
        }
        [
            level(Strict, Ser),
            level(Strict, Si),
            level(Strict, Psi),
            level(Strict, Pc),
            level(Strict, Tcc),
            level(Strict, Rat),
            level(Strict, Mav),
            level(Strict, Rc),
            level(Session, Ser),
            level(Session, Si),
            level(Session, Psi),
            level(Session, Pc),
            level(Session, Tcc),
            level(Session, Rat),
            level(Session, Mav),
            level(Session, Rc),
            level(None, Ser),
            level(None, Si),
            level(None, Psi),
            level(None, Pc),
            level(None, Rat),
            level(None, Mav),
            level(None, Rc),
            level(None, Ru),
        ]
    };

    /// Serializability without sessions and real time.
    pub const SER: Level = Level { isolation: Isolation::Ser, base: Base::None };

    /// The level with this base, if it exists: ru has no base, and tcc always has one.
    pub fn new(isolation: Isolation, base: Base) -> Option<Self> {
        Some(Level { isolation, base }).filter(|level| Level::ALL.contains(level))
    }

    /// The requirement of the level.
    #[inline]
    pub const fn isolation(self) -> Isolation {
        self.isolation
    }

    /// The base: the pairs that every commit order contains.
    #[inline]
    pub const fn base(self) -> Base {
        self.base
    }

    /// Its name on the command line and in every output.
    pub const fn name(self) -> &'static str {
        use Isolation::{Mav, Pc, Psi, Rat, Rc, Ru, Ser, Si, Tcc};
        match (self.base, self.isolation) {
            (_, Ru) => "ru",
            (Base::None, Rc) => "rc",
            (Base::None, Mav) => "mav",
            (Base::None, Rat) => "rat",
            (Base::None | Base::Session, Tcc) => "tcc",
            (Base::None, Psi) => "psi",
            (Base::None, Pc) => "pc",
            (Base::None, Si) => "si",
            (Base::None, Ser) => "ser",
            (Base::Session, Rc) => "session-rc",
            (Base::Session, Mav) => "session-mav",
            (Base::Session, Rat) => "session-rat",
            (Base::Session, Psi) => "session-psi",
            (Base::Session, Pc) => "session-pc",
            (Base::Session, Si) => "session-si",
            (Base::Session, Ser) => "session-ser",
            (Base::Strict, Rc) => "strict-rc",
            (Base::Strict, Mav) => "strict-mav",
            (Base::Strict, Rat) => "strict-rat",
            (Base::Strict, Tcc) => "strict-tcc",
            (Base::Strict, Psi) => "strict-psi",
            (Base::Strict, Pc) => "strict-pc",
            (Base::Strict, Si) => "strict-si",
            (Base::Strict, Ser) => "strict-ser",
        }
    }

    /// Whether every history that satisfies `other` satisfies this one.
    ///
    /// Within a base, ser ⊆ si ⊆ psi, pc ⊆ tcc ⊆ rat ⊆ mav ⊆ rc ⊆ ru, where tcc exists; and a level with a larger base is included in the
    /// same level with a smaller one. There are no other inclusions.
    pub fn includes(self, other: Level) -> bool {
        use Isolation::{Pc, Psi, Tcc};
        let stronger = match (other.isolation, self.isolation) {
            (Psi, Pc) | (Pc, Psi) => false,
            // Without sessions neither psi nor pc gives causality, which has them.
            (strong, weak) => strong >= weak,
        };
        let base = self.isolation == Isolation::Ru || other.base >= self.base;
        stronger && base && !(self.isolation == Tcc && other.base == Base::None)
    }

    /// The level in a sentence.
    pub fn sentence(self) -> String {
        let isolation = match self.isolation {
            Isolation::Ru => "read uncommitted: no dirty writes",
            Isolation::Rc => "read committed: no dirty, aborted or intermediate reads",
            Isolation::Mav => "monotonic atomic view: what a transaction has seen of another does not vanish",
            Isolation::Rat => "read atomic: a transaction sees all of another or nothing",
            Isolation::Tcc => "transactional causal consistency: what is seen comes with all that led to it",
            Isolation::Psi => "parallel snapshot isolation: no lost updates, but snapshots may disagree",
            Isolation::Pc => "prefix consistency: snapshots of one order, but updates may be lost",
            Isolation::Si => "snapshot isolation: snapshots of one order, and no lost updates",
            Isolation::Ser => "serializability: as if one transaction ran after the other",
        };
        let base = match self.base {
            Base::None => "",
            Base::Session => "; in the order of each session",
            Base::Strict => "; in the order of each session and in real time",
        };
        format!("{isolation}{base}")
    }

    /// The cost of deciding it, for n operations in k sessions.
    pub const fn complexity(self) -> &'static str {
        match (self.isolation, self.base) {
            (Isolation::Ru | Isolation::Rc, Base::None | Base::Session) => "O(n)",
            (Isolation::Ru | Isolation::Rc, Base::Strict) => "O(n log n)",
            (Isolation::Mav | Isolation::Rat, _) => "O(n^1.5)",
            (Isolation::Tcc, _) => "O(n k)",
            _ => "NP-complete; fast where lists are read or saturation orders the writers",
        }
    }

    /// Whether it does not apply to histories without times.
    #[inline]
    pub const fn needs_times(self) -> bool {
        matches!(self.base, Base::Strict)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        let meant = match (alias, name) {
            (Some((_, level)), _) => level,
            (None, "session-tcc") => "tcc",
            (None, name) => name,
        };
        let level = Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(meant));
        level.ok_or_else(|| {
            let names = Level::ALL.map(Level::name);
            let near = suggestion(name, names.into_iter().chain(ALIASES.iter().map(|(alias, _)| *alias)));
            format!("unknown isolation level `{name}`{near}; there are: {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_levels_and_aliases_name_them() {
        for level in Level::ALL {
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(Level::new(level.isolation(), level.base()), Some(level));
        }
        for (alias, level) in ALIASES {
            assert_eq!(alias.parse::<Level>().map(Level::name), Ok(*level));
        }
        assert_eq!(Level::new(Isolation::Tcc, Base::None), None);
        assert!("serialisable".parse::<Level>().is_err_and(|error| error.contains("`serializable`?")));
    }

    #[test]
    fn inclusion_is_an_order() {
        for a in Level::ALL {
            assert!(a.includes(a));
            for b in Level::ALL {
                assert!(a == b || !(a.includes(b) && b.includes(a)), "{a} {b}");
                for c in Level::ALL {
                    assert!(!(a.includes(b) && b.includes(c)) || a.includes(c), "{a} {b} {c}");
                }
            }
        }
    }
}
