//! Operations of threads: asked of the explorer, or made at once where the explorer must not be asked.
//!
//! Where it is not asked, memory is what it was after the last operations in the order in which they were asked for, and is sequentially
//! consistent. That is so while a thread unwinds, which must not be interrupted; and in an execution that is given up, which is not torn
//! down but run to its end, since code between two operations is rarely fit to be unwound.

use super::home::Home;
use super::state::{self, Phase, SlotId, State};
use super::substrate::Suspender;
use crate::graph::sent;
use crate::program::{Action, Answer, Condition, DISCONNECTED, EMPTY, Place, Request, Update, Waits};
use crate::report::Problem;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// An access to an object.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// Reads.
    Load(Order),
    /// Writes a value.
    Store(Order, u64),
    /// Reads and, if the update is one, writes it.
    Rmw {
        /// The order.
        order: Order,
        /// The order if it does not write.
        failure: Order,
        /// The update.
        update: Update,
    },
    /// Reads a value that will do, and waits for it.
    Await {
        /// The order.
        order: Order,
        /// The condition that is waited for.
        until: Condition,
    },
    /// An RMW that waits until it writes.
    AwaitRmw {
        /// The order.
        order: Order,
        /// The update.
        update: Update,
    },
    /// A wait that may time out.
    TimedAwait {
        /// The order.
        order: Order,
        /// The condition that is waited for.
        until: Condition,
    },
    /// An RMW that waits, and may time out.
    TimedAwaitRmw {
        /// The order.
        order: Order,
        /// The update.
        update: Update,
    },
    /// Sends a message to a channel if so many were sent before; or closes it.
    Send {
        /// The message; none closes it.
        message: Option<u64>,
        /// The number of messages before it.
        after: Option<u64>,
    },
    /// Makes a sender of a channel.
    Share,
    /// Drops a sender of a channel.
    Unshare,
}

impl Access {
    fn action(self, loc: LocId) -> Action {
        match self {
            Access::Load(order) => Action::Load { loc, order },
            Access::Store(order, value) => Action::Store { loc, order, value },
            Access::Rmw { order, failure, update } => Action::Rmw { loc, order, failure, update },
            Access::Await { order, until } => Action::Await { loc, order, until, timed: false },
            Access::AwaitRmw { order, update } => Action::AwaitRmw { loc, order, update, timed: false },
            Access::TimedAwait { order, until } => Action::Await { loc, order, until, timed: true },
            Access::TimedAwaitRmw { order, update } => Action::AwaitRmw { loc, order, update, timed: true },
            Access::Send { message, after } => Action::Send { loc, message, after },
            Access::Share => Action::Share { loc },
            // The receiver is left.
            Access::Unshare => Action::Release { loc, others: 1 },
        }
    }

    /// The value that it writes where it reads this.
    fn writes(&self, read: u64) -> Option<u64> {
        match self {
            Access::Store(_, value) => Some(*value),
            Access::Rmw { update, .. }
            | Access::AwaitRmw { update, .. }
            | Access::TimedAwaitRmw { update, .. } => update.of(read),
            Access::Send { message, after } => sent(read, *message, *after),
            Access::Load(_)
            | Access::Await { .. }
            | Access::TimedAwait { .. }
            | Access::Share
            | Access::Unshare => None,
        }
    }

    /// The action by which the explorer is told of what was done without asking it, if it must be: as a store of the value written, or as what it is.
    fn announced(self, read: u64) -> Option<Self> {
        match self {
            Access::Send { .. } => self.writes(read).map(|_| self),
            Access::Share | Access::Unshare => Some(self),
            _ => self.writes(read).map(|value| Access::Store(Order::Release, value)),
        }
    }

    /// Whether it may have to wait.
    fn waits(&self) -> bool {
        matches!(self, Access::Await { .. } | Access::AwaitRmw { .. }) || self.is_timed()
    }

    fn is_timed(&self) -> bool {
        matches!(self, Access::TimedAwait { .. } | Access::TimedAwaitRmw { .. })
    }

    /// Whether it can be done where it reads this.
    fn can_do(&self, read: u64) -> bool {
        match self {
            Access::Await { until, .. } | Access::TimedAwait { until, .. } => until.of(read),
            Access::AwaitRmw { update, .. } | Access::TimedAwaitRmw { update, .. } => {
                update.of(read).is_some()
            }
            _ => true,
        }
    }
}

/// The value that an access that timed out reads: no word that is waited for has this value.
pub const TIMED_OUT: u64 = u64::MAX;

/// Whether the explorer decides an operation.
fn asks(state: &State) -> bool {
    state.phase == Phase::Running && !std::thread::panicking()
}

fn request(state: &mut State, action: Action, place: Place) -> Suspender {
    let me = state.me();
    me.events += u32::from(!matches!(action, Action::Yield));
    if releases(&action) {
        me.released = me.events;
    }
    let is_known = matches!(action, Action::Fence { .. }) || action.loc().is_some();
    me.makes &= !is_known;
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
        Action::Spawn | Action::Release { .. } | Action::Send { .. } => true,
        _ => false,
    }
}

