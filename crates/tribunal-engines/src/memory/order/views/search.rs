//! An mo that saturation leaves open: [splits](split) of pairs of writes, saturating after each.
//!
//! The topological order of the saturated graph is a candidate. Where it lets a write come between a read and its source,
//! the write must be mo-before the source or come after the read: a split, the smaller displacement first; unless there
//! is an unordered pair of writes that many more read from, since its order tells more. If no write is out of place, the order of the graph is an mo.
//! By a SAT solver this is wSC+ENUM of Zennou et al. 2020.

use super::memory_order::MemoryOrderSweep;
use super::saturation::{Conflict, Stop, ViewSaturation};
use crate::reach::graph::Graph;
use crate::split::{self, Next, Open, Pairs, Refuted, Theory};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Cycle, Limit, Refutation};

/// The writes in the order of an mo, or why there is none.
pub(crate) type Outcome = Result<Vec<EventId>, Refutation>;

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
    split::search(&mut Writes::new(x, saturation, explain, limits, states), patience)
}

/// The same by a SAT solver.
pub(crate) fn solve(
    x: &Execution,
    saturation: &mut ViewSaturation<'_>,
    explain: &impl Explain,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Outcome, Limit> {
    split::solve_pairs(&mut Writes::new(x, saturation, explain, limits, states), limits)
}

/// The order of writes as a theory: a case puts a write before another.
struct Writes<'a, 'x, E> {
    x: &'a Execution,
    saturation: &'a mut ViewSaturation<'x>,
    explain: &'a E,
    sweep: MemoryOrderSweep<'a>,
    popular: PairsByReaders,
    /// How many cases were open before, for good.
    before: u32,
    limits: &'a Limits<'a>,
    states: &'a mut u64,
}

impl<'a, 'x, E: Explain> Writes<'a, 'x, E> {
    fn new(
        x: &'a Execution,
        saturation: &'a mut ViewSaturation<'x>,
        explain: &'a E,
        limits: &'a Limits<'a>,
        states: &'a mut u64,
    ) -> Self {
        let sweep = MemoryOrderSweep::new(x, saturation.twins());
        let popular = PairsByReaders::new(x, saturation, limits);
        let before = saturation.depth();
        Writes { x, saturation, explain, sweep, popular, before, limits, states }
    }
}

impl<E: Explain> Theory for Writes<'_, '_, E> {
    type Case = (EventId, EventId);
    type Proof = Refutation;
    type Solution = Vec<EventId>;
    type Limit = Limit;

    fn count(&mut self, bytes: usize) -> Result<(), Limit> {
        *self.states += 1;
        self.limits.check(*self.states)?;
        self.limits.check_memory(self.saturation.bytes() + bytes, *self.states)
    }

    fn next(&mut self) -> Result<Next<Self>, Limit> {
        Ok(match self.pairs()? {
            Ok(writes) => Next::Solved(writes),
            Err(pairs) => {
                Next::Split(pairs.into_iter().flat_map(|(pair, reversed)| [reversed, pair]).collect())
            }
        })
    }

    fn assume(&mut self, (first, second): Self::Case) -> Result<Option<Refuted<Refutation>>, Limit> {
        let assumed = self.saturation.assume(first, second).map_err(Stop::Conflict);
        match assumed.and_then(|()| self.saturation.run(self.limits)) {
            Ok(()) => Ok(None),
            Err(Stop::Limit(limit)) => Err(limit),
            Err(Stop::Conflict(conflict)) => {
                let (cycle, depths) = self.explain.explain(self.saturation, &conflict);
                let number = |depth: u32| depth.checked_sub(self.before + 1);
                let (cases, bytes) = (depths.into_iter().filter_map(number).collect(), cycle.bytes());
                Ok(Some(Refuted { proof: Refutation::Cycle(cycle), cases, bytes }))
            }
        }
    }

    fn retract(&mut self) {
        self.saturation.retract();
    }

    fn join(&mut self, cases: Vec<(Self::Case, Refutation)>) -> Refutation {
        let ((first, second), forward, backward) = split::two(cases);
        Refutation::Split { first, second, forward: Box::new(forward), backward: Box::new(backward) }
    }
}

impl<E: Explain> Pairs for Writes<'_, '_, E> {
    fn pairs(&mut self) -> Result<Open<Self>, Limit> {
        self.sweep.rewind(self.saturation.unchanged_before());
        let Some(pair) = self.sweep.next(&self.saturation.graph) else {
            return Ok(Ok(in_order(self.x, &self.saturation.graph)));
        };
        let (first, second) = self.popular.or(pair, self.saturation);
        Ok(Err(vec![((first, second), (second, first))]))
    }
}

/// Unordered pairs of writes of one location by how many read from them, most first.
struct PairsByReaders {
    pairs: Vec<(u32, EventId, EventId)>,
    readers: Vec<u32>,
}

impl PairsByReaders {
    /// Histories with more pairs than this are too large to be hard.
    const MOST: usize = 1 << 16;

    fn new(x: &Execution, saturation: &ViewSaturation<'_>, limits: &Limits<'_>) -> Self {
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
    fn or(&self, given: (EventId, EventId), saturation: &ViewSaturation<'_>) -> (EventId, EventId) {
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

/// The writes in the order of the graph.
pub(crate) fn in_order<R: Copy>(x: &Execution, graph: &Graph<R>) -> Vec<EventId> {
    let nodes = (0..graph.len() as u32).map(|place| EventId(graph.at(place).0));
    nodes.filter(|e| x.labels().get(e.index()).is_some_and(|label| label.writes())).collect()
}
