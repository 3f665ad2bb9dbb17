//! Workers that share what is to be tried.

use super::checkpoint::{Counts, Keeper, Kept, Stands};
use super::guide::{Guide, Random};
use super::memory::Memory;
use super::preemptions::Bound;
use super::probe::Probes;
use super::revisit::{Item, Path, Try};
use super::run::{LONGEST_EXACT, Outcome, Worker};
use super::stale::Stale;
use super::threads::Threads;
use crate::graph::Graph;
use crate::options::{Mode, Options, Progress};
use crate::program::{Fork, Place, Program};
use crate::report::{End, Estimate, Failure, Guided, Problem, Report};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, ThreadId};

/// How often progress is told.
const TELLING: Duration = Duration::from_millis(200);

/// Executions before the first probe, and for each one that a probe runs.
const BEFORE_PROBES: u64 = 256;
const PER_PROBE: u64 = 16;

/// Probes behind a search that was not ended by time, unless they take longer than this: the first ones, and more.
const LAST_PROBES: u64 = 16;
const LAST: [Duration; 2] = [Duration::from_millis(1000), Duration::from_millis(50)];

/// What workers share.
struct Shared {
    start: Instant,
    limits: Limits<'static>,
    executions: AtomicU64,
    /// Those with mo.
    with_mo: AtomicU64,
    blocked: AtomicU64,
    /// Complete executions with too many preemptions.
    outside: AtomicU64,
    events: AtomicUsize,
    /// Workers that have nothing to do, read without the lock as a hint.
    hungry: AtomicUsize,
    over: AtomicBool,
    bound: Arc<Bound>,
    /// Executions were left out because the program does not explore them.
    skipped: AtomicBool,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// To be done by whoever has nothing.
    items: Vec<Item>,
    /// What need not be done, unless what lets it go on [turns up](super::stale).
    stale: Vec<(Item, Stale)>,
    idle: usize,
    /// How it ended, if not by completion.
    end: Option<End>,
    failure: Option<(Arc<Path>, Failure)>,
    /// A failure that a probe met.
    met: Option<Failure>,
    /// How many executions there are, and how many within the bound.
    all: Option<Estimate>,
    within: Option<Estimate>,
    /// When progress was last told.
    told: Option<Instant>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many executions were run.
    fn runs(&self) -> u64 {
        [&self.executions, &self.blocked, &self.outside].iter().map(|count| count.load(Relaxed)).sum()
    }

    /// What a checkpoint keeps.
    fn counts(&self, skipped: bool) -> Counts {
        let [executions, blocked, outside, with_mo] =
            [&self.executions, &self.blocked, &self.outside, &self.with_mo].map(|count| count.load(Relaxed));
        [executions, blocked, outside, u64::from(self.bound.has_left_out()), u64::from(skipped), with_mo]
    }

    /// What it has kept.
    fn count_on_from(&self, [executions, blocked, outside, .., with_mo]: Counts) {
        self.executions.store(executions, Relaxed);
        self.blocked.store(blocked, Relaxed);
        self.outside.store(outside, Relaxed);
        self.with_mo.store(with_mo, Relaxed);
    }

    /// Whether something was left out, and nothing failed.
    fn is_unfinished(&self) -> bool {
        let state = self.lock();
        state.failure.is_none() && (state.end.is_some() || self.bound.has_left_out())
    }

    fn stop(&self, end: End) {
        let mut state = self.lock();
        state.end.get_or_insert(end);
        self.end_all(state);
    }

    /// Lets all workers end. With the lock, so that none that has just looked whether it is over begins to wait.
    fn end_all(&self, state: MutexGuard<'_, State>) {
        self.over.store(true, Relaxed);
        drop(state);
        self.wake.notify_all();
    }
}

/// A worker, which lets the others end if it panics.
struct Working<'a>(&'a Shared);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end_all(self.0.lock());
        }
    }
}

pub(super) fn explore<P: Program, M: Memory, R: Send>(
    make: impl Fn() -> (P, M) + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
) -> (Report, Vec<R>) {
    let (start, limits) = (Instant::now(), options.limits());
    let bound = Arc::default();
    loop {
        let (report, collected) = explore_once(&make, &collect, options, (start, limits), &bound);
        if !bound.begin_again() || report.end != End::Bounded {
            return (report, collected);
        }
    }
}

