//! Failing executions as people and programs read them.

use std::sync::Arc;
use std::time::Duration;
use tribunal_explore::failure::{MODELS, Repair, Replay, by_model, repair, replay, shrink, switches};
use tribunal_explore::text::{Code, Interpreter, Source};
use tribunal_explore::{Failure, Options, Problem};

fn compile(text: &str) -> Arc<Code> {
    let source = Source::parse(text).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(source.compile(&[]).unwrap_or_else(|error| panic!("{error}")))
}

fn interpreter(code: &Arc<Code>) -> Interpreter {
    Interpreter::new(code.clone(), tribunal::Model::Rc20)
}

fn fail(code: &Arc<Code>) -> Failure {
    let options = Options::default();
    let (report, _) = tribunal_explore::search::search(|| interpreter(code), |_| (), &options)
        .expect("a model with sessions");
    report.failure.expect("an execution fails")
}

const DEKKER: &str = "\
atomic x, y, inside
thread A {
  x = 1 @sc
  if y @sc == 0 { inside += 1 @rlx; assert(inside @rlx == 1); inside += -1 @rlx }
}
thread B {
  y = 1 @rel
  if x @sc == 0 { inside += 1 @rlx; assert(inside @rlx == 1); inside += -1 @rlx }
}
";

#[test]
fn a_failure_in_words() {
    let failure = fail(&compile(DEKKER));
    println!("{failure}");
    let text = failure.to_string();
    assert!(text.contains("sc would not have let"), "{text}");
}

#[test]
fn a_replay_fails_the_same_way() {
    let code = compile(DEKKER);
    let failure = fail(&code);
    let text = failure.replay_string();
    let again: Replay = text.parse().expect("a replay");
    assert_eq!(again.to_string(), text);
    let (guided, divergence, _) =
        replay(interpreter(&code), &again, &Options::default()).expect("a model with sessions");
    assert_eq!(divergence, None);
    let found = guided.failure.expect("it fails again");
    assert_eq!(found.problem, failure.problem);
    assert_eq!(found.replay_string(), text);
}

#[test]
fn shrinking_leaves_what_matters() {
    let code = compile(DEKKER);
    let failure = fail(&code);
    let (small, _) =
        shrink(interpreter(&code), &failure, &Options::default()).expect("a model with sessions");
    println!("{small}");
    assert!(small.graph.events().len() < failure.graph.events().len());
    assert!(switches(&small.graph) <= switches(&failure.graph));
    assert!(matches!(small.problem, Problem::Panic { .. }));
}

#[test]
fn the_weakest_repair_of_orders() {
    let code = compile(DEKKER);
    let under = by_model(|| interpreter(&code), &MODELS, &Options::default()).expect("models with sessions");
    under.iter().for_each(|under| println!("{under}"));
    let found = repair(|| interpreter(&code), &Options::default(), Duration::from_secs(20)).expect("a model");
    println!("{found}");
    let Repair::Orders(sets) = found else { panic!("{found}") };
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].len(), 1);
    assert_eq!(sets[0][0].to_string(), "the store at line 7: seq_cst instead of release");
}
