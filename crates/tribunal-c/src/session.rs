//! Incremental executions with undo.

use crate::event::{AnyOrder, LocationNumber, Place, ThreadNumber, in_range};
use crate::history::History;
use crate::limits::{Budget, Limits};
use crate::status::{
    Failure, Handle, Status, answered, freed, invalid, made, made_by, malformed, null, put, with,
};
use crate::text::{Text, array_mut};
use crate::verdict::Verdict;
use std::mem::MaybeUninit;
use tribunal_engines::memory::session::{self, Because as Reason, Mark, NoSession, Refused, WriteId};
use tribunal_history::memory::{Execution, LocId, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_report::Question;

/// An incremental execution with undo, which tells the writes that the next read may read from.
pub struct Session {
    session: session::Session,
    /// Whether mo is the session's own business.
    exact: bool,
    /// The marks that hold, in the order of their numbers, and the number of the latest.
    marks: Vec<(MarkNumber, Mark)>,
    marked: MarkNumber,
    refused: Option<Refused>,
    broken: bool,
}

/// A write of a session. The lower 32 bits are a small number, for your own tables: no two current writes have the same.
pub type WriteNumber = u64;

/// A point of a session to go back to.
pub type MarkNumber = u64;

/// Why a step was refused.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// None was.
    Nothing = 0,
    /// The write to be read is overwritten by the write that is named.
    Overwritten = 1,
    /// Another RMW, which is named, already reads from the write.
    Shared = 2,
    /// Every order of the writes has a cycle.
    Cyclic = 3,
}

impl Handle for Session {
    const NAME: &'static str = "the session";

    fn is_broken(&mut self) -> &mut bool {
        &mut self.broken
    }
}

impl Session {
    fn new(
        model: Text<'_>,
        exact: bool,
        make: fn(Model) -> Result<session::Session, NoSession>,
    ) -> Result<Self, Failure> {
        let model = tribunal_host::named(model.required("the model")?).map_err(invalid)?;
        let session = make(model).map_err(|error| invalid(error.to_string()))?;
        Ok(Session { session, exact, marks: Vec::new(), marked: 0, refused: None, broken: false })
    }

    #[inline]
    fn thread(&self, thread: ThreadNumber) -> Result<ThreadId, Failure> {
        in_range("thread", thread, self.session.thread_count() as u32).map(ThreadId)
    }

    /// A thread that has not finished.
    #[inline]
    fn running(&self, thread: ThreadNumber) -> Result<ThreadId, Failure> {
        let id = self.thread(thread)?;
        if self.session.has_finished(id) {
            return Err(invalid(format!("thread {thread} has finished")));
        }
        Ok(id)
    }

    #[inline]
    fn location(&self, location: LocationNumber) -> Result<LocId, Failure> {
        in_range("location", location, self.session.location_count() as u32).map(LocId)
    }

    #[cold]
    fn refuse(&mut self, refused: Refused) -> Failure {
        if refused.because == Reason::Gone {
            return gone();
        }
        self.refused = Some(refused);
        Failure::Inconsistent
    }
}

#[cold]
fn gone() -> Failure {
    invalid("the write is not part of the session: it is retired, undone, or was never there")
}

/// Creates a session for rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
///
/// Under ra, wra and relaxed, rc20 and rc11 without seq_cst, and sra without RMWs, a step is accepted if and only if the
/// execution with it is consistent. Otherwise a refused step is inconsistent, but an accepted one may be, too;
/// `tribunal_session_settle` or an exact session decides.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_new(
    model: Text<'_>,
    session: Option<&mut MaybeUninit<Option<Box<Session>>>>,
) -> Status {
    made(session, || Session::new(model, false, session::Session::new))
}

/// Creates a session whose steps and candidates are exact for every model, for executions of a few dozen events. It keeps all
/// events, and does not support `tribunal_session_write_after`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_exact(
    model: Text<'_>,
    session: Option<&mut MaybeUninit<Option<Box<Session>>>>,
) -> Status {
    made(session, || Session::new(model, true, session::Session::exact))
}

/// Frees a session. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_free(session: Option<Box<Session>>) {
    freed(session);
}

/// A new thread that is not ordered with any other.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_thread(
    session: Option<&mut Session>,
    thread: Option<&mut MaybeUninit<ThreadNumber>>,
) -> Status {
    with(session, |s| {
        put(thread, s.session.thread().0);
        Ok(())
    })
}

