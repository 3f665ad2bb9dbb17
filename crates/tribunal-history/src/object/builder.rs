//! Building and validating histories.

use super::history::{Event, History, InvocationId, OpId, Order, ProcessId, ReturnId};
use super::{MalformedHistory, Value};
use crate::heap::Growth;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::size_of;

/// Collects a history operation by operation; made by [`History::builder`].
///
/// Either every operation has times ([`Builder::call`], [`Builder::ret`]), or none has ([`Builder::operation`]) and
/// [`Builder::before`] gives the order.
///
/// ```
/// use tribunal::object::{History, Value};
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let a = b.operation(p, "inc", &[], Some(Value::Null));
/// let c = b.operation(q, "get", &[], Some(Value::from(0)));
/// b.before(a, c);
/// assert!(b.build()?.before(a, c));
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    name: Option<String>,
    processes: Vec<String>,
    process_ids: FxHashMap<String, ProcessId>,
    methods: Vec<String>,
    method_ids: FxHashMap<String, u32>,
    invocations: Vec<(u32, u32)>,
    args: Vec<Value>,
    /// Invocations by hash; those that collide are chained.
    invocation_ids: FxHashMap<u64, InvocationId>,
    invocation_next: Vec<Option<InvocationId>>,
    returns: Vec<Value>,
    return_ids: FxHashMap<Value, ReturnId>,
    process: Vec<ProcessId>,
    invocation: Vec<InvocationId>,
    ret: Vec<Option<ReturnId>>,
    times: Vec<Option<(u64, Option<u64>)>>,
    before: Vec<(OpId, OpId)>,
    /// The first operation that returned twice.
    twice: Option<OpId>,
    /// Whether an operation has no times.
    untimed: bool,
    growth: Growth,
    /// The most bytes that building may take, if there is a limit.
    max_memory: Option<usize>,
}

impl Builder {
    /// Names the history.
    pub fn name(&mut self, name: &str) {
        self.name = Some(name.into());
    }

    /// The process of that name.
    pub fn process(&mut self, name: &str) -> ProcessId {
        if let Some(&id) = self.process_ids.get(name) {
            return id;
        }
        let id = ProcessId(self.processes.len() as u32);
        self.growth.hold(name.len());
        self.growth.push(&mut self.processes, name.into());
        self.growth.hold(name.len());
        self.growth.insert(&mut self.process_ids, name.into(), id);
        id
    }

    /// An upper bound on the heap bytes that [`build`](Self::build) needs for the history so far, including those in use but not
    /// the clocks of an explicit order; see [`max_memory`](Self::max_memory).
    #[inline]
    pub fn memory(&self) -> usize {
        // Events sorted by their times, their ranks, and the operations by process.
        const OPERATION: usize =
            2 * size_of::<(u64, u8, Event)>() + 3 * size_of::<Event>() + 7 * size_of::<u64>();
        let edges = if self.before.is_empty() && !self.untimed { 0 } else { self.before.len() + self.len() };
        let built = self.len() * OPERATION
            + self.processes.len() * 2 * size_of::<u32>()
            + 3 * edges * size_of::<(OpId, OpId)>();
        self.growth.peak().saturating_add(built)
    }

    /// Limits the memory for building, in bytes: an explicit order whose clocks need more is an error.
    pub fn max_memory(&mut self, bytes: usize) {
        self.max_memory = Some(bytes);
    }

    /// The number of operations so far.
    pub fn len(&self) -> usize {
        self.process.len()
    }

    /// Whether there is no operation yet.
    pub fn is_empty(&self) -> bool {
        self.process.is_empty()
    }

    /// A process calls a method at this time. The operation is pending until [`Builder::ret`].
    pub fn call(&mut self, process: ProcessId, method: &str, args: &[Value], time: u64) -> OpId {
        let op = self.add(process, method, args, None);
        self.times[op.index()] = Some((time, None));
        op
    }

    /// An operation returns at this time.
    pub fn ret(&mut self, op: OpId, value: Value, time: u64) {
        let ret = self.intern_return(value);
        match (&mut self.ret[op.index()], &mut self.times[op.index()]) {
            (slot @ None, Some((_, end))) => {
                *slot = Some(ret);
                *end = Some(time);
            }
            _ => self.twice = self.twice.or(Some(op)),
        }
    }

