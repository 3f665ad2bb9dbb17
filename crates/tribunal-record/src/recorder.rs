//! Recording a program that calls an object by itself.

use crate::ToValue;
use crate::counters::{Counters, Observer};
use crate::order::with_times;
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_history::object::{Builder, History, MalformedHistory, OpId, Value};

/// Records what the threads of a program call and what they get.
///
/// Each thread writes to a buffer of its own; see the crate's documentation for how the order is found. The buffer is there
/// when the first call comes and has room for a number of operations; what comes beyond is recorded too, at the price of allocating.
///
/// ```
/// use std::sync::Mutex;
/// use tribunal::object::{Criterion, check, specs::Map};
/// use tribunal_record::Recorder;
///
/// let map = Mutex::new(std::collections::HashMap::new());
/// let recorder = Recorder::new(2, 100);
/// std::thread::scope(|scope| {
///     for key in [1, 2] {
///         let (map, mut thread) = (&map, recorder.thread());
///         scope.spawn(move || {
///             thread.call("put", [key.into(), 7.into()], || map.lock().expect("no panic").insert(key, 7));
///             thread.call("size", [], || map.lock().expect("no panic").len());
///         });
///     }
/// });
/// let history = recorder.finish()?;
/// assert_eq!(history.len(), 4);
/// assert!(check(&history.typed(&Map)?, &Criterion::Linearizable).is_consistent());
/// # Ok::<(), tribunal_record::RecordError>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    counters: Counters,
    operations: usize,
    threads: usize,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    begun: usize,
    /// By thread, what it recorded, once it is done.
    buffers: Vec<(usize, Buffer)>,
}

/// The events that a thread recorded.
#[derive(Debug, Default)]
struct Buffer {
    methods: Vec<&'static str>,
    args: Vec<Value>,
    /// By operation, where its arguments end.
    ends: Vec<usize>,
    returns: Vec<Option<Value>>,
    seen: Vec<u32>,
}

/// The reason why there is no history.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A thread may still call.
    #[error("thread {thread} is still recording: drop it before the recorder finishes")]
    Unfinished {
        /// The thread, by the order in which they began.
        thread: usize,
    },
    /// The operations make no history.
    #[error(transparent)]
    Malformed(#[from] MalformedHistory),
}

/// The calls of one thread; what it recorded goes to the recorder when it is dropped.
#[derive(Debug)]
pub struct Thread {
    me: usize,
    observer: Observer,
    buffer: Buffer,
    shared: Arc<Mutex<Shared>>,
}

impl Recorder {
    /// A recorder for this many threads, each with room for this many operations.
    pub fn new(threads: usize, operations: usize) -> Self {
        Recorder { counters: Counters::new(threads), operations, threads, shared: Arc::default() }
    }

    /// The next thread; they are called 0, 1, ...
    ///
    /// # Panics
    ///
    /// If all threads of the recorder have begun.
    pub fn thread(&self) -> Thread {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let me = shared.begun;
        assert!(me < self.threads, "the recorder is one of {} threads, and all have begun", self.threads);
        shared.begun += 1;
        let buffer = Buffer {
            methods: Vec::with_capacity(self.operations),
            args: Vec::with_capacity(2 * self.operations),
            ends: Vec::with_capacity(self.operations),
            returns: Vec::with_capacity(self.operations),
            seen: Vec::new(),
        };
        let observer = Observer::new(&self.counters, me, self.operations);
        Thread { me, observer, buffer, shared: Arc::clone(&self.shared) }
    }

    /// The history, once every thread is dropped.
    ///
    /// Where the threads left the order open, as in store buffering, it has pairs instead of times: what certainly
    /// happened before. If it breaks a criterion, so does the real order, since more pairs only ask for more.
    pub fn finish(self) -> Result<History, RecordError> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffers: Vec<Option<Buffer>> = (0..shared.begun).map(|_| None).collect();
        for (thread, buffer) in shared.buffers.drain(..) {
            buffers[thread] = Some(buffer);
        }
        let finished = buffers.into_iter().enumerate();
        let buffers: Vec<Buffer> = finished
            .map(|(thread, buffer)| buffer.ok_or(RecordError::Unfinished { thread }))
            .collect::<Result<_, _>>()?;
        history(buffers, self.threads)
    }
}

fn history(buffers: Vec<Buffer>, threads: usize) -> Result<History, RecordError> {
    let mut builder = Builder::default();
    let mut firsts = Vec::with_capacity(buffers.len());
    let mut rows: Vec<Vec<u32>> = Vec::with_capacity(buffers.len());
    for (thread, buffer) in buffers.into_iter().enumerate() {
        firsts.push(builder.len() as u32);
        let process = builder.process(&thread.to_string());
        let mut begin = 0;
        for ((method, end), ret) in buffer.methods.into_iter().zip(buffer.ends).zip(buffer.returns) {
            builder.operation(process, method, &buffer.args[begin..end], ret);
            begin = end;
        }
        rows.push(buffer.seen);
    }
    for (me, rows) in rows.iter().enumerate() {
        // The first of an operation's two rows is that of its call.
        for (op, row) in (firsts[me]..).zip(rows.chunks(threads).step_by(2)) {
            for (thread, &count) in row.iter().enumerate().filter(|&(thread, _)| thread != me) {
                if count >= 2 {
                    builder.before(OpId(firsts[thread] + count / 2 - 1), OpId(op));
                }
            }
        }
    }
    Ok(with_times(builder.build()?))
}

impl Thread {
    /// Calls a method: `call` is what is recorded under this name and these arguments, with what it returns.
    ///
    /// If it panics, the operation is pending in the history.
    pub fn call<T: ToValue>(
        &mut self,
        method: &'static str,
        args: impl IntoIterator<Item = Value>,
        call: impl FnOnce() -> T,
    ) -> T {
        if self.observer.is_calling() {
            // The last call panicked: it is over, but has no return.
            self.observer.count();
        }
        self.buffer.methods.push(method);
        self.buffer.args.extend(args);
        self.buffer.ends.push(self.buffer.args.len());
        self.buffer.returns.push(None);
        self.observer.count();
        let ret = call();
        self.observer.count();
        if let Some(slot) = self.buffer.returns.last_mut() {
            *slot = Some(ret.to_value());
        }
        ret
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.seen = std::mem::take(&mut self.observer.seen);
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).buffers.push((self.me, buffer));
    }
}