/// A new thread that knows what its parent knows.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_spawn(
    session: Option<&mut Session>,
    parent: ThreadNumber,
    child: Option<&mut MaybeUninit<ThreadNumber>>,
) -> Status {
    with(session, |s| {
        let parent = s.running(parent)?;
        put(child, s.session.spawn(parent).0);
        Ok(())
    })
}

/// The parent learns what the child knows. This finishes the child.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_join(
    session: Option<&mut Session>,
    parent: ThreadNumber,
    child: ThreadNumber,
) -> Status {
    with(session, |s| {
        let (of, with) = (s.running(parent)?, s.running(child)?);
        if of == with {
            return Err(invalid(format!("thread {parent} cannot join itself")));
        }
        s.session.join(of, with);
        Ok(())
    })
}

/// The thread has no more events, so nothing is kept for it to read.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_finish(session: Option<&mut Session>, thread: ThreadNumber) -> Status {
    with(session, |s| {
        let thread = s.thread(thread)?;
        s.session.finish(thread);
        Ok(())
    })
}

/// A new location, with its initial write.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_location(
    session: Option<&mut Session>,
    location: Option<&mut MaybeUninit<LocationNumber>>,
) -> Status {
    with(session, |s| {
        put(location, s.session.location().0);
        Ok(())
    })
}

/// The initial write of a location; `TRIBUNAL_STATUS_END` if it is retired.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_initial(
    session: Option<&mut Session>,
    location: LocationNumber,
    write: Option<&mut MaybeUninit<WriteNumber>>,
) -> Status {
    with(session, |s| {
        let initial = s.session.initial(s.location(location)?).ok_or(Failure::End)?;
        put(write, initial.to_bits());
        Ok(())
    })
}

/// The thread writes the location. This always succeeds.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_write(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    location: LocationNumber,
    order: AnyOrder,
    write: Option<&mut MaybeUninit<WriteNumber>>,
) -> Status {
    with(session, |s| {
        let (thread, loc) = (s.running(thread)?, s.location(location)?);
        let written = s.session.write(thread, loc, order.of_access()?);
        put(write, written.to_bits());
        Ok(())
    })
}

/// The thread reads from a write. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_read(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    from: WriteNumber,
    order: AnyOrder,
) -> Status {
    with(session, |s| {
        let (thread, order) = (s.running(thread)?, order.of_access()?);
        let read = s.session.read(thread, WriteId::from_bits(from), order);
        read.map_err(|refused| s.refuse(refused))
    })
}

/// The thread reads from a write and overwrites it in one step. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then unchanged.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_rmw(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    from: WriteNumber,
    order: AnyOrder,
    write: Option<&mut MaybeUninit<WriteNumber>>,
) -> Status {
    with(session, |s| {
        let (thread, order) = (s.running(thread)?, order.of_rmw()?);
        let written = s.session.rmw(thread, WriteId::from_bits(from), order);
        put(write, written.map_err(|refused| s.refuse(refused))?.to_bits());
        Ok(())
    })
}

/// The thread's next event is a fence, whose order is neither relaxed nor non-atomic.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_fence(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    order: AnyOrder,
) -> Status {
    with(session, |s| {
        let thread = s.running(thread)?;
        s.session.fence(thread, order.of_fence()?);
        Ok(())
    })
}

/// Whether `tribunal_session_read` would be accepted: OK or INCONSISTENT.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_may_read(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    from: WriteNumber,
    order: AnyOrder,
) -> Status {
    with(session, |s| {
        let (thread, order, from) = (s.running(thread)?, order.of_access()?, WriteId::from_bits(from));
        s.session.location_of(from).ok_or_else(gone)?;
        s.session.may_read_from(thread, from, order).then_some(()).ok_or(Failure::Inconsistent)
    })
}

/// Whether `tribunal_session_rmw` would be accepted: OK or INCONSISTENT.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_may_rmw(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    from: WriteNumber,
    order: AnyOrder,
) -> Status {
    with(session, |s| {
        let (thread, order, from) = (s.running(thread)?, order.of_rmw()?, WriteId::from_bits(from));
        s.session.location_of(from).ok_or_else(gone)?;
        s.session.may_rmw_from(thread, from, order).then_some(()).ok_or(Failure::Inconsistent)
    })
}

