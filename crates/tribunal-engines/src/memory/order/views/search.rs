//! The search for an mo that saturation leaves open: case splits on pairs of writes, saturating after each.
//!
//! The topological order of the saturated graph is a candidate. Where it lets a write come between a read and its source,
//! the write must be mo-before the source or come after the read: a split, the smaller displacement first; unless there
//! is an unordered pair of writes that many more read from, since its order tells more. A case that
//! saturation refutes is left for the deepest case that the refutation depends on (conflict-directed backjumping), so that a refutation
//! is a tree of splits each of which matters. The tree proves that there is no mo.

use super::memory_order::MemoryOrderSweep;
use super::saturation::{Conflict, Stop, ViewSaturation};
use crate::reach::graph::Graph;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Cycle, Limit, Refutation};

/// What a search ends with.
pub(crate) enum Outcome {
    /// The writes in the order of an mo.
    Mo(Vec<EventId>),
    /// There is none.
    Refuted(Refutation),
}

/// A refutation and the cases it depends on, by their depth, ascending.
struct Refuted {
    refutation: Refutation,
    cases: Vec<u32>,
    /// What the refutation takes.
    bytes: usize,
}

/// An open split: the case at hand and, if it is the second, what refuted the first.
struct Split {
    first: EventId,
    second: EventId,
    forward: Option<Refuted>,
}

