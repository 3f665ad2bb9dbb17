//! Parts of histories: some of the operations, up to some event.

use super::history::{Event, History, NEVER, OpId, Order, ProcessId};

impl History {
    /// The history of these operations alone, ordered as here; `ops[i]` becomes operation `i`. With a cut, what had
    /// happened after that many events of this history: an operation that had not returned is pending, and one that had
    /// not been called is left out too, so it must not be among `ops`. A cut is ignored unless the history has intervals.
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
        let mut new_id = vec![None; self.len()];
        for (at, op) in ops.iter().enumerate() {
            new_id[op.index()] = Some(OpId(at as u32));
        }
        let returned = |op: OpId| match (&self.order, cut) {
            (Order::Intervals { ret, .. }, Some(cut)) => ret[op.index()] < cut,
            _ => true,
        };
        let mut by_process = Vec::with_capacity(ops.len());
        let mut process_begins = vec![0];
        for process in 0..self.process_count() as u32 {
            by_process.extend(self.of_process(ProcessId(process)).iter().filter_map(|op| new_id[op.index()]));
            process_begins.push(by_process.len() as u32);
        }
        History {
            name: self.name.clone(),
            processes: self.processes.clone(),
            methods: self.methods.clone(),
            invocations: self.invocations.clone(),
            args: self.args.clone(),
            returns: self.returns.clone(),
            process: ops.iter().map(|&op| self.process(op)).collect(),
            invocation: ops.iter().map(|&op| self.invocation_of(op)).collect(),
            ret: ops.iter().map(|&op| self.return_of(op).filter(|_| returned(op))).collect(),
            by_process,
            process_begins,
            order: self.order_of_part(ops, cut, &new_id),
            times: ops
                .iter()
                .filter_map(|&op| self.times(op).map(|(call, ret)| (call, ret.filter(|_| returned(op)))))
                .collect(),
        }
    }

    fn order_of_part(&self, ops: &[OpId], cut: Option<u32>, new_id: &[Option<OpId>]) -> Order {
        match &self.order {
            Order::Intervals { events, .. } => {
                let upto = cut.map_or(events.len(), |cut| (cut as usize).min(events.len()));
                let events = events[..upto].iter().filter_map(|event| match *event {
                    Event::Call(op) => new_id[op.index()].map(Event::Call),
                    Event::Return(op) => new_id[op.index()].map(Event::Return),
                });
                let events: Vec<Event> = events.collect();
                let mut call = vec![0; ops.len()];
                let mut ret = vec![NEVER; ops.len()];
                for (rank, event) in events.iter().enumerate() {
                    match *event {
                        Event::Call(op) => call[op.index()] = rank as u32,
                        Event::Return(op) => ret[op.index()] = rank as u32,
                    }
                }
                Order::Intervals { call, ret, events }
            }
            Order::Partial { clocks, .. } => {
                let processes = self.process_count();
                let mut place = vec![0; ops.len()];
                // By process, how many of its first operations are in the part.
                let kept: Vec<Vec<u32>> = (0..processes as u32)
                    .map(|process| {
                        let mut count = 0;
                        let mut counts = vec![0];
                        for op in self.of_process(ProcessId(process)) {
                            if let Some(new) = new_id[op.index()] {
                                place[new.index()] = count;
                                count += 1;
                            }
                            counts.push(count);
                        }
                        counts
                    })
                    .collect();
                let clock = |op: &OpId| {
                    let seen = &clocks[op.index() * processes..][..processes];
                    seen.iter().zip(&kept).map(|(&seen, kept)| kept[seen as usize]).collect::<Vec<_>>()
                };
                Order::Partial { clocks: ops.iter().flat_map(clock).collect(), place }
            }
        }
    }
}
