//! Rust code as a program that the explorer runs: its threads are coroutines that stop at each operation.

#[cfg(feature = "coroutines")]
mod coroutine;
pub(crate) mod home;
mod names;
pub(crate) mod ops;
mod os;
mod panics;
pub(crate) mod state;
pub(crate) mod substrate;
mod trace;
mod watchdog;

pub(crate) use state::is_inside;
pub use substrate::Substrate;

use crate::foreign::Foreign;
use crate::graph::Graph;
use crate::program::{Action, Answer, Fork, Place, Program, Request};
use crate::report::Problem;
use state::{Behavior, Body, Needs, Phase, State};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use substrate::{Fiber, Fibers, Progress};
use trace::Trace;
use tribunal_history::memory::{LocId, ThreadId};
use watchdog::Pulse;

/// The closure whose every behavior is explored.
pub(crate) type Main = Arc<dyn Fn() + Send + Sync>;

/// The settings by which Rust code is run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) substrate: Substrate,
    pub(crate) stack_size: usize,
    pub(crate) behavior: Behavior,
    pub(crate) hooks: Hooks,
    /// Whether each operation is printed.
    pub(crate) trace: bool,
    /// How long the cause of a failure is looked for.
    pub(crate) diagnosis: Option<std::time::Duration>,
    /// The code to be run, if it is not Rust's.
    pub(crate) foreign: Option<&'static Foreign>,
}

/// The functions that are called outside executions.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    /// Before each.
    pub(crate) before: Option<Main>,
    /// After each, however it ended.
    pub(crate) after: Option<Main>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let set = |hook: &Option<Main>| hook.is_some();
        f.debug_struct("Hooks").field("before", &set(&self.before)).field("after", &set(&self.after)).finish()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            substrate: Substrate::default(),
            stack_size: 1 << 20,
            behavior: Behavior::default(),
            hooks: Hooks::default(),
            trace: false,
            diagnosis: None,
            foreign: None,
        }
    }
}

/// A closure as a [`Program`]: what the explorer runs again and again.
pub struct Rust {
    main: Main,
    hooks: Hooks,
    /// An execution has begun, and [`Hooks::after`] was not called for it.
    begun: bool,
    /// Not there while a thread runs.
    state: Option<Box<State>>,
    fibers: Box<dyn Fibers>,
    running: Vec<Option<Box<dyn Fiber>>>,
    /// By thread, the place of its last operation.
    places: Vec<Place>,
    pulse: Pulse,
    foreign: Option<&'static Foreign>,
    /// The trace that prints each operation, if that is asked for.
    trace: Option<Trace>,
}

impl Rust {
    /// The closure as a program.
    pub fn new(main: impl Fn() + Send + Sync + 'static) -> Self {
        Rust::with(Arc::new(main), &Settings::default(), Arc::default())
    }

    /// The same, on what is said.
    pub fn on(substrate: Substrate, main: impl Fn() + Send + Sync + 'static) -> Self {
        Rust::with(Arc::new(main), &Settings { substrate, ..Settings::default() }, Arc::default())
    }

    pub(crate) fn with(main: Main, settings: &Settings, needs: Arc<Mutex<Needs>>) -> Self {
        panics::install();
        Rust {
            main,
            hooks: settings.hooks.clone(),
            begun: false,
            state: Some(Box::new(State::new(settings.behavior.clone(), needs))),
            fibers: substrate::fibers(settings.substrate, settings.stack_size),
            running: Vec::new(),
            places: Vec::new(),
            pulse: Pulse::new(settings.foreign.is_none()),
            foreign: settings.foreign,
            trace: settings.trace.then(Trace::default),
        }
    }

    fn state(&mut self) -> &mut State {
        self.state.as_mut().expect("the state is there while no thread runs")
    }

    /// The body of a thread that is resumed for the first time.
    fn body(&mut self, thread: ThreadId) -> Body {
        if let Some(foreign) = self.foreign {
            // Nothing is allocated, since a thread of an execution that is given up drops nothing.
            let enter = foreign.enter;
            self.state().enter = Some(enter);
            return Box::new(crate::foreign::enter);
        }
        if thread == ThreadId(0) {
            let main = self.main.clone();
            return thread_body(Box::new(move || main()));
        }
        let body = self.state().thread(thread).body.take();
        thread_body(body.expect("a thread is spawned before it runs"))
    }

