//! Stacks and priority queues against a brute force: verdicts, linearizations and violating parts.

use std::collections::HashSet;
use tribunal_engines::Engine;
use tribunal_engines::object::judge_by;
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::named;
use tribunal_history::object::{
    Criterion, History, OpId, Specification, Value, Verdict, Violation, Visibility,
};
use tribunal_machines::objects::{Clients, Values};

/// A container of which the test has its own idea.
#[derive(Clone, Copy, PartialEq)]
enum Container {
    Stack,
    PriorityQueue,
}

use Container::{PriorityQueue, Stack};

impl Container {
    fn name(self) -> &'static str {
        match self {
            Stack => "stack",
            PriorityQueue => "priority-queue",
        }
    }

    fn spec(self) -> Box<dyn Specification> {
        named(self.name()).expect("built in")
    }

    fn methods(self) -> (&'static str, &'static str) {
        match self {
            Stack => ("push", "pop"),
            PriorityQueue => ("insert", "delete_min"),
        }
    }

    /// Lets an operation take effect; false if it returns something else there than the history says.
    fn apply(self, history: &History, op: OpId, inside: &mut Vec<Value>) -> bool {
        let call = history.called(op);
        if let [value] = call.args {
            inside.push(value.clone());
            return true;
        }
        let at = match self {
            Stack => inside.len().checked_sub(1),
            PriorityQueue => (0..inside.len()).min_by_key(|&at| &inside[at]),
        };
        let removed = at.map_or(Value::Null, |at| inside.remove(at));
        history.result(op).is_none_or(|result| *result == removed)
    }
}

