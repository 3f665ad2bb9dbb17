//! Operations of threads: asked of the explorer, or made at once where the explorer must not be asked.

use super::home::Home;
use super::state::{self, Phase, SlotId, State};
use super::substrate::Suspender;
use crate::program::{Action, Answer, Condition, Place, Request, Update};
use crate::report::Problem;
use std::panic::Location;
use tribunal::memory::{LocId, Order, ThreadId};

/// With this a thread unwinds whose execution is given up.
pub(crate) struct Cancelled;

/// Unwinds the thread.
pub(crate) fn cancel() -> ! {
    std::panic::resume_unwind(Box::new(Cancelled))
}

/// What is done to an object.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Load(Order),
    Store(Order, u64),
    Rmw { order: Order, failure: Order, update: Update },
    Await { order: Order, until: Condition },
    AwaitRmw { order: Order, update: Update },
}

impl Access {
    fn action(self, loc: LocId) -> Action {
        match self {
            Access::Load(order) => Action::Load { loc, order },
            Access::Store(order, value) => Action::Store { loc, order, value },
            Access::Rmw { order, failure, update } => Action::Rmw { loc, order, failure, update },
            Access::Await { order, until } => Action::Await { loc, order, until },
            Access::AwaitRmw { order, update } => Action::AwaitRmw { loc, order, update },
        }
    }

    /// What it writes where it reads this.
    fn writes(&self, read: u64) -> Option<u64> {
        match self {
            Access::Store(_, value) => Some(*value),
            Access::Rmw { update, .. } | Access::AwaitRmw { update, .. } => update.of(read),
            Access::Load(_) | Access::Await { .. } => None,
        }
    }

    /// Whether it can be done where it reads this.
    fn can_do(&self, read: u64) -> bool {
        match self {
            Access::Await { until, .. } => until.of(read),
            Access::AwaitRmw { update, .. } => update.of(read).is_some(),
            _ => true,
        }
    }
}

/// Who decides an operation.
enum Way {
    /// The explorer.
    Ask,
    /// Nobody: the thread unwinds, or all have ended. Values are those last written.
    Alone,
    /// It is not done: the thread is to unwind.
    Cancel,
}

fn way(state: &State) -> Way {
    match (state.phase, std::thread::panicking()) {
        (Phase::Running, false) => Way::Ask,
        (Phase::Cancelled, false) => Way::Cancel,
        _ => Way::Alone,
    }
}

enum Step {
    Done(u64),
    Ask(Suspender),
    Hear,
    Stuck,
    Cancel,
    Freed,
}

fn request(state: &mut State, action: Action, place: Place) -> Suspender {
    state.me().releases += u32::from(releases(&action));
    state.request = Some(Request { action, place });
    state.me().suspender.expect("what runs has a way to give way")
}

/// Whether what comes before it may thereby happen before what another thread does.
fn releases(action: &Action) -> bool {
    match action {
        Action::Store { order, .. }
        | Action::Rmw { order, .. }
        | Action::AwaitRmw { order, .. }
        | Action::Fence { order } => matches!(order, Order::Release | Order::AcqRel | Order::SeqCst),
        Action::Spawn | Action::Release { .. } => true,
        _ => false,
    }
}

/// Gives way until the answer is there.
fn suspend(suspender: Suspender) {
    if !answered(suspender) {
        cancel();
    }
}

/// Gives way; says whether there is an answer, and the execution was not given up.
fn answered(suspender: Suspender) -> bool {
    let unwinds = std::thread::panicking();
    suspender.suspend();
    unwinds || state::with(|state| state.phase == Phase::Running).unwrap_or(false)
}

/// Does something to an object; the answer is the value read. `None` outside of executions.
pub(crate) fn access(
    home: &Home,
    initial: impl Fn() -> u64,
    access: Access,
    place: &'static Location<'static>,
) -> Option<u64> {
    let address = std::ptr::from_ref(home).addr();
    let slot = state::with(|state| {
        let slot = home.slot(state, &initial);
        state.slot(slot).address = address;
        slot
    })?;
    access_at(slot, address, access, place)
}

/// Does something to an object that was used before.
pub(crate) fn access_slot(slot: SlotId, access: Access, place: &'static Location<'static>) -> Option<u64> {
    let address = state::with(|state| state.slot(slot).address)?;
    access_at(slot, address, access, place)
}

fn access_at(slot: SlotId, address: usize, access: Access, place: &'static Location<'static>) -> Option<u64> {
    loop {
        match state::with(|state| prepare(state, slot, access, address, place.into()))? {
            Step::Done(value) => return Some(value),
            Step::Ask(suspender) => {
                let answered = answered(suspender);
                if !answered && !matches!(access, Access::Await { .. } | Access::AwaitRmw { .. }) {
                    // Who unwinds later sees what this would have done: an unlock, above all.
                    state::with(|state| {
                        let slot = state.slot(slot);
                        slot.value = access.writes(slot.value).unwrap_or(slot.value);
                    });
                }
                if !answered {
                    cancel();
                }
                return state::with(|state| {
                    let read = if let Answer::Value(read) = state.answer { read } else { 0 };
                    if let Some(value) = access.writes(read) {
                        state.slot(slot).value = value;
                    }
                    read
                });
            }
            Step::Hear => hear(),
            Step::Stuck => give_way(),
            Step::Cancel => cancel(),
            Step::Freed => misuse("Use after free: the memory was given back before.".into(), place),
        }
    }
}

