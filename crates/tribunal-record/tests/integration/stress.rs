//! Objects behind locks are never accused, and broken ones are caught.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tribunal_engines::object::check;
use tribunal_history::object::{Criterion, specs};
use tribunal_record::{
    Guarantee, Outcome, Recorder, Stress, StressError, Subject, assert_linearizable, assert_sequential,
    object,
};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Long enough for another thread to come between; where there is one core for both, it gets it.
fn linger() {
    (0..100).for_each(|_| std::hint::spin_loop());
    std::thread::yield_now();
}

object! {
    struct LockedMap(Mutex<BTreeMap<i64, i64>>) as specs::Map, new Mutex::default();
    put(k in 0..3, v in 1..4) = |map| lock(map).insert(k, v);
    remove(k in 0..3) = |map| lock(map).remove(&k);
    get(k in 0..3) = |map| lock(map).get(&k).copied();
    contains_key(k in 0..3) = |map| lock(map).contains_key(&k);
    contains_value(v in 1..4) = |map| lock(map).values().any(|&held| held == v);
    size() = |map| lock(map).len();
}

object! {
    struct LockedSet(Mutex<BTreeSet<i64>>) as specs::Set, new Mutex::default();
    add(v in 0..3) = |set| lock(set).insert(v);
    remove(v in 0..3) = |set| lock(set).remove(&v);
    contains(v in 0..3) = |set| lock(set).contains(&v);
}

object! {
    struct LockedQueue(Mutex<VecDeque<i64>>) as specs::Queue, new Mutex::default();
    enqueue(v in 1..100) = |queue| lock(queue).push_back(v);
    dequeue() = |queue| lock(queue).pop_front();
}

object! {
    /// The size is kept beside the map, and changed after it.
    struct RacySize((Mutex<BTreeMap<i64, i64>>, AtomicI64)) as specs::Map, new Default::default();
    put(k in 0..3, v in 1..4) = |map| {
        let old = lock(&map.0).insert(k, v);
        linger();
        if old.is_none() {
            map.1.fetch_add(1, Ordering::Relaxed);
        }
        old
    };
    get(k in 0..3) = |map| lock(&map.0).get(&k).copied();
    size() = |map| map.1.load(Ordering::Relaxed);
}

object! {
    /// Increments get lost between the read and the write.
    struct LossyCounter(AtomicI64) as specs::Counter, new AtomicI64::new(0);
    inc() = |n| {
        let seen = n.load(Ordering::Relaxed);
        linger();
        n.store(seen + 1, Ordering::Relaxed)
    };
    get() = |n| n.load(Ordering::Relaxed);
}

object! {
    /// Returns what was never there.
    struct Liar(AtomicI64) as specs::Register::default(), new AtomicI64::new(0);
    write(v in 1..3) = |n| n.store(v, Ordering::Relaxed);
    read() = |_n| 17;
}

object! {
    /// Says that what it adds was there.
    struct LyingWriter(Mutex<BTreeSet<i64>>) as specs::Set, new Mutex::default();
    add(v in 0..3) = |set| !lock(set).insert(v);
    contains(v in 0..3) = |set| lock(set).contains(&v);
}

object! {
    struct Explosive(AtomicI64) as specs::Counter, new AtomicI64::new(0);
    inc() = |n| assert!(n.fetch_add(1, Ordering::Relaxed) < 3, "no more than three");
    get() = |n| n.load(Ordering::Relaxed);
}

#[test]
fn locked_objects_are_linearizable() {
    let counts = assert_linearizable!(LockedMap, runs = 4000);
    assert_eq!((counts.runs, counts.undecided), (4000, 0));
    assert!(counts.distinct > 100, "{counts}");
    assert_linearizable!(LockedSet, runs = 2000, threads = 3);
    assert_linearizable!(LockedQueue, runs = 2000, operations = 6);
    assert_sequential!(LockedQueue, runs = 500);
}

/// The longer control: `cargo test --release -p tribunal-record -- --ignored`.
#[test]
#[ignore = "300,000 runs"]
fn locked_objects_are_linearizable_in_many_runs() {
    for (name, counts) in [
        ("map", assert_linearizable!(LockedMap, runs = 100_000)),
        ("set", assert_linearizable!(LockedSet, runs = 100_000)),
        ("queue", assert_linearizable!(LockedQueue, runs = 100_000)),
    ] {
        println!("{name}: {counts}");
    }
}

fn profile<S: Subject>(runs: usize) -> Vec<(&'static str, Guarantee)> {
    let stress = Stress { runs, ..Stress::default() };
    stress.profile::<S>().expect("no panic").methods
}

