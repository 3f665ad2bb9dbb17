//! Histories in a pipeline: the input is cut into whole histories, workers on all cores read and check them, and the results are
//! delivered in order, the same for any number of workers.
//!
//! A batch of small histories is read and worked on by one worker while others have the next ones. A large history has the
//! input for itself: until it is done, nothing else is read, so that it takes no more memory than it would alone.
//!
//! A worker that panics ends the work once the answers before are delivered.

use crate::args::Streaming;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, interrupt};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};
use tribunal_formats::{Error, Format, History, NilReads, Piece, Pieces, ReadAs};
use tribunal_host::MOST_WORKERS;
use tribunal_host::reading;

/// A history as read, or why it could not be.
pub type ReadResult = Result<History, Error>;

/// How long answers may wait that are known while others of their batch are not.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// A job that takes each history by itself, with its place among those of the file.
pub struct Each<F>(pub F);

impl<T: Send, F: Fn(ReadResult, u64, bool) -> T + Sync> Job for Each<F> {
    type State = u64;
    type Answer = T;

    fn work(
        &self,
        histories: Vec<ReadResult>,
        large: bool,
        turn: Turn<'_, '_, u64>,
        answers: &Answers<'_, T>,
    ) {
        let begin = turn.take(histories.len(), |next| {
            let begin = *next;
            *next += histories.len() as u64;
            begin
        });
        let Some(begin) = begin else { return };
        for (history, index) in histories.into_iter().zip(begin..) {
            history.iter().for_each(|history| answers.begin(history.line));
            if interrupt::requested() || !answers.give((self.0)(history, index, large)) {
                return;
            }
        }
    }
}

/// What is done to histories.
pub trait Job: Sync {
    /// What is carried from batch to batch, in order.
    type State: Send;
    /// The result for a history.
    type Answer: Send;

    /// Works on the next histories; a large one comes alone. Take the turn early: other workers wait for it.
    fn work(
        &self,
        histories: Vec<ReadResult>,
        large: bool,
        turn: Turn<'_, '_, Self::State>,
        answers: &Answers<'_, Self::Answer>,
    );
}

/// A file of histories.
pub struct Source {
    name: String,
    pieces: Pieces,
    keep_going: bool,
    /// How many bytes of it may be under way at once.
    room: usize,
    stop: Arc<AtomicBool>,
}

impl Source {
    /// Opens a file; `-` is standard input. Reading it moves the bar.
    pub fn open(
        file: &OsStr,
        format: Option<Format>,
        nil_reads: NilReads,
        max_memory: Option<usize>,
        streaming: &Streaming,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let name = file.to_string_lossy().into_owned();
        progress.file(&name, input::size(file));
        let stop = Arc::new(AtomicBool::new(false));
        let options = reading(format, max_memory);
        let room = (options.max_memory / 64).clamp(256 << 10, 16 << 20);
        let reader = if input::is_folder(file) {
            input::folder(file, options, stop.clone())?
        } else {
            let bytes = progress.watch(input::bytes(file)?.until(stop.clone()));
            tribunal_formats::read(bytes, &name, options)?
        };
        let reader = reader.nil_reads(nil_reads);
        let keep_going = streaming.keep_going;
        Ok(Source { pieces: reader.pieces(keep_going), name, keep_going, room, stop })
    }

    /// The same, with Jepsen's events read as this.
    pub fn read_as(self, read_as: ReadAs) -> Self {
        Source { pieces: self.pieces.read_as(read_as), ..self }
    }

    /// The format, given or recognized.
    pub fn format(&self) -> Format {
        self.pieces.format()
    }
}

