//! Histories of operations: calls, returns, and happens-before.

use super::{Builder, Value};
use std::fmt;

/// An operation of a history, numbered in the order given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u32);

/// A process of a history, which has one operation at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// A method with its arguments; equal calls share an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvocationId(pub u32);

/// A return value; equal return values share an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReturnId(pub u32);

impl OpId {
    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ProcessId {
    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl InvocationId {
    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl ReturnId {
    /// The id as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A method with its arguments, as a specification sees them.
///
/// ```
/// use tribunal::object::{Invocation, Value};
/// let args = [Value::from(1), Value::from(0)];
/// assert_eq!(Invocation { method: "put", args: &args }.to_string(), "put(1, 0)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Invocation<'h> {
    /// The method's name.
    pub method: &'h str,
    /// Its arguments.
    pub args: &'h [Value],
}

impl fmt::Display for Invocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.method)?;
        for (at, arg) in self.args.iter().enumerate() {
            write!(f, "{}{arg}", if at > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}

/// A call or a return of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The operation is called.
    Call(OpId),
    /// The operation returns.
    Return(OpId),
}

/// The rank of a pending operation's return: after everything.
pub const NEVER: u32 = u32::MAX;

/// A history: operations of processes, and their order `hb`.
///
/// `hb` contains `po`, the order within a process. It comes from times: an operation happens before another iff it
/// returned before the other was called. Or it is given as pairs, closed transitively together with `po`.
///
/// ```
/// use tribunal::object::{History, Value};
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let write = b.call(p, "write", &[Value::from(1)], 0);
/// b.ret(write, Value::Null, 2);
/// let read = b.call(q, "read", &[], 3);
/// let history = b.build()?;
/// assert!(history.before(write, read));
/// assert!(history.is_pending(read));
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
#[derive(Clone, Debug)]
pub struct History {
    pub(super) name: Option<String>,
    pub(super) processes: Vec<String>,
    pub(super) methods: Vec<String>,
    /// By invocation: the method, and where its arguments end in `args`.
    pub(super) invocations: Vec<(u32, u32)>,
    pub(super) args: Vec<Value>,
    pub(super) returns: Vec<Value>,
    /// By operation.
    pub(super) process: Vec<ProcessId>,
    pub(super) invocation: Vec<InvocationId>,
    pub(super) ret: Vec<Option<ReturnId>>,
    /// The operations of each process in po, one process after another, and where each process begins.
    pub(super) by_process: Vec<OpId>,
    pub(super) process_begins: Vec<u32>,
    pub(super) order: Order,
    /// The times as given, by operation; empty if hb was given. A pending operation has no return time.
    pub(super) times: Vec<(u64, Option<u64>)>,
}

/// The representation of `hb`.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// By operation, the ranks of its call and return among all events; `events` is the inverse.
    Intervals { call: Vec<u32>, ret: Vec<u32>, events: Vec<Event> },
    /// By operation and process, how many of the process's operations happen before it. Used when no assignment of
    /// intervals gives the order, or a pending operation happens before another.
    Partial { clocks: Vec<u32>, place: Vec<u32> },
}

impl Order {
    /// The ranks that a sequence of events gives.
    pub(super) fn of_events(operations: usize, events: Vec<Event>) -> Self {
        let mut call = vec![0; operations];
        let mut ret = vec![NEVER; operations];
        for (rank, event) in events.iter().enumerate() {
            match *event {
                Event::Call(op) => call[op.index()] = rank as u32,
                Event::Return(op) => ret[op.index()] = rank as u32,
            }
        }
        Order::Intervals { call, ret, events }
    }
}

impl History {
    /// Starts an empty history.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The history's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The number of operations.
    #[inline]
    pub fn len(&self) -> usize {
        self.process.len()
    }

    /// Whether there is no operation.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.process.is_empty()
    }

    /// Every operation.
    #[inline]
    pub fn ops(&self) -> impl ExactSizeIterator<Item = OpId> + DoubleEndedIterator + Clone + use<> {
        (0..self.len() as u32).map(OpId)
    }

    /// The number of processes.
    #[inline]
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// A process's name.
    pub fn process_name(&self, process: ProcessId) -> &str {
        &self.processes[process.index()]
    }

