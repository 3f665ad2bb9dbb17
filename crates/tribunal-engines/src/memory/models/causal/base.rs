//! The relations that the causal models begin with: a part π of program order, and rf.

use super::graph::Graph;
use crate::reach::lists::Lists;
use std::ops::Range;
use tribunal_history::memory::{EventId, Execution, Kind, ThreadId};
use tribunal_history::verdict::Because;

/// No event.
pub(super) const NONE: u32 = u32::MAX;

/// π: the part of program order that a relation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// All of it.
    Po,
    /// tso's ppo: all but the pairs of a plain write and a plain read.
    Ppo,
    /// The pairs of one location.
    PoLoc,
}

/// The rf edges that a relation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadsFrom {
    /// All of them.
    All,
    /// rfe: those between two threads.
    External,
    /// Those into the observer's thread.
    Observer,
}

/// π and rf, as at most three edges into each event; the others follow. 8 bytes per event, 12 for ppo.
///
/// Initial writes are left out: nothing is before them.
pub(super) struct Base<'a> {
    pub x: &'a Execution,
    pub program: Program,
    heard: ReadsFrom,
    /// The event right before each in π: for ppo a read's or RMW's last read or RMW, a plain write's last plain
    /// write.
    line: Vec<u32>,
    /// For ppo: the last plain write before an RMW, the last read or RMW before a plain write.
    cross: Vec<u32>,
    /// The write read from, where the relation has rf.
    source: Vec<u32>,
}

impl<'a> Base<'a> {
    pub(super) fn new(x: &'a Execution, program: Program, heard: ReadsFrom) -> Self {
        let mut line = vec![NONE; x.len()];
        let mut cross = vec![NONE; if program == Program::Ppo { x.len() } else { 0 }];
        let mut source = vec![NONE; x.len()];
        let mut last = vec![NONE; if program == Program::PoLoc { x.location_count() } else { 0 }];
        for thread in x.threads() {
            let (mut read, mut write) = (NONE, NONE);
            last.fill(NONE);
            let events = x.thread_events(thread);
            for e in events.clone().map(EventId) {
                let external = |w: &EventId| heard != ReadsFrom::External || !events.contains(&w.0);
                let heard_from = x.rf(e).filter(|&w| !x.is_init(w)).filter(external);
                source[e.index()] = heard_from.map_or(NONE, |w| w.0);
                line[e.index()] = match program {
                    Program::Po if e.0 > events.start => e.0 - 1,
                    Program::Po => NONE,
                    // Where reads are left open there are fences that order nothing.
                    _ if x.label(e).is_fence() => NONE,
                    Program::PoLoc => std::mem::replace(&mut last[x.locs()[e.index()].index()], e.0),
                    Program::Ppo => {
                        let kind = x.label(e).kind();
                        cross[e.index()] = match kind {
                            Kind::Write => read,
                            Kind::Rmw => write,
                            _ => NONE,
                        };
                        std::mem::replace(if kind == Kind::Write { &mut write } else { &mut read }, e.0)
                    }
                };
            }
        }
        Base { x, program, heard, line, cross, source }
    }

    /// The events right before `e` in its thread.
    #[inline(always)]
    pub(super) fn program_before(&self, e: EventId) -> [u32; 2] {
        [self.line[e.index()], self.cross.get(e.index()).copied().unwrap_or(NONE)]
    }

    /// The write that `e` reads from and hears of, where the events of the observer's thread are these.
    #[inline(always)]
    pub(super) fn rf_seen_by(&self, e: EventId, observer: &Range<u32>) -> u32 {
        match self.heard == ReadsFrom::Observer && !observer.contains(&e.0) {
            true => NONE,
            false => self.source[e.index()],
        }
    }

    /// All the events right before `e`, or [`NONE`].
    #[inline(always)]
    pub(super) fn before(&self, e: EventId, observer: &Range<u32>) -> [u32; 3] {
        let [line, cross] = self.program_before(e);
        [line, cross, self.rf_seen_by(e, observer)]
    }