/// Brings the histories of a file through a job. `take` has the answers in order, and says whether to go on; `rest` is called
/// whenever there are none yet. A file without histories is an error.
pub fn run<J: Job>(
    source: Source,
    workers: usize,
    job: &J,
    state: &mut J::State,
    mut take: impl FnMut(J::Answer) -> Result<bool, Failure>,
    mut rest: impl FnMut() -> io::Result<()>,
) -> Result<(), Failure> {
    /// An engine may go as deep as on the main thread.
    const STACK: usize = 8 << 20;
    let Source { name, pieces, keep_going, room, stop } = source;
    let workers = workers.clamp(1, MOST_WORKERS);
    let line = &Line {
        input: Mutex::new(Input { pieces, next: 0 }),
        ended: AtomicBool::new(false),
        chain: Chain {
            at: Mutex::new(At { next: 0, any: false, state }),
            moved: Condvar::new(),
            stop: &stop,
        },
        board: Mutex::new(Board { slots: VecDeque::new(), bytes: 0, workers }),
        delivered: Condvar::new(),
        done: Condvar::new(),
        keep_going,
        room,
        stop: &stop,
    };
    let outcome = thread::scope(|scope| {
        // However this ends, the workers end with it.
        let _end = Halt(line.stop);
        for worker in 0..workers {
            let builder = thread::Builder::new().name(format!("worker {worker}")).stack_size(STACK);
            let spawned = builder.spawn_scoped(scope, move || line.work(job));
            spawned.map_err(|error| Failure::Usage(format!("{workers} threads: {error}")))?;
        }
        line.tell(&name, &mut take, &mut rest)
    });
    let empty = !locked(&line.chain.at).any;
    match outcome {
        Ok(true) if empty => Err(Pieces::empty(&name).into()),
        outcome => outcome.map(drop),
    }
}

/// What the threads share.
struct Line<'a, S, A> {
    input: Mutex<Input>,
    /// Whether there is nothing more to read.
    ended: AtomicBool,
    chain: Chain<'a, S>,
    board: Mutex<Board<A>>,
    /// Answers were delivered: there is room for more.
    delivered: Condvar,
    /// A batch is done, or a worker has ended.
    done: Condvar,
    keep_going: bool,
    room: usize,
    stop: &'a AtomicBool,
}

struct Input {
    pieces: Pieces,
    /// The number of the next piece.
    next: u64,
}

/// What is under way, in order.
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
    /// The line of the history that is worked on; 0 before the first.
    line: AtomicU64,
    panicked: AtomicBool,
}

impl<S: Send, A: Send> Line<'_, S, A> {
    /// What a worker does.
    fn work<J: Job<State = S, Answer = A>>(&self, job: &J) {
        let _ended = Worker(self);
        loop {
            let mut input = locked(&self.input);
            self.wait_for_room();
            if self.ended.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed) {
                return;
            }
            let piece = match catch_unwind(AssertUnwindSafe(|| input.pieces.next())) {
                Ok(Some(piece)) => piece,
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
            match piece {
                Piece::Batch(batch) => {
                    let slot = self.slot(batch.bytes());
                    drop(input);
                    self.work_on(job, &slot, turn, false, || batch.histories().collect());
                }
                Piece::Large(history) => {
                    let slot = self.slot(0);
                    self.work_on(job, &slot, turn, true, || vec![*history]);
                    self.wait_for(&slot);
                }
            }
        }
    }

    /// Reads the histories of a piece and works on them.
    fn work_on<J: Job<State = S, Answer = A>>(
        &self,
        job: &J,
        slot: &Slot<A>,
        turn: Turn<'_, '_, S>,
        large: bool,
        read: impl FnOnce() -> Vec<ReadResult>,
    ) {
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let histories = read();
            self.note_errors(&histories);
            job.work(histories, large, turn, &Answers { slot, stop: self.stop, wake: &|| self.wake(slot) });
        }));
        slot.panicked.store(worked.is_err(), Ordering::Relaxed);
        self.finish(slot);
    }

    /// Sees to it that nothing is read after an error, unless it is to go on.
    fn note_errors(&self, histories: &[ReadResult]) {
        if !self.keep_going && histories.last().is_some_and(Result::is_err) {
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    /// A place for the answers of the next piece.
    fn slot(&self, bytes: usize) -> Arc<Slot<A>> {
        let (answers, done, urgent, line, panicked) = Default::default();
        let slot = Arc::new(Slot { answers, done, urgent, bytes, line, panicked });
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
        name: &str,
        take: &mut impl FnMut(A) -> Result<bool, Failure>,
        rest: &mut impl FnMut() -> io::Result<()>,
    ) -> Result<bool, Failure> {
        loop {
            let mut board = locked(&self.board);
            let ready = |board: &Board<A>| match board.slots.front() {
                Some(slot) => slot.done.load(Ordering::Acquire) || slot.urgent.load(Ordering::Acquire),
                None => board.workers == 0,
            };
            if !ready(&board) {
                drop(board);
                rest()?;
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
                if !take(answer)? {
                    return Ok(false);
                }
            }
            if done {
                if slot.panicked.load(Ordering::Relaxed) {
                    let line = Some(slot.line.load(Ordering::Relaxed)).filter(|&line| line > 0);
                    return Err(Failure::Panicked { file: name.into(), line });
                }
                let mut board = locked(&self.board);
                board.slots.pop_front();
                board.bytes -= slot.bytes;
                self.delivered.notify_all();
            }
        }
    }
}

/// Where a worker puts its answers.
pub struct Answers<'a, A> {
    slot: &'a Slot<A>,
    stop: &'a AtomicBool,
    /// Has them told.
    wake: &'a dyn Fn(),
}

