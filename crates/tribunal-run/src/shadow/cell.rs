//! What is known of a granule: the accesses that a later one may conflict with.

use super::{Conflict, Earlier, Epoch, Kind};

/// Which bytes of a granule an access has, how and when. From the low bits: 8 of mask, one that says that it was checked, 3 of kind, 16 of thread, 36 of moment. The moment is the number
/// of the epoch, counted on from one execution to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tag(u64);

impl Tag {
    const MASK: u64 = 0xff;
    const CHECKED: u64 = 1 << 8;
    const KIND: u32 = 9;
    const THREAD: u32 = 12;
    const MOMENT: u32 = 28;
    const FREE: u64 = 1 << 11;
    /// The bits below, of which an access may have more than one that it implies.
    const MORE: u64 = Self::FREE - 1;

    pub const LAST_MOMENT: u64 = u64::MAX >> Self::MOMENT;

    /// An access in the execution that begins at this moment.
    #[inline]
    pub fn new(base: u64, by: Epoch, kind: Kind, checked: bool, mask: u8) -> Self {
        let moment = (base + u64::from(by.after)) << Self::MOMENT;
        let checked = if checked { Self::CHECKED } else { 0 };
        Tag(moment
            | u64::from(by.thread) << Self::THREAD
            | (kind as u64) << Self::KIND
            | checked
            | u64::from(mask))
    }

    #[inline]
    fn mask(self) -> u8 {
        (self.0 & Self::MASK) as u8
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.mask() == 0
    }

    #[inline]
    fn without(self, mask: u8) -> Self {
        Tag(self.0 & !u64::from(mask))
    }

    #[inline]
    fn frees(self) -> bool {
        self.0 & Self::FREE != 0
    }

    #[inline]
    fn thread(self) -> u16 {
        (self.0 >> Self::THREAD) as u16
    }

    #[inline]
    fn epoch(self, base: u64) -> Epoch {
        Epoch { thread: self.thread(), after: ((self.0 >> Self::MOMENT) - base) as u32 }
    }

    fn kind(self) -> Kind {
        match (self.0 >> Self::KIND) & 7 {
            0 => Kind::AtomicRead,
            1 => Kind::Read,
            2 => Kind::AtomicWrite,
            3 => Kind::Write,
            _ => Kind::Free,
        }
    }

    #[inline]
    fn is_past(self, base: u64) -> bool {
        self.0 >> Self::MOMENT < base
    }

    /// The later access is of the same thread and epoch, and conflicts with no more than this.
    #[inline]
    fn implies(self, later: Tag) -> bool {
        (self.0 ^ later.0) & !(self.0 & Self::MORE) == 0 && !later.frees()
    }

    /// What conflicts with `earlier`, if unordered, conflicts with this too.
    #[inline]
    fn is_at_least(self, earlier: Tag) -> bool {
        (earlier.0 & !self.0) >> Self::KIND & 7 == 0
    }

    /// Neither both read nor both are atomic.
    #[inline]
    fn conflicts(self, other: Tag) -> bool {
        (self.0 | other.0) >> Self::KIND & 3 == 3
    }
}

/// An access to bytes of one granule.
#[derive(Clone, Copy)]
pub struct Access {
    pub tag: Tag,
    /// Where the program does it, of which 48 bits are kept.
    pub pc: usize,
}

impl Access {
    const EMPTY: Access = Access { tag: Tag(0), pc: 0 };

    /// Takes over the bytes of another part of the same access; what is left of that.
    #[inline]
    fn absorb(&mut self, part: Access) -> Tag {
        if (self.tag.0 ^ part.tag.0) & !Tag::MASK != 0 || self.pc != part.pc {
            return part.tag;
        }
        self.tag.0 |= part.tag.0;
        Tag(0)
    }
}

/// What happens before an access.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    pub base: u64,
    pub known: Option<&'a [u32]>,
}

