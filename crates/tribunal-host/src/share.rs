//! Who may take how much memory: small histories are judged side by side, each within a share; what needs more takes all, alone.
//!
//! The result is the same for any number of workers, since the share does not depend on it.

use std::borrow::Borrow;
use std::sync::{PoisonError, RwLock};
use tribunal_history::limits::Limits;

/// No more workers than that: each may take a share of the memory.
pub const MOST_WORKERS: usize = 64;

/// The memory that answers take.
#[derive(Default)]
pub struct Memory(RwLock<()>);

impl Memory {
    /// The answer to a question within limits that begin when it is asked: of a large history with all the memory, of another first with a
    /// share, which mostly suffices.
    pub fn answer<'l, L: Borrow<Limits<'l>>, T>(
        &self,
        large: bool,
        limits: impl Fn() -> L,
        ask: impl Fn(&Limits<'l>) -> T,
        lacks_memory: impl FnOnce(&T) -> bool,
    ) -> T {
        if !large {
            let _beside_others = self.0.read().unwrap_or_else(PoisonError::into_inner);
            let begun = limits();
            let all: &Limits<'_> = begun.borrow();
            let answer = ask(&Limits { max_memory: all.max_memory / MOST_WORKERS, ..*all });
            if !lacks_memory(&answer) {
                return answer;
            }
        }
        self.alone(|| ask(limits().borrow()))
    }

    /// Does something that may take all the memory, while nothing else is answered.
    pub fn alone<T>(&self, act: impl FnOnce() -> T) -> T {
        let _alone = self.0.write().unwrap_or_else(PoisonError::into_inner);
        act()
    }
}