/// What answers with writes.
type Ask = fn(&mut session::Session, ThreadId, LocId, Order) -> &[WriteId];

/// Puts as many of the writes that are asked for as there is room into the caller's array, and says how many there are.
#[inline]
fn list(
    s: &mut Session,
    (thread, location): (ThreadNumber, LocationNumber),
    order: Order,
    (writes, capacity): (*mut WriteNumber, usize),
    count: Option<&mut MaybeUninit<usize>>,
    ask: Ask,
) -> Result<(), Failure> {
    let (thread, loc) = (s.running(thread)?, s.location(location)?);
    let room = array_mut(writes, capacity, "the array for writes")?;
    let found = ask(&mut s.session, thread, loc, order);
    for (place, write) in room.iter_mut().zip(found) {
        place.write(write.to_bits());
    }
    put(count, found.len());
    Ok(())
}

/// The writes of a location that the thread may read from now: the initial write first, then those of each thread in program order.
///
/// `writes` has room for `capacity` writes and receives as many as fit. `count` receives their number; if it exceeds the
/// capacity, call again with a larger array. With a capacity of 0, `writes` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_candidates(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    location: LocationNumber,
    order: AnyOrder,
    writes: *mut WriteNumber,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> Status {
    with(session, |s| {
        let order = order.of_access()?;
        list(s, (thread, location), order, (writes, capacity), count, session::Session::candidates)
    })
}

/// The candidates that no RMW reads from, so that the thread's next event may be an RMW that does. The array is as for
/// `tribunal_session_candidates`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_rmw_candidates(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    location: LocationNumber,
    order: AnyOrder,
    writes: *mut WriteNumber,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> Status {
    with(session, |s| {
        let order = order.of_rmw()?;
        list(s, (thread, location), order, (writes, capacity), count, session::Session::rmw_candidates)
    })
}

/// The writes of a location directly after which mo may have a new write of the thread; exact if every write of the location was
/// placed this way. None under wra, which has no mo. The array is as for `tribunal_session_candidates`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_positions(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    location: LocationNumber,
    order: AnyOrder,
    writes: *mut WriteNumber,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> Status {
    with(session, |s| {
        let order = order.of_access()?;
        list(s, (thread, location), order, (writes, capacity), count, session::Session::coherence_positions)
    })
}

/// The thread writes the location, directly after `after` in mo. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot. For callers that choose mo
/// themselves; not in an exact session.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_write_after(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    location: LocationNumber,
    order: AnyOrder,
    after: WriteNumber,
    write: Option<&mut MaybeUninit<WriteNumber>>,
) -> Status {
    with(session, |s| {
        if s.exact {
            return Err(invalid("an exact session decides mo itself"));
        }
        let (thread, loc, order) = (s.running(thread)?, s.location(location)?, order.of_access()?);
        let written = s.session.write_after(thread, loc, order, WriteId::from_bits(after));
        put(write, written.map_err(|refused| s.refuse(refused))?.to_bits());
        Ok(())
    })
}

/// Why the latest refused step was refused; forgotten when the session goes back. `by` receives the conflicting write, if
/// there is one. `tribunal_session_refutation` has the full proof.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_refusal(
    session: Option<&Session>,
    by: Option<&mut MaybeUninit<WriteNumber>>,
) -> Because {
    answered(Because::Nothing, || {
        let session = session.ok_or_else(|| null(Session::NAME))?;
        Ok(match session.refused.map(|refused| refused.because) {
            None | Some(Reason::Gone) => Because::Nothing,
            Some(Reason::Overwritten { by: write }) => {
                put(by, write.to_bits());
                Because::Overwritten
            }
            Some(Reason::Shared { by: write }) => {
                put(by, write.to_bits());
                Because::Shared
            }
            Some(Reason::Cyclic) => Because::Cyclic,
        })
    })
}

/// A point to go back to, any number of times.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_mark(
    session: Option<&mut Session>,
    mark: Option<&mut MaybeUninit<MarkNumber>>,
) -> Status {
    with(session, |s| {
        s.marked += 1;
        s.marks.push((s.marked, s.session.mark()));
        put(mark, s.marked);
        Ok(())
    })
}

