//! A simulated atomic object with random clients: a source of histories of operations.
//!
//! Each operation takes effect at one random moment between its call and its return, so without lies a history made
//! here is linearizable. Times are event numbers. The same clients give the same history on every platform.

mod calls;
mod lies;
mod walks;

use crate::rng::{Rng, scale};
use calls::{Call, Calls};
use tribunal::object::specs::{UnknownSpec, named};
use tribunal::object::{Builder, History, OpId, ProcessId, Replay, Signature, Specification, Value};
pub use walks::Walks;

/// Random clients of a simulated atomic object.
///
/// ```
/// use tribunal_machines::objects::{Clients, Values};
/// let clients = Clients { processes: 8, operations: 1000, values: Values::Upto(4), ..Clients::default() };
/// assert_eq!(clients.run("queue").len(), 1000);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clients {
    /// How many processes call at a time. One whose operation never returns is replaced by a new one.
    pub processes: u32,
    /// How many operations are called in all.
    pub operations: u32,
    /// Which values are written and inserted.
    pub values: Values,
    /// How long operations stay open, from 0, one operation at a time, to 100, all processes all the time.
    pub concurrency: u32,
    /// The share of operations that never return; about half of them take effect.
    pub pending: f64,
    /// The share of returns replaced by another plausible one, among those where there is one.
    pub lies: f64,
    /// What all random choices follow from.
    pub seed: u64,
}

/// Which values clients write and insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// A new number each time: 1, 2, ...
    Distinct,
    /// Any of this many numbers, from 0.
    Upto(u32),
}

impl Default for Clients {
    /// 4 processes, 1000 operations, distinct values, medium concurrency, all return the truth; seed 0.
    fn default() -> Self {
        Clients {
            processes: 4,
            operations: 1000,
            values: Values::Distinct,
            concurrency: 50,
            pending: 0.0,
            lies: 0.0,
            seed: 0,
        }
    }
}

impl Clients {
    /// The history of these clients on an object with a built-in specification.
    ///
    /// # Panics
    ///
    /// If there is no such specification; [`Clients::history`] says so instead.
    pub fn run(&self, spec: &str) -> History {
        self.history(spec).unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`Clients::run`], for names that come from users.
    pub fn history(&self, spec: &str) -> Result<History, UnknownSpec> {
        let object = named(spec)?;
        let mut run = Run::new(self, spec, &*object);
        run.finish();
        Ok(run.builder.build().expect("times go up and a process waits for its operation"))
    }
}

/// An operation that is open.
struct Open {
    op: OpId,
    call: Call,
    /// What it returns, once it has taken effect.
    ret: Option<Value>,
}

/// One process at a time that calls; its operation, if one is open.
struct Client {
    process: ProcessId,
    open: Option<Open>,
}

struct Run<'a> {
    clients: &'a Clients,
    object: Box<dyn Replay + 'a>,
    signatures: &'a [Signature],
    calls: Calls,
    rng: Rng,
    builder: Builder,
    slots: Vec<Client>,
    /// The clients without, then those with an open operation, and where the latter begin.
    order: Vec<u32>,
    idle: usize,
    /// Operations whose process is gone and that may still take effect.
    adrift: Vec<Call>,
    processes: u32,
    time: u64,
}

impl<'a> Run<'a> {
    fn new(clients: &'a Clients, name: &str, spec: &'a dyn Specification) -> Self {
        let count = clients.processes.max(1);
        let mut builder = History::builder();
        let slots = (0..count).map(|at| Client { process: builder.process(&at.to_string()), open: None });
        Run {
            clients,
            object: spec.replay(),
            signatures: spec.signatures(),
            calls: Calls::new(name, spec, clients.values, count),
            rng: Rng::new(clients.seed),
            slots: slots.collect(),
            builder,
            order: (0..count).collect(),
            idle: count as usize,
            adrift: Vec::new(),
            processes: count,
            time: 0,
        }
    }

    fn chance(&mut self, share: f64) -> bool {
        share > 0.0 && (self.rng.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64) < share
    }