/// Gives way; takes the answer, unless the execution was given up.
fn answered<R>(suspender: Suspender, take: impl FnOnce(&mut State) -> R) -> Option<R> {
    suspender.suspend();
    state::with(|state| (state.phase == Phase::Running).then(|| take(state))).flatten()
}

/// Gives way; says whether there is an answer.
fn is_answered(suspender: Suspender) -> bool {
    answered(suspender, |_| ()).is_some()
}

/// Does something to an object; the answer is the value read. `None` outside executions.
#[inline]
pub(crate) fn access(home: &Home, initial: impl Fn() -> u64, access: Access, place: Place) -> Option<u64> {
    let address = home.address();
    let (slot, step) = state::with(|state| {
        let slot = home.slot(state, &initial);
        state.slot(slot).address = address;
        (slot, prepare(state, slot, access, address, place))
    })?;
    access_from(step, slot, address, access, place)
}

/// Does something to an object that was used before.
pub(crate) fn access_slot(slot: SlotId, access: Access, place: Place) -> Option<u64> {
    let (address, step) = state::with(|state| {
        let address = state.slot(slot).address;
        (address, prepare(state, slot, access, address, place))
    })?;
    access_from(step, slot, address, access, place)
}

/// A change to the memory that is used where the explorer is not asked, before the answer is known.
#[derive(Clone, Copy)]
struct Guess {
    /// The value read.
    read: u64,
    /// The number of times that the object has been written, after this.
    version: u32,
}

enum Step {
    Done(u64),
    Ask(Suspender, Guess),
    Announce,
    GiveWay,
    Freed,
}

/// Does something to an object, from its first step on.
fn access_from(mut step: Step, slot: SlotId, address: usize, access: Access, place: Place) -> Option<u64> {
    loop {
        match step {
            Step::Done(value) => return Some(value),
            Step::Ask(suspender, guess) => {
                if let Some(read) = answered(suspender, |state| settle(state, slot, access, guess)) {
                    return Some(read);
                }
                if !access.waits() {
                    return Some(guess.read);
                }
            }
            Step::Announce => announce(),
            Step::GiveWay => give_way(),
            Step::Freed => misuse("Use after free: the memory was freed before.".into(), place),
        }
        step = state::with(|state| prepare(state, slot, access, address, place))?;
    }
}

fn prepare(state: &mut State, slot: SlotId, access: Access, address: usize, place: Place) -> Step {
    if asks(state) {
        if !state.me().unannounced.is_empty() {
            return Step::Announce;
        }
        if state.memory.is_freed(address) && !state.me().failed {
            return Step::Freed;
        }
        return ask_for(state, slot, access, place);
    }
    let read = state.slot(slot).value;
    let can_do = access.can_do(read);
    match state.phase {
        Phase::Running if !can_do => return ask_for(state, slot, access, place),
        Phase::WindingUp if !can_do && access.is_timed() && state.time > 0 => {
            state.time -= 1;
            return Step::Done(TIMED_OUT);
        }
        Phase::WindingUp if !(can_do && state.time > 0) => return Step::GiveWay,
        _ => {}
    }
    state.time = state.time.saturating_sub(1);
    if let Some(value) = access.writes(read) {
        state.slot(slot).write(value);
    }
    if let Some(announced) = access.announced(read)
        && state.phase == Phase::Running
    {
        state.me().unannounced.push((slot, announced, place));
    }
    Step::Done(read)
}

fn ask_for(state: &mut State, slot: SlotId, access: Access, place: Place) -> Step {
    let loc = state.locate(slot);
    let object = state.slot(slot);
    let read = object.value;
    if let Some(value) = access.writes(read).filter(|_| !access.waits()) {
        object.write(value);
    }
    let guess = Guess { read, version: object.version };
    Step::Ask(request(state, access.action(loc), place), guess)
}

/// The explorer has answered.
fn settle(state: &mut State, slot: SlotId, access: Access, guess: Guess) -> u64 {
    if state.answer == Answer::TimedOut {
        return TIMED_OUT;
    }
    let read = if let Answer::Value(read) = state.answer { read } else { 0 };
    let object = state.slot(slot);
    if access.waits() {
        if let Some(value) = access.writes(read) {
            object.write(value);
        }
    } else if object.version == guess.version {
        object.value = access.writes(read).unwrap_or(guess.read);
    }
    read
}

/// Tells the explorer of what the thread wrote while it unwound.
pub(super) fn announce() {
    while let Some(suspender) = state::with(|state| {
        if !asks(state) || state.me().unannounced.is_empty() {
            return None;
        }
        let (slot, access, place) = state.me().unannounced.remove(0);
        let loc = state.locate(slot);
        Some(request(state, access.action(loc), place))
    })
    .flatten()
    {
        if !is_answered(suspender) {
            return;
        }
    }
}

/// Lets other threads of an execution that is given up go on.
fn give_way() {
    let suspender = state::with(|state| {
        state.request = None;
        state.me().suspender
    });
    suspender.flatten().expect("what runs has a way to give way").suspend();
}