    /// An operation without times; without a return value it is pending. The order of calls gives the po of each process.
    pub fn operation(
        &mut self,
        process: ProcessId,
        method: &str,
        args: &[Value],
        ret: Option<Value>,
    ) -> OpId {
        self.untimed = true;
        self.add(process, method, args, ret)
    }

    fn add(&mut self, process: ProcessId, method: &str, args: &[Value], ret: Option<Value>) -> OpId {
        let op = OpId(self.process.len() as u32);
        let invocation = self.intern_invocation(method, args);
        let ret = ret.map(|value| self.intern_return(value));
        self.growth.push(&mut self.process, process);
        self.growth.push(&mut self.invocation, invocation);
        self.growth.push(&mut self.ret, ret);
        self.growth.push(&mut self.times, None);
        op
    }

    /// An operation happens before another.
    pub fn before(&mut self, a: OpId, b: OpId) {
        self.growth.push(&mut self.before, (a, b));
    }

    fn intern_return(&mut self, value: Value) -> ReturnId {
        if let Some(&id) = self.return_ids.get(&value) {
            return id;
        }
        let id = ReturnId(self.returns.len() as u32);
        hold(&mut self.growth, &value);
        self.growth.push(&mut self.returns, value.clone());
        self.growth.insert(&mut self.return_ids, value, id);
        id
    }

    fn intern_invocation(&mut self, method: &str, args: &[Value]) -> InvocationId {
        let method = match self.method_ids.get(method) {
            Some(&id) => id,
            None => {
                let id = self.methods.len() as u32;
                self.growth.hold(method.len());
                self.growth.push(&mut self.methods, method.into());
                self.growth.hold(method.len());
                self.growth.insert(&mut self.method_ids, method.into(), id);
                id
            }
        };
        let mut hasher = FxHasher::default();
        method.hash(&mut hasher);
        args.hash(&mut hasher);
        let hash = hasher.finish();
        let first = self.invocation_ids.get(&hash).copied();
        let mut candidate = first;
        while let Some(id) = candidate {
            let (its_method, end) = self.invocations[id.index()];
            let begin = id.index().checked_sub(1).map_or(0, |before| self.invocations[before].1);
            if its_method == method && self.args[begin as usize..end as usize] == *args {
                return id;
            }
            candidate = self.invocation_next[id.index()];
        }
        let id = InvocationId(self.invocations.len() as u32);
        for arg in args {
            hold(&mut self.growth, arg);
            self.growth.push(&mut self.args, arg.clone());
        }
        self.growth.push(&mut self.invocations, (method, self.args.len() as u32));
        self.growth.push(&mut self.invocation_next, first);
        self.growth.insert(&mut self.invocation_ids, hash, id);
        id
    }

    /// Validates and builds the history.
    pub fn build(self) -> Result<History, MalformedHistory> {
        let left = self.max_memory.map(|most| most.saturating_sub(self.memory()));
        let by_process = self.by_process();
        let mut history = History {
            name: self.name,
            processes: self.processes,
            methods: self.methods,
            invocations: self.invocations,
            args: self.args,
            returns: self.returns,
            process: self.process,
            invocation: self.invocation,
            ret: self.ret,
            by_process: by_process.0,
            process_begins: by_process.1,
            order: Order::Intervals { call: Vec::new(), ret: Vec::new(), events: Vec::new() },
            times: Vec::new(),
        };
        if let Some(op) = self.twice {
            return Err(MalformedHistory::ReturnedTwice { op, shown: history.show(op) });
        }
        if self.before.is_empty() && self.times.iter().all(Option::is_some) {
            history.times = self.times.into_iter().flatten().collect();
            history.order = from_times(&mut history, left)?;
        } else {
            if let Some(op) = self.times.iter().position(Option::is_some) {
                let op = self.times.iter().position(Option::is_none).unwrap_or(op);
                let op = OpId(op as u32);
                return Err(MalformedHistory::MixedOrders { op, shown: history.show(op) });
            }
            history.order = from_pairs(&history, &self.before, left)?;
        }
        Ok(history)
    }

