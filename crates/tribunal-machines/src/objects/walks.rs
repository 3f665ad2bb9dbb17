//! A simulated concurrent map whose bulk reads are not atomic.
//!
//! `size` and `contains_value` walk over the keys one at a time, as those of `ConcurrentSkipListMap` do, while other operations
//! take effect in between: what they return may be true of no state that the map ever had. The other methods are atomic. Without
//! lies a history made here satisfies `hbvis`: a walk sees the updates that each key had when it came by.

use tribunal_history::object::{Builder, History, OpId, ProcessId, Value};
use tribunal_random::Xoshiro;

/// Random clients of a map whose `size` and `contains_value` walk over the keys.
///
/// ```
/// use tribunal::object::{Criterion, check, specs::Map};
/// use tribunal_machines::objects::Walks;
/// let history = Walks { seed: 7, ..Walks::default() }.run();
/// assert_eq!(history.len(), 15);
/// assert!(check(&history.typed(&Map).expect("typed"), &Criterion::Hbvis).is_consistent());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Walks {
    /// The number of processes that call.
    pub processes: u32,
    /// The number of operations that are called in all.
    pub operations: u32,
    /// The number of keys.
    pub keys: u32,
    /// The number of values.
    pub values: u32,
    /// The share of calls that walk, in percent; the others are updates and reads of one key.
    pub walks: u32,
    /// The number of turns of other processes that pass, about, between two keys of a walk.
    pub pace: u32,
    /// The share of histories with one return, of any operation, replaced by another of its type.
    pub lies: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Walks {
    /// 3 processes, 15 operations, 4 keys, 2 values, a walk in three calls and slow, all return the truth; seed 0.
    fn default() -> Self {
        Walks { processes: 3, operations: 15, keys: 4, values: 2, walks: 33, pace: 6, lies: 0.0, seed: 0 }
    }
}

/// The next step of an operation that has been called.
enum NextStep {
    /// To take effect at once.
    Atomic { method: &'static str, key: usize, value: i64 },
    /// To look at the next key, having counted the entries with some value, or all.
    Walk { counted: i64, of: Option<i64>, next: usize },
    /// To return.
    Return(Value),
}

struct Run<'a> {
    walks: &'a Walks,
    rng: Xoshiro,
    builder: Builder,
    entries: Vec<Option<i64>>,
    clock: u64,
}

impl Walks {
    /// The history of these clients.
    pub fn run(&self) -> History {
        let mut run = Run {
            walks: self,
            rng: Xoshiro::new(self.seed),
            builder: History::builder(),
            entries: vec![None; self.keys.max(1) as usize],
            clock: 0,
        };
        run.finish();
        run.builder.build().expect("times go up and a process waits for its operation")
    }
}

impl Run<'_> {
    fn finish(&mut self) {
        let mut left = self.walks.operations;
        let lies = ((self.rng.bits() >> 11) as f64 / (1u64 << 53) as f64) < self.walks.lies;
        let mut lie = lies.then(|| self.rng.index(left.max(1) as usize));
        let mut clients: Vec<(ProcessId, Option<(OpId, NextStep)>)> = (0..self.walks.processes.max(1))
            .map(|name| (self.builder.process(&name.to_string()), None))
            .collect();
        while left > 0 || clients.iter().any(|(_, open)| open.is_some()) {
            let at = self.rng.index(clients.len());
            let (process, open) = &mut clients[at];
            // Between two keys of a walk, others run.
            if matches!(open, Some((_, NextStep::Walk { .. })))
                && self.rng.index(self.walks.pace.max(1) as usize) > 0
            {
                continue;
            }
            self.clock += 1;
            *open = match open.take() {
                None if left == 0 => None,
                None => {
                    left -= 1;
                    Some(self.call(*process))
                }
                Some((op, NextStep::Return(truth))) => {
                    // The chosen operation lies, or the first after it that can.
                    let lied = lie.filter(|&from| from <= op.index()).and_then(|_| self.other_than(&truth));
                    lie = lie.filter(|_| lied.is_none());
                    self.builder.ret(op, lied.unwrap_or(truth), self.clock);
                    None
                }
                Some((op, doing)) => Some((op, self.step(doing))),
            };
        }
    }

    fn call(&mut self, process: ProcessId) -> (OpId, NextStep) {
        let key = self.rng.index(self.entries.len());
        let value = self.rng.index(self.walks.values.max(1) as usize) as i64;
        let (k, v) = (Value::from(key as i64), Value::from(value));
        let atomic = |method| NextStep::Atomic { method, key, value };
        let walk = |of| NextStep::Walk { counted: 0, of, next: 0 };
        let walks = self.rng.index(100) < self.walks.walks as usize;
        let (method, args, doing) = match self.rng.index(8) {
            0..3 if walks => ("contains_value", vec![v], walk(Some(value))),
            _ if walks => ("size", vec![], walk(None)),
            0..4 => ("put", vec![k, v], atomic("put")),
            4..6 => ("remove", vec![k], atomic("remove")),
            6 => ("get", vec![k], atomic("get")),
            _ => ("contains_key", vec![k], atomic("contains_key")),
        };
        (self.builder.call(process, method, &args, self.clock), doing)
    }

    fn step(&mut self, doing: NextStep) -> NextStep {
        let shown = |entry: Option<i64>| entry.map_or(Value::Null, Value::from);
        let entries = &mut self.entries;
        match doing {
            NextStep::Atomic { method: "put", key, value } => {
                NextStep::Return(shown(entries[key].replace(value)))
            }
            NextStep::Atomic { method: "remove", key, .. } => NextStep::Return(shown(entries[key].take())),
            NextStep::Atomic { method: "get", key, .. } => NextStep::Return(shown(entries[key])),
            NextStep::Atomic { key, .. } => NextStep::Return(entries[key].is_some().into()),
            NextStep::Walk { counted, of, next } => {
                let counts = entries[next].is_some() && (of.is_none() || of == entries[next]);
                let counted = counted + i64::from(counts);
                match (next + 1 < entries.len(), of) {
                    (true, _) => NextStep::Walk { counted, of, next: next + 1 },
                    (false, None) => NextStep::Return(counted.into()),
                    (false, Some(_)) => NextStep::Return((counted > 0).into()),
                }
            }
            done @ NextStep::Return(_) => done,
        }
    }

    /// Another return of the same type, if the truth shows its type.
    fn other_than(&mut self, truth: &Value) -> Option<Value> {
        match truth {
            Value::Bool(truth) => Some((!truth).into()),
            Value::Int(number) if self.rng.flip() => Some((number + 1).into()),
            Value::Int(number) => Some((number - 1).into()),
            _ => None,
        }
    }
}