    /// Whether π has the pair of two events of threads.
    pub(super) fn keeps(&self, a: EventId, b: EventId) -> bool {
        let po = a < b && self.x.thread_of(a) == self.x.thread_of(b);
        po && match self.program {
            Program::Po => true,
            Program::Ppo => self.x.label(a).reads() || self.x.label(b).writes(),
            Program::PoLoc => self.x.loc(a) == self.x.loc(b),
        }
    }

    /// Whether cf knows of a read: where rf is rfe, of those from other threads only.
    pub(super) fn conflicts(&self, read: EventId) -> bool {
        self.heard != ReadsFrom::External || self.source[read.index()] != NONE
    }

    /// The reason for an edge of π.
    pub(super) fn because(&self) -> Because {
        match self.program {
            Program::Po => Because::Po,
            Program::Ppo => Because::Ppo,
            Program::PoLoc => Because::PoLoc,
        }
    }

    /// Whether the relation orders an event of this kind after all earlier writes of its thread that it could be
    /// asked about.
    #[inline(always)]
    pub(super) fn after_own_writes(&self, e: EventId) -> bool {
        self.program != Program::Ppo || self.x.label(e).writes()
    }
}

impl Graph for Base<'_> {
    fn nodes(&self) -> usize {
        self.x.len()
    }

    #[inline(always)]
    fn before(&self, node: u32, mut visit: impl FnMut(u32)) {
        self.before(EventId(node), &(0..0)).into_iter().filter(|&e| e != NONE).for_each(&mut visit);
    }
}

/// The writes, initial ones excluded: grouped by location, then by thread (a *run*), then in program order. 8 bytes
/// each.
pub(super) struct Writes {
    /// `run_starts[loc_runs[x]..loc_runs[x + 1]]` are where the runs of location x begin.
    loc_runs: Vec<u32>,
    run_starts: Vec<u32>,
    run_threads: Vec<ThreadId>,
    /// By location.
    events: Lists<EventId>,
    /// For each event that writes, its run.
    run_of: Vec<u32>,
}

impl Writes {
    pub(super) fn new(x: &Execution) -> Self {
        let writes = x.events().filter(|&e| x.labels()[e.index()].writes());
        let of_location = writes.map(|e| (x.locs()[e.index()].index(), e));
        let events = Lists::of_pairs(x.location_count(), of_location);
        let (mut loc_runs, mut run_starts, mut run_threads) = (vec![0], Vec::new(), Vec::new());
        let mut run_of = vec![NONE; x.len()];
        for loc in 0..x.location_count() {
            let mut end_of_thread = 0;
            for (i, &e) in (events.range(loc).start as u32..).zip(events.of(loc)) {
                if e.0 >= end_of_thread {
                    let thread = x.thread_of(e).expect("an event of a thread");
                    end_of_thread = x.thread_events(thread).end;
                    run_starts.push(i);
                    run_threads.push(thread);
                }
                run_of[e.index()] = run_starts.len() as u32 - 1;
            }
            loc_runs.push(run_starts.len() as u32);
        }
        run_starts.push(events.items().len() as u32);
        Writes { loc_runs, run_starts, run_threads, events, run_of }
    }

    pub(super) fn is_write(&self, e: EventId) -> bool {
        self.run_of[e.index()] != NONE
    }

    pub(super) fn run_of(&self, write: EventId) -> usize {
        self.run_of[write.index()] as usize
    }

    /// The runs of the location that `e` accesses.
    pub(super) fn runs(&self, x: &Execution, e: EventId) -> Range<usize> {
        let loc = x.locs()[e.index()].index();
        self.loc_runs[loc] as usize..self.loc_runs[loc + 1] as usize
    }

    pub(super) fn thread(&self, run: usize) -> ThreadId {
        self.run_threads[run]
    }

    /// The places where the runs begin, and behind them where the last ends.
    pub(super) fn run_starts(&self) -> &[u32] {
        &self.run_starts
    }

    /// The writes, run by run.
    pub(super) fn events(&self) -> &[EventId] {
        self.events.items()
    }
}