#[test]
fn a_racy_size_is_caught_and_the_rest_is_atomic() {
    for (name, guarantee) in profile::<RacySize>(5000) {
        match (name, guarantee) {
            ("size", Guarantee::Weak { evidence, .. }) => {
                assert_eq!(evidence.criterion, Criterion::Linearizable);
                assert!(
                    check(&evidence.history.typed(&specs::Map).expect("typed"), &Criterion::Linearizable)
                        .is_inconsistent()
                );
                assert!(evidence.history.len() <= 4, "{evidence}");
                assert!(evidence.to_string().starts_with("not linearizable"), "{evidence}");
            }
            ("put" | "get", Guarantee::Atomic) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_lost_update_is_caught() {
    let stress = Stress { runs: 20_000, ..Stress::default() };
    let outcome = stress.seek::<LossyCounter>(&Criterion::Linearizable).expect("valid options");
    let Outcome::Broken(evidence, _) = outcome else { panic!("{outcome:?}") };
    assert!(evidence.history.ops().any(|op| evidence.history.called(op).method == "get"), "{evidence}");
}

/// The message has the whole run, and the commands that explain and draw the file where it is saved.
#[test]
fn a_failed_assertion_shows_the_run_and_saves_it() {
    let failed = std::panic::catch_unwind(|| assert_linearizable!(LossyCounter, runs = 20_000));
    let message = failed.expect_err("updates are lost");
    let message = message.downcast_ref::<String>().expect("a message").as_str();
    let listed = message.lines().skip(1).take_while(|line| !line.is_empty()).count();
    let command = |name: &str| {
        let line = message.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {message}")).to_string()
    };
    let explain = command("tribunal explain --model linearizable ");
    assert!(command("tribunal view --model linearizable ").ends_with(".html"), "{message}");
    let file = explain.rsplit(' ').next().expect("a file").trim_matches('\'');
    assert!(file.ends_with("LossyCounter-linearizable.json"), "{message}");
    let bytes = std::fs::File::open(file).expect("the saved run");
    let saved = tribunal_formats::read(bytes, file, None).expect("a format").next();
    let saved = saved.expect("a history").expect("well-formed");
    let object = saved.object().expect("of an object");
    assert_eq!((object.spec.as_str(), object.history.len()), ("counter", listed), "{message}");
    let typed = object.history.typed(&specs::Counter).expect("typed");
    assert!(check(&typed, &Criterion::Linearizable).is_inconsistent());
}

#[test]
fn what_nothing_explains_is_not_even_weak() {
    let methods = profile::<Liar>(500);
    let (write, read) = (&methods[0].1, &methods[1].1);
    assert!(matches!((write, read), (Guarantee::Atomic, Guarantee::None { .. })), "{methods:?}");
    // One that writes cannot be left out, so nothing can be said of the others.
    let methods = profile::<LyingWriter>(500);
    assert!(methods.iter().all(|(_, guarantee)| matches!(guarantee, Guarantee::None { .. })), "{methods:?}");
}

object! {
    /// A method that no map has.
    struct Misspelt(AtomicI64) as specs::Map, new AtomicI64::new(0);
    get(_k in 0..3) = |_n| ();
    putt(_k in 0..3, v in 1..3) = |n| n.store(v, Ordering::SeqCst);
}

object! {
    /// A method without its second argument.
    struct Short(AtomicI64) as specs::Map, new AtomicI64::new(0);
    put(k in 0..3) = |n| n.store(k, Ordering::SeqCst);
}

#[test]
fn what_the_specification_does_not_have_is_an_error_before_any_run() {
    fn error<S: Subject>() -> String {
        let seek = Stress::default().seek::<S>(&Criterion::Linearizable).expect_err("ill-typed").to_string();
        assert_eq!(Stress::default().profile::<S>().expect_err("ill-typed").to_string(), seek);
        seek
    }
    let misspelt = error::<Misspelt>();
    assert!(
        misspelt.starts_with("putt(") && misspelt.contains("does not fit the specification map"),
        "{misspelt}"
    );
    assert!(misspelt.contains("`putt` (did you mean `put`?)"), "{misspelt}");
    assert!(error::<Short>().ends_with("the specification map: put takes 2 arguments, found 1"));
}

#[test]
fn a_panic_comes_with_its_program() {
    let stress = Stress { runs: 1000, ..Stress::default() };
    let error = stress.seek::<Explosive>(&Criterion::Weak).expect_err("it panics");
    let StressError::Panicked(panicked) = error else { panic!("{error:?}") };
    assert_eq!(panicked.message, "no more than three");
    assert!(panicked.to_string().starts_with("inc() of thread "), "{panicked}");
}

#[test]
fn senseless_options_are_refused() {
    let seek = |stress: Stress| stress.seek::<LockedSet>(&Criterion::Weak).expect_err("no sense");
    let zero = Stress { repeats: 0, ..Stress::default() };
    assert_eq!(seek(zero), StressError::Zero { option: "repeats" });
    let long = Stress { threads: 8, operations: 9, ..Stress::default() };
    let message = "8 threads of 9 operations are more than 64 operations in a run";
    assert_eq!(seek(long).to_string(), message);
}

#[test]
fn a_program_is_recorded_by_hand() {
    let set = Mutex::new(BTreeSet::new());
    let recorder = Recorder::new(3, 10);
    std::thread::scope(|scope| {
        for value in 0..3 {
            let (set, mut thread) = (&set, recorder.thread());
            scope.spawn(move || {
                for _ in 0..20 {
                    thread.call("add", [value.into()], || lock(set).insert(value));
                    thread.call("contains", [0.into()], || lock(set).contains(&0));
                }
            });
        }
    });
    let history = recorder.finish().expect("all threads are done");
    assert_eq!(history.len(), 120);
    assert!(check(&history.typed(&specs::Set).expect("typed"), &Criterion::Linearizable).is_consistent());
}

#[test]
fn a_recorded_call_that_panics_is_pending() {
    let recorder = Recorder::new(2, 10);
    let mut thread = recorder.thread();
    let call = || thread.call("inc", [], || -> () { panic!("on purpose") });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
    thread.call("get", [], || 1);
    let error = recorder.thread();
    drop((thread, error));
    let history = recorder.finish().expect("all threads are done");
    assert!(history.ops().map(|op| history.is_pending(op)).eq([true, false]));
    assert!(check(&history.typed(&specs::Counter).expect("typed"), &Criterion::Linearizable).is_consistent());

    let recorder = Recorder::new(1, 10);
    let thread = recorder.thread();
    let error = recorder.finish().expect_err("a thread may still call").to_string();
    assert_eq!(error, "thread 0 is still recording: drop it before the recorder finishes");
    drop(thread);
}
