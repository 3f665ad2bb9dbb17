//! Channels against all interleavings of queues, and against channels made of a lock.

#![allow(unsafe_code)]

mod brute_force;
mod locked;
mod program;

mod native {
    use tribunal_explore::sync::mpsc;
    include!("run.rs");
}

mod reference {
    use super::locked as mpsc;
    include!("run.rs");
}

use program::{Outcome, Program};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tribunal_engines::memory::models::check;
use tribunal_explore::failure::Replay;
use tribunal_explore::sync::mpsc;
use tribunal_explore::{End, Explorer, Problem, Report, thread};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{Definition, NoFiles};

/// What an explorer sees of a program.
fn explore(
    explorer: &Explorer,
    program: &Arc<Program>,
    run: fn(&Arc<Program>) -> Outcome,
) -> (BTreeSet<Outcome>, Report) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let report = explorer.check({
        let (seen, program) = (seen.clone(), program.clone());
        move || {
            let outcome = run(&program);
            seen.lock().expect("nobody panics").insert(outcome);
        }
    });
    let mut seen = std::mem::take(&mut *seen.lock().expect("nobody panics"));
    if report.blocked > 0 && report.failure.is_none() {
        // An execution that is given up comes to its end too, but a panic there does not count.
        seen.retain(|outcome| {
            let (program, outcome) = (program.clone(), outcome.clone());
            explorer.check(move || assert_ne!(run(&program), outcome)).failure.is_some()
        });
    }
    (seen, report)
}

/// Whether the report is one of a deadlock; anything else is a mistake.
fn deadlocks(report: &Report, program: &Program) -> bool {
    match &report.failure {
        Some(failure) if matches!(failure.problem, Problem::Deadlock { .. }) => true,
        Some(failure) => panic!("{program:#?}\n{failure}"),
        None => {
            assert_eq!(report.end, End::Complete, "{program:#?}");
            false
        }
    }
}

