//! Threads are simulated whose counters may be read late, as store buffers make them: the real order is known, and what
//! is concluded from the counters must never contradict it.

use super::*;
use crate::stress::Case;
use proptest::prelude::*;
use tribunal_engines::object::check;
use tribunal_history::object::{Criterion, Specification, Value, specs};

/// The thread that calls or returns next, and how much of what the others have counted it misses.
type Schedule = Vec<(usize, Vec<u32>)>;

/// What a schedule of threads gives: their rows, and the real order.
fn simulate(threads: usize, schedule: &Schedule) -> (Vec<Vec<u32>>, Predecessors) {
    let mut counts = vec![0u32; threads];
    let mut last_seen = vec![vec![0u32; threads]; threads];
    let mut rows = vec![Vec::new(); threads];
    let mut calls = vec![Vec::new(); threads];
    let mut returns = vec![Vec::new(); threads];
    for (time, (thread, missed)) in schedule.iter().enumerate() {
        for other in 0..threads {
            let seen = if other == *thread {
                counts[other]
            } else {
                counts[other].saturating_sub(missed[other]).max(last_seen[*thread][other])
            };
            last_seen[*thread][other] = seen;
            rows[*thread].push(seen);
        }
        let events = if counts[*thread].is_multiple_of(2) { &mut calls } else { &mut returns };
        events[*thread].push(time);
        counts[*thread] += 1;
    }
    let (calls, returns) = (calls.concat(), returns.concat());
    let before = |call: &usize| (0..returns.len()).filter(|&op| returns[op] < *call).map(|op| 1 << op).sum();
    (rows, calls.iter().map(before).collect())
}

fn sightings(rows: &[Vec<u32>]) -> Sightings {
    let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
    Sightings::of_rows(&rows, &vec![0; rows.len()])
}

fn contains(large: &Predecessors, small: &Predecessors) -> bool {
    large.iter().zip(small).all(|(&large, &small)| small & !large == 0)
}

/// What must hold of every simulated run: an extension is contained in the real order, and each is one of intervals.
fn is_sound(sightings: &Sightings, real: &Predecessors) {
    assert!(contains(real, &sightings.before));
    let extensions = sightings.extensions().expect("few operations");
    assert!(extensions.iter().any(|order| contains(real, order)), "{sightings:?} {real:?}");
    for order in &extensions {
        assert!(contains(order, &sightings.before));
        let times = times(order);
        for (op, before) in order.iter().enumerate() {
            let by_times = (0..order.len()).filter(|&other| times[other].1 < times[op].0);
            assert_eq!(*before, by_times.map(|other| 1u64 << other).sum::<u64>());
        }
    }
    if crossing(&sightings.before).is_none() {
        assert_eq!(extensions, std::slice::from_ref(&sightings.before));
    }
}

/// Every schedule of two threads with two operations each, and every way to miss what the other counted.
#[test]
fn two_threads_of_two_operations_exhaustively() {
    let mut schedules = 0;
    let mut inexact = 0;
    for turns in (0u32..1 << 8).filter(|turns| turns.count_ones() == 4) {
        let turns: Vec<usize> = (0..8).map(|at| (turns >> at & 1) as usize).collect();
        // A digit for each event: how many of the other's events it misses.
        let mut counts = [0u32; 2];
        let bases: Vec<u32> = turns
            .iter()
            .map(|&thread| {
                counts[thread] += 1;
                counts[1 - thread] + 1
            })
            .collect();
        let ways: u32 = bases.iter().product();
        for way in 0..ways {
            let mut rest = way;
            let digits = bases.iter().map(|base| {
                let digit = rest % base;
                rest /= base;
                digit
            });
            let schedule =
                turns.iter().zip(digits).map(|(&thread, missed)| (thread, vec![missed; 2])).collect();
            let (rows, real) = simulate(2, &schedule);
            let sightings = sightings(&rows);
            is_sound(&sightings, &real);
            schedules += 1;
            inexact += usize::from(crossing(&sightings.before).is_some());
        }
    }
    assert!(schedules > 10_000 && inexact > 100, "{schedules} schedules, {inexact} inexact");
}

#[test]
fn store_buffering_leaves_two_orders() {
    // Each thread calls twice and never sees the other.
    let rows = [vec![0, 0, 1, 0, 2, 0, 3, 0], vec![0, 0, 0, 1, 0, 2, 0, 3]];
    let extensions = sightings(&rows).extensions().expect("two");
    assert_eq!(extensions, [[0, 0b1, 0, 0b101], [0, 0b101, 0, 0b100]]);
    // If the first thread's first return sees the second's second call, one is left.
    let rows = [vec![0, 0, 1, 3, 2, 3, 3, 3], vec![0, 0, 0, 1, 0, 2, 0, 3]];
    assert_eq!(sightings(&rows).extensions().expect("one"), [[0, 0b101, 0, 0b100]]);
}

