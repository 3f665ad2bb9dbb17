//! Shrinking executions: what is left still fails, and no event can be left out.

use std::path::Path;
use tribunal_engines::memory::{check, shrink};
use tribunal_engines::{Part, Shrunk};
use tribunal_formats::{Input, open};
use tribunal_history::memory::{EventId, Execution, Op, Order};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_verify as verify;

/// The executions of the corpus.
fn executions() -> impl Iterator<Item = Execution> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory-public.jsonl.zst");
    let histories = open(&Input::Path(corpus), None).expect("the corpus");
    histories.map(|history| history.expect("well-formed").into_memory().expect("of a memory"))
}

/// Whether an execution fails without one event and without what reads from it.
fn fails_without(x: &Execution, gone: EventId, model: Model) -> bool {
    let mut dropped = vec![gone];
    for at in 0.. {
        let Some(&source) = dropped.get(at) else { break };
        let reads = |event: &EventId| x.rf(*event) == Some(source) && !dropped.contains(event);
        let readers: Vec<EventId> = x.events().filter(reads).collect();
        dropped.extend(readers);
    }
    let kept: Vec<EventId> = x.events().filter(|event| !dropped.contains(event)).collect();
    check(&x.part(&kept), model).is_inconsistent()
}

#[test]
fn of_an_execution_nothing_can_be_left_out() {
    let mut shrunk_to = 0;
    for (at, x) in executions().enumerate() {
        for model in Model::ALL {
            let Ok(Shrunk { part: Part { history: execution, kept: events }, limit }) =
                shrink(&x, model, &Limits::default(), |_| ())
            else {
                assert!(!check(&x, model).is_inconsistent());
                continue;
            };
            assert_eq!(limit, None);
            shrunk_to += events.len();
            let verdict = check(&execution, model);
            assert!(verdict.is_inconsistent(), "{at}: {model}");
            verify::verify(&execution, model, &verdict).expect("a certificate");
            for event in execution.events() {
                assert!(!fails_without(&execution, event, model), "{at}: {model}: {}", execution.show(event));
            }
        }
    }
    assert!(shrunk_to > 0);
}

#[test]
fn nothing_but_fences_is_judged_too() {
    let mut b = Execution::builder();
    let thread = b.thread("T0");
    b.push(thread, Op::fence(Order::AcqRel));
    let fence = b.build().expect("well-formed");
    for x in [fence.part(&[]), fence] {
        for model in Model::ALL {
            assert!(!check(&x, model).is_inconsistent(), "{model}");
        }
    }
}
