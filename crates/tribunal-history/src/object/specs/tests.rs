//! What specifications say of themselves, compared with what they do: random calls in random states.

use super::*;
use crate::object::{Builder, Collection, History, Invocation, Specification, Value};
use tribunal_random::Random;

/// A call that a test owns.
type Call = (&'static str, Vec<Value>);

fn invocation(call: &Call) -> Invocation<'_> {
    Invocation { method: call.0, args: &call.1 }
}

/// One of few texts, so that values meet, and numbers are never values.
fn value(random: &mut Random) -> Value {
    ["u", "v", "w", ""][random.index(4)].into()
}

fn args_of(spec: &str, method: &str, random: &mut Random) -> Vec<Value> {
    let number = |random: &mut Random| Value::Int(random.index(5) as i64 - 1);
    match (spec, method) {
        ("counter", "add") => vec![number(random)],
        ("priority-queue", "insert") => vec![number(random)],
        ("bank", "transfer") => vec![value(random), value(random), number(random)],
        ("multi-register", _) => {
            let micros = (0..random.index(4)).map(|_| {
                let (what, read) = [("r", true), ("w", false), ("read", true)][random.index(3)];
                let given = if read && random.index(3) > 0 { Value::Null } else { value(random) };
                Value::list([what.into(), value(random), given])
            });
            vec![Value::list(micros.collect::<Vec<_>>())]
        }
        (_, "put" | "append") if spec != "list" => vec![value(random), value(random)],
        (_, "cas") => vec![value(random), value(random)],
        (_, "read" | "get" | "inc" | "size" | "dequeue" | "pop" | "delete_min" | "acquire" | "release")
            if !(method == "get" && matches!(spec, "map" | "kv-store")) =>
        {
            vec![]
        }
        _ => vec![value(random)],
    }
}

/// The specifications under test, and the method names of each.
fn subjects() -> Vec<(&'static str, Box<dyn Specification>)> {
    let initial = |base: &str| match base {
        "bank" => "bank({\"u\": 3, \"v\": 1, \"\": 0})".to_string(),
        "cas-register" => "cas-register(\"u\")".into(),
        "multi-register" => "multi-register({\"u\": \"v\"})".into(),
        other => other.into(),
    };
    let mut subjects = Vec::new();
    for base in NAMES {
        subjects.push((base, named(&initial(base)).expect(base)));
        let keyed = format!("keyed {}", initial(base));
        subjects.push((base, named(&keyed).expect(base)));
    }
    subjects
}

fn draw(base: &str, spec: &dyn Specification, random: &mut Random) -> Call {
    let methods = spec.signatures();
    let signature = &methods[random.index(methods.len())];
    let method = ALL_METHODS.into_iter().find(|name| *name == signature.method).expect("a method known here");
    let mut args = args_of(base, method, random);
    if spec.name().starts_with("keyed") {
        args.insert(0, Value::Int(random.index(2) as i64));
    }
    (method, args)
}

const ALL_METHODS: [&str; 24] = [
    "write",
    "read",
    "cas",
    "inc",
    "add",
    "get",
    "remove",
    "contains",
    "put",
    "contains_key",
    "contains_value",
    "size",
    "enqueue",
    "dequeue",
    "push",
    "pop",
    "insert",
    "delete_min",
    "append",
    "txn",
    "transfer",
    "balance",
    "acquire",
    "release",
];

/// The returns of these calls from the initial state, and the state after them; nothing if one cannot take effect.
fn run(spec: &dyn Specification, calls: &[&Call]) -> Option<(Vec<Value>, String)> {
    let mut replay = spec.replay();
    let returns = calls.iter().map(|call| replay.call(invocation(call))).collect::<Option<Vec<_>>>()?;
    Some((returns, replay.show()))
}

/// A state, as the calls that lead to it: those that cannot take effect are left out.
fn prefix(base: &str, spec: &dyn Specification, random: &mut Random) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for _ in 0..random.index(7) {
        calls.push(draw(base, spec, random));
        if run(spec, &calls.iter().collect::<Vec<_>>()).is_none() {
            calls.pop();
        }
    }
    calls
}

const ROUNDS: u64 = 1000;