/// Asks for something that is no access. `None` where the explorer is not asked, and if the execution is given up.
pub(crate) fn ask(action: impl Fn(&mut State) -> Action, place: Place) -> Option<Answer> {
    loop {
        let suspender = state::with(|state| {
            if !asks(state) {
                return None;
            }
            if !state.me().unannounced.is_empty() {
                return Some(None);
            }
            let action = action(state);
            Some(Some(request(state, action, place)))
        })
        .flatten()?;
        match suspender {
            Some(suspender) => return answered(suspender, |state| state.answer),
            None => announce(),
        }
    }
}

/// Receives message number `after + 1` of a channel. Where the explorer is not asked, `local` says what is received: what [`Action::Receive`] answers, or
/// nothing if it must wait for others.
pub(crate) fn receive(
    home: &Home,
    (after, waits): (u64, Waits),
    local: impl Fn() -> Option<u64>,
    place: Place,
) -> u64 {
    let receive = |state: &mut State| {
        let slot = home.slot(state, || 0);
        Action::Receive { loc: state.locate(slot), after, waits }
    };
    match ask(receive, place) {
        Some(Answer::Value(received)) => return received,
        Some(Answer::TimedOut) => return EMPTY,
        _ => {}
    }
    loop {
        if let Some(received) = local() {
            return received;
        }
        // A thread that unwinds must not wait, and after the execution there is nobody to wait for.
        if state::with(|state| state.phase) != Some(Phase::WindingUp) {
            return DISCONNECTED;
        }
        give_way();
    }
}

/// The explorer is told of a problem. In an execution that is given up, nobody is told, and the thread goes on.
///
/// # Panics
/// Outside executions.
pub(crate) fn fail(problem: Problem, place: Place) {
    let suspender = state::with(|state| {
        let asks = asks(state);
        state.me().failed = true;
        asks.then(|| request(state, Action::Fail(problem.clone()), place))
    });
    match suspender {
        Some(Some(suspender)) => suspender.suspend(),
        Some(None) => {}
        None => panic!("{problem:?}"),
    }
}

/// Something is used as it must not be.
pub(crate) fn misuse(message: String, place: Place) {
    fail(Problem::Misuse { message }, place);
}

/// A fence. Says whether it was in an execution.
pub(crate) fn fence(order: Order, place: Place) -> bool {
    ask(|_| Action::Fence { order }, place).is_some() || state::is_inside()
}

/// The end of an iteration of a loop that waits. Says whether it was in an execution.
pub(crate) fn spin(place: Place) -> bool {
    if ask(|_| Action::Yield, place).is_some() {
        return true;
    }
    let phase = state::with(|state| state.phase);
    if phase == Some(Phase::WindingUp) {
        give_way();
    }
    phase.is_some()
}

/// Picks a number below `options`; 0 where nobody is asked.
pub(crate) fn choose(options: u32, place: Place) -> u32 {
    match ask(|_| Action::Choose { options }, place) {
        Some(Answer::Value(choice)) => choice as u32,
        _ => 0,
    }
}

/// Whether a thread is woken without cause, or times out, here: only if that is switched on, and only so often.
pub(crate) fn wakes_spuriously(place: Place) -> bool {
    let may = state::with(|state| state.me().spurious < state.behavior.spurious).unwrap_or(false);
    let does = may && choose(2, place) == 1;
    if does {
        state::with(|state| state.me().spurious += 1);
    }
    does
}

/// Makes a thread that runs the body: its number.
pub(crate) fn spawn(body: state::Body, place: Place) -> Option<ThreadId> {
    if state::with(|state| state.me().makes) == Some(true) {
        // What was made happens before the thread: there has to be an event that says so, and a spawn is none to the memory model.
        let home = Home::new("what a thread makes", place);
        access(&home, || 0, Access::Store(Order::NonAtomic, 0), place);
    }
    let suspender = state::with(|state| {
        state.me().child = Some(body);
        (state.phase == Phase::Running).then(|| request(state, Action::Spawn, place))
    })?;
    if let Some(answer) = suspender.and_then(|suspender| answered(suspender, |state| state.answer)) {
        return if let Answer::Thread(child) = answer { Some(child) } else { None };
    }
    // The execution is given up; the explorer may have made the thread before that.
    state::with(|state| match state.me().child.take() {
        Some(body) => {
            let number = ThreadId::from_index(state.threads.len());
            state.thread(number).body = Some(body);
            number
        }
        None => state.me().last_child,
    })
}

/// Waits for the end of a thread.
pub(crate) fn join(thread: ThreadId, place: Place) {
    if ask(|_| Action::Join { thread }, place).is_some() {
        return;
    }
    let waits = || {
        state::with(|state| match state.phase {
            _ if state.threads.get(thread.index()).is_some_and(|thread| thread.ended) => None,
            Phase::Running => Some(Some(request(state, Action::Join { thread }, place))),
            Phase::WindingUp => Some(None),
            Phase::Over => None,
        })
    };
    while let Some(suspender) = waits().flatten() {
        match suspender {
            Some(suspender) if is_answered(suspender) => return,
            Some(_) => {}
            None => give_way(),
        }
    }
}
