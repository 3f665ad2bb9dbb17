//! Anomalies: names for the shapes of violations.
//!
//! A cycle gets the name of the first row that fits. If it uses so or rt, the name has Elle's suffix
//! `-process` or `-realtime`, unless the row is about them.
//!
//! | name | cycle |
//! |---|---|
//! | G0 | ww |
//! | G1c | ww and wr |
//! | non-repeatable read | wr and rw of two transactions, the two reads of one key |
//! | non-monotonic read | wr and rw of two transactions, the read of wr first |
//! | fractured read | wr and rw of two transactions |
//! | stale session read, stale read | so and rw; rt and rw |
//! | lost update | ww and rw of one key, which both read from one source |
//! | causality violation | so and wr, and one rw |
//! | G-single | one rw |
//! | long fork | wr, rw, wr, rw |
//! | G-nonadjacent | several rw, no two in a row |
//! | write skew | two rw, two transactions, two keys |
//! | G2-item | anything else |
//!
//! Sources: Adya 1999, Berenson et al. 1995, Elle's names where they differ.

use super::engine::Used;
use super::normal::normal;
use super::{
    End, History, KeyId, Level, Link, Misreading, OpId, Proof, Rel, Source, TxnId, Violation, decide_open,
};
use std::cmp::Reverse;
use std::fmt;
use tribunal_history::limits::Limits;

/// Of the sources that a read may have, so many are looked at,
const CHOICES: usize = 4;
/// and so many reads one after another.
const CHOSEN: usize = 3;

/// The name of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Anomaly {
    shape: Shape,
    order: Order,
}

/// The shape of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A read that cannot be.
    Misread(Misreading),
    /// List reads that no order explains.
    IncompatibleOrder,
    /// Two transactions overwrite each other's writes.
    DirtyWrite,
    /// Circular information flow.
    CircularFlow,
    /// Two reads of a key return different versions.
    NonRepeatableRead,
    /// An effect of a transaction that was seen disappears.
    NonMonotonicRead,
    /// A transaction is partly visible.
    FracturedRead,
    /// A session does not see its own effects, or what it saw before.
    StaleSessionRead,
    /// A read returns a value that was overwritten before its transaction began.
    StaleRead,
    /// An effect is seen, but not its cause.
    CausalityViolation,
    /// Two transactions update the same version.
    LostUpdate,
    /// A cycle with one rw.
    GSingle,
    /// Two observers see two writers in different orders.
    LongFork,
    /// A cycle with several rw, no two of them in a row.
    GNonadjacent,
    /// Two transactions each overwrite what the other read.
    WriteSkew,
    /// A cycle with two rw in a row.
    G2Item,
}

/// Whether a cycle needs the order of sessions, or real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Order {
    None,
    Process,
    RealTime,
}

impl Shape {
    /// Every shape of a cycle, the first that fits first.
    const CYCLES: [Shape; 14] = [
        Shape::DirtyWrite,
        Shape::CircularFlow,
        Shape::NonRepeatableRead,
        Shape::NonMonotonicRead,
        Shape::FracturedRead,
        Shape::StaleSessionRead,
        Shape::StaleRead,
        Shape::LostUpdate,
        Shape::CausalityViolation,
        Shape::GSingle,
        Shape::LongFork,
        Shape::GNonadjacent,
        Shape::WriteSkew,
        Shape::G2Item,
    ];

