//! Failing executions as people and programs read them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tribunal_engines::memory::check;
use tribunal_explore::failure::{MODELS, Repair, Replay, by_model, repair, replay, shrink, switches};
use tribunal_explore::text::{Code, Interpreter, Source};
use tribunal_explore::{Failure, Mode, Options, Problem};
use tribunal_formats::{Format, read};
use tribunal_history::model::Model;

fn compile(text: &str) -> Arc<Code> {
    let source = Source::parse(text).unwrap_or_else(|error| panic!("{error}"));
    Arc::new(source.compile(&[]).unwrap_or_else(|error| panic!("{error}")))
}

fn interpreter(code: &Arc<Code>) -> Interpreter {
    Interpreter::new(code.clone(), Model::Rc20)
}

fn fail(code: &Arc<Code>) -> Failure {
    find(code).expect("an execution fails")
}

fn find(code: &Arc<Code>) -> Option<Failure> {
    let options = Options { allow_races: code.allow_races(), ..Options::default() };
    let (report, _) = tribunal_explore::search::search(|| interpreter(code), |_| (), &options)
        .expect("a model with sessions");
    report.failure
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
    assert!(text.contains("sc forbids"), "{text}");
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
    let under = by_model(|_| interpreter(&code), &MODELS, &Options::default()).expect("models with sessions");
    under.iter().for_each(|under| println!("{under}"));
    let found = repair(|| interpreter(&code), &Options::default(), Duration::from_secs(20)).expect("a model");
    println!("{found}");
    let Repair::Orders(sets) = found else { panic!("{found}") };
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].len(), 1);
    assert_eq!(sets[0][0].to_string(), "the store at line 7:3: seq_cst instead of release");
}

/// The programs that fail, from those that come with the crate.
fn failing() -> Vec<(String, Arc<Code>, Failure)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut found = Vec::new();
    for directory in std::fs::read_dir(root).expect("programs") {
        for file in std::fs::read_dir(directory.expect("a directory").path()).expect("programs") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a program");
            let source = Source::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let cases = source.cases().unwrap_or_default();
            if !cases.iter().any(|case| case.expects_failure()) {
                continue;
            }
            let Ok(code) = source.compile(&[]) else { continue };
            let code = Arc::new(code);
            if let Some(failure) = find(&code) {
                found.push((path.display().to_string(), code, failure));
            }
        }
    }
    assert!(found.len() > 8, "{} programs fail", found.len());
    found
}

#[test]
fn every_failure_is_a_history_of_the_model() {
    for (name, _, failure) in failing() {
        let history = failure.history().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(check(&history.execution, Model::Rc20).is_consistent(), "{name}\n{failure}");
        for format in [Format::Text, Format::Json] {
            let mut written = Vec::new();
            history.write(&mut written, format).unwrap_or_else(|error| panic!("{name}: {error}"));
            let read = read(std::io::Cursor::new(written), &name, Some(format)).expect("a history").next();
            let read = read.expect("a history").unwrap_or_else(|error| panic!("{name}: {error}"));
            let execution = read.into_memory().expect("of a memory");
            assert_eq!(execution.len(), history.execution.len(), "{name}");
            assert!(check(&execution, Model::Rc20).is_consistent(), "{name}");
        }
        assert!(!failure.to_string().is_empty());
    }
}

/// What went wrong, without where: of threads that wait, any may be named.
fn kind(failure: &Failure) -> String {
    failure.brief().split(" at ").next().unwrap_or_default().to_string()
}

/// A long execution with seq_cst events, found by chance: it is run again, and so is what is left of it.
#[test]
fn a_long_failure_by_chance_is_replayed_and_made_small() {
    let body = "x += 1 @sc\na = x @sc\ny = a @sc\n".repeat(16);
    let code = compile(&format!(
        "atomic x, y, z\nthread A {{\n{body}}}\nthread B {{\n{body}}}\nthread C {{\n{}b = y @sc\nassert b < 20\n}}\n",
        "z += 1 @sc\n".repeat(40)
    ));
    let mode = Mode::Random { seed: 1, executions: 1_000 };
    let options = Options { mode, ..Options::default() };
    let (report, _) = tribunal_explore::search::search(|| interpreter(&code), |_| (), &options)
        .expect("a model with sessions");
    let failure = report.failure.expect("C may come late");
    assert!(failure.graph.events().len() > 32, "{}", failure.graph.events().len());
    let again = |failure: &Failure| {
        let (guided, divergence, _) =
            replay(interpreter(&code), &failure.replay(), &options).expect("a model with sessions");
        assert!(divergence.is_none(), "{divergence:?}");
        guided.failure.expect("it fails again")
    };
    assert_eq!(again(&failure).replay_string(), failure.replay_string());
    let (small, _) = shrink(interpreter(&code), &failure, &options).expect("a model with sessions");
    assert_eq!(again(&small).replay_string(), small.replay_string());
}

