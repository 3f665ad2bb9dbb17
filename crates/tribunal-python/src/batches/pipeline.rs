//! Rows in a pipeline: cut into small parts, worked on by all cores, told in order, the same for any number of workers.
//!
//! Whoever reads the answers also brings the rows. Workers meet nothing of Python.

use super::capsule::{Source, arrow_error, attached, interrupt_again};
use super::check::{Told, Work};
use super::column::Column;
use super::table::{Answers, Table};
use crate::limits::{POLL, STACK};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A part has at most so many rows, and ends with the row that makes it this long.
const PART_ROWS: usize = 64;
const PART_BYTES: usize = 64 << 10;
/// So many rows, and bytes of them, are under way at most, or answered and not yet told.
const UNDER_WAY: Size = Size { rows: 1 << 16, bytes: 64 << 20 };
/// A batch of answers has about so many, and bytes of them, unless the first has waited too long.
const BATCH: Size = Size { rows: 1 << 13, bytes: 64 << 20 };
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// How much there is of something.
#[derive(Clone, Copy, Default)]
struct Size {
    rows: usize,
    bytes: usize,
}

impl Size {
    fn is_below(self, most: Size) -> bool {
        self.rows < most.rows && self.bytes < most.bytes
    }
}

/// A batch of rows.
pub struct Rows {
    /// The histories.
    pub column: Column,
    /// How many there are.
    pub len: usize,
    /// The number of the first.
    pub first: i64,
    /// The columns that are kept.
    pub kept: Vec<arrow_array::ArrayRef>,
}

/// Some rows, to be answered by one worker.
struct Part {
    rows: Arc<Rows>,
    range: Range<usize>,
    /// How long their cells are.
    bytes: usize,
    answers: Mutex<Vec<Told>>,
    done: AtomicBool,
}

/// What the threads share.
struct Shared {
    asked: Work,
    queue: Mutex<Queue>,
    /// There are parts to work on, or no more will come.
    work: Condvar,
    /// Parts are done, and few or none are left.
    done: Condvar,
    workers: usize,
}

#[derive(Default)]
struct Queue {
    parts: VecDeque<Arc<Part>>,
    closed: bool,
}

/// The answers, batch by batch.
pub struct Pipeline {
    shared: Arc<Shared>,
    source: Source,
    table: Table,
    /// The batch that is being cut, and where.
    current: Option<(Arc<Rows>, usize)>,
    /// The parts that are not told, in order, and how much they are.
    untold: VecDeque<Arc<Part>>,
    under_way: Size,
    next_row: i64,
    ended: bool,
    started: bool,
    /// Why there are no more rows, until it is told.
    failure: Option<ArrowError>,
    /// Whether the last rows were long in coming.
    slow: bool,
    threads: Vec<JoinHandle<()>>,
    /// The process that has these threads: a fork of it has none.
    process: u32,
}

impl Pipeline {
    /// A pipeline that has not begun.
    pub fn new(asked: Work, source: Source, table: Table, workers: usize) -> Self {
        let (queue, work, done) = Default::default();
        let shared = Arc::new(Shared { asked, queue, work, done, workers });
        let (current, untold, under_way, next_row, threads) = Default::default();
        Pipeline {
            shared,
            source,
            table,
            current,
            untold,
            under_way,
            next_row,
            ended: false,
            started: false,
            failure: None,
            slow: true,
            threads,
            process: std::process::id(),
        }
    }

    fn start(&mut self) -> Result<(), ArrowError> {
        for worker in 0..self.shared.workers {
            let shared = self.shared.clone();
            let builder = thread::Builder::new().name(format!("tribunal {worker}")).stack_size(STACK);
            let thread = builder.spawn(move || shared.work());
            self.threads
                .push(thread.map_err(|error| ArrowError::IoError(format!("no thread: {error}"), error))?);
        }
        self.started = true;
        Ok(())
    }