    /// Its name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Misread(what) => what.name(),
            Shape::IncompatibleOrder => "incompatible order",
            Shape::DirtyWrite => "G0",
            Shape::CircularFlow => "G1c",
            Shape::NonRepeatableRead => "non-repeatable read",
            Shape::NonMonotonicRead => "non-monotonic read",
            Shape::FracturedRead => "fractured read",
            Shape::StaleSessionRead => "stale session read",
            Shape::StaleRead => "stale read",
            Shape::CausalityViolation => "causality violation",
            Shape::LostUpdate => "lost update",
            Shape::GSingle => "G-single",
            Shape::LongFork => "long fork",
            Shape::GNonadjacent => "G-nonadjacent",
            Shape::WriteSkew => "write skew",
            Shape::G2Item => "G2-item",
        }
    }

    /// Its meaning, as a phrase.
    pub const fn sentence(self) -> &'static str {
        match self {
            Shape::Misread(Misreading::ThinAir) => "a read returns a value that nobody wrote",
            Shape::Misread(Misreading::Internal) => {
                "a read does not return what its own transaction wrote before"
            }
            Shape::Misread(Misreading::FutureRead) => "a read returns what its own transaction writes later",
            Shape::Misread(Misreading::DuplicateElements) => "a list has an element twice",
            Shape::Misread(Misreading::AbortedRead) => {
                "an aborted read: it returns a write of a transaction that was aborted"
            }
            Shape::Misread(Misreading::IntermediateRead) => {
                "an intermediate read: it returns a write that its transaction overwrote"
            }
            Shape::Misread(Misreading::DirtyUpdate) => {
                "a list has an element of an aborted transaction, and others were appended to it"
            }
            Shape::IncompatibleOrder => "no order of the appends explains what was read of a list",
            Shape::DirtyWrite => "a dirty write: transactions overwrite each other in a circle",
            Shape::CircularFlow => "circular information flow: transactions depend on each other in a circle",
            Shape::NonRepeatableRead => "two reads of a key in one transaction return different versions",
            Shape::NonMonotonicRead => "what a transaction saw of another vanishes again",
            Shape::FracturedRead => "a transaction sees a part of another: one write of it and not another",
            Shape::StaleSessionRead => "a session does not see what it did before",
            Shape::StaleRead => "a read returns what was overwritten before its transaction began",
            Shape::CausalityViolation => "a transaction sees another, but not what came before that one",
            Shape::LostUpdate => "two transactions read one version and both overwrite it: an update is lost",
            Shape::GSingle => "a transaction sees a part of what happened before another, and misses a part",
            Shape::LongFork => "two transactions see two others in different orders",
            Shape::GNonadjacent => "snapshots miss each other's writes in a circle",
            Shape::WriteSkew => "two transactions each overwrite what the other has read",
            Shape::G2Item => "transactions overwrite what others have read, in a circle",
        }
    }
}

impl Anomaly {
    /// The rank of what only serializability forbids.
    pub(super) const HIGHEST: u8 = 7;

    /// The name of a violation of a level: among the cycles of its cases, in normal form, the one that only the strongest levels forbid.
    pub fn of(history: &History, level: Level, violation: &Violation) -> Self {
        let plain = |shape| Anomaly { shape, order: Order::None };
        match violation {
            Violation::Misread(misread) => plain(Shape::Misread(misread.what)),
            Violation::Incompatible(_) => plain(Shape::IncompatibleOrder),
            Violation::Sources { .. } => {
                let mut anomalies = Vec::new();
                each_choice(history, violation, &mut Vec::new(), &mut |history, case| {
                    anomalies.push(Anomaly::of(history, level, case));
                });
                let least = anomalies.into_iter().max_by_key(|anomaly| anomaly.lesser_evil());
                least.unwrap_or(plain(Shape::Misread(Misreading::ThinAir)))
            }
            Violation::Proof(_) => match normal(history, level, violation) {
                Violation::Proof(proof) => Anomaly::of_proof(history, &proof),
                other => Anomaly::of(history, level, &other),
            },
        }
    }

    /// The name of a proof, by its cycles as they are.
    pub fn of_proof(history: &History, proof: &Proof) -> Self {
        let mut pending = vec![proof];
        let mut found: Option<Anomaly> = None;
        while let Some(Proof { end, .. }) = pending.pop() {
            match end {
                End::Cycle(cycle) => {
                    let anomaly = of_cycle(history, cycle);
                    found = found.into_iter().chain([anomaly]).max_by_key(|anomaly| anomaly.lesser_evil());
                }
                End::Cases { forward, backward, .. } => pending.extend([&**forward, &**backward]),
            }
        }
        found.unwrap_or_else(|| of_cycle(history, &[]))
    }

    /// What is forbidden by fewer levels comes last; of those that are equal the one that comes first in the table of names.
    fn lesser_evil(self) -> (u8, Reverse<Shape>) {
        (self.rank(), Reverse(self.shape))
    }

