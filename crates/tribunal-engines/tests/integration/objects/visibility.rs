//! The weak criteria: engines, labels and a brute force agree, certificates satisfy the definitions, inclusions hold.

use crate::objects::abstract_executions::{consistent, satisfies};
use rayon::prelude::*;
use std::path::PathBuf;
use tribunal_engines::Engine;
use tribunal_engines::object::{check, judge_by, strongest};
use tribunal_formats::{Input, open};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::named;
use tribunal_history::object::{Axiom, Criterion, History, OpId, Relation, Specification, Value, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_machines::objects::{Clients, Values};
use tribunal_random::Random;
use tribunal_verify::object::{Accepted, verify};

const WEAK: [Criterion; 5] =
    [Criterion::Weak, Criterion::Ryw, Criterion::Mr, Criterion::Causal, Criterion::Hbvis];

const SPECS: [&str; 10] = [
    "register",
    "cas-register",
    "counter",
    "set",
    "map",
    "queue",
    "stack",
    "priority-queue",
    "mutex",
    "bank({\"a\": 2, \"b\": 1})",
];

/// What is wrong with a verdict, given the right answer.
fn wrong(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
    expected: bool,
) -> Option<String> {
    match verdict {
        Verdict::Consistent(execution) if expected => satisfies(history, spec, criterion, execution).err(),
        Verdict::Inconsistent(violation) if !expected => {
            let part = history.part(&violation.operations, violation.cut);
            let again =
                judge_by(&part.typed(spec).expect("typed"), criterion, Engine::Naive, &Limits::default())
                    .expect("an engine of the criterion")
                    .0;
            (!again.is_inconsistent()).then(|| format!("the part {violation:?} is consistent"))
        }
        other => Some(format!("{} instead of {expected}", other.word())),
    }
}

fn mismatches(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    expected: bool,
) -> Vec<String> {
    let shown = || {
        history.ops().map(|op| format!("{} {:?}", history.show(op), history.times(op))).collect::<Vec<_>>()
    };
    [Engine::Minimal, Engine::Naive]
        .into_iter()
        .filter_map(|engine| {
            let verdict =
                judge_by(&history.typed(spec).expect("typed"), criterion, engine, &Limits::default())
                    .expect("an engine of the criterion")
                    .0;
            let what = wrong(history, spec, criterion, &verdict, expected)?;
            Some(format!("{criterion} by {}: {what}\n  {}", engine.name(), shown().join("\n  ")))
        })
        .collect()
}

fn none(mismatches: Vec<String>) {
    assert!(
        mismatches.is_empty(),
        "{} mismatches\n{}",
        mismatches.len(),
        mismatches[..mismatches.len().min(5)].join("\n")
    );
}

/// Some axioms of the grammar.
fn axioms(random: &mut Random, history: &History) -> Criterion {
    let relations = [Relation::Lin, Relation::Vis, Relation::Po, Relation::Hb];
    let two = random.below(2) == 1;
    let mut axiom = || {
        let left = if random.below(5) == 0 { Relation::Lin } else { Relation::Vis };
        let length = 1 + random.below(3);
        let right = (0..length).map(|_| relations[random.below(4) as usize]).collect();
        let methods = history.methods();
        let to = (random.below(3) == 0).then(|| methods[random.below(methods.len() as u64) as usize].clone());
        Axiom { left, right, to }
    };
    let first = axiom();
    Criterion::Axioms(if two { vec![first, axiom()] } else { vec![first] })
}

/// A history with lies and pending operations; every third with an explicit order in place of times, in which pending
/// operations may come before others.
fn random(spec: &str, operations: u32, seed: u64) -> History {
    let clients = Clients {
        processes: 2 + seed as u32 % 2,
        operations,
        values: Values::Upto(2),
        concurrency: [20, 60, 90][seed as usize % 3],
        pending: [0.0, 0.1, 0.3][seed as usize / 3 % 3],
        lies: [0.0, 0.2, 0.5][seed as usize / 9 % 3],
        seed,
    };
    let timed = clients.run(spec);
    if !seed.is_multiple_of(3) {
        return timed;
    }
    let mut random = Random::new(seed);
    let mut b = History::builder();
    for op in timed.ops() {
        let process = b.process(&format!("{}", random.below(3)));
        let call = timed.called(op);
        b.operation(process, call.method, call.args, timed.result(op).cloned());
    }
    for later in 1..timed.len() as u32 {
        for earlier in 0..later {
            if random.below(4) == 0 {
                b.before(OpId(earlier), OpId(later));
            }
        }
    }
    b.build().expect("pairs go up")
}

#[test]
fn the_labels_of_the_corpus_are_met() {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "object-public.jsonl.zst"].iter().collect();
    let corpus: Vec<_> = open(&Input::Path(path), None)
        .expect("the corpus opens")
        .collect::<Result<_, _>>()
        .expect("the corpus is well formed");
    assert_eq!(corpus.len(), 2000);
    none(
        corpus
            .par_iter()
            .flat_map_iter(|labeled| {
                let object = labeled.object().expect("of an object");
                let spec = named(&object.spec).expect("a built-in specification");
                let labels = labeled.labels.0.iter().filter_map(|(name, label)| {
                    let criterion: Criterion = name.parse().expect("a label is for a criterion");
                    Some((criterion, (*label)?))
                });
                labels
                    .filter(|(criterion, _)| WEAK.contains(criterion))
                    .flat_map(|(criterion, label)| mismatches(&object.history, &*spec, &criterion, label))
                    .collect::<Vec<_>>()
            })
            .collect(),
    );
}

