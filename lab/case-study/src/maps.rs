//! Maps, skip lists, trees and caches.

use crate::ordered_map;
use crate::pause::pause;
use crossbeam_skiplist::SkipMap;
use dashmap::DashMap;
use evmap::handles::{ReadHandle, WriteHandle};
use std::sync::{Mutex, PoisonError};
use tribunal_record::object;

/// Keys in their order, with a pause at each.
fn sorted(keys: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut keys: Vec<i64> = keys.inspect(|_| pause()).collect();
    keys.sort_unstable();
    keys
}

object! {
    /// Many shards, so that counting takes its time.
    pub struct Dash(DashMap<i64, i64>) as ordered_map(), new DashMap::with_shard_amount(256);
    put(k in 0..4, v in 1..100) = |map| map.insert(k, v);
    remove(k in 0..4) = |map| map.remove(&k).map(|(_, v)| v);
    get(k in 0..4) = |map| map.get(&k).map(|entry| *entry.value());
    contains_key(k in 0..4) = |map| map.contains_key(&k);
    size() = |map| map.len();
    keys() = |map| sorted(map.iter().map(|entry| *entry.key()));
}

object! {
    pub struct Skip(SkipMap<i64, i64>) as ordered_map(), new SkipMap::new();
    set(k in 0..4, v in 1..100) = |map| { map.insert(k, v); };
    remove(k in 0..4) = |map| map.remove(&k).map(|entry| *entry.value());
    get(k in 0..4) = |map| map.get(&k).map(|entry| *entry.value());
    contains_key(k in 0..4) = |map| map.contains_key(&k);
    size() = |map| map.len();
    keys() = |map| sorted(map.iter().map(|entry| *entry.key()));
}

object! {
    pub struct SccHashMap(scc::HashMap<i64, i64>) as ordered_map(), new scc::HashMap::with_capacity(1024);
    put(k in 0..4, v in 1..100) = |map| map.upsert_sync(k, v);
    remove(k in 0..4) = |map| map.remove_sync(&k).map(|(_, v)| v);
    get(k in 0..4) = |map| map.read_sync(&k, |_, v| *v);
    contains_key(k in 0..4) = |map| map.contains_sync(&k);
    size() = |map| map.len();
    keys() = |map| {
        let mut keys = Vec::new();
        map.iter_sync(|&k, _| {
            keys.push(k);
            pause();
            true
        });
        sorted(keys.into_iter())
    };
}

object! {
    pub struct SccTree(scc::TreeIndex<i64, i64>) as ordered_map(), new scc::TreeIndex::new();
    insert(k in 0..4, v in 1..100) = |tree| tree.insert_sync(k, v).is_ok();
    discard(k in 0..4) = |tree| tree.remove_sync(&k);
    get(k in 0..4) = |tree| tree.peek_with(&k, |_, v| *v);
    contains_key(k in 0..4) = |tree| tree.contains(&k);
    size() = |tree| tree.len();
    keys() = |tree| sorted(tree.iter(&scc::Guard::new()).map(|(&k, _)| k));
}

object! {
    pub struct Papaya(papaya::HashMap<i64, i64>) as ordered_map(), new papaya::HashMap::new();
    put(k in 0..4, v in 1..100) = |map| map.pin().insert(k, v).copied();
    remove(k in 0..4) = |map| map.pin().remove(&k).copied();
    get(k in 0..4) = |map| map.pin().get(&k).copied();
    contains_key(k in 0..4) = |map| map.pin().contains_key(&k);
    size() = |map| map.len();
    keys() = |map| sorted(map.pin().iter().map(|(&k, _)| k));
}

object! {
    pub struct Flurry(flurry::HashMap<i64, i64>) as ordered_map(), new flurry::HashMap::new();
    put(k in 0..4, v in 1..100) = |map| map.pin().insert(k, v).copied();
    remove(k in 0..4) = |map| map.pin().remove(&k).copied();
    get(k in 0..4) = |map| map.pin().get(&k).copied();
    contains_key(k in 0..4) = |map| map.pin().contains_key(&k);
    size() = |map| map.pin().len();
    keys() = |map| sorted(map.pin().iter().map(|(&k, _)| k));
}

object! {
    /// Without bounds: nothing is evicted.
    pub struct Moka(moka::sync::Cache<i64, i64>) as ordered_map(), new moka::sync::Cache::builder().build();
    set(k in 0..4, v in 1..100) = |cache| cache.insert(k, v);
    remove(k in 0..4) = |cache| cache.remove(&k);
    get(k in 0..4) = |cache| cache.get(&k);
    contains_key(k in 0..4) = |cache| cache.contains_key(&k);
    size() = |cache| cache.entry_count();
    keys() = |cache| sorted(cache.iter().map(|(k, _)| *k));
}

/// The writers share a handle; each read makes its own.
pub struct EvmapHandles {
    writer: Mutex<WriteHandle<i64, i64>>,
    reader: Mutex<ReadHandle<i64, i64>>,
}

impl EvmapHandles {
    fn new() -> Self {
        let (mut writer, reader) = evmap::new();
        // Before the first time, readers see no map at all.
        writer.publish();
        EvmapHandles { writer: Mutex::new(writer), reader: Mutex::new(reader) }
    }

    fn write(&self, change: impl FnOnce(&mut WriteHandle<i64, i64>)) {
        change(&mut self.writer.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn reader(&self) -> ReadHandle<i64, i64> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

object! {
    pub struct Evmap(EvmapHandles) as ordered_map(), new EvmapHandles::new();
    set(k in 0..4, v in 1..100) = |map| map.write(|writer| { writer.update(k, v); });
    publish() = |map| map.write(|writer| { writer.publish(); });
    get(k in 0..4) = |map| map.reader().get_one(&k).map(|v| *v);
    size() = |map| map.reader().len();
}