fn explore_once<P: Program, M: Memory, R: Send>(
    make: impl Fn() -> (P, M) + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
    (start, limits): (Instant, Limits<'static>),
    bound: &Arc<Bound>,
) -> (Report, Vec<R>) {
    let shared = Shared {
        start,
        limits,
        executions: AtomicU64::new(0),
        with_mo: AtomicU64::new(0),
        blocked: AtomicU64::new(0),
        outside: AtomicU64::new(0),
        events: AtomicUsize::new(0),
        hungry: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        bound: bound.clone(),
        skipped: AtomicBool::new(false),
        state: Mutex::default(),
        wake: Condvar::new(),
    };
    let threads = Threads::new();
    let count = options.threads.get();
    let work = |number: usize, threads: Threads| {
        let _working = Working(&shared);
        let (program, memory) = make();
        let mut worker = Worker::new(program, memory, options, shared.limits, threads);
        worker.bound = shared.bound.clone();
        match options.mode {
            Mode::Exhaustive => exhaust(&mut worker, number, count, options, &shared),
            _ => sample(&mut worker, number, count, options, &shared),
        }
        shared.skipped.fetch_or(worker.skipped, Relaxed);
        collect(worker.program)
    };
    let collected: Vec<R> = match count {
        1 => vec![work(0, threads.share())],
        _ => std::thread::scope(|scope| {
            let workers: Vec<_> = (0..count)
                .map(|number| {
                    let (work, threads) = (&work, threads.share());
                    scope.spawn(move || work(number, threads))
                })
                .collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().map(join).collect()
        }),
    };
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failure = state.failure.map(|(_, failure)| failure).or(state.met);
    let end = match (&failure, state.end) {
        (Some(_), _) => End::Failed,
        (None, Some(end)) => end,
        (None, None) if options.mode != Mode::Exhaustive => End::Sampled,
        (None, None) if shared.bound.has_left_out() => End::Bounded,
        (None, None) if shared.skipped.load(Relaxed) => End::Skipped,
        (None, None) => End::Complete,
    };
    let executions = shared.executions.into_inner();
    let is_over = matches!(end, End::Complete | End::Failed);
    let estimate = state.all.filter(|_| !is_over);
    let report = Report {
        executions,
        with_mo: options.counts_mo().then(|| shared.with_mo.into_inner()),
        blocked: shared.blocked.into_inner(),
        outside: shared.outside.into_inner(),
        estimate,
        events: shared.events.into_inner(),
        end,
        failure,
        duration: shared.start.elapsed(),
    };
    (report, collected)
}

/// Explores every execution, with others.
fn exhaust<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    number: usize,
    workers: usize,
    options: &Options,
    shared: &Shared,
) {
    let mut items: Vec<Item> = Vec::new();
    let mut probes = (number == 0 && may_end_early(options)).then(Probes::new);
    let mut keeper = options.checkpoint.as_ref().filter(|_| workers == 1).map(Keeper::new);
    let mut current = Arc::new(Path::default());
    if number == 0 {
        let kept = keeper.as_mut().and_then(Keeper::kept);
        let gone_on = kept.is_some_and(|kept| go_on_from(&kept, worker, &mut items, options, shared));
        if !gone_on {
            conclude(worker, &current, &mut items, options, shared);
        } else if shared.over.load(Relaxed) {
            // It is no further than it was.
            keeper = None;
        }
    }
    while let Some(mut item) = items.pop().or_else(|| take(worker, shared, workers)) {
        if workers == 1 && !items.is_empty() {
            match worker.program.fork() {
                Fork::Alone => {}
                // The oldest has the most behind it.
                Fork::Parent => _ = items.remove(0),
                Fork::Child => {
                    item = items.swap_remove(0);
                    items.clear();
                    probes = None;
                    shared.count_on_from(Counts::default());
                }
            }
        }
        if shared.over.load(Relaxed) {
            items.push(item);
            break;
        }
        if workers > 1 && shared.hungry.load(Relaxed) > 0 && !items.is_empty() {
            // The oldest has the most behind it.
            let given = items.remove(0);
            shared.lock().items.push(given);
            shared.wake.notify_one();
        }
        if let Some(keeper) = keeper.as_mut().filter(|keeper| keeper.is_due(shared.runs())) {
            keeper.keep(&item.path, shared.counts(worker.skipped));
        }
        current = item.path.clone();
        let late = |state: &State| state.failure.as_ref().is_some_and(|(path, _)| !item.path.is_before(path));
        if workers > 1 && late(&shared.lock()) {
            continue;
        }
        if let Some(probes) = &mut probes
            && probes.cost().saturating_mul(PER_PROBE).saturating_add(BEFORE_PROBES) < shared.runs()
        {
            probe(worker, probes, shared);
        }
        worker.todo.clear();
        let installed = worker.install(&item.trace, item.attempt);
        let outside = installed && options.max_preemptions.is_some_and(|most| !worker.may_come_within(most));
        if let Some(limit) = worker.look_at_limits() {
            shared.stop(limit.into());
            break;
        }
        if outside {
            shared.bound.leave_out();
        } else if installed {
            conclude(worker, &item.path, &mut items, options, shared);
        }
    }
    if let Some(keeper) = &mut keeper {
        let end = shared.lock().end;
        let next = if end == Some(End::MaxExecutions) {
            items.last().map(|item| &item.path)
        } else {
            Some(&current)
        };
        match (end, next) {
            (Some(_), Some(next)) => keeper.keep(next, shared.counts(worker.skipped)),
            _ => keeper.finish(),
        }
    }
    if let Some(mut probes) = probes
        && shared.is_unfinished()
    {
        let start = Instant::now();
        let longest = |probes: &Probes| LAST[usize::from(probes.all(0).is_some())];
        while probes.count() < LAST_PROBES
            && start.elapsed() < longest(&probes)
            && worker.look_at_limits().is_none()
        {
            probe(worker, &mut probes, shared);
        }
    }
}