    /// The operations process by process, in the order given.
    fn by_process(&self) -> (Vec<OpId>, Vec<u32>) {
        let mut begins = vec![0u32; self.processes.len() + 1];
        for process in &self.process {
            begins[process.index() + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        let mut next = begins.clone();
        let mut ops = vec![OpId(0); self.process.len()];
        for (op, process) in self.process.iter().enumerate() {
            ops[next[process.index()] as usize] = OpId(op as u32);
            next[process.index()] += 1;
        }
        (ops, begins)
    }
}

/// Ranks events by time. At one time calls come before returns: operations that touch are concurrent.
fn from_times(history: &mut History, left: Option<usize>) -> Result<Order, MalformedHistory> {
    let times = &history.times;
    for process in 0..history.process_count() {
        let range = history.process_begins[process] as usize..history.process_begins[process + 1] as usize;
        let ops = &mut history.by_process[range];
        if !ops.is_sorted_by_key(|op| times[op.index()].0) {
            ops.sort_by_key(|op| times[op.index()].0);
        }
    }
    for op in history.ops() {
        if let (call, Some(ret)) = history.times[op.index()]
            && ret <= call
        {
            return Err(MalformedHistory::Backward { op, shown: history.show(op), call, ret });
        }
    }
    for process in 0..history.process_count() as u32 {
        for pair in history.of_process(ProcessId(process)).windows(2) {
            let (open, op) = (pair[0], pair[1]);
            let (_, end) = history.times[open.index()];
            if end.is_none_or(|end| end > history.times[op.index()].0) {
                return Err(MalformedHistory::Overlap {
                    op,
                    process: history.process_name(ProcessId(process)).into(),
                    called: history.called(op).to_string(),
                    open: history.called(open).to_string(),
                });
            }
        }
    }
    ranked(history, left)
}

fn ranked(history: &History, left: Option<usize>) -> Result<Order, MalformedHistory> {
    // A process may call at the very time at which its last operation returned. That return goes before that call,
    // and neither is ordered with other events of that time; two processes that do so at once have no intervals.
    let mut touching: Vec<(u64, OpId, OpId)> = Vec::new();
    for process in 0..history.process_count() as u32 {
        for pair in history.of_process(ProcessId(process)).windows(2) {
            let call = history.times[pair[1].index()].0;
            if history.times[pair[0].index()].1 == Some(call) {
                touching.push((call, pair[0], pair[1]));
            }
        }
    }
    touching.sort_unstable();
    if touching.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return clocks_from_times(history, left);
    }
    let class = |op: OpId, time: u64, role: fn(&(u64, OpId, OpId)) -> OpId| {
        let at = touching.binary_search_by_key(&time, |&(time, ..)| time);
        at.is_ok_and(|at| role(&touching[at]) == op)
    };
    let mut keyed: Vec<(u64, u8, Event)> = Vec::with_capacity(2 * history.len());
    for op in history.ops() {
        let (call, ret) = history.times[op.index()];
        keyed.push((call, if class(op, call, |t| t.2) { 2 } else { 0 }, Event::Call(op)));
        if let Some(ret) = ret {
            keyed.push((ret, if class(op, ret, |t| t.1) { 1 } else { 3 }, Event::Return(op)));
        }
    }
    keyed.sort_by_key(|&(time, class, _)| (time, class));
    Ok(Order::of_events(history.len(), keyed.into_iter().map(|(.., event)| event).collect()))
}

/// Counts what a value has on the heap.
fn hold(growth: &mut Growth, value: &Value) {
    // Before what is shared stand two counters.
    const SHARED: usize = 2 * size_of::<usize>();
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) => {}
        Value::Text(text) => growth.hold(SHARED + text.len()),
        Value::List(values) => {
            growth.hold(SHARED + size_of_val(&**values));
            values.iter().for_each(|value| hold(growth, value));
        }
    }
}

/// Entries of all clocks together that an explicit order may have: 1 GiB.
const MOST_CLOCK_ENTRIES: usize = 1 << 28;

fn clock_table(history: &History, left: Option<usize>) -> Result<Vec<u32>, MalformedHistory> {
    let (operations, processes) = (history.len(), history.process_count());
    let most = left.map_or(MOST_CLOCK_ENTRIES, |left| MOST_CLOCK_ENTRIES.min(left / size_of::<u32>()));
    match operations.checked_mul(processes) {
        Some(entries) if entries <= most => Ok(vec![0; entries]),
        _ => Err(MalformedHistory::TooLarge { operations, processes }),
    }
}

