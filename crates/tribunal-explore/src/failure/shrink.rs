//! Minimizing a failing execution: fewer events first, then fewer thread switches.
//!
//! Each step is a new guided execution, and counts only if it fails in the same way:
//!
//! - events that the failure does not depend on, by po and rf, are removed;
//! - a read takes another source if this leads to a failure with fewer events;
//! - among all orders of the remaining events, one with as few thread switches as possible is chosen.
//!
//! So changing a single read does not give a smaller failure, but changing several might.

use super::replay::{Origin, Paths, Readable, Replay, follow, is_step, origin_of};
use crate::graph::{EventId, Graph};
use crate::program::Program;
use crate::{Failure, Options, Problem};
use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::limits::Limits;
use tribunal_history::memory::ThreadId;

/// The time to try to make a failure smaller.
const SHRINKING_TIME: Duration = Duration::from_secs(5);
/// Positions that are looked at for the fewest switches, and the numbers in them.
const MOST_POSITIONS: usize = 200_000;
const MOST_COUNTS: usize = 4_000_000;

/// Minimizes a failing execution of a program, for a limited time.
pub fn shrink<P: Program>(
    program: P,
    failure: &Failure,
    options: &Options,
) -> Result<(Failure, P), NoSession> {
    let time = options.max_duration.map_or(SHRINKING_TIME, |most| most.min(SHRINKING_TIME));
    let options = Options { max_duration: Some(time), ..options.clone() };
    let limits = options.limits();
    let mut shrinking = Shrinking { program: Some(program), options, limits, others: Vec::new() };
    let mut best = failure.clone();
    shrinking.cut(&mut best)?;
    while let Some(smaller) = shrinking.change_a_read(&mut best)? {
        best = smaller;
    }
    if let Some(order) = fewest_switches(&best.graph, &limits) {
        let replay =
            Replay { last: best.replay().last, ..Replay::in_order(&best.graph, None, order.into_iter()) };
        if let Some(found) = shrinking.run(&replay)?.filter(|found| same(found, &best))
            && size(&found) <= size(&best)
            && switches(&found.graph) < switches(&best.graph)
        {
            best = found;
        }
    }
    let program = shrinking.program.take().expect("it is given back after each run");
    Ok((best, program))
}

/// Whether two failures are the same, though the executions differ.
fn same(a: &Failure, b: &Failure) -> bool {
    let kinds = std::mem::discriminant(&a.problem) == std::mem::discriminant(&b.problem);
    // Which of those that wait is named depends on the order of threads.
    let waits = matches!(a.problem, Problem::Deadlock { .. } | Problem::Livelock { .. });
    kinds && (waits || a.place == b.place)
}

fn size(failure: &Failure) -> usize {
    failure.graph.events().len()
}

struct Shrinking<P> {
    program: Option<P>,
    options: Options,
    limits: Limits<'static>,
    /// The sources that each read of the last run could have had.
    others: Readable,
}

impl<P: Program> Shrinking<P> {
    /// The failure that a replay comes to.
    fn run(&mut self, replay: &Replay) -> Result<Option<Failure>, NoSession> {
        let left = self.limits.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        self.options.max_duration = left;
        let program = self.program.take().expect("it is given back after each run");
        let (guided, others, program) = follow(program, replay, &self.options)?;
        (self.program, self.others) = (Some(program), others);
        Ok(guided.failure)
    }

    /// A smaller failure, in which one read reads something else.
    fn change_a_read(&mut self, best: &mut Failure) -> Result<Option<Failure>, NoSession> {
        let replay = best.replay();
        let Some(again) = self.run(&replay)?.filter(|again| same(again, best)) else { return Ok(None) };
        let paths = Paths::of(&again.graph);
        let others = std::mem::take(&mut self.others);
        for (at, source) in others {
            if self.limits.check(0).is_err() {
                break;
            }
            let from = origin_of(&again.graph, &paths, source);
            let Some(changed) = change(&again, &replay, at, from) else { continue };
            if let Some(mut found) = self.run(&changed)?.filter(|found| same(found, best)) {
                self.cut(&mut found)?;
                if size(&found) < size(best) {
                    return Ok(Some(found));
                }
            }
        }
        // Threads that wait in loops may have looked more often.
        if size(&again) <= size(best) {
            *best = again;
        }
        Ok(None)
    }

