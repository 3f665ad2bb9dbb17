//! Collections behind a lock, which must never be found weak.

use crate::{ordered_map, sized_queue};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use tribunal_history::object::specs;
use tribunal_record::object;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

object! {
    /// A map behind a mutex.
    pub struct MutexMap(Mutex<HashMap<i64, i64>>) as specs::Map, new Mutex::default();
    put(k in 0..4, v in 1..100) = |map| lock(map).insert(k, v);
    remove(k in 0..4) = |map| lock(map).remove(&k);
    get(k in 0..4) = |map| lock(map).get(&k).copied();
    contains_key(k in 0..4) = |map| lock(map).contains_key(&k);
    size() = |map| lock(map).len();
}

object! {
    /// A map behind a lock that readers share.
    pub struct RwLockMap(RwLock<BTreeMap<i64, i64>>) as ordered_map(), new RwLock::default();
    put(k in 0..4, v in 1..100) = |map| map.write().unwrap_or_else(PoisonError::into_inner).insert(k, v);
    remove(k in 0..4) = |map| map.write().unwrap_or_else(PoisonError::into_inner).remove(&k);
    get(k in 0..4) = |map| map.read().unwrap_or_else(PoisonError::into_inner).get(&k).copied();
    size() = |map| map.read().unwrap_or_else(PoisonError::into_inner).len();
    keys() = |map| map.read().unwrap_or_else(PoisonError::into_inner).keys().copied().collect::<Vec<i64>>();
}

object! {
    /// A set behind a mutex.
    pub struct MutexSet(Mutex<BTreeSet<i64>>) as specs::Set, new Mutex::default();
    add(v in 0..4) = |set| lock(set).insert(v);
    remove(v in 0..4) = |set| lock(set).remove(&v);
    contains(v in 0..4) = |set| lock(set).contains(&v);
}

object! {
    /// A queue behind a mutex.
    pub struct MutexQueue(Mutex<VecDeque<i64>>) as sized_queue(), new Mutex::default();
    push(v in 1..100) = |queue| lock(queue).push_back(v);
    pop() = |queue| lock(queue).pop_front();
    size() = |queue| lock(queue).len();
    is_empty() = |queue| lock(queue).is_empty();
}
