//! A history as a litmus test asks what the history asks: its condition is allowed exactly where the history is consistent.

use std::fs;
use std::path::Path;

use tribunal_cat::limits::Unlimited;
use tribunal_cat::{Architecture, Directories, Environment, Model as Cat};
use tribunal_history::memory::{Execution, Op, Order, Slot, Source};
use tribunal_history::{model::Model, verdict::Verdict};
use tribunal_litmus::history::{Target, Unwritten, write};
use tribunal_litmus::{Options, Runner, Test};
use tribunal_random::Random;

/// Sequential consistency, where a read-modify-write is two events.
const SC: &str = "
acyclic po | rmw | rf | co | fr
empty rmw & (fr; co)
";

/// Total store order with locked exchanges.
const TSO: &str = "
let ppo = (po & M * M) \\ (W * R)
let fenced = [M]; po; [MFENCE]; po; [M]
let locked = [M]; po; [X & R] | [X & W]; po; [M]
acyclic po-loc | rmw | rf | co | fr
empty rmw & (fr; co)
acyclic ppo | rmw | fenced | locked | rfe | co | fr
";

/// Relaxed memory order by RISC-V's fences.
const RMO: &str = "
let deps = addr | data
let fenced = [M]; po; [Fence.rw.rw]; po; [M]
  | [R]; po; [Fence.r.rw | Fence.tso]; po; [M]
  | [M]; po; [Fence.rw.w | Fence.tso]; po; [W]
acyclic (po-loc \\ ((R \\ W) * (R \\ W))) | rf | co | fr
acyclic deps | fenced | rfe | co | fr
acyclic deps | rf
";

fn built_in(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tribunal-history/models/{name}.cat"));
    fs::read_to_string(path).expect("a model")
}

/// Whether the model allows the test's condition.
fn allowed(test: &str, cat: &str) -> bool {
    let test = Test::parse("history.litmus", test).unwrap_or_else(|error| panic!("{error}\n{test}"));
    let mut library = Directories::new(Vec::<&Path>::new(), |path: &Path| fs::read(path));
    let model = Cat::parse(cat, "model.cat", &mut library).expect("a model");
    let arch = Architecture::of_name(&test.arch).expect("an architecture");
    let plan = model.plan(&Environment::of(arch)).expect("a plan");
    let mut runner = Runner::new(&plan, Options { counts: false, ..Options::default() });
    let outcome = runner.run(&test, &mut Unlimited).expect("an outcome");
    outcome.executions().positive > 0
}

/// A few events on two locations, each value written once.
fn random(seed: u64) -> Execution {
    let mut numbers = Random::new(seed);
    let mut b = Execution::builder();
    let locations = [b.location("x"), b.location("y")];
    let plan: Vec<(u64, u64, u64)> =
        (0..7).map(|_| (numbers.below(3), numbers.below(8), numbers.below(2))).collect();
    // What writes will write is known before what reads read.
    let written: Vec<u64> = (1..).take(plan.len()).collect();
    let mut reads: Vec<Vec<u32>> = vec![Vec::new(); 3];
    let mut lengths = [0; 3];
    for (index, (thread, kind, loc)) in plan.iter().enumerate() {
        let (at, loc) = (b.thread(&format!("T{thread}")), *loc as usize);
        let writers = plan
            .iter()
            .zip(&written)
            .filter(|((_, kind, of), _)| *kind >= 3 && *kind < 7 && *of as usize == loc);
        let mut values: Vec<u64> =
            writers.map(|(_, value)| *value).filter(|value| *value != written[index]).collect();
        values.push(0);
        let value = values[numbers.below(values.len() as u64) as usize];
        let orders = |numbers: &mut Random, all: &[Order]| all[numbers.below(all.len() as u64) as usize];
        let op = match kind {
            0..3 => Op::read(locations[loc], value)
                .order(orders(&mut numbers, &[Order::Relaxed, Order::Acquire, Order::SeqCst])),
            3..6 => Op::write(locations[loc], written[index])
                .order(orders(&mut numbers, &[Order::Relaxed, Order::Release, Order::SeqCst])),
            6 => Op::rmw(locations[loc], value, written[index])
                .order(orders(&mut numbers, &[Order::Relaxed, Order::AcqRel, Order::SeqCst])),
            _ => Op::fence(orders(&mut numbers, &Order::OF_FENCES)),
        };
        let slot = b.push(at, op);
        let thread = *thread as usize;
        if *kind != 7 {
            for read in reads[thread].clone() {
                if numbers.below(2) == 0 {
                    b.depends(slot, read);
                }
            }
        }
        if *kind < 3 || *kind == 6 {
            reads[thread].push(lengths[thread]);
        }
        lengths[thread] += 1;
    }
    b.build().expect("a history")
}

fn agree(target: Target, cat: &str, model: Model, histories: u64) {
    let mut consistent = 0;
    for seed in 0..histories {
        let history = random(seed);
        let expected = match tribunal_engines::memory::check(&history, model) {
            Verdict::Consistent(_) => true,
            Verdict::Inconsistent(_) => false,
            other => panic!("{other:?}"),
        };
        let test = write(&history, target).expect("a test");
        assert_eq!(allowed(&test, cat), expected, "seed {seed} under {model:?}\n{test}");
        consistent += u64::from(expected);
    }
    assert!(consistent > 0 && consistent < histories, "{consistent} of {histories} are consistent");
}

#[test]
fn c_as_the_history() {
    agree(Target::C, &built_in("rc11"), Model::Rc11, 150);
    agree(Target::C, &built_in("rc20"), Model::Rc20, 150);
    agree(Target::C, &built_in("sc"), Model::Sc, 100);
}

