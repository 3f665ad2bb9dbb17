//! Zones: in which order clusters of operations, each in one piece, can follow one another.

use std::ops::Range;

/// A cluster; the first is what was there initially.
pub(super) type ClusterId = u32;

/// The clusters in an order that contains hb; or two that must precede each other (Gibbons and Korach, Testing shared
/// memories, 1997). O(n log n).
///
/// The first return `f` and the last call `s` in a cluster are its zone: *forward*, `[f, s]`, if `f < s`, and *backward*,
/// `[s, f]`, otherwise. What was there initially was written before everything, so its `f` is 0, and its zone forward.
///
/// If `f(a) < s(b)` then something of `a` precedes something of `b`, so all of `a` precedes all of `b`. So an order needs:
/// - no two forward zones overlap: they would precede each other;
/// - no backward zone lies inside a forward one: they would, too.
///
/// It suffices, if a cluster can take place at each instant of a backward zone, and within a forward one: put a backward
/// cluster at an instant of its zone outside all forward zones.
pub(super) fn order(
    clusters: Range<ClusterId>,
    f: impl Fn(ClusterId) -> u32,
    s: impl Fn(ClusterId) -> u32,
) -> Result<Vec<ClusterId>, (ClusterId, ClusterId)> {
    // Instants are the ranks of the next events.
    let mut order: Vec<(u32, bool, ClusterId)> = Vec::with_capacity(clusters.len());
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for cluster in clusters {
        if cluster == 0 || f(cluster) < s(cluster) {
            forward.push(cluster);
        } else {
            backward.push(cluster);
        }
    }
    forward.sort_unstable_by_key(|&cluster| (f(cluster), cluster));
    if let Some(pair) = forward.windows(2).find(|pair| f(pair[1]) < s(pair[0])) {
        return Err((pair[0], pair[1]));
    }
    // By cluster an instant; at one instant the forward cluster that begins there comes last.
    order.extend(forward.iter().map(|&cluster| (f(cluster), true, cluster)));
    for cluster in backward {
        let begun = forward.partition_point(|&other| f(other) <= s(cluster));
        let around = begun.checked_sub(1).map(|at| forward[at]).filter(|&other| s(cluster) < s(other));
        let instant = match around {
            None => s(cluster) + 1,
            Some(other) if s(other) < f(cluster) => s(other) + 1,
            Some(other) => return Err((other, cluster)),
        };
        order.push((instant, false, cluster));
    }
    order.sort_unstable();
    Ok(order.into_iter().map(|(.., cluster)| cluster).collect())
}
