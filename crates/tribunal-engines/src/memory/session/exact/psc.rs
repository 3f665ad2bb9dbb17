//! Whether psc has a cycle, with an mo that may be partial.
//!
//! psc is not kept: where it comes to a seq_cst event from is found when a search gets there, from rows of bits.
//! With scb = po ∪ (far;hb;far) ∪ hb-loc ∪ mo ∪ fr,
//!
//! - to an access b: from the seq_cst events and the fences' hb? that scb has before b;
//! - to a fence b: the same for b and of whatever happens before it, and the fences that hb or hb;eco;hb has before b.
//!
//! An RMW reads from what mo has directly before it, so that fr of RMWs is in mo: readers are those that do not write.
//! And eco = rf ∪ (mo ∪ fr) ∪ (mo ∪ fr);rf, of which mo ∪ fr is the same as above.

use super::super::log::NONE;
use super::graph::Graph;
use tribunal_cat::relation::BitRows;
use tribunal_cat::relation::bits::{
    first, first_without, insert, is_empty, meet, members, remove, subtract, union, union_of_both,
};

/// Room for looking for cycles.
#[derive(Clone, Debug)]
pub(super) struct Cycles {
    /// By event that was entered: where psc comes to it from.
    open: BitRows,
    stack: Vec<usize>,
    on_path: Vec<u64>,
    done: Vec<u64>,
    rest: Vec<u64>,
    room: [Vec<u64>; 3],
}

impl Default for Cycles {
    fn default() -> Self {
        Cycles {
            open: BitRows::new(1),
            stack: Vec::new(),
            on_path: Vec::new(),
            done: Vec::new(),
            rest: Vec::new(),
            room: Default::default(),
        }
    }
}

fn clear(row: &mut Vec<u64>, words: usize) {
    row.clear();
    row.resize(words, 0);
}

impl Cycles {
    /// Whether there is a cycle of psc from which psc leads to some of `ends`.
    pub(super) fn any(&mut self, graph: &Graph, ends: impl Iterator<Item = usize>) -> bool {
        let words = graph.words();
        for row in [&mut self.on_path, &mut self.done, &mut self.rest] {
            clear(row, words);
        }
        self.open.prepare(words, graph.nodes.len());
        ends.for_each(|end| insert(&mut self.rest, end));
        while let Some(end) = first(&self.rest) {
            self.stack.clear();
            if self.enter(graph, end) {
                return true;
            }
            while let Some(&event) = self.stack.last() {
                match first_without(self.open.row(event), &self.done) {
                    None => {
                        self.stack.pop();
                        remove(&mut self.on_path, event);
                    }
                    Some(next) if self.enter(graph, next) => return true,
                    Some(_) => {}
                }
            }
        }
        false
    }

    /// Goes to an event; says whether that closes a cycle.
    #[inline]
    fn enter(&mut self, graph: &Graph, event: usize) -> bool {
        self.stack.push(event);
        insert(&mut self.on_path, event);
        insert(&mut self.done, event);
        remove(&mut self.rest, event);
        let open = self.open.row_mut(event);
        comes_from(graph, event, open, &mut self.room);
        meet(open, &self.on_path)
    }
}

/// Collects the seq_cst events from which psc comes to a seq_cst event.
fn comes_from(graph: &Graph, event: usize, found: &mut [u64], room: &mut [Vec<u64>; 3]) {
    let node = &graph.nodes[event];
    found.copy_from_slice(graph.ordered.row(event));
    let [earlier, ends, read] = room;
    clear(ends, graph.words());
    if let Some(loc) = node.loc {
        if node.writes {
            earlier.clear();
            earlier.extend_from_slice(graph.before.row(event));
            if !leave_last(graph, earlier) {
                union(ends, graph.first_readers.row(loc.index()));
            }
            at_or_reading(graph, earlier, ends);
            graph.sources(ends, found);
        }
        return;
    }
    clear(earlier, graph.words());
    clear(read, graph.words());
    let hb = graph.hb.row(event);
    union_of_both(found, hb, graph.fences());
    // By mo and fr to what is written before the fence.
    for e in members(hb) {
        union(found, graph.ordered.row(e));
        let node = &graph.nodes[e];
        if let Some(loc) = node.loc
            && node.writes
        {
            union(earlier, graph.before.row(e));
            union(ends, graph.first_readers.row(loc.index()));
        }
        if node.reads && node.source != NONE {
            insert(read, node.source as usize);
        }
    }
    at_or_reading(graph, earlier, ends);
    graph.sources(ends, found);
    if !is_empty(graph.fences()) {
        // By eco to what is read before the fence: the source, and what mo and fr have before that.
        ends.fill(0);
        earlier.fill(0);
        for source in members(read) {
            union(earlier, graph.before.row(source));
            if let Some(loc) = graph.nodes[source].loc {
                union(ends, graph.first_readers.row(loc.index()));
            }
        }
        at_or_reading(graph, earlier, ends);
        union(ends, read);
        graph.fences_before(ends, found);
    }
}

/// Of writes to one location, leaves out those that mo has before a seq_cst one among them: where psc comes from by way of
/// these, it comes to that one. Says whether there is one.
fn leave_last(graph: &Graph, writes: &mut [u64]) -> bool {
    let mut any = false;
    // Mostly the last that came is the last in mo.
    for word in (0..writes.len()).rev() {
        let mut rest = writes[word] & graph.sc()[word];
        while rest != 0 {
            let bit = 63 - rest.leading_zeros();
            let before = graph.before.row(word * 64 + bit as usize);
            subtract(writes, before);
            any = true;
            rest &= writes[word] & !(1 << bit);
        }
    }
    any
}

/// Joins some writes, and those that read from them.
fn at_or_reading(graph: &Graph, writes: &[u64], found: &mut [u64]) {
    union(found, writes);
    for write in members(writes) {
        union(found, graph.readers.row(write));
    }
}
