//! The state that the threads of a program under test share with the explorer's worker.

use super::home::{Home, Stamp};
use super::ops::Access;
use super::substrate::Suspender;
use crate::arena;
use crate::program::{Answer, Place, Request};
use crate::sync::arc::Handles;
use crate::thread::Thread;
use rustc_hash::{FxHashMap, FxHashSet};
use std::any::Any;
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use tribunal_history::memory::{LocId, ThreadId};

/// An object of the program that has a location, or may get one, in the present execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotId(pub(crate) u32);

/// The state of an object in the present execution.
pub(crate) struct Slot {
    /// Its location, from its first access on.
    pub(crate) loc: Option<LocId>,
    pub(crate) initial: u64,
    /// The value last written, in the order in which operations were asked for.
    pub(crate) value: u64,
    /// The number of times that it was written.
    pub(crate) version: u32,
    pub(crate) kind: &'static str,
    pub(crate) place: Place,
    /// The address that it had when it was last used.
    pub(crate) address: usize,
    /// The thread that made it in this execution, and after how many of its events.
    pub(crate) made: Option<(ThreadId, u32)>,
    /// If it is shared ownership.
    pub(crate) handles: Handles,
    /// The content of a static in this execution.
    pub(crate) content: Option<Arc<dyn Any>>,
}

impl Slot {
    #[inline]
    pub(crate) fn write(&mut self, value: u64) {
        self.value = value;
        self.version += 1;
    }
}

/// The closure that a thread runs.
pub(crate) type Body = Box<dyn FnOnce()>;

/// A thread of the program.
pub(crate) struct ThreadRecord {
    /// The suspender by which it gives way, once it runs.
    pub(crate) suspender: Option<Suspender>,
    /// The body that it is to run, before it does.
    pub(crate) body: Option<Body>,
    /// The body that its next child is to run, until that has a number.
    pub(crate) child: Option<Body>,
    /// The last of its children that has a number.
    pub(crate) last_child: ThreadId,
    /// Its handle, once it runs.
    pub(crate) handle: Option<Thread>,
    /// It goes no further.
    pub(crate) ended: bool,
    /// Accesses to cells that have begun and not ended, and whether they write.
    pub(crate) open: Vec<(SlotId, bool)>,
    /// It was told of a problem; what it does from then on is of no interest.
    pub(crate) failed: bool,
    /// The number of events that it has made.
    pub(crate) events: u32,
    /// It has made objects since the last of them.
    pub(crate) makes: bool,
    /// The number of events that it had made after the last one that others may synchronize with.
    pub(crate) released: u32,
    /// Writes made while it unwound, of which the explorer has not heard.
    pub(crate) unannounced: Vec<(SlotId, Access, Place)>,
    /// Thread-local values, in the order of their making.
    pub(crate) locals: Vec<(usize, LocalValue)>,
    /// The number of times that it was woken without cause.
    pub(crate) spurious: u32,
    /// The number of times that it has waited for a condition variable.
    pub(crate) waits: u32,
}

impl Default for ThreadRecord {
    fn default() -> Self {
        ThreadRecord {
            suspender: None,
            body: None,
            child: None,
            last_child: ThreadId(0),
            handle: None,
            ended: false,
            open: Vec::new(),
            failed: false,
            events: 0,
            makes: false,
            released: 0,
            unannounced: Vec::new(),
            locals: Vec::new(),
            spurious: 0,
            waits: 0,
        }
    }
}

/// A thread-local value; `None` while it is being made or after it was destroyed.
pub(crate) type LocalValue = Option<std::rc::Rc<dyn Any>>;

/// Whether operations are the explorer's to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// They are.
    Running,
    /// The execution is given up; its threads come to their ends by themselves.
    WindingUp,
    /// All threads have ended; what they left is dropped.
    Over,
}

/// Something that has to be given back before the execution ends.
pub(crate) struct Owed {
    pub(crate) what: &'static str,
    pub(crate) place: Place,
}

/// The features that cost events and are left out until the program is found to use it; exploration then starts again.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Somebody asks whether threads have finished.
    pub(crate) finished: bool,
    /// Reference counts are asked for of what was made at these places.
    pub(crate) counted: FxHashSet<Place>,
}

/// The behavior of programs where there is a choice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behavior {
    /// The number of times that a thread may be woken without cause, or time out, in an execution.
    pub(crate) spurious: u32,
    /// A panic ends its thread, and is for whoever joins it.
    pub(crate) catch_panics: bool,
    /// A panic does not poison locks.
    pub(crate) forgives: bool,
    /// `compare_exchange_weak` may fail for no reason; counts as being woken.
    pub(crate) weak_failures: bool,
    /// Nothing is explored until the program says so.
    pub(crate) explicit_explore: bool,
}

/// The present execution of a program, of one worker.
pub(crate) struct State {
    pub(crate) stamp: Stamp,
    pub(crate) phase: Phase,
    pub(crate) behavior: Behavior,
    pub(crate) slots: Vec<Slot>,
    pub(crate) by_address: FxHashMap<usize, SlotId>,
    by_loc: Vec<Option<SlotId>>,
    pub(crate) threads: Vec<ThreadRecord>,
    pub(crate) current: ThreadId,
    /// The location that the next object without one gets.
    pub(crate) fresh: LocId,
    pub(crate) request: Option<Request>,
    pub(crate) answer: Answer,
    pub(crate) owed: FxHashMap<u64, Owed>,
    next_owed: u64,
    /// Blocks of memory that are in use or were given back in this execution.
    pub(crate) memory: crate::alloc::Memory,
    /// What the handles of values share of which there are raw pointers, by address.
    pub(crate) raw: FxHashMap<usize, *const ()>,
    /// Tokens of waits for condition variables.
    pub(crate) tokens: FxHashMap<(ThreadId, u32), Arc<Home>>,
    pub(crate) needs: Arc<Mutex<Needs>>,
    /// Whether what threads do is explored, see [`crate::control`].
    pub(crate) exploring: bool,
    /// It is not, up to the end of the execution.
    pub(crate) skipping: bool,
    /// In an execution that is given up: how many operations a thread may make before others go on.
    pub(crate) time: u32,
    /// The function that threads of [foreign](crate::foreign) code run.
    pub(crate) enter: Option<fn(ThreadId)>,
    /// The message and the place of the last panic.
    pub(crate) panic: Option<(String, Place)>,
    /// The memory of the program. Last, so that what was allocated there is given back before it.
    region: Option<arena::Owned>,
}