    fn finish(&mut self) {
        let mut left = self.clients.operations;
        let concurrency = u64::from(self.clients.concurrency.min(100));
        loop {
            let open = self.order.len() - self.idle;
            let (bits, other) = self.rng.pair();
            let may_call = left > 0 && self.idle > 0;
            if may_call && (open == 0 || scale(bits, 100) < concurrency) {
                left -= 1;
                self.call(scale(other, self.idle as u64) as usize);
            } else if open > 0 {
                self.complete(self.idle + scale(other, open as u64) as usize, &mut left);
            } else {
                break;
            }
            self.wander();
        }
    }

    fn call(&mut self, at: usize) {
        let slot = self.order[at];
        self.idle -= 1;
        self.order.swap(at, self.idle);
        let call = self.calls.draw(slot, &mut self.rng);
        let client = &mut self.slots[slot as usize];
        let op = self.builder.call(client.process, call.method, call.args(), self.time);
        client.open = Some(Open { op, call, ret: None });
        self.time += 1;
    }

    /// Now and then an open operation takes effect ahead of its return, or one adrift does.
    fn wander(&mut self) {
        let open = self.order.len() - self.idle;
        let (bits, other) = self.rng.pair();
        if open > 0 && bits >> 31 == 0 {
            let slot = self.order[self.idle + scale(other, open as u64) as usize];
            self.take_effect(slot);
        } else if !self.adrift.is_empty() && bits & 7 == 0 {
            let call = self.adrift.swap_remove(scale(other, self.adrift.len() as u64) as usize);
            self.object.call(call.invocation());
        }
    }

    /// Lets a client's open operation take effect, unless it has or must wait.
    fn take_effect(&mut self, slot: u32) {
        let Some(open) = &mut self.slots[slot as usize].open else { return };
        if open.ret.is_none() && !self.calls.must_wait(&open.call) {
            open.ret = self.object.call(open.call.invocation());
            self.calls.took_effect(slot, &open.call);
        }
    }

    /// Ends an open operation, or brings on what it waits for.
    fn complete(&mut self, at: usize, left: &mut u32) {
        let slot = self.order[at];
        if self.chance(self.clients.pending) {
            return self.crash(at);
        }
        self.take_effect(slot);
        let Some(open) = &self.slots[slot as usize].open else { return };
        if open.ret.is_none() {
            let Some(holder) = self.calls.awaited(&open.call) else { return self.crash(at) };
            let place = self.order.iter().position(|&slot| slot == holder).unwrap_or(at);
            match place < self.idle {
                // With no operation left to call, what waits for a holder that will not let go never returns.
                true if *left == 0 => self.crash(at),
                true => {
                    *left -= 1;
                    self.call(place);
                }
                false => self.complete_now(place),
            }
            return;
        }
        self.complete_now(at);
    }

    fn complete_now(&mut self, at: usize) {
        let slot = self.order[at];
        self.take_effect(slot);
        let Some(Open { op, call, ret: Some(truth) }) = self.slots[slot as usize].open.take() else { return };
        let lie = self.chance(self.clients.lies).then(|| {
            let signature = self.signatures.iter().find(|signature| signature.method == call.method)?;
            lies::instead_of(&truth, signature.returns, &self.calls, &mut self.rng)
        });
        self.builder.ret(op, lie.flatten().unwrap_or(truth), self.time);
        self.time += 1;
        self.order.swap(at, self.idle);
        self.idle += 1;
    }

    /// An operation's process is gone; a new one takes its place.
    fn crash(&mut self, at: usize) {
        let slot = self.order[at];
        let client = &mut self.slots[slot as usize];
        if let Some(Open { call, ret: None, .. }) = client.open.take()
            && self.calls.may_drift()
            && self.rng.flip()
        {
            self.adrift.push(call);
        }
        client.process = self.builder.process(&self.processes.to_string());
        self.processes += 1;
        self.order.swap(at, self.idle);
        self.idle += 1;
    }
}

#[cfg(test)]
mod tests;
