//! Workers that share what is to be tried.

use super::guide::{Guide, Random};
use super::memory::Memory;
use super::revisit::{Item, Path};
use super::run::{Outcome, Worker};
use super::threads::Threads;
use crate::graph::{Event, Graph};
use crate::options::{Mode, Options, Progress};
use crate::program::{Action, Place, Program};
use crate::report::{End, Failure, Guided, Problem, Report};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tribunal::Limits;
use tribunal::memory::{LocId, ThreadId};

/// How often progress is told.
const TELLING: Duration = Duration::from_millis(200);

/// What workers share.
struct Shared {
    start: Instant,
    limits: Limits<'static>,
    executions: AtomicU64,
    blocked: AtomicU64,
    events: AtomicUsize,
    /// Workers that have nothing to do, read without the lock as a hint.
    hungry: AtomicUsize,
    over: AtomicBool,
    /// Executions were left out because of their preemptions.
    bounded: AtomicBool,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// To be done by whoever has nothing.
    items: Vec<Item>,
    idle: usize,
    /// How it ended, if not by completion.
    end: Option<End>,
    failure: Option<(Arc<Path>, Failure)>,
    /// Which part of the whole is done.
    done: f64,
    /// When progress was last told.
    told: Option<Instant>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self, end: End) {
        self.lock().end.get_or_insert(end);
        self.over.store(true, Relaxed);
        self.wake.notify_all();
    }
}

