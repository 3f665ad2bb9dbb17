//! That families are what they say.

use super::*;
use crate::hard::satisfiability::Reduction;
use crate::hard::{Formula, kernel, satisfiability as memory_of};
use crate::{Clients, Machine, execution};
use tribunal_engines::memory::check as check_memory;
use tribunal_engines::transactions::check;
use tribunal_history::model::Model;
use tribunal_history::transactions::{History, Level, Verdict};

fn satisfies(history: &History, level: &str) -> bool {
    let level: Level = level.parse().expect("a level");
    match check(history, level) {
        Verdict::Consistent(_) => true,
        Verdict::Inconsistent(_) => false,
        other => panic!("{level}: {other:?}"),
    }
}

#[test]
fn formulas_are_satisfiable_if_their_histories_satisfy_si_and_ser() {
    let mut found = [0, 0];
    for seed in 0..16 {
        let formula = Formula::random(3 + seed as u32 % 3, 6.0, seed).expect("enough variables");
        let history = satisfiability(&formula);
        let satisfiable = formula.solve().is_some();
        for level in ["ser", "session-si"] {
            assert_eq!(satisfies(&history, level), satisfiable, "{level}: {formula}");
        }
        assert!(satisfies(&history, "psi"), "{formula}");
        found[usize::from(satisfiable)] += 1;
    }
    assert!(found.iter().all(|&count| count > 3), "{found:?}");
}

#[test]
fn memories_are_as_consistent_as_their_transactions() {
    let formulas = (0..3).map(|seed| Formula::random(3, 5.0, seed).expect("enough variables"));
    let mut memories: Vec<_> = formulas.map(|f| memory_of::history(&f, Reduction::Guarded)).collect();
    memories.push(kernel::ring(2));
    memories.push(kernel::combinations(2, Some(0b10)));
    memories.push(kernel::combinations(2, None));
    for seed in 0..20 {
        let clients =
            Clients { threads: 3, events: 20, locations: 2, fences: 0.0, seed, ..Clients::default() };
        memories.push(execution(Machine::Tso, &clients).expect("clients that can run"));
    }
    let mut found = [0, 0];
    for memory in &memories {
        let history = of_memory(memory).expect("sources are known");
        let consistent = check_memory(memory, Model::Sc).is_consistent();
        assert_eq!(satisfies(&history, "session-ser"), consistent);
        // ccv says nothing of RMWs.
        if memory.features().rmws == 0 {
            assert_eq!(satisfies(&history, "tcc"), check_memory(memory, Model::Ccv).is_consistent());
        }
        found[usize::from(consistent)] += 1;
    }
    assert!(found.iter().all(|&count| count > 2), "{found:?}");
}

#[test]
fn workloads_satisfy_their_level_and_come_again() {
    let blind = BlindWrites { transactions: 500, keys: 200, ..BlindWrites::default() };
    assert!(satisfies(&blind.history(), "session-ser"));
    assert_eq!(format!("{:?}", blind.history()), format!("{:?}", blind.history()));
    let orders = Orders { transactions: 500, ..Orders::default() };
    assert!(satisfies(&orders.history(), "session-ser"));
    let appends = ListAppend { transactions: 2_000, ..ListAppend::default() };
    assert!(satisfies(&appends.history(), "strict-ser"));
    // One session, one list.
    let lone = ListAppend { sessions: 1, keys: 1, transactions: 50, ..ListAppend::default() };
    assert!(satisfies(&lone.history(), "strict-ser"));
    assert!(ListAppend { keys: 0, ..ListAppend::default() }.history().is_empty());
}
