//! The memory that the program can write, put back before each execution: the data of all modules but the runtime, the heap, and thread-local storage.

use crate::only::Only;
use std::ffi::{c_int, c_void};
use std::ops::Range;

/// Memory and what was in it.
struct Piece {
    at: usize,
    content: Vec<u8>,
}

/// What was in memory when `main` was called for the first time.
#[derive(Default)]
struct Snapshot {
    pieces: Vec<Piece>,
    /// The first descriptor of a file that was not open.
    files: i32,
}

/// The runtime's own files have descriptors from here on.
pub const OWN_FILES: i32 = 56;
/// How many there may be: more than the few that it has, and the system's table of files stays small.
const MOST_FILES: i32 = 8;

static SNAPSHOT: Only<Option<Snapshot>> = Only::new(None);

/// The modules' thread-local variables, relative to the thread's control block.
static LOCALS: Only<Vec<Range<isize>>> = Only::new(Vec::new());

/// Keeps what is in memory now. `storage` is the control block of the main thread.
pub fn keep(storage: usize) {
    let mut found = Found { storage, ..Found::default() };
    // SAFETY: `visit` gets back the pointer that is given here.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    *LOCALS.get() = found.locals.clone();
    let relative = |range: &Range<isize>| {
        storage.wrapping_add_signed(range.start)..storage.wrapping_add_signed(range.end)
    };
    let ranges = found.data.into_iter().chain(found.locals.iter().map(relative));
    // SAFETY: what is mapped can be read.
    let content = |at: &Range<usize>| unsafe { std::slice::from_raw_parts(at.start as *const u8, at.len()) };
    let ranges: Vec<Range<usize>> = ranges.chain(std::iter::once(crate::heap::first())).collect();
    let pieces = ranges.iter().map(|range| Piece { at: range.start, content: content(range).to_vec() });
    // SAFETY: opens and closes a file.
    let files = unsafe {
        let file = libc::dup(2);
        libc::close(file);
        file
    };
    let pieces = pieces.collect();
    *SNAPSHOT.get() = Some(Snapshot { pieces, files });
}

/// Puts memory back.
pub fn restore() {
    let Some(snapshot) = SNAPSHOT.get() else { return };
    for piece in &snapshot.pieces {
        // SAFETY: it is the program's, and nothing of it runs.
        unsafe {
            std::ptr::copy_nonoverlapping(piece.content.as_ptr(), piece.at as *mut u8, piece.content.len());
        }
    }
    if snapshot.files >= 0 {
        // What the last execution left open.
        // SAFETY: the runtime's own files are not among them.
        unsafe {
            libc::syscall(libc::SYS_close_range, snapshot.files, OWN_FILES - 1, 0);
            libc::syscall(libc::SYS_close_range, OWN_FILES + MOST_FILES, libc::c_uint::MAX, 0);
        }
    }
}

/// Where the program's data are, for whoever looks for pointers in them.
pub fn pieces() -> impl Iterator<Item = Range<usize>> {
    let pieces = SNAPSHOT.get().iter().flat_map(|snapshot| &snapshot.pieces);
    pieces.map(|piece| piece.at..piece.at + piece.content.len())
}

/// The thread-local variables of all modules but the runtime, relative to a thread's control block.
pub fn locals() -> &'static [Range<isize>] {
    LOCALS.get()
}

#[derive(Default)]
struct Found {
    storage: usize,
    data: Vec<Range<usize>>,
    locals: Vec<Range<isize>>,
}

/// Notes what of a module can be written.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: libc's description of a module, and what `keep` gave.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Found>()) };
    let base = info.dlpi_addr as usize;
    // SAFETY: so many headers are there.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let range = |header: &libc::Elf64_Phdr| {
        let start = base + header.p_vaddr as usize;
        start..start + header.p_memsz as usize
    };
    let own = std::ptr::from_ref(&SNAPSHOT).addr();
    if headers.iter().any(|header| header.p_type == libc::PT_LOAD && range(header).contains(&own)) {
        return 0;
    }
    let relro = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO).map(range);
    let written =
        headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0);
    for data in written.map(range) {
        match relro.clone().filter(|relro| relro.start < data.end && data.start < relro.end) {
            // What is only relocated is not written after that, in whole pages.
            Some(relro) => {
                found.data.push(data.start..relro.start.max(data.start));
                found.data.push((relro.end & !0xfff).max(data.start)..data.end);
            }
            None => found.data.push(data),
        }
    }
    if let Some(header) = headers.iter().find(|header| header.p_type == libc::PT_TLS)
        && info.dlpi_tls_data as usize != 0
    {
        let start = (info.dlpi_tls_data as usize).wrapping_sub(found.storage).cast_signed();
        // What is far from the control block was not there when threads begin.
        if (-(1 << 24)..0).contains(&start) {
            found.locals.push(start..start + header.p_memsz as isize);
        }
    }
    found.data.retain(|data| !data.is_empty());
    0
}