#[test]
fn claims_hold() {
    for (base, spec) in subjects() {
        let spec = &*spec;
        for seed in 0..ROUNDS {
            let random = &mut Random::new(seed);
            let before = prefix(base, spec, random);
            let (a, b) = (draw(base, spec, random), draw(base, spec, random));
            let with =
                |more: &[&Call]| run(spec, &before.iter().chain(more.iter().copied()).collect::<Vec<_>>());
            let at = |what: &str| format!("{}: {what} of {a:?} and {b:?} after {before:?}", spec.name());
            let (here, then) = (with(&[]).expect("a state"), with(&[&a]));
            if let Some((returns, state)) = &then {
                let ret = returns.last().expect("a return");
                let claims = spec.read_only(invocation(&a)) || spec.unchanged(invocation(&a), ret);
                assert!(!claims || *state == here.1, "{}", at("read-only"));
                let kind =
                    spec.signatures().iter().find(|signature| signature.method == a.0).expect("a method");
                assert!(kind.returns.admits(ret), "{}", at("kind"));
                assert_eq!(kind.args.len(), a.1.len(), "{}", at("arity"));
            }
            let swapped = |(mut returns, state): (Vec<Value>, String)| {
                let last = returns.len() - 1;
                returns.swap(last, last - 1);
                (returns, state)
            };
            let both = (with(&[&a, &b]), with(&[&b, &a]).map(swapped));
            assert_eq!(
                spec.commute(invocation(&a), invocation(&b)),
                spec.commute(invocation(&b), invocation(&a)),
                "{}",
                at("symmetry")
            );
            if spec.commute(invocation(&a), invocation(&b)) {
                assert_eq!(both.0, both.1, "{}", at("commute"));
            }
            if let (Some(one), Some(other)) = (spec.key(invocation(&a)), spec.key(invocation(&b)))
                && one != other
            {
                assert_eq!(both.0, both.1, "{}", at("key"));
                let alone = |call| then_return(with(&[call]));
                let after = |first, call| then_return(with(&[first, call]));
                if then.is_some() {
                    assert_eq!(alone(&b), after(&a, &b), "{}", at("key sees"));
                }
            }
        }
    }
}

fn then_return(ran: Option<(Vec<Value>, String)>) -> Option<Value> {
    ran.and_then(|(returns, _)| returns.last().cloned())
}

/// A key's own operations alone give them the same returns as all operations do.
#[test]
fn keys_are_projections() {
    for (base, spec) in subjects() {
        for seed in 0..ROUNDS / 4 {
            let random = &mut Random::new(seed);
            let calls = prefix(base, &*spec, random);
            let keys: Vec<_> = calls.iter().map(|call| spec.key(invocation(call))).collect();
            if keys.iter().any(Option::is_none) {
                continue;
            }
            let (returns, _) = run(&*spec, &calls.iter().collect::<Vec<_>>()).expect("a run");
            for key in &keys {
                let of_key = || (0..calls.len()).filter(|&at| keys[at] == *key);
                let projected: Vec<&Call> = of_key().map(|at| &calls[at]).collect();
                let (alone, _) = run(&*spec, &projected).expect("a run of one key");
                let expected: Vec<Value> = of_key().map(|at| returns[at].clone()).collect();
                assert_eq!(alone, expected, "{} {calls:?}", spec.name());
            }
        }
    }
}

/// A value that an opaque argument stores, and that is mentioned nowhere else, may be any other, even an equal one.
#[test]
fn opaque_values_can_be_renamed() {
    fn mentions(value: &Value, of: &Value) -> usize {
        let inside = match value {
            Value::List(values) => values.iter().map(|value| mentions(value, of)).sum(),
            _ => 0,
        };
        inside + usize::from(value == of)
    }
    let mut merged = 0;
    for (base, spec) in subjects() {
        for seed in 0..ROUNDS {
            let calls = prefix(base, &*spec, &mut Random::new(seed));
            let returns = |calls: &[Call]| run(&*spec, &calls.iter().collect::<Vec<_>>()).expect("a run").0;
            let said = returns(&calls);
            let all = || calls.iter().flat_map(|call| &call.1).chain(&said);
            let places: Vec<(usize, usize)> = (0..calls.len())
                .filter_map(|at| Some((at, spec.opaque(invocation(&calls[at]))?)))
                .filter(|&(at, arg)| {
                    all().map(|value| mentions(value, &calls[at].1[arg])).sum::<usize>() == 1
                })
                .collect();
            let Some(&(at, arg)) = places.last() else { continue };
            let (first, its_arg) = places[0];
            merged += u32::from(first != at);
            for new in [Value::from("fresh"), calls[first].1[its_arg].clone()] {
                let mut other = calls.clone();
                other[at].1[arg] = new;
                assert_eq!(returns(&other), said, "{} {calls:?}: {other:?}", spec.name());
            }
        }
    }
    assert!(merged > 100, "only {merged} pairs");
}

