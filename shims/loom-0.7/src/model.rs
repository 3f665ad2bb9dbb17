//! Running a test.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tribunal_explore::failure::Replay;
use tribunal_explore::{Checkpoint, Explorer, Failure};

/// The path of `max_branches` unless it is said.
const MAX_BRANCHES: usize = 1_000;

/// Explores a closure with the options of the environment.
///
/// # Panics
/// With the failure, if there is one.
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(f);
}

/// How to explore.
#[derive(Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Does nothing: there is no limit on threads.
    pub max_threads: usize,
    /// An execution with more events fails. Only if it is not loom's 1,000, which counts otherwise. `LOOM_MAX_BRANCHES`
    pub max_branches: usize,
    /// Ends after so many executions. `LOOM_MAX_PERMUTATIONS`
    pub max_permutations: Option<usize>,
    /// Ends after so long. `LOOM_MAX_DURATION`, in seconds
    pub max_duration: Option<Duration>,
    /// Explores only the executions that some schedule with at most so many preemptions has. `LOOM_MAX_PREEMPTIONS`
    pub preemption_bound: Option<usize>,
    /// Where it is written how far the exploration is, to go on from there, or an execution that fails, which is then run again at first. `LOOM_CHECKPOINT_FILE`
    pub checkpoint_file: Option<PathBuf>,
    /// The executions after which it is written. `LOOM_CHECKPOINT_INTERVAL`
    pub checkpoint_interval: usize,
    /// Whether nothing is explored until [`explore`](crate::explore) is called.
    pub expect_explicit_explore: bool,
    /// Does nothing: places in the source are always told. `LOOM_LOCATION`
    pub location: bool,
    /// Whether it prints how many executions there were. `LOOM_LOG`; with `LOOM_LOG=trace`, each operation too
    pub log: bool,
}

/// A variable of the environment.
fn variable<T: FromStr<Err: Display>>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    match text.parse() {
        Ok(value) => Some(value),
        Err(error) => panic!("{name}={text}: {error}"),
    }
}

impl Builder {
    /// With the options of the environment.
    ///
    /// # Panics
    /// If a variable of the environment is not what it should be.
    pub fn new() -> Self {
        Builder {
            max_threads: crate::MAX_THREADS,
            max_branches: variable("LOOM_MAX_BRANCHES").unwrap_or(MAX_BRANCHES),
            max_permutations: variable("LOOM_MAX_PERMUTATIONS"),
            max_duration: variable("LOOM_MAX_DURATION").map(Duration::from_secs),
            preemption_bound: variable("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: variable("LOOM_CHECKPOINT_FILE"),
            checkpoint_interval: variable("LOOM_CHECKPOINT_INTERVAL").unwrap_or(20_000),
            expect_explicit_explore: false,
            location: variable::<String>("LOOM_LOCATION").is_some(),
            log: variable::<String>("LOOM_LOG").is_some(),
        }
    }

    /// Sets [`checkpoint_file`](Self::checkpoint_file).
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores a closure. If not all executions were explored, it says so on standard error.
    ///
    /// # Panics
    /// With the failure, if there is one, or if not a single execution was complete.
    #[track_caller]
    pub fn check<F>(&self, f: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let mut explorer = Explorer::new()
            .poisoning(false)
            .expect_explicit_explore(self.expect_explicit_explore)
            .max_executions(self.max_permutations.map(|most| most as u64))
            .max_duration(self.max_duration)
            .max_preemptions(self.preemption_bound)
            .trace(variable::<String>("LOOM_LOG").is_some_and(|log| log.contains("trace")));
        if let Some(file) = &self.checkpoint_file {
            explorer = explorer.checkpoint(file, self.checkpoint_interval as u64);
        }
        if self.max_branches != MAX_BRANCHES {
            explorer = explorer.max_events(self.max_branches);
        }
        let f = Arc::new(f);
        self.replay(&explorer, f.clone());
        let report = match explorer.try_run(move || f()) {
            Ok(report) => report,
            Err(failed) => {
                failed.failure.iter().for_each(|failure| self.keep(failure));
                panic!("{}", failed.said)
            }
        };
        if self.log {
            println!("Completed in {} iterations", report.executions);
            println!("blocked: {}; events: {}; time: {:?}", report.blocked, report.events, report.duration);
        }
    }
}

impl Builder {
    /// Runs the execution again that is kept in a file. It is only told of if it fails still.
    #[track_caller]
    fn replay<F>(&self, explorer: &Explorer, f: Arc<F>)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let Some(file) = self.checkpoint_file.as_ref().filter(|file| file.exists()) else { return };
        let name = file.display();
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        if text.starts_with(Checkpoint::HEAD) {
            return;
        }
        let execution: Replay = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (guided, divergence) = explorer.replay(&execution, move || f());
        if let Some(divergence) = divergence {
            println!("{name}: {divergence}");
        }
        if let Some(failure) = guided.failure {
            panic!("{failure}\nrun again from {name}{}", failure.loom_message());
        }
    }

    /// Keeps an execution that fails.
    #[track_caller]
    fn keep(&self, failure: &Failure) {
        if let Some(file) = &self.checkpoint_file
            && let Err(error) = std::fs::write(file, failure.replay_string())
        {
            println!("{}: {error}", file.display());
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}