pub(super) fn explore<P: Program, M: Memory, R: Send>(
    make: impl Fn() -> (P, M) + Sync,
    collect: impl Fn(P) -> R + Sync,
    options: &Options,
) -> (Report, Vec<R>) {
    let shared = Shared {
        start: Instant::now(),
        limits: options.limits(),
        executions: AtomicU64::new(0),
        blocked: AtomicU64::new(0),
        events: AtomicUsize::new(0),
        hungry: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        bounded: AtomicBool::new(false),
        state: Mutex::default(),
        wake: Condvar::new(),
    };
    let threads = Threads::new();
    let count = options.threads.get();
    let work = |number: usize, threads: Threads| {
        let (program, memory) = make();
        let mut worker = Worker::new(program, memory, options, shared.limits, threads);
        match options.mode {
            Mode::Exhaustive => exhaust(&mut worker, number, count, options, &shared),
            _ => sample(&mut worker, number, count, options, &shared),
        }
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
    let failure = state.failure.map(|(_, failure)| failure);
    let end = match (&failure, state.end) {
        (Some(_), _) => End::Failed,
        (None, Some(end)) => end,
        (None, None) if options.mode != Mode::Exhaustive => End::Sampled,
        (None, None) if shared.bounded.load(Relaxed) => End::Bounded,
        (None, None) => End::Complete,
    };
    let report = Report {
        executions: shared.executions.into_inner(),
        blocked: shared.blocked.into_inner(),
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
    if number == 0 {
        let root = Arc::new(Path::default());
        conclude(worker, &root, 1.0, &mut items, options, shared);
    }
    loop {
        let Some(item) = items.pop().or_else(|| take(shared, workers)) else { return };
        if shared.over.load(Relaxed) {
            return;
        }
        if workers > 1 && shared.hungry.load(Relaxed) > 0 && !items.is_empty() {
            // The oldest has the most behind it.
            let given = items.remove(0);
            shared.lock().items.push(given);
            shared.wake.notify_one();
        }
        let late = |state: &State| state.failure.as_ref().is_some_and(|(path, _)| !item.path.is_before(path));
        if workers > 1 && late(&shared.lock()) {
            continue;
        }
        worker.todo.clear();
        let installed = worker.install(&item.trace, item.attempt);
        if let Some(limit) = worker.look_at_limits() {
            return shared.stop(limit.into());
        }
        if installed && options.max_preemptions.is_some_and(|most| preemptions(&worker.graph) > most) {
            shared.bounded.store(true, Relaxed);
        } else if installed {
            conclude(worker, &item.path, item.weight, &mut items, options, shared);
        }
    }
}

/// Waits for something to do. None if everything is done.
fn take(shared: &Shared, workers: usize) -> Option<Item> {
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
        if state.idle == workers {
            shared.over.store(true, Relaxed);
            shared.wake.notify_all();
            return None;
        }
        state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Runs what is installed to its end, and adds what it found.
fn conclude<P: Program, M: Memory>(
    worker: &mut Worker<'_, P, M>,
    path: &Arc<Path>,
    weight: f64,
    items: &mut Vec<Item>,
    options: &Options,
    shared: &Shared,
) {
    let outcome = worker.run();
    shared.events.fetch_max(worker.graph.len(), Relaxed);
    let failed = count(worker, outcome, options, shared);
    if let Some(failure) = failed {
        let mut state = shared.lock();
        if state.failure.as_ref().is_none_or(|(first, _)| path.is_before(first)) {
            state.failure = Some((path.clone(), failure));
        }
        drop(state);
        if options.threads.get() == 1 {
            shared.stop(End::Failed);
        }
        return;
    }
    let weight = weight / (worker.todo.len() + 1) as f64;
    tell(weight, options, shared);
    if !worker.todo.is_empty() {
        let trace = Arc::new(worker.graph.clone());
        items.extend(worker.todo.drain(..).enumerate().map(|(found, attempt)| {
            let path = Path::child(path, found as u32);
            Item { trace: trace.clone(), attempt, path, weight }
        }));
    }
}

/// Tells how far it is, a few times a second.
fn tell(weight: f64, options: &Options, shared: &Shared) {
    let Some(progress) = options.progress else { return };
    let mut state = shared.lock();
    state.done += weight;
    let now = Instant::now();
    if state.told.is_some_and(|told| now.duration_since(told) < TELLING) {
        return;
    }
    state.told = Some(now);
    let done = state.done;
    drop(state);
    progress(&Progress {
        executions: shared.executions.load(Relaxed),
        blocked: shared.blocked.load(Relaxed),
        done,
        elapsed: shared.start.elapsed(),
    });
}

/// How often, in the order of events, another thread goes on although the last one could.
fn preemptions(graph: &Graph) -> usize {
    let could_go_on = |event: &Event| {
        let next = graph.thread(event.thread).get(event.index as usize + 1).map(|&next| graph.event(next));
        !matches!(event.action, Action::End)
            && !event.waiting
            && next.is_none_or(|next| {
                !matches!(next.action, Action::Join { .. } | Action::Await { .. } | Action::AwaitRmw { .. })
            })
    };
    graph.events().windows(2).filter(|pair| pair[0].thread != pair[1].thread && could_go_on(&pair[0])).count()
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
            let executions = shared.executions.fetch_add(1, Relaxed) + 1;
            if options.max_executions.is_some_and(|most| executions >= most) {
                shared.stop(End::MaxExecutions);
            }
        }
        Outcome::Cut(limit) => shared.stop(limit.into()),
        Outcome::Blocked => {
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
    for execution in (number as u64..executions).step_by(workers) {
        if shared.over.load(Relaxed) {
            return;
        }
        let mut seeds = Random::uniform(seed ^ execution.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let seed = seeds.next();
        worker.guide = Some(Box::new(match depth {
            None => Random::uniform(seed),
            Some(depth) => Random::priorities(seed, depth, length),
        }));
        worker.truncate(0);
        let outcome = worker.run();
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

pub(super) fn guided<'a, P: Program>(
    program: P,
    memory: impl Memory,
    guide: impl Guide + 'a,
    options: &'a Options,
) -> (Guided, P) {
    let mut worker = Worker::new(program, memory, options, options.limits(), Threads::new().share());
    worker.guide = Some(Box::new(guide));
    let mut guided = Guided { graph: Graph::default(), complete: false, limit: None, failure: None };
    match worker.run() {
        Outcome::Complete => guided.complete = true,
        Outcome::Blocked => {}
        Outcome::Cut(limit) => guided.limit = Some(limit),
        Outcome::Failed { problem, place, thread } => {
            guided.failure = Some(failure(&worker, problem, place, thread));
        }
    }
    guided.graph = guided.failure.as_ref().map_or(worker.graph, |failure| failure.graph.clone());
    (guided, worker.program)
}
