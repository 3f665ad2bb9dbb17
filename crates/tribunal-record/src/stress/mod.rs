//! The stress runner: random clients of an object, run many times, and what their histories show.

mod case;
mod crew;
mod evidence;
mod profile;
mod program;

pub use evidence::Evidence;
pub use profile::{Guarantee, Profile};
pub use program::Program;

use crate::Random;
use crate::Subject;
use crate::order::MOST_OPERATIONS;
pub(crate) use case::Case;
use case::Seen;
use crew::Crew;
use program::Call;
use rustc_hash::FxHashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_history::object;
use tribunal_history::object::{Criterion, InvalidCall, Specification};

/// Once a criterion is broken, this many further runs look for a smaller example.
const FURTHER_RUNS: usize = 2000;
/// The smallest of this many runs that break a criterion is shown.
const EXAMPLES: usize = 16;

/// A test of an object: random programs, each run a number of times on new objects.
///
/// ```
/// use std::sync::atomic::{AtomicI64, Ordering};
/// use tribunal::object::{Criterion, specs};
/// use tribunal_record::{Outcome, Stress, object};
///
/// object! {
///     /// Reads, then writes: what others added between is lost.
///     struct Lossy(AtomicI64) as specs::Counter, new AtomicI64::new(0);
///     inc() = |n| {
///         let seen = n.load(Ordering::Relaxed);
///         std::hint::spin_loop();
///         n.store(seen + 1, Ordering::Relaxed)
///     };
///     get() = |n| n.load(Ordering::Relaxed);
/// }
///
/// let stress = Stress { runs: 20_000, ..Stress::default() };
/// let outcome = stress.seek::<Lossy>(&Criterion::Linearizable)?;
/// assert!(matches!(outcome, Outcome::Broken(..)));
/// # Ok::<(), tribunal_record::StressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stress {
    /// Runs in all.
    pub runs: usize,
    /// Threads of a program.
    pub threads: usize,
    /// The most calls of a thread; there is at least one.
    pub operations: usize,
    /// The number of times that a program is run before the next is drawn.
    pub repeats: usize,
    /// The seed of the programs. What they do is up to the machine, and another time.
    pub seed: u64,
}

impl Default for Stress {
    /// 10,000 runs, on as many threads as there are cores, but two or three; at most 4 calls a thread.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        Stress { runs: 10_000, threads: cores.clamp(2, 3), operations: 4, repeats: 50, seed: 1 }
    }
}

/// The reason why a test came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StressError {
    /// An option is 0.
    #[error("{option} must be at least 1")]
    Zero {
        /// The option.
        option: &'static str,
    },
    /// A program might be too long.
    #[error(
        "{threads} threads of {operations} operations are more than {MOST_OPERATIONS} operations in a run"
    )]
    TooLong {
        /// The threads asked for.
        threads: usize,
        /// The operations of each.
        operations: usize,
    },
    /// There is nothing to call.
    #[error("the object has no methods")]
    NoMethods,
    /// A call that the specification does not have.
    #[error("{call} does not fit the specification {spec}: {misfit}")]
    IllTyped {
        /// The call.
        call: String,
        /// The specification.
        spec: String,
        /// The reason.
        misfit: Box<InvalidCall>,
    },
    /// A call panicked.
    #[error(transparent)]
    Panicked(#[from] Box<Panicked>),
}

/// The numbers of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs.
    pub runs: usize,
    /// Different histories among them; each was judged once.
    pub distinct: usize,
    /// Runs with more than one order that agrees with what was seen.
    pub inexact: usize,
    /// Runs with too many such orders to look at all: they were not judged.
    pub uncertain: usize,
    /// Histories on which a limit was reached.
    pub undecided: usize,
    /// The time that it all took.
    pub elapsed: Duration,
}

/// The result of a test of one criterion.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// No run broke it.
    Held(Counts),
    /// A run broke it: the smallest of those that did.
    Broken(Box<Evidence>, Counts),
}

/// A call that panicked, with the program that led there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} of thread {thread} panicked: {message}\n{program}", program.threads[*thread][*call])]
pub struct Panicked {
    /// The program that was run.
    pub program: Program,
    /// The thread that panicked.
    pub thread: usize,
    /// Its call, from 0.
    pub call: usize,
    /// The message of the panic.
    pub message: String,
}

