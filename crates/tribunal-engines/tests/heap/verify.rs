//! Verifying certificates of objects keeps to its memory, whatever the certificate.

use crate::allocations::{alone, peak_of};
use tribunal_engines::object::check;
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{List, named};
use tribunal_history::object::{
    Criterion, History, Invocation, OpId, Signature, Spec, Specification, Value, Verdict, Violation,
};
use tribunal_history::verdict::Limit;
use tribunal_verify::object::{Refusal, verify_violation, verify_within};

/// A list that says nothing of itself.
struct Silent;

impl Spec for Silent {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "silent"
    }

    fn signatures(&self) -> &[Signature] {
        Spec::signatures(&List)
    }

    fn initial(&self) -> Vec<Value> {
        Vec::new()
    }

    fn step(&self, state: &mut Vec<Value>, call: Invocation<'_>) -> Option<Value> {
        List.step(state, call)
    }

    fn bytes(&self, state: &Vec<Value>) -> usize {
        List.bytes(state)
    }
}

/// So many appends at once, some of which never return, then a read of what.
fn appends(values: i64, pending: usize, read: &[i64]) -> History {
    let mut b = History::builder();
    let calls: Vec<OpId> = (0..values)
        .map(|value| {
            let process = b.process(&value.to_string());
            b.call(process, "append", &[Value::from(value)], value as u64)
        })
        .collect();
    for (time, call) in (100..).zip(calls.into_iter().skip(pending)) {
        b.ret(call, Value::Null, time);
    }
    let process = b.process("reader");
    let call = b.call(process, "read", &[], 1000);
    b.ret(call, Value::list(read.iter().map(|&value| Value::from(value))), 1001);
    b.build().expect("a history")
}

/// Verifies that nothing explains the whole history, and says whether memory did not suffice.
fn lacks_memory(history: &History, spec: &dyn Specification, criterion: &Criterion, most: usize) -> bool {
    let violation = Violation { operations: history.ops().collect(), cut: None };
    let limits = Limits { max_memory: most, max_states: u64::MAX, ..Limits::default() };
    let (verified, peak) = peak_of(|| verify_violation(history, spec, criterion, &violation, &limits));
    assert!(peak <= most + most / 10, "{}: {criterion}: {peak} bytes of {most}", spec.name());
    matches!(verified, Err(Refusal::Limit(Limit::Memory { .. })))
}

#[test]
fn hard_certificates_keep_to_the_limit() {
    let _alone = alone();
    for most in [1 << 20, 16 << 20, 64 << 20] {
        for criterion in [Criterion::Linearizable, Criterion::Sequential, Criterion::Causal, Criterion::Weak]
        {
            for (values, pending) in [(11, 0), (31, 0), (31, 20)] {
                let history = appends(values, pending, &[99]);
                assert!(lacks_memory(&history, &Silent, &criterion, most), "{criterion}: {values}");
            }
        }
    }
}

#[test]
fn forged_certificates_keep_to_the_limit() {
    let _alone = alone();
    // The read is of what could be: nothing is out of reach, and each order must be tried.
    let history = appends(31, 0, &[7, 30, 1, 2]);
    for criterion in Criterion::ALL {
        lacks_memory(&history, &List, &criterion, 16 << 20);
    }
    let (count, peak) = peak_of(|| {
        let mut count = 0;
        for name in ["set", "queue", "stack", "counter", "map"] {
            let spec = named(name).expect("a built-in specification");
            let mut b = History::builder();
            for value in 0..31 {
                let process = b.process(&value.to_string());
                let method = match name {
                    "set" | "counter" => "add",
                    "queue" => "enqueue",
                    "stack" => "push",
                    _ => "put",
                };
                let args = [Value::from(value), Value::from(value)];
                let args = if name == "map" { &args[..] } else { &args[..1] };
                let op = b.call(process, method, args, value as u64);
                let ret = if name == "set" { Value::from(true) } else { Value::Null };
                b.ret(op, ret, 100 + value as u64);
            }
            let history = b.build().expect("a history");
            let violation =
                Verdict::Inconsistent(Violation { operations: history.ops().collect(), cut: None });
            for criterion in Criterion::ALL {
                let limits = Limits { max_memory: 8 << 20, ..Limits::default() };
                let verified = verify_within(&history, &*spec, &criterion, &violation, &limits);
                assert!(verified.is_err(), "{name}: {criterion}: {verified:?}");
                count += 1;
            }
        }
        count
    });
    assert_eq!(count, 5 * Criterion::ALL.len());
    assert!(peak <= (8 << 20) + (8 << 20) / 10 + (1 << 16), "{peak}");
}

#[test]
fn what_is_decided_at_once_is_verified_in_little_memory() {
    let _alone = alone();
    for values in [9, 11, 30, 100] {
        let history = appends(values, 0, &[99_999]);
        let verdict = check(&history.typed(&List).expect("calls that fit"), &Criterion::Linearizable);
        let limits = Limits { max_memory: 32 << 20, ..Limits::default() };
        let (verified, peak) =
            peak_of(|| verify_within(&history, &List, &Criterion::Linearizable, &verdict, &limits));
        assert!(verified.is_ok(), "{values}: {verified:?}");
        assert!(peak <= 34 << 20, "{values}: {peak}");
    }
}

/// So many values are appended, one after the other, and a read has the first two in the wrong order.
fn long_list(values: u64) -> History {
    let mut b = History::builder();
    let process = b.process("0");
    let mut list: Vec<Value> = (0..values as i64).map(Value::from).collect();
    for (time, value) in (0..).zip(&list) {
        let append = b.call(process, "append", std::slice::from_ref(value), 2 * time);
        b.ret(append, Value::Null, 2 * time + 1);
    }
    list.swap(0, 1);
    let read = b.call(process, "read", &[], 2 * values);
    b.ret(read, Value::list(list), 2 * values + 1);
    b.build().expect("a history")
}

#[test]
fn values_that_are_left_out_of_long_lists_count() {
    let _alone = alone();
    let history = long_list(20_000);
    let verdict = check(&history.typed(&List).expect("calls that fit"), &Criterion::Linearizable);
    assert!(matches!(&verdict, Verdict::Inconsistent(violation) if violation.operations.len() == 3));
    for most in [256 << 10, 1 << 20, 8 << 20, 64 << 20] {
        let limits = Limits { max_memory: most, ..Limits::default() };
        let (verified, peak) =
            peak_of(|| verify_within(&history, &List, &Criterion::Linearizable, &verdict, &limits));
        // Beside the limit there is what is known of each operation.
        assert!(peak <= most + most / 10 + 40 * history.len(), "{peak} bytes of {most}");
        assert_eq!(verified.is_ok(), most >= 1 << 20, "{most}: {verified:?}");
    }
}
