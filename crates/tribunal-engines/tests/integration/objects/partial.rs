//! Partial linearizations: each is one, and none is longer, by trying everything.

use crate::objects::properties::{config, shown};
use crate::objects::sketch::{all_names, histories, small};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tribunal_engines::object::{PartialLinearizations, check, partial_linearizations};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{Queue, named};
use tribunal_history::object::{Criterion, History, OpId, Specification, Value};
use tribunal_history::verdict::Limit;

fn completed(history: &History, ops: &[OpId]) -> usize {
    ops.iter().filter(|&&op| !history.is_pending(op)).count()
}

/// Whether the order is a partial linearization of these operations: by the definition.
fn is_partial(history: &History, spec: &dyn Specification, all: &[OpId], order: &[OpId]) -> bool {
    let mut replay = spec.replay();
    order.iter().enumerate().all(|(at, &op)| {
        let (before, after) = (&order[..at], &order[at + 1..]);
        let real_time = all.iter().all(|&other| !history.before(other, op) || before.contains(&other));
        let once = !before.contains(&op) && !after.contains(&op) && all.contains(&op);
        let ret = replay.call(history.called(op));
        let returns = ret.is_some() && history.result(op).is_none_or(|result| ret.as_ref() == Some(result));
        real_time && once && returns
    })
}

/// By operation, how long the longest partial linearization is that includes it; 0 if there is none. Tries everything.
fn brute_force(history: &History, spec: &dyn Specification, all: &[OpId]) -> Vec<usize> {
    fn extend(
        history: &History,
        spec: &dyn Specification,
        all: &[OpId],
        order: &mut Vec<OpId>,
        longest: &mut [usize],
    ) {
        let length = completed(history, order);
        for op in order.iter() {
            longest[op.index()] = longest[op.index()].max(length);
        }
        for &op in all {
            // What is there already is refused.
            order.push(op);
            if is_partial(history, spec, all, order) {
                extend(history, spec, all, order, longest);
            }
            order.pop();
        }
    }
    let mut longest = vec![0; history.len()];
    extend(history, spec, all, &mut Vec::new(), &mut longest);
    longest
}

/// Whether all that is found is what it says it is.
fn sound(
    history: &History,
    spec: &dyn Specification,
    found: &PartialLinearizations,
) -> Result<(), TestCaseError> {
    let longest = found.upto(found.longest());
    prop_assert!(is_partial(history, spec, &found.ops, &longest), "{longest:?}\n{}", shown(history));
    for (op, last) in found.each() {
        let order = found.upto(last);
        prop_assert_eq!(last.is_some(), order.contains(&op));
        prop_assert!(is_partial(history, spec, &found.ops, &order), "{order:?}\n{}", shown(history));
        prop_assert!(completed(history, &order) <= completed(history, &longest));
        if longest.contains(&op) {
            prop_assert_eq!(&order, &longest, "of equally long ones, the one that is the longest");
        }
    }
    prop_assert!(found.steps().iter().zip(0..).all(|(step, at)| step.before.is_none_or(|id| id.0 < at)));
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn none_is_longer((name, history) in small()) {
        let spec = named(name).expect("a built-in specification");
        let typed = history.typed(&*spec).expect("typed");
        let found = partial_linearizations(&typed, &Limits::default());
        let mut ops: Vec<OpId> = found.iter().flat_map(|found| found.ops.clone()).collect();
        ops.sort_unstable();
        prop_assert!(ops.is_sorted_by(|a, b| a < b), "each operation has one key");
        prop_assert!(history.ops().all(|op| history.is_pending(op) || ops.contains(&op)));
        for found in &found {
            prop_assert!(found.limit.is_none());
            sound(&history, &*spec, found)?;
            let expected = brute_force(&history, &*spec, &found.ops);
            for (op, last) in found.each().filter(|&(op, _)| !history.is_pending(op)) {
                let length = completed(&history, &found.upto(last));
                prop_assert_eq!(length, expected[op.index()], "{} {}\n{}", name, history.show(op), shown(&history));
            }
            let all = completed(&history, &found.ops);
            let whole = completed(&history, &found.upto(found.longest())) == all;
            prop_assert_eq!(found.linearizable, Some(whole), "{}\n{}", name, shown(&history));
        }
        let linearizable = found.iter().all(|found| found.linearizable == Some(true));
        prop_assert_eq!(linearizable, check(&typed, &Criterion::Linearizable).is_consistent());
    }

    #[test]
    fn longer_histories_and_searches_cut_short_are_sound_too(
        (name, history) in histories(all_names(), 40, 0.05),
        max_states in prop_oneof![Just(3u64), Just(200), Just(20_000)],
    ) {
        let spec = named(name).expect("a built-in specification");
        let typed = history.typed(&*spec).expect("typed");
        let limits = Limits { max_states, ..Limits::default() };
        for found in partial_linearizations(&typed, &limits) {
            sound(&history, &*spec, &found)?;
            let ended = matches!(found.limit, None | Some(Limit::States { .. }));
            prop_assert!(ended, "{:?}", found.limit);
        }
    }
}

