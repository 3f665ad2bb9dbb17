//! Where cells are: a directory of chunks, mapped when they are first used.

use super::cell::Cell;
use std::ptr;

/// Programs have addresses below this.
pub const ADDRESSES: usize = 1 << 47;
/// The bytes for which a chunk has cells.
pub const BYTES: usize = 1 << 21;
/// The cells of a chunk.
pub const CELLS: usize = BYTES / 8;
/// The chunks of a directory.
const CHUNKS: usize = ADDRESSES / BYTES;

/// A cell for each granule.
pub struct Table {
    /// Null where a chunk is not mapped.
    directory: *mut *mut Cell,
    /// The chunks of the directory: none until it is reserved.
    reserved: usize,
    /// Which chunks are mapped.
    mapped: Vec<usize>,
    /// The system refused memory.
    pub lost: bool,
}

impl Table {
    pub const fn new() -> Self {
        Table { directory: ptr::null_mut(), reserved: 0, mapped: Vec::new(), lost: false }
    }

    /// The cell of the granule at this address, or null if its chunk is not mapped.
    #[inline]
    pub fn cell(&self, address: usize) -> *mut Cell {
        let chunk = self.entry(address / BYTES);
        // SAFETY: a chunk has this many cells.
        if chunk.is_null() { chunk } else { unsafe { chunk.add(address / 8 % CELLS) } }
    }

    /// The cells of this address's chunk, if it is mapped.
    #[inline]
    pub fn chunk(&mut self, address: usize) -> Option<&mut [Cell; CELLS]> {
        // SAFETY: a chunk is null or mapped, was zero at first, which is an empty cell, and belongs to this table.
        unsafe { self.entry(address / BYTES).cast::<[Cell; CELLS]>().as_mut() }
    }

    /// The cells of this address's chunk, or nothing if there is no memory for them.
    #[inline]
    pub fn chunk_or_map(&mut self, address: usize) -> Option<&mut [Cell; CELLS]> {
        let index = address / BYTES;
        if self.entry(index).is_null() && !self.map(index) {
            self.lost = true;
            return None;
        }
        self.chunk(address)
    }

    #[inline]
    fn entry(&self, index: usize) -> *mut Cell {
        // SAFETY: the directory has this many entries.
        if index < self.reserved { unsafe { *self.directory.add(index) } } else { ptr::null_mut() }
    }

    /// Maps a chunk, and the directory if there is none.
    #[cold]
    fn map(&mut self, index: usize) -> bool {
        if self.reserved == 0 {
            let Some(directory) = map(CHUNKS * size_of::<*mut Cell>()) else { return false };
            (self.directory, self.reserved) = (directory.cast(), CHUNKS);
        }
        if self.mapped.try_reserve(1).is_err() {
            return false;
        }
        let Some(chunk) = map(CELLS * size_of::<Cell>()) else { return false };
        self.mapped.push(index);
        // SAFETY: addresses are below `ADDRESSES`, so that the directory has this entry.
        unsafe { *self.directory.add(index) = chunk.cast() };
        true
    }

    /// Gives all chunks back.
    pub fn release(&mut self) {
        for index in self.mapped.drain(..) {
            // SAFETY: this chunk is mapped, and the directory forgets it.
            unsafe {
                let entry = self.directory.add(index);
                libc::munmap((*entry).cast(), CELLS * size_of::<Cell>());
                *entry = ptr::null_mut();
            }
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.release();
        // SAFETY: the directory is mapped if it is not null, and nobody uses it any more.
        unsafe { libc::munmap(self.directory.cast(), self.reserved * size_of::<*mut Cell>()) };
    }
}

/// So much memory, all zero, of which only touched pages count.
fn map(bytes: usize) -> Option<*mut libc::c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: this maps fresh memory. Shadow is touched here and there, which huge pages would make dear; they are only advice.
    unsafe {
        let memory = libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0);
        if memory == libc::MAP_FAILED {
            return None;
        }
        libc::madvise(memory, bytes, libc::MADV_NOHUGEPAGE);
        Some(memory)
    }
}
