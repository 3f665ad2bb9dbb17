//! Doing the same for many things, or two things at once, on all cores if the history is large.

use tribunal_history::memory::{Execution, ThreadId};

/// Histories from this size on are worth it.
#[cfg(feature = "parallel")]
const LARGE: usize = 1 << 16;

/// The number of cores that are used for a history.
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

/// The results of `a` and `b`: computed at once, if the history is large.
pub(crate) fn join<A: Send, B: Send>(
    x: &Execution,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if width(x) > 1 {
        return rayon::join(a, b);
    }
    let _ = x;
    (a(), b())
}

/// The number of threads that have a state at once in [`in_turns`], over all cores.
pub(crate) fn states_at_once(x: &Execution, size: usize) -> usize {
    let threads = x.thread_count();
    if size.saturating_mul(threads) <= x.len() { threads } else { width(x).min(threads) }
}

/// Brings a state for each thread to its end; `advance` says whether there is more to do, and `end` what is kept of it. The
/// threads of a core's team take turns, so that they meet what they have in common in cache; if their states, of `size`
/// entries each, would then outgrow the history, one after the other.
pub(crate) fn in_turns<S, R: Send, E: Send>(
    x: &Execution,
    size: usize,
    new: impl Fn(ThreadId) -> S + Sync + Send,
    advance: impl Fn(&mut S) -> Result<bool, E> + Sync + Send,
    end: impl Fn(S) -> R + Sync + Send,
) -> Result<Vec<R>, E> {
    let threads: Vec<ThreadId> = x.threads().collect();
    let fits = states_at_once(x, size) == threads.len();
    let team = if fits { threads.len().div_ceil(width(x)).max(1) } else { 1 };
    let teams: Vec<&[ThreadId]> = threads.chunks(team).collect();
    let states = map(x, &teams, |team| {
        let mut states: Vec<(S, bool)> = team.iter().map(|&thread| (new(thread), true)).collect();
        while states.iter().any(|(_, more)| *more) {
            // A state that is at its end stays as it is.
            for (state, more) in states.iter_mut().filter(|(_, more)| *more) {
                *more = advance(state)?;
            }
        }
        Ok(states.into_iter().map(|(state, _)| end(state)).collect::<Vec<R>>())
    });
    Ok(states.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