impl Stress {
    /// Looks for a run of an object that breaks a criterion.
    pub fn seek<S: Subject>(&self, criterion: &Criterion) -> Result<Outcome, StressError> {
        let spec = S::spec();
        let mut undecided = 0;
        let mut broken: Vec<Case> = Vec::new();
        let mut last_run = usize::MAX;
        let mut counts = self.drive::<S>(|case, runs| {
            match case.satisfies(&*spec, criterion) {
                Some(true) => {}
                Some(false) => {
                    last_run = last_run.min(runs + FURTHER_RUNS);
                    broken.push(case);
                }
                None => undecided += 1,
            }
            if runs >= last_run || broken.len() >= EXAMPLES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        counts.undecided = undecided;
        let evidence = broken.iter().filter_map(|case| Evidence::find(case, &*spec, criterion, |_, _| false));
        Ok(match evidence.min_by_key(|evidence| (evidence.orders, evidence.history.len())) {
            Some(evidence) => Outcome::Broken(Box::new(evidence), counts),
            None => Outcome::Held(counts),
        })
    }

    /// Runs programs and shows each history that is new, with the number of runs so far.
    fn drive<S: Subject>(
        &self,
        mut show: impl FnMut(Case, usize) -> ControlFlow<()>,
    ) -> Result<Counts, StressError> {
        let spec = S::spec();
        self.validate::<S>(&*spec)?;
        let begin = Instant::now();
        let mut rng = Random::new(self.seed);
        let mut counts = Counts::default();
        let mut known: FxHashSet<u64> = FxHashSet::default();
        std::thread::scope(|scope| {
            let crew: Crew<S> = Crew::new(scope, self.threads, self.seed);
            while counts.runs < self.runs {
                let program = Arc::new(Program::draw::<S>(self.threads, self.operations, &mut rng));
                program.calls().try_for_each(|(_, call)| typed_call(&*spec, call))?;
                let repeats = self.repeats.min(self.runs - counts.runs);
                for run in crew.run(&program, repeats).map_err(Box::new)? {
                    let seen = Seen::new(run);
                    let is_new = known.insert(seen.fingerprint(&program));
                    counts.runs += 1;
                    counts.distinct += usize::from(is_new);
                    counts.inexact += usize::from(seen.is_inexact());
                    counts.uncertain += usize::from(seen.is_uncertain());
                    let case = if is_new { seen.case(&program) } else { None };
                    if case.is_some_and(|case| show(case, counts.runs).is_break()) {
                        return Ok(());
                    }
                }
            }
            Ok::<(), StressError>(())
        })?;
        counts.elapsed = begin.elapsed();
        Ok(counts)
    }

    fn validate<S: Subject>(&self, spec: &dyn Specification) -> Result<(), StressError> {
        let options = [
            ("runs", self.runs),
            ("threads", self.threads),
            ("operations", self.operations),
            ("repeats", self.repeats),
        ];
        if let Some(&(option, _)) = options.iter().find(|(_, value)| *value == 0) {
            return Err(StressError::Zero { option });
        }
        if self.threads.saturating_mul(self.operations) > MOST_OPERATIONS {
            return Err(StressError::TooLong { threads: self.threads, operations: self.operations });
        }
        if S::METHODS.is_empty() {
            return Err(StressError::NoMethods);
        }
        // A method that no program calls for long is found out all the same.
        let mut rng = Random::new(self.seed);
        (0..S::METHODS.len()).try_for_each(|method| typed_call(spec, &Call::draw::<S>(method, &mut rng)))
    }
}

/// Whether a call has the types of the specification.
fn typed_call(spec: &dyn Specification, call: &Call) -> Result<(), StressError> {
    object::typed_call(spec, call.invocation()).map_err(|misfit| StressError::IllTyped {
        call: call.to_string(),
        spec: spec.name().into(),
        misfit: misfit.into(),
    })
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs, {} histories, {} inexact, {} uncertain, {} undecided, {:.1} s",
            self.runs,
            self.distinct,
            self.inexact,
            self.uncertain,
            self.undecided,
            self.elapsed.as_secs_f64()
        )
    }
}
