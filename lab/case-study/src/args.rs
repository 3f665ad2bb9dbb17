//! The command line.

use crate::study::Study;
use tribunal_record::Stress;

/// What `--help` prints.
pub const HELP: &str = "\
Stress-tests public concurrent collections, method by method

Usage: cargo lab case-study [OPTIONS] [CRATE]...

Arguments:
  [CRATE]...  Only collections of these crates; `std` are those behind a lock

Options:
  --runs N        Runs of each collection [default: 100000]
  --threads N     Threads of a program [default: 2 or 3, as there are cores]
  --operations N  Most operations of a thread [default: 4]
  --seed N        Seed of the programs [default: 1]
  --write         Write what was found to docs/case-study.md and examples/case-study
  --control       Only test that collections behind a mutex are linearizable
  --help          Print this

Examples:
  cargo lab case-study dashmap moka
  cargo lab case-study --runs 200000 --write
  cargo lab case-study --control --runs 100000

Exit status: 0 if all was tested, 1 if a collection panicked or a control failed, 2 for bad usage.
";

/// What is asked.
pub struct Args {
    /// What to do.
    pub task: Task,
    /// How to test.
    pub stress: Stress,
    /// The crates to test; none: all.
    crates: Vec<String>,
}

/// What to do.
pub enum Task {
    /// Print the help.
    Help,
    /// Test collections behind a mutex.
    Control,
    /// Test the collections.
    Study {
        /// And write what was found.
        write: bool,
    },
}

impl Args {
    /// Reads the words of the command line.
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let stress = Stress { runs: 100_000, ..Stress::default() };
        let mut args = Args { task: Task::Study { write: false }, stress, crates: Vec::new() };
        while let Some(word) = words.next() {
            let mut number = || -> Result<usize, String> {
                let given = words.next().ok_or_else(|| format!("{word}: expected a number after it"))?;
                given.parse().map_err(|_| format!("{word}: expected a number, found `{given}`"))
            };
            match word.as_str() {
                "--runs" => args.stress.runs = number()?,
                "--threads" => args.stress.threads = number()?,
                "--operations" => args.stress.operations = number()?,
                "--seed" => args.stress.seed = number()? as u64,
                "--write" => args.task = Task::Study { write: true },
                "--control" => args.task = Task::Control,
                "--help" | "-h" => args.task = Task::Help,
                option if option.starts_with('-') => {
                    return Err(format!("{option}: no such option; see --help"));
                }
                name if crate::STUDIES.iter().any(|study| study.package == name) => args.crates.push(word),
                name => return Err(format!("{name}: no such crate in the study")),
            }
        }
        match args.task {
            Task::Study { write: true } if !args.crates.is_empty() => {
                Err("--write: expected no crates, since the table has all".into())
            }
            _ => Ok(args),
        }
    }

    /// Whether a collection is asked for.
    pub fn asks_for(&self, study: &Study) -> bool {
        self.crates.is_empty() || self.crates.iter().any(|name| name == study.package)
    }
}
