//! Shadow memory: races among plain accesses, and uses of freed memory, found by happens-before clocks.
//!
//! These are the epochs of FastTrack (Flanagan and Freund, PLDI 2009), with masks of bytes. Each granule, which is 8 aligned bytes, has a cell of 32 bytes for the accesses that a later
//! one may conflict with; those that a later one implies are dropped. This is exact: an access is refused if and only if it conflicts with any of those before it.

mod cell;
mod table;
#[cfg(test)]
mod tests;

use cell::{Cell, Past, Rest, Tag};
use table::Table;

/// A moment of a thread: between its event number `after - 1` and its event number `after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    pub thread: u16,
    pub after: u32,
}

/// What an access does: one bit says that it is plain, one that it writes, one that it frees. Two accesses conflict if they have the first two bits together, so that an access with more
/// bits conflicts with more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    AtomicRead = 0b000,
    Read = 0b001,
    AtomicWrite = 0b010,
    Write = 0b011,
    /// A write after which any access to these bytes is a conflict, until they are forgotten. That includes another `Free`.
    Free = 0b111,
}

/// An access without conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Some of its bytes are watched.
    pub watched: bool,
}

/// Two accesses to a byte that are not ordered, or one to a byte that was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The first byte of the later access that is in conflict.
    pub address: usize,
    pub earlier: Earlier,
}

impl Conflict {
    /// The later access uses freed memory, whether or not it is ordered after the `Free`.
    pub fn freed(&self) -> bool {
        self.earlier.kind == Kind::Free
    }
}

/// The earlier access of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    pub by: Epoch,
    pub pc: usize,
    pub kind: Kind,
    /// Its bytes around the conflict, as far as they are in the same granule and no later access replaced them.
    pub address: usize,
    pub size: usize,
}

/// The accesses of an execution, in 4 bytes for each byte of the program's memory that was ever accessed. Without accesses it takes no memory.
pub struct Shadow {
    table: Table,
    /// Accesses for which their cells have no room.
    rest: Rest,
    /// The moment at which this execution begins. Those of earlier executions are below it, so that their cells count as empty.
    base: u64,
    /// The last epoch of this execution.
    last: u32,
}

impl Shadow {
    /// No accesses, and no memory.
    pub const fn new() -> Self {
        Shadow { table: Table::new(), rest: Rest::new(), base: 1, last: 0 }
    }

    /// A new execution begins, and everything is forgotten.
    pub fn begin(&mut self) {
        self.base += u64::from(self.last) + 1;
        self.last = 0;
        self.rest.clear();
        if self.base + u64::from(u32::MAX) > Tag::LAST_MOMENT {
            // Moments begin anew, and what cells hold would be of the future.
            self.table.release();
            self.base = 1;
        }
    }

    /// Memory for this ran out, and some accesses were not recorded.
    pub fn lost(&self) -> bool {
        self.table.lost || self.rest.lost
    }

    /// Checks an access and records it. Of each thread `u`, the first `known[u]` events happen before it, and so do the accesses of `u` before the last of these. Without `known` the
    /// access is recorded and not checked.
    ///
    /// Addresses of more than 47 bits are ignored. After a conflict only `begin` has a meaning.
    #[inline]
    pub fn access(
        &mut self,
        address: usize,
        size: usize,
        kind: Kind,
        by: Epoch,
        pc: usize,
        known: Option<&[u32]>,
    ) -> Result<Seen, Conflict> {
        let offset = address % 8;
        if size <= 8 - offset {
            let mask = (((1_u32 << size) - 1) << offset) as u8;
            // SAFETY: the table gives null or a cell that stays mapped, and nobody else has a reference to it.
            if let Some(cell) = unsafe { self.table.cell(address).as_mut() } {
                let tag = Tag::new(self.base, by, kind, known.is_some(), mask);
                if !cell.implies(tag) {
                    self.last = self.last.max(by.after);
                    let past = Past { base: self.base, known };
                    if !cell.record(tag, pc, past, &mut self.rest) {
                        return Err(cell.conflict(address - offset, tag, past, &self.rest));
                    }
                }
                return Ok(Seen { watched: cell.watched() & mask != 0 });
            }
        }
        self.access_range(address, size, kind, by, pc, known)
    }