/// By operation, its place in its process.
fn places(history: &History) -> Vec<u32> {
    let mut place = vec![0; history.len()];
    for process in 0..history.process_count() as u32 {
        for (at, op) in history.of_process(ProcessId(process)).iter().enumerate() {
            place[op.index()] = at as u32;
        }
    }
    place
}

fn clocks_from_times(history: &History, left: Option<usize>) -> Result<Order, MalformedHistory> {
    let mut clocks = clock_table(history, left)?;
    let place = places(history);
    let processes = history.process_count();
    for op in history.ops() {
        let call = history.times[op.index()].0;
        for process in 0..processes {
            let ops = history.of_process(ProcessId(process as u32));
            let returned = |other: &OpId| history.times[other.index()].1.is_some_and(|end| end < call);
            clocks[op.index() * processes + process] = ops.partition_point(returned) as u32;
        }
        clocks[op.index() * processes + history.process(op).index()] = place[op.index()];
    }
    Ok(Order::Partial { clocks, place })
}

/// The closure of the pairs given and po, as intervals if there are some.
fn from_pairs(
    history: &History,
    pairs: &[(OpId, OpId)],
    left: Option<usize>,
) -> Result<Order, MalformedHistory> {
    let (n, processes) = (history.len(), history.process_count());
    for &(a, b) in pairs {
        if let Some(op) = [a, b].into_iter().find(|op| op.index() >= n) {
            return Err(MalformedHistory::NoSuchOperation { index: op.0.into(), operations: n });
        }
    }
    let po = (0..processes as u32)
        .flat_map(|process| history.of_process(ProcessId(process)).windows(2).map(|pair| (pair[0], pair[1])));
    let mut edges: Vec<(OpId, OpId)> = pairs.iter().copied().chain(po).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut waits = vec![0u32; n];
    for &(_, b) in &edges {
        waits[b.index()] += 1;
    }
    let mut clocks = clock_table(history, left)?;
    let place = places(history);
    let mut ready: Vec<OpId> = history.ops().filter(|op| waits[op.index()] == 0).collect();
    let mut done = 0;
    while let Some(a) = ready.pop() {
        done += 1;
        let begin = edges.partition_point(|&(from, _)| from < a);
        for &(_, b) in edges[begin..].iter().take_while(|&&(from, _)| from == a) {
            for process in 0..processes {
                let seen = clocks[a.index() * processes + process];
                let clock = &mut clocks[b.index() * processes + process];
                *clock = seen.max(*clock);
            }
            let own = &mut clocks[b.index() * processes + history.process(a).index()];
            *own = (*own).max(place[a.index()] + 1);
            waits[b.index()] -= 1;
            if waits[b.index()] == 0 {
                ready.push(b);
            }
        }
    }
    if done < n {
        let op = history.ops().find(|op| waits[op.index()] > 0).unwrap_or(OpId(0));
        return Err(MalformedHistory::Cycle { op, shown: history.show(op) });
    }
    Ok(events_of(history, &clocks, &place)
        .map_or(Order::Partial { clocks, place }, |events| Order::of_events(n, events)))
}

/// A sequence of calls and returns with the order that the clocks say: it exists iff of any two operations one has all
/// the predecessors of the other, and no pending operation precedes another.
fn events_of(history: &History, clocks: &[u32], place: &[u32]) -> Option<Vec<Event>> {
    let processes = history.process_count();
    let clock = |op: OpId| &clocks[op.index() * processes..][..processes];
    let mut ops: Vec<OpId> = history.ops().collect();
    ops.sort_by_key(|&op| clock(op).iter().map(|&seen| u64::from(seen)).sum::<u64>());
    let mut events = Vec::with_capacity(2 * ops.len());
    let mut returned = vec![0u32; processes];
    for &op in &ops {
        let seen = clock(op);
        for process in 0..processes {
            if seen[process] < returned[process] {
                return None;
            }
            for &before in &history.of_process(ProcessId(process as u32))
                [returned[process] as usize..seen[process] as usize]
            {
                if history.is_pending(before) {
                    return None;
                }
                events.push(Event::Return(before));
            }
            returned[process] = seen[process];
        }
        events.push(Event::Call(op));
    }
    let open = ops
        .iter()
        .filter(|&&op| !history.is_pending(op) && place[op.index()] >= returned[history.process(op).index()]);
    events.extend(open.map(|&op| Event::Return(op)));
    Some(events)
}
