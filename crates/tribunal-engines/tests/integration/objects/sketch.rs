//! Histories that can be edited, and a source of small ones.

use proptest::prelude::*;
use tribunal_history::object::specs::NAMES;
use tribunal_history::object::{History, Value};
use tribunal_machines::objects::{Clients, Values};

#[derive(Clone, Debug)]
pub struct Op {
    pub process: String,
    pub method: String,
    pub args: Vec<Value>,
    /// What it returned; nothing if it is pending.
    pub ret: Option<Value>,
    pub call: u64,
    pub end: u64,
}

/// A history of operations with times.
#[derive(Clone, Debug)]
pub struct Sketch(pub Vec<Op>);

impl Sketch {
    /// The operations of a history; between two of its events there is time for others.
    pub fn of(history: &History) -> Self {
        let intervals = history.intervals().expect("a history with times");
        let op = |op| {
            let call = history.called(op);
            Op {
                process: history.process_name(history.process(op)).into(),
                method: call.method.into(),
                args: call.args.to_vec(),
                ret: history.result(op).cloned(),
                call: 4 * u64::from(intervals.call[op.index()]) + 4,
                end: 4 * u64::from(intervals.ret[op.index()]) + 4,
            }
        };
        Sketch(history.ops().map(op).collect())
    }

    pub fn history(&self) -> History {
        let mut builder = History::builder();
        for op in &self.0 {
            let process = builder.process(&op.process);
            let id = builder.call(process, &op.method, &op.args, op.call);
            if let Some(ret) = &op.ret {
                builder.ret(id, ret.clone(), op.end);
            }
        }
        builder.build().expect("a sketch of a history")
    }
}

/// A specification's name and a history of an object of that name, of at most so many operations, honest or not.
pub fn histories(
    names: Vec<&'static str>,
    operations: u32,
    lies: f64,
) -> impl Strategy<Value = (&'static str, History)> {
    let values = prop_oneof![Just(Values::Distinct), (1u32..4).prop_map(Values::Upto)];
    let shares = (0..=100u32, 0..3u32, 0..5u32);
    (prop::sample::select(names), 1..=4u32, 1..=operations, values, shares, any::<u64>()).prop_map(
        move |(name, processes, operations, values, (concurrency, pending, lying), seed)| {
            let (pending, lies) = (0.15 * f64::from(pending), lies * f64::from(lying));
            let clients = Clients { processes, operations, values, concurrency, pending, lies, seed };
            (name, clients.run(name))
        },
    )
}

/// Like [`histories`], of any built-in object, with some returns that are not the truth.
pub fn small() -> impl Strategy<Value = (&'static str, History)> {
    histories(all_names(), 6, 0.1)
}

pub fn all_names() -> Vec<&'static str> {
    NAMES.into_iter().chain(["keyed register", "keyed queue"]).collect()
}
