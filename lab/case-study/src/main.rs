//! Stress-tests public concurrent collections and says of each method: atomic, or which weak criterion it meets.

mod args;
mod controls;
mod files;
mod maps;
mod pause;
mod queues;
mod study;
mod table;

use args::{Args, Task};
use std::process::ExitCode;
use study::{STUDIES, Study};
use tribunal_history::object::Criterion;
use tribunal_record::{Outcome, Profile, Stress, StressError, Subject};
use tribunal_spec::Declared;

/// The specification in examples/case-study/ordered-map.spec.
fn ordered_map() -> Declared {
    declared(include_str!("../../../examples/case-study/ordered-map.spec"))
}

/// The specification in examples/case-study/sized-queue.spec.
fn sized_queue() -> Declared {
    declared(include_str!("../../../examples/case-study/sized-queue.spec"))
}

/// The specification in examples/case-study/bounded-queue.spec.
fn bounded_queue() -> Declared {
    declared(include_str!("../../../examples/case-study/bounded-queue.spec"))
}

fn declared(source: &str) -> Declared {
    Declared::parse(source, "examples/case-study").expect("a specification")
}

fn main() -> ExitCode {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let done = match args.task {
        Task::Help => {
            print!("{}", args::HELP);
            Ok(true)
        }
        Task::Control => control(&args.stress),
        Task::Study { write } => study(&args, write),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Tests the collections asked for, and writes files if that is asked too. Whether none panicked.
fn study(args: &Args, write: bool) -> Result<bool, String> {
    let mut calm = true;
    let mut studied: Vec<(&Study, Profile)> = Vec::new();
    for study in STUDIES.iter().filter(|study| args.asks_for(study)) {
        eprintln!("{} {}", study.package, study.object);
        match (study.profile)(&args.stress) {
            Ok(profile) => {
                eprintln!("  {}; {} not linearizable", profile.counts, profile.weak);
                studied.push((study, profile));
            }
            Err(StressError::Panicked(panicked)) => {
                calm = false;
                println!("{panicked}");
            }
            Err(invalid) => return Err(invalid.to_string()),
        }
    }
    print!("{}", table::table(&studied));
    for (study, profile) in &studied {
        print!("{}", table::details(study, profile));
    }
    if write {
        files::write(&studied, &args.stress).map_err(|error| error.to_string())?;
    }
    Ok(calm)
}

/// Tests collections behind a mutex, which must be linearizable. Whether they are.
fn control(stress: &Stress) -> Result<bool, String> {
    let fine = [
        one_control::<controls::MutexMap>("map", stress)?,
        one_control::<controls::MutexSet>("set", stress)?,
        one_control::<controls::MutexQueue>("queue", stress)?,
    ];
    Ok(fine.into_iter().all(|fine| fine))
}

fn one_control<S: Subject>(name: &str, stress: &Stress) -> Result<bool, String> {
    Ok(match stress.seek::<S>(&Criterion::Linearizable).map_err(|error| error.to_string())? {
        Outcome::Held(counts) => {
            println!("{name} behind a mutex: linearizable; {counts}");
            true
        }
        Outcome::Broken(evidence, counts) => {
            println!("{name} behind a mutex: {evidence}\n{counts}");
            false
        }
    })
}
