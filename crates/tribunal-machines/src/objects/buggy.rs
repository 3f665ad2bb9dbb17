//! An object that is atomic except for a bug.

use super::bug::Bug;
use super::calls::{Call, Object as Kind, accounts};
use super::run::Object;
use std::collections::VecDeque;
use tribunal_history::object::{Invocation, Specification, StateId, States, Value};
use tribunal_random::Xoshiro;

/// A bug strikes at one of so many chances.
const SELDOM: usize = 8;
/// The number of states before a call that a stale read may go back.
const STALE: u64 = 16;
/// The number of states that are kept before those that nothing needs are forgotten.
const STATES: usize = 1 << 12;

pub(super) struct Buggy<'a> {
    bug: Bug,
    spec: &'a dyn Specification,
    kind: Kind,
    keys: u32,
    states: Box<dyn States + 'a>,
    /// The states that the object has been in, the present one last, and how many were before them.
    past: VecDeque<StateId>,
    begin: u64,
    /// For each client, how many states there had been when it called.
    called: Vec<u64>,
    /// The calls that returned and have not taken effect.
    late: Vec<Call>,
}

impl<'a> Buggy<'a> {
    pub(super) fn new(bug: Bug, name: &str, spec: &'a dyn Specification, clients: u32, keys: u32) -> Self {
        let mut states = spec.states();
        let (kind, _) = Kind::of(name);
        Buggy {
            bug,
            spec,
            kind,
            keys,
            past: VecDeque::from([states.initial()]),
            states,
            begin: 0,
            called: vec![0; clients as usize],
            late: Vec::new(),
        }
    }

    fn now(&self) -> StateId {
        *self.past.back().expect("the present state is always there")
    }

    /// The number of states that there have been before the present one.
    fn moment(&self) -> u64 {
        self.begin + self.past.len() as u64 - 1
    }

    fn at(&self, moment: u64) -> StateId {
        self.past[(moment.max(self.begin) - self.begin) as usize]
    }

    fn become_state(&mut self, state: StateId) {
        self.past.push_back(state);
        let needed = self.called.iter().copied().min().unwrap_or(0).saturating_sub(STALE);
        // A client that has not called for long needs nothing of that time.
        let oldest = needed.max(self.moment().saturating_sub(STATES as u64 / 4));
        while self.begin < oldest {
            self.past.pop_front();
            self.begin += 1;
        }
        if self.states.len() > STATES {
            self.states.keep(self.past.make_contiguous());
        }
    }

    /// The return of a call in a state, which stays as it is.
    fn answer(&mut self, state: StateId, call: Invocation<'_>) -> Option<Value> {
        self.states.step(state, call).map(|(_, ret)| ret)
    }

    /// The call takes effect as it should.
    fn rightly(&mut self, call: &Call) -> Option<Value> {
        let (state, ret) = self.states.step(self.now(), call.invocation())?;
        self.become_state(state);
        Some(ret)
    }

    /// The effect of a call when the bug strikes; nothing if it is not a call that the bug is about.
    fn wrongly(&mut self, client: u32, call: &Call, rng: &mut Xoshiro) -> Option<Value> {
        let reads = self.spec.read_only(call.invocation());
        let removes = matches!(call.method, "dequeue" | "pop" | "delete_min" | "remove");
        let begin = self.called[client as usize];
        let now = self.now();
        match self.bug {
            Bug::StaleRead if reads => {
                let back = rng.index(STALE as usize) as u64 + 1;
                self.answer(self.at(begin.saturating_sub(back)), call.invocation())
            }
            Bug::LostUpdate if !reads => {
                let (state, ret) = self.states.step(self.at(begin), call.invocation())?;
                self.become_state(state);
                Some(ret)
            }
            Bug::DroppedUpdate if !reads => self.answer(now, call.invocation()),
            Bug::RetriedUpdate if !reads => {
                let ret = self.rightly(call)?;
                self.rightly(call).and(Some(ret))
            }
            Bug::EarlyReturn if !reads => {
                self.late.push(call.clone());
                self.answer(now, call.invocation())
            }
            Bug::DuplicatedRemoval if removes => self.answer(now, call.invocation()),
            Bug::ReorderedRemoval if removes => self.take_second(call),
            Bug::MissedValue if removes || reads => match self.answer(now, call.invocation())? {
                Value::Bool(_) => Some(false.into()),
                Value::Int(_) if call.method == "size" => None,
                _ => Some(Value::Null),
            },
            Bug::TornRead if reads => self.walk(begin, call, rng),
            // An acquire that can take effect is no mistake.
            Bug::DoubleAcquire => self.rightly(call).or(Some(Value::Null)),
            _ => None,
        }
    }

