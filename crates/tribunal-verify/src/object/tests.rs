//! What refusals say, and what costs how much.

use super::{Accepted, Hints, Refusal, verify_violation, verify_witness};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{Queue, Register};
use tribunal_history::object::{
    AbstractExecution, Criterion, History, Invocation, Kind, OpId, Signature, Spec, Value, Violation,
    Visibility,
};

/// One operation after another, each by a process, with a return or pending.
fn one_by_one(calls: &[(&str, &str, &[i64], Option<Value>)]) -> History {
    let mut builder = History::builder();
    for (time, (process, method, args, ret)) in calls.iter().enumerate() {
        let args: Vec<Value> = args.iter().map(|&arg| Value::from(arg)).collect();
        let process = builder.process(process);
        let op = builder.call(process, method, &args, 2 * time as u64);
        if let Some(ret) = ret {
            builder.ret(op, ret.clone(), 2 * time as u64 + 1);
        }
    }
    builder.build().expect("a history")
}

fn ops(ids: &[u32]) -> Vec<OpId> {
    ids.iter().map(|&id| OpId(id)).collect()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Refusal>) -> String {
    result.expect_err("refused").to_string()
}

/// Accepted by what the specification does alone.
const ALONE: Result<Accepted, Refusal> = Ok(Accepted { trusting: Hints::NONE });

fn stale() -> History {
    one_by_one(&[
        ("0", "write", &[1], Some(Value::Null)),
        ("1", "read", &[], Some(Value::Null)),
        ("1", "write", &[2], None),
    ])
}

#[test]
fn refusals_of_witnesses_name_operations() {
    let history = stale();
    let verify = |criterion: &Criterion, lin: &[u32], vis: Visibility| {
        let execution = AbstractExecution { lin: ops(lin), vis };
        verify_witness(&history, &Register::default(), criterion, &execution, &Limits::default())
    };
    let sets = |sets: &[&[u32]]| Visibility::Sets(sets.iter().map(|set| ops(set)).collect());
    assert_eq!(verify(&Criterion::Weak, &[0, 1], sets(&[&[], &[]])), Ok(()));
    assert_eq!(verify(&Criterion::Sequential, &[1, 2, 0], Visibility::All), Ok(()));
    let said = |lin: &[u32], vis: Visibility| refusal(verify(&Criterion::Hbvis, lin, vis));
    assert_eq!(said(&[0, 1, 7], Visibility::All), "there is no operation 7: the history has 3");
    assert_eq!(
        said(&[0, 0, 1], Visibility::All),
        "lin lists operation 0 (0: write(1) → null) more than once"
    );
    assert_eq!(
        said(&[0], Visibility::All),
        "lin does not list operation 1 (1: read() → null), which returned"
    );
    assert_eq!(
        said(&[1, 0], Visibility::All),
        "lin has operation 1 (1: read() → null) before operation 0 (0: write(1) → null), but hb orders them the other way"
    );
    assert_eq!(said(&[0, 1], sets(&[&[]])), "vis is given for 1 operations, but lin has 2");
    assert_eq!(
        said(&[0, 1], sets(&[&[1], &[]])),
        "operation 0 (0: write(1) → null) sees operation 1 (1: read() → null), which is not before it in lin"
    );
    assert_eq!(
        said(&[0, 1], sets(&[&[], &[0, 0]])),
        "what operation 1 (1: read() → null) sees is not in lin order at operation 0 (0: write(1) → null)"
    );
    assert_eq!(
        said(&[0, 1], sets(&[&[], &[]])),
        "vis >= hb is broken: it relates operation 0 (0: write(1) → null) to operation 1 (1: read() → null), and vis does not"
    );
    assert_eq!(
        said(&[0, 1], Visibility::All),
        "operation 1 (1: read() → null) would return 1 after what it sees"
    );
    assert_eq!(
        refusal(verify(&Criterion::Sequential, &[2, 1, 0], Visibility::All)),
        "lin has operation 2 (1: write(2) pending) before operation 1 (1: read() → null), but po orders them the other way"
    );
}