#[test]
fn engines_and_brute_force_agree() {
    none(
        (0..1500u64)
            .into_par_iter()
            .flat_map_iter(|seed| {
                let name = SPECS[seed as usize % SPECS.len()];
                let spec = named(name).expect("a built-in specification");
                let history = random(name, 3 + u32::from(seed % 4 > 0), seed);
                let mut random = Random::new(seed + 1);
                let own = (0..4).map(|_| axioms(&mut random, &history)).collect::<Vec<_>>();
                WEAK.into_iter()
                    .chain(own)
                    .flat_map(|criterion| {
                        let expected = consistent(&history, &*spec, &criterion);
                        mismatches(&history, &*spec, &criterion, expected)
                    })
                    .collect::<Vec<_>>()
            })
            .collect(),
    );
}

#[test]
fn engines_agree_on_larger_histories() {
    none(
        (0..600u64)
            .into_par_iter()
            .flat_map_iter(|seed| {
                let name = SPECS[seed as usize % SPECS.len()];
                let spec = named(name).expect("a built-in specification");
                let history = random(name, 6 + seed as u32 % 2, seed);
                let mut random = Random::new(seed + 1);
                let own = (0..2).map(|_| axioms(&mut random, &history)).collect::<Vec<_>>();
                let limits = Limits { max_states: 100_000, ..Limits::default() };
                WEAK.into_iter()
                    .chain(own)
                    .flat_map(|criterion| {
                        match judge_by(
                            &history.typed(&*spec).expect("typed"),
                            &criterion,
                            Engine::Naive,
                            &limits,
                        )
                        .expect("an engine of the criterion")
                        .0
                        {
                            Verdict::Undecided(_) => Vec::new(),
                            verdict => mismatches(&history, &*spec, &criterion, verdict.is_consistent()),
                        }
                    })
                    .collect::<Vec<_>>()
            })
            .collect(),
    );
}

#[test]
fn inclusions_hold() {
    (0..400u64).into_par_iter().for_each(|seed| {
        let name = SPECS[seed as usize % SPECS.len()];
        let spec = named(name).expect("a built-in specification");
        let history = random(name, 8, seed);
        let held: Vec<Criterion> = Criterion::ALL
            .into_iter()
            .filter(|criterion| check(&history.typed(&*spec).expect("typed"), criterion).is_consistent())
            .collect();
        for strong in &held {
            for weak in Criterion::ALL.iter().filter(|weak| weak.includes(strong)) {
                assert!(held.contains(weak), "seed {seed}: {strong} without {weak}");
            }
        }
        let strengths = strongest(&history.typed(&*spec).expect("typed"), &Limits::default());
        for criterion in &Criterion::ALL {
            assert_eq!(
                strengths.holds(criterion),
                Some(held.contains(criterion)),
                "seed {seed}: {criterion}"
            );
        }
        for atomic in &strengths.atomic.sets {
            let methods: Vec<_> =
                atomic.methods.iter().map(|method| format!("vis >= lin.[{method}]")).collect();
            if !methods.is_empty() {
                let criterion: Criterion = methods.join(";").parse().expect("axioms");
                assert!(
                    check(&history.typed(&*spec).expect("typed"), &criterion).is_consistent(),
                    "seed {seed}: {criterion}"
                );
            }
        }
    });
}

#[test]
fn a_size_that_misses_updates_is_the_only_method_that_is_not_atomic() {
    // size() runs next to put(2) and remove(1), and counts neither key.
    let mut b = History::builder();
    let (p, q) = (b.process("0"), b.process("1"));
    let mut time = 0;
    let mut now = || {
        time += 1;
        time
    };
    let (one, two) = ([Value::from(1), Value::from(0)], [Value::from(2), Value::from(0)]);
    let first = b.call(p, "put", &one, now());
    b.ret(first, Value::Null, now());
    let size = b.call(q, "size", &[], now());
    let second = b.call(p, "put", &two, now());
    b.ret(second, Value::Null, now());
    let remove = b.call(p, "remove", &one[..1], now());
    b.ret(remove, Value::from(0), now());
    b.ret(size, Value::from(0), now());
    let history = b.build().expect("a history");
    let spec = named("map").expect("a built-in specification");
    let strengths = strongest(&history.typed(&*spec).expect("typed"), &Limits::default());
    assert_eq!(strengths.holds(&Criterion::Linearizable), Some(false));
    assert_eq!(strengths.strongest, [Criterion::Causal, Criterion::Hbvis, Criterion::Sequential]);
    assert_eq!(strengths.atomic.sets.len(), 1);
    assert_eq!(strengths.atomic.sets[0].methods, ["put", "remove"]);
    assert_eq!(
        strengths.atomic.sets[0].others,
        [("size".to_string(), vec![Criterion::Causal, Criterion::Hbvis])]
    );
}