impl Past<'_> {
    #[inline]
    fn orders(self, earlier: Tag, later: Tag) -> bool {
        let by = earlier.epoch(self.base);
        let happens =
            |known: &[u32]| known.get(usize::from(by.thread)).is_some_and(|&events| events > by.after);
        by.thread == later.thread() || self.known.is_some_and(happens)
    }

    /// What a later access leaves of an earlier one, or nothing if they are in conflict.
    #[inline]
    fn left(self, mut earlier: Tag, later: Tag) -> Option<Tag> {
        if earlier.mask() & later.mask() == 0 {
            return Some(earlier);
        }
        let ordered = self.orders(earlier, later);
        if self.known.is_none() {
            // The earlier one was not checked against this.
            earlier.0 &= !Tag::CHECKED;
        } else if earlier.frees() || !ordered && earlier.conflicts(later) {
            return None;
        }
        if ordered && later.is_at_least(earlier) {
            earlier = earlier.without(later.mask());
        }
        Some(earlier)
    }
}

/// A granule's accesses and which of its bytes are watched: the last access and another in line, and a list of the others. If the first is of a past execution, so is all of the cell.
#[repr(C)]
pub struct Cell {
    tags: [Tag; 2],
    pcs_low: [u32; 2],
    pcs_high: [u16; 2],
    /// In the low 8 bits the mask of watched bytes, above them the head of the list.
    extra: u32,
}

const _: () = assert!(size_of::<Cell>() == 32);

impl Cell {
    /// Nothing of this cell is of the execution that begins at this moment.
    #[inline]
    pub fn is_past(&self, base: u64) -> bool {
        self.tags[0].is_past(base)
    }

    /// An access in line implies this one. That is never one of a past execution, since its moment is another.
    #[inline]
    pub fn implies(&self, later: Tag) -> bool {
        self.tags[0].implies(later) || self.tags[1].implies(later)
    }

    #[inline]
    pub fn watched(&self) -> u8 {
        self.extra as u8
    }

    #[inline]
    fn head(&self) -> u32 {
        self.extra >> 8
    }

    #[inline]
    fn set_head(&mut self, head: u32) {
        self.extra = head << 8 | u32::from(self.watched());
    }

    #[inline]
    fn pc(&self, slot: usize) -> usize {
        usize::from(self.pcs_high[slot]) << 32 | self.pcs_low[slot] as usize
    }

    #[inline]
    fn set(&mut self, slot: usize, access: Access) {
        self.tags[slot] = access.tag;
        (self.pcs_low[slot], self.pcs_high[slot]) = (access.pc as u32, (access.pc >> 32) as u16);
    }

    #[inline]
    fn start(&mut self, access: Access) {
        self.set(0, access);
        self.set(1, Access::EMPTY);
        self.extra = 0;
    }

    /// Adds an access; false if it is in conflict with one of these.
    #[inline(never)]
    pub fn record(&mut self, tag: Tag, pc: usize, past: Past, rest: &mut Rest) -> bool {
        let mut later = Access { tag, pc };
        if self.is_past(past.base) {
            self.start(later);
            return true;
        }
        let (Some(first), Some(second)) = (past.left(self.tags[0], tag), past.left(self.tags[1], tag)) else {
            return false;
        };
        let first = later.absorb(Access { tag: first, pc: self.pc(0) });
        let second = later.absorb(Access { tag: second, pc: self.pc(1) });
        if self.head() != 0 && !self.record_in_rest(&mut later, past, rest) {
            return false;
        }
        if first.is_empty() {
            self.tags[1] = second;
        } else {
            if !second.is_empty() {
                let head = rest.add(Access { tag: second, pc: self.pc(1) }, self.head());
                self.set_head(head);
            }
            self.set(1, Access { tag: first, pc: self.pc(0) });
        }
        self.set(0, later);
        true
    }

    #[inline(never)]
    fn record_in_rest(&mut self, later: &mut Access, past: Past, rest: &mut Rest) -> bool {
        let (tag, mut fine) = (later.tag, true);
        self.retain(rest, |access| match past.left(access.tag, tag) {
            Some(left) => access.tag = later.absorb(Access { tag: left, ..*access }),
            None => fine = false,
        });
        fine
    }

