//! Choosing the parts of a program that are explored: `loom::explore`, `loom::stop_exploring` and `loom::skip_branch`.
//!
//! While exploring is off, an operation takes what it prefers to take: a read its preferred write, a choice its first option. Nothing else is tried
//! in its place, neither at once nor when a later write comes. An operation that waits goes on with whatever lets it. The switch is one for all threads, and
//! counts from when it is called, in the order in which the explorer runs the threads.
//!
//! Executions are left out in this way, among them ones that fail: a report then ends with [`End::Skipped`](crate::End::Skipped). It has no effect on random
//! samples, which are not exhaustive anyway.

use crate::runtime::state;

/// From here on, the operations of threads are explored, unless the [branch is skipped](skip_branch).
pub fn explore() {
    state::with(|state| state.exploring = !state.skipping);
}

/// From here on, the operations of threads are not explored.
pub fn stop_exploring() {
    state::with(|state| state.exploring = false);
}

/// From here to the end of the execution, the operations of threads are not explored, whatever [`explore`] says.
pub fn skip_branch() {
    state::with(|state| (state.exploring, state.skipping) = (false, true));
}
