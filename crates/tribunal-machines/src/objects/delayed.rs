//! A replicated object whose clients see each other's operations late.
//!
//! Each client has a replica, which sees its own operations at once and those of others some time later, never an operation before what that
//! one saw. What an operation returns follows from all that its replica has seen, in the order in which operations took effect
//! anywhere. With lin that order and vis what was seen, vis contains po and is transitive: every history is `causal`, and
//! hence `ryw`, `mr` and `weak`.

use super::calls::Call;
use super::run::Object;
use std::collections::VecDeque;
use tribunal_history::object::{Specification, StateId, States, Value};
use tribunal_random::Xoshiro;

/// The number of states that are kept before those that no replica needs are forgotten.
const STATES: usize = 1 << 12;

pub(super) struct Delayed<'a> {
    states: Box<dyn States + 'a>,
    /// The number of operations that take effect at most before an operation is seen by all.
    delay: u64,
    /// The last operations to take effect, and how many came before them: all that some replica has not seen is here.
    log: VecDeque<Effect>,
    begin: u64,
    replicas: Vec<Replica>,
}

/// An operation that took effect.
struct Effect {
    client: u32,
    call: Call,
    /// The number of operations of each client that its replica had seen.
    seen: Box<[u64]>,
}

/// The replica of a client.
struct Replica {
    /// It has seen this many operations, the first to take effect, which lead to this state;
    prefix: u64,
    state: StateId,
    /// and these later ones, by their numbers in that order, going up.
    later: Vec<u64>,
    /// The number of operations of each client that it has seen.
    seen: Box<[u64]>,
}

impl<'a> Delayed<'a> {
    pub(super) fn new(spec: &'a dyn Specification, clients: u32, delay: u32) -> Self {
        let mut states = spec.states();
        let state = states.initial();
        let nothing = || vec![0; clients as usize].into_boxed_slice();
        let replica = || Replica { prefix: 0, state, later: Vec::new(), seen: nothing() };
        Delayed {
            states,
            delay: delay.into(),
            log: VecDeque::new(),
            begin: 0,
            replicas: (0..clients).map(|_| replica()).collect(),
        }
    }

    fn end(&self) -> u64 {
        self.begin + self.log.len() as u64
    }

    /// The state that a client sees.
    fn view(&mut self, client: u32) -> StateId {
        let replica = &self.replicas[client as usize];
        let mut state = replica.state;
        for &number in &replica.later {
            let call = self.log[(number - self.begin) as usize].call.invocation();
            state = self.states.step(state, call).map_or(state, |(next, _)| next);
        }
        state
    }

    /// Lets a replica see an operation that it has not seen.
    fn see(&mut self, client: u32, number: u64) {
        let replica = &mut self.replicas[client as usize];
        replica.seen[self.log[(number - self.begin) as usize].client as usize] += 1;
        let at = replica.later.partition_point(|&other| other < number);
        replica.later.insert(at, number);
        let mut settled = 0;
        while replica.later.get(settled) == Some(&replica.prefix) {
            let call = self.log[(replica.prefix - self.begin) as usize].call.invocation();
            let next = self.states.step(replica.state, call);
            replica.state = next.map_or(replica.state, |(next, _)| next);
            replica.prefix += 1;
            settled += 1;
        }
        replica.later.drain(..settled);
    }

    /// Lets all replicas see what is too old to be missed, in the order in which it took effect, and forgets what
    /// everyone has seen.
    fn settle(&mut self) {
        let old = self.end().saturating_sub(self.delay);
        for client in 0..self.replicas.len() as u32 {
            while self.replicas[client as usize].prefix < old {
                self.see(client, self.replicas[client as usize].prefix);
            }
        }
        let settled = self.replicas.iter().map(|replica| replica.prefix).min().unwrap_or(self.begin);
        self.log.drain(..(settled - self.begin) as usize);
        self.begin = settled;
        if self.states.len() > STATES {
            let live: Vec<StateId> = self.replicas.iter().map(|replica| replica.state).collect();
            self.states.keep(&live);
        }
    }
}

impl Object for Delayed<'_> {
    fn take_effect(&mut self, client: u32, call: &Call, _: &mut Xoshiro) -> Option<Value> {
        let view = self.view(client);
        let (_, ret) = self.states.step(view, call.invocation())?;
        let seen = self.replicas[client as usize].seen.clone();
        self.log.push_back(Effect { client, call: call.clone(), seen });
        self.see(client, self.end() - 1);
        self.settle();
        Some(ret)
    }

    /// An operation of one client reaches another, if that has seen all that the first had.
    fn pass(&mut self, rng: &mut Xoshiro) {
        let (to, from) = (rng.index(self.replicas.len()), rng.index(self.replicas.len()));
        let Replica { prefix, seen, later, .. } = &self.replicas[to];
        let new = |number: &u64| {
            let effect = &self.log[(number - self.begin) as usize];
            effect.client as usize == from && later.binary_search(number).is_err()
        };
        // The operations of a client are seen in its own order.
        let Some(number) = (*prefix..self.end()).find(new) else { return };
        let needs = &self.log[(number - self.begin) as usize].seen;
        if needs.iter().zip(seen).all(|(needs, seen)| needs <= seen) {
            self.see(to as u32, number);
        }
    }
}
