//! A [`Session`] that is kept in step with a graph.
//!
//! **Sampling.** A sampled execution is never gone back in, so that there is a mark at its beginning alone, or none if it is long. To decide seq_cst exactly is NP-hard, and a session
//! does it for a few dozen events. In a longer execution the order of the seq_cst events is *committed* to: it is the order in which they are made, as in
//! C11Tester (Luo and Demsky, ASPLOS 2021), and mo stays open otherwise. The session then treats seq_cst as acq_rel, and what is missing is asked of it in
//! addition:
//!
//! - before a seq_cst access, its thread reads the last seq_cst write of the location, without acquiring anything. So mo has the seq_cst writes of a location in
//!   their order, and no seq_cst read has fr to one before it: every edge of psc goes forward.
//! - with the first seq_cst fence, and from then on, a seq_cst event is between two RMWs of one location that acquire and release. Then hb orders all of
//!   them, and psc, which does not contradict hb, has no cycle. That is stronger than fences are: a race that only such an order hides is not found.
//!
//! Whatever is sampled so is consistent. What is left out are executions in which psc contradicts the order of po ∪ rf, which need accesses of one location that are
//! seq_cst and others that are not.

use super::memory::Memory;
use super::observers::{self, Observer};
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::Action;
use tribunal_engines::memory::session::{Mark, NoSession, Session, WriteId};
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::{limits::Limits, model::Model};

/// The session of the first events of a graph. An event that [waits](Event::waiting) or has timed out is no part of it.
#[derive(Clone)]
pub(super) struct InSession {
    model: Model,
    session: Session,
    sampling: Sampling,
    /// The moments before each event, and the one after the last. Of an execution that is sampled, the first one; none if it commits itself.
    marks: Vec<Mark>,
    /// By event: the write that it made, and how many events its thread had in the session.
    made: Vec<(Option<WriteId>, u32)>,
    /// By event: the message that it sent, a write to a location of its own.
    messages: Vec<Option<WriteId>>,
    /// By event: the location that it was the first to access.
    first: Vec<Option<LocId>>,
    /// By number, where the session has them.
    threads: Vec<Option<ThreadId>>,
    locs: Vec<Option<LocId>>,
    /// By place of a write.
    sources: Vec<Source>,
    /// Whether spawns and ends of threads are events of the session: writes that nobody reads.
    counts_ends: bool,
    /// Whether an event is seq_cst.
    has_sc: bool,
    /// If the order of seq_cst events is committed to: the last seq_cst write of each location of the session, and its thread.
    last_sc: Vec<Option<(WriteId, ThreadId)>>,
    /// The last of the RMWs that order seq_cst events, if there is a seq_cst fence.
    turn: Option<WriteId>,
}

/// Whether an execution is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    /// No: it is gone back in.
    No,
    Exact,
    /// The order of seq_cst events is committed to.
    Committed,
}

impl InSession {
    pub(super) fn new(model: Model) -> Result<Self, NoSession> {
        Self::over(model, Session::exact(model)?, Sampling::No)
    }

    fn over(model: Model, mut session: Session, sampling: Sampling) -> Result<Self, NoSession> {
        let main = session.thread();
        let marks = match sampling {
            Sampling::Committed => Vec::new(),
            _ => vec![session.mark()],
        };
        Ok(InSession {
            model,
            session,
            sampling,
            marks,
            made: Vec::new(),
            messages: Vec::new(),
            first: Vec::new(),
            threads: vec![Some(main)],
            locs: Vec::new(),
            sources: Vec::new(),
            counts_ends: false,
            has_sc: false,
            last_sc: Vec::new(),
            turn: None,
        })
    }

    /// The order that an event counts as.
    #[inline]
    fn counts_as(&self, order: Order) -> Order {
        if self.sampling == Sampling::Committed && self.model == Model::Sc { Order::SeqCst } else { order }
    }

    /// A thread takes its turn among the seq_cst events.
    fn take_turn(&mut self, thread: ThreadId) {
        if let Some(last) = self.turn {
            self.turn = self.session.rmw(thread, last, Order::AcqRel).ok();
            debug_assert!(
                self.turn.is_some(),
                "the last write of its location, which each thread overwrites"
            );
        }
    }

