//! The axioms of the C11 family, and weak read coherence, which cc shares with wra.

use super::many::{self, has_many_threads};
use super::{Positions, broken, final_values, psc};
use crate::clocks::{Clocks, HappensBefore, replay};
use crate::{BrokenAxiom, Named, Refusal};
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, ModificationOrder};

/// rc20, rc11, ra, sra and relaxed: an mo.
pub(super) fn ordered(
    x: &Execution,
    model: Model,
    mo: &ModificationOrder,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let positions = Positions::new(x, mo)?;
    final_values(x, mo)?;
    if has_many_threads(x) {
        many::coherent(x, of_model(model), mo, &positions, limits)?;
        return match model {
            Model::Sra => strong_write_coherence(x, mo, &positions),
            _ if has_psc(x, model) => {
                psc::acyclic(x, model, &happens_before(x, model, limits)?, mo, &positions, limits)
            }
            _ => Ok(()),
        };
    }
    let clocks = happens_before(x, model, limits)?;
    if model == Model::Sra {
        strong_write_coherence(x, mo, &positions)?;
    }
    let accesses = Accesses::new(x);
    let mut coherence = Coherence { x, clocks: &clocks, positions: &positions, seen: Vec::new() };
    x.locations().try_for_each(|loc| coherence.check(mo.of(loc), accesses.of(x, loc)))?;
    if has_psc(x, model) { psc::acyclic(x, model, &clocks, mo, &positions, limits) } else { Ok(()) }
}

/// Whether the model asks for acyclic(psc), and the history has such edges.
fn has_psc(x: &Execution, model: Model) -> bool {
    matches!(model, Model::Rc20 | Model::Rc11) && x.features().seq_cst
}

/// wra: no mo.
pub(super) fn weak(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    no_shared_source(x)?;
    not_overwritten(x, Axiom::WeakReadCoherence, limits)
}

/// acyclic(po ∪ rf), and no read from a write that is overwritten in the read's past, by hb = (po ∪ rf)⁺.
pub(super) fn not_overwritten(x: &Execution, axiom: Axiom, limits: &Limits<'_>) -> Result<(), Refusal> {
    if has_many_threads(x) {
        return many::not_overwritten(x, axiom, limits);
    }
    let clocks = happens_before(x, Model::Wra, limits)?;
    let accesses = Accesses::new(x);
    x.locations().try_for_each(|loc| weak_read_coherence(x, &clocks, accesses.of(x, loc), axiom))
}

fn of_model(model: Model) -> HappensBefore {
    match model {
        Model::Rc20 => HappensBefore::Synchronized,
        Model::Rc11 => HappensBefore::Continued,
        Model::Relaxed => HappensBefore::Po,
        _ => HappensBefore::PoRf,
    }
}

/// hb, and with it acyclic(po ∪ rf).
pub(crate) fn happens_before(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Clocks, Refusal> {
    let clocks = Clocks::new(x, of_model(model), limits).map_err(Refusal::Limit)?;
    clocks.map_err(|event| broken(Axiom::PoRf, BrokenAxiom::Cycle { event: Named::new(x, event) }))
}

/// acyclic(hb ∪ mo), for hb = (po ∪ rf)⁺: the events can be replayed so that each write follows the one before it in mo.
fn strong_write_coherence(
    x: &Execution,
    mo: &ModificationOrder,
    positions: &Positions,
) -> Result<(), Refusal> {
    let cycle =
        |event| broken(Axiom::StrongWriteCoherence, BrokenAxiom::Cycle { event: Named::new(x, event) });
    // An initial write is po-before everything else, so it can only be first.
    if let Some(init) = x.locations().map(|loc| x.init_write(loc)).find(|&w| positions.of(w) != 0) {
        return Err(cycle(init));
    }
    let mo_predecessor = |e: EventId| {
        let loc = x.loc(e).filter(|_| x.label(e).writes())?;
        mo.of(loc).get((positions.of(e) as usize).checked_sub(1)?).copied()
    };
    replay(x, |e| [x.rf(e), mo_predecessor(e)], |_, _| ()).map_err(cycle)
}

/// The accesses of the locations, initial writes excluded: by location, then by thread, then in program order.
#[derive(Default)]
pub(super) struct Accesses {
    pub(super) events: Vec<EventId>,
    pub(super) starts: Vec<usize>,
}

/// The accesses of one location.
pub(super) struct Location<'a> {
    loc: LocId,
    pub(super) accesses: &'a [EventId],
    /// Each thread that has some, and which they are.
    threads: Vec<(ThreadId, Range<usize>)>,
}

