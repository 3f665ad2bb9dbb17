//! On random small programs the explorer finds the executions that there are, each once.

mod brute_force;
mod found;
mod generate;
mod schedules;

use brute_force::{Behavior, brute_force, brute_force_loops};
use found::{found, found_as_long, found_outcomes};
use generate::{Shape, program};
use schedules::{Preemptions, schedules};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tribunal_explore::text::{Code, Source, explore};
use tribunal_explore::{End, Mode, Options, Problem, Report};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{Definition, NoFiles};

const MODELS: [Model; 8] =
    [Model::Rc20, Model::Rc11, Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Sra, Model::Relaxed];

/// States of a program that brute force looks at.
const STATES: usize = 4_000;

/// How the explorer differs from brute force on a program, if it does; else how many executions there are. Programs with very
/// many executions prove nothing more and are left out.
fn difference(text: &str, model: Model) -> Result<Option<u64>, String> {
    let code = compiled(text);
    let allow_races = code.allow_races();
    let Some(behavior) = brute_force(&code, model, allow_races, STATES) else { return Ok(None) };
    let Behavior { complete: expected, stuck, racy, fails, .. } = behavior;
    let one = Options { model, allow_races, ..Options::default() };
    let three = Options { threads: NonZeroUsize::new(3).expect("three"), ..one.clone() };
    let (report, graphs) = found(&code, &one);
    match &report.failure {
        None if report.end != End::Complete => return Err(format!("ended with {:?}", report.end)),
        None if stuck => return Err("threads may wait for ever, and that was not found".into()),
        None if racy => return Err("there is a race, and it was not found".into()),
        None if fails => return Err("an assertion fails, and that was not found".into()),
        None => {}
        Some(failure) => {
            let right = match failure.problem {
                Problem::Deadlock { .. } | Problem::Livelock { .. } => stuck,
                Problem::Race { .. } => racy,
                Problem::Panic { .. } => fails,
                _ => false,
            };
            if !right {
                return Err(format!("there is no such failure: {failure:?}"));
            }
            let (shared, _) = found(&code, &three);
            let first =
                |report: &Report| report.failure.as_ref().map(|f| (f.problem.clone(), f.place, f.thread));
            return match first(&shared) == first(&report) {
                true => Ok(Some(0)),
                false => Err(format!("three workers: {:?}; one: {:?}", first(&shared), first(&report))),
            };
        }
    }
    if let Some((graph, _)) = graphs.iter().find(|(_, times)| **times > 1) {
        return Err(format!("explored twice: {graph:?}"));
    }
    if let Some(graph) = graphs.keys().find(|graph| !expected.contains(*graph)) {
        return Err(format!("is no execution: {graph:?}"));
    }
    if let Some(graph) = expected.iter().find(|graph| !graphs.contains_key(*graph)) {
        return Err(format!("left out: {graph:?}"));
    }
    if report.executions != expected.len() as u64 {
        return Err(format!("counts {} executions, and there are {}", report.executions, expected.len()));
    }
    let (shared, again) = found(&code, &three);
    if (shared.executions, shared.blocked, &again) != (report.executions, report.blocked, &graphs) {
        return Err(format!(
            "three workers: {} executions, {} blocked; one: {}, {}",
            shared.executions, shared.blocked, report.executions, report.blocked
        ));
    }
    Ok(Some(report.executions))
}

/// How often threads go round loops in brute force.
const YIELDS: [usize; 2] = [3, 5];

/// How the outcomes of a program with loops differ from those of brute force, which goes round them a few times; else how many there are.
fn loops_differ(text: &str, model: Model) -> Result<Option<u64>, String> {
    let code = compiled(text);
    let most = Some(std::time::Duration::from_secs(20));
    let options = Options { model, max_duration: most, ..Options::default() };
    let mut explored = None;
    for yields in YIELDS {
        let Some(behavior) = brute_force_loops(&code, model, false, STATES, yields) else { return Ok(None) };
        let (report, _, outcomes) = explored.get_or_insert_with(|| found_outcomes(&code, &options));
        if !matches!(report.end, End::Complete | End::Failed) {
            return Err(format!("ended with {:?}", report.end));
        }
        match &report.failure {
            Some(failure)
                if matches!(failure.problem, Problem::Deadlock { .. } | Problem::Livelock { .. }) =>
            {
                if behavior.stuck {
                    return Ok(Some(0));
                }
            }
            // A loop without an operation, which shrinking makes.
            Some(failure)
                if matches!(failure.problem, Problem::TooLong { .. })
                    && failure.graph.events().len() < options.max_events =>
            {
                return Ok(None);
            }
            Some(failure) => return Err(format!("there is no such failure: {:?}", failure.problem)),
            None if behavior.stuck => return Err("threads may wait for ever, and that was not found".into()),
            None => {
                if let Some(outcome) = behavior.outcomes.iter().find(|outcome| !outcomes.contains(*outcome)) {
                    return Err(format!("left out: {outcome:?} of {}", behavior.outcomes.len()));
                }
                if outcomes.is_subset(&behavior.outcomes) {
                    return Ok(Some(outcomes.len() as u64));
                }
            }
        }
    }
    Err(format!(
        "there is no such execution or failure: {:?}",
        explored.and_then(|(report, ..)| report.failure).map(|failure| failure.problem)
    ))
}

