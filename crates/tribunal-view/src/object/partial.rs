//! Partial linearizations of operations that cannot all be linearized.

use super::keys::{Keys, ShownKeys};
use super::states;
use super::timeline::Timeline;
use crate::document::{Longest, Partial, Step};
use std::time::Duration;
use tribunal_engines::object::{PartialLinearizations, partial_linearizations};
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, Typed, Verdict};
use tribunal_report::{Answer, On};
use web_time::Instant;

/// A search visits at most so many configurations of a key,
const MOST_CONFIGURATIONS: u64 = 200_000;
/// and all of them together take so long.
const SEARCH_TIME: Duration = Duration::from_secs(4);
/// A picture has at most so many steps.
const STEPS: usize = 20_000;

/// Whether an answer is about linearizability.
pub fn is_about(answer: &Answer) -> bool {
    matches!(&answer.on, On::Object { criterion: Criterion::Linearizable, .. })
}

/// The partial linearizations of each key, if the history was asked to be linearizable and is not known to be.
pub fn of(answers: &[Answer], limits: &Limits<'_>) -> Option<Vec<PartialLinearizations>> {
    let answer = answers.iter().find(|answer| is_about(answer))?;
    let On::Object { object, verdict: Verdict::Inconsistent(_) | Verdict::Undecided(_), .. } = &answer.on
    else {
        return None;
    };
    let end = Instant::now() + SEARCH_TIME;
    let limits = Limits {
        max_states: limits.max_states.min(MOST_CONFIGURATIONS),
        deadline: Some(limits.deadline.map_or(end, |deadline| deadline.min(end))),
        ..*limits
    };
    Some(partial_linearizations(&object.typed(), &limits)).filter(|found| !found.is_empty())
}

/// The drawing of them.
pub fn drawn(
    typed: &Typed<'_>,
    found: &[PartialLinearizations],
    keys: &Keys,
    shown: &ShownKeys,
    timeline: &Timeline,
) -> Partial {
    let mut partial = Partial {
        ends: vec![None; timeline.all().count()],
        longest: vec![Longest::default(); shown.keys.len().max(1)],
        ..Partial::default()
    };
    // The keys that fail come first, if not all have room.
    let mut order: Vec<&PartialLinearizations> = found.iter().collect();
    order.sort_by_key(|found| found.linearizable);
    for found in order {
        let Some(&op) = found.ops.first() else { continue };
        let key = keys.of_op(op);
        let place = if key.is_some() { shown.place(key) } else { Some(0) };
        let Some(place) = place else { continue };
        let (nth, drawn, all) = add(&mut partial, typed, found, timeline);
        partial.longest[place as usize] = Longest {
            end: found.longest().and_then(|step| drawn[step.index()]),
            length: found.longest().map_or(0, |step| nth[step.index()]),
            limit: match &found.limit {
                Some(limit) => Some(limit.to_string()),
                None => (!all).then(|| "too many to show".to_string()),
            },
        };
        for (op, last) in found.each() {
            if let Some(place) = timeline.of(op) {
                partial.ends[place as usize] = last.and_then(|step| drawn[step.index()]);
            }
        }
    }
    partial
}

/// Adds the steps of operations that are shown: all, or if these are too many those of the longest one. By step, its place in the order, and the
/// step drawn for it or, if its operation is not shown, for the last before it; none if it is left out.
fn add(
    partial: &mut Partial,
    typed: &Typed<'_>,
    found: &PartialLinearizations,
    timeline: &Timeline,
) -> (Vec<u32>, Vec<Option<u32>>, bool) {
    let steps = found.steps();
    let room = STEPS.saturating_sub(partial.steps.len());
    let all = steps.iter().filter(|step| timeline.of(step.op).is_some()).count() <= room;
    let mut kept = vec![all; steps.len()];
    let mut at = found.longest();
    while let Some(step) = at {
        kept[step.index()] = true;
        at = steps[step.index()].before;
    }
    let (mut nth, mut drawn): (Vec<u32>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    for ((step, state), kept) in steps.iter().zip(states::below(typed, steps)).zip(kept) {
        let before = step.before.and_then(|before| drawn[before.index()]);
        let place = step.before.map_or(0, |before| nth[before.index()]) + 1;
        nth.push(place);
        drawn.push(match timeline.of(step.op) {
            _ if !kept => None,
            None => before,
            Some(operation) => {
                partial.steps.push(Step { before, operation, nth: place, state });
                Some(partial.steps.len() as u32 - 1)
            }
        });
    }
    (nth, drawn, all)
}