/// Goes to where a search was. What leads there is run again, and does not count twice; what is done is dropped. False if there is no such place, as in another program: then all is as before.
fn go_on_from<P: Program, M: Memory>(
    kept: &Kept,
    worker: &mut Worker<'_, P, M>,
    items: &mut Vec<Item>,
    options: &Options,
    shared: &Shared,
) -> bool {
    let options = Options { max_executions: None, ..options.clone() };
    let mut found = false;
    if !kept.steps.is_empty() {
        conclude(worker, &Arc::default(), items, &options, shared);
        while let Some(item) = items.pop() {
            match kept.of(&item) {
                _ if shared.over.load(Relaxed) => {
                    shared.count_on_from(kept.counts);
                    return true;
                }
                Stands::Before => {}
                Stands::Above => {
                    worker.todo.clear();
                    if worker.install(&item.trace, item.attempt) {
                        conclude(worker, &item.path, items, &options, shared);
                    }
                }
                Stands::There => {
                    items.push(item);
                    found = true;
                    break;
                }
                Stands::Behind => break,
            }
        }
    }
    let counts = if found { kept.counts } else { Counts::default() };
    shared.count_on_from(counts);
    let [.., left_out, skipped, _] = counts;
    worker.skipped = skipped > 0;
    if left_out > 0 {
        shared.bound.leave_out();
    }
    if !found {
        items.clear();
        worker.todo.clear();
        worker.truncate(0);
    }
    found
}

/// Whether an exploration may end before all is seen, or somebody wants to know how far it is.
fn may_end_early(options: &Options) -> bool {
    options.max_executions.is_some()
        || options.max_duration.is_some()
        || options.max_preemptions.is_some()
        || options.max_memory < usize::MAX
        || options.stop.is_some()
        || options.progress.is_some()
}

/// One more look at how many executions there are.
fn probe<P: Program, M: Memory>(worker: &mut Worker<'_, P, M>, probes: &mut Probes, shared: &Shared) {
    let met = probes.step(worker);
    let (executions, outside) = (shared.executions.load(Relaxed), shared.outside.load(Relaxed));
    let mut state = shared.lock();
    (state.all, state.within) = (probes.all(executions + outside), probes.within(executions));
    if let (None, Some(Outcome::Failed { problem, place, thread })) = (&state.met, met) {
        state.met = Some(failure(worker, problem, place, thread));
    }
}

