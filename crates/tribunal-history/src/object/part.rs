//! Parts of histories: some of the operations, up to some event.

use super::Value;
use super::history::{Event, History, InvocationId, NEVER, OpId, Order, ProcessId, ReturnId};
use rustc_hash::{FxHashMap, FxHashSet};

impl History {
    /// The history of these operations only, in the same order; `ops[i]` becomes operation `i`. With a cut, it is the state after
    /// that many events of this history: an operation that had not returned is pending, and one that had
    /// not been called must not be among `ops`. A cut is ignored unless the history has intervals.
    ///
    /// ```
    /// use tribunal::object::{History, OpId, Value};
    /// let mut b = History::builder();
    /// let p = b.process("0");
    /// for time in 0..3 {
    ///     let op = b.call(p, "inc", &[], 10 * time);
    ///     b.ret(op, Value::Null, 10 * time + 5);
    /// }
    /// let part = b.build()?.part(&[OpId(0), OpId(2)], Some(5));
    /// assert_eq!((part.len(), part.is_pending(OpId(1))), (2, true));
    /// # Ok::<(), tribunal::object::MalformedHistory>(())
    /// ```
    pub fn part(&self, ops: &[OpId], cut: Option<u32>) -> History {
        let returned = |op: OpId| match (&self.order, cut) {
            (Order::Intervals { ret, .. }, Some(cut)) => ret[op.index()] < cut,
            _ => true,
        };
        let mut places: Vec<(ProcessId, u32, OpId)> =
            ops.iter().zip(0..).map(|(&op, new)| (self.process(op), self.place(op), OpId(new))).collect();
        places.sort_unstable();
        let begins = (0..=self.process_count() as u32)
            .map(|process| places.partition_point(|&(of, ..)| of < ProcessId(process)) as u32);
        let mut part = History {
            name: self.name.clone(),
            processes: self.processes.clone(),
            methods: self.methods.clone(),
            invocations: Vec::new(),
            args: Vec::new(),
            returns: Vec::new(),
            process: ops.iter().map(|&op| self.process(op)).collect(),
            invocation: Vec::with_capacity(ops.len()),
            ret: Vec::with_capacity(ops.len()),
            by_process: places.iter().map(|&(_, _, op)| op).collect(),
            process_begins: begins.collect(),
            order: self.order_of_part(ops, cut),
            times: ops
                .iter()
                .filter_map(|&op| self.times(op).map(|(call, ret)| (call, ret.filter(|_| returned(op)))))
                .collect(),
        };
        let (mut invocations, mut returns) = (FxHashMap::default(), FxHashMap::default());
        for &op in ops {
            let id = *invocations.entry(self.invocation_of(op)).or_insert_with(|| {
                part.args.extend_from_slice(self.called(op).args);
                part.invocations.push((self.method_of(op) as u32, part.args.len() as u32));
                InvocationId(part.invocations.len() as u32 - 1)
            });
            part.invocation.push(id);
            let ret = self.return_of(op).filter(|_| returned(op)).map(|ret| {
                *returns.entry(ret).or_insert_with(|| {
                    part.returns.push(self.returned(ret).clone());
                    ReturnId(part.returns.len() as u32 - 1)
                })
            });
            part.ret.push(ret);
        }
        part
    }

    /// Leaves these values out of every list returned.
    pub fn unlist(&mut self, values: &FxHashSet<&Value>) {
        for ret in self.returns.iter_mut().filter(|_| !values.is_empty()) {
            if let Value::List(list) = ret {
                *ret = Value::list(list.iter().filter(|&value| !values.contains(value)).cloned());
            }
        }
    }

    /// The number by which the operations of one process are ordered.
    fn place(&self, op: OpId) -> u32 {
        match &self.order {
            Order::Intervals { call, .. } => call[op.index()],
            Order::Partial { place, .. } => place[op.index()],
        }
    }

    fn order_of_part(&self, ops: &[OpId], cut: Option<u32>) -> Order {
        match &self.order {
            Order::Intervals { call, ret, .. } => {
                let mut ranked: Vec<(u32, Event)> = Vec::with_capacity(2 * ops.len());
                for (&op, new) in ops.iter().zip(0..) {
                    ranked.push((call[op.index()], Event::Call(OpId(new))));
                    if ret[op.index()] < cut.unwrap_or(NEVER) {
                        ranked.push((ret[op.index()], Event::Return(OpId(new))));
                    }
                }
                ranked.sort_unstable_by_key(|&(rank, _)| rank);
                Order::of_events(ops.len(), ranked.into_iter().map(|(_, event)| event).collect())
            }
            Order::Partial { clocks, .. } => {
                let processes = self.process_count();
                let mut kept: Vec<Vec<u32>> = vec![Vec::new(); processes];
                for &op in ops {
                    kept[self.process(op).index()].push(self.place(op));
                }
                kept.iter_mut().for_each(|places| places.sort_unstable());
                // How many of a process's operations before a place are in the part.
                let count =
                    |process: usize, place: u32| kept[process].partition_point(|&other| other < place) as u32;
                let clock = |op: &OpId| {
                    let seen = &clocks[op.index() * processes..][..processes];
                    seen.iter().enumerate().map(|(process, &seen)| count(process, seen)).collect::<Vec<_>>()
                };
                Order::Partial {
                    clocks: ops.iter().flat_map(clock).collect(),
                    place: ops.iter().map(|&op| count(self.process(op).index(), self.place(op))).collect(),
                }
            }
        }
    }
}
