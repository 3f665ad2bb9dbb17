//! Doing the same for many things, on all cores if the history is large.

use crate::memory::Execution;

/// Histories from this size on are worth it.
#[cfg(feature = "parallel")]
const LARGE: usize = 1 << 16;

/// How many cores are used for a history.
pub(crate) fn width(x: &Execution) -> usize {
    #[cfg(feature = "parallel")]
    if x.len() >= LARGE {
        return rayon::current_num_threads();
    }
    let _ = x;
    1
}

/// `f` of each item, in order.
pub(crate) fn map<T: Sync, R: Send>(x: &Execution, items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "parallel")]
    if width(x) > 1 {
        use rayon::prelude::*;
        return items.par_iter().map(f).collect();
    }
    let _ = x;
    items.iter().map(f).collect()
}