#[test]
fn every_failure_can_be_replayed_and_made_small() {
    for (name, code, failure) in failing() {
        let options = Options { allow_races: code.allow_races(), ..Options::default() };
        let again: Replay = failure.replay_string().parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, failure.replay(), "{name}");
        let (guided, divergence, _) = replay(interpreter(&code), &again, &options).expect("a model");
        assert_eq!(divergence, None, "{name} {again}");
        let found =
            guided.failure.unwrap_or_else(|| panic!("{name} does not fail again: {again}\n{failure}"));
        assert_eq!(kind(&found), kind(&failure), "{name}");
        let (small, _) = shrink(interpreter(&code), &failure, &options).expect("a model");
        let sizes = [&small, &failure].map(|failure| failure.graph.events().len());
        assert!(sizes[0] <= sizes[1], "{name}: {sizes:?}");
        assert_eq!(kind(&small), kind(&failure), "{name}");
        let (guided, divergence, _) = replay(interpreter(&code), &small.replay(), &options).expect("a model");
        let found = guided.failure.unwrap_or_else(|| panic!("{name} does not fail again\n{small}"));
        assert_eq!((kind(&found), divergence), (kind(&small), None), "{name}");
    }
}

/// The same program after some work on it: names, lines, orders, and operations that do not matter.
#[test]
fn a_replay_outlives_edits() {
    let replayed = fail(&compile(DEKKER)).replay();
    let edited = compile(
        "atomic log, want_a, want_b, inside
         thread A {
           log = 7 @rlx

           want_a = 1 @sc
           if want_b @acq == 0 { inside += 1 @acqrel; assert(inside @rlx == 1); inside += -1 @rlx }
         }
         thread B {
           want_b = 1 @rel
           if want_a @sc == 0 { inside += 1 @rlx; assert(inside @rlx == 1); inside += -1 @rlx }
         }",
    );
    let (guided, divergence, _) =
        replay(interpreter(&edited), &replayed, &Options::default()).expect("a model");
    assert!(matches!(guided.failure.map(|failure| failure.problem), Some(Problem::Panic { .. })));
    // There is a store too many, which is noticed at the second.
    assert_eq!(
        divergence.map(|divergence| (divergence.thread, divergence.place.line)),
        Some(("0".into(), 5))
    );
}

/// What was repaired cannot be replayed, and it is said where not.
#[test]
fn a_replay_says_where_it_diverges() {
    let replayed = fail(&compile(DEKKER)).replay();
    let repaired = compile(&DEKKER.replace("@rel", "@sc"));
    let (guided, divergence, _) =
        replay(interpreter(&repaired), &replayed, &Options::default()).expect("a model");
    assert!(guided.failure.is_none());
    let divergence = divergence.expect("it cannot be the same");
    assert_eq!(
        divergence.to_string(),
        "the replay diverges after 7 events, in thread 1 at line 8: a load from the initial write expected, found \
         a load that cannot"
    );
}

#[test]
fn what_is_no_replay_is_refused() {
    for (text, message) in [
        ("", "not a replay: t1 expected at character 1, found \"\""),
        ("t1.x:W", "not a replay: a thread, such as m or 0-1, expected at character 4, found \"x:W\""),
        ("t1.m:L0", "not a replay: w expected at character 8, found \"\""),
        ("t1.m:C", "not a replay: a number expected at character 7, found \"\""),
        ("t1.m:WQ", "not a replay: `.` or an operation expected at character 7, found \"Q\""),
    ] {
        assert_eq!(text.parse::<Replay>().expect_err("no replay").to_string(), message);
    }
}