    /// By the weakest level that forbids the shape.
    pub(super) fn rank(self) -> u8 {
        match self.shape {
            Shape::Misread(_) | Shape::IncompatibleOrder | Shape::DirtyWrite => 0,
            Shape::CircularFlow => 1,
            Shape::NonMonotonicRead => 2,
            Shape::NonRepeatableRead | Shape::FracturedRead | Shape::StaleSessionRead | Shape::StaleRead => 3,
            Shape::CausalityViolation | Shape::LostUpdate | Shape::GSingle => 4,
            Shape::LongFork => 5,
            Shape::GNonadjacent => 6,
            Shape::WriteSkew | Shape::G2Item => Anomaly::HIGHEST,
        }
    }

    /// The mildest anomaly of the history and the weakest level that forbids it, starting from a level that it violates, as
    /// `violation` shows.
    ///
    /// ```
    /// use tribunal::Limits;
    /// use tribunal::transactions::{Anomaly, History, Level, Op, Status, Verdict, check};
    /// // Both read the initial value and overwrite it.
    /// let mut b = History::builder();
    /// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
    /// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
    /// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
    /// let history = b.build()?;
    /// let Verdict::Inconsistent(violation) = check(&history, Level::SER) else { panic!() };
    /// let smallest = Anomaly::smallest(&history, Level::SER, &violation, &Limits::default());
    /// assert_eq!(smallest.anomaly.to_string(), "lost update");
    /// assert_eq!(smallest.level.to_string(), "psi");
    /// # Ok::<(), tribunal::transactions::MalformedHistory>(())
    /// ```
    pub fn smallest(
        history: &History,
        level: Level,
        violation: &Violation,
        limits: &Limits<'_>,
    ) -> SmallestAnomaly {
        // The weakest first; what takes too long is skipped.
        for &weaker in Level::ALL.iter().rev().filter(|&&weaker| weaker != level && weaker.includes(level)) {
            if weaker.needs_times() && !history.is_timed() {
                continue;
            }
            if let Ok(Err(violation)) = decide_open(history, weaker, None, &Used::new(), limits) {
                let anomaly = Anomaly::of(history, weaker, &violation);
                return SmallestAnomaly { level: weaker, anomaly, violation };
            }
        }
        SmallestAnomaly {
            level,
            anomaly: Anomaly::of(history, level, violation),
            violation: violation.clone(),
        }
    }

    /// Its shape.
    pub const fn shape(self) -> Shape {
        self.shape
    }
}

/// The mildest anomaly of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallestAnomaly {
    /// The weakest level that forbids it.
    pub level: Level,
    /// Its name.
    pub anomaly: Anomaly,
    /// The violation of that level.
    pub violation: Violation,
}

/// As `lost update`, or `G-single-realtime`.
impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.order {
            Order::None => "",
            Order::Process => "-process",
            Order::RealTime => "-realtime",
        };
        write!(f, "{}{suffix}", self.shape.name())
    }
}

/// The violations under each choice of sources, with the history that it makes: the first of them, if there are many.
fn each_choice(
    history: &History,
    violation: &Violation,
    chosen: &mut Vec<(OpId, TxnId)>,
    act: &mut impl FnMut(&History, &Violation),
) {
    match violation {
        Violation::Sources { read, cases } => {
            for (source, case) in cases.iter().take(CHOICES) {
                chosen.push((*read, *source));
                // What is deeper has been chosen case by case: each costs a look at the whole history.
                if chosen.len() <= CHOSEN {
                    each_choice(history, case, chosen, act);
                }
                chosen.pop();
            }
        }
        violation if chosen.is_empty() => act(history, violation),
        violation => act(&history.choosing(chosen), violation),
    }
}

/// The name of a cycle.
pub fn of_cycle(history: &History, cycle: &[Link]) -> Anomaly {
    let cycle = Cycle { history, links: cycle };
    let shape = Shape::CYCLES.into_iter().find(|&shape| cycle.is(shape)).unwrap_or(Shape::G2Item);
    let speaks_of_order = matches!(
        shape,
        Shape::StaleSessionRead | Shape::StaleRead | Shape::CausalityViolation | Shape::NonMonotonicRead
    );
    let order = match () {
        () if speaks_of_order => Order::None,
        () if cycle.has(|rel| matches!(rel, Rel::Rt)) => Order::RealTime,
        () if cycle.has(|rel| matches!(rel, Rel::So)) => Order::Process,
        () => Order::None,
    };
    Anomaly { shape, order }
}

