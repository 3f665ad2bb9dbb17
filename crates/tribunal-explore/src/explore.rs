//! Exploring Rust code.

use crate::environment;
use crate::failure::Replay;
use crate::failure::shrink;
use crate::options::{Checkpoint, Mode, Options};
use crate::program::{Place, Program};
use crate::report::{End, Failure, Problem, Report};
use crate::runtime::state::Needs;
use crate::runtime::{Main, RESTART, Rust, Settings, Substrate, is_inside};
use crate::search::search;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tribunal_engines::memory::session::NoSession;
use tribunal_history::model::Model;

/// Executions between two checkpoints, as in loom.
const INTERVAL: u64 = 20_000;

/// Explores every behavior of a closure, and panics if one fails.
///
/// The closure runs once per reads-from class, always from the beginning. It must be deterministic apart from what it reads from
/// [shared](crate::sync) memory.
///
/// ```
/// use tribunal_explore::{explore, sync::Arc, sync::atomic::{AtomicU32, Ordering::*}, thread};
/// explore(|| {
///     let x = Arc::new(AtomicU32::new(0));
///     let thread = { let x = x.clone(); thread::spawn(move || x.fetch_add(1, Relaxed)) };
///     x.fetch_add(1, Relaxed);
///     thread.join().unwrap();
///     assert_eq!(x.load(Relaxed), 2);
/// });
/// ```
///
/// # Panics
/// With the failure, if there is one.
#[track_caller]
pub fn explore(f: impl Fn() + Send + Sync + 'static) {
    Explorer::new().run(f);
}

/// An exploration of Rust code, with its options.
///
/// ```
/// use tribunal_explore::{Explorer, sync::atomic::{AtomicU32, Ordering::*}, thread};
/// let report = Explorer::new().threads(2).check(|| {
///     static X: AtomicU32 = AtomicU32::new(0);
///     thread::spawn(|| X.store(1, Relaxed));
///     X.load(Relaxed);
/// });
/// assert!(report.failure.is_none());
/// assert_eq!(report.executions, 2);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Explorer {
    pub(crate) options: Options,
    settings: Settings,
}

impl Explorer {
    /// All behaviors under the memory model of Rust and C++20, on one core.
    pub fn new() -> Self {
        Explorer::default()
    }

    /// With these options.
    pub fn with_options(options: Options) -> Self {
        Explorer { options, settings: Settings::default() }
    }

    /// The memory model; it must be supported by [sessions](tribunal_engines::memory::session).
    pub fn model(mut self, model: Model) -> Self {
        self.options.model = model;
        self
    }

    /// The number of cores to use, at least one.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Ends after so many executions.
    pub fn max_executions(mut self, executions: impl Into<Option<u64>>) -> Self {
        self.options.max_executions = executions.into();
        self
    }

    /// Ends after so long.
    pub fn max_duration(mut self, duration: impl Into<Option<Duration>>) -> Self {
        self.options.max_duration = duration.into();
        self
    }

    /// The maximum number of events; a longer execution fails.
    pub fn max_events(mut self, events: usize) -> Self {
        self.options.max_events = events;
        self
    }

    /// Explores only the executions that some schedule with at most so many preemptions has, see [`Options::max_preemptions`].
    pub fn max_preemptions(mut self, preemptions: impl Into<Option<usize>>) -> Self {
        self.options.max_preemptions = preemptions.into();
        self
    }

    /// Samples this many random executions.
    pub fn random(mut self, seed: u64, executions: u64) -> Self {
        self.options.mode = Mode::Random { seed, executions };
        self
    }

    /// Samples this many executions with random thread priorities that change `depth - 1` times.
    pub fn pct(mut self, seed: u64, executions: u64, depth: u32) -> Self {
        self.options.mode = Mode::Pct { seed, executions, depth };
        self
    }

    /// Treats non-atomic accesses as relaxed, and does not look for races.
    pub fn allow_races(mut self, allow: bool) -> Self {
        self.options.allow_races = allow;
        self
    }

    /// Called now and then with the progress.
    pub fn progress(mut self, progress: fn(&crate::Progress)) -> Self {
        self.options.progress = Some(progress);
        self
    }

    /// Of a failure, looks for so long for the models under which it goes away, and for orders that repair it.
    pub fn diagnose_for(mut self, patience: Duration) -> Self {
        self.settings.diagnosis = Some(patience);
        self
    }

    /// Ends when this is set.
    pub fn stop(mut self, stop: &'static AtomicBool) -> Self {
        self.options.stop = Some(stop);
        self
    }

    /// Keeps how far it is in a file, each so many executions and when it ends before all is explored, and goes on from there if the file is there. Only on one core; the
    /// program must be the same. If everything is explored, the file is removed.
    pub fn checkpoint(mut self, file: impl Into<PathBuf>, interval: u64) -> Self {
        self.options.checkpoint = Some(Checkpoint { file: file.into(), interval });
        self
    }