    /// There is a seq_cst fence: from now on seq_cst events take turns. What came before happens before all of them.
    fn begin_turns(&mut self) {
        let first = self.session.thread();
        for thread in self.threads.clone().into_iter().flatten() {
            if !self.session.has_finished(thread) {
                let own = self.session.location();
                let write = self.session.write(thread, own, Order::Release);
                let read = self.session.read(first, write, Order::Acquire);
                debug_assert!(read.is_ok(), "the only write of its location");
            }
        }
        let turns = self.session.location();
        self.turn = Some(self.session.write(first, turns, Order::Release));
        self.session.finish(first);
    }

    /// A fence of the session.
    fn fence(&mut self, thread: ThreadId, order: Order) {
        self.session.fence(thread, order);
        if self.sampling == Sampling::Committed && order == Order::SeqCst && self.model != Model::Sc {
            if self.turn.is_none() {
                self.begin_turns();
            }
            self.take_turn(thread);
        }
    }

    fn count_end(&mut self, thread: ThreadId) {
        if self.counts_ends {
            let own = self.session.location();
            self.session.write(thread, own, Order::NonAtomic);
        }
    }

    fn thread(&self, thread: ThreadId) -> ThreadId {
        self.threads[thread.index()].expect("a thread is spawned before it runs")
    }

    /// The location, new if it is not known.
    fn locate(&mut self, loc: LocId) -> (LocId, bool) {
        if self.locs.len() <= loc.index() {
            self.locs.resize(loc.index() + 1, None);
        }
        match self.locs[loc.index()] {
            Some(known) => (known, false),
            None => {
                let new = self.session.location();
                self.locs[loc.index()] = Some(new);
                let init = self.session.initial(new).expect("nothing is retired");
                self.note(init, Source::Init);
                (new, true)
            }
        }
    }

    fn note(&mut self, write: WriteId, source: Source) {
        if self.sources.len() <= write.index() {
            self.sources.resize(write.index() + 1, Source::Nothing);
        }
        self.sources[write.index()] = source;
    }

    fn write_of(&self, loc: LocId, source: Source) -> Option<WriteId> {
        match source {
            Source::Init => self.session.initial(loc),
            Source::Event(event) => self.made[event.index()].0,
            _ => None,
        }
    }

    /// What handles that were given up have released happens before an event.
    fn hear_releases(&mut self, graph: &Graph, event: &Event) {
        let (Some(loc), thread) = (event.loc(), self.thread(event.thread)) else { return };
        for &release in &graph.accesses(loc).releases {
            if let Some(write) = self.made.get(release.index()).and_then(|made| made.0) {
                let heard = self.session.read(thread, write, Order::Acquire);
                debug_assert!(heard.is_ok(), "the only write of its location");
            }
        }
    }

    fn undo(&mut self, length: usize, first: Option<LocId>) {
        // A location that nothing accesses changes nothing.
        if self.sampling != Sampling::No && length > 0 {
            return;
        }
        if let Some(loc) = first {
            self.locs[loc.index()] = None;
        }
        match self.marks.get(length) {
            Some(&mark) => self.session.undo(mark),
            None => {
                self.session.restart();
                self.threads[0] = Some(self.session.thread());
            }
        }
        self.marks.truncate(length + 1);
    }
}

impl Memory for InSession {
    fn len(&self) -> usize {
        self.made.len()
    }

