//! The row in which each event of a memory is drawn.

use crate::document::Edge;

/// The rows of places: one below all that `keep` and `prefer` lead from, where no edge of `prefer` counts that is on a cycle.
/// Edges of `keep` alone are no cycle. The longest path to a place is its row, from 0.
///
/// What is left after taking away sources until there are none, and then sinks, contains every cycle: within it `prefer` is
/// dropped, which is linear and breaks them all.
pub fn rows(places: usize, keep: &[Edge], prefer: &[Edge]) -> Vec<u32> {
    let all: Vec<Edge> = keep.iter().chain(prefer).copied().collect();
    let ahead = stuck(places, &all);
    let back = stuck(places, &all.iter().map(|&[from, to]| [to, from]).collect::<Vec<_>>());
    let core = |place: u32| ahead[place as usize] && back[place as usize];
    let kept = prefer.iter().filter(|&&[from, to]| !(core(from) && core(to)));
    let edges: Vec<Edge> = keep.iter().chain(kept).copied().collect();
    let mut rows = vec![0; places];
    topological(places, &edges, |from, to| {
        rows[to as usize] = rows[to as usize].max(rows[from as usize] + 1)
    });
    rows
}

/// The places that a topological order never reaches.
fn stuck(places: usize, edges: &[Edge]) -> Vec<bool> {
    let mut stuck = vec![true; places];
    topological(places, edges, |_, _| ()).into_iter().for_each(|place| stuck[place as usize] = false);
    stuck
}

/// The places in an order that the edges go along with, as far as there is one; visits each edge as it passes it.
fn topological(places: usize, edges: &[Edge], mut visit: impl FnMut(u32, u32)) -> Vec<u32> {
    let mut begins = vec![0u32; places + 1];
    let mut waiting = vec![0u32; places];
    for &[from, to] in edges {
        begins[from as usize + 1] += 1;
        waiting[to as usize] += 1;
    }
    for place in 0..places {
        begins[place + 1] += begins[place];
    }
    let mut next = begins.clone();
    let mut successors = vec![0u32; edges.len()];
    for &[from, to] in edges {
        successors[next[from as usize] as usize] = to;
        next[from as usize] += 1;
    }
    let mut order: Vec<u32> = (0..places as u32).filter(|&place| waiting[place as usize] == 0).collect();
    let mut at = 0;
    while let Some(&from) = order.get(at) {
        at += 1;
        for &to in &successors[begins[from as usize] as usize..begins[from as usize + 1] as usize] {
            visit(from, to);
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn reads_are_below_what_they_read() {
        // Message passing: 0 → 1, 2 → 3, and 2 reads from 1.
        assert_eq!(rows(4, &[[0, 1], [2, 3]], &[[1, 2]]), [0, 1, 2, 3]);
    }

    #[test]
    fn a_cycle_counts_no_more_than_po() {
        // Load buffering, and an event that reads from the cycle.
        assert_eq!(rows(5, &[[0, 1], [2, 3]], &[[1, 2], [3, 0], [3, 4]]), [0, 1, 0, 1, 2]);
    }
}