    /// Changes the accesses of the list, and drops those that are left with no bytes.
    fn retain(&mut self, rest: &mut Rest, mut change: impl FnMut(&mut Access)) {
        let (mut index, mut head) = (self.head(), 0);
        while index != 0 {
            let next = rest.node(index).next;
            change(&mut rest.node(index).access);
            if rest.node(index).access.tag.is_empty() {
                rest.free(index);
            } else {
                rest.node(index).next = head;
                head = index;
            }
            index = next;
        }
        self.set_head(head);
    }

    /// The conflict for which `record` refused an access to bytes of this granule.
    #[cold]
    pub fn conflict(&self, granule: usize, later: Tag, past: Past, rest: &Rest) -> Conflict {
        let in_line = [0, 1].map(|slot| Access { tag: self.tags[slot], pc: self.pc(slot) });
        let first = |access: &Access| (access.tag.mask() & later.mask()).trailing_zeros();
        let refused = |access: &Access| past.left(access.tag, later).is_none();
        let all = in_line.into_iter().chain(rest.list(self.head()));
        let earlier = all.filter(refused).min_by_key(first).unwrap_or(Access::EMPTY);
        let (mask, byte) = (u32::from(earlier.tag.mask()), first(&earlier));
        // The run of ones around this bit.
        let below = (mask << (31 - byte)).leading_ones().saturating_sub(1);
        let above = (mask >> byte).trailing_ones();
        Conflict {
            address: granule + byte as usize,
            earlier: Earlier {
                by: earlier.tag.epoch(past.base),
                pc: earlier.pc,
                kind: earlier.tag.kind(),
                address: granule + (byte - below) as usize,
                size: (below + above) as usize,
            },
        }
    }

    pub fn watch(&mut self, mask: u8, base: u64) {
        if self.is_past(base) {
            let tag = Tag::new(base, Epoch { thread: 0, after: 0 }, Kind::AtomicRead, false, 0);
            self.start(Access { tag, pc: 0 });
        }
        self.extra |= u32::from(mask);
    }

    /// Forgets all of these bytes, in a cell of this execution.
    #[inline]
    pub fn forget(&mut self, mask: u8, rest: &mut Rest) {
        if self.head() != 0 {
            self.retain(rest, |access| access.tag = access.tag.without(mask));
        }
        if mask == 0xff {
            self.start(Access::EMPTY);
        } else {
            self.tags = self.tags.map(|tag| tag.without(mask));
            self.extra &= !u32::from(mask);
        }
    }
}

/// Lists of the accesses for which cells have no room.
pub struct Rest {
    /// A node's index is one more than its place here; that of none is zero.
    nodes: Vec<Node>,
    /// The list of nodes that are not in use.
    unused: u32,
    /// There was no memory for an access.
    pub lost: bool,
}

#[derive(Clone, Copy)]
struct Node {
    access: Access,
    next: u32,
}

impl Rest {
    pub const fn new() -> Self {
        Rest { nodes: Vec::new(), unused: 0, lost: false }
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.unused = 0;
    }

    #[cfg(test)]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn node(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize - 1]
    }

    /// Puts an access before this list, and gives the longer list.
    #[inline(never)]
    fn add(&mut self, access: Access, next: u32) -> u32 {
        let node = Node { access, next };
        if self.unused != 0 {
            let index = self.unused;
            self.unused = self.node(index).next;
            *self.node(index) = node;
            return index;
        }
        // A cell has 24 bits for an index.
        if self.nodes.len() + 1 >= 1 << 24 || self.nodes.try_reserve(1).is_err() {
            self.lost = true;
            return next;
        }
        self.nodes.push(node);
        self.nodes.len() as u32
    }

    fn free(&mut self, index: u32) {
        self.node(index).next = self.unused;
        self.unused = index;
    }

    fn list(&self, head: u32) -> impl Iterator<Item = Access> {
        let mut index = head;
        std::iter::from_fn(move || {
            let node = self.nodes.get((index as usize).checked_sub(1)?)?;
            index = node.next;
            Some(node.access)
        })
    }
}