/// How many random programs there are: more by `TRIBUNAL_CHANNEL_PROGRAMS`.
fn count(usual: u64) -> u64 {
    std::env::var("TRIBUNAL_CHANNEL_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

fn agrees_with_interleavings(explorer: &Explorer, count: u64, most: usize) {
    let (mut compared, mut stuck, mut executions, mut blocked, mut outcomes) = (0, 0, 0, 0, 0);
    for seed in 0..count {
        let program = Arc::new(program::random(seed, most));
        let Some((expected, deadlock)) = brute_force::outcomes(&program, 20_000) else { continue };
        let (found, report) = explore(explorer, &program, native::run);
        assert_eq!(deadlocks(&report, &program), deadlock, "program {seed}: {program:#?}");
        if deadlock {
            stuck += 1;
            continue;
        }
        let missing: Vec<_> = expected.difference(&found).collect();
        let wrong: Vec<_> = found.difference(&expected).collect();
        assert!(
            missing.is_empty() && wrong.is_empty(),
            "program {seed}: {program:#?}\nmissing {missing:?}\nwrong {wrong:?}"
        );
        compared += 1;
        executions += report.executions;
        blocked += report.blocked;
        outcomes += expected.len();
    }
    println!(
        "{compared} programs with {outcomes} outcomes in {executions} executions ({blocked} blocked), {stuck} with deadlocks"
    );
    assert!(compared > count / 4 && (stuck > count / 20 || most < 4));
}

#[test]
fn outcomes_are_those_of_interleavings() {
    agrees_with_interleavings(&Explorer::new(), count(1_000), 4);
}

#[test]
fn outcomes_are_those_of_interleavings_under_sc() {
    agrees_with_interleavings(&Explorer::new().model(Model::Sc), count(300), 4);
}

/// Locks order more than channels need to, but not what these programs can observe.
#[test]
fn outcomes_are_those_of_a_locked_queue() {
    let explorer = Explorer::new().max_executions(20_000);
    let mut compared = 0;
    for seed in 0..count(100) {
        let program = Arc::new(program::random(seed, 2));
        let (found, report) = explore(&Explorer::new(), &program, native::run);
        let (expected, reference) = explore(&explorer, &program, reference::run);
        if reference.end == End::MaxExecutions {
            assert!(expected.is_subset(&found), "program {seed}: {program:#?}");
            continue;
        }
        assert_eq!(
            deadlocks(&report, &program),
            deadlocks(&reference, &program),
            "program {seed}: {program:#?}"
        );
        if report.failure.is_none() {
            assert_eq!(found, expected, "program {seed}: {program:#?}");
            compared += 1;
        }
    }
    println!("{compared} programs compared");
    assert!(compared > count(100) / 4);
}

/// What these programs can observe of channels is the same under every model.
#[test]
fn outcomes_are_those_of_interleavings_under_other_models() {
    for model in [Model::Tso, Model::Pso, Model::Ra, Model::Rc11] {
        agrees_with_interleavings(&Explorer::new().model(model), 100, 4);
    }
    for model in [Model::Sc, Model::Rc20] {
        let text = Definition::new(&format!("{model}.cat"), &model.text(), &mut NoFiles).expect("a model");
        agrees_with_interleavings(&Explorer::new().model(Model::Cat(text)), 20, 2);
    }
}

#[test]
fn guided_executions_have_outcomes_of_interleavings() {
    let explorers = [Explorer::new().random(1, 50), Explorer::new().pct(1, 50, 3)];
    for seed in 0..300 {
        let program = Arc::new(program::random(seed, 4));
        let Some((expected, deadlock)) = brute_force::outcomes(&program, 20_000) else { continue };
        for explorer in &explorers {
            let (found, report) = explore(explorer, &program, native::run);
            assert!(found.is_subset(&expected), "program {seed}: {program:#?}");
            assert!(deadlock || report.failure.is_none(), "program {seed}: {program:#?}");
            assert!(deadlock || !found.is_empty(), "program {seed}: {program:#?}");
        }
    }
}

#[test]
fn failures_are_histories_and_can_be_replayed() {
    let explorer = Explorer::new();
    let mut failures = 0;
    for seed in 0..500 {
        let program = Arc::new(program::random(seed, 4));
        let (_, report) = explore(&explorer, &program, native::run);
        let Some(failure) = report.failure else { continue };
        failures += 1;
        let history = failure.history().expect("a history");
        assert!(check(&history.execution, Model::Rc20).is_consistent(), "{failure}");
        assert!(check(&history.execution, Model::Sc).is_consistent(), "{failure}");
        let replay: Replay = failure.replay_string().parse().expect("a replay");
        let again = program.clone();
        let (guided, divergence) = explorer.replay(&replay, move || _ = native::run(&again));
        assert_eq!(divergence, None, "{failure}");
        assert_eq!(guided.failure.map(|failure| failure.problem), Some(failure.problem), "program {seed}");
    }
    assert!(failures > 50, "{failures}");
}

/// A receiver gets the messages of senders in some order, and each order once.
#[test]
fn each_order_of_messages_comes_once() {
    fn counts(senders: u32, messages: u32, bound: Option<usize>) -> (u64, u64) {
        fn receive<S: Clone + Send + 'static>(
            senders: u32,
            (sender, receiver): (S, mpsc::Receiver<u32>),
            send: impl Fn(&S) + Copy + Send + 'static,
        ) -> usize {
            for _ in 0..senders {
                let sender = sender.clone();
                thread::spawn(move || send(&sender));
            }
            drop(sender);
            receiver.into_iter().count()
        }
        let report = Explorer::new().run(move || {
            let received = match bound {
                None => receive(senders, mpsc::channel(), move |sender| {
                    (0..messages).for_each(|message| sender.send(message).expect("a receiver"));
                }),
                Some(bound) => receive(senders, mpsc::sync_channel(bound), move |sender| {
                    (0..messages).for_each(|message| sender.send(message).expect("a receiver"));
                }),
            };
            assert_eq!(received, (senders * messages) as usize);
        });
        (report.executions, report.blocked)
    }
    for bound in [None, Some(0), Some(1), Some(3)] {
        assert_eq!(counts(1, 5, bound), (1, 0));
        assert_eq!(counts(2, 2, bound), (6, 0));
        assert_eq!(counts(3, 1, bound), (6, 0));
        assert_eq!(counts(3, 2, bound), (90, 0));
    }
}

#[test]
fn a_receiver_that_waits_forever_says_for_what() {
    let report = Explorer::new().check(|| {
        let (sender, receiver) = mpsc::channel::<u32>();
        assert_eq!(receiver.recv(), Ok(1));
        drop(sender);
    });
    let failure = report.failure.expect("a deadlock");
    assert!(matches!(failure.problem, Problem::Deadlock { .. }));
    let text = failure.to_string();
    assert!(text.contains("waits for a message of c1"), "{text}");
    assert!(text.contains("c1: Channel of "), "{text}");
}

#[test]
fn a_thread_that_panics_drops_its_sender() {
    let explorer = Explorer::new().catch_panics(true);
    let report = explorer.check(|| {
        struct Last(mpsc::Sender<u32>);
        impl Drop for Last {
            fn drop(&mut self) {
                self.0.send(2).expect("a receiver");
            }
        }
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || {
            let last = Last(sender);
            last.0.send(1).expect("a receiver");
            panic!("as it should");
        });
        let received: Vec<u32> = receiver.iter().collect();
        assert_eq!(received, [1, 2]);
        assert!(thread.join().is_err());
    });
    assert!(report.failure.is_none(), "{}", report.failure.expect("a failure"));
    assert_eq!(report.end, End::Complete);
}

