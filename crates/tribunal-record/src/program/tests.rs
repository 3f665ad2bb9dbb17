//! States that a machine comes to are states that a test has.

use super::{Histogram, Program, Unrunnable};
use crate::memory::Layout;
use tribunal_litmus::Test;
use tribunal_litmus::value::Value;

fn run(text: &str, layout: Layout, runs: u64) -> (Test, Histogram) {
    let test = Test::parse("test.litmus", text).expect("a test");
    let program = Program::new(&test).expect("a program");
    let histogram = program.run(layout, |so_far| so_far.runs() + so_far.unfinished < runs).expect("runs");
    (test, histogram)
}

fn ints(state: &[Value]) -> Vec<i64> {
    state.iter().map(|value| if let Value::Int(number) = value { *number } else { -1 }).collect()
}

#[test]
fn messages_pass_in_order() {
    let text = "C MP\n{}\n\
        P0 (atomic_int* x, atomic_int* y) {\n atomic_store_explicit(x, 1, memory_order_relaxed);\n\
        atomic_store_explicit(y, 1, memory_order_release); }\n\
        P1 (atomic_int* x, atomic_int* y) {\n int r0 = atomic_load_explicit(y, memory_order_acquire);\n int r1 = 2;\n\
        if (r0 == 1) { r1 = atomic_load_explicit(x, memory_order_relaxed); } }\n\
        ~exists (1:r0=1 /\\ 1:r1=0)";
    for layout in Layout::ALL {
        let (test, histogram) = run(text, layout, 5_000);
        assert!(histogram.states.keys().all(|state| !test.condition.holds(state)), "{histogram:?}");
        assert_eq!(histogram.unfinished, 0);
    }
}

/// Every update counts, whether it is one operation or a loop around a comparison.
#[test]
fn updates_are_atomic() {
    let fetch = "C inc\n{}\n\
        P0 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }\n\
        P1 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }\n\
        forall (x=2 /\\ (0:r0=0 /\\ 1:r0=1 \\/ 0:r0=1 /\\ 1:r0=0))";
    let exchange = "C cas\n{ [e]=0; [f]=0; }\n\
        P0 (atomic_int* x, int* e) { int r0 = atomic_compare_exchange_strong_explicit(x, e, 1, memory_order_relaxed, memory_order_relaxed); }\n\
        P1 (atomic_int* x, int* f) { int r0 = atomic_compare_exchange_strong_explicit(x, f, 2, memory_order_relaxed, memory_order_relaxed); }\n\
        forall (0:r0=1 /\\ 1:r0=0 /\\ x=1 /\\ f=1 \\/ 0:r0=0 /\\ 1:r0=1 /\\ x=2 /\\ e=2)";
    for text in [fetch, exchange] {
        let (test, histogram) = run(text, Layout::Line, 5_000);
        assert!(histogram.states.keys().all(|state| test.condition.holds(state)), "{histogram:?}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn locked_instructions_of_x86() {
    let text = "X86 xchg\n{}\n P0 | P1 ;\n MOV EAX,$1 | MOV EAX,$2 ;\n XCHG [x],EAX | XCHG [x],EAX ;\n MOV EBX,[y] | LOCK ADD [y],$1 ;\n\
        forall (0:EAX=0 /\\ 1:EAX=1 /\\ x=2 \\/ 0:EAX=2 /\\ 1:EAX=0 /\\ x=1)";
    let (test, histogram) = run(text, Layout::Mixed, 5_000);
    assert!(histogram.states.keys().all(|state| test.condition.holds(state)), "{histogram:?}");
}

#[test]
fn addresses_and_loops() {
    let text = "C wait\n{ [p]=x; }\n\
        P0 (atomic_int* y) { atomic_store_explicit(y, 1, memory_order_release); }\n\
        P1 (atomic_int* y) { int r0 = 0; int r1 = 0; while (r0 == 0) { r0 = atomic_load_explicit(y, memory_order_acquire); r1 = r1 | 1; } }\n\
        forall (1:r0=1 /\\ 1:r1=1 /\\ p=x)";
    let (test, histogram) = run(text, Layout::Line, 2_000);
    assert!(
        histogram.runs() > 0 && histogram.states.keys().all(|state| test.condition.holds(state)),
        "{histogram:?}"
    );
    let endless = "C endless\n{}\nP0 (atomic_int* x) { int r0 = 0; while (r0 == 0) { r0 = atomic_load_explicit(x, memory_order_relaxed); } }\nexists (0:r0=0)";
    let (_, histogram) = run(endless, Layout::Line, 1);
    assert_eq!((histogram.runs(), histogram.unfinished > 0), (0, true));
    let (_, histogram) = run("C nothing\n{ x=5; }\nP0 (atomic_int* x) { }\nexists (x=5)", Layout::Line, 1);
    assert_eq!(histogram.states.keys().map(|state| ints(state)).collect::<Vec<_>>(), [[5]]);
}

#[test]
fn what_is_of_another_machine_is_refused() {
    let test = Test::parse("t", "AArch64 t\n{}\n P0 ;\n MOV W0,#1 ;\nexists (0:X0=1)").expect("a test");
    assert!(matches!(Program::new(&test), Err(Unrunnable::Architecture { .. })));
}

/// Every x86 has store buffers: a load overtakes the store before it, sooner or later.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "needs two idle cores"]
fn store_buffering() {
    let text = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
    let mut overtaken = 0;
    for layout in Layout::ALL {
        let begin = std::time::Instant::now();
        let (test, histogram) = run(text, layout, 300_000);
        let seen: u64 = histogram
            .states
            .iter()
            .filter(|(state, _)| test.condition.holds(state))
            .map(|(_, count)| count)
            .sum();
        eprintln!("{layout}: {seen} of {} in {:?}", histogram.runs(), begin.elapsed());
        overtaken += seen;
    }
    assert!(overtaken > 0);
}
