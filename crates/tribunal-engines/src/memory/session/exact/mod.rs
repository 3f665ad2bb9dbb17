//! Steps that are decided exactly where coherence and saturation accept too much.
//!
//! **rc20 and rc11 with seq_cst.** A witness is kept: an mo with which the execution so far is consistent, psc included. What comes next
//! leads nowhere yet by po, hb and rf. A write that mo has last, a fence, a read of the last write and an RMW that reads the
//! last write and becomes the last lead nowhere by mo and fr either: no new edge begins there, so no cycle of psc or
//! against coherence can be new, and nothing needs to be checked. The same holds for what is neither seq_cst nor after a seq_cst
//! fence, if the witness agrees with what it reads: psc has no edge that begins with its fr and mo.
//!
//! Otherwise the cycles to look for go through the new event or a fence before it. If there is one, or if the witness does not agree
//! with the read, another mo is searched for, and becomes the witness if the step is taken.
//!
//! Going back, the witness stays what it is for the events that are left: they are closed under po and rf, so that their hb
//! is the same, and psc only loses edges.
//!
//! Without a seq_cst event all this waits: the events are added when the first one is there, with an mo that coherence allows.
//!
//! **sc** is rc20 with every event seq_cst.
//!
//! **tso, pso and sra.** What saturation accepts is decided by the engines for whole executions.

mod graph;
mod psc;
mod search;

use super::coherence::Coherence;
use super::log::{Log, NONE};
use super::step::Step;
use crate::memory::models::judge;
use crate::memory::order::coherence::psc::Far;
use graph::{Graph, Node};
use search::{Found, Search};
use tribunal_cat::relation::bits::{contains, is_empty, members};
use tribunal_history::heap::held;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Kind, LocId, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::Verdict;

/// The way in which steps are decided.
#[derive(Clone, Debug)]
pub(super) enum Exact {
    Psc(Box<Psc>),
    /// By the engines for whole executions.
    Settled,
}

impl Exact {
    /// Nothing if coherence or saturation alone is exact.
    pub(super) fn new(model: Model) -> Option<Self> {
        match model {
            Model::Rc20 | Model::Sc => Some(Exact::Psc(Box::new(Psc::new(model, Far::Po)))),
            Model::Rc11 => Some(Exact::Psc(Box::new(Psc::new(model, Far::OtherLocation)))),
            Model::Tso | Model::Pso | Model::Sra => Some(Exact::Settled),
            _ => None,
        }
    }
}

/// Whether an execution with a step is consistent.
pub(super) fn settles(log: &Log, model: Model, step: &Step) -> bool {
    verdict(log, model, Some(step)).is_consistent()
}

fn verdict(log: &Log, model: Model, step: Option<&Step>) -> Verdict {
    let execution = log.execution(step).expect("a session's events make a history");
    judge(&execution, model, &Limits::default()).0
}

/// A read or an RMW that may be next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) thread: ThreadId,
    /// The place of what it reads from.
    pub(super) source: u32,
    pub(super) order: Order,
    pub(super) writes: bool,
}

/// An execution with a witness.
#[derive(Clone, Debug)]
pub(super) struct Psc {
    model: Model,
    /// By event of the log: the row of what its thread knows from it on.
    clocks: Vec<u32>,
    /// The first seq_cst event of the log.
    first_sc: usize,
    /// The events so far, or fewer.
    graph: Graph,
    /// By place of a write: the event.
    events_of: Vec<u32>,
    search: Search,
    clock: Vec<u32>,
}

impl Psc {
    fn new(model: Model, far: Far) -> Self {
        Psc {
            model,
            clocks: Vec::new(),
            first_sc: usize::MAX,
            graph: Graph::new(far),
            events_of: Vec::new(),
            search: Search::new(),
            clock: Vec::new(),
        }
    }

    /// Whether every event counts as seq_cst.
    #[inline(always)]
    pub(super) fn of_all(&self) -> bool {
        self.model == Model::Sc
    }

    /// The log has another event, by a thread that now knows the row `clock`.
    #[inline]
    pub(super) fn pushed(&mut self, order: Order, clock: u32, write: u32) {
        let at = self.clocks.len();
        self.clocks.push(clock);
        if order == Order::SeqCst || self.of_all() {
            self.first_sc = self.first_sc.min(at);
        }
        if self.graph.nodes.len() > at && write != NONE {
            self.name(write, at as u32);
        }
    }

    fn name(&mut self, place: u32, event: u32) {
        if self.events_of.len() <= place as usize {
            self.events_of.resize(place as usize + 1, NONE);
        }
        self.events_of[place as usize] = event;
    }

