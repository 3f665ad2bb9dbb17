//! Specifications that say of themselves what is not so: no proof is accepted but as one that trusts the lie.

use tribunal_engines::object::check;
use tribunal_history::limits::Limits;
use tribunal_history::object::{
    Collection, Criterion, History, Invocation, Kind, OpId, Others, Signature, Spec, Value, Verdict,
    Violation,
};
use tribunal_verify::object::{Accepted, Hint, Hints, Refusal, verify, verify_violation};

/// A stack with a queue's methods, whose last value stays; in one respect it says something else of itself.
struct Liar(Hint);

impl Spec for Liar {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "liar"
    }

    fn signatures(&self) -> &[Signature] {
        const {
            &[
                Signature::new("enqueue", &[Kind::Any], Kind::Null),
                Signature::new("dequeue", &[], Kind::Any),
                Signature::new("all", &[], Kind::List),
            ]
        }
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
            _ if call.method == "all" => Some(Value::list(state.iter().cloned())),
            _ if state.len() < 2 => Some(Value::Null),
            _ => state.pop(),
        }
    }

    fn bytes(&self, state: &Vec<Value>) -> usize {
        size_of_val(state) + size_of_val(state.as_slice())
    }

    /// As if each method had an object of its own.
    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        (self.0 == Hint::Key).then(|| Value::from(call.method))
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        self.0 == Hint::ReadOnly && call.method == "enqueue" || call.method == "all"
    }

    fn unchanged(&self, call: Invocation<'_>, _: &Value) -> bool {
        self.read_only(call) || self.0 == Hint::Unchanged && call.method == "enqueue"
    }

    fn reachable<'h>(&self, _: &Vec<Value>, call: Invocation<'_>, _: &Value, _: Others<'_, 'h>) -> bool {
        self.0 != Hint::Reachable || call.method != "dequeue"
    }

    fn collection(&self) -> Option<Collection> {
        (self.0 == Hint::Collection).then_some(Collection::Queue)
    }
}

/// So many values are pushed, one after the other or at once, and then the last is popped.
fn history(values: i64, at_once: bool) -> History {
    let mut b = History::builder();
    for value in 0..values {
        let process = b.process(&value.to_string());
        let (call, ret) = if at_once { (value, 100 + value) } else { (2 * value, 2 * value + 1) };
        let push = b.call(process, "enqueue", &[Value::from(value)], call as u64);
        b.ret(push, Value::Null, ret as u64);
    }
    let process = b.process("reader");
    let pop = b.call(process, "dequeue", &[], 200);
    b.ret(pop, Value::from(values - 1), 201);
    b.build().expect("a history")
}

#[test]
fn a_lie_is_found_out_or_named() {
    let history = history(2, false);
    let mut misled = 0;
    for liar in Hint::ALL.map(Liar) {
        for criterion in &Criterion::ALL {
            let verdict = check(&history.typed(&liar).expect("calls that fit"), criterion);
            if let Verdict::Inconsistent(_) = verdict {
                misled += 1;
                let refusal = verify(&history, &liar, criterion, &verdict).expect_err("no proof");
                assert!(!matches!(refusal, Refusal::Limit(_)), "{:?}: {criterion}: {refusal}", liar.0);
            }
        }
    }
    assert!(misled >= 5, "{misled}");
}

#[test]
fn no_forged_part_is_accepted_because_of_a_lie() {
    let history = history(3, false);
    let events = history.intervals().expect("times").events.len() as u32;
    let mut misled = Hints::NONE;
    for liar in Hint::ALL.map(Liar) {
        for criterion in &Criterion::ALL {
            for kept in 0..1u32 << history.len() {
                let operations: Vec<OpId> = history.ops().filter(|op| kept >> op.0 & 1 == 1).collect();
                for cut in (0..=events).map(Some).chain([None]) {
                    let violation = Violation { operations: operations.clone(), cut };
                    let limits = Limits::default();
                    match verify_violation(&history, &liar, criterion, &violation, &limits) {
                        Ok(accepted) => panic!("{:?}: {criterion}: {violation:?}: {accepted:?}", liar.0),
                        Err(Refusal::Misled { .. }) => misled = misled.with(liar.0),
                        Err(_) => {}
                    }
                }
            }
        }
    }
    assert_eq!(misled, Hints::ALL, "every lie misleads somewhere");
}

