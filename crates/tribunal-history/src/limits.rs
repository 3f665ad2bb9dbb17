//! Limits of a check.

pub mod heap;
#[cfg(feature = "polls")]
pub mod polls;

use crate::verdict::Limit;
use std::sync::atomic::{AtomicBool, Ordering};
use web_time::Instant;

/// Limits of a check.
///
/// ```
/// use std::time::{Duration, Instant};
/// use tribunal::Limits;
/// let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(10)), ..Limits::default() };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The time at which to give up.
    pub deadline: Option<Instant>,
    /// The number of search states to visit at most, for models that need a search.
    pub max_states: u64,
    /// The number of bytes that an engine may use in addition to the history. It counts them before allocating, within 10 %.
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
    /// Whether an engine that has visited this many states may use this many bytes.
    #[inline]
    pub fn check_memory(&self, bytes: usize, states: u64) -> Result<(), Limit> {
        if bytes > self.max_memory || !heap::has_room(0) {
            return Err(Limit::Memory { bytes: self.max_memory.min(heap::allowed()), states });
        }
        Ok(())
    }

    /// The product of two numbers of the input, as bytes that are about to be allocated: a limit if they do not fit.
    ///
    /// ```
    /// # use tribunal::Limits;
    /// let limits = Limits { max_memory: 1 << 20, ..Limits::default() };
    /// assert_eq!(limits.product(1000, 8), Ok(8000));
    /// assert!(limits.product(usize::MAX, 2).is_err());
    /// ```
    pub fn product(&self, count: usize, each: usize) -> Result<usize, Limit> {
        let bytes = count.saturating_mul(each);
        if bytes > self.max_memory || !heap::has_room(bytes) {
            return Err(Limit::Memory { bytes: self.max_memory.min(heap::allowed()), states: 0 });
        }
        Ok(bytes)
    }

    /// Makes room for `count * each` more items, or gives the limit that they exceed; it never aborts. A growth by a product of
    /// sizes of the input goes through here.
    pub fn reserve<T>(&self, items: &mut Vec<T>, count: usize, each: usize) -> Result<(), Limit> {
        let more = count.saturating_mul(each);
        let bytes = self.product(more, size_of::<T>())?;
        let refused = |_| Limit::Memory { bytes: bytes.min(self.max_memory), states: 0 };
        heap::trying(|| items.try_reserve_exact(more)).map_err(refused)
    }

    /// The limits that are left beside so many bytes.
    pub fn beside(&self, bytes: usize) -> Result<Self, Limit> {
        self.check_memory(bytes, 0)?;
        Ok(Limits { max_memory: self.max_memory - bytes, ..*self })
    }

    /// Whether to continue after this many states. Cheap enough to call once per thousand events. It also looks at what the process
    /// holds, if that is [counted](heap).
    #[cfg_attr(feature = "polls", track_caller)]
    pub fn check(&self, states: u64) -> Result<(), Limit> {
        #[cfg(feature = "polls")]
        polls::note();
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Limit::Stopped);
        }
        if states > self.max_states {
            return Err(Limit::States { states: self.max_states });
        }
        self.check_memory(0, states)?;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Limit::Time { states }),
            _ => Ok(()),
        }
    }
}
