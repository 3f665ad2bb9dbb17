//! Deciding models: `table` has a row for each, with its engines; the other modules begin with the axioms that these decide.

pub(crate) mod c11;
mod causal;
mod coherence;
pub(crate) mod multiprocessor;
mod sra;
mod table;
mod wra;
mod wsc;

use crate::Engine;
use crate::memory::checker::Checker;
use crate::memory::{definition, sources};
pub use multiprocessor::decide_assuming;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
#[doc(inline)]
use tribunal_history::model::{Family, Model};
use tribunal_history::verdict::{Verdict, Witness};

/// The engines that can decide a model, the default first and its [definition](Engine::Definition) last.
///
/// ```
/// use tribunal::{Engine, Model, memory::engines};
/// assert_eq!(engines(Model::Cc), [Engine::WeakCoherence, Engine::Definition]);
/// assert!(engines(Model::Sc).contains(&Engine::Subset) && !engines(Model::Ra).contains(&Engine::Subset));
/// ```
pub fn engines(model: Model) -> &'static [Engine] {
    table::row(model).engines
}

/// Decides whether an execution is consistent with a model. For many executions, a [`Checker`] is faster.
///
/// ```
/// use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
/// // Coherence: one thread sees x = 1 and then the initial 0 again.
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let x = b.location("x");
/// b.push(t0, Op::write(x, 1));
/// b.push(t1, Op::read(x, 1));
/// b.push(t1, Op::read(x, 0));
/// let execution = b.build()?;
/// assert!(matches!(check(&execution, Model::Relaxed), Verdict::Inconsistent(_)));
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn check(execution: &Execution, model: Model) -> Verdict {
    Checker::new(model).check(execution)
}

/// Like [`check`], with limits; also returns the engine that decided.
pub fn judge(execution: &Execution, model: Model, limits: &Limits<'_>) -> (Verdict, Engine) {
    Checker::new(model).judge(execution, limits)
}

/// Like [`judge`], with a given engine; `None` if it cannot decide the model.
///
/// ```
/// use tribunal::{Engine, Limits, Model, memory::{Execution, Op, judge_by}};
/// let mut b = Execution::builder();
/// let (t, x) = (b.thread("T0"), b.location("x"));
/// b.push(t, Op::write(x, 1));
/// let history = b.build()?;
/// let (verdict, _) = judge_by(&history, Model::Sc, Engine::Subset, &Limits::default()).expect("subset decides sc");
/// assert!(verdict.is_consistent());
/// assert!(judge_by(&history, Model::Ra, Engine::Subset, &Limits::default()).is_none());
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn judge_by(
    execution: &Execution,
    model: Model,
    engine: Engine,
    limits: &Limits<'_>,
) -> Option<(Verdict, Engine)> {
    engines(model).contains(&engine).then(|| judge_with(execution, model, Some(engine), limits))
}

pub(crate) fn judge_with(
    x: &Execution,
    model: Model,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> (Verdict, Engine) {
    let usual = engine.unwrap_or(engines(model)[0]);
    if let Some(why) = model.unsupported(x) {
        return (Verdict::Unsupported(why), usual);
    }
    let decided = match (model, table::row(model).decide) {
        _ if x.is_open() => {
            let judge = |x: &Execution, limits: &Limits<'_>| match model.family() {
                Family::Text => by_definition(x, model, limits),
                _ => judge_with(x, model, engine, limits),
            };
            sources::decide(x, model, judge, limits)
        }
        (Model::Custom(preserved), _) if engine != Some(Engine::Definition) => {
            multiprocessor::decide(x, &preserved, engine, limits)
        }
        (_, Some(decide)) if engine != Some(Engine::Definition) => decide(x, engine, limits),
        _ => return by_definition(x, model, limits),
    };
    // What runs into a limit is the search, where there is one.
    let searched = engine.or(engines(model).get(1).copied()).unwrap_or(usual);
    decided.unwrap_or_else(|limit| (Verdict::Undecided(limit), searched))
}

/// The witness of a stronger model as one of a weaker model: the same mo, where the weaker one has mo. None if it lacks an mo.
pub fn weaken(witness: &Witness, weak: Model) -> Option<Witness> {
    Some(match witness {
        Witness::Sources { sources, then } => {
            Witness::Sources { sources: sources.clone(), then: Box::new(weaken(then, weak)?) }
        }
        _ if !tribunal_history::model::definition::has_mo(weak) => Witness::History,
        Witness::Mo(mo) => Witness::Mo(mo.clone()),
        Witness::History => return None,
    })
}

fn by_definition(x: &Execution, model: Model, limits: &Limits<'_>) -> (Verdict, Engine) {
    let verdict = definition::history::decide(x, model, limits).unwrap_or_else(Verdict::Undecided);
    (verdict, Engine::Definition)
}