/// A loop that looks until there is a message, or no sender, waits.
#[test]
fn looking_again_is_waiting() {
    let report = Explorer::new().run(|| {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(1));
        let mut received = Vec::new();
        loop {
            match receiver.try_recv() {
                Ok(message) => received.push(message),
                Err(mpsc::TryRecvError::Disconnected) => break,
                Err(mpsc::TryRecvError::Empty) => thread::yield_now(),
            }
        }
        assert_eq!(received, [1]);
    });
    assert_eq!(report.end, End::Complete);
}

/// What a channel still holds is dropped with its receiver, before or after which a message may come.
#[test]
fn messages_are_dropped_with_the_receiver() {
    let report = Explorer::new().run(|| {
        let (sender, receiver) = mpsc::channel();
        let (reply, answer) = mpsc::channel::<u32>();
        let thread = thread::spawn(move || {
            _ = sender.send(reply);
            // Whether the message was refused or dropped with the receiver: nobody will answer.
            assert!(answer.recv().is_err());
        });
        drop(receiver);
        thread.join().expect("no panic");
    });
    assert_eq!((report.end, report.executions), (End::Complete, 2));
}

#[test]
fn outside_of_executions_channels_are_like_those_of_std() {
    for bound in [0, 1, 2] {
        let (sender, receiver) = mpsc::sync_channel(bound);
        let other = sender.clone();
        let thread = std::thread::spawn(move || (0..50).try_for_each(|message| other.send(message)));
        assert_eq!((0..40).map(|_| receiver.recv()).collect::<Result<Vec<u32>, _>>(), Ok((0..40).collect()));
        drop(receiver);
        assert!(thread.join().expect("no panic").is_err());
        assert!(matches!(sender.try_send(7), Err(mpsc::TrySendError::Disconnected(7))));
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    assert_eq!((sender.try_send(1), sender.try_send(2)), (Ok(()), Err(mpsc::TrySendError::Full(2))));
    drop(sender);
    assert_eq!(receiver.into_iter().collect::<Vec<u32>>(), [1]);
}

/// A receive times out when nothing else can go on, and only then: a sender that waits for the receiver goes on after that.
#[test]
fn a_receive_times_out_when_nothing_else_can_go_on() {
    let report = Explorer::new().run(|| {
        let (sender, receiver) = mpsc::channel();
        let timeout = std::time::Duration::from_millis(1);
        let thread = thread::spawn(move || {
            sender.send(1).expect("a receiver");
            thread::park();
            sender.send(2).expect("a receiver");
        });
        assert_eq!(receiver.recv_timeout(timeout), Ok(1));
        assert_eq!(receiver.recv_timeout(timeout), Err(mpsc::RecvTimeoutError::Timeout));
        thread.thread().unpark();
        assert_eq!(receiver.recv_timeout(timeout), Ok(2));
        assert_eq!(receiver.recv_timeout(timeout), Err(mpsc::RecvTimeoutError::Disconnected));
        thread.join().expect("no panic");
    });
    assert_eq!((report.end, report.executions), (End::Complete, 1));
}

/// Each of two receives that time out may be the first; what the one then sends, the other may receive.
#[test]
fn either_of_two_receives_times_out_first() {
    let outcomes: Arc<Mutex<BTreeSet<(bool, bool)>>> = Arc::default();
    let seen = outcomes.clone();
    let report = Explorer::new().run(move || {
        let ((to_main, of_main), (to_thread, of_thread)) = (mpsc::channel(), mpsc::channel());
        let timeout = std::time::Duration::from_millis(1);
        let thread = thread::spawn(move || {
            let received = of_thread.recv_timeout(timeout).is_ok();
            let _ = to_main.send(1);
            received
        });
        let received = of_main.recv_timeout(timeout).is_ok();
        let _ = to_thread.send(1);
        let other = thread.join().expect("no panic");
        seen.lock().expect("no panic").insert((received, other));
    });
    assert_eq!(report.end, End::Complete);
    let outcomes = outcomes.lock().expect("no panic").clone();
    assert_eq!(outcomes, BTreeSet::from([(true, false), (false, true)]));
}
