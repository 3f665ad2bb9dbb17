//! The algorithms for registers, sets and queues against a search of all linearizations, on small histories: every
//! interval order of some six operations, and random ones with pending operations and lies.

use std::collections::HashSet;
use tribunal_engines::Engine;
use tribunal_engines::object::judge_by;
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{CasRegister, Queue, Register, Set};
use tribunal_history::object::{
    Criterion, History, Invocation, OpId, Specification, Unsupported, Value, Verdict, Violation, Visibility,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Object {
    Register,
    Set,
    Queue,
}

use Object::{Queue as FIFO, Register as REGISTER, Set as SET};
use tribunal_random::Random;

impl Object {
    fn spec(self) -> Box<dyn Specification> {
        match self {
            Object::Register => Box::new(Register::default()),
            Object::Set => Box::new(Set),
            Object::Queue => Box::new(Queue),
        }
    }

    fn step(self, state: &mut Vec<Value>, method: &str, args: &[Value]) -> Value {
        match (self, method) {
            (Object::Register, "write") => *state = args.to_vec(),
            (Object::Register, _) => return state.first().cloned().unwrap_or_default(),
            (Object::Queue, "enqueue") => state.push(args[0].clone()),
            (Object::Queue, _) if state.is_empty() => {}
            (Object::Queue, _) => return state.remove(0),
            (Object::Set, method) => {
                let at = state.binary_search(&args[0]);
                match (method, at) {
                    ("add", Err(at)) => state.insert(at, args[0].clone()),
                    ("remove", Ok(at)) => drop(state.remove(at)),
                    _ => {}
                }
                return Value::from(if method == "add" { at.is_err() } else { at.is_ok() });
            }
        }
        Value::Null
    }

    /// Whether the part may leave an operation out for what it is.
    fn changes_nothing(self, history: &History, op: OpId) -> bool {
        let call = history.called(op);
        match self {
            Object::Register => call.method == "read",
            Object::Set => call.method == "contains" || history.result(op) == Some(&Value::from(false)),
            Object::Queue => call.method == "dequeue" && history.result(op) == Some(&Value::Null),
        }
    }
}

/// The value that an operation inserts, removes or returns.
fn value(history: &History, op: OpId) -> Option<&Value> {
    history.called(op).args.first().or(history.result(op))
}

/// Whether some order of all completed operations and some pending ones contains hb and gives the returns.
fn linearizable(history: &History, object: Object) -> bool {
    let ops: Vec<OpId> = history.ops().collect();
    let before = |op: OpId| {
        let others = ops.iter().filter(|&&other| history.before(other, op));
        others.fold(0u32, |set, other| set | 1 << other.0)
    };
    let before: Vec<u32> = ops.iter().map(|&op| before(op)).collect();
    let completed = ops.iter().filter(|&&op| !history.is_pending(op)).fold(0u32, |set, op| set | 1 << op.0);
    let mut seen = HashSet::new();
    let mut stack = vec![(0u32, Vec::new())];
    while let Some((done, state)) = stack.pop() {
        if completed & !done == 0 {
            return true;
        }
        for &op in &ops {
            if done >> op.0 & 1 == 1 || before[op.index()] & !done != 0 {
                continue;
            }
            let mut next = state.clone();
            let call = history.called(op);
            let ret = object.step(&mut next, call.method, call.args);
            if history.result(op).is_some_and(|result| *result != ret) {
                continue;
            }
            let next = (done | 1 << op.0, next);
            if seen.insert(next.clone()) {
                stack.push(next);
            }
        }
    }
    false
}

fn shown(history: &History) -> String {
    let events = history.intervals().map(|intervals| format!("{:?}", intervals.events));
    let ops: Vec<String> = history.ops().map(|op| format!("{}: {}", op.0, history.show(op))).collect();
    format!("{}\n{}", ops.join("\n"), events.unwrap_or_default())
}

fn assert_linearization(history: &History, object: Object, lin: &[OpId]) {
    let mut place = vec![None; history.len()];
    let mut state = Vec::new();
    for (at, &op) in lin.iter().enumerate() {
        assert_eq!(place[op.index()].replace(at), None, "twice in {lin:?}\n{}", shown(history));
        let call = history.called(op);
        let ret = object.step(&mut state, call.method, call.args);
        assert!(
            history.result(op).is_none_or(|result| *result == ret),
            "{op:?} in {lin:?}\n{}",
            shown(history)
        );
    }
    for a in history.ops() {
        assert!(history.is_pending(a) || place[a.index()].is_some(), "{a:?} is missing\n{}", shown(history));
        for b in history.ops().filter(|&b| history.before(a, b)) {
            if let Some(late) = place[b.index()] {
                assert!(place[a.index()] < Some(late), "{a:?} and {b:?} in {lin:?}\n{}", shown(history));
            }
        }
    }
}

fn assert_violation(history: &History, object: Object, violation: &Violation) {
    let Violation { operations, cut } = violation;
    assert!(operations.is_sorted_by(|a, b| a < b), "{violation:?}");
    let call = history.intervals().expect("has times").call;
    let called = |op: OpId| cut.is_none_or(|cut| call[op.index()] < cut);
    assert!(operations.iter().all(|&op| called(op)), "{violation:?}");
    for op in history.ops().filter(|op| !operations.contains(op)) {
        let of = value(history, op);
        let others = || operations.iter().all(|&other| value(history, other) != of);
        assert!(
            !called(op) || object.changes_nothing(history, op) || of.is_some() && others(),
            "{op:?} is left out by {violation:?}\n{}",
            shown(history)
        );
    }
    let part = history.part(operations, *cut);
    assert!(!linearizable(&part, object), "{violation:?} is linearizable\n{}", shown(history));
}

fn judged(history: &History, spec: &dyn Specification) -> Verdict {
    judge_by(
        &history.typed(spec).expect("typed"),
        &Criterion::Linearizable,
        Engine::Collection,
        &Limits::default(),
    )
    .expect("an engine of the criterion")
    .0
}

/// Judges a history and checks what it says against the search; whether it is linearizable.
fn agree(history: &History, object: Object) -> bool {
    let expected = linearizable(history, object);
    match &judged(history, &*object.spec()) {
        Verdict::Consistent(execution) => {
            assert!(expected, "said to be linearizable\n{}", shown(history));
            assert_eq!(execution.vis, Visibility::All);
            assert_linearization(history, object, &execution.lin);
        }
        Verdict::Inconsistent(violation) => {
            assert!(!expected, "said not to be linearizable: {violation:?}\n{}", shown(history));
            assert_violation(history, object, violation);
        }
        other => panic!("{other:?}\n{}", shown(history)),
    }
    expected
}

/// An operation of an enumerated history: method, argument and return; pending without one.
type Shape = (&'static str, Option<i64>, Option<Value>);

/// Every history of these operations, each by a process of its own, up to exchange of neighboring calls and of
/// neighboring returns, which changes no order.
fn every_order(shapes: &[Shape], mut visit: impl FnMut(&History)) {
    // An event is twice its operation, and one more for a return.
    let mut events: Vec<usize> = Vec::new();
    let allowed = |events: &[usize], event: usize| {
        let (op, returns) = (event / 2, event % 2 == 1);
        !events.contains(&event)
            && (!returns || events.contains(&(2 * op)) && shapes[op].2.is_some())
            && events.last().is_none_or(|&last| last % 2 != event % 2 || last < event)
    };
    let total = shapes.iter().map(|shape| 1 + usize::from(shape.2.is_some())).sum::<usize>();
    let mut next = 0;
    loop {
        if events.len() == total {
            visit(&enumerated(shapes, &events));
        }
        match (next..2 * shapes.len()).find(|&event| allowed(&events, event)) {
            Some(event) => {
                events.push(event);
                next = 0;
            }
            None => match events.pop() {
                Some(last) => next = last + 1,
                None => return,
            },
        }
    }
}

fn enumerated(shapes: &[Shape], events: &[usize]) -> History {
    let mut b = History::builder();
    let mut ops = vec![None; shapes.len()];
    for (time, event) in events.iter().enumerate() {
        let (method, arg, ret) = &shapes[event / 2];
        let args: Vec<Value> = arg.iter().map(|&arg| Value::from(arg)).collect();
        match (ops[event / 2], ret) {
            (Some(op), Some(ret)) => b.ret(op, ret.clone(), time as u64),
            _ => {
                let process = b.process(&(event / 2).to_string());
                ops[event / 2] = Some(b.call(process, method, &args, time as u64));
            }
        }
    }
    b.build().expect("well-formed")
}

fn every_order_agrees(object: Object, shapes: &[Shape]) {
    let (mut yes, mut no) = (0, 0);
    every_order(shapes, |history| if agree(history, object) { yes += 1 } else { no += 1 });
    println!("{object:?}: {yes} linearizable, {no} not");
    assert!(yes > 0 && no > 0, "{yes} {no}");
}

fn enq(value: i64) -> Shape {
    ("enqueue", Some(value), Some(Value::Null))
}

fn deq(value: i64) -> Shape {
    ("dequeue", None, Some(Value::from(value)))
}

const OPEN_DEQ: Shape = ("dequeue", None, None);
const EMPTY: Shape = ("dequeue", None, Some(Value::Null));

fn open_enq(value: i64) -> Shape {
    ("enqueue", Some(value), None)
}

#[test]
fn every_queue_of_three_values() {
    every_order_agrees(FIFO, &[enq(1), enq(2), enq(3), deq(1), deq(2), deq(3)]);
}

#[test]
fn every_queue_with_empties() {
    every_order_agrees(FIFO, &[enq(1), enq(2), deq(1), deq(2), EMPTY, EMPTY]);
    every_order_agrees(FIFO, &[enq(1), enq(2), deq(1), deq(2), EMPTY, OPEN_DEQ]);
    every_order_agrees(FIFO, &[enq(1), enq(2), deq(1), EMPTY, EMPTY, OPEN_DEQ]);
}

#[test]
fn every_queue_with_pending_dequeues() {
    every_order_agrees(FIFO, &[enq(1), enq(2), enq(3), deq(3), OPEN_DEQ, OPEN_DEQ]);
    every_order_agrees(FIFO, &[enq(1), enq(2), enq(3), deq(3), deq(2), OPEN_DEQ]);
    every_order_agrees(FIFO, &[enq(1), enq(2), enq(3), EMPTY, OPEN_DEQ, OPEN_DEQ]);
    every_order_agrees(FIFO, &[enq(1), enq(2), EMPTY, EMPTY, OPEN_DEQ, OPEN_DEQ]);
    every_order_agrees(FIFO, &[enq(1), enq(2), enq(3), deq(1), EMPTY, OPEN_DEQ]);
}

#[test]
fn every_queue_with_pending_enqueues() {
    every_order_agrees(FIFO, &[open_enq(1), enq(2), deq(1), deq(2), EMPTY, OPEN_DEQ]);
    every_order_agrees(FIFO, &[open_enq(1), enq(2), open_enq(3), deq(2), deq(3), EMPTY]);
}

fn write(value: i64) -> Shape {
    ("write", Some(value), Some(Value::Null))
}

fn read(value: i64) -> Shape {
    ("read", None, Some(Value::from(value)))
}

#[test]
fn every_register() {
    let initial = ("read", None, Some(Value::Null));
    let open_read = ("read", None, None);
    every_order_agrees(REGISTER, &[write(1), write(2), read(1), read(1), read(2), read(2)]);
    every_order_agrees(REGISTER, &[write(1), write(2), read(1), read(2), initial.clone(), initial.clone()]);
    every_order_agrees(REGISTER, &[write(1), write(2), write(3), read(1), read(1), read(2)]);
    let open = ("write", Some(2), None);
    every_order_agrees(REGISTER, &[write(1), open.clone(), read(1), read(1), read(2), open_read]);
    every_order_agrees(REGISTER, &[write(1), open, read(2), read(1), read(2), initial]);
}

#[test]
fn every_set_of_one_value() {
    let op = |method, ret: bool| (method, Some(1), Some(Value::from(ret)));
    let open = |method| (method, Some(1), None);
    let (added, removed) = (op("add", true), op("remove", true));
    let (inside, outside) = (op("contains", true), op("contains", false));
    let present = op("add", false);
    every_order_agrees(
        SET,
        &[added.clone(), removed.clone(), inside.clone(), outside.clone(), present, op("remove", false)],
    );
    every_order_agrees(
        SET,
        &[added.clone(), added.clone(), added.clone(), removed.clone(), removed.clone(), outside.clone()],
    );
    every_order_agrees(
        SET,
        &[added.clone(), added.clone(), removed.clone(), open("remove"), inside.clone(), outside.clone()],
    );
    every_order_agrees(
        SET,
        &[open("add"), open("remove"), inside.clone(), inside.clone(), outside.clone(), outside.clone()],
    );
    every_order_agrees(SET, &[added, open("add"), open("remove"), removed, inside, outside]);
}

/// Clients of an atomic object.
struct Clients {
    processes: u64,
    operations: u64,
    /// How many returns in ten are changed, and how many in twelve are missing.
    lie: u64,
    lose: u64,
}

/// An operation that is open, and what it returns once it took effect.
struct Open {
    op: OpId,
    method: &'static str,
    args: Vec<Value>,
    ret: Option<Value>,
}

impl Clients {
    fn run(&self, dice: &mut Random, object: Object) -> History {
        let mut b = History::builder();
        let spec = object.spec();
        let mut run = spec.replay();
        let (mut left, mut fresh, mut names, mut time) = (self.operations, 0, self.processes, 0);
        let mut processes: Vec<(u64, Option<Open>)> = (0..self.processes).map(|name| (name, None)).collect();
        while left > 0 || processes.iter().any(|(_, open)| open.is_some()) {
            time += 1;
            let (name, slot) = &mut processes[dice.below(self.processes) as usize];
            match slot.take() {
                None if left == 0 => {}
                None => {
                    left -= 1;
                    let (method, args) = invocation(dice, object, &mut fresh);
                    let process = b.process(&name.to_string());
                    let op = b.call(process, method, &args, time);
                    *slot = Some(Open { op, method, args, ret: None });
                }
                Some(open @ Open { ret: None, .. }) => {
                    let call = Invocation { method: open.method, args: &open.args };
                    let ret = if dice.below(8) > 0 { run.call(call) } else { None };
                    *slot = Some(Open { ret, ..open });
                }
                Some(_) if dice.below(12) < self.lose => {
                    *name = names;
                    names += 1;
                }
                Some(Open { op, method, ret: Some(ret), .. }) => {
                    let lies = dice.below(10) < self.lie;
                    let ret = match (object, method) {
                        (Object::Set, _) if lies => Value::from(ret == Value::from(false)),
                        (_, "read" | "dequeue") if lies => match dice.below(fresh + 1) {
                            0 => Value::Null,
                            value => Value::from(value as i64),
                        },
                        _ => ret,
                    };
                    b.ret(op, ret, time);
                }
            }
        }
        b.build().expect("well-formed")
    }
}

fn invocation(dice: &mut Random, object: Object, fresh: &mut u64) -> (&'static str, Vec<Value>) {
    let (method, takes) = match (object, dice.below(3)) {
        (Object::Set, 0) => ("add", true),
        (Object::Set, 1) => ("remove", true),
        (Object::Set, _) => ("contains", true),
        (Object::Register, 0) => ("write", true),
        (Object::Register, _) => ("read", false),
        (Object::Queue, 0) => ("enqueue", true),
        (Object::Queue, 1) if *fresh < 4 => ("enqueue", true),
        (Object::Queue, _) => ("dequeue", false),
    };
    let value = if object == SET {
        dice.below(2)
    } else {
        *fresh += u64::from(takes);
        *fresh
    };
    (method, if takes { vec![Value::from(value as i64)] } else { vec![] })
}

fn random_agree(object: Object, seed: u64) {
    let mut dice = Random::new(seed);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..60_000 {
        let clients = Clients {
            processes: 2 + dice.below(3),
            operations: 3 + dice.below(6),
            lie: dice.below(8),
            lose: dice.below(3),
        };
        if agree(&clients.run(&mut dice, object), object) { yes += 1 } else { no += 1 }
    }
    println!("{object:?}: {yes} linearizable, {no} not");
    assert!(yes > 5_000 && no > 5_000, "{yes} {no}");
}

#[test]
fn random_registers() {
    random_agree(REGISTER, 1);
}

#[test]
fn random_sets() {
    random_agree(SET, 2);
}

#[test]
fn random_queues() {
    random_agree(FIFO, 3);
}

/// The linearization of a history too large for the search, which must have one. Checked in linear time.
fn linearized(history: &History, object: Object) -> usize {
    let spec = object.spec();
    let Verdict::Consistent(execution) = judged(history, &*spec) else {
        panic!("a run of an atomic {object:?} is linearizable");
    };
    let intervals = history.intervals().expect("has times");
    let mut left: HashSet<OpId> = history.ops().filter(|&op| !history.is_pending(op)).collect();
    let (mut run, mut latest_call) = (spec.replay(), 0);
    for &op in &execution.lin {
        assert!(left.remove(&op) || history.is_pending(op));
        // Nothing that came before in the linearization was called after this returned.
        assert!(latest_call < intervals.ret[op.index()]);
        latest_call = latest_call.max(intervals.call[op.index()]);
        let ret = run.call(history.called(op));
        assert!(history.result(op).is_none_or(|result| ret.as_ref() == Some(result)));
    }
    assert!(left.is_empty());
    execution.lin.len()
}

#[test]
fn runs_of_atomic_objects_are_linearizable() {
    for object in [REGISTER, SET, FIFO] {
        for (processes, lose) in [(1, 0), (4, 0), (32, 0), (32, 1), (1000, 0), (1000, 1)] {
            let clients = Clients { processes, operations: 10_000, lie: 0, lose };
            let history = clients.run(&mut Random::new(processes), object);
            assert!(linearized(&history, object) > 5_000);
        }
    }
}

/// All of these at once, then all of those at once.
fn waves(first: &[Shape], second: &[Shape]) -> History {
    let shapes: Vec<Shape> = first.iter().chain(second).cloned().collect();
    let mut events = Vec::new();
    for wave in [0..first.len(), first.len()..shapes.len()] {
        events.extend(wave.clone().map(|op| 2 * op));
        events.extend(wave.map(|op| 2 * op + 1));
    }
    enumerated(&shapes, &events)
}

#[test]
fn waves_do_not_explode() {
    let enqueues: Vec<Shape> = (0..64).map(enq).collect();
    let mut dequeues: Vec<Shape> = (0..64).rev().map(deq).collect();
    assert_eq!(linearized(&waves(&enqueues, &dequeues), FIFO), 128);
    // One value stays behind, so the queue was not empty.
    dequeues[20] = EMPTY;
    dequeues.truncate(21);
    let history = waves(&enqueues, &dequeues);
    assert_eq!(linearized(&waves(&enqueues, &dequeues[..20]), FIFO), 84);
    let Verdict::Inconsistent(violation) = judged(&history, &Queue) else {
        panic!("the queue was not empty")
    };
    assert_eq!(violation.operations.len(), 2);
    assert_violation(&history, FIFO, &violation);
}

#[test]
fn parts_are_small() {
    let enqueues = (0..1000).map(enq);
    let swapped = (0..500).chain([501, 500]).chain(502..1000).map(deq);
    let shapes: Vec<Shape> = enqueues.chain(swapped).collect();
    let one_by_one: Vec<usize> = (0..2 * shapes.len()).collect();
    let history = enumerated(&shapes, &one_by_one);
    let Verdict::Inconsistent(violation) = judged(&history, &Queue) else { panic!("501 overtook 500") };
    assert_eq!(violation.operations, [500, 501, 1500].map(OpId));
    assert_violation(&history, FIFO, &violation);

    // A dequeue that was open all the time took neither, since both were returned.
    let shapes: Vec<Shape> = [OPEN_DEQ].into_iter().chain(shapes).collect();
    let one_by_one: Vec<usize> = [0].into_iter().chain(2..2 * shapes.len()).collect();
    let history = enumerated(&shapes, &one_by_one);
    let Verdict::Inconsistent(violation) = judged(&history, &Queue) else { panic!("501 overtook 500") };
    assert_eq!(violation.operations, [0, 501, 502, 1501, 1502].map(OpId));
    assert_violation(&history, FIFO, &violation);
}

#[test]
fn what_is_not_decided_is_said() {
    let unsupported = |shapes: &[Shape], spec: &dyn Specification| {
        let events: Vec<usize> = (0..2 * shapes.len()).collect();
        match judged(&enumerated(shapes, &events), spec) {
            Verdict::Unsupported(why) => Some(why),
            _ => None,
        }
    };
    let zero = Register::new(Value::from(0));
    assert_eq!(unsupported(&[enq(1), enq(1)], &Queue), Some(Unsupported::NotDistinct));
    // What does not fit the specification is not judged at all.
    let null = ("enqueue", None, Some(Value::Null));
    for (shape, spec) in [(null, &Queue as &dyn Specification), (enq(1), &Set), (enq(1), &zero)] {
        assert!(enumerated(&[shape], &[0, 1]).typed(spec).is_err(), "{}", spec.name());
    }
    assert_eq!(unsupported(&[write(1), write(1), read(1)], &zero), Some(Unsupported::NotDistinct));
    assert_eq!(unsupported(&[write(0), read(0)], &zero), Some(Unsupported::NotDistinct));
    // What nobody reads may be anything.
    assert_eq!(unsupported(&[write(0), write(1), write(1)], &zero), None);

    let mut b = History::builder();
    let processes = [0, 1, 2, 3].map(|name| b.process(&name.to_string()));
    let [a, x, y, z] = processes.map(|process| b.operation(process, "dequeue", &[], Some(Value::Null)));
    b.before(a, x);
    b.before(y, z);
    let crossed = b.build().expect("well-formed");
    assert_eq!(judged(&crossed, &Queue), Verdict::Unsupported(Unsupported::NotIntervals));

    let mut b = History::builder();
    let p = b.process("0");
    b.call(p, "cas", &[Value::Null, Value::from(1)], 0);
    let swap = b.build().expect("well-formed");
    assert_eq!(judged(&swap, &CasRegister::default()), Verdict::Unsupported(Unsupported::NoCollection));

    let mut b = History::builder();
    let p = b.process("0");
    b.call(p, "enqueue", &[Value::Null], 0);
    let null = b.build().expect("well-formed");
    assert_eq!(judged(&null, &Queue), Verdict::Unsupported(Unsupported::NotDistinct));
}