impl Accesses {
    pub(super) fn new(x: &Execution) -> Self {
        let accesses = || x.events().filter_map(|e| Some((e, x.loc(e)?)));
        let mut starts = vec![0; x.location_count() + 1];
        for (_, loc) in accesses() {
            starts[loc.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut events = vec![EventId(0); starts[x.location_count()]];
        let mut next = starts.clone();
        for (e, loc) in accesses() {
            events[next[loc.index()]] = e;
            next[loc.index()] += 1;
        }
        Accesses { events, starts }
    }

    pub(super) fn of(&self, x: &Execution, loc: LocId) -> Location<'_> {
        let accesses = &self.events[self.starts[loc.index()]..self.starts[loc.index() + 1]];
        let mut threads = Vec::new();
        let mut start = 0;
        while let Some(t) = accesses.get(start).and_then(|&e| x.thread_of(e)) {
            let end = start + accesses[start..].partition_point(|e| e.0 < x.thread_events(t).end);
            threads.push((t, start..end));
            start = end;
        }
        Location { loc, accesses, threads }
    }
}

impl Location<'_> {
    /// Goes through the accesses of each thread in program order and, before each, tells `enter` which accesses of
    /// the other threads came newly into its past. O(m·k) for m accesses, since pasts only grow along a thread.
    pub(super) fn walk<S>(
        &self,
        clocks: &Clocks,
        begin: impl Fn() -> S,
        mut enter: impl FnMut(&mut S, usize, Range<usize>),
        mut access: impl FnMut(&mut S, usize, usize) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        // By thread of the location: its first access that is not in the past yet, and the id of that.
        let mut next = vec![0; self.threads.len()];
        let mut next_id = vec![0; self.threads.len()];
        let id = |i: usize, end| if i < end { self.accesses[i].0 } else { u32::MAX };
        for (own, (_, range)) in self.threads.iter().enumerate() {
            let mut state = begin();
            for (other, (_, range)) in self.threads.iter().enumerate() {
                (next[other], next_id[other]) = (range.start, id(range.start, range.end));
            }
            for i in range.clone() {
                let before = clocks.before(self.accesses[i]);
                if !before.is_empty() {
                    for (other, (u, range)) in self.threads.iter().enumerate() {
                        let bound = before[u.index()];
                        if next_id[other] < bound {
                            let start = next[other];
                            while next_id[other] < bound {
                                next[other] += 1;
                                next_id[other] = id(next[other], range.end);
                            }
                            enter(&mut state, other, start..next[other]);
                        }
                    }
                }
                access(&mut state, own, i)?;
            }
        }
        Ok(())
    }
}

/// Write coherence, read coherence and atomicity of a given mo.
pub(super) struct Coherence<'a> {
    x: &'a Execution,
    clocks: &'a Clocks,
    positions: &'a Positions,
    /// By access of the location at hand: the mo position of the latest write it shows, by writing or reading it.
    seen: Vec<u32>,
}

