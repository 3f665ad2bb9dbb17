//! The interface of a program: threads that run up to their next operation and take its result.

use crate::graph::Graph;
use crate::report::Problem;
use std::fmt;
use std::panic::Location;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// A program that can be run repeatedly and is deterministic given the answers. Values, such as addresses, may differ between
/// executions: the explorer compares what threads do, not what they write.
///
/// The explorer numbers the threads; the main thread is 0. They keep their numbers between executions.
pub trait Program {
    /// Starts over: drops what is left of the last execution; only the main thread exists, and it has not run.
    fn start(&mut self);

    /// Runs a thread up to its next operation. `answer` is the result of its previous one. If the operation accesses something without a
    /// location in this execution, its location is `fresh`.
    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request;

    /// The limits of the exploration. Once one is reached, `resume` may answer with [`Action::Block`] and `finish` may stop: the execution
    /// does not count.
    fn keep_to(&mut self, limits: Limits<'static>) {
        let _ = limits;
    }

    /// Whether it is to be [told](Program::told) what its threads know.
    fn asks_what_threads_know(&self) -> bool {
        false
    }

    /// A thread that is about to be resumed knows of this many events of each thread, by number: they happen before what it does next. `None` if what it does up to its next operation was
    /// done before, with the same knowledge.
    fn told(&mut self, thread: ThreadId, known: Option<&[u32]>) {
        let _ = (thread, known);
    }

    /// The thread requested by the last request of `parent` has this number. Called before either of them is resumed.
    fn spawn(&mut self, parent: ThreadId, child: ThreadId) {
        let _ = (parent, child);
    }

    /// The initial value of a location.
    fn initial(&self, loc: LocId) -> u64;

    /// The thread that created what is at a location, and the number of its events before that. An access that this does not happen before is an
    /// error; `None` if it happens before everything.
    fn made(&self, loc: LocId) -> Option<(ThreadId, u32)> {
        let _ = loc;
        None
    }

    /// The state of a thread between two operations: what it does next, told the same, is the same if this is. `None` if it is not known, as that of Rust
    /// code.
    fn local_state(&self, thread: ThreadId) -> Option<u64> {
        let _ = thread;
        None
    }

    /// The execution is complete: every thread has ended. Reports what is wrong with it as a whole, such as a leak.
    fn finish(&mut self, graph: &Graph) -> Result<(), Problem>;

    /// The number of remaining handles of a shared object, not counting those that wait for the answer to [`Action::Release`].
    fn handles(&self, loc: LocId) -> u32 {
        let _ = loc;
        0
    }

    /// Whether the orders of accesses to a location are written in the program. Those of a lock and the like are not.
    fn has_orders(&self, loc: LocId) -> bool {
        let _ = loc;
        true
    }

    /// Whether a location is a lock that one thread holds at a time: it is written by RMWs that take it where it is free, and by stores of the thread that holds it, after which it is
    /// free. So each write follows the one before, and only the last can leave the lock free.
    fn is_lock(&self, loc: LocId) -> bool {
        let _ = loc;
        false
    }

    /// Whether a location is the same object in every execution. Rust code gives locations their numbers as it comes to them.
    fn has_fixed_locations(&self) -> bool {
        false
    }

    /// Whether alternatives to the next operation are to be tried. If not, it takes what it prefers to take.
    fn explores(&self) -> bool {
        true
    }

    /// Makes another process that is the same, to share the work with, if there is room for one.
    fn fork(&mut self) -> Fork {
        Fork::Alone
    }

    /// Whether it may [fork](Self::fork). What one process learns, others do not know.
    fn may_fork(&self) -> bool {
        false
    }

    /// Whether a thread may wait forever when the main thread has ended: the program is over then.
    fn may_be_left(&self, thread: ThreadId) -> bool {
        let _ = thread;
        false
    }

    /// The name of a thread, for people.
    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        let _ = thread;
        None
    }

    /// The name of a location, for people.
    fn location_name(&self, loc: LocId) -> Option<String> {
        let _ = loc;
        None
    }
}

/// The process in which [`Program::fork`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fork {
    /// There is no other.
    Alone,
    /// The one that was there before.
    Parent,
    /// The new one.
    Child,
}

