//! Incremental executions with undo: which writes may the next read observe?
//!
//! Model checkers, online testers and monitors build an execution event by event. At each read they need the writes
//! it may read from, and a model checker goes back to try another. A [`Session`] answers without starting over.
//!
//! Events are added in an order that contains po and rf. mo stays open: the session tracks the constraints on mo without choosing one, so
//! it represents all executions with its po and rf. To choose mo, use
//! [`coherence_positions`](Session::coherence_positions) and [`write_after`](Session::write_after).
//!
//! | models | steps and candidates |
//! |---|---|
//! | ra, wra, relaxed; rc20 and rc11 without seq_cst; sra without RMWs | exact: a step is accepted if and only if the execution with it is consistent |
//! | sc, tso, pso; sra with RMWs; rc20 and rc11 with seq_cst | what is refused is inconsistent, so the candidates include every possible write; what is accepted may be inconsistent, and [`settle`](Session::settle) decides |
//!
//! Deciding the second kind is NP-complete. An [exact](Session::exact) session does it at every step, for executions of a few dozen
//! events. A session is also exact if every write is placed with
//! [`write_after`](Session::write_after), except for psc: rc20 and rc11 treat seq_cst as acq_rel here and leave psc to `settle`.
//!
//! **Spawn and join** are ordinary events: a spawn is a release write of the parent to a separate location, which the child
//! reads with acquire as its first event; a join is the same from child to parent. Under pso, a release fence precedes
//! the write and an acquire fence follows the read. So checkers and certificates need no special case. Under relaxed, where
//! nothing synchronizes, they order nothing.
//!
//! **Undo** takes time proportional to what is undone. Nothing is recorded before the first [`mark`](Session::mark), and
//! a session does not allocate up to a depth it has reached before.
//!
//! **Retiring** drops what can no longer be observed; see [`retire`](Session::retire).

mod coherence;
mod exact;
mod knowledge;
mod log;
mod saturation;
mod step;

use crate::memory::models::judge;
use crate::memory::order::past::happens_before::Synchronization;
use coherence::Coherence;
use exact::{Exact, Reading, settles};
use log::{Log, LogMark, NONE};
use saturation::{Rules, SessionSaturation};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{Execution, Kind, Label, LocId, MalformedHistory, Order, Slot, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Verdict, Violation, Witness};

pub use log::WriteId;
pub use step::{Because, Refused, Step};

/// An incremental execution with undo, consistent with its model as described in [`self`](crate::memory::session).
///
/// ```
/// use tribunal::memory::Order::{Acquire, Relaxed, Release};
/// use tribunal::{engines::memory::session::Because, memory::Session};
/// use tribunal::{Limits, Model};
/// let mut session = Session::new(Model::Rc20)?;
/// let (t0, t1) = (session.thread(), session.thread());
/// let (x, y) = (session.location(), session.location());
/// let data = session.write(t0, x, Relaxed);
/// let flag = session.write(t0, y, Release);
/// let stale = session.initial(x).expect("nothing is retired");
/// let before = session.mark();
/// session.read(t1, flag, Acquire)?;
/// // A thread that has acquired the flag sees the data.
/// assert_eq!(session.candidates(t1, x, Relaxed), [data]);
/// let refused = session.read(t1, stale, Relaxed).expect_err("overwritten");
/// assert_eq!(refused.because, Because::Overwritten { by: data });
/// // A thread that has read it without acquiring need not.
/// session.undo(before);
/// session.read(t1, flag, Relaxed)?;
/// assert_eq!(session.candidates(t1, x, Relaxed), [stale, data]);
/// assert!(session.settle(&Limits::default())?.is_consistent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Methods panic if they are given a thread or a location of another session, or an event of a
/// [finished](Self::finish) thread.
#[derive(Clone, Debug)]
pub struct Session {
    model: Model,
    log: Log,
    engine: Engine,
    /// The exact decision where the engine accepts too much, if that is asked for.
    exact: Option<Exact>,
    /// The numbers of the marks that hold, the last of all marks so far.
    marks: Vec<u64>,
    marked: u64,
    /// Room for answers.
    found: Vec<WriteId>,
}

