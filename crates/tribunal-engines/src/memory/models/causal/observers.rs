//! The views of all observers, thread by thread, and the cycle in the view of one of them.

use super::base::{Base, Writes};
use super::graph::{Arrows, arrows_to, sort};
use super::past::Relation;
use super::proof::{Line, Proof, Scope};
use super::view::{Scratch, Seen, View, observe};
use crate::limits::Meter;
use crate::memory::order::coherence::latest::teams;
use crate::memory::order::parallel;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::{Because, Cycle, Edge, Limit};

/// The bytes that a base and the writes take, and what an observer takes of each event while it looks.
const BYTES_PER_EVENT: usize = 24;
const BYTES_PER_OBSERVED: usize = 16;

/// Up to this size, all observers are asked for a cycle, and the shortest is kept.
const LITMUS: usize = 128;

/// A cycle in what one of the observers of a base has seen, if there is one; `known` tells of edges that the base
/// has anyway, and `held` what is held beside. O(n·k) time.
pub(super) fn some_cycle(
    base: &Base<'_>,
    writes: &Writes,
    known: impl Fn(EventId, EventId) -> bool + Sync + Send,
    held: usize,
    limits: &Limits<'_>,
) -> Result<Option<Cycle>, Limit> {
    let keep = |view: View| if view.acyclic { View { seen: Vec::new(), ..view } } else { view };
    let views = views(base, writes, known, keep, held, limits)?;
    shortest_cycle(base, &views, limits)
}

/// The views of the observers of a base, or a cycle in the view of one of them.
pub(super) fn all_seen(
    base: &Base<'_>,
    writes: &Writes,
    known: impl Fn(EventId, EventId) -> bool + Sync + Send,
    held: usize,
    limits: &Limits<'_>,
) -> Result<Result<Vec<Seen>, Cycle>, Limit> {
    let views = views(base, writes, known, |view| view, held, limits)?;
    Ok(match shortest_cycle(base, &views, limits)? {
        Some(cycle) => Err(cycle),
        None => {
            // What was seen is held twice for a moment.
            let seen: usize = views.iter().map(|view| view.seen.capacity() + view.seen.len()).sum();
            limits.check_memory(held + BYTES_PER_EVENT * base.x.len() + seen * size_of::<Seen>(), 0)?;
            let mut all = Vec::with_capacity(views.iter().map(|view| view.seen.len()).sum());
            views.into_iter().for_each(|view| all.extend(view.seen));
            Ok(all)
        }
    })
}

/// For each thread, what `keep` keeps of its view.
fn views(
    base: &Base<'_>,
    writes: &Writes,
    known: impl Fn(EventId, EventId) -> bool + Sync + Send,
    keep: impl Fn(View) -> View + Sync + Send,
    held: usize,
    limits: &Limits<'_>,
) -> Result<Vec<View>, Limit> {
    let x = base.x;
    let meter = Meter::new(limits);
    meter.take(held + BYTES_PER_EVENT * x.len() + BYTES_PER_OBSERVED * x.len() * parallel::width(x))?;
    let views = parallel::map(x, &teams(x), |team| {
        let mut scratch = Scratch::new(base, writes);
        let view = |&thread: &ThreadId| {
            meter.check()?;
            let view = observe(base, writes, thread, &known, &mut scratch, &meter)?;
            let taken = view.seen.held();
            let view = keep(view);
            meter.give(taken - view.seen.held());
            Ok(view)
        };
        team.iter().map(view).collect::<Result<Vec<View>, Limit>>()
    });
    let views: Vec<Vec<View>> = views.into_iter().collect::<Result<_, _>>()?;
    Ok(views.into_iter().flatten().collect())
}

fn shortest_cycle(base: &Base<'_>, views: &[View], limits: &Limits<'_>) -> Result<Option<Cycle>, Limit> {
    let mut shortest: Option<Cycle> = None;
    for (thread, view) in base.x.threads().zip(views).filter(|(_, view)| !view.acyclic) {
        let cycle = cycle(base, thread, view, limits)?;
        if shortest.as_ref().is_none_or(|shortest| weight(&cycle) < weight(shortest)) {
            shortest = Some(cycle);
        }
        if base.x.len() > LITMUS {
            break;
        }
    }
    Ok(shortest)
}

fn weight(cycle: &Cycle) -> usize {
    cycle.lemmas.len() + cycle.edges.len()
}

/// The edges between events of threads.
pub(super) fn arrows<'a>(x: &Execution, seen: impl Iterator<Item = &'a Seen>) -> Arrows {
    let edges = seen.filter(|seen| !x.is_init(seen.to)).map(|seen| (seen.from, seen.to)).collect();
    arrows_to(x.len(), vec![edges])
}

/// A short cycle of a base that shares an rf edge with the cycle given.
pub(super) fn base_cycle(base: &Base<'_>, cycle: &[u32], thread: Option<ThreadId>) -> Cycle {
    let observer = thread.map_or(0..0, |thread| base.x.thread_events(thread));
    let next = cycle.iter().cycle().skip(1);
    let mut edges = cycle.iter().zip(next).map(|(&from, &to)| (EventId(from), EventId(to)));
    let rf = |from: EventId, to| base.rf_seen_by(to, &observer) == from.0 && !base.keeps(from, to);
    let (from, to) = edges.find(|&(from, to)| rf(from, to)).expect("program order alone has no cycle");
    let lines = [Line { base, seen: Vec::new() }];
    let mut proof = Proof::new(&lines);
    let path = proof.path(to, from, Scope::Base(thread)).expect("they are on a cycle");
    proof.close([vec![Edge { from, to, because: Because::Rf }], path].concat())
}

/// The cycle that the first of the edges closes that closes one.
fn cycle(base: &Base<'_>, thread: ThreadId, view: &View, limits: &Limits<'_>) -> Result<Cycle, Limit> {
    let x = base.x;
    let observer = x.thread_events(thread);
    let sorted = |count: usize| {
        let further = arrows(x, view.seen[..count].iter());
        sort(&Relation { bases: &[base], further, observer: observer.clone() }, limits)
    };
    if let Err(cycle) = sorted(0)? {
        return Ok(base_cycle(base, &cycle, Some(thread)));
    }
    let cyclic = |count: usize| sorted(count).map(|sorted| sorted.is_err());
    // Every edge up to the first to an initial write, which closes one if no earlier edge does.
    let to_init = view.seen.iter().position(|seen| x.is_init(seen.to));
    let (mut acyclic, mut last) = (0, to_init.unwrap_or(view.seen.len()));
    let closing = match to_init {
        Some(closing) if !cyclic(closing)? => closing,
        _ => {
            while last - acyclic > 1 {
                let middle = acyclic.midpoint(last);
                *if cyclic(middle)? { &mut last } else { &mut acyclic } = middle;
            }
            acyclic
        }
    };
    let lines = [Line { base, seen: view.seen.clone() }];
    let mut proof = Proof::new(&lines);
    let Seen { from, to, .. } = view.seen[closing];
    let mut edges = vec![proof.seen(0, closing)];
    match x.is_init(to) {
        true => edges.push(Edge { from: to, to: from, because: base.because() }),
        false => {
            edges.extend(proof.path(to, from, Scope::Before(0, closing)).expect("the edge closes a cycle"))
        }
    }
    Ok(proof.close(edges))
}
