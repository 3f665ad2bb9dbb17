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

use crate::Engine;
pub use anomaly::{Anomaly, Shape, SmallestAnomaly, of_cycle};
use engine::Used;
pub use engine::engines;
pub use normal::normal;
pub use shrink::shrink;
pub use strongest::{StrongestLevels, strongest_levels};
use tribunal_history::transactions::{
    Base, Because, End, History, INIT, Incompatible, Isolation, KeyId, Level, Link, Misread, Misreading, Op,
    OpId, Proof, Rel, SessionId, Source, Status, Step, TxnId, Unsupported, Verdict, Violation, Witness,
};
use versions::Versions;

/// Decides whether a history satisfies a level.
///
/// ```
/// use tribunal::{Verdict, transactions::{History, Level, Op, Status, check}};
/// // A lost update: both read the initial value and overwrite it.
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let history = b.build()?;
/// let verdict = |level: &str| check(&history, level.parse().expect("a level"));
/// assert!(matches!(verdict("pc"), Verdict::Consistent(_)));
/// assert!(matches!(verdict("si"), Verdict::Inconsistent(_)));
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn check(history: &History, level: Level) -> Verdict {
    judge(history, level, &Limits::default()).0
}

/// Like [`check`], with limits; also returns the engine that decided: saturation, where that left nothing to choose.
///
/// ```
/// use tribunal::{Engine, Limits, transactions::{History, Level, Op, Status, judge}};
/// let mut b = History::builder();
/// let (a, x) = (b.session("a"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// let (verdict, engine) = judge(&b.build()?, Level::SER, &Limits::default());
/// assert!(verdict.is_consistent() && engine == Engine::Saturation);
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn judge(history: &History, level: Level, limits: &Limits<'_>) -> (Verdict, Engine) {
    decided(history, level, None, limits)
}

/// Like [`judge`], with a given engine; `None` if it cannot decide the level.
///
/// ```
/// use tribunal::{Engine, Limits, transactions::{History, Level, Op, Status, judge_by}};
/// let mut b = History::builder();
/// let (a, x) = (b.session("a"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// let history = b.build()?;
/// let by = |engine| judge_by(&history, Level::SER, engine, &Limits::default());
/// assert!(by(Engine::Sat).expect("sat decides ser").0.is_consistent());
/// assert!(by(Engine::Subset).is_none());
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn judge_by(
    history: &History,
    level: Level,
    engine: Engine,
    limits: &Limits<'_>,
) -> Option<(Verdict, Engine)> {
    engines(level).contains(&engine).then(|| decided(history, level, Some(engine), limits))
}

/// The verdict, and the engine that decided: the one that was asked for, if one was.
fn decided(
    history: &History,
    level: Level,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> (Verdict, Engine) {
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
    (verdict, engine.unwrap_or_else(|| used.last()))
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