#[derive(Clone, Debug)]
enum Engine {
    Coherence(Box<Coherence>),
    Saturation(Box<SessionSaturation>),
}

/// The engine at hand, whichever it is.
macro_rules! engine {
    ($session:expr, $engine:ident => $call:expr) => {
        match &mut $session.engine {
            Engine::Coherence($engine) => $call,
            Engine::Saturation($engine) => $call,
        }
    };
}

/// Sessions do not support this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be checked incrementally")]
pub struct NoSession(pub Model);

/// A point of a session to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Its number, and how many marks were before it.
    number: u64,
    depth: usize,
    log: LogMark,
    engine: [usize; 2],
}

impl Session {
    /// A session without threads and locations, for rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
    pub fn new(model: Model) -> Result<Self, NoSession> {
        let coherence =
            |synchronization, mo| Engine::Coherence(Box::new(Coherence::new(synchronization, mo)));
        let saturation = |rules| Engine::Saturation(Box::new(SessionSaturation::new(rules)));
        let engine = match model {
            Model::Rc20 => coherence(Synchronization::Annotated, true),
            Model::Rc11 => coherence(Synchronization::Continued, true),
            Model::Ra => coherence(Synchronization::EveryRead, true),
            Model::Relaxed => coherence(Synchronization::Nothing, true),
            Model::Wra => coherence(Synchronization::EveryRead, false),
            Model::Sra => saturation(Rules::Sra),
            Model::Sc => saturation(Rules::Sc),
            Model::Tso => saturation(Rules::Tso),
            Model::Pso => saturation(Rules::Pso),
            _ => return Err(NoSession(model)),
        };
        let (log, marks, found) = (Log::default(), Vec::new(), Vec::new());
        Ok(Session { model, log, engine, exact: None, marks, marked: 0, found })
    }

