//! What only the one thread of the process touches.

use std::cell::UnsafeCell;

/// A static that only the one thread of the process touches.
pub struct Only<T>(UnsafeCell<T>);

// SAFETY: the process has one thread: those of the program are coroutines on it.
unsafe impl<T> Sync for Only<T> {}

impl<T> Only<T> {
    /// With this value at first.
    pub const fn new(value: T) -> Self {
        Only(UnsafeCell::new(value))
    }

    /// The value. Whoever has it does not give way to another coroutine, and calls nothing that gets it, too.
    #[allow(clippy::mut_from_ref, reason = "the caller sees to it")]
    #[inline(always)]
    pub fn get(&self) -> &mut T {
        // SAFETY: one thread, and see above.
        unsafe { &mut *self.0.get() }
    }
}
