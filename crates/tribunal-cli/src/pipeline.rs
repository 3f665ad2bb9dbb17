//! Work in a pipeline: the input comes in pieces, workers on all cores read them and work on them, and the results are delivered in
//! order, the same for any number of workers.
//!
//! A batch of small histories is read and worked on by one worker while others have the next ones. A large history has the
//! input for itself: until it is done, nothing else is read, so that it takes no more memory than it would alone.
//!
//! A worker that panics ends the work once the answers before are delivered.

use crate::failure::Failure;
use crate::interrupt;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tribunal_host::MOST_WORKERS;

/// The time for which answers may wait that are known while others of their batch are not.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// A source of work: histories of a file, or tests.
pub trait Input: Send {
    /// The piece that is worked on at a time, or the reason why it could not be read.
    type Item: Send;

    /// The next piece.
    fn next(&mut self) -> Option<Portion<Self::Item>>;

    /// The amount of it that may be under way at once, as its pieces say their size.
    fn room(&self) -> usize;

    /// Set once no more of it is wanted.
    fn stop(&self) -> Arc<AtomicBool>;

    /// The report of a worker that panicked, by the last number that it [noted](Answers::note).
    fn panicked(&self) -> Box<dyn Fn(Option<u64>) -> Failure>;
}

/// A piece of an input, which is not read yet.
pub struct Portion<I> {
    /// The share of the room that it takes.
    pub size: usize,
    /// Whether it is one large item, which comes alone.
    pub large: bool,
    /// Reads its items, and says whether they are the last.
    pub read: Box<dyn FnOnce() -> (Vec<I>, bool) + Send>,
}

/// The state that [`each`] carries from piece to piece: the number of the next item, and what tells items apart by those before them.
pub struct Order<O> {
    next: u64,
    tell: O,
}

impl<O> Order<O> {
    /// From the first item on.
    pub fn new(tell: O) -> Self {
        Order { next: 0, tell }
    }
}

/// The place of an item in its input.
pub struct Place<K> {
    /// Its number, from 0.
    pub index: u64,
    /// Whether it is large, and comes alone.
    pub large: bool,
    /// The facts that the order told of it.
    pub told: K,
}

/// A job that takes each item by itself, until Ctrl-C.
pub fn each<I, K, A, O: FnMut(&I) -> K>(
    work: impl Fn(I, Place<K>, &Answers<'_, A>) -> A + Sync,
) -> impl Fn(Vec<I>, bool, Turn<'_, '_, Order<O>>, &Answers<'_, A>) + Sync {
    move |items, large, turn, answers| {
        let numbered = turn.take(items.len(), |Order { next, tell }| {
            let begin = *next;
            *next += items.len() as u64;
            (begin, items.iter().map(tell).collect::<Vec<K>>())
        });
        let Some((begin, told)) = numbered else { return };
        for ((item, told), index) in items.into_iter().zip(told).zip(begin..) {
            if interrupt::requested() || !answers.give(work(item, Place { index, large, told }, answers)) {
                return;
            }
        }
    }
}

/// Brings an input through a job, which has the items of a piece, whether that is a large one, its turn and a place for the answers: a job
/// takes its turn early, since other workers wait for it. `take` has the answers in order, and nothing whenever there is none yet; it says
/// whether to go on. Returns whether there was anything, or the work was ended.
pub fn run<I: Input, S: Send, A: Send>(
    input: I,
    workers: usize,
    job: impl Fn(Vec<I::Item>, bool, Turn<'_, '_, S>, &Answers<'_, A>) + Sync,
    state: &mut S,
    mut take: impl FnMut(Option<A>) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    /// An engine may go as deep as on the main thread.
    const STACK: usize = 8 << 20;
    let workers = workers.clamp(1, MOST_WORKERS);
    let (room, stop, panicked) = (input.room(), input.stop(), input.panicked());
    let line = &Line {
        input: Mutex::new(Numbered { input, next: 0 }),
        ended: AtomicBool::new(false),
        chain: Chain {
            at: Mutex::new(At { next: 0, any: false, state }),
            moved: Condvar::new(),
            stop: &stop,
        },
        board: Mutex::new(Board { slots: VecDeque::new(), bytes: 0, workers }),
        delivered: Condvar::new(),
        done: Condvar::new(),
        room,
        stop: &stop,
    };
    let job = &job;
    let ended = thread::scope(|scope| {
        // However this ends, the workers end with it.
        let _end = Halt(line.stop);
        for worker in 0..workers {
            let builder = thread::Builder::new().name(format!("worker {worker}")).stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, move || line.work(job));
            spawned.map_err(|error| Failure::Usage(format!("{workers} threads: {error}")))?;
        }
        line.tell(&panicked, &mut take)
    })?;
    Ok(!ended || locked(&line.chain.at).any)
}

/// The state that the threads share.
struct Line<'a, I, S, A> {
    input: Mutex<Numbered<I>>,
    /// Whether there is nothing more to read.
    ended: AtomicBool,
    chain: Chain<'a, S>,
    board: Mutex<Board<A>>,
    /// Answers were delivered: there is room for more.
    delivered: Condvar,
    /// A batch is done, or a worker has ended.
    done: Condvar,
    room: usize,
    stop: &'a AtomicBool,
}