    fn push(&mut self, graph: &Graph, event: &Event) -> bool {
        let id = EventId(self.made.len() as u32);
        if let (Action::Store { order, .. }, Some(loc)) = (&event.action, event.loc()) {
            self.approach(event.thread, loc, *order);
        }
        let thread = self.thread(event.thread);
        let index = self.session.thread_len(thread) as u32;
        let order = self.counts_as(event.order().unwrap_or(Order::Relaxed));
        let sc = order == Order::SeqCst;
        self.has_sc |= sc;
        let mut first = None;
        let mut made = None;
        let mut message = None;
        if let (Action::Send { message: Some(_), .. }, Some(_)) = (&event.action, event.written) {
            let own = self.session.location();
            message = Some(self.session.write(thread, own, Order::Release));
        }
        match event.action {
            _ if event.waiting || event.timed_out() => {}
            Action::Receive { .. } if event.written.is_none() => {
                let sent = match event.source {
                    Source::Event(send) => self.messages[send.index()],
                    _ => None,
                };
                if let Some(message) = sent {
                    let heard = self.session.read(thread, message, Order::Acquire);
                    debug_assert!(heard.is_ok(), "the only write of its location");
                }
                if let Source::Choice(_) = event.source {
                    self.hear_releases(graph, event);
                }
            }
            Action::Load { loc, .. }
            | Action::Store { loc, .. }
            | Action::Rmw { loc, .. }
            | Action::Await { loc, .. }
            | Action::AwaitRmw { loc, .. }
            | Action::Send { loc, .. }
            | Action::Receive { loc, .. } => {
                let (at, new) = self.locate(loc);
                first = new.then_some(loc);
                let from = self.write_of(at, event.source);
                let step = match (from, event.written) {
                    (None, Some(_)) => Ok(Some(self.session.write(thread, at, order))),
                    (Some(from), Some(_)) => self.session.rmw(thread, from, order).map(Some),
                    (Some(from), None) => self.session.read(thread, from, order).map(|()| None),
                    (None, None) => unreachable!("a read that does not wait has a source"),
                };
                match step {
                    Ok(write) => {
                        made = write;
                        if sc && self.sampling == Sampling::Committed {
                            if let Some(write) = made {
                                if self.last_sc.len() <= at.index() {
                                    self.last_sc.resize(at.index() + 1, None);
                                }
                                self.last_sc[at.index()] = Some((write, thread));
                            }
                            self.take_turn(thread);
                        }
                    }
                    Err(_) => {
                        self.undo(self.made.len(), first);
                        return false;
                    }
                }
            }
            Action::Fence { .. } => self.fence(thread, order),
            Action::End => self.count_end(thread),
            Action::Spawn => {
                self.count_end(thread);
                let child = self.session.spawn(thread);
                let number = event.read as usize;
                if self.threads.len() <= number {
                    self.threads.resize(number + 1, None);
                }
                self.threads[number] = Some(child);
            }
            Action::Join { thread: child } => {
                let child = self.thread(child);
                self.session.join(thread, child);
            }
            Action::Release { .. } => {
                if let Source::Choice(1..) = event.source {
                    self.hear_releases(graph, event);
                } else {
                    let own = self.session.location();
                    made = Some(self.session.write(thread, own, Order::Release));
                }
            }
            _ => {}
        }
        if let Some(write) = made {
            self.note(write, Source::Event(id));
        }
        self.made.push((made, index));
        self.messages.push(message);
        self.first.push(first);
        if self.sampling == Sampling::No && self.marks.len() == self.made.len() {
            let mark = self.session.mark();
            self.marks.push(mark);
        }
        true
    }

    fn sample(&mut self, commits: bool) {
        debug_assert!(self.is_empty(), "an execution begins");
        let sampling = if commits { Sampling::Committed } else { Sampling::Exact };
        if sampling == self.sampling {
            return;
        }
        // sc is rc20 with every event seq_cst.
        let session = match (commits, self.model) {
            (true, Model::Sc) => Session::new(Model::Rc20),
            (true, Model::Rc20 | Model::Rc11) => Session::new(self.model),
            _ => Session::exact(self.model),
        };
        if let Ok(new) = session.and_then(|session| Self::over(self.model, session, sampling)) {
            *self = InSession { counts_ends: self.counts_ends, ..new };
        }
    }

    fn count_ends(&mut self) {
        self.counts_ends = true;
    }

    fn is_hard(&self) -> bool {
        self.sampling == Sampling::Exact
            && match self.model {
                Model::Rc20 | Model::Rc11 => self.has_sc,
                model => model == Model::Sc,
            }
    }

    fn approach(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        if self.sampling != Sampling::Committed || self.counts_as(order) != Order::SeqCst {
            return;
        }
        let thread = self.thread(thread);
        if self.turn.is_some() {
            self.take_turn(thread);
        }
        let at = self.locs.get(loc.index()).copied().flatten();
        let last = at.and_then(|at| self.last_sc.get(at.index()).copied().flatten());
        if let Some((write, by)) = last
            && by != thread
        {
            // It is refused if the thread knows of something that mo has behind it, and then nothing is missing.
            let _ = self.session.read(thread, write, Order::NonAtomic);
        }
    }