    /// Removes the element behind the first.
    fn take_second(&mut self, call: &Call) -> Option<Value> {
        let (insert, last_in_first_out) = match call.method {
            "dequeue" => ("enqueue", false),
            "pop" => ("push", true),
            _ => ("insert", false),
        };
        let mut elements = Vec::new();
        let mut state = self.now();
        while let (next, Some(element)) = self.states.step(state, call.invocation()).map(present)? {
            elements.push(element);
            state = next;
        }
        if elements.len() < 2 {
            return None;
        }
        let taken = elements.remove(1);
        if last_in_first_out {
            elements.reverse();
        }
        for element in elements {
            let args: Vec<Value> = call.args().iter().cloned().chain([element]).collect();
            state = self.states.step(state, Invocation { method: insert, args: &args })?.0;
        }
        self.become_state(state);
        Some(taken)
    }

    /// Looks at one part after the other, while time goes by from the call until now.
    fn walk(&mut self, begin: u64, call: &Call, rng: &mut Xoshiro) -> Option<Value> {
        let accounts = if self.kind == Kind::Bank { accounts(self.spec, false) } else { Vec::new() };
        let keys = (0..i64::from(self.keys)).map(Value::from);
        let (method, parts): (_, Vec<Value>) = match (self.kind, call.method, call.args()) {
            (Kind::Map, "size", _) => ("contains_key", keys.collect()),
            (Kind::Map, "contains_value", _) => ("get", keys.collect()),
            (Kind::Bank, "read", _) => ("balance", accounts),
            (Kind::MultiRegister, "txn", [Value::List(micros)]) => {
                ("txn", micros.iter().map(|micro| Value::list([micro.clone()])).collect())
            }
            _ => return None,
        };
        let mut moment = begin.max(self.begin);
        let mut seen = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            while moment < self.moment() && rng.index(parts.len() - at) == 0 {
                moment += 1;
            }
            seen.push(self.answer(self.at(moment), Invocation { method, args: std::slice::from_ref(part) })?);
        }
        Some(match (call.method, call.args()) {
            ("size", _) => (seen.iter().filter(|&there| *there == Value::from(true)).count() as i64).into(),
            ("contains_value", [value]) => seen.contains(value).into(),
            ("read", _) => {
                Value::list(parts.into_iter().zip(seen).map(|(part, seen)| Value::list([part, seen])))
            }
            _ => Value::list(seen.iter().filter_map(|seen| match seen {
                Value::List(micros) => micros.first().cloned(),
                _ => None,
            })),
        })
    }
}

/// A return that is an element, if it is one.
fn present((state, ret): (StateId, Value)) -> (StateId, Option<Value>) {
    (state, Some(ret).filter(|ret| *ret != Value::Null))
}

impl Object for Buggy<'_> {
    fn called(&mut self, client: u32) {
        self.called[client as usize] = self.moment();
    }

    fn take_effect(&mut self, client: u32, call: &Call, rng: &mut Xoshiro) -> Option<Value> {
        // A walk is always one; whether a lock is broken has been decided.
        let always = matches!(self.bug, Bug::TornRead | Bug::DoubleAcquire);
        let strikes = always || rng.index(SELDOM) == 0;
        let wrong = if strikes { self.wrongly(client, call, rng) } else { None };
        wrong.or_else(|| self.rightly(call))
    }

    fn breaks_lock(&mut self, rng: &mut Xoshiro) -> bool {
        self.bug == Bug::DoubleAcquire && rng.index(SELDOM) == 0
    }

    fn pass(&mut self, rng: &mut Xoshiro) {
        if !self.late.is_empty() && rng.index(SELDOM) == 0 {
            let call = self.late.swap_remove(rng.index(self.late.len()));
            self.rightly(&call);
        }
    }
}