/// How a program's executions differ if what leads nowhere is gone on with, which it is under any bound on preemptions; else how many there are, and how
/// many blocked runs without the bound and with it.
fn left_differs(text: &str, model: Model) -> Result<Option<[u64; 3]>, String> {
    let code = compiled(text);
    let one = Options { model, ..Options::default() };
    let three = Options { threads: NonZeroUsize::new(3).expect("three"), ..one.clone() };
    let most = Some(std::time::Duration::from_secs(1));
    let all = Options { max_preemptions: Some(1000), max_duration: most, ..one.clone() };
    let (expected, all) = found(&code, &all);
    if !matches!(expected.end, End::Complete | End::Failed) {
        return Ok(None);
    }
    let mut counts = [expected.executions, 0, expected.blocked];
    for options in [one, three] {
        let (report, graphs) = found(&code, &options);
        if expected.failure.is_some() != report.failure.is_some() {
            return Err(format!("fails with {:?}, and {:?}", expected.failure, report.failure));
        }
        if expected.failure.is_some() {
            return Ok(Some([0; 3]));
        }
        if report.end != End::Complete {
            return Err(format!("ended with {:?}", report.end));
        }
        if let Some((graph, _)) = graphs.iter().find(|(_, times)| **times > 1) {
            return Err(format!("explored twice: {graph:?}"));
        }
        if let Some(graph) = all.keys().find(|graph| !graphs.contains_key(*graph)) {
            return Err(format!("left out: {graph:?}"));
        }
        if (graphs.len(), report.executions) != (all.len(), expected.executions) {
            return Err(format!("{} executions of {}", report.executions, expected.executions));
        }
        if report.blocked > expected.blocked {
            return Err(format!("{} blocked, not {}", report.blocked, expected.blocked));
        }
        if options.threads.get() > 1 && counts[1] != report.blocked {
            return Err(format!("{} blocked, with three workers {}", counts[1], report.blocked));
        }
        counts[1] = report.blocked;
    }
    Ok(Some(counts))
}

/// The same for random programs, which are also compared with brute force if they are small.
fn compare_left(model: Model, seeds: std::ops::Range<u64>, shape: Shape) {
    let (mut programs, mut failing, mut sum, mut brute) = (0, 0, [0; 3], 0);
    for seed in seeds {
        let text = program(seed, shape);
        for text in [&text, &reversed(&text)] {
            let found = match left_differs(text, model) {
                Ok(None) => continue,
                Ok(Some(found)) => found,
                Err(why) => panic!("under {model}, seed {seed}:\n{text}{why}"),
            };
            programs += 1;
            failing += u64::from(found == [0; 3]);
            sum.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        }
        if seed % 8 == 0 {
            match differs(&text, model) {
                Ok(found) => brute += u64::from(found.is_some()),
                Err(why) => panic!("under {model}, seed {seed}:\n{text}{why}"),
            }
        }
    }
    println!(
        "{model}: {programs} programs, {failing} of which fail, {} executions, {} blocked, of {}; {brute} by brute force",
        sum[0], sum[1], sum[2]
    );
}