    /// Leaves out what the failure does not depend on.
    fn cut(&mut self, failure: &mut Failure) -> Result<(), NoSession> {
        let graph = &failure.graph;
        let Some(thread) = failure.thread else { return Ok(()) };
        let last = graph.thread(thread).last().copied();
        let ends: Vec<EventId> = match &failure.problem {
            Problem::Panic { .. } | Problem::Misuse { .. } | Problem::Crash { .. } => {
                last.into_iter().collect()
            }
            Problem::Race { first, .. } => last.into_iter().chain([*first]).collect(),
            Problem::Conflict { accesses, .. } => {
                let [first, _] = &**accesses;
                let before = first.after.checked_sub(1);
                let before = before.and_then(|before| graph.thread(first.thread).get(before as usize));
                last.into_iter().chain(before.copied()).collect()
            }
            _ => return Ok(()),
        };
        let keep = |event: EventId| ends.iter().any(|&end| graph.is_before(event, end));
        let replay = Replay::of(graph, failure.thread, keep);
        if let Some(found) = self.run(&replay)?.filter(|found| same(found, failure))
            && size(&found) < size(failure)
        {
            *failure = found;
        }
        Ok(())
    }
}

/// A replay in which the read at an event reads something else, and threads do what they did as far as they can.
fn change(failure: &Failure, replay: &Replay, at: usize, from: Origin) -> Option<Replay> {
    let events = failure.graph.events();
    let step = events.get(..at)?.iter().filter(|event| is_step(event)).count();
    let mut changed = replay.clone();
    let step = changed.steps.get_mut(step)?;
    if step.from == from {
        return None;
    }
    step.from = from;
    Some(changed)
}

/// The number of thread switches.
pub fn switches(graph: &Graph) -> usize {
    let threads = graph.events().windows(2);
    threads.filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// The events in an order with few switches: the fewest, if there are not too many positions.
fn fewest_switches(graph: &Graph, limits: &Limits<'_>) -> Option<Vec<EventId>> {
    let threads: Vec<&[EventId]> = thread_lists(graph);
    let most = MOST_POSITIONS.min(MOST_COUNTS / threads.len().max(1));
    let ready = |counts: &[u32], t: usize| -> Option<EventId> {
        let event = *threads[t].get(counts[t] as usize)?;
        // Whatever is before it has been.
        let before = graph.before(event);
        let done = threads.iter().zip(counts).enumerate().all(|(u, (events, &count))| {
            let needed = before.get(u).copied().unwrap_or(0).min(events.len() as u32);
            count >= if u == t { needed.saturating_sub(1) } else { needed }
        });
        done.then_some(event)
    };
    // Dijkstra's algorithm over how far each thread is, and which one went last.
    type Position = (Vec<u32>, usize);
    let start: Position = (vec![0; threads.len()], usize::MAX);
    let mut costs: HashMap<Position, (usize, Option<Position>)> = HashMap::new();
    let mut open: BinaryHeap<(std::cmp::Reverse<usize>, u32, Position)> = BinaryHeap::new();
    costs.insert(start.clone(), (0, None));
    open.push((std::cmp::Reverse(0), 0, start));
    let all = graph.events().len() as u32;
    while let Some((std::cmp::Reverse(cost), done, position)) = open.pop() {
        if costs.get(&position).is_some_and(|&(best, _)| best < cost) {
            continue;
        }
        if done == all {
            let mut order = Vec::new();
            let mut at = position;
            while let Some((_, Some(before))) = costs.get(&at) {
                let (counts, thread) = (&before.0, at.1);
                order.push(threads[thread][counts[thread] as usize]);
                at = before.clone();
            }
            order.reverse();
            return Some(order);
        }
        if costs.len() > most || limits.check(0).is_err() {
            return None;
        }
        for t in 0..threads.len() {
            if ready(&position.0, t).is_none() {
                continue;
            }
            let mut next = position.clone();
            next.0[t] += 1;
            next.1 = t;
            let new = cost + usize::from(position.1 != t && position.1 != usize::MAX);
            if costs.get(&next).is_none_or(|&(best, _)| new < best) {
                costs.insert(next.clone(), (new, Some(position.clone())));
                open.push((std::cmp::Reverse(new), done + 1, next));
            }
        }
    }
    None
}

fn thread_lists(graph: &Graph) -> Vec<&[EventId]> {
    let count = graph.events().iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
    (0..count).map(|thread| graph.thread(ThreadId::from_index(thread))).collect()
}
