//! On random small programs the explorer finds the executions that there are, each once.
#![allow(missing_docs)]

mod brute_force;
mod found;
mod generate;

use brute_force::brute_force;
use found::found;
use generate::{Shape, program};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tribunal::Model;
use tribunal_explore::text::Source;
use tribunal_explore::{End, Options};

/// Explores random programs, and says which differ.
fn compare(model: Model, seeds: std::ops::Range<u64>, shape: Shape) {
    let (mut programs, mut executions, mut most) = (0, 0, 0);
    for seed in seeds {
        let text = program(seed, shape);
        let source = Source::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let code = Arc::new(source.compile(&[]).unwrap_or_else(|error| panic!("{error}\n{text}")));
        // Programs with very many executions prove nothing more.
        let Some(expected) = brute_force(&code, model) else { continue };
        let one = Options { model, allow_races: true, ..Options::default() };
        let (report, graphs) = found(&code, &one);
        assert_eq!(report.end, End::Complete, "seed {seed}, {model}: {:?}\n{text}", report.failure);
        for (graph, times) in &graphs {
            assert_eq!(*times, 1, "seed {seed}, {model}: an execution was explored again: {graph:?}\n{text}");
            assert!(expected.contains(graph), "seed {seed}, {model}: no execution: {graph:?}\n{text}");
        }
        for graph in &expected {
            assert!(graphs.contains_key(graph), "seed {seed}, {model}: left out: {graph:?}\n{text}");
        }
        assert_eq!(report.executions, expected.len() as u64, "seed {seed}, {model}\n{text}");
        let three = Options { threads: NonZeroUsize::new(3).expect("three"), ..one };
        if seed % 10 == 0 {
            let (shared, again) = found(&code, &three);
            let counts = (shared.executions, shared.blocked);
            assert_eq!(counts, (report.executions, report.blocked), "seed {seed}, {model}\n{text}");
            assert_eq!(again, graphs, "seed {seed}, {model}\n{text}");
        }
        programs += 1;
        executions += report.executions;
        most = most.max(report.executions);
    }
    println!("{model}: {programs} programs, {executions} executions, at most {most}");
}

#[test]
fn all_executions_are_found_once() {
    compare(Model::Rc20, 0..1400, Shape::Mixed);
}

#[test]
fn also_of_read_modify_writes() {
    compare(Model::Rc20, 10_000..10_400, Shape::Updates);
}

#[test]
fn also_of_sc_accesses_and_fences() {
    compare(Model::Rc20, 20_000..20_400, Shape::SeqCst);
}

#[test]
fn also_of_many_writes_to_one_location() {
    compare(Model::Rc20, 30_000..30_300, Shape::OneLocation);
}

#[test]
fn also_under_sc() {
    compare(Model::Sc, 40_000..40_300, Shape::Mixed);
}

#[test]
fn also_under_tso() {
    compare(Model::Tso, 50_000..50_300, Shape::Mixed);
}

#[test]
fn also_under_pso() {
    compare(Model::Pso, 60_000..60_300, Shape::Mixed);
}

#[test]
fn also_under_ra() {
    compare(Model::Ra, 70_000..70_300, Shape::Mixed);
}

#[test]
fn also_under_relaxed() {
    compare(Model::Relaxed, 80_000..80_300, Shape::Mixed);
}

#[test]
fn also_under_rc11() {
    compare(Model::Rc11, 90_000..90_300, Shape::Mixed);
}
