//! What POSIX has for threads, in libc's place. What is not here is libc's own: attributes, `pthread_self`, values of keys.

mod barrier;
pub mod condition;
pub mod key;
pub mod mutex;
pub mod once;
mod rwlock;
mod semaphore;
mod spin;
pub mod thread;
