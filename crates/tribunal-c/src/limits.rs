//! Limits of an answer, and stopping it from elsewhere.

use crate::status::{Status, freed, guarded, invalid, made};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tribunal_host::most_memory;

/// Limits of an answer. All zeros, or NULL instead: the defaults of `tribunal check`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Milliseconds; 0: no limit.
    pub timeout_ms: u64,
    /// Bytes in addition to the history; 0: three quarters of the machine's memory.
    pub max_memory: usize,
    /// Search states; 0: ten million.
    pub max_states: u64,
    /// Stops the answer when raised; may be NULL.
    pub stop: Option<&'a Stop>,
}

/// A flag that stops answers, from another thread or from a signal handler.
pub struct Stop(Arc<AtomicBool>);

/// Limits that are kept, and begin again with each answer.
#[derive(Clone)]
pub(crate) struct Budget {
    timeout: Option<Duration>,
    max_memory: usize,
    max_states: u64,
    stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// As the caller says.
    pub(crate) fn new(limits: Option<&Limits<'_>>) -> Self {
        let usual = tribunal_history::limits::Limits::default();
        let given = |choose: fn(&Limits<'_>) -> u64| limits.map(choose).filter(|&most| most > 0);
        Budget {
            timeout: given(|limits| limits.timeout_ms).map(Duration::from_millis),
            max_memory: limits
                .map(|limits| limits.max_memory)
                .filter(|&most| most > 0)
                .unwrap_or_else(most_memory),
            max_states: given(|limits| limits.max_states).unwrap_or(usual.max_states),
            stop: limits.and_then(|limits| limits.stop).map(|stop| stop.0.clone()),
        }
    }

    /// Without anybody to stop it.
    pub(crate) fn unstopped(&self) -> Self {
        Budget { stop: None, ..self.clone() }
    }

    /// How many bytes may be taken.
    pub(crate) fn max_memory(&self) -> usize {
        self.max_memory
    }

    /// The limits of an answer that begins now.
    pub(crate) fn limits(&self) -> tribunal_history::limits::Limits<'_> {
        tribunal_history::limits::Limits {
            // A time that no clock reaches is no limit.
            deadline: self.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            max_memory: self.max_memory,
            max_states: self.max_states,
            stop: self.stop.as_deref(),
        }
    }
}

/// Lets the library hold so many bytes in all, for all histories, sessions and answers of the process together: beyond them answers
/// become undecided. It never ends the process. The library must have been built with the feature `heap`, as released ones are; if
/// it was not, this is INVALID.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_heap_allow(bytes: usize) -> Status {
    guarded(|| {
        if !cfg!(feature = "heap") {
            return Err(invalid(
                "this library does not count what it holds: build it with the feature `heap`",
            ));
        }
        tribunal_history::limits::heap::allow(bytes);
        Ok(())
    })
}

/// Creates a lowered flag. If it is freed, running answers that use it continue.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_stop_new(stop: Option<&mut MaybeUninit<Option<Box<Stop>>>>) -> Status {
    made(stop, || Ok(Stop(Arc::default())))
}

/// Stops all answers that use the flag: they become undecided, usually within milliseconds. May be called from any thread and
/// from a signal handler.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_stop_raise(stop: Option<&Stop>) {
    if let Some(stop) = stop {
        stop.0.store(true, Ordering::Relaxed);
    }
}

/// Lowers the flag, for later answers.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_stop_lower(stop: Option<&Stop>) {
    if let Some(stop) = stop {
        stop.0.store(false, Ordering::Relaxed);
    }
}

/// Frees a flag. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_stop_free(stop: Option<Box<Stop>>) {
    freed(stop);
}