/// The next operation of a thread.
#[derive(Clone, Debug)]
pub struct Request {
    /// The action.
    pub action: Action,
    /// Its place in the source.
    pub place: Place,
}

/// An operation. The answer is [`Answer::Done`] unless stated otherwise.
#[derive(Clone, Debug)]
pub enum Action {
    /// Reads; the answer is the value. `Order::NonAtomic` for non-atomic accesses, which must not race.
    Load {
        /// The location.
        loc: LocId,
        /// The order.
        order: Order,
    },
    /// Writes.
    Store {
        /// The location.
        loc: LocId,
        /// The order.
        order: Order,
        /// The value.
        value: u64,
    },
    /// Reads and, if `update` returns a new value, writes it in one step. The answer is the value read. If there is no
    /// new value, it is a load with the order `failure`.
    Rmw {
        /// The location.
        loc: LocId,
        /// The order.
        order: Order,
        /// The order if it fails.
        failure: Order,
        /// The update that it writes.
        update: Update,
    },
    /// A fence.
    Fence {
        /// The order.
        order: Order,
    },
    /// Reads a value that satisfies a condition, waiting if there is none. The answer is the value.
    Await {
        /// The location.
        loc: LocId,
        /// The order.
        order: Order,
        /// The condition that is waited for.
        until: Condition,
        /// Whether it may time out; the answer is then [`Answer::TimedOut`].
        timed: bool,
    },
    /// An RMW that waits until it succeeds, such as taking a lock. The answer is the value read.
    AwaitRmw {
        /// The location.
        loc: LocId,
        /// The order.
        order: Order,
        /// The update that it writes.
        update: Update,
        /// Whether it may time out; the answer is then [`Answer::TimedOut`].
        timed: bool,
    },
    /// Creates a thread; the answer is [`Answer::Thread`].
    Spawn,
    /// Waits for the end of a thread.
    Join {
        /// The thread.
        thread: ThreadId,
    },
    /// `spin_loop` and `yield_now`: ends an iteration of a waiting loop.
    Yield,
    /// Chooses a number below `options`; the answer is that number.
    Choose {
        /// The number of options.
        options: u32,
    },
    /// Drops one of the handles of a shared object (an `Arc`; of a channel, a sender) whose last drop runs a destructor; `others` remain, including those that
    /// wait for the answer to this. The answer is 1 if this is the last, and all others happen before it; otherwise 0.
    Release {
        /// The location.
        loc: LocId,
        /// The number that are left.
        others: u32,
    },
    /// Sends a message to a channel, whose location counts the messages that were sent, or closes it. The answer is that number as it was before,
    /// [`CLOSED`] if the channel is closed, so that nothing is sent; nor is anything if the number is not `after`, where that is given.
    Send {
        /// The location of the channel.
        loc: LocId,
        /// The message, a number above 1; `None` to close the channel.
        message: Option<u64>,
        /// The number of messages that must have been sent before, if that matters.
        after: Option<u64>,
    },
    /// Receives message number `after + 1` of a channel. The answer is that message. If it is not there, the answer is [`EMPTY`], or
    /// [`DISCONNECTED`] if every sender was dropped.
    Receive {
        /// The location of the channel.
        loc: LocId,
        /// The number of messages that were received before.
        after: u64,
        /// Whether it waits for the message while there are senders.
        waits: Waits,
    },
    /// Makes another sender of a channel, which has one at first; [`Action::Release`] drops one.
    Share {
        /// The location of the channel.
        loc: LocId,
    },
    /// The thread stops, and the execution does not count (a failed `assume`).
    Block,
    /// Something is wrong.
    Fail(Problem),
    /// The thread has ended.
    End,
}

impl Action {
    /// The location that it accesses.
    pub fn loc(&self) -> Option<LocId> {
        match *self {
            Action::Load { loc, .. }
            | Action::Store { loc, .. }
            | Action::Rmw { loc, .. }
            | Action::Await { loc, .. }
            | Action::AwaitRmw { loc, .. }
            | Action::Release { loc, .. }
            | Action::Send { loc, .. }
            | Action::Receive { loc, .. }
            | Action::Share { loc } => Some(loc),
            _ => None,
        }
    }

