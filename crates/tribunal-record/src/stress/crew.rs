//! The threads that run programs: they stay alive, and meet before each run.

use super::Panicked;
use super::program::Program;
use crate::counters::{Counters, Observer};
use crate::order::Sightings;
use crate::{Random, Subject, cores};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;
use tribunal_history::object::Value;

/// The number of times that a thread looks for the others before it lets them have its core.
const SPINS: u32 = 1 << 10;
/// Before a run, and before one call in four, a thread waits for fewer steps than this, so that calls meet in other ways.
/// A step takes about a cycle; to see that the others have come takes some hundred.
const LONGEST_DELAY: u64 = 512;

/// Waits for a random number of steps. The processor's own instruction for that would take too long.
fn linger(bits: u64) {
    (0..bits % LONGEST_DELAY).for_each(|step| {
        std::hint::black_box(step);
    });
}

/// Runs of one program, each on an object of its own.
struct Batch<S> {
    program: Arc<Program>,
    objects: Vec<S>,
    counters: Counters,
    /// The number of runs that a thread has reached.
    arrivals: AtomicUsize,
}

impl<S> Batch<S> {
    /// Waits until all threads have come to this run.
    fn meet(&self, run: usize) {
        let all = (run + 1) * self.program.threads.len();
        self.arrivals.fetch_add(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.arrivals.load(Ordering::Acquire) < all {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            }
        }
    }
}

/// The results that a thread brings back from a batch.
struct Haul {
    thread: usize,
    /// Run by run, what its calls returned.
    returns: Vec<Value>,
    /// Run by run, what it saw; see [`Observer`].
    seen: Vec<u32>,
    panic: Option<Panicked>,
}

/// All that was seen of one run.
#[derive(Debug)]
pub(crate) struct Run {
    /// By operation, thread by thread.
    pub(crate) returns: Vec<Value>,
    pub(crate) sightings: Sightings,
}

/// Threads that wait for batches.
pub(crate) struct Crew<S> {
    orders: Vec<Sender<Arc<Batch<S>>>>,
    hauls: Receiver<Haul>,
}

impl<S: Subject> Crew<S> {
    /// A crew of so many threads, each on a core of its own if there are as many. They end when the crew is dropped.
    pub(crate) fn new<'scope>(scope: &'scope Scope<'scope, '_>, threads: usize, seed: u64) -> Self
    where
        S: 'scope,
    {
        let (done, hauls) = channel();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let start = |thread: usize| {
            let (order, batches) = channel::<Arc<Batch<S>>>();
            let done = done.clone();
            scope.spawn(move || {
                if threads <= cores {
                    cores::pin(thread);
                }
                let mut rng = Random::new(seed ^ (thread as u64 + 1) << 32);
                for batch in batches {
                    let haul = work(thread, &batch, &mut rng);
                    // The objects are dropped where they were made, and a crew that is gone needs no haul.
                    drop(batch);
                    let _ = done.send(haul);
                }
            });
            order
        };
        Crew { orders: (0..threads).map(start).collect(), hauls }
    }

    /// Runs a program this many times.
    pub(crate) fn run(&self, program: &Arc<Program>, repeats: usize) -> Result<Vec<Run>, Panicked> {
        let threads = self.orders.len();
        let batch = Arc::new(Batch {
            program: Arc::clone(program),
            objects: (0..repeats).map(|_| S::fresh()).collect(),
            counters: Counters::new(threads),
            arrivals: AtomicUsize::new(0),
        });
        for order in &self.orders {
            order.send(Arc::clone(&batch)).expect("threads wait as long as there is a crew");
        }
        let mut hauls: Vec<Haul> =
            (0..threads).map(|_| self.hauls.recv().expect("every thread comes back")).collect();
        hauls.sort_by_key(|haul| haul.thread);
        if let Some(panic) = hauls.iter_mut().find_map(|haul| haul.panic.take()) {
            return Err(panic);
        }
        Ok((0..repeats).map(|run| collect(program, &mut hauls, run)).collect())
    }
}

/// A thread's part of a batch. Nothing is allocated, locked or timed here but by the object.
fn work<S: Subject>(thread: usize, batch: &Batch<S>, rng: &mut Random) -> Haul {
    let calls = &batch.program.threads[thread];
    let operations = calls.len() * batch.objects.len();
    let mut observer = Observer::new(&batch.counters, thread, operations);
    let mut returns = Vec::with_capacity(operations);
    let mut panic: Option<Panicked> = None;
    for (run, object) in batch.objects.iter().enumerate() {
        batch.meet(run);
        linger(rng.bits());
        for (at, call) in calls.iter().enumerate() {
            let bits = rng.bits();
            if bits & 3 == 0 {
                linger(bits >> 2);
            }
            observer.count();
            // After a panic the others still come to their runs, so this thread does too.
            let ret = match &panic {
                None => catch_unwind(AssertUnwindSafe(|| object.call(call.method, &call.args))),
                Some(_) => Ok(Value::Null),
            };
            observer.count();
            returns.push(ret.unwrap_or_else(|payload| {
                let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
                let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
                let message = message.unwrap_or_else(|| "a panic without words".into());
                let program = Program::clone(&batch.program);
                panic = Some(Panicked { program, thread, call: at, message });
                Value::Null
            }));
        }
    }
    Haul { thread, returns, seen: observer.seen, panic }
}

/// One run, from what all threads brought back.
fn collect(program: &Program, hauls: &mut [Haul], run: usize) -> Run {
    let threads = program.threads.len();
    let lengths = program.threads.iter().map(Vec::len);
    let begins: Vec<u32> = lengths.clone().map(|calls| (2 * calls * run) as u32).collect();
    let rows: Vec<&[u32]> = hauls
        .iter()
        .zip(lengths.clone())
        .map(|(haul, calls)| &haul.seen[2 * calls * run * threads..][..2 * calls * threads])
        .collect();
    let sightings = Sightings::of_rows(&rows, &begins);
    let returns = hauls.iter_mut().zip(lengths).flat_map(|(haul, calls)| {
        haul.returns[calls * run..][..calls].iter_mut().map(std::mem::take).collect::<Vec<_>>()
    });
    Run { returns: returns.collect(), sightings }
}
