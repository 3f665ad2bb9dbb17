//! A checker that is kept takes no memory except for witnesses. By itself in its process: the allocator counts for all, and the harness
//! allocates, too, where another test ends.

#[path = "../../../tests/allocations.rs"]
mod allocations;

use allocations::peak_of;
use tribunal_engines::memory::Checker;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Verdict, Witness};
use tribunal_machines::{Clients, Machine, Mix, execution};

#[test]
fn a_checker_that_is_kept_takes_the_witness_alone() {
    let of = |machine, events, seed| {
        let clients = Clients {
            threads: 4,
            locations: 4,
            events,
            fences: 0.0,
            orders: Mix::only(Order::AcqRel),
            seed,
            ..Clients::default()
        };
        execution(machine, &clients).expect("clients that can run")
    };
    let cases = [
        (Machine::View, Model::Ra, 128),
        (Machine::View, Model::Rc20, 128),
        (Machine::View, Model::Relaxed, 30),
        (Machine::View, Model::Wra, 30),
        (Machine::Tso, Model::Coherence, 64),
        (Machine::Tso, Model::Tso, 20),
        (Machine::Atomic, Model::Sc, 20),
    ];
    for (machine, model, events) in cases {
        let mut checker = Checker::new(model);
        let histories: Vec<Execution> = (0..20).map(|seed| of(machine, events, seed)).collect();
        let mut room = |x: &Execution| {
            let (verdict, peak) = peak_of(|| checker.check(x));
            let witness = match verdict {
                Verdict::Consistent(Witness::Mo(mo)) => {
                    let writes: usize = x.locations().map(|loc| mo.of(loc).len()).sum();
                    4 * (writes + x.location_count() + 1)
                }
                Verdict::Consistent(Witness::History) => 0,
                other => panic!("{model}: {}", other.word()),
            };
            (peak, witness)
        };
        histories.iter().for_each(|x| {
            room(x);
        });
        for x in &histories {
            let (peak, witness) = room(x);
            assert_eq!(peak, witness, "{model}");
        }
    }
}
