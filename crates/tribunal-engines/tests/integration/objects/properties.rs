//! What must hold of every history.

use crate::objects::engines::mismatches;
use crate::objects::naive;
use crate::objects::sketch::{Sketch, all_names, histories, small};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use tribunal_engines::object::check;
use tribunal_history::object::specs::named;
use tribunal_history::object::{Criterion, History, Value, Verdict};
use tribunal_verify::object::verify;

/// Twice as many cases as `PROPTEST_CASES` says, or 512: the definitions take their time.
pub fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 2 * default.cases, failure_persistence: None, ..default }
}

/// Axioms beside the named criteria: each relation, compositions, and pairs that end in some methods only.
fn axioms() -> impl Strategy<Value = Criterion> {
    let texts = [
        "vis >= lin",
        "vis >= vis.vis",
        "vis >= vis.hb",
        "vis >= hb.vis",
        "vis >= po.vis",
        "vis >= po; vis >= vis.po",
        "vis >= lin.vis",
        "vis >= lin.po",
        "vis >= lin.[read]; vis >= po.[dequeue]",
        "vis >= vis.vis.po; lin >= vis.hb",
        "vis >= lin.[get]; vis >= hb.[pop]; vis >= vis.vis",
    ];
    let parsed = texts.map(|text| text.parse::<Criterion>().expect("axioms"));
    prop::sample::select(parsed.to_vec())
}

/// Consistent or not, as the library says and proves.
fn consistent(name: &str, history: &History, criterion: &Criterion) -> Result<bool, TestCaseError> {
    let spec = named(name).expect("a built-in specification");
    let verdict = check(&history.typed(&*spec).expect("typed"), criterion);
    if let Err(refusal) = verify(history, &*spec, criterion, &verdict) {
        return Err(TestCaseError::fail(format!(
            "{name}, {criterion}: {refusal}: {verdict:?}\n{}",
            shown(history)
        )));
    }
    Ok(matches!(verdict, Verdict::Consistent(_)))
}

pub fn shown(history: &History) -> String {
    let line = |op| format!("{} {:?}\n", history.show(op), history.times(op));
    history.ops().map(line).collect()
}

fn judged_right(name: &str, history: &History, criterion: &Criterion) -> Result<(), TestCaseError> {
    let spec = named(name).expect("a built-in specification");
    let expected = naive::consistent(history, &*spec, criterion);
    let wrong = mismatches(history, &*spec, criterion, expected);
    prop_assert!(wrong.is_empty(), "{}: {}\n{}", name, wrong.join("\n"), shown(history));
    Ok(())
}

/// The same verdict on both, whatever the criterion.
fn judged_alike(name: &str, history: &History, other: &History) -> Result<(), TestCaseError> {
    for criterion in &Criterion::ALL {
        let (one, another) = (consistent(name, history, criterion)?, consistent(name, other, criterion)?);
        prop_assert_eq!(one, another, "{}, {}\n{}{}", name, criterion, shown(history), shown(other));
    }
    Ok(())
}