    /// The next batch of answers.
    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if !self.started {
            self.start()?;
        }
        let mut told: Vec<Answers> = Vec::new();
        let mut size = Size::default();
        let begin = Instant::now();
        loop {
            self.feed(!told.is_empty());
            while size.is_below(BATCH)
                && let Some(part) = self.untold.front()
                && part.done.load(Ordering::Acquire)
                // Kept columns are of one batch.
                && told.last().is_none_or(|last| self.table.joins(&last.rows, &part.rows))
            {
                let given = std::mem::take(&mut *locked(&part.answers));
                size.rows += given.len();
                size.bytes += given.iter().map(Told::bytes).sum::<usize>();
                self.under_way.rows -= part.range.len();
                self.under_way.bytes -= part.bytes;
                told.push(Answers { rows: part.rows.clone(), answers: given });
                self.untold.pop_front();
            }
            let next_joins = match (told.last(), self.untold.front()) {
                (Some(last), Some(next)) => self.table.joins(&last.rows, &next.rows),
                _ => true,
            };
            let waits = begin.elapsed() > LONGEST_WAIT || self.slow && self.untold.is_empty();
            let ended = self.ended && self.untold.is_empty();
            if !size.is_below(BATCH) || !told.is_empty() && (ended || !next_joins || waits) {
                return self.table.batch(told).map(Some);
            }
            if ended {
                return self.failure.take().map_or(Ok(None), Err);
            }
            if self.untold.front().is_some_and(|part| !part.done.load(Ordering::Acquire)) {
                self.wait()?;
            }
        }
    }

    /// Brings more rows, unless enough are under way. Those of a slow source are waited for only once everything is told.
    fn feed(&mut self, has_answers: bool) {
        while self.under_way.is_below(UNDER_WAY) && !self.ended {
            if self.current.is_none() {
                let enough = locked(&self.shared.queue).parts.len() > self.shared.low();
                if enough || self.slow && (has_answers || !self.untold.is_empty()) {
                    return;
                }
                let begin = Instant::now();
                let next = self.source.next();
                // The first rows may have been there before they were asked for.
                self.slow = self.next_row == 0 || begin.elapsed() > LONGEST_WAIT;
                let rows = next.and_then(|next| {
                    next.map(|(field, array)| self.table.rows(&field, &array, self.next_row)).transpose()
                });
                match rows {
                    Ok(Some(rows)) => {
                        self.next_row += rows.len as i64;
                        self.current = Some((Arc::new(rows), 0));
                    }
                    // What came before is told first.
                    Err(error) => (self.ended, self.failure) = (true, Some(error)),
                    Ok(None) => self.ended = true,
                }
            }
            self.cut();
        }
    }

    /// Hands out parts of the current batch.
    fn cut(&mut self) {
        let Some((rows, mut begin)) = self.current.take() else { return };
        let mut parts = Vec::new();
        while begin < rows.len && self.under_way.is_below(UNDER_WAY) {
            let mut end = begin;
            let mut bytes = 0;
            while end < rows.len && end - begin < PART_ROWS && bytes < PART_BYTES {
                bytes += rows.column.cell(end).map_or(0, |cell| cell.range.len());
                end += 1;
            }
            self.under_way.rows += end - begin;
            self.under_way.bytes += bytes;
            let (answers, done) = Default::default();
            parts.push(Arc::new(Part { rows: rows.clone(), range: begin..end, bytes, answers, done }));
            begin = end;
        }
        if begin < rows.len {
            self.current = Some((rows, begin));
        }
        self.untold.extend(parts.iter().cloned());
        locked(&self.shared.queue).parts.extend(parts);
        self.shared.work.notify_all();
    }

    /// Waits for answers, and looks for signals: only Python's main thread sees any.
    fn wait(&self) -> Result<(), ArrowError> {
        let queue = locked(&self.shared.queue);
        let (queue, waited) =
            self.shared.done.wait_timeout(queue, POLL).unwrap_or_else(PoisonError::into_inner);
        drop(queue);
        if waited.timed_out()
            && let Some(Err(signal)) = Python::try_attach(|py| py.check_signals())
        {
            let pressed = Python::try_attach(|py| signal.is_instance_of::<PyKeyboardInterrupt>(py));
            let error = arrow_error(signal);
            if pressed == Some(true) {
                interrupt_again();
            }
            return Err(error);
        }
        Ok(())
    }

    /// Nothing more is wanted.
    fn end(&mut self) {
        if std::process::id() != self.process {
            std::mem::forget(std::mem::take(&mut self.threads));
            return;
        }
        self.shared.asked.stop.store(true, Ordering::Relaxed);
        let mut queue = locked(&self.shared.queue);
        queue.parts.clear();
        queue.closed = true;
        self.shared.work.notify_all();
        drop(queue);
        self.ended = true;
        self.current = None;
        // What workers hold of Arrow's may need the interpreter to be let go of, and must be before the process ends.
        let mut threads = std::mem::take(&mut self.threads);
        let mut wait = || threads.drain(..).for_each(|thread| drop(thread.join()));
        if attached(|py| py.detach(&mut wait)).is_none() {
            wait();
        }
        self.untold.clear();
    }
}

impl Iterator for Pipeline {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // Those who make rows may need the interpreter, which whoever asks may hold.
        let mut batch = || {
            // A panic must not cross the interface.
            catch_unwind(AssertUnwindSafe(|| self.batch()))
                .unwrap_or_else(|_| Err(ArrowError::ComputeError("an error inside tribunal".into())))
        };
        let batch = match attached(|py| py.detach(&mut batch)) {
            Some(batch) => batch,
            None => batch(),
        };
        if !matches!(batch, Ok(Some(_))) {
            self.end();
        }
        batch.map_err(without_nul).transpose()
    }
}

impl RecordBatchReader for Pipeline {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// When so few parts are left, more are brought.
    fn low(&self) -> usize {
        64 * self.workers
    }

    /// What a worker does.
    fn work(&self) {
        loop {
            let mut queue = locked(&self.queue);
            let part = loop {
                match queue.parts.pop_front() {
                    Some(part) => break part,
                    None if queue.closed => return,
                    None => queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            let few = queue.parts.len() <= self.low() && queue.parts.len().is_multiple_of(16);
            drop(queue);
            let mut answers = Vec::with_capacity(part.range.len());
            let mut reader = self.asked.reader();
            for row in part.range.clone() {
                if self.asked.stop.load(Ordering::Relaxed) {
                    return;
                }
                self.asked.row(&part.rows.column, row, &mut reader, &mut answers);
            }
            *locked(&part.answers) = answers;
            part.done.store(true, Ordering::Release);
            if few {
                // The lock keeps this from falling between a look at the part and the wait for it.
                drop(locked(&self.queue));
                self.done.notify_one();
            }
        }
    }
}

/// The same error; a text with a NUL cannot cross the interface.
fn without_nul(error: ArrowError) -> ArrowError {
    let text = error.to_string();
    if text.contains('\0') { ArrowError::CDataInterface(text.replace('\0', "\\0")) } else { error }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