    /// Whether it is a wait that may time out.
    pub fn may_time_out(&self) -> bool {
        matches!(
            self,
            Action::Await { timed: true, .. }
                | Action::AwaitRmw { timed: true, .. }
                | Action::Receive { waits: Waits::UntilTimeout, .. }
        )
    }

    /// Makes a non-atomic access a relaxed one.
    pub(crate) fn relax(&mut self) {
        if let Action::Load { order, .. } | Action::Store { order, .. } | Action::Await { order, .. } = self
            && *order == Order::NonAtomic
        {
            *order = Order::Relaxed;
        }
    }
}

/// The time for which a receive waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Not at all.
    No,
    /// Until it is done; it may time out, and the answer is then [`Answer::TimedOut`].
    UntilTimeout,
    /// Until it is done.
    ForEver,
}

/// The value of the location of a channel whose receiver is gone.
pub const CLOSED: u64 = u64::MAX;

/// The answer to [`Action::Receive`] if there is no message.
pub const EMPTY: u64 = 0;

/// The answer to [`Action::Receive`] if there is no message and no sender.
pub const DISCONNECTED: u64 = 1;

/// The effect of an RMW on the value it reads: a new value, or none if it fails.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// The new value, from the value read and the operands.
    pub apply: fn(u64, [u64; 2]) -> Option<u64>,
    /// The operands.
    pub operands: [u64; 2],
}

impl Update {
    /// The new value for the value read.
    pub fn of(&self, read: u64) -> Option<u64> {
        (self.apply)(read, self.operands)
    }
}

/// A condition to wait for.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Whether the value will do.
    pub holds: fn(u64, u64) -> bool,
    /// The operand.
    pub operand: u64,
}

impl Condition {
    /// Whether a value will do.
    pub fn of(&self, read: u64) -> bool {
        (self.holds)(read, self.operand)
    }
}

/// The answer to an action of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Continue; also starts a thread.
    Done,
    /// The value read, or the number chosen.
    Value(u64),
    /// The thread made.
    Thread(ThreadId),
    /// The wait timed out.
    TimedOut,
}

impl fmt::Display for Action {
    /// The action in a few words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Load { order, .. } => write!(f, "a load ({})", order.name()),
            Action::Store { order, value, .. } => {
                write!(f, "a store of {} ({})", crate::failure::value(*value), order.name())
            }
            Action::Rmw { order, .. } => write!(f, "a read-modify-write ({})", order.name()),
            Action::Fence { order } => write!(f, "a fence ({})", order.name()),
            Action::Await { .. } => f.write_str("a wait"),
            Action::AwaitRmw { .. } => f.write_str("a lock"),
            Action::Spawn => f.write_str("a spawn"),
            Action::Join { .. } => f.write_str("a join"),
            Action::Yield => f.write_str("a yield"),
            Action::Choose { .. } => f.write_str("a choice"),
            Action::Release { .. } => f.write_str("a drop of a handle"),
            Action::Send { message: None, .. } => f.write_str("a drop of a receiver"),
            Action::Send { .. } => f.write_str("a send"),
            Action::Receive { .. } => f.write_str("a receive"),
            Action::Share { .. } => f.write_str("a clone of a sender"),
            Action::Block => f.write_str("a stop"),
            Action::Fail(_) => f.write_str("a failure"),
            Action::End => f.write_str("its end"),
        }
    }
}

/// A place in the source: in Rust code, or in a program as text (with an empty file name).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file. Of a compiled program whose source is unknown, the program and an address in it.
    pub file: &'static str,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl Place {
    /// The place of the call, in Rust code.
    #[track_caller]
    pub const fn caller() -> Self {
        let caller = Location::caller();
        Place { file: caller.file(), line: caller.line(), column: caller.column() }
    }

    /// Whether it says anything.
    pub fn is_known(self) -> bool {
        self.line > 0 || !self.file.is_empty()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file, self.line) {
            ("", 0) => write!(f, "an unknown place"),
            (file, 0) => write!(f, "{file}"),
            ("", line) => write!(f, "line {line}"),
            (file, line) => write!(f, "{file}:{line}"),
        }
    }
}