/// Whether some order explains a history: all orders are tried, states met before left aside.
fn brute(container: Container, history: &History) -> bool {
    let completed: u32 = history.ops().filter(|&op| !history.is_pending(op)).map(|op| 1 << op.0).sum();
    let mut seen = HashSet::new();
    let mut open = vec![(0u32, Vec::new())];
    while let Some((done, inside)) = open.pop() {
        if done & completed == completed {
            return true;
        }
        for op in history.ops().filter(|op| done & (1 << op.0) == 0) {
            let waits = history
                .ops()
                .any(|before| completed & !done & (1 << before.0) != 0 && history.before(before, op));
            let mut inside = inside.clone();
            if !waits && container.apply(history, op, &mut inside) {
                let next = (done | 1 << op.0, inside);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    false
}

fn ask(container: Container, history: &History) -> Verdict {
    let (spec, limits) = (container.spec(), Limits::default());
    judge_by(&history.typed(&*spec).expect("typed"), &Criterion::Linearizable, Engine::Collection, &limits)
        .expect("an engine of the criterion")
        .0
}

fn show(history: &History) -> String {
    let times = |op| history.times(op).expect("times");
    history.ops().map(|op| format!("{} {:?}\n", history.show(op), times(op))).collect()
}

/// A linearization has each completed operation once, keeps hb, and replays.
fn assert_linearization(container: Container, history: &History, lin: &[OpId]) {
    let places = places(history, lin);
    let missing = history.ops().find(|&op| !history.is_pending(op) && places[op.index()].is_none());
    assert_eq!(missing, None, "left out of {lin:?}\n{}", show(history));
    // The latest call so far must not be after a return that is still to come.
    let intervals = history.intervals().expect("intervals");
    let mut latest = 0;
    for &op in lin {
        latest = latest.max(intervals.call[op.index()]);
        assert!(intervals.ret[op.index()] > latest, "{lin:?} breaks hb at {op:?}\n{}", show(history));
    }
    let spec = container.spec();
    let mut replay = spec.replay();
    for &op in lin {
        let ret = replay.call(history.called(op)).expect("a method of the container");
        assert!(
            history.result(op).is_none_or(|result| *result == ret),
            "{lin:?} goes wrong at {op:?}\n{}",
            show(history)
        );
    }
}

fn places(history: &History, lin: &[OpId]) -> Vec<Option<usize>> {
    let mut places = vec![None; history.len()];
    for (place, op) in lin.iter().enumerate() {
        assert_eq!(
            places[op.index()].replace(place),
            None,
            "{op:?} comes twice in {lin:?}\n{}",
            show(history)
        );
    }
    places
}

/// What is left out of a violation may be left out.
fn assert_law(history: &History, violation: &Violation) {
    let intervals = history.intervals().expect("intervals");
    let kept: HashSet<OpId> = violation.operations.iter().copied().collect();
    assert!(violation.operations.is_sorted_by(|a, b| a < b));
    let cut = violation.cut.unwrap_or(u32::MAX);
    let value =
        |op: OpId| history.called(op).args.first().or(history.result(op)).filter(|v| **v != Value::Null);
    let values: HashSet<&Value> = kept.iter().filter_map(|&op| value(op)).collect();
    assert!(kept.iter().all(|op| intervals.call[op.index()] < cut), "{violation:?}\n{}", show(history));
    for op in history.ops().filter(|op| !kept.contains(op) && intervals.call[op.index()] < cut) {
        let empty = history.called(op).args.is_empty() && history.result(op) == Some(&Value::Null);
        let whole = value(op).is_some_and(|value| !values.contains(value));
        assert!(empty || whole, "{op:?} left out of {violation:?}\n{}", show(history));
    }
}

#[derive(Default)]
struct Tally {
    consistent: u32,
    inconsistent: u32,
    unsupported: u32,
}

impl Tally {
    fn check(&mut self, container: Container, history: &History) {
        let expected = brute(container, history);
        match ask(container, history) {
            Verdict::Consistent(execution) => {
                assert!(expected, "not linearizable:\n{}", show(history));
                assert_eq!(execution.vis, Visibility::All);
                assert_linearization(container, history, &execution.lin);
                self.consistent += 1;
            }
            Verdict::Inconsistent(violation) => {
                assert!(!expected, "linearizable:\n{}", show(history));
                assert_law(history, &violation);
                let part = history.part(&violation.operations, violation.cut);
                assert!(!brute(container, &part), "{violation:?} is linearizable:\n{}", show(history));
                self.inconsistent += 1;
            }
            other => {
                let (_, remove) = container.methods();
                let open =
                    history.ops().any(|op| history.is_pending(op) && history.called(op).method == remove);
                assert!(open, "{other:?}:\n{}", show(history));
                self.unsupported += 1;
            }
        }
    }
}

/// An operation of a shape: an insert, a remove of a value, a remove of nothing, or a remove that never returns.
#[derive(Clone, Copy)]
enum Op {
    Insert(i64),
    Remove(i64),
    Empty,
    PendingInsert(i64),
    PendingRemove,
}

/// Calls `visit` with all orders of calls and returns of these many operations, up to what makes no difference to hb:
/// calls in a row and returns in a row are in ascending order. These are the labeled interval orders.
fn interval_orders(operations: u8, mut visit: impl FnMut(&[(bool, u8)])) -> usize {
    let mut events: Vec<(bool, u8)> = Vec::new();
    let (mut called, mut returned) = (0u32, 0u32);
    let (mut count, mut next) = (0, (false, 0));
    loop {
        // The least event from `next` on that can come now.
        let ready = |event: &(bool, u8)| match *event {
            (false, op) => called & 1 << op == 0,
            (true, op) => called & !returned & 1 << op != 0,
        };
        let after = events.last().copied();
        let in_order = |event: &(bool, u8)| after.is_none_or(|last| last.0 != event.0 || last.1 < event.1);
        let all = (0..operations).map(|op| (false, op)).chain((0..operations).map(|op| (true, op)));
        let found = all.filter(|event| *event >= next).find(|event| ready(event) && in_order(event));
        if let Some(event) = found {
            events.push(event);
            if event.0 {
                returned |= 1 << event.1
            } else {
                called |= 1 << event.1
            }
            next = (false, 0);
            if events.len() == 2 * operations as usize {
                visit(&events);
                count += 1;
            } else {
                continue;
            }
        }
        let Some(last) = events.pop() else { return count };
        if last.0 {
            returned &= !(1 << last.1)
        } else {
            called &= !(1 << last.1)
        }
        next = if last.1 + 1 < operations {
            (last.0, last.1 + 1)
        } else {
            (true, if last.0 { operations } else { 0 })
        };
    }
}

fn shaped(container: Container, ops: &[Op], events: &[(bool, u8)]) -> History {
    let (insert, remove) = container.methods();
    let mut b = History::builder();
    let mut ids = vec![None; ops.len()];
    for (time, &(is_return, at)) in events.iter().enumerate() {
        let (op, time) = (ops[at as usize], time as u64);
        let process = b.process(&at.to_string());
        if is_return {
            let ret = match op {
                Op::Insert(_) | Op::Empty => Value::Null,
                Op::Remove(value) => value.into(),
                Op::PendingInsert(_) | Op::PendingRemove => continue,
            };
            b.ret(ids[at as usize].expect("called"), ret, time);
        } else {
            ids[at as usize] = Some(match op {
                Op::Insert(value) | Op::PendingInsert(value) => {
                    b.call(process, insert, &[value.into()], time)
                }
                _ => b.call(process, remove, &[], time),
            });
        }
    }
    b.build().expect("well formed")
}

/// How many labeled interval orders there are on so many elements.
const INTERVAL_ORDERS: [usize; 7] = [1, 1, 3, 19, 207, 3_451, 81_663];

fn all_shapes(container: Container, ops: &[Op]) -> Tally {
    let mut tally = Tally::default();
    let count =
        interval_orders(ops.len() as u8, |events| tally.check(container, &shaped(container, ops, events)));
    assert_eq!(count, INTERVAL_ORDERS[ops.len()]);
    assert!(tally.consistent > 0 && tally.inconsistent > 0);
    assert_eq!(tally.unsupported, 0);
    tally
}

use Op::{Empty, Insert, PendingInsert, PendingRemove, Remove};
use tribunal_random::Random;

#[test]
fn all_shapes_of_three_values() {
    let ops = [Insert(1), Remove(1), Insert(2), Remove(2), Insert(3), Remove(3)];
    all_shapes(Stack, &ops);
    all_shapes(PriorityQueue, &ops);
}

#[test]
fn all_shapes_of_two_values_with_empties() {
    let ops = [Insert(1), Remove(1), Insert(2), Remove(2), Empty, Empty];
    all_shapes(Stack, &ops);
    all_shapes(PriorityQueue, &ops);
}

#[test]
fn all_shapes_with_values_that_stay_and_pending_operations() {
    for ops in [
        [Insert(2), Remove(2), Insert(1), Insert(3), Empty, PendingRemove],
        [Insert(2), Remove(2), Insert(1), Insert(3), PendingRemove, PendingRemove],
        [Insert(2), Remove(2), Insert(1), PendingInsert(3), Remove(3), PendingRemove],
        [Insert(3), Remove(3), Insert(4), Remove(4), Insert(1), PendingRemove],
    ] {
        all_shapes(Stack, &ops);
        all_shapes(PriorityQueue, &ops);
    }
}

/// Operations of a few processes whose values were each inserted once and returned at most once, in any order.
fn scattered(container: Container, count: usize, random: &mut Random) -> History {
    let (insert, remove) = container.methods();
    let (processes, pending) = (2 + random.index(3), random.index(3));
    // Inserts and removes in some order, mostly with the insert first; null and what stays for the rest.
    let mut ops: Vec<Option<(bool, i64)>> = vec![None; count];
    let mut places: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        places.swap(at, random.index(at + 1));
    }
    let mut value = 0;
    while places.len() >= 2 && (value == 0 || random.index(8) > 0) {
        value += 1;
        let (Some(a), Some(b)) = (places.pop(), places.pop()) else { break };
        let (first, second) = if random.index(8) == 0 { (a.max(b), a.min(b)) } else { (a.min(b), a.max(b)) };
        ops[first] = Some((true, value));
        ops[second] = Some((false, value));
    }
    for at in places {
        if random.index(2) == 0 {
            value += 1;
            ops[at] = Some((true, value));
        }
    }
    let priorities: Vec<i64> = (0..=value).map(|value| value * 7 % 17).collect();
    let mut b = History::builder();
    let mut names = processes;
    let mut clients: Vec<(_, Option<(OpId, usize)>)> =
        (0..processes).map(|at| (b.process(&at.to_string()), None)).collect();
    let (mut next, mut time) = (0, 0);
    while next < count || clients.iter().any(|(_, open)| open.is_some()) {
        time += 1;
        let at = random.index(processes);
        let (process, open) = clients[at];
        match open {
            None if next < count => {
                let op = match ops[next] {
                    Some((true, value)) => {
                        b.call(process, insert, &[priorities[value as usize].into()], time)
                    }
                    _ => b.call(process, remove, &[], time),
                };
                clients[at].1 = Some((op, next));
                next += 1;
            }
            Some(_) if pending > 0 && random.index(12) < pending => {
                clients[at] = (b.process(&names.to_string()), None);
                names += 1;
            }
            Some((op, place)) => {
                let ret = match ops[place] {
                    Some((false, value)) => priorities[value as usize].into(),
                    _ => Value::Null,
                };
                b.ret(op, ret, time);
                clients[at].1 = None;
            }
            None => {}
        }
    }
    b.build().expect("well formed")
}

fn random_small(container: Container) {
    let mut tally = Tally::default();
    let mut random = Random::new(container as u64 + 1);
    for _ in 0..100_000 {
        let count = 3 + random.index(6);
        tally.check(container, &scattered(container, count, &mut random));
    }
    for _ in 0..5_000 {
        let count = 9 + random.index(6);
        tally.check(container, &scattered(container, count, &mut random));
    }
    for seed in 0..50_000 {
        let clients = Clients {
            processes: 2 + (seed % 3) as u32,
            operations: 3 + (seed / 3 % 6) as u32,
            values: Values::Distinct,
            concurrency: 30 + (seed / 18 % 3) as u32 * 30,
            pending: [0.0, 0.1, 0.25][(seed / 54 % 3) as usize],
            lies: [0.0, 0.2][(seed / 162 % 2) as usize],
            seed,
        };
        tally.check(container, &clients.run(container.name()));
    }
    let Tally { consistent, inconsistent, unsupported } = tally;
    println!("{}: {consistent} consistent, {inconsistent} not, {unsupported} unsupported", container.name());
    assert!(consistent > 20_000 && inconsistent > 20_000);
    assert_eq!(unsupported, 0);
}

#[test]
fn random_small_stacks() {
    random_small(Stack);
}

#[test]
fn random_small_priority_queues() {
    random_small(PriorityQueue);
}

/// `count` inserts at once, then as many removes at once, in the order given.
fn burst(container: Container, removes: &[i64]) -> History {
    let (insert, remove) = container.methods();
    let mut b = History::builder();
    let mut time = 0;
    let mut sorted = removes.to_vec();
    sorted.sort_unstable();
    for (phase, values) in [&sorted[..], removes].into_iter().enumerate() {
        let mut open = Vec::new();
        for (at, &value) in values.iter().enumerate() {
            let process = b.process(&at.to_string());
            let op = if phase == 0 {
                b.call(process, insert, &[value.into()], time)
            } else {
                b.call(process, remove, &[], time)
            };
            open.push((op, if phase == 0 { Value::Null } else { value.into() }));
            time += 1;
        }
        for (op, ret) in open {
            b.ret(op, ret, time);
            time += 1;
        }
    }
    b.build().expect("well formed")
}

#[test]
fn bursts() {
    let values: Vec<i64> = (0..64).map(|at| at * 37 % 64).collect();
    for container in [Stack, PriorityQueue] {
        let history = burst(container, &values);
        let Verdict::Consistent(execution) = ask(container, &history) else { panic!("{}", container.name()) };
        assert_linearization(container, &history, &execution.lin);
    }
}

/// The history with the returns of two operations exchanged.
fn exchanged(history: &History, one: OpId, other: OpId) -> History {
    let mut b = History::builder();
    for op in history.ops() {
        let process = b.process(history.process_name(history.process(op)));
        let (call, ret) = history.times(op).expect("times");
        let new = b.call(process, history.called(op).method, history.called(op).args, call);
        let source = if op == one {
            other
        } else if op == other {
            one
        } else {
            op
        };
        if let (Some(time), Some(result)) = (ret, history.result(source)) {
            b.ret(new, result.clone(), time);
        }
    }
    b.build().expect("well formed")
}

/// In a long history two removes return each other's value: the part that shows it is small.
#[test]
fn planted_exchanges() {
    for container in [Stack, PriorityQueue] {
        let (_, remove) = container.methods();
        let (mut inconsistent, mut largest) = (0, 0);
        for seed in 0..200 {
            let clients = Clients { processes: 6, operations: 500, seed, ..Clients::default() };
            let history = clients.run(container.name());
            let mut random = Random::new(seed);
            let removes: Vec<OpId> =
                history.ops().filter(|&op| history.called(op).method == remove).collect();
            let at = random.index(removes.len() - 9);
            let history = exchanged(&history, removes[at], removes[at + 1 + random.index(8)]);
            match ask(container, &history) {
                Verdict::Consistent(execution) => assert_linearization(container, &history, &execution.lin),
                Verdict::Inconsistent(violation) => {
                    assert_law(&history, &violation);
                    let part = history.part(&violation.operations, violation.cut);
                    assert!(part.len() <= 20 && !brute(container, &part), "{violation:?}\n{}", show(&part));
                    // No value and no empty remove can be left out.
                    for op in part.ops() {
                        let value = |op| part.called(op).args.first().or(part.result(op)).cloned();
                        let rest: Vec<OpId> = part.ops().filter(|&other| value(other) != value(op)).collect();
                        assert!(
                            brute(container, &part.part(&rest, None)),
                            "{op:?} is idle:\n{}",
                            show(&part)
                        );
                    }
                    largest = largest.max(part.len());
                    inconsistent += 1;
                }
                other => panic!("{}", other.word()),
            }
        }
        println!("{}: {inconsistent} of 200 inconsistent, parts of up to {largest}", container.name());
        assert!(inconsistent > 50);
    }
}

/// Crashed clients whose removes took effect unseen: the completion has to be found.
#[test]
fn crashes() {
    for container in [Stack, PriorityQueue] {
        for seed in 0..40 {
            let clients =
                Clients { processes: 8, operations: 400, pending: 0.05, seed, ..Clients::default() };
            let history = clients.run(container.name());
            match ask(container, &history) {
                Verdict::Consistent(execution) => assert_linearization(container, &history, &execution.lin),
                other => panic!("{}:\n{}", other.word(), show(&history)),
            }
        }
    }
}