/// Waits for something to do. None if everything is done.
fn take<P: Program, M: Memory>(worker: &Worker<'_, P, M>, shared: &Shared, workers: usize) -> Option<Item> {
    let mut state = shared.lock();
    state.idle += 1;
    shared.hungry.store(state.idle, Relaxed);
    loop {
        if shared.over.load(Relaxed) {
            return None;
        }
        if let Some(item) = state.items.pop() {
            state.idle -= 1;
            shared.hungry.store(state.idle, Relaxed);
            return Some(item);
        }
        if state.idle == workers && state.failure.is_none() {
            let state = &mut *state;
            let again = state.stale.extract_if(.., |(item, stale)| worker.is_to_go_on(&item.trace, stale));
            state.items.extend(again.map(|(item, _)| item));
            state.items.sort_by(|a, b| b.order(a));
            if !state.items.is_empty() {
                shared.blocked.fetch_sub(state.items.len() as u64, Relaxed);
                shared.wake.notify_all();
                continue;
            }
        }
        if state.idle == workers {
            shared.end_all(state);
            return None;
        }
        state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Runs what is installed to its end, and on from there if it is blocked and a thread can be [freed](Worker::free); adds what it found.
fn conclude<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    path: &Arc<Path>,
    items: &mut Vec<Item>,
    options: &Options,
    shared: &Shared,
) {
    let mut path = path.clone();
    if worker.frees {
        // There is nothing to run before that.
        let tries = std::mem::take(&mut worker.todo);
        add(items, &Arc::new(worker.graph.clone()), &path, tries);
        return;
    }
    let mut outcome = worker.run();
    loop {
        shared.events.fetch_max(worker.graph.len(), Relaxed);
        let blocked = matches!(outcome, Outcome::Blocked | Outcome::Freed);
        let stale = match &outcome {
            Outcome::Stale(stale) if !stale.is_final() => Some(stale.clone()),
            _ => None,
        };
        let may_go_on = !worker.todo.is_empty() || stale.is_some();
        let trace = may_go_on.then(|| Arc::new(worker.graph.clone()));
        let mut tries = std::mem::take(&mut worker.todo);
        let freed = match &trace {
            Some(trace) if blocked => free(worker, trace, &mut tries, options, shared),
            _ => None,
        };
        if freed.is_none()
            && let Some(failure) = count(worker, outcome, options, shared)
        {
            let mut state = shared.lock();
            if state.failure.as_ref().is_none_or(|(first, _)| path.is_before(first)) {
                state.failure = Some((path, failure));
            }
            drop(state);
            if options.threads.get() == 1 {
                shared.stop(End::Failed);
            }
            return;
        }
        tell(options, shared);
        if let Some(trace) = trace {
            if let Some(stale) = stale {
                let path = Path::child(&path, tries.len() as u32);
                let item = Item { trace: trace.clone(), attempt: Try::GoOn, path };
                shared.lock().stale.push((item, stale));
            }
            add(items, &trace, &path, tries);
        }
        let Some(found) = freed else { return };
        path = Path::child(&path, found);
        outcome = worker.run_to_the_end(Ok(()));
    }
}

/// Adds what a run found to what is to be tried.
fn add(items: &mut Vec<Item>, trace: &Arc<Graph>, path: &Arc<Path>, tries: Vec<Try>) {
    items.extend(tries.into_iter().enumerate().map(|(found, attempt)| {
        let path = Path::child(path, found as u32);
        Item { trace: trace.clone(), attempt, path }
    }));
}

/// Frees a thread of a blocked run by the last of its tries: that is the one that would be done next. Says which of them it was. Tries that lead nowhere are dropped.
fn free<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    trace: &Graph,
    tries: &mut Vec<Try>,
    options: &Options,
    shared: &Shared,
) -> Option<u32> {
    while let Some(&attempt) = tries.last() {
        let freed = worker.free(trace, attempt)?;
        tries.pop();
        if !freed {
            worker.todo.clear();
        } else if options.max_preemptions.is_none_or(|most| worker.may_come_within(most)) {
            return Some(tries.len() as u32);
        } else {
            shared.bound.leave_out();
            worker.todo.clear();
        }
    }
    None
}

/// Tells how far it is, a few times a second.
fn tell(options: &Options, shared: &Shared) {
    let Some(progress) = options.progress else { return };
    let mut state = shared.lock();
    let now = Instant::now();
    if state.told.is_some_and(|told| now.duration_since(told) < TELLING) {
        return;
    }
    state.told = Some(now);
    let executions = shared.executions.load(Relaxed);
    let estimate = state.within;
    drop(state);
    progress(&Progress {
        executions,
        blocked: shared.blocked.load(Relaxed),
        estimate,
        elapsed: shared.start.elapsed(),
    });
}

/// Counts an execution, and ends it all if a limit is reached. Gives the failure, if it failed.
fn count<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    outcome: Outcome,
    options: &Options,
    shared: &Shared,
) -> Option<Failure> {
    match outcome {
        Outcome::Complete => {
            if options.counts_mo() {
                let mos = worker.memory.count_mo(&worker.graph, &shared.limits);
                shared.with_mo.fetch_add(mos, Relaxed);
            }
            let executions = shared.executions.fetch_add(1, Relaxed) + 1;
            if options.max_executions.is_some_and(|most| executions >= most) {
                shared.stop(End::MaxExecutions);
            }
        }
        Outcome::Cut(limit) => shared.stop(limit.into()),
        Outcome::Outside => {
            shared.outside.fetch_add(1, Relaxed);
            shared.bound.leave_out();
        }
        Outcome::Continued => {}
        // It was not gone on with in place.
        Outcome::Blocked | Outcome::Elsewhere | Outcome::Freed | Outcome::Stale(_) => {
            shared.blocked.fetch_add(1, Relaxed);
        }
        Outcome::Failed { problem, place, thread } => return Some(failure(worker, problem, place, thread)),
    }
    None
}