/// Enqueues and dequeues one after another by one process.
fn queue(operations: &[(&str, Option<i64>, Value)]) -> History {
    let mut b = History::builder();
    let p = b.process("0");
    for (time, (method, arg, ret)) in (0..).zip(operations) {
        let op = b.call(p, method, &arg.map(Value::from).into_iter().collect::<Vec<_>>(), 10 * time);
        b.ret(op, ret.clone(), 10 * time + 5);
    }
    b.build().expect("a history")
}

#[test]
fn what_comes_after_a_wrong_return_is_not_reached() {
    let history = queue(&[
        ("enqueue", Some(1), Value::Null),
        ("dequeue", None, Value::from(2)),
        ("enqueue", Some(3), Value::Null),
    ]);
    let found = partial_linearizations(&history.typed(&Queue).expect("typed"), &Limits::default());
    let [found] = &found[..] else { panic!("a queue has no keys") };
    assert_eq!((found.key.clone(), found.linearizable, found.limit), (None, Some(false), None));
    assert_eq!(found.upto(found.longest()), [OpId(0)]);
    assert_eq!(found.unreached(&history).collect::<Vec<_>>(), [OpId(1), OpId(2)]);
}

#[test]
fn each_key_has_its_own() {
    let mut b = History::builder();
    let p = b.process("0");
    for (time, method, key, value) in
        [(0, "write", 7, 1), (1, "write", 8, 1), (2, "read", 7, 2), (3, "read", 8, 1)]
    {
        let read = method == "read";
        let args: Vec<Value> =
            [Some(key), (!read).then_some(value)].into_iter().flatten().map(Value::from).collect();
        let op = b.call(p, method, &args, 10 * time);
        b.ret(op, if read { Value::from(value) } else { Value::Null }, 10 * time + 5);
    }
    let history = b.build().expect("a history");
    let spec = named("keyed register").expect("a specification");
    let found = partial_linearizations(&history.typed(&*spec).expect("typed"), &Limits::default());
    let keys: Vec<_> = found.iter().map(|found| (found.key.clone(), found.linearizable)).collect();
    assert_eq!(keys, [(Some(Value::from(7)), Some(false)), (Some(Value::from(8)), Some(true))]);
    assert_eq!(found[1].upto(found[1].longest()), [OpId(1), OpId(3)]);
}

#[test]
fn a_search_with_no_room_finds_nothing_and_says_so() {
    let history = queue(&[("dequeue", None, Value::from(2))]);
    let limits = Limits { max_memory: 100, ..Limits::default() };
    let found = partial_linearizations(&history.typed(&Queue).expect("typed"), &limits);
    assert!(matches!(found[0].limit, Some(Limit::Memory { .. })));
    assert_eq!((found[0].linearizable, found[0].longest()), (None, None));
}
