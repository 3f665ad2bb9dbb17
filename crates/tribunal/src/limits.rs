//! How much a check may cost.

use crate::verdict::Limit;
use std::sync::atomic::{AtomicBool, Ordering};
use web_time::Instant;

/// How much a check may cost.
///
/// ```
/// use std::time::{Duration, Instant};
/// use tribunal::Limits;
/// let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(10)), ..Limits::default() };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// When to give up.
    pub deadline: Option<Instant>,
    /// How many search states to visit at most, for the models that search.
    pub max_states: u64,
    /// How many bytes an engine may take beside the history, as far as it counts them.
    pub max_memory: usize,
    /// Set by the caller, from another thread or a signal handler, to stop early.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { deadline: None, max_states: 10_000_000, max_memory: usize::MAX, stop: None }
    }
}

impl Limits<'_> {
    /// Whether an engine that has visited this many states may take this many bytes.
    pub(crate) fn check_memory(&self, bytes: usize, states: u64) -> Result<(), Limit> {
        if bytes > self.max_memory { Err(Limit::Memory { bytes: self.max_memory, states }) } else { Ok(()) }
    }

    /// Whether to go on after visiting this many states. Cheap enough for once in a thousand events.
    pub(crate) fn check(&self, states: u64) -> Result<(), Limit> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Limit::Stopped);
        }
        if states > self.max_states {
            return Err(Limit::States { states: self.max_states });
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Limit::Time { states }),
            _ => Ok(()),
        }
    }
}
