//! One wrong read in a long history: found, and explained by a certificate that holds.

use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Op};
use tribunal_history::{model::Model, verdict::Verdict};
use tribunal_machines::hard::{Mutation, mutate};
use tribunal_machines::{Clients, Machine, execution};
use tribunal_verify::verify;

#[test]
fn every_verdict_on_a_long_history_is_proved() {
    let clients =
        Clients { threads: 4, events: 40_000, rmws: 0.0, fences: 0.0, seed: 1, ..Clients::default() };
    for machine in [Machine::Atomic, Machine::Tso] {
        let history = execution(machine, &clients).expect("clients that can run");
        let mut inconsistent = 0;
        for seed in 0..4 {
            let history = mutate(&history, &Mutation { reads: 1, distance: 20, seed });
            for model in Model::ALL {
                let verdict = check(&history, model);
                assert!(!matches!(verdict, Verdict::Undecided(_)), "{machine:?}, seed {seed}, {model}");
                inconsistent += u32::from(verdict.is_inconsistent());
                let verified = verify(&history, model, &verdict);
                assert_eq!(verified, Ok(()), "{machine:?}, seed {seed}, {model}: {verdict:?}");
            }
        }
        assert!(inconsistent > 0, "{machine:?}: no wrong read was noticed");
    }
}

#[test]
fn a_thread_that_found_a_violation_waits_for_the_others() {
    // T0 reads x = 1, overwrites it, and reads 1 again, all within what a thread looks at in one go, and not the first; T1 has much more
    // to look at.
    let mut b = Execution::builder();
    let (t0, t1) = (b.thread("T0"), b.thread("T1"));
    let (x, y, z) = (b.location("x"), b.location("y"), b.location("z"));
    b.push(t0, Op::write(x, 1));
    (1..6_000).for_each(|value| {
        b.push(t0, Op::write(y, value));
    });
    for op in [Op::read(x, 1), Op::write(x, 2), Op::read(x, 1)] {
        b.push(t0, op);
    }
    (1..30_000).for_each(|value| {
        b.push(t1, Op::write(z, value));
    });
    let history = b.build().expect("every read has its write");
    for model in Model::ALL {
        let verdict = check(&history, model);
        assert!(verdict.is_inconsistent(), "{model}: {verdict:?}");
        assert_eq!(verify(&history, model, &verdict), Ok(()), "{model}: {verdict:?}");
    }
}