#[test]
fn refusals_of_violations_name_operations() {
    let history = stale();
    let verify = |criterion: &Criterion, operations: &[u32], cut: Option<u32>| {
        let violation = Violation { operations: ops(operations), cut };
        verify_violation(&history, &Register::default(), criterion, &violation, &Limits::default())
    };
    assert_eq!(verify(&Criterion::Linearizable, &[0, 1], Some(4)), ALONE);
    assert_eq!(verify(&Criterion::Hbvis, &[0, 1], Some(4)), ALONE);
    // No read returns what the pending write wrote.
    assert_eq!(verify(&Criterion::Linearizable, &[0, 1], None), ALONE);
    let said =
        |operations: &[u32], cut: Option<u32>| refusal(verify(&Criterion::Linearizable, operations, cut));
    assert_eq!(said(&[0, 3], None), "there is no operation 3: the history has 3");
    assert_eq!(said(&[1, 0], None), "the part lists operation 0 (0: write(1) → null) out of order");
    assert_eq!(said(&[0, 1], Some(6)), "the cut is after 6 events, but there are 5");
    assert_eq!(
        said(&[0, 1, 2], Some(4)),
        "the part has operation 2 (1: write(2) pending), which was called after the cut"
    );
    assert_eq!(verify(&Criterion::Linearizable, &[0, 1, 2], Some(5)), ALONE);
    assert_eq!(
        refusal(verify(&Criterion::Weak, &[0, 1, 2], Some(5))),
        "the part of 3 operations satisfies the criterion"
    );
}

#[test]
fn what_may_matter_is_not_left_out() {
    // The second dequeue shows that one value was taken by the pending one.
    let history = one_by_one(&[
        ("0", "enqueue", &[1], Some(Value::Null)),
        ("1", "dequeue", &[], None),
        ("2", "dequeue", &[], Some(Value::Null)),
    ]);
    let verify = |operations: &[u32]| {
        let violation = Violation { operations: ops(operations), cut: None };
        verify_violation(&history, &Queue, &Criterion::Linearizable, &violation, &Limits::default())
    };
    assert_eq!(
        refusal(verify(&[0, 2])),
        "the part omits operation 1 (1: dequeue() pending), which may matter"
    );
    assert_eq!(refusal(verify(&[0, 1, 2])), "the part of 3 operations satisfies the criterion");
}

#[test]
fn a_null_that_was_inserted_says_nothing_of_emptiness() {
    let mut builder = History::builder();
    let process = builder.process("0");
    let calls: [(&str, &[Value], Value); 4] = [
        ("enqueue", &[Value::Null], Value::Null),
        ("enqueue", &[Value::Int(1)], Value::Null),
        ("dequeue", &[], Value::Null),
        ("dequeue", &[], Value::Int(1)),
    ];
    for (time, (method, args, ret)) in (0..).zip(calls) {
        let op = builder.call(process, method, args, 2 * time);
        builder.ret(op, ret, 2 * time + 1);
    }
    let history = builder.build().expect("a history");
    let violation = Violation { operations: ops(&[0, 1, 3]), cut: None };
    let refused =
        verify_violation(&history, &Queue, &Criterion::Linearizable, &violation, &Limits::default());
    assert_eq!(refusal(refused), "the part omits operation 2 (0: dequeue() → null), which may matter");
}

/// Remembers every order of its calls: nothing can be pruned.
struct Journal;

impl Spec for Journal {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "journal"
    }

    fn signatures(&self) -> &[Signature] {
        const { &[Signature::new("note", &[Kind::Any], Kind::Null), Signature::new("read", &[], Kind::List)] }
    }

    fn initial(&self) -> Vec<Value> {
        Vec::new()
    }

    fn step(&self, state: &mut Vec<Value>, call: Invocation<'_>) -> Option<Value> {
        match call.args {
            [value] => {
                state.push(value.clone());
                Some(Value::Null)
            }
            _ => Some(Value::list(state.iter().cloned())),
        }
    }
}

#[test]
fn what_is_too_much_to_try_is_refused() {
    let mut builder = History::builder();
    let mut ends = Vec::new();
    for at in 0..12 {
        let process = builder.process(&at.to_string());
        ends.push(builder.call(process, "note", &[Value::from(at)], at as u64));
    }
    for (time, op) in (100..).zip(ends) {
        builder.ret(op, Value::Null, time);
    }
    let process = builder.process("reader");
    let read = builder.call(process, "read", &[], 1000);
    builder.ret(read, Value::list([]), 1001);
    let history = builder.build().expect("a history");
    let violation = Violation { operations: history.ops().collect(), cut: None };
    for criterion in [Criterion::Linearizable, Criterion::Hbvis] {
        let limits = Limits { max_states: 1000, ..Limits::default() };
        let refused = verify_violation(&history, &Journal, &criterion, &violation, &limits);
        assert_eq!(refusal(refused), "the limit of 1000 search states was reached", "{criterion}");
    }
}