impl Coherence<'_> {
    fn check(&mut self, mo: &[EventId], location: Location<'_>) -> Result<(), Refusal> {
        let Coherence { x, clocks, positions, seen } = self;
        seen.clear();
        seen.extend(location.accesses.iter().map(|&e| {
            let written = if x.label(e).writes() { positions.of(e) } else { 0 };
            x.rf(e).map_or(written, |w| written.max(positions.of(w)))
        }));
        // The position of the mo-latest write w with (w, e) in rf?;hb. The initial write is in every past.
        let init = positions.of(x.init_write(location.loc));
        location.walk(
            clocks,
            || init,
            |latest, _, entering| *latest = seen[entering].iter().copied().fold(*latest, u32::max),
            |latest, _, i| {
                Self::access(x, positions, mo, location.accesses[i], *latest)?;
                *latest = seen[i].max(*latest);
                Ok(())
            },
        )
    }

    /// Checks one access against the mo-latest write in its past.
    pub(super) fn access(
        x: &Execution,
        positions: &Positions,
        mo: &[EventId],
        e: EventId,
        latest: u32,
    ) -> Result<(), Refusal> {
        let named = |event| Named::new(x, event);
        let at = |position: u32| named(mo[position as usize]);
        let source = x.rf(e);
        // irr(fr;rf?;hb)
        if let Some(w) = source
            && positions.of(w) < latest
        {
            let breach =
                BrokenAxiom::ReadsTooEarly { read: named(e), source_write: named(w), later: at(latest) };
            return Err(broken(Axiom::ReadCoherence, breach));
        }
        if x.label(e).writes() {
            // irr(mo;rf?;hb?), where hb? may be the identity after rf
            let latest = source.map_or(latest, |w| latest.max(positions.of(w)));
            let position = positions.of(e);
            if position < latest {
                let breach = BrokenAxiom::WrittenTooEarly { write: named(e), later: at(latest) };
                return Err(broken(Axiom::WriteCoherence, breach));
            }
            // irr(fr;mo)
            if let Some(w) = source
                && positions.of(w) + 1 < position
            {
                let breach = BrokenAxiom::Between {
                    rmw: named(e),
                    source_write: named(w),
                    between: at(positions.of(w) + 1),
                };
                return Err(broken(Axiom::Atomicity, breach));
            }
        }
        Ok(())
    }
}

/// No two RMWs read from one write.
fn no_shared_source(x: &Execution) -> Result<(), Refusal> {
    const NONE: EventId = EventId(u32::MAX);
    let mut reader = vec![NONE; x.len() + x.location_count()];
    for rmw in x.events().filter(|&e| x.label(e).kind() == Kind::Rmw) {
        let Some(w) = x.rf(rmw) else { continue };
        let first = std::mem::replace(&mut reader[w.index()], rmw);
        if first != NONE {
            let breach = BrokenAxiom::SharedSource {
                first: Named::new(x, first),
                second: Named::new(x, rmw),
                write: Named::new(x, w),
            };
            return Err(broken(Axiom::WeakAtomicity, breach));
        }
    }
    Ok(())
}

/// irr(hbloc ; \[W\] ; hb ; rf⁻¹). If a write of some thread overwrote a read's source in the read's past, then so did
/// that thread's last write in the read's past: only that one needs a look.
fn weak_read_coherence(
    x: &Execution,
    clocks: &Clocks,
    location: Location<'_>,
    axiom: Axiom,
) -> Result<(), Refusal> {
    let (accesses, threads) = (location.accesses, &location.threads);
    // Of the threads' last writes in the past of a read from w, one that overwrote w.
    let overwriting = |last_write: &[Option<EventId>], w: EventId| match x.thread_of(w) {
        None => last_write.iter().flatten().copied().next(),
        Some(s) => last_write.iter().zip(threads).find_map(|(&last, &(u, _))| {
            let by = last?;
            let after_w = if u == s { by > w } else { clocks.before(by)[s.index()] > w.0 };
            after_w.then_some(by)
        }),
    };
    location.walk(
        clocks,
        || vec![None; threads.len()],
        |last_write, u, entering| {
            let write = accesses[entering].iter().rev().find(|&&e| x.label(e).writes());
            last_write[u] = write.copied().or(last_write[u]);
        },
        |last_write, own, i| {
            let e = accesses[i];
            if let Some(w) = x.rf(e)
                && let Some(by) = overwriting(last_write, w)
            {
                let named = |event| Named::new(x, event);
                let breach =
                    BrokenAxiom::Overwritten { read: named(e), source_write: named(w), by: named(by) };
                return Err(broken(axiom, breach));
            }
            if x.label(e).writes() {
                last_write[own] = Some(e);
            }
            Ok(())
        },
    )
}