#[test]
fn a_long_linearizable_history_satisfies_the_weak_criteria() {
    let clients = Clients { operations: 10_000, values: Values::Upto(5), ..Clients::default() };
    let spec = named("map").expect("a built-in specification");
    let history = clients.run("map");
    for criterion in &WEAK {
        assert!(check(&history.typed(&*spec).expect("typed"), criterion).is_consistent(), "{criterion}");
    }
}

/// A run of an atomic map, and then a search for a value that is there all the time, first at one key and then at another: it
/// misses it. With `late` it begins only after the value is at the second key.
fn missed_value(operations: u32, late: bool) -> History {
    let clients = Clients { operations, values: Values::Upto(5), ..Clients::default() };
    let prefix = clients.run("map");
    let mut b = History::builder();
    for op in prefix.ops() {
        let process = b.process(prefix.process_name(prefix.process(op)));
        let (call, ret) = prefix.times(op).expect("a run has times");
        let invocation = prefix.called(op);
        let copy = b.call(process, invocation.method, invocation.args, call);
        b.ret(copy, prefix.result(op).cloned().expect("all return"), ret.expect("all return"));
    }
    let (mover, walker) = (b.process("0"), b.process("walker"));
    let end = 10 * u64::from(operations);
    let (one, two, value) = (Value::from(100), Value::from(101), Value::from(999));
    let mut operation = |process, method, args: &[Value], ret, from, to| {
        let op = b.call(process, method, args, end + from);
        b.ret(op, ret, end + to);
    };
    operation(mover, "put", &[one.clone(), value.clone()], Value::Null, 1, 2);
    operation(mover, "put", &[two, value.clone()], Value::Null, 4, 5);
    operation(mover, "remove", &[one], value.clone(), 7, 8);
    operation(walker, "contains_value", &[value], false.into(), if late { 6 } else { 3 }, 9);
    b.build().expect("a history")
}

#[test]
fn one_weak_read_in_a_long_history_is_explained() {
    let spec = named("map").expect("a built-in specification");
    for operations in [100, 200, 300, 508] {
        for late in [false, true] {
            let history = missed_value(operations, late);
            assert!(
                check(&history.typed(&*spec).expect("typed"), &Criterion::Linearizable).is_inconsistent()
            );
            for criterion in &WEAK {
                let verdict = check(&history.typed(&*spec).expect("typed"), criterion);
                let expected = !late || *criterion != Criterion::Hbvis;
                assert_eq!(
                    verdict.word(),
                    if expected { "consistent" } else { "inconsistent" },
                    "{operations}: {criterion}"
                );
                // The verifier refutes by trying every order: there are too many here.
                if expected {
                    assert_eq!(
                        verify(&history, &*spec, criterion, &verdict),
                        Ok(Accepted::default()),
                        "{operations}: {criterion}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_history_beyond_the_engine_is_undecided_and_says_why() {
    let spec = named("map").expect("a built-in specification");
    let verdict = check(&missed_value(600, false).typed(&*spec).expect("typed"), &Criterion::Hbvis);
    let Verdict::Undecided(limit) = verdict else { panic!("{} of 604 operations", verdict.word()) };
    assert_eq!(limit, Limit::Operations { operations: 604, most: 512 });
    assert_eq!(limit.to_string(), "the history has 604 operations, but the engine supports at most 512");
}

#[test]
fn limits_are_respected() {
    let clients = Clients { operations: 60, lies: 0.5, concurrency: 90, ..Clients::default() };
    let spec = named("queue").expect("a built-in specification");
    let limits = Limits { max_states: 0, ..Limits::default() };
    let verdict = judge_by(
        &clients.run("queue").typed(&*spec).expect("typed"),
        &Criterion::Causal,
        Engine::Minimal,
        &limits,
    )
    .expect("an engine of the criterion")
    .0;
    assert_eq!(verdict.word(), "undecided");
}

#[test]
fn malformed_axioms_are_refused_with_their_column() {
    for (text, message) in [
        ("vis >= ", "column 8: expected lin, vis, po or hb, found the end"),
        ("vis po", "column 5: expected `>=`, found `po`"),
        ("po >= vis", "column 1: expected lin or vis, found `po`"),
        ("vis >= vis po", "column 12: expected `.`, `;` or the end, found `po`"),
        ("vis >= lin.[", "column 13: expected the name of a method and `]`, found the end"),
        ("vis ⊇ vis∘x", "column 11: expected lin, vis, po or hb, found `x`"),
        ("", "column 1: expected the name of a criterion or an axiom, found the end"),
    ] {
        assert_eq!(text.parse::<Criterion>().expect_err(text).to_string(), message);
    }
    assert!(
        "strong".parse::<Criterion>().expect_err("unknown").to_string().starts_with("no criterion `strong`")
    );
    let parsed: Criterion = "vis ⊇ po\nvis >= vis ∘ vis ;\n".parse().expect("axioms");
    assert_eq!(parsed, Criterion::Axioms(Criterion::Causal.axioms()));
}
