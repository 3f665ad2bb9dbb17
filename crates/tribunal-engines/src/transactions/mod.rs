//! Histories of transactions: sessions of reads, writes and appends, and the isolation levels they satisfy.
//!
//! A [`History`] is a list of sessions, a session a list of transactions, a transaction a list of operations on keys. A key is either a register,
//! which is written and read, or a list, which is appended to and read as a whole. The initial transaction [`INIT`] writes the initial value
//! of every key and is first in every order.
//!
//! **What counts.** Committed transactions count, and so do those of unknown outcome that a counting transaction reads from. Aborted ones, and their reads, do not.
//!
//! **Relations** between transactions that count:
//!
//! - so, session order: from each committed transaction to the later ones of its session;
//! - rt, real time: from a committed transaction to those that begin after its end;
//! - wr: from the source of a read to the reader. A read that follows a write of its own transaction to the key is internal and has no source;
//! - co, the commit order, which a level requires to exist; see [`Isolation`].
//!
//! Source: Biswas and Enea 2019, extended with the levels of Adya, Elle and Cerone.

mod anomaly;
mod engine;
mod graph;
mod normal;
mod open;
mod relations;
mod shrink;
mod strong;
mod strongest;
mod support;
mod versions;
mod weak;

use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

pub use anomaly::{Anomaly, Shape, SmallestAnomaly, of_cycle};
use engine::Used;
pub use engine::{Engine, Judgment};
pub use normal::normal;
pub use shrink::{Shrunk, shrink};
pub use strongest::{StrongestLevels, strongest_levels};
use tribunal_history::transactions::{
    Base, Because, End, History, INIT, Incompatible, Isolation, KeyId, Level, Link, Misread, Misreading, Op,
    OpId, Proof, Rel, SessionId, Source, Status, Step, TxnId, Unsupported, Verdict, Violation, Witness,
};
use versions::Versions;

/// Decides whether a history satisfies a level.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{History, Level, Op, Status, Verdict, judge};
/// // A lost update: both read the initial value and overwrite it.
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let history = b.build()?;
/// let verdict = |level: &str| judge(&history, level.parse().expect("a level"), &Limits::default());
/// assert!(matches!(verdict("pc"), Verdict::Consistent(_)));
/// assert!(matches!(verdict("si"), Verdict::Inconsistent(_)));
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn judge(history: &History, level: Level, limits: &Limits<'_>) -> Verdict {
    judge_by(history, level, None, limits)
}

/// Decides whether a history satisfies a level, by one engine alone; none: by whatever is best. An engine that does not decide the level is not asked.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{Engine, History, Level, Op, Status, Verdict, judge_by};
/// let mut b = History::builder();
/// let (a, x) = (b.session("a"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// let verdict = judge_by(&b.build()?, Level::SER, Some(Engine::Sat), &Limits::default());
/// assert!(matches!(verdict, Verdict::Consistent(_)));
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn judge_by(history: &History, level: Level, engine: Option<Engine>, limits: &Limits<'_>) -> Verdict {
    judgment(history, level, engine, limits).verdict
}

/// The same, with the engine that decided.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{Engine, History, Level, Op, Status, judgment};
/// let mut b = History::builder();
/// let (a, x) = (b.session("a"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// assert_eq!(judgment(&b.build()?, Level::SER, None, &Limits::default()).engine, Engine::Saturation);
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn judgment(history: &History, level: Level, engine: Option<Engine>, limits: &Limits<'_>) -> Judgment {
    let engine = engine.filter(|engine| engine.decides(level));
    let used = Used::new();
    let verdict = if level.needs_times() && !history.is_timed() {
        Verdict::Unsupported(Unsupported::Times)
    } else {
        match decide_open(history, level, engine, &used, limits) {
            Ok(Ok(witness)) => Verdict::Consistent(witness),
            Ok(Err(violation)) => Verdict::Inconsistent(violation),
            Err(limit) => Verdict::Undecided(limit),
        }
    };
    Judgment { verdict, engine: engine.unwrap_or_else(|| used.last()) }
}

/// The commit order and the sources of open reads, or why there are none.
fn decide_open(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    used: &Used,
    limits: &Limits<'_>,
) -> Result<Result<Witness, Violation>, Limit> {
    let history = &*history.under(level);
    if history.reads().is_open() {
        return open::choose(history, level, engine, used, limits);
    }
    let witness = |commits| Witness { commits, sources: Vec::new() };
    decide(history, level, engine, used, limits).map(|decided| decided.map(witness))
}

/// The commit order, or why there is none. Reads whose source is open say nothing.
fn decide(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    used: &Used,
    limits: &Limits<'_>,
) -> Result<Result<Vec<TxnId>, Violation>, Limit> {
    let every = level.isolation() != Isolation::Ru;
    let forbidden = |misread: &&Misread| every || misread.what.breaks_everything();
    if let Some(&misread) = history.reads().misread().iter().find(forbidden) {
        return Ok(Err(Violation::Misread(misread)));
    }
    let versions = match Versions::of(history) {
        Ok(versions) => versions,
        Err(incompatible) => return Ok(Err(Violation::Incompatible(incompatible))),
    };
    let decided = match level.isolation() {
        Isolation::Psi | Isolation::Pc | Isolation::Si | Isolation::Ser => {
            strong::decide(history, level, engine, used, &versions, limits)?
        }
        _ => weak::decide(history, level, &versions, limits)?,
    };
    Ok(decided.map_err(Violation::Proof))
}
