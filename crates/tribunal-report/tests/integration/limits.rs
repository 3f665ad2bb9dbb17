//! An explanation keeps to its limits, and says only what the certificate says or what was verified.

use tribunal_history::limits::Limits;
use tribunal_history::object::specs::Queue;
use tribunal_history::object::{Criterion, History, OpId, Value, Violation};
use tribunal_report::Line;
use tribunal_report::object::explain;

/// Two enqueues one after the other, dequeued in the other order, and some more that has nothing to do with it.
fn overtaking() -> History {
    let mut builder = History::builder();
    let process = builder.process("0");
    let calls =
        [("enqueue", Some(1), Value::Null), ("enqueue", Some(2), Value::Null), ("dequeue", None, 2.into())];
    let more = (3..9).map(|value| ("enqueue", Some(value), Value::Null));
    for (time, (method, value, ret)) in (0..).zip(calls.into_iter().chain(more)) {
        let args: Vec<Value> = value.map(Value::from).into_iter().collect();
        let op = builder.call(process, method, &args, 2 * time);
        builder.ret(op, ret, 2 * time + 1);
    }
    builder.build().expect("a history")
}

fn texts(limits: &Limits<'_>, violation: &Violation) -> (Vec<String>, Option<OpId>) {
    let history = overtaking();
    let typed = history.typed(&Queue).expect("it fits");
    let told = explain(&typed, &Criterion::Linearizable, violation, limits);
    (told.lines.iter().map(Line::indented).collect(), told.failing)
}

#[test]
fn without_time_the_violation_is_shown_as_it_is() {
    let violation = Violation { operations: vec![OpId(0), OpId(1), OpId(2)], cut: Some(6) };
    let (whole, failing) = texts(&Limits::default(), &violation);
    assert_eq!(failing, Some(OpId(2)));
    assert!(whole[0].starts_with("of 18 calls and returns the first 5 are linearizable"), "{whole:?}");
    assert!(whole.iter().all(|line| !line.contains("the explanation ends here")), "{whole:?}");
    let none = Limits { deadline: Some(web_time::Instant::now()), ..Limits::default() };
    let (short, failing) = texts(&none, &violation);
    assert_eq!(failing, None);
    assert_eq!(
        short,
        [
            "no linearization explains these operations:",
            "  0: enqueue(1) → null @ 0:1; enqueue(2) → null @ 2:3; dequeue() → 2 @ 4:5",
            &short[2],
        ]
    );
    assert!(short[2].starts_with("(the explanation ends here: "), "{short:?}");
}
