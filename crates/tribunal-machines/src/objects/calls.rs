//! The calls of clients: random methods of each built-in object, with arguments that make them meet.

use super::{Clients, Values};
use std::collections::BTreeMap;
use tribunal_history::object::{Invocation, Specification, Value};
use tribunal_random::Xoshiro;

/// The number of keys that maps, stores and keyed objects have if nothing else is said.
pub(super) const KEYS: u32 = 8;

/// A method with its arguments.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: &'static str,
    args: [Value; 4],
    count: usize,
}

impl Call {
    pub(super) fn new<const N: usize>(method: &'static str, given: [Value; N]) -> Self {
        let mut args = [const { Value::Null }; 4];
        for (slot, value) in args.iter_mut().zip(given) {
            *slot = value;
        }
        Call { method, args, count: N }
    }

    /// The call with the key of a keyed object before its arguments.
    fn keyed(mut self, key: Value) -> Self {
        self.args.rotate_right(1);
        self.args[0] = key;
        self.count += 1;
        self
    }

    pub(super) fn args(&self) -> &[Value] {
        &self.args[..self.count]
    }

    pub(super) fn invocation(&self) -> Invocation<'_> {
        Invocation { method: self.method, args: self.args() }
    }
}

/// The built-in objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Register,
    CasRegister,
    Counter,
    Set,
    GrowSet,
    Map,
    Queue,
    Stack,
    PriorityQueue,
    List,
    MultiRegister,
    Bank,
    Mutex,
    KvStore,
}

impl Object {
    /// The object that a specification's name stands for, and whether there is one for each key.
    pub(super) fn of(spec: &str) -> (Self, bool) {
        let (keyed, name) = match spec.trim().strip_prefix("keyed ") {
            Some(inner) => (true, inner.trim()),
            None => (false, spec.trim()),
        };
        let base = name.split_once('(').map_or(name, |(base, _)| base.trim());
        (Self::named(base), keyed)
    }

    fn named(name: &str) -> Self {
        match name {
            "cas-register" => Object::CasRegister,
            "counter" => Object::Counter,
            "set" => Object::Set,
            "grow-set" => Object::GrowSet,
            "map" => Object::Map,
            "queue" => Object::Queue,
            "stack" => Object::Stack,
            "priority-queue" => Object::PriorityQueue,
            "list" => Object::List,
            "multi-register" => Object::MultiRegister,
            "bank" => Object::Bank,
            "mutex" => Object::Mutex,
            "kv-store" => Object::KvStore,
            _ => Object::Register,
        }
    }
}

/// Draws the calls of all clients of one object.
pub(super) struct Calls {
    object: Object,
    keyed: bool,
    keys: usize,
    values: Values,
    /// The next value, if values are distinct.
    next: i64,
    /// The number of last values that are worth looking for.
    window: usize,
    /// The accounts of a bank.
    accounts: Vec<Value>,
    appended: usize,
    /// The holder of each lock, by key.
    holders: BTreeMap<Value, u32>,
}

impl Calls {
    /// The calls for the specification of that name, which is one of the built-in ones.
    pub(super) fn new(name: &str, spec: &dyn Specification, clients: &Clients) -> Self {
        let (object, keyed) = Object::of(name);
        Calls {
            object,
            keyed,
            keys: KEYS as usize,
            values: clients.values,
            next: 1,
            window: 2 * clients.processes.max(1) as usize + 2,
            accounts: if object == Object::Bank { accounts(spec, keyed) } else { Vec::new() },
            appended: 0,
            holders: BTreeMap::new(),
        }
    }

    /// The same with another number of keys, at least 1.
    pub(super) fn keys(self, keys: u32) -> Self {
        Calls { keys: keys as usize, ..self }
    }

    /// A value to insert.
    fn fresh(&mut self, rng: &mut Xoshiro) -> i64 {
        match self.values {
            Values::Distinct => {
                self.next += 1;
                self.next - 1
            }
            Values::Upto(count) => rng.index(count.max(1) as usize) as i64,
        }
    }

    /// A value that was probably inserted not long ago.
    fn recent(&self, rng: &mut Xoshiro) -> i64 {
        match self.values {
            Values::Distinct => (self.next - 1 - rng.index(self.window) as i64).max(1),
            Values::Upto(count) => rng.index(count.max(1) as usize) as i64,
        }
    }

    /// A value that may well be returned.
    pub(super) fn plausible(&self, rng: &mut Xoshiro) -> i64 {
        let value = self.recent(rng);
        if self.object == Object::PriorityQueue { self.priority(value) } else { value }
    }

    /// Numbers in the order of time would make a queue of a priority queue.
    fn priority(&self, value: i64) -> i64 {
        if self.values == Values::Distinct { scramble(value) } else { value }
    }

    pub(super) fn draw(&mut self, slot: u32, rng: &mut Xoshiro) -> Call {
        if self.object == Object::Mutex {
            return self.draw_lock(slot, rng);
        }
        let call = self.draw_plain(rng);
        if self.keyed { call.keyed(self.key(rng)) } else { call }
    }