/// A cycle to be named.
struct Cycle<'a> {
    history: &'a History,
    links: &'a [Link],
}

impl Cycle<'_> {
    fn has(&self, what: impl Fn(Rel) -> bool) -> bool {
        self.links.iter().any(|link| what(link.rel))
    }

    fn rws(&self) -> usize {
        self.links.iter().filter(|link| matches!(link.rel, Rel::Rw(_))).count()
    }

    fn is(&self, shape: Shape) -> bool {
        let wr = |rel: Rel| matches!(rel, Rel::Wr(_));
        let two = self.pair();
        match shape {
            Shape::DirtyWrite => self.rws() == 0 && !self.has(wr),
            Shape::CircularFlow => self.rws() == 0,
            Shape::NonRepeatableRead => {
                matches!(two, Some((Rel::Wr(seen), read)) if self.key(seen) == self.key(read))
                    && matches!(two, Some((Rel::Wr(seen), read)) if read < seen)
            }
            Shape::NonMonotonicRead => matches!(two, Some((Rel::Wr(seen), read)) if seen < read),
            Shape::FracturedRead => matches!(two, Some((Rel::Wr(_), _))),
            Shape::StaleSessionRead => matches!(two, Some((Rel::So, _))),
            Shape::StaleRead => matches!(two, Some((Rel::Rt, _))),
            Shape::LostUpdate => matches!(two, Some((Rel::Ww(key), read)) if self.loses(key, read)),
            Shape::CausalityViolation => {
                self.rws() == 1 && !self.has(|rel| matches!(rel, Rel::Ww(_) | Rel::Rt))
            }
            Shape::GSingle => self.rws() == 1,
            Shape::LongFork => {
                self.links.len() == 4
                    && self.rws() == 2
                    && self.nonadjacent()
                    && self.links.iter().all(|l| matches!(l.rel, Rel::Wr(_) | Rel::Rw(_)))
            }
            Shape::GNonadjacent => self.nonadjacent(),
            Shape::WriteSkew => {
                let keys: Vec<KeyId> = self
                    .links
                    .iter()
                    .filter_map(|link| match link.rel {
                        Rel::Rw(read) => Some(self.key(read)),
                        _ => None,
                    })
                    .collect();
                self.links.len() == 2 && keys.len() == 2 && keys[0] != keys[1]
            }
            Shape::Misread(_) | Shape::IncompatibleOrder | Shape::G2Item => false,
        }
    }

    /// Of a cycle of two transactions with one rw, the other relation and the read.
    fn pair(&self) -> Option<(Rel, OpId)> {
        match self.links {
            [Link { rel: Rel::Rw(read), .. }, other] | [other, Link { rel: Rel::Rw(read), .. }] => {
                (!matches!(other.rel, Rel::Rw(_))).then_some((other.rel, *read))
            }
            _ => None,
        }
    }

    /// No two rw in a row.
    fn nonadjacent(&self) -> bool {
        let rw = |link: &Link| matches!(link.rel, Rel::Rw(_));
        let next = self.links.iter().cycle().skip(1);
        !self.links.iter().zip(next).any(|(link, next)| rw(link) && rw(next))
    }

    fn key(&self, op: OpId) -> KeyId {
        self.history.op(op).key()
    }

    /// Whether what a read returned of a key was overwritten by another who read the same version, and then by the reader.
    fn loses(&self, key: KeyId, read: OpId) -> bool {
        let history = self.history;
        let Some(first) = self.links.iter().find(|link| matches!(link.rel, Rel::Ww(_))) else { return false };
        let source = |op: OpId| history.reads().source(op);
        let same = |op: OpId| {
            self.key(op) == key && matches!(source(op), Source::Txn(_)) && source(op) == source(read)
        };
        self.key(read) == key && history.ops_of(first.from).any(same)
    }
}