struct Numbered<I> {
    input: I,
    /// The number of the next piece.
    next: u64,
}

/// The pieces that are under way, in order.
struct Board<A> {
    slots: VecDeque<Arc<Slot<A>>>,
    bytes: usize,
    workers: usize,
}

/// The answers of a piece that are not delivered yet.
struct Slot<A> {
    answers: Mutex<Vec<A>>,
    done: AtomicBool,
    /// Whether answers are there that nobody should wait for.
    urgent: AtomicBool,
    bytes: usize,
    /// The number that was noted of the item that is worked on; 0 before the first.
    noted: AtomicU64,
    panicked: AtomicBool,
}

impl<I: Input, S: Send, A: Send> Line<'_, I, S, A> {
    /// The work of a worker.
    fn work(&self, job: &impl Fn(Vec<I::Item>, bool, Turn<'_, '_, S>, &Answers<'_, A>)) {
        let _ended = Worker(self);
        loop {
            let mut input = locked(&self.input);
            self.wait_for_room();
            if self.ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed) {
                return;
            }
            let Portion { size, large, read } = match catch_unwind(AssertUnwindSafe(|| input.input.next())) {
                Ok(Some(portion)) => portion,
                next => {
                    self.ended.store(true, Ordering::Relaxed);
                    if next.is_err() {
                        let slot = self.slot(0);
                        slot.panicked.store(true, Ordering::Relaxed);
                        self.finish(&slot);
                    }
                    return;
                }
            };
            let turn = Turn { chain: &self.chain, number: input.next, taken: false };
            input.next += 1;
            let slot = self.slot(size);
            // While a large item is worked on, nobody reads.
            let alone = large.then_some(input);
            let worked = catch_unwind(AssertUnwindSafe(|| {
                let (items, last) = read();
                if last {
                    self.ended.store(true, Ordering::Relaxed);
                }
                job(
                    items,
                    large,
                    turn,
                    &Answers { slot: &slot, stop: self.stop, wake: &|| self.wake(&slot) },
                );
            }));
            slot.panicked.store(worked.is_err(), Ordering::Relaxed);
            self.finish(&slot);
            if alone.is_some() {
                self.wait_for(&slot);
            }
        }
    }

    /// A place for the answers of the next piece.
    fn slot(&self, bytes: usize) -> Arc<Slot<A>> {
        let (answers, done, urgent, noted, panicked) = Default::default();
        let slot = Arc::new(Slot { answers, done, urgent, bytes, noted, panicked });
        let mut board = locked(&self.board);
        board.bytes += bytes;
        board.slots.push_back(slot.clone());
        slot
    }

    /// Has the answers of a piece told that are there, once it is its turn.
    fn wake(&self, slot: &Slot<A>) {
        let _board = locked(&self.board);
        slot.urgent.store(true, Ordering::Release);
        self.done.notify_one();
    }

    fn finish(&self, slot: &Slot<A>) {
        // The lock keeps this from falling between a look at the slot and the wait for it.
        let _board = locked(&self.board);
        slot.done.store(true, Ordering::Release);
        self.done.notify_one();
    }

    fn wait_for_room(&self) {
        let mut board = locked(&self.board);
        while board.bytes >= self.room && !self.stop.load(Ordering::Relaxed) {
            board = wait(&self.delivered, board);
        }
    }

    /// Waits until the answers of a piece are delivered.
    fn wait_for(&self, slot: &Arc<Slot<A>>) {
        let mut board = locked(&self.board);
        while board.slots.iter().any(|other| Arc::ptr_eq(other, slot)) && !self.stop.load(Ordering::Relaxed) {
            board = wait(&self.delivered, board);
        }
    }

    /// Tells the answers in order; false if that was ended early.
    fn tell(
        &self,
        panicked: &dyn Fn(Option<u64>) -> Failure,
        take: &mut impl FnMut(Option<A>) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        loop {
            let mut board = locked(&self.board);
            let ready = |board: &Board<A>| match board.slots.front() {
                Some(slot) => slot.done.load(Ordering::Acquire) || slot.urgent.load(Ordering::Acquire),
                None => board.workers == 0,
            };
            if !ready(&board) {
                drop(board);
                take(None)?;
                board = locked(&self.board);
                if !ready(&board) {
                    board = wait(&self.done, board);
                }
            }
            let Some(slot) = board.slots.front().cloned() else {
                if board.workers == 0 {
                    return Ok(true);
                }
                continue;
            };
            drop(board);
            let done = slot.done.load(Ordering::Acquire);
            slot.urgent.store(false, Ordering::Release);
            let answers = std::mem::take(&mut *locked(&slot.answers));
            for answer in answers {
                if !take(Some(answer))? {
                    return Ok(false);
                }
            }
            if done {
                if slot.panicked.load(Ordering::Relaxed) {
                    let noted = slot.noted.load(Ordering::Relaxed);
                    return Err(panicked(Some(noted).filter(|&noted| noted > 0)));
                }
                let mut board = locked(&self.board);
                board.slots.pop_front();
                board.bytes -= slot.bytes;
                self.delivered.notify_all();
            }
        }
    }
}