    /// A session whose steps and candidates are exact for every model: it also decides what [`new`](Self::new) leaves undecided,
    /// including seq_cst. For executions of a few dozen events, as in model checking.
    ///
    /// It keeps all events, so nothing is [retired](Self::retire), and it manages mo itself: there is no
    /// [`write_after`](Self::write_after).
    ///
    /// ```
    /// use tribunal::{Model, memory::{Order::SeqCst, Session}};
    /// let mut session = Session::exact(Model::Rc20)?;
    /// let (t0, t1) = (session.thread(), session.thread());
    /// let (x, y) = (session.location(), session.location());
    /// let (of_x, of_y) = (session.write(t0, x, SeqCst), session.write(t1, y, SeqCst));
    /// let stale = session.initial(y).expect("nothing is retired");
    /// session.read(t0, stale, SeqCst)?;
    /// // Store buffering: one of them sees the other.
    /// assert_eq!(session.candidates(t1, x, SeqCst), [of_x]);
    /// # let _ = of_y;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exact(model: Model) -> Result<Self, NoSession> {
        // sc is rc20 with every event seq_cst.
        let decided_as = if model == Model::Sc { Model::Rc20 } else { model };
        Ok(Session { model, exact: Exact::new(model), ..Self::new(decided_as)? })
    }

    /// The order that an event counts as.
    #[inline(always)]
    fn counts_as(&self, order: Order) -> Order {
        match &self.exact {
            Some(Exact::Psc(psc)) if psc.of_all() => Order::SeqCst,
            _ => order,
        }
    }

    /// The session's model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// A new thread that is not ordered with any other. It cannot read retired writes.
    pub fn thread(&mut self) -> ThreadId {
        engine!(self, engine => engine.add_thread());
        self.log.add_thread()
    }

    /// A new thread that knows what its parent knows. See [`self`](crate::memory::session) for its events.
    ///
    /// ```
    /// use tribunal::{Model, memory::{Order, Session}};
    /// let mut session = Session::new(Model::Ra)?;
    /// let (parent, x) = (session.thread(), session.location());
    /// let write = session.write(parent, x, Order::Relaxed);
    /// let child = session.spawn(parent);
    /// assert_eq!(session.candidates(child, x, Order::Relaxed), [write]);
    /// let last = session.write(child, x, Order::Relaxed);
    /// session.join(parent, child);
    /// assert_eq!(session.candidates(parent, x, Order::Relaxed), [last]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spawn(&mut self, parent: ThreadId) -> ThreadId {
        let child = self.thread();
        self.hand_over(parent, child);
        child
    }

    /// The parent learns what the child, which has [finished](Self::finish), knows.
    pub fn join(&mut self, parent: ThreadId, child: ThreadId) {
        self.hand_over(child, parent);
        self.finish(child);
    }

    fn hand_over(&mut self, from: ThreadId, to: ThreadId) {
        let loc = self.location();
        let fenced = self.model == Model::Pso;
        if fenced {
            self.fence(from, Order::Release);
        }
        let write = self.write(from, loc, Order::Release);
        let read = self.read(to, write, Order::Acquire);
        debug_assert!(read.is_ok(), "the only write, of a location of its own");
        if fenced {
            self.fence(to, Order::Acquire);
        }
    }

    /// The thread has no more events, so nothing is kept for it to read.
    pub fn finish(&mut self, thread: ThreadId) {
        self.log.finish(thread);
    }

    /// Whether a thread has [finished](Self::finish).
    pub fn has_finished(&self, thread: ThreadId) -> bool {
        self.log.is_finished(thread)
    }

    /// A new location, with its initial write.
    pub fn location(&mut self) -> LocId {
        let (loc, init) = self.log.add_location();
        engine!(self, engine => engine.add_location(loc, init));
        self.forget_way_back();
        loc
    }

    /// The initial write of a location, unless it is retired.
    pub fn initial(&self, loc: LocId) -> Option<WriteId> {
        Some(self.log.initial(loc)).filter(|init| init.place != NONE)
    }

    /// The position of a write in its thread; `None` if it is initial or no longer part of the session. Retiring does not change it.
    pub fn slot(&self, write: WriteId) -> Option<Slot> {
        let written = self.log.get(write)?;
        (written.thread != NONE).then_some(Slot { thread: ThreadId(written.thread), index: written.index })
    }

    /// The location of a write, if it is part of the session.
    pub fn location_of(&self, write: WriteId) -> Option<LocId> {
        self.log.get(write).map(|written| written.loc)
    }

    /// Number of threads.
    pub fn thread_count(&self) -> usize {
        self.log.thread_count()
    }

    /// Number of locations, including those of spawns and joins.
    pub fn location_count(&self) -> usize {
        self.log.location_count()
    }

    /// Number of events of a thread so far.
    pub fn thread_len(&self, thread: ThreadId) -> usize {
        match &self.engine {
            Engine::Coherence(engine) => engine.count(thread) as usize,
            Engine::Saturation(engine) => engine.count(thread) as usize,
        }
    }

    /// The number of events of `of` that happen before the next event of `thread`: its own so far, and those of others by the model's hb.
    /// `None` under sc, tso and pso, which have no hb.
    #[inline]
    pub fn known(&self, thread: ThreadId, of: ThreadId) -> Option<u32> {
        let knowledge = match &self.engine {
            Engine::Coherence(_) if self.model == Model::Sc => return None,
            Engine::Coherence(engine) => engine.knowledge(),
            Engine::Saturation(engine) => engine.knowledge()?,
        };
        Some(if thread == of { knowledge.count(of) } else { knowledge.now(thread)[of.index()] })
    }

    /// Number of events so far, including retired ones and excluding initial writes.
    pub fn len(&self) -> u64 {
        self.log.retired + self.log.len() as u64
    }

    /// Whether no thread has an event.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The thread writes the location. This always succeeds.
    pub fn write(&mut self, thread: ThreadId, loc: LocId, order: Order) -> WriteId {
        self.runs(thread);
        let counted = self.counts_as(order);
        let write = engine!(self, engine => engine.write(&mut self.log, thread, loc, counted));
        self.push(Kind::Write, order, thread, loc, NONE, write.place);
        write
    }

    /// The thread reads from a write.
    pub fn read(&mut self, thread: ThreadId, from: WriteId, order: Order) -> Result<(), Refused> {
        self.runs(thread);
        let refused = |because| Refused { step: Step::Read { thread, from, order }, because };
        let loc = self.location_of(from).ok_or(refused(Because::Gone))?;
        self.decide(thread, from, order, false).map_err(refused)?;
        let counted = self.counts_as(order);
        engine!(self, engine => engine.read(&mut self.log, thread, from.place, counted)).map_err(refused)?;
        self.push(Kind::Read, order, thread, loc, from.place, NONE);
        Ok(())
    }

    /// The thread reads from a write and overwrites it in one step.
    pub fn rmw(&mut self, thread: ThreadId, from: WriteId, order: Order) -> Result<WriteId, Refused> {
        self.runs(thread);
        let refused = |because| Refused { step: Step::Rmw { thread, from, order }, because };
        let loc = self.location_of(from).ok_or(refused(Because::Gone))?;
        self.decide(thread, from, order, true).map_err(refused)?;
        let counted = self.counts_as(order);
        let write = engine!(self, engine => engine.rmw(&mut self.log, thread, from.place, counted));
        let write = write.map_err(refused)?;
        self.push(Kind::Rmw, order, thread, loc, from.place, write.place);
        Ok(write)
    }

    /// The thread's next event is a fence, which must be stronger than relaxed.
    pub fn fence(&mut self, thread: ThreadId, order: Order) {
        self.runs(thread);
        let counted = self.counts_as(order);
        engine!(self, engine => engine.fence(thread, counted));
        self.push(Kind::Fence, order, thread, LocId(0), NONE, NONE);
    }

    /// Takes a step. Returns the new write, if it writes.
    pub fn step(&mut self, step: Step) -> Result<Option<WriteId>, Refused> {
        match step {
            Step::Write { thread, loc, order } => Ok(Some(self.write(thread, loc, order))),
            Step::Read { thread, from, order } => self.read(thread, from, order).map(|()| None),
            Step::Rmw { thread, from, order } => self.rmw(thread, from, order).map(Some),
            Step::Fence { thread, order } => {
                self.fence(thread, order);
                Ok(None)
            }
        }
    }

    /// Refuses what the engine wrongly accepts.
    #[inline(always)]
    fn decide(&mut self, thread: ThreadId, from: WriteId, order: Order, rmw: bool) -> Result<(), Because> {
        // What the engine refuses it says itself.
        let accepted = !self.is_undecided()
            || !self.engine_admits(thread, from, rmw)
            || self.admits(thread, from, order, rmw, true);
        if accepted { Ok(()) } else { Err(Because::Cyclic) }
    }

    /// Whether the engine may accept too much.
    #[inline(always)]
    fn is_undecided(&self) -> bool {
        match &self.exact {
            None => false,
            Some(Exact::Psc(psc)) => psc.is_involved(),
            Some(Exact::Settled) => true,
        }
    }

    /// Whether a step that the engine accepts is consistent. If it is to be `taken`, it is the next one.
    fn admits(&mut self, thread: ThreadId, from: WriteId, order: Order, rmw: bool, taken: bool) -> bool {
        match (&mut self.exact, &self.engine) {
            (Some(Exact::Psc(psc)), Engine::Coherence(engine)) => {
                let order = if psc.of_all() { Order::SeqCst } else { order };
                let reading = Reading { thread, source: from.place, order, writes: rmw };
                psc.admits(&self.log, engine, reading, taken)
            }
            (Some(_), _) => {
                let step = match rmw {
                    true => Step::Rmw { thread, from, order },
                    false => Step::Read { thread, from, order },
                };
                settles(&self.log, self.model, &step)
            }
            (None, _) => true,
        }
    }

    fn engine_admits(&mut self, thread: ThreadId, from: WriteId, rmw: bool) -> bool {
        match &mut self.engine {
            Engine::Coherence(engine) => {
                !(rmw && engine.reader(from.place).is_some())
                    && engine.may_read(&self.log, thread, from.place)
            }
            Engine::Saturation(engine) => engine.may_read(&self.log, thread, from.place, rmw),
        }
    }

    #[inline(always)]
    fn runs(&self, thread: ThreadId) {
        assert!(!self.log.is_finished(thread), "thread {} has finished", thread.0);
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, order: Order, thread: ThreadId, loc: LocId, source: u32, write: u32) {
        self.log.push(Label::new(kind, order), thread, loc, source, write);
        if let (Some(Exact::Psc(psc)), Engine::Coherence(engine)) = (&mut self.exact, &self.engine) {
            psc.pushed(order, engine.knowledge().now_row(thread), write);
        }
        self.forget_way_back();
    }

    #[inline(always)]
    fn forget_way_back(&mut self) {
        if self.marks.is_empty() {
            self.log.forget_way_back();
        }
    }

    /// Whether [`read`](Self::read) would be accepted.
    pub fn may_read_from(&mut self, thread: ThreadId, from: WriteId, order: Order) -> bool {
        self.may(thread, from, order, false)
    }

    /// Whether [`rmw`](Self::rmw) would be accepted.
    pub fn may_rmw_from(&mut self, thread: ThreadId, from: WriteId, order: Order) -> bool {
        self.may(thread, from, order, true)
    }

    /// Whether [`read`](Self::read), or [`rmw`](Self::rmw), would be accepted of one of the thread's [`candidates`](Self::candidates), if nothing has changed
    /// since. The order may be another.
    pub fn may_take_candidate(&mut self, thread: ThreadId, from: WriteId, order: Order, rmw: bool) -> bool {
        match &self.engine {
            // It may be read, and only an RMW in its place forbids another.
            Engine::Coherence(engine) if !self.is_undecided() => {
                !(rmw && engine.reader(from.place).is_some())
            }
            _ => self.may(thread, from, order, rmw),
        }
    }

    fn may(&mut self, thread: ThreadId, from: WriteId, order: Order, rmw: bool) -> bool {
        self.log.get(from).is_some()
            && self.engine_admits(thread, from, rmw)
            && self.admits(thread, from, order, rmw, false)
    }

    /// The writes of a location that the thread may read from now: the initial write first, then those of each thread in
    /// program order. For some models there may be too many; see [`self`](crate::memory::session).
    pub fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order) -> &[WriteId] {
        self.collect(thread, loc, order, false);
        &self.found
    }

    /// The [`candidates`](Self::candidates) that no RMW reads from, so that the thread's next event may be
    /// an RMW that does.
    pub fn rmw_candidates(&mut self, thread: ThreadId, loc: LocId, order: Order) -> &[WriteId] {
        self.collect(thread, loc, order, true);
        &self.found
    }

    #[inline]
    fn collect(&mut self, thread: ThreadId, loc: LocId, order: Order, rmws: bool) {
        self.found.clear();
        engine!(self, engine => engine.candidates(&self.log, thread, loc, rmws, &mut self.found));
        // The last write in mo can always be read, so that a single one is possible.
        if self.is_undecided() && self.found.len() > 1 {
            let mut found = std::mem::take(&mut self.found);
            found.retain(|&from| self.admits(thread, from, order, rmws, false));
            self.found = found;
        }
    }

    /// The writes of a location directly after which mo may have a new write of the thread. Exact if every write of the location
    /// was placed by [`write_after`](Self::write_after) or is an RMW; otherwise there may be too many. None under wra, which has no mo.
    pub fn coherence_positions(&mut self, thread: ThreadId, loc: LocId, _order: Order) -> &[WriteId] {
        self.found.clear();
        engine!(self, engine => engine.positions(&self.log, thread, loc, &mut self.found));
        &self.found
    }

    /// The thread writes the location, directly after `place` in mo: after that, and before everything known to be after it.
    ///
    /// ```
    /// use tribunal::{Model, memory::{Order::Relaxed, Session}};
    /// let mut session = Session::new(Model::Ra)?;
    /// let (t0, t1, t2, x) = (session.thread(), session.thread(), session.thread(), session.location());
    /// let init = session.initial(x).expect("nothing is retired");
    /// let second = session.write_after(t0, x, Relaxed, init)?;
    /// assert_eq!(session.coherence_positions(t1, x, Relaxed), [init, second]);
    /// let first = session.write_after(t1, x, Relaxed, init)?;
    /// session.read(t2, second, Relaxed)?;
    /// assert_eq!(session.candidates(t2, x, Relaxed), [second]);
    /// # let _ = first;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_after(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        order: Order,
        place: WriteId,
    ) -> Result<WriteId, Refused> {
        self.runs(thread);
        assert!(self.exact.is_none(), "an exact session decides mo itself");
        let refused = |because| Refused { step: Step::Write { thread, loc, order }, because };
        if self.location_of(place) != Some(loc) {
            return Err(refused(Because::Gone));
        }
        let write = engine!(self, engine => {
            engine.write_after(&mut self.log, (thread, loc, order), place.place)
        });
        let write = write.map_err(refused)?;
        self.push(Kind::Write, order, thread, loc, NONE, write.place);
        Ok(write)
    }

    /// A point to go back to, any number of times.
    pub fn mark(&mut self) -> Mark {
        self.marked += 1;
        self.marks.push(self.marked);
        let (number, depth) = (self.marked, self.marks.len() - 1);
        Mark { number, depth, log: self.log.mark(), engine: engine!(self, engine => engine.mark()) }
    }

    /// Goes back to a mark, discarding the events, threads, locations and marks since then.
    ///
    /// # Panics
    ///
    /// If the mark is void because the session has gone back to an earlier one or [retired](Self::retire) something.
    pub fn undo(&mut self, mark: Mark) {
        assert!(self.marks.get(mark.depth) == Some(&mark.number), "the mark is void");
        self.marks.truncate(mark.depth + 1);
        engine!(self, engine => engine.undo(mark.engine, mark.log.threads));
        self.log.undo(&mark.log);
        if let Some(Exact::Psc(psc)) = &mut self.exact {
            psc.undo(self.log.len());
        }
    }

    /// Begins anew, without threads and locations, and keeps the room it has. A session that only ever goes back to its beginning needs no mark for
    /// that, so that it need not record how to go back.
    ///
    /// ```
    /// use tribunal::{Model, memory::{Order, Session}};
    /// let mut session = Session::new(Model::Rc20)?;
    /// let (t, x) = (session.thread(), session.location());
    /// session.write(t, x, Order::Relaxed);
    /// session.restart();
    /// let (t, x) = (session.thread(), session.location());
    /// let init = session.initial(x).expect("nothing is retired");
    /// assert_eq!(session.candidates(t, x, Order::Relaxed), [init]);
    /// # Ok::<(), tribunal::memory::NoSession>(())
    /// ```
    pub fn restart(&mut self) {
        match (&mut self.engine, &self.exact) {
            (Engine::Coherence(engine), None) => {
                engine.clear(self.log.location_count());
                self.log.clear();
                self.marks.clear();
            }
            (_, None) => *self = Self::new(self.model).expect("there is one"),
            (_, Some(_)) => *self = Self::exact(self.model).expect("there is one"),
        }
    }

    /// Drops what can no longer be observed: writes that every thread that has not [finished](Self::finish) has seen
    /// overwritten. Returns the number of events dropped.
    ///
    /// The cost is proportional to the size of the session, so call it occasionally, for example when the number of events has doubled
    /// since the last time. If threads keep up with each other, an endless session then takes bounded memory.
    /// [`kept_by`](Self::kept_by) tells what keeps a write.
    ///
    /// Answers do not change, except for threads [created](Self::thread) later: what they might contradict may be gone, so
    /// sc, tso, pso and sra may allow them more. Marks become void. [`execution`](Self::execution) then returns the remaining
    /// writes and what came after; an RMW whose source is gone becomes a write.
    pub fn retire(&mut self) -> u64 {
        if self.exact.is_some() {
            return 0;
        }
        let before = self.log.retired;
        let left = engine!(self, engine => engine.retire(&self.log));
        self.log.retire(|place| left[place as usize]);
        self.marks.clear();
        self.log.retired - before
    }

    /// The threads that a write is kept for, because they may still read it.
    pub fn kept_by(&mut self, write: WriteId) -> impl Iterator<Item = ThreadId> + '_ {
        let running = (0..self.thread_count()).map(ThreadId::from_index);
        running.filter(move |&thread| {
            !self.log.is_finished(thread) && self.may_read_from(thread, write, Order::Relaxed)
        })
    }

    /// The execution so far, or what remains of it: threads `T0`, `T1`, ..., locations `x0`, `x1`, ...; the n-th write of a
    /// location writes n.
    pub fn execution(&self) -> Result<Execution, MalformedHistory> {
        self.log.execution(None)
    }

    /// Decides whether the execution is consistent, with the engines for whole executions.
    pub fn settle(&self, limits: &Limits<'_>) -> Result<Verdict, MalformedHistory> {
        Ok(judge(&self.execution()?, self.model, limits).0)
    }

    /// A witness of consistency, if one is found within the limits.
    pub fn witness(&self, limits: &Limits<'_>) -> Result<Option<Witness>, MalformedHistory> {
        Ok(match self.settle(limits)? {
            Verdict::Consistent(witness) => Some(witness),
            _ => None,
        })
    }

    /// A violation, if one is found within the limits.
    pub fn violation(&self, limits: &Limits<'_>) -> Result<Option<Violation>, MalformedHistory> {
        Ok(match self.settle(limits)? {
            Verdict::Inconsistent(violation) => Some(violation),
            _ => None,
        })
    }

    /// The execution with a refused step, and the verdict of the engines for whole executions: the full proof behind
    /// [`Because`]. After retiring, the remaining execution may be consistent. `None` if the write that the step reads
    /// is gone.
    ///
    /// ```
    /// use tribunal::{Limits, Model, memory::{Order::Relaxed, Session}, verify::verify};
    /// let mut session = Session::new(Model::Sc)?;
    /// let (t, x) = (session.thread(), session.location());
    /// let init = session.initial(x).expect("nothing is retired");
    /// session.write(t, x, Relaxed);
    /// let refused = session.read(t, init, Relaxed).expect_err("overwritten");
    /// let (execution, verdict) = session.refutation(&refused, &Limits::default())?.expect("nothing is retired");
    /// assert!(verdict.is_inconsistent() && verify(&execution, Model::Sc, &verdict).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refutation(
        &self,
        refused: &Refused,
        limits: &Limits<'_>,
    ) -> Result<Option<(Execution, Verdict)>, MalformedHistory> {
        Ok(self.refuted(refused)?.map(|execution| {
            let verdict = judge(&execution, self.model, limits).0;
            (execution, verdict)
        }))
    }

    /// The execution with a refused step; `None` if the write that the step reads is gone.
    pub fn refuted(&self, refused: &Refused) -> Result<Option<Execution>, MalformedHistory> {
        match refused.step {
            Step::Read { from, .. } | Step::Rmw { from, .. } if self.log.get(from).is_none() => Ok(None),
            _ => self.log.execution(Some(&refused.step)).map(Some),
        }
    }

    /// Memory that another [thread](Self::thread) needs beside what the session uses, in bytes.
    pub fn bytes_of_thread(&self) -> usize {
        match &self.engine {
            Engine::Coherence(engine) => engine.bytes_of_thread(),
            Engine::Saturation(engine) => engine.bytes_of_thread(),
        }
    }

    /// Memory used by the session, in bytes.
    pub fn bytes(&self) -> usize {
        let engine = match &self.engine {
            Engine::Coherence(engine) => engine.bytes(),
            Engine::Saturation(engine) => engine.bytes(),
        };
        let exact = match &self.exact {
            Some(Exact::Psc(psc)) => psc.bytes(),
            _ => 0,
        };
        size_of::<Self>() + self.log.bytes() + engine + exact
    }
}
