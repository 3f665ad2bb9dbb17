//! Certificates that anybody might have made up: accepted if and only if they are proofs.

use crate::objects::naive;
use crate::objects::properties::{config, shown};
use crate::objects::sketch::small;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use tribunal_engines::object::check;
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::named;
use tribunal_history::object::{
    AbstractExecution, Criterion, History, OpId, Specification, Verdict, Violation, Visibility,
};
use tribunal_verify::object::{Refusal, verify_violation, verify_witness};

/// How to spoil an abstract execution.
#[derive(Clone, Copy, Debug)]
enum Spoil {
    Drop,
    Repeat,
    Swap,
    Replace,
    See,
    Unsee,
    Flip,
    Cut,
}

fn spoils() -> impl Strategy<Value = Vec<(Spoil, Index, Index)>> {
    use Spoil::*;
    let kinds = vec![Drop, Repeat, Swap, Swap, Replace, See, See, Unsee, Unsee, Flip, Cut];
    prop::collection::vec((prop::sample::select(kinds), any::<Index>(), any::<Index>()), 0..4)
}

/// What each operation sees, spelled out.
fn sets(execution: &AbstractExecution) -> Vec<Vec<OpId>> {
    match &execution.vis {
        Visibility::Sets(sets) => sets.clone(),
        Visibility::All => (0..execution.lin.len()).map(|at| execution.lin[..at].to_vec()).collect(),
    }
}

fn spoil(execution: &mut AbstractExecution, n: usize, (how, place, choice): (Spoil, Index, Index)) {
    let length = execution.lin.len();
    if length == 0 {
        return;
    }
    let (at, other) = (place.index(length), choice.index(length));
    // One id beyond those of the history is among the choices.
    let op = OpId(choice.index(n + 1) as u32);
    match how {
        Spoil::Drop => {
            execution.lin.remove(at);
            if let Visibility::Sets(sets) = &mut execution.vis
                && at < sets.len()
            {
                sets.remove(at);
            }
        }
        Spoil::Repeat => execution.lin.insert(other, execution.lin[at]),
        Spoil::Swap => {
            execution.lin.swap(at, other);
            if let Visibility::Sets(sets) = &mut execution.vis
                && at.max(other) < sets.len()
            {
                sets.swap(at, other);
            }
        }
        Spoil::Replace => execution.lin[at] = op,
        Spoil::Flip => execution.vis = Visibility::Sets(sets(execution)),
        Spoil::Cut => {
            if let Visibility::Sets(sets) = &mut execution.vis {
                sets.truncate(other);
            }
        }
        Spoil::See | Spoil::Unsee => {
            let mut sets = sets(execution);
            if let Some(set) = sets.get_mut(at) {
                if let Spoil::See = how {
                    set.push(op);
                    set.sort_by_key(|seen| execution.lin.iter().position(|other| other == seen));
                } else if !set.is_empty() {
                    set.remove(choice.index(set.len()));
                }
            }
            execution.vis = Visibility::Sets(sets);
        }
    }
}

/// The verifier says of a witness what the definitions say.
fn witness_is_weighed(
    (name, history): (&str, &History),
    spec: &dyn Specification,
    criterion: &Criterion,
    execution: &AbstractExecution,
) -> Result<bool, TestCaseError> {
    let verified = verify_witness(history, spec, criterion, execution, &Limits::default());
    let explains = naive::explains(history, spec, criterion, execution);
    prop_assert_eq!(
        verified.is_ok(),
        explains,
        "{}, {}: {:?}: {:?}\n{}",
        name,
        criterion,
        verified,
        execution,
        shown(history)
    );
    Ok(explains)
}