thread_local! {
    static CURRENT: RefCell<Option<Box<State>>> = const { RefCell::new(None) };
}

/// Makes a state the one of what runs on this thread of the system.
pub(crate) fn enter(state: Box<State>) {
    if let Some(region) = &state.region {
        region.enter(state.current.index());
    }
    CURRENT.with(|current| *current.borrow_mut() = Some(state));
}

/// Takes it back.
pub(crate) fn leave() -> Box<State> {
    arena::leave();
    CURRENT.with(|current| current.borrow_mut().take()).expect("what was entered is left once")
}

/// Works on the state of the execution in which the caller runs, if it runs in one.
#[inline]
pub(crate) fn with<R>(f: impl FnOnce(&mut State) -> R) -> Option<R> {
    let run = |state: &mut Box<State>| arena::outside(|| f(state));
    CURRENT.try_with(|current| current.try_borrow_mut().ok()?.as_mut().map(run)).ok()?
}

/// Whether the caller runs in an execution.
#[inline]
pub(crate) fn is_inside() -> bool {
    with(|_| ()).is_some()
}

/// Whether a panic does not poison locks here.
pub(crate) fn forgives() -> bool {
    with(|state| state.behavior.forgives).unwrap_or(false)
}

impl State {
    pub(crate) fn new(behavior: Behavior, needs: Arc<Mutex<Needs>>) -> Self {
        State {
            stamp: Stamp::new_worker(),
            phase: Phase::Over,
            behavior,
            slots: Vec::new(),
            by_address: FxHashMap::default(),
            by_loc: Vec::new(),
            threads: Vec::new(),
            current: ThreadId(0),
            fresh: LocId(0),
            request: None,
            answer: Answer::Done,
            owed: FxHashMap::default(),
            next_owed: 0,
            memory: crate::alloc::Memory::default(),
            raw: FxHashMap::default(),
            tokens: FxHashMap::default(),
            needs,
            exploring: true,
            skipping: false,
            time: 0,
            enter: None,
            panic: None,
            region: arena::Owned::take(),
        }
    }

    /// Forgets the last execution, of which nothing runs any more.
    pub(super) fn reset(&mut self) {
        self.stamp = self.stamp.next();
        self.phase = Phase::Running;
        self.slots.clear();
        self.by_address.clear();
        self.by_loc.clear();
        self.threads.clear();
        self.request = None;
        self.owed.clear();
        self.memory.clear();
        self.raw.clear();
        self.tokens.clear();
        self.panic = None;
        if let Some(region) = &self.region {
            region.reset();
        }
        (self.exploring, self.skipping) = (!self.behavior.explicit_explore, false);
        self.thread(ThreadId(0));
    }

    pub(super) fn new_slot(&mut self, home: &Home, initial: u64) -> SlotId {
        let slot = SlotId(self.slots.len() as u32);
        self.slots.push(Slot {
            loc: None,
            initial,
            value: initial,
            version: 0,
            kind: home.kind(),
            place: home.place(),
            address: 0,
            made: home.made(self.stamp),
            handles: Handles::default(),
            content: None,
        });
        slot
    }

    #[inline]
    pub(crate) fn slot(&mut self, slot: SlotId) -> &mut Slot {
        &mut self.slots[slot.0 as usize]
    }

    /// The location of an object; the fresh one if it has none.
    #[inline]
    pub(crate) fn locate(&mut self, slot: SlotId) -> LocId {
        let fresh = self.fresh;
        match self.slot(slot).loc {
            Some(loc) => loc,
            None => {
                self.slot(slot).loc = Some(fresh);
                if self.by_loc.len() <= fresh.index() {
                    self.by_loc.resize(fresh.index() + 1, None);
                }
                self.by_loc[fresh.index()] = Some(slot);
                fresh
            }
        }
    }

    /// The object at a location.
    pub(crate) fn at(&self, loc: LocId) -> Option<&Slot> {
        self.slots.get(self.slot_at(loc)?.0 as usize)
    }

    /// The object at a location, by its number.
    pub(super) fn slot_at(&self, loc: LocId) -> Option<SlotId> {
        self.by_loc.get(loc.index()).copied().flatten()
    }

    /// A thread's record, made if there is none.
    #[inline]
    pub(crate) fn thread(&mut self, thread: ThreadId) -> &mut ThreadRecord {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, ThreadRecord::default);
        }
        &mut self.threads[thread.index()]
    }

    #[inline]
    pub(crate) fn me(&mut self) -> &mut ThreadRecord {
        let current = self.current;
        self.thread(current)
    }

    /// Notes that something has to be given back.
    pub(crate) fn owe(&mut self, what: &'static str, place: Place) -> u64 {
        self.next_owed += 1;
        self.owed.insert(self.next_owed, Owed { what, place });
        self.next_owed
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} made at {}: {}", self.kind, self.place, self.value)
    }
}
