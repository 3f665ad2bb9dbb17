//! Choosing an engine and running it.

use super::collections::{self, Known};
use super::linearize;
use super::meter::Meter;
use super::{Criterion, Typed, Unsupported, Verdict};
use crate::Engine;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The engines that can decide a criterion, the default first.
///
/// ```
/// use tribunal::{Engine, object::{Criterion, engines}};
/// assert!(engines(&Criterion::Sequential).contains(&Engine::Search));
/// assert!(!engines(&Criterion::Causal).contains(&Engine::Search));
/// ```
pub const fn engines(criterion: &Criterion) -> &'static [Engine] {
    match criterion {
        Criterion::Linearizable => &[Engine::Collection, Engine::Search, Engine::WingGong],
        Criterion::Sequential => &[Engine::Search, Engine::WingGong],
        _ => &[Engine::Minimal, Engine::Naive],
    }
}

/// Decides whether a history satisfies a criterion.
///
/// ```
/// use tribunal::object::{Criterion, History, Value, check, specs::Register};
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let write = b.call(p, "write", &[Value::from(1)], 0);
/// b.ret(write, Value::Null, 1);
/// let read = b.call(q, "read", &[], 2);
/// b.ret(read, Value::Null, 3);
/// let (stale, spec) = (b.build()?, Register::default());
/// let stale = stale.typed(&spec)?;
/// assert!(check(&stale, &Criterion::Linearizable).is_inconsistent());
/// assert!(check(&stale, &Criterion::Causal).is_consistent());
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn check(typed: &Typed<'_>, criterion: &Criterion) -> Verdict {
    judge(typed, criterion, &Limits::default()).0
}

/// Like [`check`], with limits; also returns the engine that decided.
pub fn judge(typed: &Typed<'_>, criterion: &Criterion, limits: &Limits<'_>) -> (Verdict, Engine) {
    judge_within(typed, criterion, &mut Meter::new(limits))
}

/// Like [`judge`], counting what it costs.
pub(super) fn judge_within(
    typed: &Typed<'_>,
    criterion: &Criterion,
    meter: &mut Meter<'_>,
) -> (Verdict, Engine) {
    match criterion {
        Criterion::Linearizable => linearizable(typed, meter),
        _ => by(typed, criterion, engines(criterion)[0], meter),
    }
}

/// By an algorithm for collections; what that does not decide, key by key, is searched.
fn linearizable(typed: &Typed<'_>, meter: &mut Meter<'_>) -> (Verdict, Engine) {
    let (history, spec) = (typed.history(), typed.spec());
    let (decided, engine) = match collections::decide(history, spec, meter.limits()) {
        Ok(Known::Verdict(Verdict::Unsupported(_))) => {
            (linearize::decide(history, spec, &Criterion::Linearizable, meter), Engine::Search)
        }
        Ok(Known::Partly(partly)) => (linearize::complete(history, spec, partly, meter), Engine::Search),
        Ok(Known::Verdict(verdict)) => (Ok(verdict), Engine::Collection),
        Err(limit) => (Err(limit), Engine::Collection),
    };
    (decided.unwrap_or_else(Verdict::Undecided), engine)
}

/// Like [`judge`], with a given engine; `None` if it cannot decide the criterion.
///
/// ```
/// use tribunal::{Engine, Limits, object::{Criterion, History, Value, judge_by, specs::Counter}};
/// let mut b = History::builder();
/// let p = b.process("0");
/// let inc = b.call(p, "inc", &[], 0);
/// b.ret(inc, Value::Null, 1);
/// let history = b.build()?;
/// let typed = history.typed(&Counter)?;
/// let by = |criterion| judge_by(&typed, &criterion, Engine::WingGong, &Limits::default());
/// assert!(by(Criterion::Linearizable).expect("Wing and Gong decide it").0.is_consistent());
/// assert!(by(Criterion::Causal).is_none());
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn judge_by(
    typed: &Typed<'_>,
    criterion: &Criterion,
    engine: Engine,
    limits: &Limits<'_>,
) -> Option<(Verdict, Engine)> {
    engines(criterion).contains(&engine).then(|| by(typed, criterion, engine, &mut Meter::new(limits)))
}

/// By an engine that decides the criterion.
fn by(typed: &Typed<'_>, criterion: &Criterion, engine: Engine, meter: &mut Meter<'_>) -> (Verdict, Engine) {
    let (history, spec) = (typed.history(), typed.spec());
    let decided = match engine {
        Engine::Collection => {
            collections::decide(history, spec, meter.limits()).map(|decision| match decision {
                Known::Verdict(verdict) => verdict,
                Known::Partly(_) => Verdict::Unsupported(Unsupported::NotDistinct),
            })
        }
        Engine::Search => linearize::decide(history, spec, criterion, meter),
        Engine::WingGong => super::wing_gong::decide(history, spec, criterion, meter),
        Engine::Minimal => super::visibility::minimal(history, spec, criterion, meter),
        Engine::Naive => super::visibility::naive(history, spec, criterion, meter),
        _ => unreachable!("the engine decides the criterion"),
    };
    (decided.unwrap_or_else(|limit: Limit| Verdict::Undecided(limit)), engine)
}