fn compiled(text: &str) -> Arc<Code> {
    let code = Source::parse(text).and_then(|source| source.compile(&[]));
    Arc::new(code.unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// The same program with its threads in the opposite order.
fn reversed(text: &str) -> String {
    let (head, threads) = text.split_once("thread ").unwrap_or((text, ""));
    let threads: Vec<String> =
        threads.split("\nthread ").map(|body| format!("thread {}\n", body.trim_end())).collect();
    format!("{head}{}", threads.into_iter().rev().collect::<String>())
}

/// Whether threads in the opposite order have as many executions, or fail as well.
fn order_matters(text: &str, model: Model) -> Option<String> {
    let answer = |text: &str| {
        let code = compiled(text);
        let options = Options { model, ..Options::default() };
        let found = explore(code, &options).expect("a model that can be explored");
        match found.report.failure {
            Some(_) => None,
            None => Some((found.report.executions, found.report.end)),
        }
    };
    let (one, other) = (answer(text), answer(&reversed(text)));
    (one != other).then(|| format!("{one:?}, with threads in the opposite order {other:?}"))
}

/// A program with fewer lines that still differs.
fn shrunk(mut text: String, model: Model) -> String {
    loop {
        let lines: Vec<&str> = text.lines().collect();
        let without = |(from, count): (usize, usize)| {
            let kept = lines.iter().enumerate().filter(|(i, _)| !(from..from + count).contains(i));
            kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        let pieces = (1..=8).rev().flat_map(|count| (1..lines.len()).map(move |from| (from, count)));
        let smaller = pieces.map(without).find(|smaller| {
            Source::parse(smaller).is_ok_and(|source| source.compile(&[]).is_ok())
                && smaller.len() < text.len()
                && differs(smaller, model).is_err()
        });
        match smaller {
            Some(smaller) => text = smaller,
            None => return text,
        }
    }
}

/// How the explorer differs from brute force, or from itself on the same program with its threads in another order.
fn differs(text: &str, model: Model) -> Result<Option<u64>, String> {
    if text.contains("spin") {
        return loops_differ(text, model);
    }
    let found = difference(text, model)?;
    match found.and_then(|_| order_matters(text, model)) {
        Some(why) => Err(why),
        None => Ok(found),
    }
}

/// Explores random programs; those that differ are shrunk.
fn compare(model: Model, seeds: std::ops::Range<u64>, shape: Shape) {
    let (mut programs, mut executions, mut most) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in seeds {
        let mut text = program(seed, shape);
        if shape == Shape::Racing && seed % 4 == 0 {
            text.insert_str(0, "allow races\n");
        }
        match differs(&text, model) {
            Ok(None) => continue,
            Ok(Some(count)) => {
                executions += count;
                most = most.max(count);
            }
            Err(why) => wrong.push((seed, text, why)),
        }
        programs += 1;
    }
    println!("{model}: {programs} programs, {executions} executions, at most {most}");
    let Some((seed, first, why)) = wrong.first() else { return };
    let small = shrunk(first.clone(), model);
    // If it is not the same each time, that is the mistake.
    let small_why = differs(&small, model).err().unwrap_or_else(|| "nothing, the second time".into());
    let count = wrong.len();
    panic!(
        "{count} programs differ under {model}, the first is of seed {seed}:\n{first}{why}\nsmaller:\n{small}{small_why}"
    );
}

#[test]
fn all_executions_are_found_once() {
    compare(Model::Rc20, 0..1400, Shape::Mixed);
}

#[test]
fn also_of_read_modify_writes() {
    compare(Model::Rc20, 10_000..10_400, Shape::Updates);
}

#[test]
fn also_of_sc_accesses_and_fences() {
    compare(Model::Rc20, 20_000..20_400, Shape::SeqCst);
}

#[test]
fn also_of_many_writes_to_one_location() {
    compare(Model::Rc20, 30_000..30_300, Shape::OneLocation);
}

#[test]
fn threads_that_wait_go_on_or_are_stuck() {
    compare(Model::Rc20, 100_000..100_800, Shape::Waiting);
}

#[test]
fn threads_that_wait_under_sc() {
    compare(Model::Sc, 110_000..110_300, Shape::Waiting);
}

#[test]
fn threads_that_wait_under_tso() {
    compare(Model::Tso, 120_000..120_300, Shape::Waiting);
}

#[test]
fn threads_take_locks() {
    compare(Model::Rc20, 230_000..230_500, Shape::Locks);
    compare(Model::Sc, 240_000..240_200, Shape::Locks);
    compare(Model::Tso, 250_000..250_200, Shape::Locks);
}

#[test]
fn waits_time_out() {
    compare(Model::Rc20, 200_000..200_600, Shape::Timed);
    compare(Model::Sc, 210_000..210_200, Shape::Timed);
    compare(Model::Tso, 220_000..220_200, Shape::Timed);
}

/// RMWs that wait: what once kept them from an execution. Random programs with timeouts find each kind, one in some thousands.
#[test]
fn executions_that_were_left_out_once() {
    let programs = [
        // It takes another thread's store that an RMW took before, though it waited behind its own thread's.
        "atomic x
thread T1 { x = 1 @rlx; r0 = x += 1 @rlx }
thread T2 { x = 2 @rlx; await cas(x, 1 -> 1) @acq timeout r1 }
",
        // It waits behind an RMW that took something else than it waited behind.
        "atomic x, y
thread T2 { y = 1 @rlx; r0 = x @sc }
thread T1 { await cas(y, 2 -> 1) @acq timeout r2 }
thread T0 { r0 = y += 1 @rel; x = 1 @rlx }
",
        // It waits forever though a write lets it go on that is not the last.
        "atomic y
thread T1 { await cas(y, 2 -> 0) @sc timeout r0 }
thread T2 { await cas(y, 0 -> 2) @acq timeout r0 }
thread T3 { y = 2 @rlx; r0 = y += 1 @rel }
",
        // It cannot wait behind what it prefers to wait behind.
        "atomic x, y
thread T2 { r0 = y += 1 @rlx }
thread T1 { x = 5 @rlx; await cas(x, 1 -> 1) @rlx timeout r0 }
thread T0 { x = 2 @rlx; y = 2 @sc; r0 = xchg(x, 6) @acq; y = 3 @sc }
",
        // A load that waits has seen a value, and waits for none in particular.
        "atomic x, y
thread T3 { r0 = x += 1 @rel; await(y @sc == 0) timeout r2 }
thread T0 { y = 1 @rlx; r1 = x += 1 @acq }
",
        // A write tries a wait while another thread is to take the lock that is free.
        "atomic x
mutex n
thread T3 { await(x @acq == 2) timeout r1; lock(n); unlock(n) }
thread T1 { r0 = xchg(x, 2) @rlx; r0 = cas(x, 0 -> 2) @acqrel/sc }
thread T0 { lock(n); unlock(n); await cas(x, 2 -> 0) @rlx timeout r1 }
",
        // A try of a lock sees the second of three threads hold it, of which the first waits longer.
        "mutex m
thread T0 { lock(m); unlock(m) }
thread T1 { r0 = trylock(m); if r0 { unlock(m) } }
thread T2 { lock(m); unlock(m) }
thread T3 { lock(m); unlock(m) }
",
        // A try of a lock sees it held by a thread that has waited since before the try.
        "mutex m
thread T0 { lock(m); unlock(m); r0 = trylock(m); if r0 { unlock(m) } }
thread T1 { lock(m); unlock(m) }
thread T2 { lock(m); unlock(m) }
thread T3 { lock(m); unlock(m); lock(m); unlock(m) }
",
        // A try of a lock succeeds after all while a thread is to take another lock.
        "mutex m, n
thread T0 { lock(n); unlock(n) }
thread T1 { r0 = trylock(m); if r0 { unlock(m) }; lock(m); unlock(m) }
thread T2 { lock(m); lock(n); unlock(n); unlock(m) }
",
        // It waits behind a store that an RMW takes later.
        "atomic x, y
thread T1 { r0 = xchg(y, 1) @rlx; await cas(x, 0 -> 2) @rlx timeout r1 }
thread T0 { x = 2 @rlx; r0 = x += 1 @acq; r1 = cas(y, 0 -> 1) @rel/sc }
",
    ];
    for (text, (model, _)) in programs.iter().flat_map(|text| WAITED_FOR.map(|model| (text, model))) {
        differs(text, model).unwrap_or_else(|why| panic!("{model}\n{text}{why}"));
    }
}

#[test]
fn loops_wait() {
    compare(Model::Sc, 310_000..310_010, Shape::Loops);
    compare(Model::Rc20, 300_000..300_006, Shape::Loops);
}

/// The last round of A may take away what B stored in between: A is where it was one round before, and then ends, since it finds something else.
#[test]
fn a_loop_ends_by_what_it_leaves() {
    let text = "atomic f
thread A { r = f += 2 @sc; while r & 1 == 1 { f -= 2 @sc; spin; r = f += 2 @sc } }
thread B { if cas(f, 0 -> 1) @rlx == 0 { f = 0 @rel } }
";
    for (model, _) in WAITED_FOR {
        differs(text, model).unwrap_or_else(|why| panic!("{model}\n{text}{why}"));
    }
}

/// What a thread that spins has read too late leads nowhere, and nothing is left out with it.
#[test]
fn stale_loops_lead_nowhere() {
    for (model, first) in WAITED_FOR {
        compare_left(model, first + 40_000..first + 40_060, Shape::Retries);
    }
}

/// What was kept is gone on from when a write turns up that may let its thread go on.
#[test]
fn what_is_kept_is_taken_up_again() {
    let programs = [
        // Only where A reads 0 may V write y.
        "atomic q, x, y, z @rlx
thread U { z = 1 }
thread A { c = z; if c == 0 { q = 5 } }
thread W { x = 1; x = 2 }
thread T { while 1 == 1 { a = x; b = y; if a + b >= 2 { break }; spin } }
thread V { d = q; if d == 5 { y = 1 } }
",
        // The thread that writes y is not as far where T reads x too late.
        "atomic x, y @rlx
thread W { x = 1; x = 2 }
thread T { while 1 == 1 { a = x; b = y; if a + b >= 2 { break }; spin } }
thread V { c = x; y = c; y = 1 }
",
    ];
    for (text, (model, _)) in programs.iter().flat_map(|text| WAITED_FOR.map(|model| (text, model))) {
        let found = left_differs(text, model).and_then(|_| left_differs(&reversed(text), model));
        let [executions, left, all] =
            found.unwrap_or_else(|why| panic!("{model}\n{text}{why}")).unwrap_or_default();
        println!("{model}: {executions} executions, {left} blocked, of {all}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn many_more_stale_loops() {
    for (model, first) in WAITED_FOR {
        compare_left(model, first + 40_000..first + 44_000, Shape::Retries);
    }
}

/// Models, and where the seeds of each begin.
const WAITED_FOR: [(Model, u64); 3] =
    [(Model::Rc20, 2_000_000), (Model::Sc, 2_100_000), (Model::Tso, 2_200_000)];

#[test]
#[ignore = "takes minutes"]
fn many_more_that_wait() {
    for (model, first) in WAITED_FOR {
        compare(model, first..first + 4_000, Shape::Timed);
        compare(model, first + 20_000..first + 21_000, Shape::Waiting);
        compare(model, first + 30_000..first + 36_000, Shape::Locks);
    }
}

#[test]
#[ignore = "takes an hour"]
fn many_more_loops() {
    for (model, first) in WAITED_FOR {
        compare(model, first + 10_000..first + 12_000, Shape::Loops);
    }
}

#[test]
fn races_are_found() {
    compare(Model::Rc20, 130_000..130_800, Shape::Plain);
}

/// Under models without races, a plain read reads whatever an atomic one would.
#[test]
fn plain_accesses_under_models_without_races() {
    compare(Model::Sc, 140_000..140_150, Shape::Racing);
    compare(Model::Tso, 150_000..150_150, Shape::Racing);
    compare(Model::Pso, 160_000..160_150, Shape::Racing);
}

#[test]
fn plain_accesses_under_a_model_as_text() {
    let text = Definition::new("sc.cat", &Model::Sc.text(), &mut NoFiles).expect("a model");
    compare(Model::Cat(text), 140_000..140_030, Shape::Racing);
}

#[test]
fn plain_accesses_race_with_whatever_is_not_ordered() {
    compare(Model::Rc20, 170_000..170_300, Shape::Racing);
    compare(Model::Rc11, 180_000..180_150, Shape::Racing);
    compare(Model::Ra, 190_000..190_150, Shape::Racing);
}

/// Sessions count by observers, texts by putting the writes in order one way after the other.
#[test]
fn mo_is_counted_as_the_definition_has_it() {
    let mut counted = 0;
    for model in [Model::Rc20, Model::Rc11, Model::Ra, Model::Sra, Model::Sc, Model::Tso, Model::Pso] {
        let name = format!("{model}.cat");
        let text = Definition::new(&name, &model.text(), &mut NoFiles).expect("a model");
        for (first, shape) in [(0, Shape::Mixed), (20_000, Shape::SeqCst), (30_000, Shape::OneLocation)] {
            for seed in first..first + 12 {
                let text_of_program = program(seed, shape);
                let count = |model| {
                    let options =
                        Options { model, count_mo: true, max_executions: Some(200), ..Options::default() };
                    explore(compiled(&text_of_program), &options)
                        .expect("a model that can be explored")
                        .report
                };
                let (ours, theirs) = (count(model), count(Model::Cat(text)));
                if (ours.end, theirs.end) == (End::Complete, End::Complete) {
                    counted += u64::from(ours.with_mo > Some(ours.executions));
                    assert_eq!(ours.with_mo, theirs.with_mo, "{model}, seed {seed}:\n{text_of_program}");
                }
            }
        }
    }
    assert!(counted > 50, "only {counted} programs leave mo open");
}

#[test]
#[ignore = "takes minutes"]
fn many_more() {
    use Model::{Pso, Ra, Rc11, Rc20, Relaxed, Sc, Tso, Wra};
    for (shape, models) in [
        (Shape::Updates, &[Rc20, Tso, Sc, Ra, Pso][..]),
        (Shape::Waiting, &[Rc20, Sc, Tso, Pso, Ra]),
        (Shape::Plain, &[Rc20, Rc11, Ra, Sc, Tso, Pso]),
        (Shape::Racing, &[Rc20, Rc11, Ra, Sc, Tso, Pso]),
        (Shape::SeqCst, &[Rc20, Rc11]),
        (Shape::OneLocation, &[Rc20]),
        (Shape::Mixed, &[Tso, Pso, Ra, Relaxed, Rc11, Wra, Rc20, Sc]),
    ] {
        models.iter().for_each(|&model| compare(model, 1_000_000..1_002_000, shape));
    }
}

#[test]
fn also_under_wra() {
    compare(Model::Wra, 95_000..95_300, Shape::Mixed);
}

#[test]
fn also_under_sra() {
    compare(Model::Sra, 97_000..97_300, Shape::Mixed);
}

/// Programs with plain accesses that told a wrong explorer from a right one.
#[test]
fn plain_accesses_that_were_wrong_once() {
    const PROGRAMS: [&str; 5] = [
        "plain d\nthread A {\na = d\nassert a == 0\n}\nthread B {\nd = 1\n}\n",
        "plain d\nthread A {\na = d\n}\nthread B {\nb = d\nd = b + 1\n}\n",
        // An RMW that fails does not write.
        "atomic x\nthread A {\na = x @na\n}\nthread B {\nb = cas(x, 5 -> 6) @sc\n}\n",
        // What is read must be the release, and acquiring it orders the accesses.
        "atomic x, y, z @rlx\nthread A {\nx = 1 @na\nx = 2 @rel\nfence @sc\nif z == 0 { y = 1 }\n}\n\
         thread B {\nz = 1\nfence @sc\nif y == 1 { r = x @acq }\n}\n",
        // Plain accesses that may race are relaxed ones: fences take effect.
        "allow races\natomic x @rlx\nplain p\nthread A {\nx = 1\nfence @rel\np = 1\n}\n\
         thread B {\na = p\nfence @acq\nb = x\n}\n",
    ];
    let text = Definition::new("tso.cat", &Model::Tso.text(), &mut NoFiles).expect("a model");
    let models = [Model::Rc20, Model::Rc11, Model::Ra, Model::Sc, Model::Tso, Model::Pso, Model::Cat(text)];
    let mut wrong = Vec::new();
    for program in PROGRAMS {
        for model in models {
            wrong.extend(differs(program, model).err().map(|why| format!("{model}: {program}{why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that told a wrong explorer from a right one, as they were shrunk.
#[test]
fn programs_that_were_wrong_once() {
    const THREADS: [&[&str]; 12] = [
        &["y = 2 @rlx; a = y += 1 @rlx", "y = 2 @rlx; b = y += 1 @rlx"],
        &["a = y @rlx", "y += 1 @rlx", "y += 1 @rlx", "xchg(y, 2) @rlx"],
        &["cas(x, 1 -> 2) @rlx", "x += 1 @rlx", "xchg(x, 2) @rlx", "x = 2 @rlx"],
        &["xchg(y, 2) @rlx; a = y @rlx", "y = 2 @rlx", "y = 1 @rlx; xchg(y, 2) @rlx"],
        &["a = cas(y, 1 -> 1) @rlx; x = a + 1 @rlx; b = x @rlx", "x = 2 @rlx; x += 1 @rlx"],
        &["a = x @rlx", "x += 1 @rlx", "b = x @rlx; x = 1 @rlx", "x = 2 @rlx"],
        &["a = x @rlx", "cas(y, 0 -> 2) @sc/acq; xchg(x, 1) @sc", "x = 2 @rel", "x += 1 @acq; y = 1 @sc"],
        &["await(x @rlx == 0)", "x = 1 @rlx"],
        &["x = 1 @rlx", "await(x @rlx == 0)"],
        &["await cas(x, 0 -> 1) @rlx", "x = 1 @rlx"],
        &["x = 2 @rlx", "x = 1 @rlx; await(x @rlx == 2)"],
        &["y = 2 @sc", "a = y @sc; x = a + 1 @sc; b = x += 1 @rel", "x = 2 @rel; c = xchg(y, 1) @rlx"],
    ];
    let mut wrong = Vec::new();
    for threads in THREADS {
        let text: String =
            threads.iter().enumerate().map(|(i, body)| format!("thread T{i} {{ {body} }}\n")).collect();
        let text = format!("atomic x, y\n{text}");
        // Under sra the search may leave out executions with RMWs, and says so.
        let known = |model: &Model| *model == Model::Sra && text.contains("x = 2 @rel; c = xchg(y, 1)");
        for model in MODELS.into_iter().filter(|model| !known(model)) {
            wrong.extend(difference(&text, model).err().map(|why| format!("{model}: {text}{why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the programs of the folder expect was counted by hand or by others; brute force says the same where it can.
#[test]
fn programs_of_the_folder_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let folders = std::fs::read_dir(&root).expect("a folder").map(|folder| folder.expect("a folder").path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut compared = 0;
    for file in files.map(|file| file.expect("a file").path()) {
        let text = std::fs::read_to_string(&file).expect("a text");
        // The main thread is not looked at.
        if text.contains("\nmain {") || text.contains("\nfinal {") {
            continue;
        }
        let source = Source::parse(&text).expect("a program");
        for case in source.cases().expect("cases") {
            let (Some(executions), Ok(code)) = (case.executions(), source.compile(&case.settings)) else {
                continue;
            };
            // Those that allow races are large.
            if code.allow_races() || executions > 1000 {
                continue;
            }
            let Some(found) = brute_force(&Arc::new(code), case.model, false, 20 * STATES) else { continue };
            let name = format!("{}:{}", file.display(), case.line);
            assert_eq!(
                (found.complete.len() as u64, found.racy, found.stuck),
                (executions, false, false),
                "{name}"
            );
            compared += 1;
        }
    }
    println!("{compared} cases");
    assert!(compared > 100);
}

/// Executions by chance are among all.
#[test]
fn chance_finds_nothing_else() {
    let mut all = 0;
    for seed in 0..300 {
        let text = program(seed, Shape::Mixed);
        let code = compiled(&text);
        let model = [Model::Rc20, Model::Sc, Model::Tso, Model::Ra][seed as usize % 4];
        let Some(Behavior { complete, .. }) = brute_force(&code, model, false, STATES) else { continue };
        let sampled = |mode| {
            let (report, graphs) = found(&code, &Options { model, mode, ..Options::default() });
            assert!(report.failure.is_none(), "{text}");
            assert_eq!(report.end, End::Sampled);
            assert_eq!(report.executions + report.blocked, 200, "{text}");
            assert!(graphs.keys().all(|graph| complete.contains(graph)), "{model}, {mode:?}\n{text}");
            graphs
        };
        let graphs = sampled(Mode::Random { seed, executions: 200 });
        assert_eq!(
            graphs,
            sampled(Mode::Random { seed, executions: 200 }),
            "the same seed, the same executions"
        );
        all += u64::from(graphs.len() == complete.len());
        sampled(Mode::Pct { seed, executions: 200, depth: 3 });
    }
    // Two hundred are enough for most of these.
    assert!(all > 200, "{all}");
}

/// In long executions seq_cst events have the order in which they are made. What is sampled then are executions, with the races that there are, and mostly all
/// of them.
fn sample_as_long(model: Model, seeds: std::ops::Range<u64>, shape: Shape) -> (usize, usize) {
    let (mut programs, mut all) = (0, 0);
    for seed in seeds {
        let text = program(seed, shape);
        let code = compiled(&text);
        let Some(behavior) = brute_force(&code, model, false, STATES) else { continue };
        let options = Options { model, ..Options::default() };
        let (graphs, failures) = found_as_long(&code, &options, 300);
        let wrong = graphs.keys().find(|graph| !behavior.complete.contains(*graph));
        assert!(wrong.is_none(), "{model}: {wrong:?} is no execution\n{text}");
        for problem in failures {
            let right = match problem {
                Problem::Race { .. } => behavior.racy,
                Problem::Panic { .. } => behavior.fails,
                Problem::Deadlock { .. } | Problem::Livelock { .. } => behavior.stuck,
                _ => false,
            };
            assert!(right, "{model}: there is no such failure: {problem:?}\n{text}");
        }
        programs += 1;
        all += usize::from(graphs.len() == behavior.complete.len());
    }
    println!("{model}: of {programs} programs, {all} with all executions");
    (programs, all)
}

#[test]
fn long_executions_find_nothing_else() {
    for (model, seeds, shape) in [
        (Model::Rc20, 200_000..200_150, Shape::SeqCst),
        (Model::Rc11, 201_000..201_100, Shape::SeqCst),
        (Model::Rc20, 202_000..202_100, Shape::Mixed),
        (Model::Sc, 203_000..203_100, Shape::Mixed),
        (Model::Rc20, 204_000..204_100, Shape::Racing),
        (Model::Sc, 205_000..205_050, Shape::Waiting),
    ] {
        let (programs, all) = sample_as_long(model, seeds, shape);
        // Three hundred are enough for most of these.
        assert!(shape == Shape::Racing || 3 * all > 2 * programs, "{model}: {all} of {programs}");
    }
}

#[test]
fn also_under_sc() {
    compare(Model::Sc, 40_000..40_300, Shape::Mixed);
}

#[test]
fn also_under_tso() {
    compare(Model::Tso, 50_000..50_300, Shape::Mixed);
}

#[test]
fn also_under_pso() {
    compare(Model::Pso, 60_000..60_300, Shape::Mixed);
}

#[test]
fn also_under_ra() {
    compare(Model::Ra, 70_000..70_300, Shape::Mixed);
}

#[test]
fn also_under_relaxed() {
    compare(Model::Relaxed, 80_000..80_300, Shape::Mixed);
}

#[test]
fn also_under_rc11() {
    compare(Model::Rc11, 90_000..90_300, Shape::Mixed);
}

/// How the explorer with a bound on preemptions differs from all schedules, if it does. Otherwise how many programs and executions were compared, and how many were met in vain.
fn bounds_differ(text: &str, model: Model) -> Result<Option<[u64; 3]>, String> {
    let code = compiled(text);
    let allow_races = code.allow_races();
    let Some(expected) = schedules(&code, model, allow_races, STATES) else { return Ok(None) };
    let Preemptions { complete, stuck, racy, fails } = expected;
    let mut counts = [1, 0, 0];
    for most in 0..=4 {
        let is_within = |least: Option<usize>| least.is_some_and(|least| least <= most);
        let max_preemptions = Some(most);
        let threads = NonZeroUsize::new(1 + most % 2 * 2).expect("not 0");
        let options = Options { model, allow_races, max_preemptions, threads, ..Options::default() };
        let (report, graphs) = found(&code, &options);
        if let Some(failure) = &report.failure {
            let right = match failure.problem {
                Problem::Deadlock { .. } | Problem::Livelock { .. } => stuck.is_some(),
                Problem::Race { .. } => racy.is_some(),
                Problem::Panic { .. } => fails.is_some(),
                _ => false,
            };
            match right {
                true => continue,
                false => return Err(format!("bound {most}: there is no such failure: {failure:?}")),
            }
        }
        if is_within(stuck) || is_within(racy) || is_within(fails) {
            let what = [stuck, racy, fails];
            return Err(format!("bound {most}: stuck, racy or fails with {what:?}, and that was not found"));
        }
        if let Some((graph, _)) = graphs.iter().find(|(_, times)| **times > 1) {
            return Err(format!("bound {most}: explored twice: {graph:?}"));
        }
        if let Some(graph) = graphs.keys().find(|graph| !is_within(complete.get(*graph).copied())) {
            let least = complete.get(graph);
            return Err(format!("bound {most}: has {least:?} preemptions: {graph:?}"));
        }
        let within = complete.iter().filter(|(_, least)| **least <= most);
        if let Some((graph, least)) = within.clone().find(|(graph, _)| !graphs.contains_key(*graph)) {
            return Err(format!("bound {most}: left out, with {least} preemptions: {graph:?}"));
        }
        if report.executions != within.count() as u64 {
            return Err(format!("bound {most}: counts {} executions", report.executions));
        }
        let all = graphs.len() == complete.len();
        if report.end != End::Bounded && !(report.end == End::Complete && all && report.outside == 0) {
            return Err(format!("bound {most}: ended with {:?}", report.end));
        }
        counts[1] += report.executions;
        counts[2] += report.outside;
    }
    Ok(Some(counts))
}

/// Exactly the executions that some schedule within a bound has, for bounds 0 to 4.
fn compare_bounds(model: Model, seeds: std::ops::Range<u64>, shape: Shape) {
    let mut sum = [0; 3];
    for seed in seeds {
        let text = program(seed, shape);
        match bounds_differ(&text, model) {
            Ok(None) => {}
            Ok(Some(counts)) => sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
            Err(why) => panic!("under {model}, seed {seed}:\n{text}{why}"),
        }
    }
    println!("{model}: {} programs, {} executions within bounds, {} met outside", sum[0], sum[1], sum[2]);
}

const BOUNDED: [(Model, Shape); 12] = [
    (Model::Rc20, Shape::Mixed),
    (Model::Rc20, Shape::Waiting),
    (Model::Rc20, Shape::Updates),
    (Model::Rc20, Shape::SeqCst),
    (Model::Rc20, Shape::OneLocation),
    (Model::Rc20, Shape::Racing),
    (Model::Sc, Shape::Waiting),
    (Model::Tso, Shape::Waiting),
    (Model::Ra, Shape::Updates),
    (Model::Rc11, Shape::Waiting),
    (Model::Rc20, Shape::Locks),
    (Model::Sc, Shape::Locks),
];

#[test]
fn bounds_are_exact() {
    for (number, (model, shape)) in (0..).zip(BOUNDED) {
        let start = 200_000 + 10_000 * number;
        compare_bounds(model, start..start + 20, shape);
    }
}

#[test]
#[ignore = "takes minutes"]
fn bounds_are_exact_for_many_more() {
    for (number, (model, shape)) in (0..).zip(BOUNDED) {
        let start = 200_000 + 10_000 * number;
        compare_bounds(model, start..start + 700, shape);
    }
}
