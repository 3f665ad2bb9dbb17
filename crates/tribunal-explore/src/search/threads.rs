//! Numbers for threads that mean the same in every execution and for every worker.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_history::memory::{LocId, ThreadId};

/// A thread is known by its parent and by how many children that had made before.
#[derive(Default)]
struct Table {
    children: FxHashMap<(ThreadId, u32), ThreadId>,
    /// From the main thread to each thread, which child it is.
    paths: Vec<Arc<[u32]>>,
    /// Executions in which no thread could go on and that went on by a timeout.
    standstills: FxHashSet<(u64, u64)>,
    written: Written,
    /// Events of executions that were [left](super::stale).
    left: usize,
}

/// By location and thread: how many events a thread had, at most, when it wrote there.
type Written = Vec<Vec<u32>>;

/// The threads that a worker has met, and all those that any has.
pub(super) struct Threads {
    shared: Arc<Mutex<Table>>,
    children: FxHashMap<(ThreadId, u32), ThreadId>,
    paths: Vec<Option<Arc<[u32]>>>,
    written: Written,
}

impl Threads {
    pub(super) fn new() -> Self {
        let table = Table { paths: vec![Arc::default()], ..Table::default() };
        Threads { shared: Arc::new(Mutex::new(table)), ..Threads::empty(Arc::default()) }
    }

    fn empty(shared: Arc<Mutex<Table>>) -> Self {
        Threads {
            shared,
            children: FxHashMap::default(),
            paths: vec![Some(Arc::default())],
            written: Written::default(),
        }
    }

    /// The same numbers, for another worker.
    pub(super) fn share(&self) -> Self {
        Threads::empty(self.shared.clone())
    }

    /// Whether no worker has met this standstill before.
    pub(super) fn is_first_standstill(&self, key: (u64, u64)) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).standstills.insert(key)
    }

    /// A thread that had so many events, this one included, has written a location.
    pub(super) fn wrote(&mut self, loc: LocId, thread: ThreadId, events: u32) {
        if *written(&mut self.written, loc, thread) < events {
            *written(&mut self.written, loc, thread) = events;
            let mut table = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            let all = written(&mut table.written, loc, thread);
            *all = events.max(*all);
        }
    }

    /// Whether there is room for an execution of so many events that is left, and kept.
    pub(super) fn leave(&self, events: usize) -> bool {
        /// A few hundred bytes each.
        const MOST: usize = 1 << 20;
        let mut table = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        table.left += events;
        table.left <= MOST
    }

    /// Whether some thread has written one of these locations later, in any execution, than where it had this many events.
    pub(super) fn write_later(&self, locs: &[LocId], events: impl Fn(ThreadId) -> usize) -> bool {
        let table = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let written = locs.iter().filter_map(|loc| table.written.get(loc.index()));
        let mut threads = written.flat_map(|counts| (0..).map(ThreadId::from_index).zip(counts));
        threads.any(|(thread, &count)| count as usize > events(thread))
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

fn written(all: &mut Written, loc: LocId, thread: ThreadId) -> &mut u32 {
    let (loc, thread) = (loc.index(), thread.index());
    if all.len() <= loc {
        all.resize_with(loc + 1, Vec::new);
    }
    if all[loc].len() <= thread {
        all[loc].resize(thread + 1, 0);
    }
    &mut all[loc][thread]
}