/// Writes a conflict as a cycle, in the words of the model, and says which cases it depends on, by their depth.
pub(crate) trait Explain {
    fn explain(&self, saturation: &ViewSaturation<'_>, conflict: &Conflict) -> (Cycle, Vec<u32>);
}

/// Whether a saturated graph has an mo, and which; or why not. None after more than `patience` refuted cases, with all cases
/// taken back.
pub(crate) fn search(
    x: &Execution,
    saturation: &mut ViewSaturation<'_>,
    explain: &impl Explain,
    patience: u64,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<Outcome>, Limit> {
    let mut splits: Vec<Split> = Vec::new();
    let mut sweep = MemoryOrderSweep::new(x, saturation.twins());
    let popular = PairsByReaders::new(x, saturation, limits);
    let mut conflicts = 0;
    loop {
        sweep.rewind(saturation.unchanged_before());
        let Some(pair) = sweep.next(&saturation.graph) else {
            return Ok(Some(Outcome::Mo(in_order(x, &saturation.graph))));
        };
        let mut case = popular.or(pair, saturation);
        splits.push(Split { first: case.0, second: case.1, forward: None });
        // Goes on with cases until one is not refuted at once.
        while let Some(conflict) = {
            let held = splits.iter().filter_map(|split| split.forward.as_ref());
            let held = held.map(|refuted| refuted.bytes).sum();
            enter(saturation, case, held, limits, states)?
        } {
            conflicts += 1;
            if conflicts > patience {
                splits.iter().for_each(|_| saturation.retract());
                return Ok(None);
            }
            let (cycle, cases) = explain.explain(saturation, &conflict);
            let bytes = cycle.bytes() + 4 * cases.len();
            let refuted = Refuted { refutation: Refutation::Cycle(cycle), cases, bytes };
            case = match leave(saturation, &mut splits, refuted) {
                Ok(case) => case,
                Err(refutation) => return Ok(Some(Outcome::Refuted(refutation))),
            };
        }
    }
}

/// Unordered pairs of writes of one location by how many read from them, most first.
pub(crate) struct PairsByReaders {
    pairs: Vec<(u32, EventId, EventId)>,
    readers: Vec<u32>,
}

impl PairsByReaders {
    /// Histories with more pairs than this are too large to be hard.
    const MOST: usize = 1 << 16;

    pub(crate) fn new(x: &Execution, saturation: &ViewSaturation<'_>, limits: &Limits<'_>) -> Self {
        let mut readers = vec![0; x.len() + x.location_count()];
        x.events().filter_map(|e| x.rf(e)).for_each(|write| readers[write.index()] += 1);
        let mut writes: Vec<Vec<EventId>> = vec![Vec::new(); x.location_count()];
        for e in x.events().filter(|&e| x.label(e).writes()) {
            writes[x.locs()[e.index()].index()].push(e);
        }
        let mut pairs = Vec::new();
        let most = writes.iter().map(|writes| writes.len() * writes.len() / 2).sum::<usize>();
        // While they are collected, there may be room for as many again beside those that move.
        let bytes = saturation.bytes() + 4 * x.len() + 3 * most * size_of::<(u32, EventId, EventId)>();
        if most <= PairsByReaders::MOST && limits.check_memory(bytes, 0).is_ok() {
            for writes in &writes {
                for (i, &a) in writes.iter().enumerate() {
                    let others = writes[..i].iter().filter(|&&b| unordered(saturation, a, b));
                    pairs.extend(others.map(|&b| (readers[a.index()] + readers[b.index()], a, b)));
                }
            }
            pairs.sort_unstable_by(|a, b| b.cmp(a));
        }
        PairsByReaders { pairs, readers }
    }

    /// A pair to split on: the one given, or an unordered one that more than twice as many read from, in the order that the
    /// graph has it in.
    pub(crate) fn or(
        &self,
        given: (EventId, EventId),
        saturation: &ViewSaturation<'_>,
    ) -> (EventId, EventId) {
        let (a, b) = given;
        let readers = self.readers[a.index()] + self.readers[b.index()];
        let more = self.pairs.iter().take_while(|(popular, ..)| *popular > 2 * readers);
        let place = |e: EventId| saturation.graph.place(e.into());
        match more.into_iter().find(|&&(_, a, b)| unordered(saturation, a, b)) {
            Some(&(_, a, b)) if place(a) < place(b) => (a, b),
            Some(&(_, a, b)) => (b, a),
            None => given,
        }
    }
}

fn unordered(saturation: &ViewSaturation<'_>, a: EventId, b: EventId) -> bool {
    !saturation.known(a, b) && !saturation.known(b, a)
}

/// Saturates a case, with so many bytes of refutations at hand; the conflict if it is refuted.
fn enter(
    saturation: &mut ViewSaturation<'_>,
    (first, second): (EventId, EventId),
    held: usize,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<Conflict>, Limit> {
    *states += 1;
    limits.check(*states)?;
    limits.check_memory(saturation.bytes() + held, *states)?;
    let outcome =
        saturation.assume(first, second).map_err(Stop::Conflict).and_then(|()| saturation.run(limits));
    match outcome {
        Ok(()) => Ok(None),
        Err(Stop::Conflict(conflict)) => Ok(Some(conflict)),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}

/// Leaves a refuted case and the ones around it that do not matter to the refutation; the next case to enter, or the
/// refutation of everything.
fn leave(
    saturation: &mut ViewSaturation<'_>,
    splits: &mut Vec<Split>,
    mut refuted: Refuted,
) -> Result<(EventId, EventId), Refutation> {
    while let Some(split) = splits.pop() {
        let depth = saturation.depth();
        saturation.retract();
        let Ok(at) = refuted.cases.binary_search(&depth) else { continue };
        refuted.cases.remove(at);
        let Split { first, second, forward } = split;
        let Some(forward) = forward else {
            splits.push(Split { first, second, forward: Some(refuted) });
            return Ok((second, first));
        };
        let mut cases = forward.cases;
        cases.extend(refuted.cases);
        cases.sort_unstable();
        cases.dedup();
        let bytes = forward.bytes + refuted.bytes + 2 * size_of::<Refutation>();
        let (forward, backward) = (Box::new(forward.refutation), Box::new(refuted.refutation));
        let refutation = Refutation::Split { first, second, forward, backward };
        refuted = Refuted { refutation, cases, bytes };
    }
    Err(refuted.refutation)
}

/// The writes in the order of the graph.
pub(crate) fn in_order<R: Copy>(x: &Execution, graph: &Graph<R>) -> Vec<EventId> {
    let nodes = (0..graph.len() as u32).map(|place| EventId(graph.at(place).0));
    nodes.filter(|e| x.labels().get(e.index()).is_some_and(|label| label.writes())).collect()
}
