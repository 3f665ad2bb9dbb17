//! Lists and texts that are appended to against the textbooks' search: verdicts and certificates, on small random histories
//! with pending operations, repeated pieces, puts and wrong reads.

use tribunal_engines::Engine;
use tribunal_engines::object::{check, judge_by};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{Keyed, KvStore, List};
use tribunal_history::object::{
    Criterion, History, Invocation, OpId, Specification, Unsupported, Value, Verdict,
};
use tribunal_machines::objects::{Clients, Values};
use tribunal_random::Random;
use tribunal_verify::object::verify;

/// What clients do; each number is one in how many, and 0 never.
#[derive(Clone, Copy, Debug)]
struct Mix {
    operations: usize,
    processes: usize,
    keys: usize,
    puts: usize,
    repeated: usize,
    pending: usize,
    lies: usize,
    /// Whether some pieces begin with others, or are empty.
    odd: bool,
}

const MIX: Mix =
    Mix { operations: 9, processes: 4, keys: 1, puts: 0, repeated: 0, pending: 8, lies: 12, odd: false };

struct Open {
    op: OpId,
    method: &'static str,
    args: Vec<Value>,
    result: Option<Value>,
}

/// Clients whose operations take effect at some moment while they are open.
fn run(spec: &dyn Specification, mix: Mix, random: &mut Random) -> History {
    let mut object = spec.replay();
    let mut b = History::builder();
    let mut open: Vec<Option<Open>> = (0..mix.processes).map(|_| None).collect();
    let (mut called, mut crashed, mut time) = (0, 0, 0);
    while called < mix.operations || open.iter().any(Option::is_some) {
        time += 1;
        let slot = random.index(mix.processes);
        let Some(mut operation) = open[slot].take() else {
            if called < mix.operations {
                let (method, args) = draw(spec.name(), mix, called, random);
                let process = b.process(&format!("{slot}.{crashed}"));
                let op = b.call(process, method, &args, time);
                open[slot] = Some(Open { op, method, args, result: None });
                called += 1;
            }
            continue;
        };
        let never = random.one_in(mix.pending);
        if operation.result.is_none() && !(never && random.one_in(2)) {
            operation.result = object.call(Invocation { method: operation.method, args: &operation.args });
            open[slot] = Some(operation);
        } else if never {
            crashed += 1;
        } else if let Some(mut result) = operation.result {
            if random.one_in(mix.lies) {
                result = lie(&result, random);
            }
            b.ret(operation.op, result, time);
        }
    }
    b.build().expect("well-formed")
}

fn draw(spec: &str, mix: Mix, at: usize, random: &mut Random) -> (&'static str, Vec<Value>) {
    let key = Value::from(random.index(mix.keys) as i64);
    let at = if random.one_in(mix.repeated) { random.index(at + 1) } else { at } as i64;
    match (spec, random.index(2)) {
        ("list", 0) => ("append", vec![Value::from(at)]),
        ("list", _) => ("read", vec![]),
        ("keyed list", 0) => ("append", vec![key, Value::from(at)]),
        ("keyed list", _) => ("read", vec![key]),
        (_, 0) => {
            let odd = ["", "1", "1;2;", ";"];
            let text = match mix.odd && random.one_in(3) {
                true => odd[random.index(odd.len())].to_string(),
                false => format!("{at};"),
            };
            let method = if random.one_in(mix.puts) { "put" } else { "append" };
            (method, vec![key, text.as_str().into()])
        }
        (_, _) => ("get", vec![key]),
    }
}

