//! The axiom of ccm and wccm about the order in which all threads see the writes: acyclic(π ∪ rf ∪ pww ∪ rw\[pww\]).
//!
//! pww = (hb_WW ∪ cf\[hb\])⁺ orders the writes of each location, and rw puts the readers of a write before the
//! writes that pww puts after it. With hb as the past of each event, O(n·k) pairs are enough; all others follow
//! from these and π:
//! - of hb_WW, for each write the last write of each thread in its past, unless it was before the thread's previous
//!   write of the location already;
//! - of cf\[hb\], for each read and the write w that it reads from: the last write of each thread in its past,
//!   unless it was before the thread's previous read r of the location already; and (w', w), where r reads from w'.
//!
//! For rw, each write has a node that comes after it and all its readers, and before the writes after it. Only an
//! RMW that reads from the write needs care: it comes after the other readers.

use super::base::{Base, NONE, Writes};
use super::graph::{Arrows, Graph, arrows_to, shortest, sort};
use super::observers::arrows;
use super::past::{Past, Relation};
use super::proof::{Line, Proof, Scope};
use crate::limits::{Bounded, Meter};
use crate::memory::order::coherence::chains::SharedSource;
use crate::memory::order::coherence::latest::{Previous, teams};
use crate::memory::order::parallel;
use rustc_hash::FxHashSet;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::{Because, Cycle, Edge, Limit};

/// The bytes that bases, writes and the graph of all events take.
const BYTES_PER_EVENT: usize = 72;
const BYTES_PER_LOCATION: usize = 16;

/// Pairs from which all of pww follows; or a cycle for one of the lines. Without one, the lines are acyclic each, and so is
/// what any one observer saw.
///
/// With two lines the model is wccm: hb_WW is that of both lines together, and cf is of reads from other threads
/// only.
pub(super) fn order(
    lines: &[Line<'_>],
    writes: &Writes,
    limits: &Limits<'_>,
) -> Result<Result<Arrows, Cycle>, Limit> {
    let x = lines[0].base.x;
    if let Some(shared) = SharedSource::find(x) {
        return Ok(Err(shared_source(lines[0].base, shared)));
    }
    let bases: Vec<&Base<'_>> = lines.iter().map(|line| line.base).collect();
    let further = arrows(x, lines.iter().flat_map(|line| &line.seen));
    let past = match Past::new(&Relation { bases: &bases, further, observer: 0..0 }, limits)? {
        Ok(past) => past,
        Err(cycle) => return Ok(Err(hb_cycle(lines, &cycle))),
    };
    let seen: usize = lines.iter().map(|line| line.seen.held()).sum();
    let meter = Meter::new(limits);
    meter.take(past.bytes() + seen + BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count())?;
    let mut pairs =
        by_thread(x, &meter, |thread, previous, found| hb_pairs(x, &past, writes, thread, previous, found))?;
    let mut add = |line: &Line<'_>, own: &Past<'_>| {
        pairs.extend(by_thread(x, &meter, |thread, previous, found| {
            conflict_pairs(line, [own, &past], writes, thread, previous, found);
        })?);
        Ok(())
    };
    if let [line] = lines {
        add(line, &past)?;
    } else {
        for line in lines {
            let relation =
                Relation { bases: &[line.base], further: arrows(x, line.seen.iter()), observer: 0..0 };
            let own = Past::new(&relation, &meter.rest()).map_err(|limit| limit.out_of(limits.max_memory))?;
            let Ok(own) = own else { unreachable!("it is part of an acyclic relation") };
            add(line, &own)?;
        }
    }
    drop(past);
    if let Some((write, read)) = pairs.iter().find_map(|found| found.overwritten) {
        return Ok(Err(init_cycle(lines, write, read)));
    }
    let pairs = pairs.into_iter().map(|found| found.pairs.into_items()).collect::<Result<_, Limit>>()?;
    let pairs = arrows_to(x.len(), pairs);
    let reads = x.events().filter_map(|e| Some((e, x.rf(e)?))).collect();
    let readers = arrows_to(x.len() + x.location_count(), vec![reads]);
    for line in lines {
        let order = Order { base: line.base, pairs: &pairs, readers: &readers };
        if let Err(cycle) = sort(&order, limits)? {
            return Ok(Err(order.explain(lines, &cycle)));
        }
    }
    Ok(Ok(pairs))
}

/// The edges that some threads ask for.
struct Found<'m> {
    pairs: Bounded<'m, (EventId, EventId)>,
    /// A write and a read of the initial write that has it in its past.
    overwritten: Option<(EventId, EventId)>,
}