    #[inline(never)]
    fn access_range(
        &mut self,
        address: usize,
        size: usize,
        kind: Kind,
        by: Epoch,
        pc: usize,
        known: Option<&[u32]>,
    ) -> Result<Seen, Conflict> {
        self.last = self.last.max(by.after);
        let mut watched = 0;
        for part in Parts::of(address, size) {
            let Some(cells) = self.table.chunk_or_map(part.from) else { continue };
            let past = Past { base: self.base, known };
            for (index, (cell, mask)) in part.cells(cells).enumerate() {
                let tag = Tag::new(self.base, by, kind, known.is_some(), mask);
                if !cell.implies(tag) && !cell.record(tag, pc, past, &mut self.rest) {
                    return Err(cell.conflict((part.from / 8 + index) * 8, tag, past, &self.rest));
                }
                watched |= cell.watched() & mask;
            }
        }
        Ok(Seen { watched: watched != 0 })
    }

    /// From now on and until the next execution, accesses to these bytes are told that they are watched.
    pub fn watch(&mut self, address: usize, size: usize) {
        for part in Parts::of(address, size) {
            let Some(cells) = self.table.chunk_or_map(part.from) else { continue };
            for (cell, mask) in part.cells(cells) {
                cell.watch(mask, self.base);
            }
        }
    }

    /// The memory of these bytes begins anew: there were no accesses, they are not freed, and nobody watches them.
    pub fn forget(&mut self, address: usize, size: usize) {
        self.each_present_cell(address, size, |cell, mask, rest| cell.forget(mask, rest));
    }

    /// Visits the cells of these bytes that have something of this execution.
    #[inline]
    fn each_present_cell(
        &mut self,
        address: usize,
        size: usize,
        mut each: impl FnMut(&mut Cell, u8, &mut Rest),
    ) {
        for part in Parts::of(address, size) {
            let Some(cells) = self.table.chunk(part.from) else { continue };
            for (cell, mask) in part.cells(cells) {
                if !cell.is_past(self.base) {
                    each(cell, mask, &mut self.rest);
                }
            }
        }
    }
}

/// A range of addresses, one piece for each chunk of the table that it lies in.
struct Parts {
    from: usize,
    to: usize,
}

impl Parts {
    fn of(address: usize, size: usize) -> Self {
        match address.checked_add(size) {
            Some(to) if to <= table::ADDRESSES => Parts { from: address, to },
            _ => Parts { from: 0, to: 0 },
        }
    }
}

impl Iterator for Parts {
    type Item = Part;

    #[inline]
    fn next(&mut self) -> Option<Part> {
        if self.from == self.to {
            return None;
        }
        let to = self.to.min((self.from / table::BYTES + 1) * table::BYTES);
        let part = Part { from: self.from, to };
        self.from = to;
        Some(part)
    }
}

/// Bytes of one chunk, of which there is at least one.
struct Part {
    from: usize,
    to: usize,
}

impl Part {
    /// The cells of these bytes, each with the mask of its bytes.
    #[inline]
    fn cells<'a>(
        &self,
        chunk: &'a mut [Cell; table::CELLS],
    ) -> impl Iterator<Item = (&'a mut Cell, u8)> + use<'a> {
        let (head, tail) = (0xff << (self.from % 8), 0xff >> (7 - (self.to - 1) % 8));
        let (first, last) = (self.from / 8 % table::CELLS, (self.to - 1) / 8 % table::CELLS);
        chunk[first..last + 1].iter_mut().enumerate().map(move |(index, cell)| {
            let head = if index == 0 { head } else { 0xff };
            let tail = if index == last - first { tail } else { 0xff };
            (cell, head & tail)
        })
    }
}
