//! A notification that stays until a thread takes it.

use crate::program::{Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use crate::runtime::state;
use std::fmt;
use tribunal_history::memory::Order;

/// A notification that stays until a thread takes it: `loom::sync::Notify`. Spurious wake-ups happen only if
/// [enabled](crate::Explorer::spurious).
pub struct Notify {
    home: Home,
}

impl Notify {
    /// There is none.
    #[track_caller]
    pub const fn new() -> Self {
        Notify { home: Home::new("Notify", Place::caller()) }
    }

    /// Sets the notification.
    #[track_caller]
    pub fn notify(&self) {
        let update = Update { apply: |_, _| Some(1), operands: [0; 2] };
        let give = Access::Rmw { order: Order::Release, failure: Order::Relaxed, update };
        ops::access(&self.home, || 0, give, Place::caller());
    }

    /// Waits for a notification and takes it.
    ///
    /// # Panics
    /// Outside executions.
    #[track_caller]
    pub fn wait(&self) {
        assert!(state::is_inside(), "`Notify::wait` can only be used inside `explore`");
        let place = Place::caller();
        if ops::wakes_spuriously(place) {
            return;
        }
        let update = Update { apply: |given, _| (given == 1).then_some(0), operands: [0; 2] };
        ops::access(&self.home, || 0, Access::AwaitRmw { order: Order::Acquire, update }, place);
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Notify::new()
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notify").finish_non_exhaustive()
    }
}
