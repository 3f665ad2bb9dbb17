//! Nodes in chains, each of which leads to the next: what clocks count by.

use super::super::graph::Node;
use super::known::{Hop, backward};
use super::saturation::NONE;

/// Every node in a chain.
#[derive(Default)]
pub(super) struct Chains {
    /// By node, its chain and its place there.
    pub places: Vec<(u32, u32)>,
    /// How many there are.
    pub width: usize,
}

impl Chains {
    /// As few as are found by going through an order once: a node goes behind one that leads to it and is the last of its chain. Sessions become chains by so,
    /// lists by ww. `kept` says which nodes must be in one; the others are in none.
    pub(super) fn of(order: &[Node], hops: &[Hop], kept: impl Fn(Node) -> bool) -> Self {
        let before = backward(order.len(), hops);
        let mut places = vec![(NONE, 0); order.len()];
        // By chain, its last node.
        let mut last: Vec<Node> = Vec::new();
        for &node in order.iter().filter(|&&node| kept(node)) {
            // The edges of b come first.
            let behind = before.of(node as usize).iter().find_map(|&before| {
                let (chain, place) = places[before as usize];
                (chain != NONE && last[chain as usize] == before).then_some((chain, place + 1))
            });
            let (chain, place) = behind.unwrap_or_else(|| {
                last.push(node);
                (last.len() as u32 - 1, 0)
            });
            last[chain as usize] = node;
            places[node as usize] = (chain, place);
        }
        Chains { places, width: last.len() }
    }
}
