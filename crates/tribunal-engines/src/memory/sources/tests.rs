//! Locks, flags and counters.

use super::before::Rules;
use super::forced::forced;
use super::guess::guess;
use crate::memory::check;
use tribunal_history::memory::{Execution, Op, Order};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_verify as verify;

/// A lock that `threads` take in turn, each time to count to one more; thread i·i + i in turn i.
fn lock(handovers: u64, threads: u64) -> Execution {
    let mut b = Execution::builder();
    let ids: Vec<_> = (0..threads).map(|t| b.thread(&format!("T{t}"))).collect();
    let (l, x) = (b.location("l"), b.location("x"));
    for turn in 0..handovers {
        let thread = ids[((turn * turn + turn / 3) % threads) as usize];
        b.push(thread, Op::rmw(l, 0, 1).order(Order::Acquire));
        b.push(thread, Op::read(x, turn));
        b.push(thread, Op::write(x, turn + 1));
        b.push(thread, Op::write(l, 0).order(Order::Release));
    }
    b.build().expect("well-formed")
}

#[test]
fn a_machine_guesses_who_held_a_lock() {
    let x = lock(100, 4);
    for model in [Model::Sc, Model::Tso, Model::Rc20] {
        assert!(guess(&x, model, &Limits::default()).expect("no limit").is_some(), "{model}");
        let known = forced(x.clone(), Rules::of(model), &Limits::default()).expect("no limit");
        assert!(known.sources.len() > x.open().count() / 2, "{model}: {}", known.sources.len());
        assert!(guess(&known.x, model, &Limits::default()).expect("no limit").is_some(), "{model}, forced");
        let verdict = check(&x, model);
        assert!(verdict.is_consistent(), "{model}");
        assert_eq!(verify::verify(&x, model, &verdict), Ok(()));
    }
}
