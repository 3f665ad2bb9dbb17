//! Lies are found out, each by its smallest example; what is built in does not lie.

use super::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use tribunal_history::object::specs::{
    Bank, CasRegister, Counter, Keyed, KvStore, List, Map, MultiRegister, Mutex, PriorityQueue, Queue,
    Register, Set, Stack,
};
use tribunal_history::object::{Collection, Kind, Others, Signature, Value};

#[path = "../../../../../tests/calls.rs"]
mod calls;

use calls::calls;

fn check<S: Spec>(spec: &S, depth: usize) -> Result<Explored, Box<BrokenPromise>> {
    let calls = calls(spec.signatures());
    let calls: Vec<_> = calls.iter().map(|(method, args)| Invocation { method, args }).collect();
    check_promises(spec, &calls, depth)
}

fn holds<S: Spec + Clone>(spec: S) {
    let kept = |checked: Result<Explored, Box<BrokenPromise>>| match checked {
        Ok(explored) => assert!(explored.states > 1 && explored.runs > 1, "{explored:?}"),
        Err(broken) => panic!("{broken}"),
    };
    kept(check(&spec, 3));
    kept(check(&Keyed::new(spec), 2));
}

#[test]
fn what_is_built_in_keeps_its_promises() {
    holds(Register::new(1.into()));
    holds(CasRegister::default());
    holds(Counter);
    holds(Set);
    holds(Map);
    holds(Queue);
    holds(Stack);
    holds(PriorityQueue);
    holds(List);
    holds(MultiRegister::new([("x".into(), 1.into())]));
    holds(Bank::new([(1.into(), 2), (2.into(), 0)]));
    holds(Mutex);
    holds(KvStore);
}

/// Numbers by key, which lies in one thing, or in nothing.
struct Numbers {
    lie: Option<Promise>,
    steps: AtomicI64,
}

impl Numbers {
    fn new(lie: impl Into<Option<Promise>>) -> Self {
        Numbers { lie: lie.into(), steps: AtomicI64::new(0) }
    }

    fn lies(&self, promise: Promise) -> bool {
        self.lie == Some(promise)
    }
}

impl Spec for Numbers {
    type State = BTreeMap<Value, i64>;

    fn name(&self) -> &str {
        "numbers"
    }

    fn signatures(&self) -> &[Signature] {
        const PUT: Signature = Signature::new("put", &[Kind::Text, Kind::Int], Kind::Null);
        const GET: Signature = Signature::new("get", &[Kind::Text], Kind::Any);
        if self.lies(Promise::Signatures) {
            return const { &[PUT, GET, Signature::new("sum", &[], Kind::Text)] };
        }
        const { &[PUT, GET, Signature::new("sum", &[], Kind::Int)] }
    }

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed);
        match (call.method, call.args) {
            ("put", [key, Value::Int(number)]) => {
                state.insert(key.clone(), *number);
                Some(Value::Null)
            }
            ("get", [key]) => Some(state.get(key).map_or(Value::Null, |&number| number.into())),
            ("sum", []) if self.lies(Promise::Step) => Some(steps.into()),
            ("sum", []) => Some(state.values().sum::<i64>().into()),
            _ => None,
        }
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        let lie = self.lies(Promise::Key).then(|| Value::from("all"));
        call.args.first().cloned().or(lie)
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        let puts = a.method == "put" && b.method == "put";
        puts && (a.args[0] != b.args[0] || a == b || self.lies(Promise::Commute))
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method != "put" || self.lies(Promise::ReadOnly)
    }

    fn unchanged(&self, call: Invocation<'_>, _: &Value) -> bool {
        call.method != "put" || self.lies(Promise::Unchanged)
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "put" && self.lies(Promise::Opaque)).then_some(1)
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        let ("get", [key], Value::Int(number)) = (call.method, call.args, ret) else { return true };
        state.get(key) == Some(number)
            || (!self.lies(Promise::Reachable) && others.any(|other| other.args.last() == Some(ret)))
    }
}

#[test]
fn every_lie_is_found_out() {
    check(&Numbers::new(None), 3).unwrap_or_else(|broken| panic!("{broken}"));
    for (promise, text) in [
        (Promise::Step, "step of sum(): a state and a call have one outcome; at first"),
        (
            Promise::Signatures,
            "signatures of sum(): calls and returns have the types of a signature; at first",
        ),
        (Promise::Key, "key of put(\"a\", 1) and sum(): calls of different keys neither see nor change"),
        (Promise::Commute, "commute of put(\"a\", 1) and put(\"a\", 2): the two have the same effect"),
        (
            Promise::ReadOnly,
            "read_only of put(\"a\", 1): it never changes the state; at first, where the object is {}",
        ),
        (
            Promise::Unchanged,
            "unchanged of put(\"a\", 1): it returns this only where it leaves the state as it is",
        ),
        (
            Promise::Opaque,
            "opaque of put(\"a\", 1): the argument is stored without being looked at; after put(\"a\", 1); put(\"b\", 2); sum()",
        ),
        (
            Promise::Reachable,
            "reachable of get(\"a\"): a return that is out of reach does not come about; at first",
        ),
    ] {
        let broken = check(&Numbers::new(promise), 3).expect_err("a lie");
        assert_eq!(broken.promise, promise, "{broken}");
        assert!(broken.to_string().starts_with(&format!("numbers breaks {text}")), "{broken}");
    }
}

/// Last in, first out, and says that it is a queue.
struct Backward;

impl Spec for Backward {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "backward"
    }

    fn signatures(&self) -> &[Signature] {
        Queue.signatures()
    }

    fn initial(&self) -> Vec<Value> {
        Vec::new()
    }

    fn step(&self, state: &mut Vec<Value>, call: Invocation<'_>) -> Option<Value> {
        match call.args {
            [value] => state.push(value.clone()),
            _ => return Some(state.pop().unwrap_or_default()),
        }
        Some(Value::Null)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Queue)
    }
}

#[test]
fn another_collection_is_found_out() {
    assert!(check(&Backward, 2).is_ok(), "two calls do not tell");
    let broken = check(&Backward, 3).expect_err("not first in, first out");
    assert_eq!(
        broken.to_string(),
        "backward breaks collection of dequeue(): it does what the built-in collection does; \
         after enqueue(1); enqueue(2), where the object is [1, 2], it returns 2, and that of queue returns 1"
    );
}

#[test]
fn calls_that_do_not_fit_are_named() {
    let wrong = [Invocation { method: "enqeue", args: &[] }];
    let broken = check_promises(&Queue, &wrong, 2).expect_err("no such method");
    assert!(broken.promise == Promise::Signatures && broken.to_string().contains("did you mean `enqueue`?"));
    assert_eq!(check_promises(&Queue, &[], 5), Ok(Explored { states: 1, runs: 1 }));
}