/// The edges that `find` adds for each thread.
fn by_thread<'m>(
    x: &Execution,
    meter: &'m Meter<'m>,
    find: impl Fn(ThreadId, &mut Previous, &mut Found<'m>) + Sync + Send,
) -> Result<Vec<Found<'m>>, Limit> {
    let found = parallel::map(x, &teams(x), |team| {
        let mut previous = Previous::new(x);
        let mut found = Found { pairs: Bounded::new(meter), overwritten: None };
        for &thread in team {
            meter.check()?;
            find(thread, &mut previous, &mut found);
        }
        Ok(found)
    });
    found.into_iter().collect()
}

/// The pairs of hb_WW into the writes of a thread.
fn hb_pairs(
    x: &Execution,
    past: &Past<'_>,
    writes: &Writes,
    thread: ThreadId,
    previous: &mut Previous,
    found: &mut Found<'_>,
) {
    let is_write = |e: EventId| x.label(e).writes();
    past.observe(writes, thread, previous, is_write, |write, e| found.pairs.push((write, e)));
    // The initial write is before the thread's first write of each location.
    previous.begin();
    for e in x.thread_events(thread).map(EventId).filter(|&e| is_write(e)) {
        let loc = x.locs()[e.index()];
        if previous.replace(loc, e).is_none() {
            found.pairs.push((x.init_write(loc), e));
        }
    }
}