#[test]
fn x86_as_the_history() {
    agree(Target::X86, TSO, Model::Tso, 200);
    agree(Target::X86, SC, Model::Sc, 100);
}

#[test]
fn aarch64_as_the_history() {
    agree(Target::AArch64, SC, Model::Sc, 200);
}

#[test]
fn riscv_as_the_history() {
    agree(Target::RiscV, RMO, Model::Rmo, 200);
    agree(Target::RiscV, SC, Model::Sc, 100);
}

#[test]
fn values_that_repeat_or_are_large_become_others() {
    let mut b = Execution::builder();
    let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("0x10"));
    b.init(x, 5);
    b.push(t0, Op::write(x, 1 << 40));
    b.push(t1, Op::read(x, 1 << 40));
    b.final_value(x, 1 << 40);
    let text = write(&b.build().expect("a history"), Target::RiscV).expect("a test");
    assert!(text.contains("0:x5=v0;") && text.ends_with("exists (1:x5=1 /\\ [v0]=1)\n"), "{text}");
    assert!(allowed(&text, SC));
}

#[test]
fn what_is_no_test_says_which_event() {
    let mut b = Execution::builder();
    let (t, x) = (b.thread("T0"), b.location("x"));
    for _ in 0..7 {
        b.push(t, Op::read(x, 0));
    }
    let error = write(&b.build().expect("a history"), Target::X86).expect_err("six registers");
    assert_eq!(error.to_string(), "T0:6 R x 0: thread `T0` needs more registers than X86 has");
}

/// Where values repeat, a source that is known cannot be said beside one that is not.
#[test]
fn a_known_source_among_open_ones_is_refused() {
    let history = |known: bool| {
        let mut b = Execution::builder();
        let (x, threads) = (b.location("x"), ["T0", "T1", "T2"].map(|name| b.thread(name)));
        let first = b.push(threads[0], Op::write(x, 1));
        b.push(threads[1], Op::write(x, 1));
        let read = Op::read(x, 1);
        b.push(threads[2], if known { read.from(Source::At(first)) } else { read });
        b.push(threads[2], Op::read(x, 1));
        b.build().expect("a history")
    };
    for target in Target::ALL {
        assert!(write(&history(false), target).is_ok());
        let refused = write(&history(true), target).expect_err("it has a source").to_string();
        assert!(refused.contains("a litmus test cannot say where it is from"), "{refused}");
    }
}

/// A few events whose values repeat: reads whose source is open, given or told by the value, initial and final values, large ones.
fn repeating(seed: u64) -> Option<Execution> {
    let mut numbers = Random::new(seed);
    let large = if numbers.below(8) == 0 { 1 << 20 } else { 0 };
    let value = |numbers: &mut Random| large + numbers.below(3);
    let mut b = Execution::builder();
    let locations = [b.location("x"), b.location("y")];
    if numbers.below(4) == 0 {
        b.init(locations[0], value(&mut numbers));
    }
    let given = numbers.below(3);
    let mut writes = Vec::new();
    let mut events = Vec::new();
    for _ in 0..6 {
        let (thread, kind, loc) = (numbers.below(3), numbers.below(7), numbers.below(2) as usize);
        events.push((thread, kind, loc, value(&mut numbers), value(&mut numbers)));
    }
    let mut lengths = [0u32; 3];
    let threads = ["T0", "T1", "T2"].map(|name| b.thread(name));
    for &(thread, kind, loc, _, written) in &events {
        if kind >= 3 {
            let slot = Slot { thread: threads[thread as usize], index: lengths[thread as usize] };
            writes.push((loc, written, slot));
        }
        lengths[thread as usize] += 1;
    }
    for &(thread, kind, loc, read, written) in &events {
        let sources: Vec<Slot> = writes
            .iter()
            .filter(|&&(of, value, _)| (of, value) == (loc, read))
            .map(|&(.., slot)| slot)
            .collect();
        let op = match kind {
            0..3 => Op::read(locations[loc], read),
            3..6 => Op::write(locations[loc], written),
            _ => Op::rmw(locations[loc], read, written),
        };
        let give = given == 2 || given == 1 && numbers.below(2) == 0;
        let op = match sources.get(numbers.below(sources.len().max(1) as u64) as usize) {
            Some(&slot) if give && !(3..6).contains(&kind) => op.from(Source::At(slot)),
            _ => op,
        };
        b.push(threads[thread as usize], op.order(Order::SeqCst));
    }
    if numbers.below(3) == 0 {
        b.final_value(locations[1], value(&mut numbers));
    }
    b.build().ok()
}

/// Where values repeat, a test asks what the history asks, or the history is refused.
#[test]
fn values_that_repeat_ask_the_same_or_are_refused() {
    let (mut answers, mut refused) = ([0, 0], 0);
    for seed in 0..1500 {
        let Some(history) = repeating(seed) else { continue };
        let expected = match tribunal_engines::memory::check(&history, Model::Sc) {
            Verdict::Consistent(_) => true,
            Verdict::Inconsistent(_) => false,
            other => panic!("{other:?}"),
        };
        for target in Target::ALL {
            let cat = if target == Target::C { built_in("sc") } else { SC.to_string() };
            match write(&history, target) {
                Ok(test) => {
                    assert_eq!(allowed(&test, &cat), expected, "seed {seed}\n{test}");
                    answers[usize::from(expected)] += 1;
                }
                Err(Unwritten::Source { .. } | Unwritten::Value { .. }) => refused += 1,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(answers[0] > 500 && answers[1] > 500 && refused > 50, "{answers:?}, {refused} refused");
}