/// A violation is accepted only if neither the part nor the whole satisfies the criterion; a part that satisfies it is
/// refused, and the whole history that does not is accepted. The law takes a list's part without the values left out
/// ([`Typed::part`](tribunal_history::object::Typed::part)).
fn violation_is_weighed(
    (name, history): (&str, &History),
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
) -> Result<(), TestCaseError> {
    let verified = verify_violation(history, spec, criterion, violation, &Limits::default());
    let context = || format!("{name}, {criterion}: {verified:?}: {violation:?}\n{}", shown(history));
    let listed = violation.operations.is_sorted_by(|a, b| a < b)
        && violation.operations.iter().all(|op| op.index() < history.len());
    if !listed {
        prop_assert!(verified.is_err(), "{}", context());
        return Ok(());
    }
    let whole = naive::consistent(history, spec, criterion);
    let typed = history.typed(spec).expect("calls that fit");
    let part = || typed.part(&violation.operations, violation.cut).into_history();
    match &verified {
        Ok(_) => {
            let part = part();
            prop_assert!(!naive::consistent(&part, spec, criterion), "{}", context());
            prop_assert!(!whole, "{}", context());
        }
        Err(Refusal::Satisfied { .. }) => {
            let part = part();
            prop_assert!(naive::consistent(&part, spec, criterion), "{}", context());
        }
        Err(Refusal::Limit(_) | Refusal::Misled { .. }) => prop_assert!(false, "{}", context()),
        Err(_) => {}
    }
    if violation.operations.len() == history.len() && violation.cut.is_none() {
        prop_assert_eq!(verified.is_ok(), !whole, "{}", context());
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_witness_is_accepted_iff_it_explains_the_history(
        (name, history) in small(),
        order in any::<[Index; 6]>(),
        seen in any::<[u8; 6]>(),
        all in any::<bool>(),
        spoils in spoils(),
    ) {
        let spec = named(name).expect("a built-in specification");
        // An order not far from that of calls, with some of the pending operations.
        let mut lin: Vec<OpId> = history.ops().filter(|&op| !history.is_pending(op) || seen[op.index()] & 128 == 0).collect();
        for (at, index) in order.iter().enumerate().take(lin.len().saturating_sub(1)) {
            if index.index(3) == 0 {
                lin.swap(at, at + 1);
            }
        }
        let sets = (0..lin.len()).map(|at| {
            let is_seen = |op: &&OpId| seen[at] >> op.0 & 1 == 0;
            lin[..at].iter().filter(is_seen).copied().collect()
        });
        let vis = if all { Visibility::All } else { Visibility::Sets(sets.collect()) };
        let mut execution = AbstractExecution { lin, vis };
        for criterion in &Criterion::ALL {
            witness_is_weighed((name, &history), &*spec, criterion, &execution)?;
        }
        for how in spoils {
            spoil(&mut execution, history.len(), how);
        }
        for criterion in &Criterion::ALL {
            witness_is_weighed((name, &history), &*spec, criterion, &execution)?;
        }
    }

    #[test]
    fn a_spoilt_witness_is_refused_unless_it_explains_the_history_still(
        (name, history) in small(),
        spoils in spoils(),
    ) {
        let spec = named(name).expect("a built-in specification");
        for criterion in &Criterion::ALL {
            let Verdict::Consistent(mut execution) = check(&history.typed(&*spec).expect("typed"), criterion) else { continue };
            prop_assert!(witness_is_weighed((name, &history), &*spec, criterion, &execution)?);
            for &how in &spoils {
                spoil(&mut execution, history.len(), how);
                for criterion in &Criterion::ALL {
                    witness_is_weighed((name, &history), &*spec, criterion, &execution)?;
                }
            }
        }
    }

    #[test]
    fn a_violation_is_accepted_only_of_a_history_that_satisfies_nothing(
        (name, history) in small(),
        dropped in any::<u8>(),
        kept in any::<u8>(),
        cut in prop::option::of(any::<Index>()),
    ) {
        let spec = named(name).expect("a built-in specification");
        let events = history.intervals().map_or(0, |intervals| intervals.events.len());
        let cut = cut.map(|cut| cut.index(events + 2) as u32);
        for dropped in [0, dropped, dropped & kept, !0] {
            let operations: Vec<OpId> = history.ops().filter(|op| dropped >> op.0 & 1 == 0).collect();
            for criterion in &Criterion::ALL {
                for cut in [cut, None] {
                    let violation = Violation { operations: operations.clone(), cut };
                    violation_is_weighed((name, &history), &*spec, criterion, &violation)?;
                }
            }
        }
    }

    #[test]
    fn a_spoilt_violation_is_refused_unless_it_proves_the_same_still(
        (name, history) in small(),
        (drop, add, twice) in any::<(Option<Index>, Option<Index>, bool)>(),
        cut in any::<Index>(),
    ) {
        let spec = named(name).expect("a built-in specification");
        for criterion in &Criterion::ALL {
            let Verdict::Inconsistent(found) = check(&history.typed(&*spec).expect("typed"), criterion) else { continue };
            let mut spoilt = found.clone();
            if let Some(index) = drop
                && !spoilt.operations.is_empty()
            {
                spoilt.operations.remove(index.index(spoilt.operations.len()));
            }
            if let Some(index) = add {
                spoilt.operations.push(OpId(index.index(history.len() + 1) as u32));
                spoilt.operations.sort();
                if !twice {
                    spoilt.operations.dedup();
                }
            }
            let cuts = [spoilt.cut, None, spoilt.cut.map(|at| at + cut.index(5) as u32), Some(cut.index(14) as u32)];
            for cut in cuts {
                spoilt.cut = cut;
                violation_is_weighed((name, &history), &*spec, criterion, &spoilt)?;
            }
        }
    }
}

/// A list's reads are taken without values appended by the cut alone; `sequential` may read what is appended later.
#[test]
fn an_append_after_the_cut_is_left_out_only_where_time_matters() {
    use tribunal_history::object::{Value, specs::List};
    let mut b = History::builder();
    let (p, q) = (b.process("0"), b.process("1"));
    let read = b.call(p, "read", &[], 0);
    b.ret(read, Value::list([Value::from(1)]), 1);
    let append = b.call(q, "append", &[Value::from(1)], 2);
    b.ret(append, Value::Null, 3);
    let history = b.build().expect("a history");
    let violation = Violation { operations: vec![read], cut: Some(2) };
    let verified = |criterion| verify_violation(&history, &List, &criterion, &violation, &Limits::default());
    assert!(verified(Criterion::Linearizable).is_ok());
    assert!(matches!(verified(Criterion::Sequential), Err(Refusal::Missing { .. })));
}