    /// Whether each operation of each execution is printed to standard error as it is done.
    pub fn trace(mut self, trace: bool) -> Self {
        self.settings.trace = trace;
        self
    }

    /// The stack size of threads (default 1 MiB); memory is committed as it is used.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.settings.stack_size = bytes;
        self
    }

    /// Explores code that is not Rust's; closures are not called.
    pub fn foreign(mut self, code: &'static crate::foreign::Foreign) -> Self {
        self.settings.foreign = Some(code);
        self
    }

    /// Sets what threads run on.
    pub fn substrate(mut self, substrate: Substrate) -> Self {
        self.settings.substrate = substrate;
        self
    }

    /// The number of times that each thread may wake up spuriously, or time out although another thread can go on, in an execution: `Condvar::wait` and `wait_timeout`, `park` and
    /// `park_timeout`, `Notify::wait`, `recv_timeout`. Default: never. When no thread can go on, waits time out as often as they have to.
    pub fn spurious(mut self, times: u32) -> Self {
        self.settings.behavior.spurious = times;
        self
    }

    /// Whether `compare_exchange_weak` may fail spuriously, as often as set by [`spurious`](Self::spurious).
    pub fn weak_failures(mut self, allow: bool) -> Self {
        self.settings.behavior.weak_failures = allow;
        self
    }

    /// Whether a panic ends only its thread, poisons the locks it holds, and is returned by `join`. Otherwise, and always for the main thread, it ends the
    /// execution as a failure.
    pub fn catch_panics(mut self, catch: bool) -> Self {
        self.settings.behavior.catch_panics = catch;
        self
    }

    /// Whether nothing is explored until the program calls [`control::explore`](crate::control::explore).
    pub fn expect_explicit_explore(mut self, expect: bool) -> Self {
        self.settings.behavior.explicit_explore = expect;
        self
    }

    /// Whether a panic poisons the locks that the thread holds, as in std but not in loom.
    pub fn poisoning(mut self, poisons: bool) -> Self {
        self.settings.behavior.forgives = !poisons;
        self
    }

    /// Called before the closure runs, each time, outside executions: to reset what executions must not share, say. The closure runs once per execution, and
    /// also for those that are blocked, begun again or minimized.
    pub fn before_each(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.settings.hooks.before = Some(Arc::new(hook));
        self
    }

    /// Called after the closure has run, each time, however that ended; see [`before_each`](Self::before_each).
    pub fn after_each(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.settings.hooks.after = Some(Arc::new(hook));
        self
    }

    /// The options of the search.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Explores a closure and returns a report.
    ///
    /// # Panics
    /// If sessions do not support the model, or the caller is itself being explored.
    #[track_caller]
    pub fn check(&self, f: impl Fn() + Send + Sync + 'static) -> Report {
        self.explore(&self.making(Arc::new(f)))
    }

    #[track_caller]
    pub(crate) fn explore(&self, make: &(impl Fn() -> Rust + Sync)) -> Report {
        assert!(!is_inside(), "`explore` cannot be called inside `explore`");
        match searched(make, drop, &self.options) {
            Ok((report, _)) => report,
            Err(error) => panic!("{error}"),
        }
    }

    /// Makes the program of a closure, again and again. What one of them finds that it needs, all have from then on.
    pub(crate) fn making(&self, main: Main) -> impl Fn() -> Rust + Sync + use<> {
        let (settings, needs): (Settings, Arc<Mutex<Needs>>) = (self.settings.clone(), Arc::default());
        move || Rust::with(main.clone(), &settings, needs.clone())
    }

    /// Explores a closure, and panics if a behavior fails. If a limit or a bound left executions out, it says so on standard error, in a line with an estimate of
    /// how many there are.
    ///
    /// # Panics
    /// With the [minimized](crate::failure::shrink) failure, if there is one; if it ended before a single execution was complete; and like [`check`](Self::check). The
    /// [environment](crate::environment) can request more output, or a single execution.
    #[track_caller]
    pub fn run(&self, f: impl Fn() + Send + Sync + 'static) -> Report {
        match self.try_run(f) {
            Ok(report) => report,
            // Not in a closure: the panic is at the place of the caller.
            Err(failed) => panic!("{}", failed.said),
        }
    }

    /// Like [`run`](Self::run), but returns the failure.
    ///
    /// # Errors
    /// The failure and its report.
    ///
    /// # Panics
    /// Like [`check`](Self::check).
    #[track_caller]
    pub fn try_run(&self, f: impl Fn() + Send + Sync + 'static) -> Result<Report, Box<Failed>> {
        let main: Main = Arc::new(f);
        let mut explorer = self.clone();
        // Foreign code shares the work among processes.
        if let Some(threads) = environment::threads().filter(|_| self.settings.foreign.is_none()) {
            explorer = explorer.threads(threads);
        }
        explorer.settings.trace |= environment::traces();
        if explorer.options.checkpoint.is_none()
            && let Some(file) = environment::checkpoint()
        {
            explorer = explorer.checkpoint(file, INTERVAL);
        }
        if let Some(execution) = environment::replay() {
            return explorer.run_again(&execution, main);
        }
        let make = explorer.making(main);
        let report = explorer.explore(&make);
        let Some(failure) = &report.failure else { return passed(report) };
        let small = shrink(make(), failure, &explorer.options);
        let small = small.map_or_else(|_| failure.clone(), |(small, _)| small);
        let said = match self.settings.diagnosis.or_else(environment::diagnose) {
            Some(patience) => {
                // At once, and past what captures the output of tests: the rest takes its time. Where nobody listens, the panic says it.
                let _ = writeln!(
                    std::io::stderr(),
                    "{small}\n\nTRIBUNAL_DIAGNOSE: looking for the cause for at most {} s",
                    patience.as_secs()
                );
                explorer.diagnosed(make, &small, patience)
            }
            None => small.to_string(),
        };
        let history = environment::write_history(&small).unwrap_or_default();
        let words = failure.loom_message();
        let said = format!("{said}{history}\nafter {} executions{words}", report.executions);
        Err(Box::new(Failed { failure: Some(small), said, report }))
    }

    /// Runs one execution as the environment asks for.
    #[track_caller]
    fn run_again(&self, execution: &Replay, main: Main) -> Result<Report, Box<Failed>> {
        let (guided, divergence) = self.replay(execution, move || main());
        let diverges = divergence.map_or(String::new(), |divergence| format!("\n{divergence}"));
        let (executions, blocked) = (u64::from(guided.complete), u64::from(!guided.complete));
        let events = guided.graph.events().len();
        let end = if guided.failure.is_some() { End::Failed } else { End::Sampled };
        let failure = guided.failure.clone();
        let duration = Duration::ZERO;
        let report = Report {
            executions,
            with_mo: None,
            blocked,
            outside: 0,
            events,
            end,
            estimate: None,
            failure,
            duration,
        };
        if let Some(failure) = guided.failure {
            let said = format!("{failure}\nin the execution of TRIBUNAL_REPLAY{diverges}");
            return Err(Box::new(Failed { failure: Some(failure), said, report }));
        }
        assert!(diverges.is_empty(), "the execution of TRIBUNAL_REPLAY does not fail{diverges}");
        Ok(report)
    }
}