/// The place where a worker puts its answers.
pub struct Answers<'a, A> {
    slot: &'a Slot<A>,
    stop: &'a AtomicBool,
    /// Has them told.
    wake: &'a dyn Fn(),
}

impl<A> Answers<'_, A> {
    /// Notes which item is worked on next, by a number that is not 0.
    pub fn note(&self, number: u64) {
        self.slot.noted.store(number, Ordering::Relaxed);
    }

    /// Gives the next answer; false if no more are wanted.
    pub fn give(&self, answer: A) -> bool {
        locked(&self.slot.answers).push(answer);
        !self.stop.load(Ordering::Relaxed)
    }

    /// Gives a part of an answer that is told at once, unless others come before it.
    pub fn give_at_once(&self, answer: A) {
        locked(&self.slot.answers).push(answer);
        (self.wake)();
    }
}

/// The state that goes from batch to batch in the order of the input.
struct Chain<'a, S> {
    at: Mutex<At<'a, S>>,
    moved: Condvar,
    stop: &'a AtomicBool,
}

struct At<'a, S> {
    /// Whose turn it is.
    next: u64,
    /// Whether there was any item yet.
    any: bool,
    state: &'a mut S,
}

impl<'a, S> Chain<'a, S> {
    /// Does something once it is the turn of this piece, and passes the turn on; nothing if the work is to end.
    fn turn<T>(&self, number: u64, act: impl FnOnce(&mut At<'a, S>) -> T) -> Option<T> {
        let mut at = locked(&self.at);
        while at.next != number {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            at = wait(&self.moved, at);
        }
        let done = act(&mut at);
        at.next += 1;
        drop(at);
        self.moved.notify_all();
        Some(done)
    }
}

/// The right to do something in the order of the input, once.
pub struct Turn<'a, 'b, S> {
    chain: &'a Chain<'b, S>,
    number: u64,
    taken: bool,
}

impl<S> Turn<'_, '_, S> {
    /// Updates the state once it is the turn of so many items; none if the work ends.
    pub fn take<T>(mut self, items: usize, act: impl FnOnce(&mut S) -> T) -> Option<T> {
        self.taken = true;
        self.chain.turn(self.number, |at| {
            at.any |= items > 0;
            act(at.state)
        })
    }
}

/// A turn that is not taken is passed on.
impl<S> Drop for Turn<'_, '_, S> {
    fn drop(&mut self) {
        if !self.taken {
            self.chain.turn(self.number, |_| ());
        }
    }
}

/// A worker, which is missed in the end.
struct Worker<'a, 'b, I, S, A>(&'a Line<'b, I, S, A>);

impl<I, S, A> Drop for Worker<'_, '_, I, S, A> {
    fn drop(&mut self) {
        locked(&self.0.board).workers -= 1;
        self.0.done.notify_one();
    }
}

/// Ends the workers when it goes.
struct Halt<'a>(&'a AtomicBool);

impl Drop for Halt<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Locks it, whoever panicked while it was locked.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a sign, but not long: the work may be stopped, or a part of an answer be known.
fn wait<'a, T>(sign: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    sign.wait_timeout(guard, LONGEST_WAIT).unwrap_or_else(PoisonError::into_inner).0
}