fn prepare(state: &mut State, slot: SlotId, access: Access, address: usize, place: Place) -> Step {
    match way(state) {
        Way::Cancel => Step::Cancel,
        Way::Ask if !state.me().unheard.is_empty() => Step::Hear,
        Way::Ask if state.memory.is_freed(address) => Step::Freed,
        Way::Ask => {
            let loc = state.locate(slot);
            Step::Ask(request(state, access.action(loc), place))
        }
        Way::Alone => {
            let read = state.slot(slot).value;
            if !access.can_do(read) {
                return match state.phase {
                    Phase::Running => {
                        let loc = state.locate(slot);
                        Step::Ask(request(state, access.action(loc), place))
                    }
                    Phase::Cancelled => Step::Stuck,
                    Phase::Over => Step::Cancel,
                };
            }
            if let Some(value) = access.writes(read) {
                state.slot(slot).value = value;
                if state.phase == Phase::Running {
                    state.me().unheard.push((slot, value, place));
                }
            }
            Step::Done(read)
        }
    }
}

/// Tells the explorer of what the thread wrote while it unwound.
pub(super) fn hear() {
    while let Some(suspender) = state::with(|state| {
        if matches!(way(state), Way::Cancel) || state.me().unheard.is_empty() {
            return None;
        }
        let (slot, value, place) = state.me().unheard.remove(0);
        let loc = state.locate(slot);
        Some(request(state, Action::Store { loc, order: Order::Release, value }, place))
    })
    .flatten()
    {
        suspend(suspender);
    }
}

/// Lets other threads of a cancelled execution unwind first.
fn give_way() {
    let suspender = state::with(|state| {
        state.request = None;
        state.me().suspender
    });
    suspender.flatten().expect("what runs has a way to give way").suspend();
}

/// Asks for something that is no access. `None` where the explorer is not asked: outside, and while the thread unwinds.
pub(crate) fn ask(
    action: impl Fn(&mut State) -> Action,
    place: &'static Location<'static>,
) -> Option<Answer> {
    loop {
        let step = state::with(|state| match way(state) {
            Way::Cancel => Step::Cancel,
            Way::Ask if !state.me().unheard.is_empty() => Step::Hear,
            Way::Ask => {
                let action = action(state);
                Step::Ask(request(state, action, place.into()))
            }
            Way::Alone => Step::Done(0),
        })?;
        match step {
            Step::Ask(suspender) => {
                suspend(suspender);
                return state::with(|state| state.answer);
            }
            Step::Hear => hear(),
            Step::Cancel => cancel(),
            Step::Done(_) | Step::Stuck | Step::Freed => return None,
        }
    }
}

/// The explorer is told of a problem; the thread goes no further. Where it cannot be told, it panics unless it does already.
pub(crate) fn fail(problem: Problem, place: Place) {
    let suspender = state::with(|state| match way(state) {
        Way::Ask => Some(request(state, Action::Fail(problem.clone()), place)),
        _ => None,
    });
    match suspender.flatten() {
        Some(suspender) => {
            suspender.suspend();
            cancel();
        }
        None if std::thread::panicking() => {}
        None => panic!("{problem:?}"),
    }
}

/// Something is used as it must not be.
pub(crate) fn misuse(message: String, place: &'static Location<'static>) {
    fail(Problem::Misuse { message }, place.into());
}

/// A fence.
pub(crate) fn fence(order: Order, place: &'static Location<'static>) -> bool {
    ask(|_| Action::Fence { order }, place).is_some() || state::is_inside()
}

/// The end of an iteration of a loop that waits. Says whether it was in an execution.
pub(crate) fn spin(place: &'static Location<'static>) -> bool {
    ask(|_| Action::Yield, place).is_some() || state::is_inside()
}

/// Picks a number below `options`; 0 where nobody is asked.
pub(crate) fn choose(options: u32, place: &'static Location<'static>) -> u32 {
    match ask(|_| Action::Choose { options }, place) {
        Some(Answer::Value(choice)) => choice as u32,
        _ => 0,
    }
}

/// Whether a thread is woken without cause, or times out, here: only if that is switched on, and only so often.
pub(crate) fn wakes_spuriously(place: &'static Location<'static>) -> bool {
    let may = state::with(|state| state.me().spurious < state.behaviour.spurious).unwrap_or(false);
    let does = may && choose(2, place) == 1;
    if does {
        state::with(|state| state.me().spurious += 1);
    }
    does
}

/// Waits for the end of a thread.
pub(crate) fn join(thread: ThreadId, place: &'static Location<'static>) {
    let asked = ask(|_| Action::Join { thread }, place).is_some();
    if !asked {
        wait_unwinding(&[thread]);
    }
}

/// Where a thread unwinds: lets others that it must outlive come to their end.
pub(crate) fn wait_unwinding(threads: &[ThreadId]) {
    let waits = || {
        state::with(|state| {
            state.phase == Phase::Cancelled && threads.iter().any(|&thread| !state.thread(thread).ended)
        })
    };
    while waits().unwrap_or(false) {
        give_way();
    }
}