    /// A thread goes on to its next operation.
    fn run_to_request(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        let state = self.state();
        state.current = thread;
        state.answer = answer;
        state.fresh = fresh;
        match self.run(thread) {
            Progress::Ended => Request { action: Action::End, place: Place::default() },
            Progress::Suspended => self.state().request.take().expect("what gives way says why"),
        }
    }

    fn run(&mut self, thread: ThreadId) -> Progress {
        if self.running.len() <= thread.index() {
            self.running.resize_with(thread.index() + 1, || None);
            self.places.resize(thread.index() + 1, Place::default());
        }
        let mut fiber = match self.running[thread.index()].take() {
            Some(fiber) => fiber,
            None => {
                let body = self.body(thread);
                self.fibers.fiber(thread, body)
            }
        };
        let state = self.state.take().expect("the state is there while no thread runs");
        self.pulse.begin(thread, self.places[thread.index()]);
        let (mut state, progress) = fiber.resume(state);
        self.pulse.end();
        self.places[thread.index()] =
            state.request.as_ref().map_or(Place::default(), |request| request.place);
        match progress {
            Progress::Suspended => self.running[thread.index()] = Some(fiber),
            Progress::Ended => state.thread(thread).ended = true,
        }
        self.state = Some(state);
        progress
    }

    /// Gives up the execution: its threads come to their ends by themselves, one operation after the other in turn.
    fn wind_up(&mut self) {
        /// The number of operations that a thread makes before others go on.
        const TIME: u32 = 1_000;
        /// After so many rounds in which no thread has ended, they wait for each other forever.
        const ROUNDS: usize = 64;
        if self.state().phase == Phase::Over {
            return;
        }
        if self.foreign.is_some() {
            // What it left is not dropped, but as it was before.
            self.state().phase = Phase::Over;
            self.running.drain(..).flatten().for_each(Fiber::leak);
            return;
        }
        self.state().phase = Phase::WindingUp;
        let mut idle = 0;
        while idle < ROUNDS && self.is_any_left() {
            idle += 1;
            for thread in (0..self.state().threads.len()).map(ThreadId::from_index) {
                if self.is_left(thread) {
                    let state = self.state();
                    (state.current, state.time) = (thread, TIME);
                    if self.run(thread) == Progress::Ended {
                        idle = 0;
                    }
                }
            }
        }
        // What goes wrong in an execution that is given up is of no interest.
        let _ = self.clear();
        // They wait for what will not come: nothing of the execution runs any more.
        self.running.drain(..).flatten().for_each(Fiber::leak);
    }

    /// Ends the last execution, if there was one.
    fn give_up(&mut self) {
        self.wind_up();
        if let (Some(after), true) = (&self.hooks.after, std::mem::take(&mut self.begun)) {
            after();
        }
    }

    /// Whether a thread has not ended.
    fn is_left(&self, thread: ThreadId) -> bool {
        let record = self.state.as_ref().and_then(|state| state.threads.get(thread.index()));
        self.running.get(thread.index()).is_some_and(Option::is_some)
            || record.is_some_and(|record| record.body.is_some())
    }

    fn is_any_left(&self) -> bool {
        let count = self.state.as_ref().map_or(0, |state| state.threads.len());
        (0..count).any(|thread| self.is_left(ThreadId::from_index(thread)))
    }

    /// Drops what the threads left: thread-locals and statics.
    fn clear(&mut self) -> Result<(), Problem> {
        let state = self.state();
        state.phase = Phase::Over;
        let mut left: Vec<Box<dyn Any>> = Vec::new();
        for thread in &mut state.threads {
            left.extend(thread.locals.drain(..).map(|local| Box::new(local) as _));
        }
        left.extend(
            state.slots.iter_mut().filter_map(|slot| slot.content.take()).map(|kept| Box::new(kept) as _),
        );
        if left.is_empty() {
            return Ok(());
        }
        // What was made last may refer to what was made before.
        left.reverse();
        state::enter(self.state.take().expect("the state is there while no thread runs"));
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(left)));
        self.state = Some(state::leave());
        dropped.map_err(|payload| Problem::Panic { message: panics::message(&*payload) })
    }
}

/// The body that a thread runs, from its first operation to its end.
fn thread_body(body: Body) -> Body {
    Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            let done = catch_unwind(AssertUnwindSafe(body));
            crate::thread::local::destroy();
            ops::announce();
            done.unwrap_or_else(|payload| std::panic::resume_unwind(payload));
        }));
        if let Err(payload) = done {
            let (problem, place) = panicked(&*payload);
            ops::fail(problem, place);
        }
    })
}

