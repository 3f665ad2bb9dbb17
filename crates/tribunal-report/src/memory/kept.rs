//! The reason why a multiprocessor model keeps two accesses of a thread in order.

use tribunal_history::memory::{EventId, Execution, Kind, Label, Order};
use tribunal_history::model::{Keep, Preserved};

/// What keeps an access before a later one of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// The kinds of the two.
    Kinds,
    /// Their kinds, as they access one location.
    Location,
    /// This fence between them.
    Fence(EventId),
    /// The second depends on the first.
    Dependency,
    /// The first is a read that had ended when the second began.
    Times,
}

/// What keeps `first` before `second`, a later access of its thread, under a pair (po-mm, rf-mm); nothing, if it may be
/// overtaken.
pub(super) fn kept(x: &Execution, model: &Preserved, first: EventId, second: EventId) -> Option<Kept> {
    let (a, b) = (x.label(first), x.label(second));
    match by_kinds(model, a, b) {
        Keep::Always => return Some(Kept::Kinds),
        Keep::SameLocation if x.loc(first) == x.loc(second) => return Some(Kept::Location),
        _ => {}
    }
    if model.dependencies && x.deps(second).any(|on| on == first) {
        return Some(Kept::Dependency);
    }
    let times = (x.interval(first).end, x.interval(second).begin);
    if model.times && a.reads() && matches!(times, (Some(end), Some(begin)) if end < begin) {
        return Some(Kept::Times);
    }
    let keeps = |fence: &EventId| {
        let label = x.label(*fence);
        let order = label.order();
        label.is_fence()
            && (order == Order::SeqCst || order.is_acquire() && a.reads() || order.is_release() && b.writes())
    };
    (first.0 + 1..second.0).map(EventId).find(keeps).map(Kept::Fence)
}

/// The strongest rule for the kinds of two accesses; an RMW is a read and a write.
fn by_kinds(model: &Preserved, first: Label, second: Label) -> Keep {
    if !model.rmws && [first, second].iter().any(|label| label.kind() == Kind::Rmw) {
        return Keep::Never;
    }
    let rules = [
        (first.reads() && second.reads(), model.rr),
        (first.reads() && second.writes(), model.rw),
        (first.writes() && second.reads(), model.wr),
        (first.writes() && second.writes(), model.ww),
    ];
    rules.into_iter().filter(|(applies, _)| *applies).map(|(_, keep)| keep).max().unwrap_or(Keep::Never)
}

/// What two accesses are, in words: `a write and a later read`.
pub(super) fn kinds(x: &Execution, first: EventId, second: EventId) -> String {
    let word = |event: EventId| match x.label(event).kind() {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Rmw => "RMW",
        Kind::Fence => "fence",
    };
    let article = if word(first) == "RMW" { "an" } else { "a" };
    format!("{article} {} and a later {}", word(first), word(second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_formats::{Input, open};
    use tribunal_history::model::Model;
    use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};
    use tribunal_verify::{Refusal, verify_violation};

    /// Whether the verifier takes an edge for ppo: of a circle of it and its reverse it then refuses the reverse.
    fn is_ppo(x: &Execution, model: Model, from: EventId, to: EventId) -> bool {
        let edge = |from, to| Edge { from, to, because: Because::Ppo };
        let cycle = Cycle { lemmas: Vec::new(), edges: vec![edge(from, to), edge(to, from)] };
        let violation = Violation { axiom: Axiom::Global, refutation: Refutation::Cycle(cycle) };
        match verify_violation(x, model, &violation) {
            Err(Refusal::Edge { from: refused, .. }) => refused.event == to,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_kept_is_what_the_verifier_takes_for_ppo() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../tribunal-engines/tests/data/memory-public.jsonl.zst");
        let corpus = open(&Input::Path(path.into()), None).expect("a corpus");
        let (mut kept_pairs, mut others) = (0, 0);
        for history in corpus {
            let history = history.expect("a history").into_memory().expect("of a memory");
            let x = &history;
            let access = |event: &EventId| !x.label(*event).is_fence();
            for thread in x.threads() {
                let events: Vec<EventId> = x.thread_events(thread).map(EventId).filter(access).collect();
                let pairs = events
                    .iter()
                    .enumerate()
                    .flat_map(|(at, &a)| events[at + 1..].iter().map(move |&b| (a, b)));
                for (first, second) in pairs {
                    for model in [Model::Tso, Model::Pso, Model::Rmo, Model::Wmo] {
                        let preserved = model.preserved().expect("a pair");
                        let is_kept = kept(x, &preserved, first, second).is_some();
                        let (a, b) = (x.show(first), x.show(second));
                        assert_eq!(is_kept, is_ppo(x, model, first, second), "{model}: {a}, {b}");
                        if is_kept { kept_pairs += 1 } else { others += 1 }
                    }
                }
            }
        }
        assert!(kept_pairs > 1000 && others > 1000, "{kept_pairs} kept, {others} not");
    }
}
