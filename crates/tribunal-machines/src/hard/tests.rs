//! What the hard histories promise, by the library's word.

use super::satisfiability::{Reduction, history};
use super::triangles::{self, Graph};
use super::{Formula, Mutation, Threads, compose, drop_fences, kernel, mutants, mutate, weaken};
use crate::{Clients, Machine, execution};
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Op, Order};
use tribunal_history::model::Model;

#[test]
fn a_formula_is_satisfiable_or_its_history_inconsistent() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..30 {
        let formula = Formula::random(6, 5.5, seed).expect("enough variables");
        let satisfiable = formula.solve().is_some();
        *if satisfiable { &mut yes } else { &mut no } += 1;
        for reduction in Reduction::ALL {
            let x = history(&formula, reduction);
            for &model in reduction.models() {
                assert_eq!(
                    check(&x, model).is_consistent(),
                    satisfiable,
                    "{model}, {reduction:?}:\n{formula}"
                );
            }
        }
    }
    assert!(yes > 0 && no > 0, "{yes} satisfiable, {no} not");
}

#[test]
fn a_guard_behind_a_write_does_not_hold_under_tso() {
    let formula: Formula = "p cnf 1 2 \n 1 0 -1 0".parse().expect("a formula");
    assert!(check(&history(&formula, Reduction::Guarded), Model::Sc).is_inconsistent());
    assert!(check(&history(&formula, Reduction::Guarded), Model::Tso).is_consistent());
    assert!(check(&history(&formula, Reduction::Split), Model::Tso).is_inconsistent());
}

#[test]
fn the_kernel_is_hidden_from_saturation() {
    for locations in 2..6 {
        assert!(check(&kernel::ring(locations), Model::Wsc).is_consistent(), "{locations}");
        assert!(check(&kernel::ring(locations), Model::Sc).is_consistent(), "{locations}");
    }
    for pairs in 1..4 {
        for allowed in 0..1 << pairs {
            let x = kernel::combinations(pairs, Some(allowed));
            assert!(check(&x, Model::Sc).is_consistent(), "{pairs} pairs, {allowed:b}");
        }
        let x = kernel::combinations(pairs, None);
        assert!(check(&x, Model::Wsc).is_consistent(), "{pairs} pairs");
        assert!(check(&x, Model::Sc).is_inconsistent(), "{pairs} pairs");
    }
}

/// sc is broken and wsc does not see it.
fn hidden() -> Execution {
    let mut b = Execution::builder();
    let [x, y, z] = ["x", "y", "z"].map(|name| b.location(name));
    let threads = [
        [Op::write(y, 1), Op::write(x, 1), Op::read(z, 1)],
        [Op::write(y, 2), Op::read(x, 1), Op::read(z, 2)],
        [Op::write(z, 1), Op::write(x, 2), Op::read(y, 1)],
        [Op::write(z, 2), Op::read(x, 2), Op::read(y, 2)],
    ];
    for (t, ops) in threads.into_iter().enumerate() {
        let thread = b.thread(&format!("T{t}"));
        for op in ops {
            b.push(thread, op);
        }
    }
    b.build().expect("a valid history")
}

#[test]
fn a_composition_is_what_its_parts_are() {
    let clients = Clients { threads: 3, events: 40, locations: 2, fences: 0.0, ..Clients::default() };
    let valid = execution(Machine::Atomic, &clients).expect("valid clients");
    let hidden = hidden();
    for threads in [Threads::Own, Threads::Shared] {
        let good = compose(&[&valid; 5], threads);
        assert_eq!((good.len(), good.location_count()), (200, 10));
        assert!(Model::ALL.into_iter().all(|model| check(&good, model).is_consistent()));
        let bad = compose(&[&valid, &hidden, &valid], threads);
        assert!(check(&bad, Model::Wsc).is_consistent(), "{threads:?}");
        assert!(check(&bad, Model::Sc).is_inconsistent(), "{threads:?}");
    }
}

#[test]
fn mutants_are_mostly_inconsistent() {
    let clients = Clients { threads: 4, events: 200, locations: 4, ..Clients::default() };
    let valid = execution(Machine::Atomic, &clients).expect("valid clients");
    let mutant = |seed| mutate(&valid, &Mutation { reads: 2, distance: 10, seed });
    let broken = (0..20).filter(|&seed| check(&mutant(seed), Model::Sc).is_inconsistent()).count();
    assert!(broken >= 15, "{broken} of 20");
    let same = mutate(&valid, &Mutation { reads: 0, distance: 10, seed: 0 });
    assert!(valid.events().all(|e| valid.rf(e) == same.rf(e) && valid.label(e) == same.label(e)));
}

#[test]
fn each_mutant_has_one_redirected_read_more() {
    let clients = Clients { threads: 4, events: 100, locations: 4, ..Clients::default() };
    let valid = execution(Machine::Atomic, &clients).expect("valid clients");
    let redirected = |mutant: &Execution| valid.events().filter(|&e| valid.rf(e) != mutant.rf(e)).count();
    let counts: Vec<usize> = mutants(&valid, 10, 5).map(|mutant| redirected(&mutant)).collect();
    assert!(counts.len() > 10 && counts.iter().copied().eq(1..=counts.len()), "{counts:?}");
    for (reads, mutant) in (1..).zip(mutants(&valid, 10, 5)) {
        let same = mutate(&valid, &Mutation { reads, distance: 10, seed: 5 });
        assert!(valid.events().all(|e| same.rf(e) == mutant.rf(e)));
    }
}

/// What a model allows, it allows with fewer fences and weaker orders; what it forbids, it may come to allow.
#[test]
fn less_synchronization_allows_no_less() {
    for (machine, model) in
        [(Machine::View, Model::Rc20), (Machine::Tso, Model::Tso), (Machine::Pso, Model::Pso)]
    {
        for seed in 0..20 {
            let clients = Clients { events: 300, fences: 0.2, seed, ..Clients::default() };
            let valid = execution(machine, &clients).expect("valid clients");
            let mutant = weaken(&drop_fences(&valid, 0.5, seed), 0.5, seed);
            assert!(mutant.features().fences < valid.features().fences, "{machine}, {seed}");
            assert!(check(&mutant, model).is_consistent(), "{machine}, {seed}");
        }
    }
    let mut b = Execution::builder();
    let locations = ["x", "y"].map(|name| b.location(name));
    for (thread, [own, other]) in [("T0", locations), ("T1", [locations[1], locations[0]])] {
        let thread = b.thread(thread);
        for op in [Op::write(own, 1), Op::fence(Order::SeqCst), Op::read(other, 0)] {
            b.push(thread, op);
        }
    }
    let fenced = b.build().expect("store buffering with fences");
    assert!(check(&fenced, Model::Tso).is_inconsistent());
    assert!(check(&drop_fences(&fenced, 1.0, 0), Model::Tso).is_consistent());
    assert!(check(&weaken(&fenced, 1.0, 0), Model::Tso).is_consistent());
}

#[test]
fn triangles_are_inconsistencies() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..60 {
        let graph = Graph::random(9, 6 + (seed % 9) as u32, seed % 3 > 0, seed);
        let history = triangles::history(&graph);
        for model in [Model::Wra, Model::Ra, Model::Sra] {
            assert_eq!(check(&history, model).is_consistent(), !graph.has_triangle(), "{model}: {graph:?}");
        }
        *if graph.has_triangle() { &mut with } else { &mut without } += 1;
    }
    assert!(with > 10 && without > 10, "{with} with, {without} without");
}