/// The claims are not empty: each specification makes those that its kind has.
#[test]
fn claims_are_made() {
    let claims = |name: &str| {
        let base = name.split('(').next().expect("a name").trim_start_matches("keyed ");
        let spec = named(name).expect(name);
        let mut random = Random::new(7);
        let (mut keys, mut idle, mut opaque, mut commute) = (0, 0, 0, 0);
        for _ in 0..1000 {
            let (a, b) = (draw(base, &*spec, &mut random), draw(base, &*spec, &mut random));
            keys += u32::from(spec.key(invocation(&a)).is_some());
            idle += u32::from(spec.read_only(invocation(&a)));
            opaque += u32::from(spec.opaque(invocation(&a)).is_some());
            commute += u32::from(spec.commute(invocation(&a), invocation(&b)));
        }
        (keys > 0, idle > 0, opaque > 0, commute > 0, spec.collection())
    };
    assert_eq!(claims("register(1)"), (false, true, true, true, Some(Collection::Register(Value::Int(1)))));
    assert_eq!(claims("cas-register"), (false, true, true, true, Some(Collection::Register(Value::Null))));
    assert_eq!(claims("counter"), (false, true, false, true, None));
    assert_eq!(claims("set"), (true, true, false, true, Some(Collection::Set)));
    assert_eq!(claims("map"), (true, true, true, true, None));
    assert_eq!(claims("queue"), (false, false, true, true, Some(Collection::Queue)));
    assert_eq!(claims("stack"), (false, false, true, true, Some(Collection::Stack)));
    assert_eq!(claims("priority-queue"), (false, false, false, true, Some(Collection::PriorityQueue)));
    assert_eq!(claims("list"), (false, true, true, true, Some(Collection::List)));
    assert_eq!(claims("multi-register"), (true, true, false, true, None));
    assert_eq!(claims("bank"), (false, true, false, true, None));
    assert_eq!(claims("mutex"), (false, false, false, true, None));
    assert_eq!(claims("kv-store"), (true, true, false, true, Some(Collection::KvStore)));
    assert_eq!(claims("keyed queue"), (true, false, true, true, None));
    assert_eq!(claims("keyed list"), (true, true, true, true, Some(Collection::KeyedList)));
}

#[test]
fn names_and_parameters() {
    let wrong = |name: &str| named(name).err().map(|error| error.to_string()).expect("an error");
    assert!(
        wrong("heap").starts_with("unknown specification `heap`; expected one of register, cas-register,")
    );
    assert!(wrong("").starts_with("unknown specification ``"));
    assert!(wrong("keyed keyed set").starts_with("unknown specification"));
    assert_eq!(wrong("queue(1)"), "specification `queue(1)`, column 6: queue takes no parameter");
    assert_eq!(wrong("register(1"), "specification `register(1`, column 11: expected `)`, found the end");
    assert_eq!(wrong("register 1"), "specification `register 1`, column 10: expected the end, found 1");
    assert_eq!(
        wrong("bank({\"a\": \"b\"})"),
        "specification `bank({\"a\": \"b\"})`, column 6: the balance of \"a\" is \"b\", expected a whole number"
    );
    assert_eq!(
        wrong("multi-register(3)"),
        "specification `multi-register(3)`, column 16: expected a map such as {\"x\": 0}"
    );
    assert!(wrong(&format!("register({}", "[".repeat(100_000))).ends_with("nested more than 40 deep"));
    assert!(wrong("register(§)").ends_with("column 10: unexpected character '§'"));
    let start = |name: &str, method| {
        named(name).expect(name).replay().call(Invocation { method, args: &[] }).expect("a return")
    };
    assert_eq!(start("register(\"x\\n\")", "read"), Value::from("x\n"));
    assert_eq!(start(" register ( [ -1 , null, [] ] )", "read").to_string(), "[-1, null, []]");
    assert_eq!(start("bank({\"b\": 1, \"a\": 2})", "read").to_string(), "[[\"a\", 2], [\"b\", 1]]");
}

/// What came about by some of the others, in some order, was not said to be out of reach.
#[test]
fn what_comes_about_is_reachable() {
    let mut random = Random::new(11);
    for (base, spec) in subjects() {
        for _ in 0..2000 {
            let mut b = History::builder();
            let process = b.process("0");
            let mut replay = spec.replay();
            let mut run = |count: usize, b: &mut Builder, random: &mut Random| {
                let mut ops = Vec::new();
                while ops.len() < count {
                    let call = draw(base, &*spec, random);
                    // Nothing more is asked of a run that has come to its end.
                    let ret = replay.call(invocation(&call))?;
                    ops.push((b.operation(process, call.0, &call.1, None), ret));
                }
                Some(ops)
            };
            let (past, between) = (random.index(4), random.index(4));
            let Some(past) = run(past, &mut b, &mut random) else { continue };
            let Some(mut others) = run(between, &mut b, &mut random) else { continue };
            let call = draw(base, &*spec, &mut random);
            let Some(ret) = replay.call(invocation(&call)) else { continue };
            let op = b.operation(process, call.0, &call.1, Some(ret));
            // Some more that did not take effect, anywhere among them.
            for _ in 0..random.index(3) {
                let call = draw(base, &*spec, &mut random);
                let other = b.operation(process, call.0, &call.1, None);
                others.insert(random.index(others.len() + 1), (other, Value::Null));
            }
            let history = b.build().expect("well-formed");
            let mut machine = spec.machine(&history);
            let state = past.iter().try_fold(machine.initial(), |state, &(op, _)| machine.execute(state, op));
            let state = state.expect("it took effect before");
            let reachable = machine.reachable(state, op, &mut others.iter().map(|&(op, _)| op));
            assert!(reachable, "{}: {}", spec.name(), history.show(op));
        }
    }
}
