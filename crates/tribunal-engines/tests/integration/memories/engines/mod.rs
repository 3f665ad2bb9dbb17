//! Every way the library has to judge a history.

use tribunal_engines::Engine;
use tribunal_engines::memory::{engines, judge, judge_by};
use tribunal_history::memory::Execution;
use tribunal_history::verdict::Limit;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// The verdict of the library's own choice of engine, and of every engine that can decide the model; none of those that
/// say that they cannot hold the history.
pub fn verdicts(x: &Execution, model: Model) -> Vec<(&'static str, Verdict)> {
    let limits = Limits::default();
    let mut verdicts = vec![("auto", judge(x, model, &limits).0)];
    for &engine in engines(model) {
        let verdict = judge_by(x, model, engine, &limits).expect("one of the model's engines").0;
        // Saturation alone, and minimal coherence where there is psc, need not decide what is NP-hard.
        let has_psc = matches!(model, Model::Rc20 | Model::Rc11) && x.features().seq_cst;
        let may_give_up = match engine {
            Engine::Saturation => has_psc || model.preserved().is_some(),
            Engine::MinimalCoherence => has_psc,
            _ => false,
        };
        match verdict {
            Verdict::Undecided(Limit::Writes { .. }) => {}
            Verdict::Undecided(_) if may_give_up => {}
            verdict => verdicts.push((engine.name(), verdict)),
        }
    }
    verdicts
}