/// The problem that a panic is, and its place.
pub(crate) fn panicked(payload: &(dyn Any + Send)) -> (Problem, Place) {
    let last = state::with(|state| state.panic.take()).flatten();
    let (message, place) = last.unwrap_or_else(|| (panics::message(payload), Place::default()));
    (Problem::Panic { message }, place)
}

impl Program for Rust {
    fn start(&mut self) {
        self.give_up();
        self.begun = true;
        if let Some(before) = &self.hooks.before {
            before();
        }
        self.state().reset();
        if let Some(trace) = &mut self.trace {
            trace.begin();
        }
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        let Some(mut trace) = self.trace.take() else { return self.run_to_request(thread, answer, fresh) };
        trace.answered(self, thread, answer);
        let request = self.run_to_request(thread, answer, fresh);
        trace.requested(self, thread, &request);
        self.trace = Some(trace);
        request
    }

    fn fork(&mut self) -> Fork {
        self.foreign.map_or(Fork::Alone, |foreign| (foreign.fork)())
    }

    fn may_fork(&self) -> bool {
        self.foreign.is_some_and(|foreign| (foreign.may_fork)())
    }

    fn may_be_left(&self, thread: ThreadId) -> bool {
        self.foreign.is_some_and(|foreign| (foreign.may_be_left)(thread))
    }

    fn asks_what_threads_know(&self) -> bool {
        self.foreign.is_some()
    }

    fn told(&mut self, thread: ThreadId, known: Option<&[u32]>) {
        if let Some(foreign) = self.foreign {
            (foreign.told)(thread, known);
        }
    }

    fn spawn(&mut self, parent: ThreadId, child: ThreadId) {
        if let Some(foreign) = self.foreign {
            (foreign.spawned)(parent, child);
        }
        let state = self.state();
        let body = state.thread(parent).child.take();
        state.thread(parent).last_child = child;
        state.thread(child).body = body;
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.state.as_ref().and_then(|state| state.at(loc)).map_or(0, |slot| slot.initial)
    }

    fn made(&self, loc: LocId) -> Option<(ThreadId, u32)> {
        self.state.as_ref().and_then(|state| state.at(loc)).and_then(|slot| slot.made)
    }

    fn finish(&mut self, _graph: &Graph) -> Result<(), Problem> {
        if let Some(foreign) = self.foreign {
            return (foreign.finish)();
        }
        self.clear()?;
        let state = self.state();
        let first = state.owed.iter().min_by_key(|(number, _)| **number);
        match first.map(|(_, owed)| owed).or(state.memory.unfreed()) {
            Some(owed) => Err(Problem::Leak { what: owed.what.into(), place: owed.place }),
            None => Ok(()),
        }
    }

    fn handles(&self, loc: LocId) -> u32 {
        self.state.as_ref().and_then(|state| state.at(loc)).map_or(0, |slot| slot.handles.left)
    }

    fn has_orders(&self, loc: LocId) -> bool {
        // The kinds of other objects are names of locks and the like.
        self.state
            .as_ref()
            .and_then(|state| state.at(loc))
            .is_some_and(|slot| slot.kind.starts_with("Atomic"))
    }

    fn is_lock(&self, loc: LocId) -> bool {
        let slot = self.state.as_ref().and_then(|state| state.at(loc));
        slot.is_some_and(|slot| slot.kind == "Mutex")
    }

    fn explores(&self) -> bool {
        self.state.as_ref().is_none_or(|state| state.exploring)
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        if let Some(foreign) = self.foreign {
            return (foreign.thread_name)(thread);
        }
        let state = self.state.as_ref()?;
        let handle = state.threads.get(thread.index())?.handle.as_ref()?;
        handle.name().map(str::to_owned)
    }

    fn location_name(&self, loc: LocId) -> Option<String> {
        let state = self.state.as_ref()?;
        let slot = state.slot_at(loc)?.0 as usize;
        let given = |foreign: &Foreign| (foreign.name)(state.slots.get(slot)?.address);
        if let Some(name) = self.foreign.and_then(given) {
            return Some(name);
        }
        Some(names::name(state.slots.get(slot)?, slot, &state.slots))
    }
}

impl Drop for Rust {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// Says that a program needs something that was left out, so that exploration starts again.
pub(crate) fn restart(state: &State, need: impl FnOnce(&mut Needs)) -> Problem {
    need(&mut state.needs.lock().unwrap_or_else(PoisonError::into_inner));
    Problem::Misuse { message: RESTART.into() }
}

/// Not for people: exploration starts again.
pub(crate) const RESTART: &str = "exploration starts again";
