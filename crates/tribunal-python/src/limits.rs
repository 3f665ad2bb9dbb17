//! The limits of an answer, and Ctrl-C.

use crate::error::error;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_host::most_memory;

/// An engine may go as deep as on the main thread.
pub const STACK: usize = 8 << 20;
/// How often signals are looked for.
pub const POLL: Duration = Duration::from_millis(20);

/// How much each answer may cost.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time.
    pub timeout: Option<Duration>,
    /// The memory, in bytes; by default most of the machine's.
    pub max_memory: Option<usize>,
    /// The states of a search.
    pub max_states: Option<u64>,
}

impl Budget {
    /// How long each answer may take where everything is asked, unless it is said how long.
    const ANSWER_TIME: Duration = Duration::from_secs(10);

    /// As Python gives them: seconds, bytes and a number.
    pub fn new(timeout: Option<f64>, max_memory: Option<usize>, max_states: Option<u64>) -> PyResult<Self> {
        let timeout = timeout.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| error(format!("timeout={seconds}: expected seconds, 0 or more")))
        });
        Ok(Budget { timeout: timeout.transpose()?, max_memory, max_states })
    }

    /// The budget of each answer where everything is asked.
    pub fn of_all(self) -> Self {
        Budget { timeout: self.timeout.or(Some(Budget::ANSWER_TIME)), ..self }
    }

    /// The limits of an answer that is begun now.
    pub fn limits<'a>(&self, stop: &'a AtomicBool) -> Limits<'a> {
        Limits {
            deadline: self.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            max_states: self.max_states.unwrap_or(Limits::default().max_states),
            max_memory: self.max_memory.unwrap_or_else(most_memory),
            stop: Some(stop),
        }
    }
}

/// Lets all histories, monitors and answers of the process together hold so many bytes: beyond them answers become undecided. None
/// lifts the limit. The process is never ended.
#[pyfunction]
#[pyo3(signature = (bytes))]
pub fn heap_allow(bytes: Option<usize>) {
    tribunal_history::limits::heap::allow(bytes.unwrap_or(usize::MAX));
}

/// Does something without the interpreter's lock, on a thread of its own, so that this one can look for signals: Ctrl-C stops it.
pub fn interruptible<T: Send>(py: Python<'_>, act: impl FnOnce(Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        thread::scope(|scope| {
            let (done, waiting) = channel();
            let work = {
                let stop = stop.clone();
                move || done.send(act(stop))
            };
            let builder = thread::Builder::new().name("tribunal".into()).stack_size(STACK);
            let worker = builder.spawn_scoped(scope, work)?;
            loop {
                match waiting.recv_timeout(POLL) {
                    Ok(answer) => return Ok(answer),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            return Err(signal);
                        }
                    }
                    // It has panicked.
                    Err(RecvTimeoutError::Disconnected) => {
                        let panic = worker.join().map(drop).expect_err("no answer came");
                        std::panic::resume_unwind(panic);
                    }
                }
            }
        })
    })
}

/// Like [`interruptible`], for answers that mostly come at once: those are found on this thread.
pub fn interruptible_soon<T: Send>(
    py: Python<'_>,
    budget: &Budget,
    act: impl Fn(&Limits<'_>) -> T + Send + Sync,
    is_late: impl Fn(&T) -> bool + Send + Sync,
) -> PyResult<T> {
    let at_once =
        Budget { timeout: Some(budget.timeout.map_or(POLL, |timeout| timeout.min(POLL))), ..budget.clone() };
    let answer = py.detach(|| {
        let never = AtomicBool::new(false);
        Some(act(&at_once.limits(&never)))
            .filter(|answer| !is_late(answer) || at_once.timeout == budget.timeout)
    });
    match answer {
        Some(answer) => Ok(answer),
        None => interruptible(py, |stop| act(&budget.limits(&stop))),
    }
}