/// Goes back to a mark, discarding the events, threads, locations and marks since then. Their ids will be used again.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_undo(session: Option<&mut Session>, mark: MarkNumber) -> Status {
    with(session, |s| {
        let found = s.marks.binary_search_by_key(&mark, |&(number, _)| number);
        let Ok(at) = found else { return Err(invalid("the mark is void: the session went back behind it")) };
        s.marks.truncate(at + 1);
        s.session.undo(s.marks[at].1);
        s.refused = None;
        Ok(())
    })
}

/// Drops what can no longer be observed; `events` receives the number of events dropped. Marks become void. Call it occasionally in
/// an endless session, for example when the number of events has doubled since the last time.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_retire(
    session: Option<&mut Session>,
    events: Option<&mut MaybeUninit<u64>>,
) -> Status {
    with(session, |s| {
        put(events, s.session.retire());
        s.marks.clear();
        s.refused = None;
        Ok(())
    })
}

/// The position of a write in its thread; `TRIBUNAL_STATUS_END` if it is initial.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_place(
    session: Option<&mut Session>,
    write: WriteNumber,
    place: Option<&mut MaybeUninit<Place>>,
) -> Status {
    with(session, |s| {
        let write = WriteId::from_bits(write);
        s.session.location_of(write).ok_or_else(gone)?;
        put(place, s.session.slot(write).ok_or(Failure::End)?.into());
        Ok(())
    })
}

/// The location of a write.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_location_of(
    session: Option<&mut Session>,
    write: WriteNumber,
    location: Option<&mut MaybeUninit<LocationNumber>>,
) -> Status {
    with(session, |s| {
        put(location, s.session.location_of(WriteId::from_bits(write)).ok_or_else(gone)?.0);
        Ok(())
    })
}

/// How many events of `of` happen before the next event of `thread`. Not under sc, tso and pso, which have no happens-before.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_known(
    session: Option<&mut Session>,
    thread: ThreadNumber,
    of: ThreadNumber,
    events: Option<&mut MaybeUninit<u32>>,
) -> Status {
    with(session, |s| {
        let known = s.session.known(s.thread(thread)?, s.thread(of)?);
        put(events, known.ok_or_else(|| invalid("the model has no happens-before"))?);
        Ok(())
    })
}

/// The number of events, including retired ones.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_length(session: Option<&Session>) -> u64 {
    answered(0, || Ok(session.ok_or_else(|| null(Session::NAME))?.session.len()))
}

/// The memory use in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_bytes(session: Option<&Session>) -> usize {
    answered(0, || Ok(session.ok_or_else(|| null(Session::NAME))?.session.bytes()))
}

/// The execution so far, or what remains of it: threads T0, T1, ..., locations x0, x1, ...; the n-th write of a location writes n.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_history(
    session: Option<&mut Session>,
    history: Option<&mut MaybeUninit<Option<Box<History>>>>,
) -> Status {
    made_by(session, history, |s| s.session.execution().map(History::of_memory).map_err(malformed))
}

/// Decides the execution so far with the engines for whole executions. `limits` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_settle(
    session: Option<&mut Session>,
    limits: Option<&Limits<'_>>,
    verdict: Option<&mut MaybeUninit<Option<Box<Verdict>>>>,
) -> Status {
    made_by(session, verdict, |s| judged(s, s.session.execution().map_err(malformed)?, limits))
}

/// The verdict of the engines for whole executions on the execution with the latest refused step: the proof that it is inconsistent.
/// `TRIBUNAL_STATUS_END` if no step was refused since the session last went back.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_session_refutation(
    session: Option<&mut Session>,
    limits: Option<&Limits<'_>>,
    verdict: Option<&mut MaybeUninit<Option<Box<Verdict>>>>,
) -> Status {
    made_by(session, verdict, |s| {
        let refused = s.refused.ok_or(Failure::End)?;
        let refuted = s.session.refuted(&refused).map_err(malformed)?;
        judged(s, refuted.ok_or(Failure::End)?, limits)
    })
}

fn judged(s: &Session, execution: Execution, limits: Option<&Limits<'_>>) -> Result<Verdict, Failure> {
    let question = Question::Model(s.session.model());
    Verdict::of(&History::of_memory(execution), &question, &Budget::new(limits))
}
