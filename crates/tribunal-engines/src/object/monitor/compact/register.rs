//! Registers.

use crate::object::monitor::window::{NEVER, Window};
use rustc_hash::FxHashMap;
use tribunal_history::object::Value;

#[derive(Default)]
struct Cluster {
    slots: Vec<u32>,
    first_end: u64,
    last_call: u64,
    dropped: bool,
}

/// Drops the values that were overwritten before `T`.
///
/// A value's write and its reads, its cluster, are a block of every linearization. Let a, of cluster c, be the
/// last-called of the operations that returned before `T`. A cluster with an operation that returned before a
/// was called is before c in every linearization, and so is one with an operation before one of those, and so on: these are dropped. No operation called at or
/// after `T` is before a, so none is in a dropped cluster. Given a linearization of the rest, one of H·F is that of the dropped
/// clusters in H, then it: no operation of the rest is before a dropped one, or it would be dropped too.
pub(super) fn compact(window: &mut Window, initial: &Value) {
    let t = window.first_open();
    let mut clusters: FxHashMap<Value, Cluster> = FxHashMap::default();
    let mut last: Option<(u64, &Value)> = None;
    for (slot, operation) in window.iter() {
        let Some(value) = operation.args.first().or(operation.result()) else { continue };
        let cluster = clusters.entry(value.clone()).or_insert_with(|| Cluster {
            // The initial value was there before all.
            first_end: if value == initial { 0 } else { NEVER },
            ..Cluster::default()
        });
        cluster.slots.push(slot);
        cluster.first_end = cluster.first_end.min(operation.end);
        cluster.last_call = cluster.last_call.max(operation.call);
        if operation.end < t && last.is_none_or(|(call, _)| call < operation.call) {
            last = Some((operation.call, value));
        }
    }
    let Some((mut call, last)) = last.map(|(call, value)| (call, value.clone())) else { return };
    let mut order: Vec<(u64, Value)> = clusters
        .iter()
        .filter(|(value, _)| **value != last)
        .map(|(value, cluster)| (cluster.first_end, value.clone()))
        .collect();
    order.sort_unstable();
    for (first_end, value) in order {
        if first_end >= call {
            break;
        }
        if let Some(cluster) = clusters.get_mut(&value) {
            cluster.dropped = true;
            call = call.max(cluster.last_call);
        }
    }
    for slot in clusters.values().filter(|cluster| cluster.dropped).flat_map(|cluster| &cluster.slots) {
        window.remove(*slot);
    }
}
