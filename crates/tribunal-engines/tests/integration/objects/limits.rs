//! A search knows what it holds, and lists are decided by what reads tell.

use tribunal_engines::Engine;
use tribunal_engines::object::{check, judge_by};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::List;
use tribunal_history::object::{
    Builder, Criterion, History, Invocation, Kind, Signature, Spec, Value, Verdict,
};
use tribunal_history::verdict::Limit;
use tribunal_machines::objects::{Clients, Simulation};

/// A pile of pages, each of which takes a kilobyte.
struct Pages;

impl Spec for Pages {
    type State = Vec<[u64; 128]>;

    fn name(&self) -> &str {
        "pages"
    }

    fn signatures(&self) -> &[Signature] {
        const { &[Signature::new("push", &[Kind::Int], Kind::Null)] }
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(&state[..])
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        let number = call.args.first().and_then(Value::as_int)?;
        state.push([number as u64; 128]);
        Some(Value::Null)
    }
}

/// So many operations that overlap, of which the last cannot return what it does.
fn overlapping(operations: i64) -> History {
    let mut builder = Builder::default();
    let calls: Vec<_> = (0..operations)
        .map(|number| {
            let process = builder.process(&number.to_string());
            builder.call(process, "push", &[number.into()], number as u64)
        })
        .collect();
    for (number, call) in (0..).zip(calls) {
        let ret = if number + 1 == operations { Value::Int(1) } else { Value::Null };
        builder.ret(call, ret, (operations + number) as u64);
    }
    builder.build().expect("a history")
}

#[test]
fn states_count_as_memory() {
    let history = overlapping(7);
    let within = |max_memory| {
        let limits = Limits { max_memory, ..Limits::default() };
        judge_by(&history.typed(&Pages).expect("typed"), &Criterion::Linearizable, Engine::Search, &limits)
            .expect("an engine of the criterion")
            .0
    };
    assert!(matches!(within(4 << 20), Verdict::Undecided(Limit::Memory { .. })));
    assert!(within(usize::MAX).is_inconsistent());
}

/// Between two reads appends can have any order, and pending ones may take effect at any time: only looking ahead to the next
/// read keeps the search from trying them all.
#[test]
fn lists_are_decided_by_their_reads() {
    for seed in 0..3 {
        let clients = Clients { operations: 200, pending: 0.05, seed, ..Clients::default() };
        let history = Simulation::new("list", clients).history().expect("a list");
        assert!(
            check(&history.typed(&List).expect("typed"), &Criterion::Linearizable).is_consistent(),
            "seed {seed}"
        );
    }
}
