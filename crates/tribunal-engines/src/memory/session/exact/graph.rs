//! A small execution with its mo, as rows of bits.

use super::super::log::NONE;
use crate::memory::order::coherence::psc::Far;
use tribunal_cat::relation::BitRows;
use tribunal_cat::relation::bits::{contains, insert, is_empty, meet, members, remove, union_of_both};
use tribunal_history::heap::Heap;
use tribunal_history::memory::{LocId, ThreadId};

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) thread: ThreadId,
    /// Its location, unless it is a fence.
    pub(super) loc: Option<LocId>,
    pub(super) writes: bool,
    pub(super) reads: bool,
    pub(super) sc: bool,
    /// The event that it reads from; [`NONE`] for the initial write.
    pub(super) source: u32,
    /// The RMW that reads from it, or [`NONE`].
    pub(super) next: u32,
}

impl Node {
    fn is_sc_fence(&self) -> bool {
        self.sc && self.loc.is_none()
    }

    pub(super) fn is_rmw(&self) -> bool {
        self.reads && self.writes
    }
}

/// Events by number, in an order that contains po and rf.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    far: Far,
    words: usize,
    pub(super) nodes: Vec<Node>,
    /// By thread, its events.
    pub(super) threads: Vec<Vec<u32>>,
    /// By location, its writes as they came, without the initial one.
    pub(super) writes: Vec<Vec<u32>>,
    /// By event: what happens before it.
    pub(super) hb: BitRows,
    /// By event: where psc comes to it from by po, far;hb;far and hb-loc. It never changes.
    pub(super) ordered: BitRows,
    /// By write: what mo has before it, without the initial write. May be partial during a search.
    pub(super) before: BitRows,
    /// By write: its readers, without RMWs.
    pub(super) readers: BitRows,
    /// By location: the same for its initial write; its accesses.
    pub(super) first_readers: BitRows,
    accesses: BitRows,
    /// By thread: its events.
    members: BitRows,
    /// The seq_cst events, and those of them that are fences.
    marks: BitRows,
    scratch: Vec<u64>,
}

const SC: usize = 0;
const FENCES: usize = 1;