    fn draw_plain(&mut self, rng: &mut Xoshiro) -> Call {
        let roll = rng.index(100);
        match self.object {
            Object::Register if roll < 50 => Call::new("write", [self.fresh(rng).into()]),
            Object::CasRegister if roll < 30 => Call::new("write", [self.fresh(rng).into()]),
            Object::CasRegister if roll < 65 => {
                let old = self.recent(rng);
                Call::new("cas", [old.into(), self.fresh(rng).into()])
            }
            Object::Register | Object::CasRegister => Call::new("read", []),
            Object::Counter if roll < 40 => Call::new("inc", []),
            Object::Counter if roll < 60 => Call::new("add", [(rng.index(9) as i64 - 2).into()]),
            Object::Counter => Call::new("get", []),
            Object::Set if roll < 40 => Call::new("add", [self.fresh(rng).into()]),
            Object::Set if roll < 75 => Call::new("remove", [self.recent(rng).into()]),
            Object::Set => Call::new("contains", [self.recent(rng).into()]),
            Object::Map if roll < 35 => Call::new("put", [self.key(rng), self.fresh(rng).into()]),
            Object::Map if roll < 60 => Call::new("get", [self.key(rng)]),
            Object::Map if roll < 80 => Call::new("remove", [self.key(rng)]),
            Object::Map if roll < 88 => Call::new("contains_key", [self.key(rng)]),
            Object::Map if roll < 94 => Call::new("contains_value", [self.recent(rng).into()]),
            Object::Map => Call::new("size", []),
            Object::Queue if roll < 50 => Call::new("enqueue", [self.fresh(rng).into()]),
            Object::Queue => Call::new("dequeue", []),
            Object::Stack if roll < 50 => Call::new("push", [self.fresh(rng).into()]),
            Object::Stack => Call::new("pop", []),
            Object::PriorityQueue if roll < 50 => {
                let value = self.fresh(rng);
                Call::new("insert", [self.priority(value).into()])
            }
            Object::PriorityQueue => Call::new("delete_min", []),
            // A read returns the whole object: they get rarer, so that a history stays of the order of its length.
            Object::List | Object::GrowSet if rng.index(8 + self.appended) < 4 => Call::new("read", []),
            Object::List => {
                self.appended += 1;
                Call::new("append", [self.fresh(rng).into()])
            }
            Object::GrowSet => {
                self.appended += 1;
                Call::new("add", [self.fresh(rng).into()])
            }
            Object::MultiRegister => {
                let micros = 1 + rng.index(3);
                let txn: Vec<Value> = (0..micros).map(|_| self.micro(rng)).collect();
                Call::new("txn", [Value::list(txn)])
            }
            Object::Bank if roll < 60 => {
                let (from, to) = (self.account(rng), self.account(rng));
                Call::new("transfer", [from, to, (1 + rng.index(5) as i64).into()])
            }
            Object::Bank if roll < 85 => Call::new("balance", [self.account(rng)]),
            Object::Bank => Call::new("read", []),
            Object::KvStore if roll < 45 => Call::new("get", [self.key(rng)]),
            Object::KvStore => {
                let text = format!("{};", self.fresh(rng));
                let method = if roll < 50 { "put" } else { "append" };
                Call::new(method, [self.key(rng), text.as_str().into()])
            }
            Object::Mutex => Call::new("acquire", []),
        }
    }

    /// One micro-operation of a transaction.
    fn micro(&mut self, rng: &mut Xoshiro) -> Value {
        let register = Value::from(["x", "y", "z"][rng.index(3)]);
        if rng.flip() {
            Value::list([Value::from("r"), register, Value::Null])
        } else {
            Value::list([Value::from("w"), register, self.fresh(rng).into()])
        }
    }

    /// A key of a map, a store or a keyed object.
    fn key(&self, rng: &mut Xoshiro) -> Value {
        Value::from(rng.index(self.keys) as i64)
    }

    fn account(&self, rng: &mut Xoshiro) -> Value {
        if self.accounts.is_empty() {
            Value::Null
        } else {
            self.accounts[rng.index(self.accounts.len())].clone()
        }
    }

    /// A client releases the lock that it holds, and acquires one otherwise.
    fn draw_lock(&mut self, slot: u32, rng: &mut Xoshiro) -> Call {
        let held = self.holders.iter().find(|&(_, &holder)| holder == slot).map(|(key, _)| key.clone());
        let method = if held.is_some() { "release" } else { "acquire" };
        let call = Call::new(method, []);
        if self.keyed { call.keyed(held.unwrap_or_else(|| self.key(rng))) } else { call }
    }

    fn lock(call: &Call) -> Value {
        call.args().first().cloned().unwrap_or_default()
    }

    /// Whether a call cannot take effect for now: the lock is held.
    pub(super) fn must_wait(&self, call: &Call) -> bool {
        call.method == "acquire" && self.holders.contains_key(&Self::lock(call))
    }

    /// The client that must go on before a call can take effect.
    pub(super) fn awaited(&self, call: &Call) -> Option<u32> {
        self.holders.get(&Self::lock(call)).copied()
    }

    pub(super) fn took_effect(&mut self, slot: u32, call: &Call) {
        match call.method {
            "acquire" => drop(self.holders.insert(Self::lock(call), slot)),
            "release" => drop(self.holders.remove(&Self::lock(call))),
            _ => (),
        }
    }

    /// Whether an operation can take effect at any time after its process is gone.
    pub(super) fn may_drift(&self) -> bool {
        self.object != Object::Mutex
    }
}

/// A bijection of the numbers below 2^32 that looks random.
fn scramble(value: i64) -> i64 {
    i64::from((value as u32).wrapping_mul(0x9e37_79b1))
}

/// The accounts of a bank.
pub(super) fn accounts(spec: &dyn Specification, keyed: bool) -> Vec<Value> {
    let args = if keyed { &[Value::Null][..] } else { &[] };
    match spec.replay().call(Invocation { method: "read", args }) {
        Some(Value::List(rows)) => rows
            .iter()
            .filter_map(|row| match row {
                Value::List(pair) => pair.first().cloned(),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
