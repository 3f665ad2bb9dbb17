//! When things are likely to have happened: what a simulation goes by where nothing is known.

use super::super::History;
use super::super::graph::Node;
use super::super::relations::ends;
use super::known::{Hop, forward};
use super::nodes::Nodes;

/// By node, when it is likely to have happened: by the clock if there is one, no later than what comes after it. Else by how many come before it and after it one after the other, in
/// proportion: where much is known that is close to the truth.
pub(super) fn hint(history: &History, nodes: Nodes, hops: &[Hop], order: &[Node]) -> Vec<u32> {
    let mut likely = order.to_vec();
    if history.is_timed() {
        let ends = ends(history);
        let time = |node: Node| match nodes.txn(node) {
            // A junction is passed as soon as it can be.
            None => ends.get((node - nodes.first_moment()) as usize).map_or(i64::MIN, |&(end, _)| end),
            Some(txn) => history.span(txn).map_or(0, |span| match span.end {
                // Whoever read from it knows more.
                end if node == nodes.commit(txn) => end.unwrap_or(i64::MAX),
                _ => span.begin,
            }),
        };
        let graph = forward(nodes.count(), hops);
        let mut times: Vec<i64> = (0..nodes.count() as Node).map(time).collect();
        for &node in order.iter().rev() {
            let next = graph.of(node as usize).iter().map(|&next| times[next as usize]).min();
            times[node as usize] = times[node as usize].min(next.unwrap_or(i64::MAX));
        }
        likely.sort_by_cached_key(|&node| times[node as usize]);
    } else {
        let graph = forward(nodes.count(), hops);
        let (mut before, mut after) = (vec![1u64; order.len()], vec![1u64; order.len()]);
        for &node in order {
            for &next in graph.of(node as usize) {
                before[next as usize] = before[next as usize].max(before[node as usize] + 1);
            }
        }
        for &node in order.iter().rev() {
            for &next in graph.of(node as usize) {
                after[node as usize] = after[node as usize].max(after[next as usize] + 1);
            }
        }
        likely.sort_by_cached_key(|&node| {
            let (before, after) = (before[node as usize], after[node as usize]);
            (before << 32) / (before + after)
        });
    }
    let mut hint = vec![0; likely.len()];
    (0..).zip(&likely).for_each(|(place, &node)| hint[node as usize] = place);
    hint
}