    pub(super) fn undo(&mut self, events: usize) {
        self.clocks.truncate(events);
        if self.first_sc >= events {
            self.first_sc = usize::MAX;
        }
        while self.graph.nodes.len() > events {
            self.graph.pop();
        }
    }

    /// Whether what coherence accepts may be wrong.
    #[inline(always)]
    pub(super) fn is_involved(&self) -> bool {
        self.first_sc != usize::MAX
    }

    /// Whether a reading that coherence accepts is consistent. If it is to be `taken`, it is the next event.
    pub(super) fn admits(&mut self, log: &Log, engine: &Coherence, reading: Reading, taken: bool) -> bool {
        if !self.is_involved() {
            return true;
        }
        self.catch_up(log, engine);
        let Reading { thread, source: place, order, writes } = reading;
        let loc = log.at(place).loc;
        let source = self.event_of(log, place);
        let last = self.graph.is_last(loc, source);
        if last && !taken {
            return true;
        }
        engine.clock_after(log, thread, place, order, &mut self.clock);
        let sc = order == Order::SeqCst;
        let node = Node { thread, loc: Some(loc), writes, reads: true, sc, source, next: NONE };
        let e = self.graph.add(node, &self.clock);
        if last {
            return true;
        }
        if self.graph.is_coherent(e) && !self.closes_cycle(e) {
            if !taken {
                self.graph.pop();
            }
            return true;
        }
        let found = match self.search.run(&mut self.graph) {
            Found::Another => true,
            Found::None => false,
            Found::GaveUp => {
                let from = log.id(place);
                let step = match writes {
                    true => Step::Rmw { thread, from, order },
                    false => Step::Read { thread, from, order },
                };
                self.settle(log, Some(&step))
            }
        };
        if found && taken {
            return true;
        }
        if found {
            self.search.restore(&mut self.graph);
        }
        self.graph.pop();
        found
    }

    /// Whether psc has a cycle since an event was added: one through it or through a fence before it.
    fn closes_cycle(&mut self, e: u32) -> bool {
        let Psc { graph, search, .. } = self;
        let sc = graph.nodes[e as usize].sc.then_some(e as usize);
        if is_empty(graph.fences()) {
            return sc.is_some() && search.is_cyclic(graph, sc.into_iter());
        }
        let fences = graph.fences();
        let before = members(graph.hb.row(e as usize)).filter(|&e| contains(fences, e));
        let mut ends = sc.into_iter().chain(before).peekable();
        ends.peek().is_some() && search.is_cyclic(graph, ends)
    }

    /// The event of a write; [`NONE`] of an initial one.
    fn event_of(&self, log: &Log, place: u32) -> u32 {
        match log.at(place).thread {
            NONE => NONE,
            _ => self.events_of[place as usize],
        }
    }

    /// Adds the events that the log has since.
    fn catch_up(&mut self, log: &Log, engine: &Coherence) {
        let mut agrees = true;
        for at in self.graph.nodes.len()..log.len() {
            let event = log.event(at);
            let kind = event.label.kind();
            let source = if event.source == NONE { NONE } else { self.event_of(log, event.source) };
            let node = Node {
                thread: event.thread,
                loc: (kind != Kind::Fence).then_some(event.loc),
                writes: event.label.writes(),
                reads: event.label.reads(),
                sc: self.of_all() || event.label.order() == Order::SeqCst,
                source,
                next: NONE,
            };
            let e = self.graph.add(node, engine.knowledge().row(self.clocks[at]));
            if event.write != NONE {
                self.name(event.write, e);
            }
            agrees &= !node.reads || self.graph.is_coherent(e);
        }
        if !agrees && self.search.run(&mut self.graph) == Found::GaveUp {
            let settled = self.settle(log, None);
            debug_assert!(settled, "every step was consistent");
        }
    }

    /// Takes the witness of the engines for whole executions.
    fn settle(&mut self, log: &Log, step: Option<&Step>) -> bool {
        let verdict = verdict(log, self.model, step);
        let Verdict::Consistent(witness) = verdict else { return false };
        let Some(mo) = witness.mo() else { unreachable!("consistent with an mo") };
        // Events of an execution are numbered thread by thread.
        let by_thread: Vec<u32> = self.graph.threads.iter().flatten().copied().collect();
        let execution = log.execution(step).expect("a session's events make a history");
        let locations = mo.location_count().min(self.graph.writes.len());
        let orders = (0..locations).map(|loc| {
            let writes = mo.of(LocId::from_index(loc)).iter();
            let events = writes.filter(|&&write: &&EventId| !execution.is_init(write));
            events.map(|write| by_thread[write.index()]).collect()
        });
        let orders: Vec<Vec<u32>> = orders.collect();
        self.search.take(&mut self.graph, &orders);
        true
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + held(&[&self.clocks, &self.events_of]) + self.graph.bytes()
    }
}