    fn truncate(&mut self, graph: &Graph, length: usize) {
        if length >= self.len() {
            return;
        }
        debug_assert!(self.sampling == Sampling::No || length == 0, "what is sampled is not gone back in");
        if length == 0 {
            (self.has_sc, self.turn) = (false, None);
            self.last_sc.clear();
        }
        for event in &graph.events()[length..self.len()] {
            if matches!(event.action, Action::Spawn) {
                self.threads[event.read as usize] = None;
            }
        }
        for loc in self.first.drain(length..).flatten() {
            self.locs[loc.index()] = None;
        }
        self.made.truncate(length);
        self.messages.truncate(length);
        self.undo(length, None);
    }

    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        found.clear();
        let thread = self.thread(thread);
        let Some(at) = self.locs.get(loc.index()).copied().flatten() else {
            found.push(Source::Init);
            return;
        };
        let writes = self.session.candidates(thread, at, order);
        found.extend(writes.iter().map(|write| self.sources[write.index()]));
    }

    fn rmw_candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        found.clear();
        let thread = self.thread(thread);
        let Some(at) = self.locs.get(loc.index()).copied().flatten() else {
            found.push(Source::Init);
            return;
        };
        let writes = self.session.rmw_candidates(thread, at, order);
        found.extend(writes.iter().map(|write| self.sources[write.index()]));
    }

    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, order: Order, rmw: bool) -> bool {
        let thread = self.thread(thread);
        let Some(at) = self.locs.get(loc.index()).copied().flatten() else {
            return source == Source::Init;
        };
        match self.write_of(at, source) {
            Some(write) if rmw => self.session.may_rmw_from(thread, write, order),
            Some(write) => self.session.may_read_from(thread, write, order),
            None => false,
        }
    }

    fn admits_candidate(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        source: Source,
        order: Order,
        rmw: bool,
    ) -> bool {
        let thread = self.thread(thread);
        let Some(at) = self.locs.get(loc.index()).copied().flatten() else {
            return source == Source::Init;
        };
        let write = self.write_of(at, source);
        write.is_some_and(|write| self.session.may_take_candidate(thread, write, order, rmw))
    }

    fn has_races(&self) -> bool {
        let main = ThreadId::from_index(0);
        self.model != Model::Sc && self.session.known(main, main).is_some()
    }

    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool {
        if self.model == Model::Sc {
            return true;
        }
        let known = self.session.known(self.thread(thread), self.thread(by));
        known.is_none_or(|known| known > self.made[event.index()].1)
    }

    fn may_be_last(&mut self, writes: &[(LocId, Source)]) -> bool {
        let mark = self.session.mark();
        let observer = self.session.thread();
        for thread in self.threads.clone().into_iter().flatten() {
            if !self.session.has_finished(thread) {
                self.session.join(observer, thread);
            }
        }
        let mut last = true;
        for &(loc, source) in writes {
            let Some(at) = self.locs.get(loc.index()).copied().flatten() else { continue };
            last &= self
                .write_of(at, source)
                .is_some_and(|write| self.session.read(observer, write, Order::Relaxed).is_ok());
        }
        self.session.undo(mark);
        if self.sampling == Sampling::No {
            self.session.undo(self.marks[self.len()]);
        }
        last
    }

    fn count_mo(&mut self, graph: &Graph, limits: &Limits<'_>) -> u64 {
        debug_assert!(self.sampling == Sampling::No, "a sampled execution may be longer than can be decided");
        if self.model == Model::Wra {
            return 1;
        }
        let mut observers = Vec::new();
        for number in 0..self.locs.len() {
            let Some(at) = self.locs[number] else { continue };
            let writes = &graph.accesses(LocId::from_index(number)).writes;
            if !is_chain(graph, writes) {
                let unread = writes.iter().filter_map(|write| self.made[write.index()].0).collect();
                observers.push(Observer { thread: self.session.thread(), loc: at, unread });
            }
        }
        let count = observers::count(&mut self.session, &mut observers, limits);
        self.session.undo(self.marks[self.len()]);
        count
    }
}

/// Whether each of these writes comes after the one before it in its thread, or reads from it: then they have one mo.
fn is_chain(graph: &Graph, writes: &[EventId]) -> bool {
    writes.windows(2).all(|pair| {
        let next = graph.event(pair[1]);
        next.thread == graph.event(pair[0]).thread || next.source == Source::Event(pair[0])
    })
}