/// An exploration that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The failure. None if there is no execution that fails, but not one was seen, or not all though all are
    /// [required](crate::environment).
    pub failure: Option<Failure>,
    /// The text that is said of it.
    pub said: String,
    /// The exploration.
    pub report: Report,
}

/// An exploration without a failure passes, unless it has shown nothing. If it did not see all, it says so: past the capture of test output, for a test that passes shows nothing else.
#[track_caller]
fn passed(report: Report) -> Result<Report, Box<Failed>> {
    let Some(line) = report.unfinished() else { return Ok(report) };
    let is_required = report.end != End::Complete && environment::requires_complete();
    if report.is_vacuous() || is_required {
        return Err(Box::new(Failed { failure: None, said: line, report }));
    }
    // Whoever closed standard error does not want to know.
    let _ = writeln!(std::io::stderr(), "{}: {line}", Place::caller());
    Ok(report)
}

impl Failure {
    /// loom's message for a race, which tests may look for, on its own line; otherwise empty.
    pub fn loom_message(&self) -> &'static str {
        let Problem::Race { first, second } = self.problem else { return "" };
        let [first, second] = [first, second].map(|id| self.graph.event(id));
        let name = first.loc().and_then(|loc| self.locations.get(loc.index()));
        let is_cell = name.is_some_and(|name| name.starts_with("UnsafeCell"));
        match (first.written.is_some() && second.written.is_some(), is_cell) {
            (true, true) => "\nCausality violation: Concurrent write accesses to `UnsafeCell`.",
            (false, true) => "\nCausality violation: Concurrent read and write accesses to `UnsafeCell`.",
            (_, false) => "\nCausality violation: Concurrent load and mut accesses.",
        }
    }
}

/// Explores a program, again if it turns out to need what was left out.
pub(crate) fn searched<P: Program, R: Send>(
    make: impl Fn() -> P + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
) -> Result<(Report, Vec<R>), NoSession> {
    loop {
        let (report, collected) = search(&make, &collect, options)?;
        if !report.failure.as_ref().is_some_and(is_restart) {
            return Ok((report, collected));
        }
    }
}

/// Whether the program needs what was left out.
pub(crate) fn is_restart(failure: &Failure) -> bool {
    matches!(&failure.problem, Problem::Misuse { message } if message == RESTART)
}
