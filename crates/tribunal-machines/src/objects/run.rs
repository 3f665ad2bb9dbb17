//! Clients of an object, whatever implements it: who calls, what takes effect, who returns.

use super::Clients;
use super::calls::{Call, Calls};
use super::lies;
use crate::chance::chance;
use tribunal_history::object::{Builder, History, OpId, ProcessId, Replay, Signature, Specification, Value};
use tribunal_random::{Xoshiro, scale};

/// An operation that is open.
struct Open {
    op: OpId,
    call: Call,
    /// Its return, once it has taken effect.
    ret: Option<Value>,
}

/// One process at a time that calls; its operation, if one is open.
struct Client {
    process: ProcessId,
    open: Option<Open>,
}

/// An implementation of an object, as its clients meet it.
pub(super) trait Object {
    /// A client called a method.
    fn called(&mut self, client: u32) {
        let _ = client;
    }

    /// Lets a client's call take effect: what it returns; nothing if it cannot take effect.
    fn take_effect(&mut self, client: u32, call: &Call, rng: &mut Xoshiro) -> Option<Value>;

    /// Whether a call that should wait for a lock goes ahead.
    fn breaks_lock(&mut self, rng: &mut Xoshiro) -> bool {
        let _ = rng;
        false
    }

    /// Time goes by.
    fn pass(&mut self, rng: &mut Xoshiro) {
        let _ = rng;
    }
}

/// The specification itself.
pub(super) struct Atomic<'a>(pub(super) Box<dyn Replay + 'a>);

impl Object for Atomic<'_> {
    fn take_effect(&mut self, _: u32, call: &Call, _: &mut Xoshiro) -> Option<Value> {
        self.0.call(call.invocation())
    }
}

/// Clients on an object, one event after the other.
pub(super) struct Run<'a> {
    clients: &'a Clients,
    object: Box<dyn Object + 'a>,
    signatures: &'a [Signature],
    calls: Calls,
    rng: Xoshiro,
    builder: Builder,
    slots: Vec<Client>,
    /// The clients without, then those with an open operation, and where the latter begin.
    order: Vec<u32>,
    idle: usize,
    /// Operations whose process is gone and that may still take effect, with the client that called.
    adrift: Vec<(u32, Call)>,
    processes: u32,
    time: u64,
}

impl<'a> Run<'a> {
    /// Clients that draw these calls, on an object with a specification.
    pub(super) fn new(
        clients: &'a Clients,
        spec: &'a dyn Specification,
        calls: Calls,
        object: Box<dyn Object + 'a>,
    ) -> Self {
        let count = clients.processes.max(1);
        let mut builder = History::builder();
        let slots = (0..count).map(|at| Client { process: builder.process(&at.to_string()), open: None });
        Run {
            clients,
            object,
            signatures: spec.signatures(),
            calls,
            rng: Xoshiro::new(clients.seed),
            slots: slots.collect(),
            builder,
            order: (0..count).collect(),
            idle: count as usize,
            adrift: Vec::new(),
            processes: count,
            time: 0,
        }
    }

    /// Names the history.
    pub(super) fn named(mut self, name: &str) -> Self {
        self.builder.name(name);
        self
    }

    /// The history, once all is done.
    pub(super) fn history(mut self) -> History {
        self.finish();
        self.builder.build().expect("times go up and a process waits for its operation")
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
            self.object.pass(&mut self.rng);
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
        self.object.called(slot);
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
            let (slot, call) = self.adrift.swap_remove(scale(other, self.adrift.len() as u64) as usize);
            self.object.take_effect(slot, &call, &mut self.rng);
        }
    }

    /// Lets a client's open operation take effect, unless it has or must wait.
    fn take_effect(&mut self, slot: u32) {
        let Some(open) = &mut self.slots[slot as usize].open else { return };
        if open.ret.is_none() && (!self.calls.must_wait(&open.call) || self.object.breaks_lock(&mut self.rng))
        {
            open.ret = self.object.take_effect(slot, &open.call, &mut self.rng);
            self.calls.took_effect(slot, &open.call);
        }
    }

    /// Ends an open operation, or brings on what it waits for.
    fn complete(&mut self, at: usize, left: &mut u32) {
        let slot = self.order[at];
        if chance(&mut self.rng, self.clients.pending) {
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
        let lie = chance(&mut self.rng, self.clients.lies).then(|| {
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
            self.adrift.push((slot, call));
        }
        client.process = self.builder.process(&self.processes.to_string());
        self.processes += 1;
        self.order.swap(at, self.idle);
        self.idle += 1;
    }
}