    /// The operations of a process, in po.
    #[inline]
    pub fn of_process(&self, process: ProcessId) -> &[OpId] {
        let begin = self.process_begins[process.index()] as usize;
        let end = self.process_begins[process.index() + 1] as usize;
        &self.by_process[begin..end]
    }

    /// The process of an operation.
    #[inline]
    pub fn process(&self, op: OpId) -> ProcessId {
        self.process[op.index()]
    }

    /// The number of different invocations.
    #[inline]
    pub fn invocation_count(&self) -> usize {
        self.invocations.len()
    }

    /// The invocation of an operation.
    #[inline]
    pub fn invocation_of(&self, op: OpId) -> InvocationId {
        self.invocation[op.index()]
    }

    /// An invocation.
    #[inline]
    pub fn invocation(&self, id: InvocationId) -> Invocation<'_> {
        let (method, end) = self.invocations[id.index()];
        let begin = id.index().checked_sub(1).map_or(0, |before| self.invocations[before].1);
        Invocation { method: &self.methods[method as usize], args: &self.args[begin as usize..end as usize] }
    }

    /// The names of the methods called, each once.
    #[inline]
    pub fn methods(&self) -> &[String] {
        &self.methods
    }

    /// The method of an operation, as an index into [`History::methods`].
    #[inline]
    pub fn method_of(&self, op: OpId) -> usize {
        self.invocations[self.invocation_of(op).index()].0 as usize
    }

    /// The number of different return values.
    #[inline]
    pub fn return_count(&self) -> usize {
        self.returns.len()
    }

    /// The return value of an operation; `None` if it is pending.
    #[inline]
    pub fn return_of(&self, op: OpId) -> Option<ReturnId> {
        self.ret[op.index()]
    }

    /// A return.
    #[inline]
    pub fn returned(&self, id: ReturnId) -> &Value {
        &self.returns[id.index()]
    }

    /// An operation's method and arguments.
    #[inline]
    pub fn called(&self, op: OpId) -> Invocation<'_> {
        self.invocation(self.invocation_of(op))
    }

    /// The return of an operation; `None` if it is pending.
    #[inline]
    pub fn result(&self, op: OpId) -> Option<&Value> {
        self.return_of(op).map(|id| self.returned(id))
    }

    /// Whether an operation has no return.
    #[inline]
    pub fn is_pending(&self, op: OpId) -> bool {
        self.return_of(op).is_none()
    }

    /// Whether an operation happens before another.
    #[inline]
    pub fn before(&self, a: OpId, b: OpId) -> bool {
        match &self.order {
            Order::Intervals { call, ret, .. } => ret[a.index()] < call[b.index()],
            Order::Partial { clocks, place } => {
                let process = self.process(a).index();
                place[a.index()] < clocks[b.index() * self.process_count() + process]
            }
        }
    }

    /// The history as intervals, if its order is an interval order; with times it always is.
    #[inline]
    pub fn intervals(&self) -> Option<Intervals<'_>> {
        match &self.order {
            Order::Intervals { call, ret, events } => Some(Intervals { call, ret, events }),
            Order::Partial { .. } => None,
        }
    }

    /// The times at which an operation was called and returned, as given.
    #[inline]
    pub fn times(&self, op: OpId) -> Option<(u64, Option<u64>)> {
        self.times.get(op.index()).copied()
    }

    /// Displays an operation, such as `0: write(1) → null`.
    pub fn show(&self, op: OpId) -> String {
        let process = self.process_name(self.process(op));
        match self.result(op) {
            Some(ret) => format!("{process}: {} → {ret}", self.called(op)),
            None => format!("{process}: {} pending", self.called(op)),
        }
    }
}

/// The ranks of all calls and returns: an operation happens before another iff the rank of its return is less than that of
/// the other's call. Ranks are distinct, from 0; the return of a pending operation has rank [`NEVER`].
#[derive(Clone, Copy, Debug)]
pub struct Intervals<'h> {
    /// For each operation, the rank of its call.
    pub call: &'h [u32],
    /// For each operation, the rank of its return.
    pub ret: &'h [u32],
    /// The events by rank.
    pub events: &'h [Event],
}