/// Whatever the first satisfies, the second does.
fn judged_weaker(name: &str, history: &History, other: &History) -> Result<(), TestCaseError> {
    for criterion in &Criterion::ALL {
        let (one, another) = (consistent(name, history, criterion)?, consistent(name, other, criterion)?);
        prop_assert!(!one || another, "{}, {}\n{}{}", name, criterion, shown(history), shown(other));
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_engine_agrees_with_the_definitions_and_proves_it((name, history) in small()) {
        for criterion in &Criterion::ALL {
            judged_right(name, &history, criterion)?;
        }
    }

    #[test]
    fn so_does_every_list_of_axioms((name, history) in small(), criterion in axioms()) {
        judged_right(name, &history, &criterion)?;
    }

    #[test]
    fn atomic_objects_satisfy_every_criterion((name, history) in histories(all_names(), 12, 0.0)) {
        for criterion in &Criterion::ALL {
            prop_assert!(consistent(name, &history, criterion)?, "{}, {}\n{}", name, criterion, shown(&history));
        }
    }

    #[test]
    fn longer_histories_have_certificates_too((name, history) in histories(all_names(), 40, 0.02)) {
        consistent(name, &history, &Criterion::Linearizable)?;
    }

    #[test]
    fn stronger_criteria_are_included_in_weaker_ones((name, history) in small()) {
        use Criterion::*;
        let holds = |criterion: &Criterion| consistent(name, &history, criterion);
        for (strong, weak) in [
            (Linearizable, Weak),
            (Linearizable, Ryw),
            (Linearizable, Mr),
            (Linearizable, Causal),
            (Linearizable, Hbvis),
            (Linearizable, Sequential),
            (Causal, Ryw),
            (Causal, Mr),
            (Hbvis, Ryw),
            (Ryw, Weak),
            (Mr, Weak),
        ] {
            let broken = holds(&strong)? && !holds(&weak)?;
            prop_assert!(!broken, "{}: {} without {}\n{}", name, strong, weak, shown(&history));
        }
    }

    #[test]
    fn names_of_processes_and_the_order_of_operations_do_not_matter(
        (name, history) in small(),
        by in any::<[Index; 6]>(),
    ) {
        let mut other = Sketch::of(&history);
        for op in &mut other.0 {
            op.process = format!("p{}", op.process.chars().rev().collect::<String>());
        }
        let n = other.0.len();
        for (at, index) in by.iter().enumerate().take(n) {
            other.0.swap(at, at + index.index(n - at));
        }
        judged_alike(name, &history, &other.history())?;
    }

    #[test]
    fn values_that_are_only_stored_do_not_matter(
        (name, history) in histories(vec!["register", "cas-register", "set", "queue", "stack", "keyed register"], 6, 0.1),
    ) {
        let mut other = Sketch::of(&history);
        let rename = |value: &mut Value| {
            if let Value::Int(number) = value {
                *value = Value::from(format!("v{}", 7 - *number).as_str());
            }
        };
        for op in &mut other.0 {
            op.args.iter_mut().for_each(rename);
            op.ret.iter_mut().for_each(rename);
        }
        judged_alike(name, &history, &other.history())?;
    }

    #[test]
    fn it_does_not_matter_when_events_are_but_in_which_order(
        (name, history) in small(),
        (begin, pace) in (0..1u64 << 40, 1..1u64 << 20),
    ) {
        let mut other = Sketch::of(&history);
        for op in &mut other.0 {
            op.call = begin + pace * op.call;
            op.end = begin + pace * op.end;
        }
        judged_alike(name, &history, &other.history())?;
    }

    #[test]
    fn a_pending_operation_never_does_harm((name, history) in small(), which in any::<Index>()) {
        let whole = Sketch::of(&history);
        let pending: Vec<usize> = (0..whole.0.len()).filter(|&op| whole.0[op].ret.is_none()).collect();
        if pending.is_empty() {
            return Ok(());
        }
        let mut without = whole.clone();
        without.0.remove(*which.get(&pending));
        judged_weaker(name, &without.history(), &history)?;
    }

    #[test]
    fn to_forget_a_return_never_does_harm((name, history) in small(), which in any::<Index>()) {
        let mut other = Sketch::of(&history);
        let of = |op: usize, process: &str| other.0[op].process == process;
        let is_last = |&op: &usize| {
            let process = &other.0[op].process;
            !(0..other.0.len()).any(|later| of(later, process) && other.0[later].call > other.0[op].call)
        };
        let last: Vec<usize> = (0..other.0.len()).filter(is_last).collect();
        other.0[*which.get(&last)].ret = None;
        judged_weaker(name, &history, &other.history())?;
    }

    #[test]
    fn to_take_longer_never_does_harm((name, history) in small(), which in any::<Index>()) {
        let mut other = Sketch::of(&history);
        let at = which.index(other.0.len());
        let op = other.0[at].clone();
        let same = || other.0.iter().filter(|same| same.process == op.process);
        let begin = same().filter(|before| before.call < op.call).map(|before| before.end + 1).max();
        let end = same().filter(|after| after.call > op.call).map(|after| after.call - 1).min();
        other.0[at].call = begin.unwrap_or(0);
        other.0[at].end = end.unwrap_or(1 << 40);
        judged_weaker(name, &history, &other.history())?;
    }
}
