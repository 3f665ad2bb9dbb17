//! GenMC's own tests, built with ThreadSanitizer's instrumentation and explored as they are, beside the numbers that GenMC expects of itself.

mod build;
mod cache;
mod outcome;
mod rows;
mod run;
mod table;

use crate::{root, target_directory};
use build::{Compiler, Compilers};
use outcome::Outcome;
use rows::Row;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use table::Done;

/// What is to be run.
pub struct Options {
    /// A checkout of GenMC.
    tests: PathBuf,
    compilers: Vec<Compiler>,
    /// Only rows whose path or arguments contain it.
    only: Option<String>,
    jobs: usize,
    timeout: Duration,
    model: Model,
    /// The command `tribunal`.
    command: PathBuf,
    /// Where the table goes, row by row.
    table: Option<PathBuf>,
    /// Runs again what was run before.
    fresh: bool,
    /// Builds the tests and runs none.
    build: bool,
}

/// The model under which is explored, and with it the column that is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    Rc20,
    Sc,
}

impl Model {
    fn name(self) -> &'static str {
        match self {
            Model::Rc20 => "rc20",
            Model::Sc => "sc",
        }
    }
}

impl Options {
    /// From the arguments of the command.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut tests = None;
        let mut options = Options {
            tests: PathBuf::new(),
            compilers: vec![Compiler::Gcc],
            only: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            timeout: Duration::from_secs(60),
            model: Model::Rc20,
            command: root().join("target/release/tribunal"),
            table: None,
            fresh: false,
            build: false,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("error: {argument} needs a value"));
            match argument.as_str() {
                "--compiler" => {
                    options.compilers = match value()?.as_str() {
                        "gcc" => vec![Compiler::Gcc],
                        "clang" => vec![Compiler::Clang],
                        "both" => vec![Compiler::Gcc, Compiler::Clang],
                        other => return Err(format!("error: --compiler {other}: gcc, clang or both")),
                    }
                }
                "--only" => options.only = Some(value()?.clone()),
                "--jobs" => options.jobs = number(argument, value()?)?.max(1) as usize,
                "--timeout" => options.timeout = Duration::from_secs(number(argument, value()?)?),
                "--model" => {
                    options.model = match value()?.as_str() {
                        "rc20" => Model::Rc20,
                        "sc" => Model::Sc,
                        other => return Err(format!("error: --model {other}: rc20 or sc")),
                    }
                }
                "--command" => options.command = absolute(value()?)?,
                "--table" => options.table = Some(value()?.into()),
                "--fresh" => options.fresh = true,
                "--build" => options.build = true,
                other if tests.is_none() && !other.starts_with('-') => tests = Some(absolute(other)?),
                other => return Err(format!("error: genmc does not know {other}")),
            }
        }
        options.tests = tests.ok_or("error: genmc needs a checkout of GenMC, such as ../genmc")?;
        if !options.tests.join("include/genmc.h").is_file() {
            return Err(format!("error: {}: there is no include/genmc.h", options.tests.display()));
        }
        Ok(options)
    }
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("error: {option} {text}: a number is expected"))
}

fn absolute(path: impl AsRef<Path>) -> Result<PathBuf, String> {
    let path = path.as_ref();
    path.canonicalize().map_err(|error| format!("error: {}: {error}", path.display()))
}

/// Builds the tests, runs them, and prints what differs and what came of them all.
pub fn compare(options: &Options) -> Result<(), String> {
    let shared = std::env::var_os("TRIBUNAL_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let all = rows::read(&shared.join("programs/GENMC-TESTS.tsv"))?;
    let wanted = |row: &&Row| options.only.as_ref().is_none_or(|only| row.name().contains(only.as_str()));
    let rows: Vec<&Row> = all.iter().filter(|row| row.is_run_by_genmc).filter(wanted).collect();
    let home = target_directory()?.join("genmc");
    let compilers = Compilers::new(&options.tests, &home)?;
    let runner = run::Runner::new(options, &home)?;
    run::watch_for_interrupts();
    let pairs: Vec<(&Row, Compiler)> =
        options.compilers.iter().flat_map(|&compiler| rows.iter().map(move |&row| (row, compiler))).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(&(row, compiler)) = pairs.get(next.fetch_add(1, Relaxed)) {
                    let Some(outcome) = one(row, compiler, options, &compilers, &runner) else { break };
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push(Done { row, compiler, outcome });
                    let Done { outcome, .. } = &done[done.len() - 1];
                    eprintln!("{}/{} {compiler} {}: {outcome}", done.len(), pairs.len(), row.name());
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|done| (done.compiler, done.row.number));
    if done.len() < pairs.len() {
        println!("stopped: {} of {} are done\n", done.len(), pairs.len());
    }
    if let Some(file) = &options.table {
        let failed = |error| format!("error: {}: {error}", file.display());
        std::fs::write(file, table::tsv(&done, options.model)).map_err(failed)?;
    }
    print!("{}", table::summary(&done, options.model));
    Ok(())
}

/// What comes of a row with a compiler; nothing if it was interrupted.
fn one(
    row: &Row,
    compiler: Compiler,
    options: &Options,
    compilers: &Compilers,
    runner: &run::Runner,
) -> Option<Outcome> {
    let program = match compilers.build(compiler, row) {
        Ok(program) => program,
        Err(_) if run::interrupted() => return None,
        Err(why) => return Some(Outcome::NotBuilt(why)),
    };
    if options.build {
        return Some(Outcome::Built);
    }
    runner.run(row, &program).map(Outcome::of)
}