/// Something else that a read might have returned.
fn lie(truth: &Value, random: &mut Random) -> Value {
    let mut parts: Vec<Value> = match truth {
        Value::List(values) => values.to_vec(),
        Value::Text(text) => text.split_inclusive(';').map(Value::from).collect(),
        other => return other.clone(),
    };
    let at = random.index(parts.len() + 1);
    let other = random.index(9) as i64;
    match random.index(4) {
        0 if at < parts.len() => drop(parts.remove(at)),
        1 if at < parts.len() => parts.swap(at, 0),
        2 => parts.truncate(at),
        _ => parts.insert(
            at,
            if let Value::List(_) = truth { other.into() } else { format!("{other};").as_str().into() },
        ),
    }
    match truth {
        Value::List(_) => Value::list(parts),
        _ => {
            let text: String = parts.iter().filter_map(|part| as_text(part)).collect();
            text.as_str().into()
        }
    }
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn shown(history: &History) -> String {
    let events = history.intervals().map(|intervals| format!("{:?}", intervals.events));
    let ops: Vec<String> = history.ops().map(|op| format!("{}: {}", op.0, history.show(op))).collect();
    format!("{}\n{}", ops.join("\n"), events.unwrap_or_default())
}

/// How many histories were found linearizable, not linearizable, and were left to the search, at least in part.
fn agree(spec: &dyn Specification, mix: Mix, runs: u64) -> [u32; 3] {
    let mut counts = [0; 3];
    for seed in 0..runs {
        let history = run(spec, mix, &mut Random::new(seed * 0x9e37_79b9 + 1));
        let typed = history.typed(spec).expect("typed");
        let criterion = Criterion::Linearizable;
        let by = |engine| {
            judge_by(&typed, &criterion, engine, &Limits::default()).expect("an engine of the criterion").0
        };
        let (verdict, left) = match by(Engine::Collection) {
            Verdict::Unsupported(why) => {
                assert_eq!(why, Unsupported::NotDistinct);
                (check(&typed, &criterion), true)
            }
            verdict => (verdict, false),
        };
        let baseline = by(Engine::WingGong);
        assert_eq!(verdict.word(), baseline.word(), "{mix:?}, seed {seed}: {verdict:?}\n{}", shown(&history));
        if let Err(refusal) = verify(&history, spec, &criterion, &verdict) {
            panic!("{mix:?}, seed {seed}: {refusal}: {verdict:?}\n{}", shown(&history));
        }
        counts[if left { 2 } else { usize::from(verdict.is_inconsistent()) }] += 1;
    }
    println!("{}: {counts:?} of {mix:?}", spec.name());
    counts
}

/// Without repeated pieces everything is decided, and both answers are given.
fn decides(spec: &dyn Specification, mix: Mix, runs: u64) {
    let [yes, no, left] = agree(spec, mix, runs);
    assert!(yes > 0 && no > 0 && left == 0, "{yes} {no} {left}");
}

/// With them some is left to the search, and both answers are given.
fn decides_some(spec: &dyn Specification, mix: Mix, runs: u64) {
    let [yes, no, left] = agree(spec, mix, runs);
    assert!(yes > 0 && no > 0 && left > 0, "{yes} {no} {left}");
}

#[test]
fn lists() {
    decides(&List, MIX, 8_000);
    decides(&List, Mix { operations: 7, processes: 7, pending: 3, ..MIX }, 4_000);
    decides(&List, Mix { operations: 14, processes: 3, pending: 0, lies: 20, ..MIX }, 4_000);
}

#[test]
fn keyed_lists() {
    decides(&Keyed::new(List), Mix { operations: 9, keys: 2, ..MIX }, 4_000);
    decides_some(&Keyed::new(List), Mix { operations: 10, keys: 2, repeated: 4, pending: 0, ..MIX }, 4_000);
}

#[test]
fn lists_with_repeated_values() {
    decides_some(&List, Mix { repeated: 3, ..MIX }, 8_000);
}

#[test]
fn texts() {
    decides(&KvStore, MIX, 6_000);
    decides(&KvStore, Mix { puts: 3, ..MIX }, 8_000);
    decides(&KvStore, Mix { operations: 8, processes: 6, puts: 2, pending: 4, ..MIX }, 6_000);
    decides(&KvStore, Mix { operations: 16, processes: 3, puts: 3, pending: 0, lies: 20, ..MIX }, 4_000);
    decides(&KvStore, Mix { operations: 10, keys: 2, puts: 4, pending: 0, ..MIX }, 3_000);
}

#[test]
fn texts_with_repeated_and_odd_pieces() {
    decides_some(&KvStore, Mix { puts: 3, repeated: 3, ..MIX }, 8_000);
    decides_some(&KvStore, Mix { puts: 3, repeated: 6, odd: true, ..MIX }, 8_000);
}

/// A key whose reads do not tell who wrote what is searched alone.
#[test]
fn keys_of_which_some_are_ambiguous() {
    decides_some(&KvStore, Mix { operations: 10, keys: 3, puts: 4, repeated: 4, pending: 0, ..MIX }, 4_000);
}

/// What no list and no text returns is left to the search, which knows that nothing explains it.
#[test]
fn returns_of_another_kind() {
    let calls: [(&dyn Specification, &str, Vec<Value>, Value); 5] = [
        (&List, "append", vec![1.into()], 1.into()),
        (&List, "read", vec![], "".into()),
        (&List, "read", vec![], Value::Null),
        (&KvStore, "get", vec![0.into()], Value::list([])),
        (&KvStore, "put", vec![0.into(), "1".into()], "1".into()),
    ];
    for (spec, method, args, ret) in calls {
        let mut b = History::builder();
        let process = b.process("0");
        let op = b.call(process, method, &args, 0);
        b.ret(op, ret, 1);
        let history = b.build().expect("well-formed");
        let typed = history.typed(spec).expect("typed");
        let verdict = check(&typed, &Criterion::Linearizable);
        assert!(verdict.is_inconsistent(), "{}", shown(&history));
        assert!(verify(&history, spec, &Criterion::Linearizable, &verdict).is_ok());
    }
}

/// A long history with one wrong read is refuted by a few operations of a list.
#[test]
fn parts_are_small() {
    let clients = Clients {
        processes: 8,
        operations: 20_000,
        values: Values::Distinct,
        concurrency: 90,
        pending: 0.01,
        lies: 0.0,
        seed: 3,
    };
    let sound = clients.run("list");
    let by = |history: &History| {
        let typed = history.typed(&List).expect("typed");
        judge_by(&typed, &Criterion::Linearizable, Engine::Collection, &Limits::default())
            .expect("an engine of the criterion")
            .0
    };
    let verdict = by(&sound);
    assert!(verdict.is_consistent());
    assert!(verify(&sound, &List, &Criterion::Linearizable, &verdict).is_ok());
    let wrong = (0..).map(|seed| Clients { lies: 0.1, seed, ..clients.clone() }.run("list"));
    for history in wrong.take(5) {
        match by(&history) {
            Verdict::Inconsistent(violation) => {
                assert!(violation.operations.len() <= 6, "{violation:?}");
                let verdict = Verdict::Inconsistent(violation);
                let accepted = verify(&history, &List, &Criterion::Linearizable, &verdict);
                assert!(accepted.is_ok(), "{accepted:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
