//! Choosing an engine and running it.

use super::collections::{self, Decision};
use super::linearize;
use super::meter::Meter;
use super::{Criterion, Typed, Unsupported, Verdict};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// What decides a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The log-linear algorithms for collections whose values are inserted once, and for lists and texts whose reads show who
    /// appended what.
    Collection,
    /// Just-in-time linearization with memoized frontiers, key by key.
    Search,
    /// Wing and Gong's search as published (1993): the baseline.
    WingGong,
    /// Minimal visibilities (Emmi and Enea 2018, sections 3 and 4).
    Minimal,
    /// All visibilities: the baseline.
    Naive,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Engine; 5] =
        [Engine::Collection, Engine::Search, Engine::WingGong, Engine::Minimal, Engine::Naive];

    /// The engine's name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Collection => "collection",
            Engine::Search => "search",
            Engine::WingGong => "wing-gong",
            Engine::Minimal => "minimal",
            Engine::Naive => "naive",
        }
    }

    /// The engines that can decide a criterion, the default first.
    pub const fn of(criterion: &Criterion) -> &'static [Engine] {
        match criterion {
            Criterion::Linearizable => &[Engine::Collection, Engine::Search, Engine::WingGong],
            Criterion::Sequential => &[Engine::Search, Engine::WingGong],
            _ => &[Engine::Minimal, Engine::Naive],
        }
    }

    /// Whether it can decide a criterion.
    ///
    /// ```
    /// use tribunal::object::{Criterion, Engine};
    /// assert!(Engine::Search.decides(&Criterion::Sequential));
    /// assert!(!Engine::Search.decides(&Criterion::Causal));
    /// ```
    pub fn decides(self, criterion: &Criterion) -> bool {
        Engine::of(criterion).contains(&self)
    }
}

/// A verdict with what decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgment {
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: Engine,
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
    judge(typed, criterion, &Limits::default()).verdict
}

/// Like [`check`], with limits; also returns the engine that decided.
pub fn judge(typed: &Typed<'_>, criterion: &Criterion, limits: &Limits<'_>) -> Judgment {
    judge_within(typed, criterion, &mut Meter::new(limits))
}

/// Like [`judge`], counting what it costs.
pub(super) fn judge_within(typed: &Typed<'_>, criterion: &Criterion, meter: &mut Meter<'_>) -> Judgment {
    match criterion {
        Criterion::Linearizable => linearizable(typed, meter),
        _ => by(typed, criterion, Engine::of(criterion)[0], meter),
    }
}

/// By an algorithm for collections; what that does not decide, key by key, is searched.
fn linearizable(typed: &Typed<'_>, meter: &mut Meter<'_>) -> Judgment {
    let (history, spec) = (typed.history(), typed.spec());
    let (decided, engine) = match collections::decide(history, spec, meter.limits()) {
        Ok(Decision::Verdict(Verdict::Unsupported(_))) => {
            (linearize::decide(history, spec, &Criterion::Linearizable, meter), Engine::Search)
        }
        Ok(Decision::Partly(partly)) => (linearize::complete(history, spec, partly, meter), Engine::Search),
        Ok(Decision::Verdict(verdict)) => (Ok(verdict), Engine::Collection),
        Err(limit) => (Err(limit), Engine::Collection),
    };
    Judgment { verdict: decided.unwrap_or_else(Verdict::Undecided), engine }
}

/// Like [`judge`], with a given engine; `None` if it cannot decide the criterion.
///
/// ```
/// use tribunal::{Limits, object::{Criterion, Engine, History, Value, judge_by, specs::Counter}};
/// let mut b = History::builder();
/// let p = b.process("0");
/// let inc = b.call(p, "inc", &[], 0);
/// b.ret(inc, Value::Null, 1);
/// let history = b.build()?;
/// let typed = history.typed(&Counter)?;
/// let by = |criterion| judge_by(&typed, &criterion, Engine::WingGong, &Limits::default());
/// assert!(by(Criterion::Linearizable).expect("Wing and Gong decide it").verdict.is_consistent());
/// assert!(by(Criterion::Causal).is_none());
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn judge_by(
    typed: &Typed<'_>,
    criterion: &Criterion,
    engine: Engine,
    limits: &Limits<'_>,
) -> Option<Judgment> {
    engine.decides(criterion).then(|| by(typed, criterion, engine, &mut Meter::new(limits)))
}

/// By an engine that decides the criterion.
fn by(typed: &Typed<'_>, criterion: &Criterion, engine: Engine, meter: &mut Meter<'_>) -> Judgment {
    let (history, spec) = (typed.history(), typed.spec());
    let decided = match engine {
        Engine::Collection => {
            collections::decide(history, spec, meter.limits()).map(|decision| match decision {
                Decision::Verdict(verdict) => verdict,
                Decision::Partly(_) => Verdict::Unsupported(Unsupported::NotDistinct),
            })
        }
        Engine::Search => linearize::decide(history, spec, criterion, meter),
        Engine::WingGong => super::wing_gong::decide(history, spec, criterion, meter),
        Engine::Minimal => super::visibility::minimal(history, spec, criterion, meter),
        Engine::Naive => super::visibility::naive(history, spec, criterion, meter),
    };
    Judgment { verdict: decided.unwrap_or_else(|limit: Limit| Verdict::Undecided(limit)), engine }
}