impl<A> Answers<'_, A> {
    /// Notes which history is worked on next.
    pub fn begin(&self, line: u64) {
        self.slot.line.store(line, Ordering::Relaxed);
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

/// What goes from batch to batch in the order of the input.
struct Chain<'a, S> {
    at: Mutex<At<'a, S>>,
    moved: Condvar,
    stop: &'a AtomicBool,
}

struct At<'a, S> {
    /// Whose turn it is.
    next: u64,
    /// Whether there was any history yet.
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
    /// Updates the state once it is the turn of these `count` histories; none if the work ends.
    pub fn take<T>(mut self, histories: usize, act: impl FnOnce(&mut S) -> T) -> Option<T> {
        self.taken = true;
        self.chain.turn(self.number, |at| {
            at.any |= histories > 0;
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
struct Worker<'a, 'b, S, A>(&'a Line<'b, S, A>);

impl<S, A> Drop for Worker<'_, '_, S, A> {
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a sign, but not long: the work may be stopped, or a part of an answer be known.
fn wait<'a, T>(sign: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    sign.wait_timeout(guard, LONGEST_WAIT).unwrap_or_else(PoisonError::into_inner).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::io::Write;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        streaming: Streaming,
    }

    /// A job that panics at the third history: the two before are told, and then what happened.
    #[test]
    fn a_worker_that_panics_ends_the_work_and_says_where() {
        let mut file = tempfile::Builder::new().suffix(".txt").tempfile().expect("a file");
        file.write_all("T0: W x 1\n---\n".repeat(5).as_bytes()).expect("a file");
        let streaming = Flags::parse_from(["test"]).streaming;
        for workers in [1, 4] {
            let progress = Progress::none();
            let source =
                Source::open(file.path().as_os_str(), None, NilReads::default(), None, &streaming, &progress);
            let job = Each(|_: ReadResult, index: u64, _: bool| {
                assert!(index != 2, "a panic of a test");
                index
            });
            let mut told = Vec::new();
            let take = |index| {
                told.push(index);
                Ok(true)
            };
            let ran = run(source.expect("a file"), workers, &job, &mut 0, take, || Ok(()));
            assert_eq!(told, [0, 1], "{workers} workers");
            match ran {
                Err(Failure::Panicked { line: Some(5), .. }) => {}
                other => panic!("{workers} workers: {other:?}"),
            }
        }
    }
}
