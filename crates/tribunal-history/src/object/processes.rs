//! Sets of processes.

use crate::heap::{Heap, block};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of crashed processes by name. Numbers take one bit each if there are others near them: test harnesses
/// count upward when they replace a crashed process.
///
/// ```
/// use tribunal::history::object::ProcessSet;
/// let mut crashed = ProcessSet::default();
/// crashed.insert("17");
/// crashed.insert("a");
/// assert!(crashed.contains("17") && crashed.contains("a") && !crashed.contains("017"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProcessSet {
    /// By the upper bits of numbers, which of the lower ones are there.
    numbers: FxHashMap<u64, u64>,
    names: FxHashSet<Box<str>>,
    bytes: usize,
}

impl ProcessSet {
    /// Adds a process.
    pub fn insert(&mut self, name: &str) {
        match number(name) {
            Some(number) => *self.numbers.entry(number >> 6).or_default() |= 1 << (number & 63),
            None => {
                if self.names.insert(name.into()) {
                    self.bytes += block(name.len());
                }
            }
        }
    }

    /// Whether a process was added.
    pub fn contains(&self, name: &str) -> bool {
        match number(name) {
            Some(number) => {
                self.numbers.get(&(number >> 6)).is_some_and(|bits| bits >> (number & 63) & 1 == 1)
            }
            None => self.names.contains(name),
        }
    }

    /// Heap memory in bytes.
    pub fn bytes(&self) -> usize {
        self.numbers.peak() + self.names.peak() + self.bytes
    }
}

/// The number that a name is, if it is written as numbers are.
fn number(name: &str) -> Option<u64> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| plain)
}