/// The pairs of cf that the reads of a thread demand, given the past of its line, except for those that hb, the past of all
/// lines, has anyway. Also the first write and read of the initial write that has it in its past.
fn conflict_pairs(
    line: &Line<'_>,
    [past, all]: [&Past<'_>; 2],
    writes: &Writes,
    thread: ThreadId,
    previous: &mut Previous,
    found: &mut Found<'_>,
) {
    let x = line.base.x;
    // cf of wccm leaves out the initial writes and the thread's own, as its bases do.
    let looks = |e: EventId| x.label(e).reads() && line.base.conflicts(e);
    let mut conflict = |write: EventId, source: EventId, e: EventId| {
        if x.is_init(source) {
            found.overwritten.get_or_insert((write, e));
        } else if write != source && !all.has(source, write) {
            found.pairs.push((write, source));
        }
    };
    past.observe(writes, thread, previous, looks, |write, e| conflict(write, x.rf(e).expect("a read"), e));
    previous.begin();
    for e in x.thread_events(thread).map(EventId).filter(|&e| looks(e)) {
        // What an earlier read read from, unless that was the initial write.
        let Some(source) = x.rf(e) else { continue };
        if let Some(last) = previous.replace(x.locs()[e.index()], source)
            && !x.is_init(last)
            && !x.is_init(source)
        {
            conflict(last, source, e);
        }
    }
}

/// Two RMWs that read from one write: each is before the other by fr.
fn shared_source(base: &Base<'_>, SharedSource { write, rmws: [first, second] }: SharedSource) -> Cycle {
    let fr = |from: EventId, to: EventId| {
        let heard = base.rf_seen_by(to, &(0..0)) != NONE;
        let because = if heard { Because::Rf } else { base.because() };
        let path = vec![Edge { from: write, to, because }];
        let premise = Box::new(Edge { from: write, to, because: Because::Coherence { path } });
        Edge { from, to, because: Because::Fr { premise } }
    };
    Cycle { lemmas: Vec::new(), edges: vec![fr(first, second), fr(second, first)] }
}

/// A cycle of what was seen, as one of two pairs of hb_WW; the first of its edges must be one that was seen.
pub(super) fn seen_cycle(cycle: Cycle) -> Cycle {
    let Cycle { lemmas, mut edges } = cycle;
    let rest = edges.split_off(1);
    let ends = edges.first().map(|edge| (edge.from, edge.to));
    let (from, to) = ends.expect("a cycle has an edge");
    let forth = Edge { from, to, because: Because::Coherence { path: edges } };
    let back = Edge { from: to, to: from, because: Because::Coherence { path: rest } };
    Cycle { lemmas, edges: vec![forth, back] }
}

/// A cycle of hb. π ∪ rf is acyclic, so an edge that was seen is on it; with two lines, too: a path that stays in a
/// thread, and is not along ppo, begins at a write.
fn hb_cycle(lines: &[Line<'_>], cycle: &[u32]) -> Cycle {
    let pairs: FxHashSet<(u32, u32)> =
        cycle.iter().copied().zip(cycle.iter().cycle().skip(1).copied()).collect();
    let seen = lines.iter().enumerate().find_map(|(line, Line { seen, .. })| {
        Some((line, seen.iter().position(|seen| pairs.contains(&(seen.from.0, seen.to.0)))?))
    });
    let (line, i) = seen.expect("the cycle has an edge that was seen");
    let mut proof = Proof::new(lines);
    let first = proof.seen(line, i);
    let rest = proof.path(first.to, first.from, Scope::All).expect("the edge is on a cycle");
    seen_cycle(proof.close([vec![first], rest].concat()))
}

/// A read of the initial write though another is in its past.
fn init_cycle(lines: &[Line<'_>], write: EventId, read: EventId) -> Cycle {
    let x = lines[0].base.x;
    let init = x.rf(read).expect("a read");
    let mut proof = Proof::new(lines);
    let path = proof.path(write, read, Scope::All).expect("the write is in the past of the read");
    let back = Edge { from: init, to: write, because: lines[0].base.because() };
    proof.close(vec![Edge { from: write, to: init, because: Because::Read { read, path } }, back])
}

/// π ∪ rf ∪ pww ∪ rw\[pww\]. The nodes are the events, and behind them one for each write, initial ones included.
struct Order<'a> {
    base: &'a Base<'a>,
    pairs: &'a Arrows,
    readers: &'a Arrows,
}

impl Graph for Order<'_> {
    fn nodes(&self) -> usize {
        2 * self.base.x.len() + self.base.x.location_count()
    }

    #[inline(always)]
    fn before(&self, node: u32, mut visit: impl FnMut(u32)) {
        let x = self.base.x;
        let Some(write) = self.write_of(node) else {
            let e = EventId(node);
            self.base.before(e, &(0..0)).into_iter().filter(|&before| before != NONE).for_each(&mut visit);
            for &write in self.pairs.of(e.index()) {
                if x.rf(e) == Some(write) {
                    self.readers
                        .of(write.index())
                        .iter()
                        .filter(|&&reader| reader != e)
                        .for_each(|r| visit(r.0));
                } else {
                    visit(x.len() as u32 + write.0);
                }
            }
            return;
        };
        if !x.is_init(write) {
            visit(write.0);
        }
        self.readers.of(write.index()).iter().for_each(|reader| visit(reader.0));
    }
}

impl Order<'_> {
    /// The write whose node this is, if it is a write's and not an event.
    fn write_of(&self, node: u32) -> Option<EventId> {
        let n = self.base.x.len() as u32;
        (node >= n).then(|| EventId(node - n))
    }

    /// Whether an edge between nodes is one of program order.
    fn is_program(&self, from: u32, to: u32) -> bool {
        self.write_of(to).is_none() && self.base.program_before(EventId(to)).contains(&from)
    }

    /// A short cycle that has an edge with the one found, as edges between events.
    fn explain(&self, lines: &[Line<'_>], cycle: &[u32]) -> Cycle {
        let n = cycle.len();
        let place = (0..n).find(|&i| self.write_of(cycle[i]).is_none()).expect("a cycle has an event");
        let (first, last) = (cycle[place], cycle[(place + n - 1) % n]);
        let weight = |from, to| u32::from(!self.is_program(from, to));
        let mut nodes = shortest(self, first, last, weight).expect("they are on a cycle");
        nodes.push(first);
        let mut proof = Proof::new(lines);
        let mut edges: Vec<Edge> = Vec::new();
        let mut at = 0;
        while at + 1 < nodes.len() {
            let (from, mut to) = (EventId(nodes[at]), EventId(nodes[at + 1]));
            at += 1;
            let source = match self.write_of(to.0) {
                Some(write) => {
                    at += 1;
                    to = EventId(nodes[at]);
                    Some(write)
                }
                None if self.base.keeps(from, to) => {
                    match edges.last_mut() {
                        Some(edge)
                            if edge.because == self.base.because() && self.base.keeps(edge.from, to) =>
                        {
                            edge.to = to;
                        }
                        _ => edges.push(Edge { from, to, because: self.base.because() }),
                    }
                    continue;
                }
                None if self.base.rf_seen_by(to, &(0..0)) == from.0 => {
                    edges.push(Edge { from, to, because: Because::Rf });
                    continue;
                }
                None => self.base.x.rf(to),
            };
            let source = source.expect("an RMW comes after other readers");
            let pair = self.pair(&mut proof, source, to);
            edges.push(match source == from {
                true => pair,
                false => Edge { from, to, because: Because::Fr { premise: Box::new(pair) } },
            });
        }
        proof.close(edges)
    }

    /// An edge of pww.
    fn pair(&self, proof: &mut Proof<'_>, from: EventId, to: EventId) -> Edge {
        let x = self.base.x;
        if x.is_init(from) {
            let path = vec![Edge { from, to, because: self.base.because() }];
            return Edge { from, to, because: Because::Coherence { path } };
        }
        if let Some(path) = proof.path(from, to, Scope::All) {
            return Edge { from, to, because: Because::Coherence { path } };
        }
        let reads = |read: EventId| read != from && self.base.conflicts(read);
        let mut reads = self.readers.of(to.index()).iter().filter(|&&read| reads(read));
        let shown = reads.find_map(|&read| {
            let path = (0..proof.line_count()).find_map(|line| proof.path(from, read, Scope::Line(line)))?;
            Some(Because::Read { read, path })
        });
        Edge { from, to, because: shown.expect("a pair is of hb or of cf") }
    }
}
