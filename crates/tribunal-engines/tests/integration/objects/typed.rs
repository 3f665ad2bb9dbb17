//! Histories that do not fit their specification are judged by nothing.

use tribunal_engines::object::{Monitor, check};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{Map, Queue};
use tribunal_history::object::{
    AbstractExecution, Criterion, History, InvalidCall, Invocation, Kind, MalformedHistory, OpId, Signature,
    Spec, Value, Violation, Visibility,
};
use tribunal_verify::object::{Refusal, verify_violation, verify_witness};

/// A history of one completed operation.
fn one(method: &str, args: &[Value]) -> History {
    let mut builder = History::builder();
    let process = builder.process("0");
    let op = builder.call(process, method, args, 0);
    builder.ret(op, Value::Null, 1);
    builder.build().expect("a history")
}

#[test]
fn what_does_not_fit_is_an_error_with_its_operation() {
    let error = |history: &History| {
        let error = history.typed(&Map).expect_err("it does not fit");
        assert_eq!(error.op(), Some(OpId(0)));
        error.to_string()
    };
    assert_eq!(
        error(&one("gte", &[1.into()])),
        "map has no method `gte` (did you mean `get`?); it has put, get, remove, contains_key, contains_value, size"
    );
    assert_eq!(error(&one("get", &[])), "get takes 1 argument, found 0");
    assert_eq!(error(&one("size", &[1.into()])), "size takes 0 arguments, found 1");
}

/// No certificate makes a verdict of a misspelled method.
#[test]
fn certificates_of_ill_typed_histories_are_refused() {
    let history = one("deqeue", &[]);
    let violation = Violation { operations: vec![OpId(0)], cut: None };
    let witness = AbstractExecution { lin: vec![OpId(0)], vis: Visibility::All };
    for criterion in Criterion::ALL {
        let refused = [
            verify_violation(&history, &Queue, &criterion, &violation, &Limits::default()).map(drop),
            verify_witness(&history, &Queue, &criterion, &witness, &Limits::default()),
        ];
        for refusal in refused {
            assert!(
                matches!(refusal, Err(Refusal::Malformed(MalformedHistory::IllTyped { .. }))),
                "{criterion}"
            );
        }
    }
}

#[test]
fn monitors_refuse_the_same_calls() {
    let mut monitor = Monitor::new(&Queue, Criterion::Linearizable, Limits::default());
    let error = monitor.call("0", "enqueue", &[]).expect_err("no value").to_string();
    assert_eq!(error, "enqueue takes 1 argument, found 0");
    assert_eq!(monitor.events(), 0);
}

/// Adds one or two numbers.
struct Sum;

impl Spec for Sum {
    type State = ();

    fn name(&self) -> &str {
        "sum"
    }

    fn signatures(&self) -> &[Signature] {
        const {
            &[
                Signature::new("sum", &[Kind::Int], Kind::Int),
                Signature::new("sum", &[Kind::Int, Kind::Int], Kind::Int),
            ]
        }
    }

    fn initial(&self) {}

    fn step(&self, _: &mut (), call: Invocation<'_>) -> Option<Value> {
        call.args.iter().map(Value::as_int).sum::<Option<i64>>().map(Value::from)
    }
}

#[test]
fn a_method_can_have_several_signatures() {
    for args in [&[Value::from(1)][..], &[Value::from(1), Value::from(2)]] {
        let history = one("sum", args);
        assert!(check(&history.typed(&Sum).expect("it fits"), &Criterion::Weak).is_inconsistent());
    }
    let MalformedHistory::IllTyped { misfit, .. } =
        one("sum", &["x".into()]).typed(&Sum).expect_err("a text")
    else {
        panic!("another error");
    };
    assert!(matches!(misfit, InvalidCall::WrongType { argument: 1, .. }));
}