#[test]
fn too_many_orders_are_uncertain() {
    // Seven threads that see nothing of each other, with two operations each.
    let rows: Vec<Vec<u32>> = (0..7)
        .map(|me| {
            (0..4).flat_map(|count| (0..7).map(move |thread| if thread == me { count } else { 0 })).collect()
        })
        .collect();
    assert_eq!(sightings(&rows).extensions(), None);
}

fn schedules(threads: usize, events: usize) -> impl Strategy<Value = Schedule> {
    let event = (0..threads, proptest::collection::vec(0u32..6, threads));
    proptest::collection::vec(event, events).prop_map(move |mut schedule: Schedule| {
        // What is called returns.
        let mut counts = vec![0; threads];
        schedule.iter().for_each(|(thread, _)| counts[*thread] += 1);
        let open = (0..threads).filter(|&thread| counts[thread] % 2 == 1);
        schedule.extend(open.map(|thread| (thread, vec![0; threads])));
        schedule
    })
}

/// Operations on a register or a set, whose returns are anything.
fn history(rows: &[Vec<u32>], order: &Predecessors, kinds: &[u8], set: bool) -> History {
    let threads = rows.len();
    let owner = rows.iter().enumerate().flat_map(|(thread, rows)| vec![thread; rows.len() / (2 * threads)]);
    let mut builder = Builder::default();
    let processes: Vec<_> = (0..threads).map(|thread| builder.process(&thread.to_string())).collect();
    for (op, (thread, (call, ret))) in owner.zip(times(order)).enumerate() {
        let kind = kinds[op % kinds.len()];
        let value = Value::from(i64::from(kind % 2));
        let (method, args, answer) = match (set, kind % 3) {
            (true, 0) => ("add", vec![value], Value::Bool(kind & 8 == 0)),
            (true, _) => ("contains", vec![value], Value::Bool(kind & 4 == 0)),
            (false, 0) => ("write", vec![value], Value::Null),
            (false, _) => ("read", vec![], if kind & 4 == 0 { Value::Null } else { value }),
        };
        let id = builder.call(processes[thread], method, &args, call);
        builder.ret(id, answer, ret);
    }
    builder.build().expect("well formed")
}

/// Whether an order of the operations, one after another, contains this one and returns what they returned.
fn has_legal_order(history: &History, spec: &dyn Specification, order: &Predecessors) -> bool {
    let mut waiting = vec![Vec::new()];
    while let Some(done) = waiting.pop() {
        let mask: u64 = done.iter().map(|op: &u32| 1u64 << op).sum();
        let mut replay = spec.replay();
        let legal = done.iter().all(|&op| {
            let op = tribunal_history::object::OpId(op);
            replay.call(history.called(op)).as_ref() == history.result(op)
        });
        match legal {
            false => continue,
            true if done.len() == history.len() => return true,
            true => {}
        }
        let next =
            (0..history.len() as u32).filter(|&op| mask >> op & 1 == 0 && order[op as usize] & !mask == 0);
        waiting.extend(next.map(|op| done.iter().copied().chain([op]).collect()));
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_real_order_contains_an_extension(schedule in schedules(3, 12)) {
        let (rows, real) = simulate(3, &schedule);
        is_sound(&sightings(&rows), &real);
    }

    /// What is consistent in the real order is no alarm, for any criterion.
    #[test]
    fn no_false_alarm(schedule in schedules(3, 10), kinds in proptest::collection::vec(0u8..16, 8), set: bool) {
        let (rows, real) = simulate(3, &schedule);
        let spec: &dyn Specification = if set { &specs::Set } else { &specs::Register::default() };
        let orders = sightings(&rows).extensions().expect("few operations");
        let case = Case { histories: orders.iter().map(|order| history(&rows, order, &kinds, set)).collect() };
        let really = history(&rows, &real, &kinds, set);
        for criterion in Criterion::ALL {
            if check(&really.typed(spec).expect("typed"), &criterion).is_consistent() {
                prop_assert_eq!(case.satisfies(spec, &criterion), Some(true), "{}", criterion);
            }
        }
        // And by trying all orders: it is linearizable iff in some extension there is a legal one.
        let legal = orders.iter().any(|order| has_legal_order(&really, spec, order));
        prop_assert_eq!(case.satisfies(spec, &Criterion::Linearizable), Some(legal));
    }
}
