//! Which models are included in which, and which are equal.

use tribunal_history::memory::{EventId, Execution, Features};
use tribunal_history::model::Model::{self, *};

/// Pairs of models: what is consistent with the first is consistent with the second.
const ALWAYS: [(Model, Model); 28] = [
    (Sc, Tso),
    (Tso, Pso),
    (Pso, Coherence),
    (Pso, Rmo),
    (Wmo, Coherence),
    (Tso, Sra),
    (Tso, Wccm),
    (Sc, Wsc),
    (Wsc, Ccm),
    (Ccm, Cc),
    (Ccm, Ccv),
    (Ccm, Cm),
    (Ccm, Wccm),
    (Cm, Pram),
    (Cm, Cc),
    (Ccv, Cc),
    (Sc, Sra),
    (Sra, Ra),
    (Ra, Wra),
    (Sc, Rc20),
    (Sc, Rc11),
    (Rc20, Relaxed),
    (Rc11, Relaxed),
    (Relaxed, Coherence),
    (Sra, Ccv),
    (Wra, Cc),
    (Sc, Pso),
    (Sc, Pram),
];

/// Where no event is seq_cst: rc11 has more release sequences than rc20.
const WITHOUT_SEQ_CST: [(Model, Model); 2] = [(Ra, Rc11), (Rc11, Rc20)];

/// An order that times do not make stronger.
const WITHOUT_TIMES: [(Model, Model); 1] = [(Pso, Wmo)];

/// Equal where there are neither RMWs nor fences.
const PLAIN: [(Model, Model); 2] = [(Sra, Ccv), (Wra, Cc)];

/// The first inclusion or equality that the answers contradict. An answer is none where there is no verdict.
pub fn contradiction(x: &Execution, answer: impl Fn(Model) -> Option<bool>) -> Option<String> {
    let Features { rmws, fences, times, seq_cst, .. } = *x.features();
    let included = |&(stronger, weaker): &(Model, Model)| {
        answer(stronger) == Some(true) && answer(weaker) == Some(false)
    };
    let pairs = ALWAYS.iter().chain(WITHOUT_SEQ_CST.iter().filter(|_| !seq_cst));
    let pairs = pairs.chain(WITHOUT_TIMES.iter().filter(|_| !times));
    if let Some((stronger, weaker)) = pairs.copied().find(included) {
        return Some(format!("{stronger} but not {weaker}"));
    }
    let differ = |&(one, other): &(Model, Model)| matches!((answer(one), answer(other)), (Some(one), Some(other)) if one != other);
    if rmws == 0
        && fences == 0
        && let Some((one, other)) = PLAIN.into_iter().find(differ)
    {
        return Some(format!("{one} and {other} differ"));
    }
    let (relaxed, coherence) = (answer(Relaxed), answer(Coherence));
    let expected = coherence.map(|coherence| coherence && is_acyclic(x));
    (relaxed.is_some() && expected.is_some() && relaxed != expected)
        .then(|| format!("relaxed is {relaxed:?}, coherence and acyclic(po ∪ rf) {expected:?}"))
}

/// acyclic(po ∪ rf): threads take turns and stop where the write they read is still to come.
fn is_acyclic(x: &Execution) -> bool {
    let mut next: Vec<u32> = x.threads().map(|t| x.thread_events(t).start).collect();
    let done = |next: &[u32], w: EventId| x.thread_of(w).is_none_or(|t| w.0 < next[t.index()]);
    loop {
        let before = next.clone();
        for t in x.threads() {
            while next[t.index()] < x.thread_events(t).end
                && x.rf(EventId(next[t.index()])).is_none_or(|w| done(&next, w))
            {
                next[t.index()] += 1;
            }
        }
        if next == before {
            return x.threads().all(|t| next[t.index()] == x.thread_events(t).end);
        }
    }
}
