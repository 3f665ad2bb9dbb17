//! Numbers for threads that mean the same in every execution and for every worker.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_history::memory::ThreadId;

/// A thread is known by its parent and by how many children that had made before.
#[derive(Default)]
struct Table {
    children: FxHashMap<(ThreadId, u32), ThreadId>,
    /// From the main thread to each thread, which child it is.
    paths: Vec<Arc<[u32]>>,
    /// Executions in which no thread could go on and that went on by a timeout.
    standstills: FxHashSet<(u64, u64)>,
}

/// The threads that a worker has met, and all those that any has.
pub(super) struct Threads {
    shared: Arc<Mutex<Table>>,
    children: FxHashMap<(ThreadId, u32), ThreadId>,
    paths: Vec<Option<Arc<[u32]>>>,
}

impl Threads {
    pub(super) fn new() -> Self {
        let table = Table { paths: vec![Arc::default()], ..Table::default() };
        Threads { shared: Arc::new(Mutex::new(table)), ..Threads::empty(Arc::default()) }
    }

    fn empty(shared: Arc<Mutex<Table>>) -> Self {
        Threads { shared, children: FxHashMap::default(), paths: vec![Some(Arc::default())] }
    }

    /// The same numbers, for another worker.
    pub(super) fn share(&self) -> Self {
        Threads::empty(self.shared.clone())
    }

    /// Whether no worker has met this standstill before.
    pub(super) fn is_first_standstill(&self, key: (u64, u64)) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).standstills.insert(key)
    }

    /// The thread that is the parent's child after `before` others.
    pub(super) fn child(&mut self, parent: ThreadId, before: u32) -> ThreadId {
        if let Some(&child) = self.children.get(&(parent, before)) {
            return child;
        }
        let mut table = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let table = &mut *table;
        let child = *table.children.entry((parent, before)).or_insert_with(|| {
            let path = table.paths[parent.index()].iter().copied().chain([before]).collect();
            table.paths.push(path);
            ThreadId::from_index(table.paths.len() - 1)
        });
        self.children.insert((parent, before), child);
        if self.paths.len() <= child.index() {
            self.paths.resize(child.index() + 1, None);
        }
        self.paths[child.index()] = Some(table.paths[child.index()].clone());
        child
    }

    /// Learns of threads that other workers have met.
    pub(super) fn learn(&mut self, thread: ThreadId) {
        if self.paths.get(thread.index()).is_none_or(Option::is_none) {
            let table = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            if self.paths.len() <= thread.index() {
                self.paths.resize(thread.index() + 1, None);
            }
            self.paths[thread.index()] = table.paths.get(thread.index()).cloned();
        }
    }

    /// The order of spawns: a parent before its children, and these one after the other.
    #[inline]
    pub(super) fn compare(&self, a: ThreadId, b: ThreadId) -> Ordering {
        match a == b {
            true => Ordering::Equal,
            false => self.paths[a.index()].cmp(&self.paths[b.index()]),
        }
    }
}
