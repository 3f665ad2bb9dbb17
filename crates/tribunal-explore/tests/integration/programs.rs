//! Every program of programs/ does what it says is expected of it.

use crate::collection::programs;
use std::fmt::Write;
use std::time::Instant;
use tribunal_explore::Options;
use tribunal_explore::text::{Case, explore};

/// Cases with more executions than this are left to `--ignored`.
const QUICK: u64 = 10_000;

/// What is not as expected in the cases that are chosen.
fn wrong(chosen: impl Fn(&Case) -> bool) -> String {
    let mut wrong = String::new();
    for (path, source) in programs() {
        let cases = source.cases().unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        assert!(!cases.is_empty(), "{} expects nothing", path.display());
        for case in cases.iter().filter(|case| chosen(case)) {
            let code = source.compile(&case.settings).expect("a program");
            let options = Options { model: case.model, ..Options::default() };
            let begin = Instant::now();
            let exploration = explore(code, &options).expect("final values");
            let name = format!("{}:{}", path.display(), case.line);
            println!("{name}: {} executions in {:?}", exploration.report.executions, begin.elapsed());
            for mismatch in case.mismatches(&exploration) {
                writeln!(wrong, "{name}: {mismatch}").expect("a string");
            }
            for missing in &exploration.outcomes.missing {
                writeln!(wrong, "{name}: no outcome satisfies: {missing}").expect("a string");
            }
        }
    }
    wrong
}

#[test]
fn every_program_does_what_it_expects() {
    let wrong = wrong(|case| case.executions().is_none_or(|executions| executions <= QUICK));
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
#[ignore = "takes a while unless optimized"]
fn so_do_the_large_ones() {
    let wrong = wrong(|case| case.executions().is_some_and(|executions| executions > QUICK));
    assert!(wrong.is_empty(), "\n{wrong}");
}