impl Graph {
    pub(super) fn new(far: Far) -> Self {
        let rows = || BitRows::new(1);
        let mut marks = rows();
        marks.resize(2);
        Graph {
            far,
            words: 1,
            nodes: Vec::new(),
            threads: Vec::new(),
            writes: Vec::new(),
            hb: rows(),
            ordered: rows(),
            before: rows(),
            readers: rows(),
            first_readers: rows(),
            accesses: rows(),
            members: rows(),
            marks,
            scratch: Vec::new(),
        }
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn sc(&self) -> &[u64] {
        self.marks.row(SC)
    }

    pub(super) fn fences(&self) -> &[u64] {
        self.marks.row(FENCES)
    }

    /// Adds an event behind all others of its thread, which knows so many events of each thread. A write is the last of its
    /// location in mo, an RMW directly behind what it reads from.
    pub(super) fn add(&mut self, node: Node, clock: &[u32]) -> u32 {
        let e = self.nodes.len() as u32;
        self.make_room(&node, e);
        let thread = node.thread.index();
        for (t, events) in self.threads.iter().enumerate() {
            let known = if t == thread { events.len() } else { clock.get(t).map_or(0, |&k| k as usize) };
            if let Some(&last) = known.checked_sub(1).and_then(|last| events.get(last)) {
                self.hb.extend_row(e as usize, last as usize);
                insert(self.hb.row_mut(e as usize), last as usize);
            }
        }
        self.order(&node, e);
        self.link(&node, e);
        self.nodes.push(node);
        self.threads[thread].push(e);
        insert(self.members.row_mut(thread), e as usize);
        if node.sc {
            insert(self.marks.row_mut(SC), e as usize);
        }
        if node.is_sc_fence() {
            insert(self.marks.row_mut(FENCES), e as usize);
        }
        e
    }

    fn make_room(&mut self, node: &Node, e: u32) {
        if e as usize >= 64 * self.words {
            self.widen();
        }
        let thread = node.thread.index();
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Vec::new());
            self.members.resize(thread + 1);
        }
        if let Some(loc) = node.loc
            && self.writes.len() <= loc.index()
        {
            self.writes.resize(loc.index() + 1, Vec::new());
            self.first_readers.resize(loc.index() + 1);
            self.accesses.resize(loc.index() + 1);
        }
        for rows in [&mut self.hb, &mut self.ordered, &mut self.before, &mut self.readers] {
            rows.resize(e as usize + 1);
        }
    }

    #[cold]
    fn widen(&mut self) {
        self.words *= 2;
        for rows in [
            &mut self.hb,
            &mut self.ordered,
            &mut self.before,
            &mut self.readers,
            &mut self.first_readers,
            &mut self.accesses,
            &mut self.members,
            &mut self.marks,
        ] {
            rows.widen(self.words);
        }
    }

    /// Finds where psc comes to an event from whatever mo is.
    fn order(&mut self, node: &Node, e: u32) {
        let mut scb = std::mem::take(&mut self.scratch);
        let own = node.thread.index();
        scb.clear();
        scb.extend_from_slice(self.members.row(own));
        if let Some(end) = self.far_before(node) {
            for t in (0..self.threads.len()).filter(|&t| t != own) {
                self.join_far(t, end, &mut scb);
            }
        }
        if let Some(loc) = node.loc {
            union_of_both(&mut scb, self.hb.row(e as usize), self.accesses.row(loc.index()));
        }
        let Graph { hb, marks, ordered, .. } = self;
        sources(hb, marks, &scb, ordered.row_mut(e as usize));
        self.scratch = scb;
    }

    /// The last event before a new one in its thread such that the two are in far.
    fn far_before(&self, node: &Node) -> Option<u32> {
        let mut earlier = self.threads[node.thread.index()].iter().rev();
        match self.far {
            Far::Po => earlier.next(),
            Far::OtherLocation => {
                earlier.find(|&&e| node.loc.is_none() || self.nodes[e as usize].loc != node.loc)
            }
        }
        .copied()
    }

    /// Adds those events of a thread that are in far;hb? to `end`: all that are known there but the last, for rc11 all
    /// but the last accesses of one location.
    fn join_far(&self, thread: usize, end: u32, scb: &mut [u64]) {
        let (known, members) = (self.hb.row(end as usize), self.members.row(thread));
        let Some(word) = known.iter().zip(members).rposition(|(known, member)| known & member != 0) else {
            return;
        };
        let top = known[word] & members[word];
        let mut at = word as u32 * 64 + 63 - top.leading_zeros();
        // Events of a thread are in order, so that what is before one of them is what has a smaller number.
        if self.far == Far::OtherLocation
            && let Some(loc) = self.nodes[at as usize].loc
        {
            let events = &self.threads[thread];
            let mut i = events.partition_point(|&e| e < at);
            while i > 0 && self.nodes[events[i - 1] as usize].loc == Some(loc) {
                i -= 1;
                at = events[i];
            }
        }
        for (i, (word, member)) in scb.iter_mut().zip(members).enumerate() {
            *word |= member & below(at, i);
        }
    }

    /// Joins the events from which psc comes by way of `ends`: those that are seq_cst, and the fences that happen before.
    pub(super) fn sources(&self, ends: &[u64], found: &mut [u64]) {
        sources(&self.hb, &self.marks, ends, found);
    }

    /// Joins the seq_cst fences that happen before some of `ends`.
    pub(super) fn fences_before(&self, ends: &[u64], found: &mut [u64]) {
        fences_before(&self.hb, self.fences(), ends, found);
    }

    /// Puts an access into rf and mo.
    fn link(&mut self, node: &Node, e: u32) {
        let Some(loc) = node.loc else { return };
        insert(self.accesses.row_mut(loc.index()), e as usize);
        if !node.writes {
            insert(self.readers_of(loc, node.source), e as usize);
            return;
        }
        if !node.reads {
            for &write in &self.writes[loc.index()] {
                insert(self.before.row_mut(e as usize), write as usize);
            }
        } else {
            for &write in &self.writes[loc.index()] {
                if node.source == NONE || contains(self.before.row(write as usize), node.source as usize) {
                    insert(self.before.row_mut(write as usize), e as usize);
                } else {
                    // mo is total: it is the source, or before that.
                    insert(self.before.row_mut(e as usize), write as usize);
                }
            }
            if node.source != NONE {
                self.nodes[node.source as usize].next = e;
            }
        }
        self.writes[loc.index()].push(e);
    }

    fn readers_of(&mut self, loc: LocId, write: u32) -> &mut [u64] {
        match write {
            NONE => self.first_readers.row_mut(loc.index()),
            write => self.readers.row_mut(write as usize),
        }
    }

    /// Takes the last event away. mo stays what it was of the others.
    pub(super) fn pop(&mut self) {
        let Some(node) = self.nodes.pop() else { return };
        let e = self.nodes.len() as u32;
        self.threads[node.thread.index()].pop();
        remove(self.members.row_mut(node.thread.index()), e as usize);
        remove(self.marks.row_mut(SC), e as usize);
        remove(self.marks.row_mut(FENCES), e as usize);
        for rows in [&mut self.hb, &mut self.ordered, &mut self.before, &mut self.readers] {
            rows.resize(e as usize);
        }
        let Some(loc) = node.loc else { return };
        remove(self.accesses.row_mut(loc.index()), e as usize);
        if !node.writes {
            remove(self.readers_of(loc, node.source), e as usize);
            return;
        }
        self.writes[loc.index()].pop();
        for &write in &self.writes[loc.index()] {
            remove(self.before.row_mut(write as usize), e as usize);
        }
        if node.reads && node.source != NONE {
            self.nodes[node.source as usize].next = NONE;
        }
    }

    /// Whether mo has nothing behind a write.
    pub(super) fn is_last(&self, loc: LocId, write: u32) -> bool {
        let Some(writes) = self.writes.get(loc.index()) else { return true };
        match write {
            NONE => writes.is_empty(),
            write => !writes.iter().any(|&other| contains(self.before.row(other as usize), write as usize)),
        }
    }

    /// Whether a read, or an RMW, reads nothing that is overwritten in what happens before it: neither it nor a reader of
    /// what is behind its source happens before it.
    pub(super) fn is_coherent(&self, e: u32) -> bool {
        let node = self.nodes[e as usize];
        let Some(loc) = node.loc else { return true };
        let hb = self.hb.row(e as usize);
        self.writes[loc.index()].iter().filter(|&&write| write != e).all(|&write| {
            let behind =
                node.source == NONE || contains(self.before.row(write as usize), node.source as usize);
            !behind || !contains(hb, write as usize) && !meet(hb, self.readers.row(write as usize))
        })
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let rows =
            [&self.hb, &self.ordered, &self.before, &self.readers, &self.first_readers, &self.accesses];
        let lists = self.threads.iter().chain(&self.writes).map(Heap::held);
        rows.iter().map(|rows| rows.bytes()).sum::<usize>() + lists.sum::<usize>() + self.nodes.held()
    }
}

/// The numbers below `bit` that are in the i-th word.
fn below(bit: u32, i: usize) -> u64 {
    let word = bit as usize / 64;
    match i.cmp(&word) {
        std::cmp::Ordering::Less => u64::MAX,
        std::cmp::Ordering::Equal => (1 << (bit % 64)) - 1,
        std::cmp::Ordering::Greater => 0,
    }
}

fn sources(hb: &BitRows, marks: &BitRows, ends: &[u64], found: &mut [u64]) {
    union_of_both(found, ends, marks.row(SC));
    fences_before(hb, marks.row(FENCES), ends, found);
}

fn fences_before(hb: &BitRows, fences: &[u64], ends: &[u64], found: &mut [u64]) {
    if !is_empty(fences) {
        for end in members(ends) {
            union_of_both(found, hb.row(end), fences);
        }
    }
}