#[test]
fn where_a_lie_cannot_be_found_out_it_is_named() {
    let history = history(12, true);
    let all = Violation { operations: history.ops().collect(), cut: None };
    let pop = Violation { operations: vec![OpId(12)], cut: None };
    let verified = |hint: Hint, violation: &Violation| {
        verify_violation(&history, &Liar(hint), &Criterion::Linearizable, violation, &Limits::default())
    };
    for (hint, violation) in [(Hint::Reachable, &all), (Hint::Key, &pop)] {
        assert_eq!(verified(hint, violation), Ok(Accepted { trusting: hint.into() }), "{hint:?}");
    }
    // That an operation changes something is seen as soon as it is tried.
    for hint in [Hint::ReadOnly, Hint::Unchanged] {
        assert_eq!(verified(hint, &pop), Err(Refusal::Misled { hints: hint.into() }));
    }
}

#[test]
fn hints_are_named_only_where_they_are_needed() {
    use tribunal_history::object::specs::List;
    let append = |values: i64| {
        let mut b = History::builder();
        let calls: Vec<OpId> = (0..values)
            .map(|value| {
                let process = b.process(&value.to_string());
                b.call(process, "append", &[Value::from(value)], value as u64)
            })
            .collect();
        for (time, call) in (100..).zip(calls) {
            b.ret(call, Value::Null, time);
        }
        let process = b.process("reader");
        let read = b.call(process, "read", &[], 200);
        b.ret(read, Value::list([Value::from(99)]), 201);
        b.build().expect("a history")
    };
    for (values, trusting) in [(3, Hints::NONE), (30, Hint::Reachable.into()), (60, Hint::Reachable.into())] {
        let history = append(values);
        let verdict = check(&history.typed(&List).expect("calls that fit"), &Criterion::Linearizable);
        let accepted = verify(&history, &List, &Criterion::Linearizable, &verdict);
        assert_eq!(accepted, Ok(Accepted { trusting }), "{values}");
    }
}

/// It always holds 0, says that it is a list, and rightly that nothing changes it.
struct Constant;

impl Spec for Constant {
    type State = ();

    fn name(&self) -> &str {
        "constant"
    }

    fn signatures(&self) -> &[Signature] {
        const { &[Signature::new("append", &[Kind::Any], Kind::Null), Signature::new("read", &[], Kind::List)] }
    }

    fn initial(&self) {}

    fn step(&self, _: &mut (), call: Invocation<'_>) -> Option<Value> {
        Some(if call.method == "read" { Value::list([Value::from(0)]) } else { Value::Null })
    }

    fn bytes(&self, _: &()) -> usize {
        0
    }

    fn read_only(&self, _: Invocation<'_>) -> bool {
        true
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::List)
    }
}

/// Values are left out of what reads return only where `collection` is trusted.
#[test]
fn what_changes_nothing_is_left_out_without_its_value() {
    let mut b = History::builder();
    let process = b.process("0");
    let append = b.call(process, "append", &[Value::from(0)], 0);
    b.ret(append, Value::Null, 1);
    let read = b.call(process, "read", &[], 2);
    b.ret(read, Value::list([Value::from(0)]), 3);
    let history = b.build().expect("a history");
    let violation = Violation { operations: vec![read], cut: None };
    for criterion in &Criterion::ALL {
        let verified = verify_violation(&history, &Constant, criterion, &violation, &Limits::default());
        let expected = match criterion {
            Criterion::Linearizable | Criterion::Sequential => {
                Refusal::Misled { hints: Hint::Collection.into() }
            }
            _ => Refusal::Satisfied { operations: 1 },
        };
        assert_eq!(verified, Err(expected), "{criterion}");
    }
}
