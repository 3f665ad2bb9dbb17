//! A [`Session`] that is kept in step with a graph.

use super::memory::Memory;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::Action;
use tribunal::Model;
use tribunal::memory::{LocId, Order, ThreadId};
use tribunal::session::{Mark, NoSession, Session, WriteId};

/// The session of the first events of a graph. An event that [waits](Event::waiting) is no part of it.
#[derive(Clone)]
pub(super) struct InSession {
    session: Session,
    /// The moments before each event, and the one after the last.
    marks: Vec<Mark>,
    /// By event: the write that it made, and how many events its thread had in the session.
    made: Vec<(Option<WriteId>, u32)>,
    /// By event: the location that it was the first to access.
    first: Vec<Option<LocId>>,
    /// By number, where the session has them.
    threads: Vec<Option<ThreadId>>,
    locs: Vec<Option<LocId>>,
    /// By place of a write.
    sources: Vec<Source>,
}

impl InSession {
    pub(super) fn new(model: Model) -> Result<Self, NoSession> {
        let mut session = Session::exact(model)?;
        let main = session.thread();
        let marks = vec![session.mark()];
        Ok(InSession {
            session,
            marks,
            made: Vec::new(),
            first: Vec::new(),
            threads: vec![Some(main)],
            locs: Vec::new(),
            sources: Vec::new(),
        })
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

    fn undo(&mut self, length: usize, first: Option<LocId>) {
        if let Some(loc) = first {
            self.locs[loc.index()] = None;
        }
        self.session.undo(self.marks[length]);
        self.marks.truncate(length + 1);
    }
}

impl Memory for InSession {
    fn len(&self) -> usize {
        self.made.len()
    }

    fn push(&mut self, graph: &Graph, event: &Event) -> bool {
        let id = EventId(self.made.len() as u32);
        let thread = self.thread(event.thread);
        let index = self.session.thread_len(thread) as u32;
        let order = event.order().unwrap_or(Order::Relaxed);
        let mut first = None;
        let mut made = None;
        match event.action {
            _ if event.waiting => {}
            Action::Load { loc, .. }
            | Action::Store { loc, .. }
            | Action::Rmw { loc, .. }
            | Action::Await { loc, .. }
            | Action::AwaitRmw { loc, .. } => {
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
                    Ok(write) => made = write,
                    Err(_) => {
                        self.undo(self.made.len(), first);
                        return false;
                    }
                }
            }
            Action::Fence { order } => self.session.fence(thread, order),
            Action::Spawn => {
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
            Action::Release { loc, .. } => {
                if let Source::Choice(1..) = event.source {
                    for &release in &graph.accesses(loc).releases {
                        if let Some(write) = self.made.get(release.index()).and_then(|made| made.0) {
                            let heard = self.session.read(thread, write, Order::Acquire);
                            debug_assert!(heard.is_ok(), "the only write of its location");
                        }
                    }
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
        self.first.push(first);
        if self.marks.len() == self.made.len() {
            let mark = self.session.mark();
            self.marks.push(mark);
        }
        true
    }

    fn truncate(&mut self, graph: &Graph, length: usize) {
        if length >= self.len() {
            return;
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

    fn has_races(&self) -> bool {
        let main = ThreadId::from_index(0);
        self.session.known(main, main).is_some()
    }

    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool {
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
        self.session.undo(self.marks[self.len()]);
        last
    }
}
