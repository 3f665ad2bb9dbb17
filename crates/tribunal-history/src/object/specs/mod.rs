//! The built-in specifications.
//!
//! | name | methods |
//! |---|---|
//! | `register`, `register(initial)` | `write(v)` → null, `read()` → v |
//! | `cas-register`, `cas-register(initial)` | as register, `cas(old, new)` → bool |
//! | `counter` | `inc()` → null, `add(n)` → null, `get()` → n |
//! | `set` | `add(v)`, `remove(v)`, `contains(v)` → bool |
//! | `grow-set` | `add(v)` → null, `read()` → all values, in order |
//! | `map` | `put(k, v)`, `get(k)`, `remove(k)` → v or null, `contains_key(k)`, `contains_value(v)` → bool, `size()` → n |
//! | `queue` | `enqueue(v)` → null, `dequeue()` → v or null |
//! | `stack` | `push(v)` → null, `pop()` → v or null |
//! | `priority-queue` | `insert(v)` → null, `delete_min()` → v or null |
//! | `list` | `append(v)` → null, `read()` → list |
//! | `multi-register`, `multi-register({"x": 0})` | `txn([["r", k, null], ["w", k, v]])` → the list with reads filled in |
//! | `bank`, `bank({"a": 10})` | `transfer(from, to, n)` → bool, `balance(a)` → n or null, `read()` → list of [a, n] |
//! | `mutex` | `acquire()` → null, `release()` → null |
//! | `kv-store` | `get(k)` → text, `put(k, v)` → null, `append(k, v)` → null |
//! | `keyed X` | the methods of X, with a key before the other arguments |

mod bank;
mod cas_register;
mod counter;
mod grow_set;
mod keyed;
mod kv_store;
mod list;
mod map;
mod multi_register;
mod mutex;
mod named;
mod priority_queue;
mod queue;
mod register;
mod set;
mod stack;

use crate::heap::tree;
pub use bank::Bank;
pub use cas_register::CasRegister;
pub use counter::Counter;
pub use grow_set::GrowSet;
pub use keyed::Keyed;
pub use kv_store::KvStore;
pub use list::List;
pub use map::{Entries, Map};
pub use multi_register::MultiRegister;
pub use mutex::Mutex;
pub use named::{NAMES, UnknownSpec, named};
pub use priority_queue::PriorityQueue;
pub use queue::Queue;
pub use register::Register;
pub use set::Set;
pub use stack::Stack;

#[cfg(test)]
mod tests;