fn failure<P: Program, M: Memory>(
    worker: &Worker<'_, P, M>,
    problem: Problem,
    place: Place,
    thread: Option<ThreadId>,
) -> Failure {
    let mut graph: Graph = worker.graph.clone();
    if let (Problem::Race { .. }, Some(racing)) = (&problem, &worker.racing) {
        graph.push(racing.clone());
    }
    let program = &worker.program;
    let numbers = |most: Option<usize>| 0..most.map_or(0, |most| most + 1);
    // Who failed need not have done anything before.
    let threads = graph.events().iter().map(|event| event.thread).chain(thread).map(ThreadId::index).max();
    let locs = graph.events().iter().filter_map(|event| event.action.loc()).map(LocId::index).max();
    let threads = numbers(threads)
        .map(|number| {
            let name = program.thread_name(ThreadId::from_index(number));
            name.unwrap_or_else(|| if number == 0 { "main".into() } else { format!("T{number}") })
        })
        .collect();
    let locations = numbers(locs)
        .map(|number| {
            program.location_name(LocId::from_index(number)).unwrap_or_else(|| format!("x{number}"))
        })
        .collect();
    Failure { problem, place, thread, graph, threads, locations }
}

/// Makes random executions, a share of them.
fn sample<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    number: usize,
    workers: usize,
    options: &Options,
    shared: &Shared,
) {
    let (seed, executions, depth) = match options.mode {
        Mode::Exhaustive => return,
        Mode::Random { seed, executions } => (seed, executions, None),
        Mode::Pct { seed, executions, depth } => (seed, executions, Some(depth)),
    };
    let mut length = 64;
    (worker.samples, worker.gives_up) = (true, true);
    for execution in (number as u64..executions).step_by(workers) {
        if shared.over.load(Relaxed) {
            return;
        }
        let seed = seed ^ execution.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let seed = tribunal_random::Random::new(seed).bits();
        let guide = || match depth {
            None => Random::uniform(seed),
            Some(depth) => Random::priorities(seed, depth, length),
        };
        let mut outcome = draw(worker, guide());
        if worker.gave_up {
            // Executions of this program are long: from now on they commit themselves from the start.
            (worker.gives_up, worker.gave_up) = (false, false);
            outcome = draw(worker, guide());
        }
        length = worker.graph.len().max(2);
        shared.events.fetch_max(worker.graph.len(), Relaxed);
        if let Some(failure) = count(worker, outcome, options, shared) {
            let path = Path::child(&Arc::default(), (executions - execution) as u32);
            let mut state = shared.lock();
            if state.failure.as_ref().is_none_or(|(first, _)| path.is_before(first)) {
                state.failure = Some((path, failure));
            }
            drop(state);
            shared.stop(End::Failed);
        }
    }
}

/// Makes one random execution.
fn draw<P: Program, M: Memory>(worker: &mut Worker<'_, P, M>, guide: Random) -> Outcome {
    worker.guide = Some(Box::new(guide));
    worker.truncate(0);
    worker.memory.sample(!worker.gives_up);
    worker.run()
}

pub(super) fn guided<'a, P: Program>(
    program: P,
    mut memory: impl Memory,
    guide: impl Guide + 'a,
    options: &'a Options,
) -> (Guided, P) {
    memory.sample(guide.length().is_some_and(|length| length > LONGEST_EXACT));
    let mut worker = Worker::new(program, memory, options, options.limits(), Threads::new().share());
    worker.guide = Some(Box::new(guide));
    let mut guided = Guided { graph: Graph::default(), complete: false, limit: None, failure: None };
    match worker.run() {
        Outcome::Complete => guided.complete = true,
        Outcome::Blocked
        | Outcome::Elsewhere
        | Outcome::Outside
        | Outcome::Continued
        | Outcome::Freed
        | Outcome::Stale(_) => {}
        Outcome::Cut(limit) => guided.limit = Some(limit),
        Outcome::Failed { problem, place, thread } => {
            guided.failure = Some(failure(&worker, problem, place, thread));
        }
    }
    guided.graph = guided.failure.as_ref().map_or(worker.graph, |failure| failure.graph.clone());
    (guided, worker.program)
}
