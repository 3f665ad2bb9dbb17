//! Plain accesses. They are no events of the explorer: that they do not race is found by clocks, in the [shadow](crate::shadow) of memory.
//!
//! Accesses of what the program also accesses atomically are events. A plain read comes before the load, so that the value the explorer picks is put where the load finds it. A plain write comes before the
//! store, whose value is not known: the explorer is told of it when the thread comes to its next hook ([`flush`]), before which nothing else runs.

use crate::control::{caller, is_in_program, is_recorded, outside, thread};
use crate::objects::{self, Known};
use crate::only::Only;
use crate::shadow::{Conflict, Epoch, Kind, Shadow};
use crate::{entries, heap, names, real, threads};
use std::ffi::c_void;
use tribunal_explore::Problem;
use tribunal_explore::foreign::{self, Access};
use tribunal_explore::program::Place;
use tribunal_explore::report::Plain;
use tribunal_history::memory::{Order, ThreadId};

pub use crate::shadow::Kind as Conflicts;

static SHADOW: Only<Shadow> = Only::new(Shadow::new());

/// Of the thread that runs: the number of its events, kept here since it is asked for at each access.
static AFTER: Only<u32> = Only::new(0);

/// Plain writes of atomics by the thread that runs of which the explorer was not told: address, size, program counter.
static PENDING: Only<Vec<(usize, usize, usize)>> = Only::new(Vec::new());

/// Races are no failures. What is accessed after one is not looked at closely.
static ALLOWS_RACES: Only<bool> = Only::new(false);

/// Whether races are to be looked for.
pub fn allow_races(allow: bool) {
    *ALLOWS_RACES.get() = allow;
}

/// An execution begins.
pub fn begin() {
    SHADOW.get().begin();
    PENDING.get().clear();
}

/// A thread goes on in the program, after so many events.
#[inline]
pub fn goes_on() {
    *AFTER.get() = foreign::epoch().map_or(0, |(_, after)| after);
}

#[inline(always)]
fn known_to(thread: ThreadId) -> Option<&'static [u32]> {
    let thread = threads::of(thread);
    thread.is_checked.then_some(&thread.known)
}

/// Checks an access and records it.
#[inline(always)]
pub fn record(at: usize, size: usize, kind: Kind, pc: usize) {
    let by = thread();
    let epoch = Epoch { thread: by.0 as u16, after: *AFTER.get() };
    match SHADOW.get().access(at, size, kind, epoch, pc, known_to(by)) {
        Ok(seen) if !seen.watched => {}
        Ok(_) => watched(at, size, kind, pc),
        Err(conflict) if *ALLOWS_RACES.get() && !conflict.freed() => {}
        Err(conflict) => conflicts(conflict, at, size, kind, pc),
    }
}

/// A plain access of something that is also accessed atomically.
#[cold]
fn watched(at: usize, size: usize, kind: Kind, pc: usize) {
    if !matches!(kind, Kind::Read | Kind::Write) {
        return;
    }
    leave(|| {
        flush(thread());
        let place = names::place(pc);
        if kind == Kind::Write {
            PENDING.get().push((at, size, pc));
            return;
        }
        for known in objects::atomics(at, size) {
            let value = known.object.access(known.last, Access::Load(Order::NonAtomic), place);
            put(known, value);
        }
    });
}

/// Makes the content of memory what the explorer says it is.
fn put(known: &mut Known, value: u64) {
    known.last = value;
    let (bytes, at) = (value.to_le_bytes(), known.at as *mut u8);
    if known.size <= bytes.len() {
        // SAFETY: the program accesses it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, known.size) };
    }
}

fn content(known: &Known) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the program accesses it.
    unsafe { std::ptr::copy_nonoverlapping(known.at as *const u8, bytes.as_mut_ptr(), known.size.min(8)) };
    u64::from_le_bytes(bytes)
}

/// Tells the explorer of plain writes of atomics. Control is in the runtime.
#[inline]
pub fn flush(_: ThreadId) {
    if !PENDING.get().is_empty() {
        flush_all();
    }
}

#[cold]
fn flush_all() {
    while let Some((at, size, pc)) = PENDING.get().pop() {
        let place = names::place(pc);
        for known in objects::atomics(at, size) {
            if known.size > 8 {
                continue;
            }
            let value = content(known);
            known.last = value;
            known.object.access(value, Access::Store(Order::NonAtomic, value), place);
        }
    }
}

/// Runs something in the runtime, wherever control is.
fn leave<R>(f: impl FnOnce() -> R) -> R {
    if is_in_program() { outside(f) } else { f() }
}

/// From now on, plain accesses of these bytes are told to the explorer.
pub fn watch(at: usize, size: usize) {
    SHADOW.get().watch(at, size);
}

/// An access that is an event must not race with plain ones before the memory was watched. Control is in the runtime.
pub fn check(at: usize, size: usize, kind: Kind, pc: usize) {
    goes_on();
    record(at, size, kind, pc);
}

/// A block is new.
pub fn allocated(at: usize, size: usize, pc: usize) {
    if size > 0 {
        record(at, size, Kind::Write, pc);
    }
}

/// A block is given back.
pub fn freed(at: usize, size: usize, pc: usize) {
    if size > 0 {
        record(at, size, Kind::Free, pc);
    }
    leave(|| objects::forget(at, size));
}

/// The memory is no more; there may be other memory at these addresses.
fn unmapped(at: usize, size: usize) {
    SHADOW.get().forget(at, size);
    leave(|| objects::forget(at, size));
}

/// Whether there was no room for what is needed to find all races.
pub fn is_incomplete() -> bool {
    SHADOW.get().lost()
}

extern "C" fn munmap(at: *mut c_void, size: usize) -> i32 {
    if is_in_program() {
        unmapped(at.addr(), size);
    }
    real!(munmap(at: *mut c_void, size: usize) -> i32)
}

fn words(kind: Kind, size: usize) -> String {
    let (what, size) = match kind {
        Kind::Read => ("a read", size),
        Kind::Write => ("a write", size),
        Kind::AtomicRead => ("an atomic read", size),
        Kind::AtomicWrite => ("an atomic write", size),
        Kind::Free => return "giving back the block".into(),
    };
    match size {
        0 => what.into(),
        1 => format!("{what} of 1 byte"),
        size => format!("{what} of {size} bytes"),
    }
}

/// The name of what is at an address.
pub fn name(at: usize) -> Option<String> {
    if let Some(thread) = threads::with_stack(at) {
        return Some(format!("a variable on the stack of {}", threads::called(thread)));
    }
    names::variable(at).or_else(|| {
        let (start, site) = heap::block(at)?;
        Some(format!("the {}", names::member(site, at - start)))
    })
}

#[cold]
fn conflicts(conflict: Conflict, at: usize, size: usize, kind: Kind, pc: usize) {
    leave(|| {
        let place = names::place(pc);
        let what = name(conflict.address).unwrap_or_else(|| format!("{:#x}", conflict.address));
        let earlier = &conflict.earlier;
        let first = Plain {
            thread: ThreadId(earlier.by.thread.into()),
            after: earlier.by.after,
            what: words(earlier.kind, 0),
            place: names::place(earlier.pc),
        };
        let problem = if conflict.freed() {
            let freed = names::place(earlier.pc);
            let verb = if kind == Kind::Free { "giving back" } else { "access to" };
            Problem::Misuse {
                message: format!("use after free: {verb} {what}, which was given back at {freed}"),
            }
        } else {
            let second = Plain { thread: thread(), after: *AFTER.get(), what: words(kind, size), place };
            let _ = at;
            Problem::Conflict { what, accesses: Box::new([first, second]) }
        };
        threads::fail(problem, place);
    });
}

/// Memory is misused.
#[cold]
pub fn misuse(message: &str, at: usize, pc: usize) {
    leave(|| {
        let place = names::place(pc);
        let what = name(at).map_or(String::new(), |name| format!(": {name}"));
        threads::fail(Problem::Misuse { message: format!("{message}{what}") }, place);
    });
}

/// An atomic has bytes in common with another one of another size.
#[cold]
pub fn mixed(at: usize, size: usize, other: &Known, place: Place) -> ! {
    let what = name(at).unwrap_or_else(|| format!("{at:#x}"));
    let message = format!(
        "an atomic access of {size} bytes of {what} overlaps one of {} bytes: atomics of mixed sizes are not part of the models",
        other.size
    );
    threads::fail(Problem::Misuse { message }, place)
}

macro_rules! plain {
    ($($read:ident $write:ident $size:expr;)*) => {$(
        extern "C" fn $read(at: *const c_void) {
            if is_recorded() {
                record(at.addr(), $size, Kind::Read, caller());
            }
        }
        extern "C" fn $write(at: *const c_void) {
            if is_recorded() {
                record(at.addr(), $size, Kind::Write, caller());
            }
        }
    )*};
}

plain! {
    read1 write1 1;
    read2 write2 2;
    read4 write4 4;
    read8 write8 8;
    read16 write16 16;
}

extern "C" fn read_range(at: *const c_void, size: usize) {
    if is_recorded() && size > 0 {
        record(at.addr(), size, Kind::Read, caller());
    }
}

extern "C" fn write_range(at: *const c_void, size: usize) {
    if is_recorded() && size > 0 {
        record(at.addr(), size, Kind::Write, caller());
    }
}

extern "C" fn vptr_update(at: *mut *mut c_void, new: *mut c_void) {
    // The same value again is what destructors write.
    // SAFETY: the program is about to write it.
    if is_recorded() && unsafe { *at } != new {
        record(at.addr(), 8, Kind::Write, caller());
    }
}

extern "C" fn read_write4(at: *const c_void) {
    write4(at);
}

extern "C" fn nothing() {}

entries! {
    munmap = self::munmap;
    __tsan_read1 = self::read1;
    __tsan_read2 = self::read2;
    __tsan_read4 = self::read4;
    __tsan_read8 = self::read8;
    __tsan_read16 = self::read16;
    __tsan_write1 = self::write1;
    __tsan_write2 = self::write2;
    __tsan_write4 = self::write4;
    __tsan_write8 = self::write8;
    __tsan_write16 = self::write16;
    __tsan_unaligned_read2 = self::read2;
    __tsan_unaligned_read4 = self::read4;
    __tsan_unaligned_read8 = self::read8;
    __tsan_unaligned_read16 = self::read16;
    __tsan_unaligned_write2 = self::write2;
    __tsan_unaligned_write4 = self::write4;
    __tsan_unaligned_write8 = self::write8;
    __tsan_unaligned_write16 = self::write16;
    __tsan_volatile_read1 = self::read1;
    __tsan_volatile_read2 = self::read2;
    __tsan_volatile_read4 = self::read4;
    __tsan_volatile_read8 = self::read8;
    __tsan_volatile_read16 = self::read16;
    __tsan_volatile_write1 = self::write1;
    __tsan_volatile_write2 = self::write2;
    __tsan_volatile_write4 = self::write4;
    __tsan_volatile_write8 = self::write8;
    __tsan_volatile_write16 = self::write16;
    __tsan_unaligned_volatile_read2 = self::read2;
    __tsan_unaligned_volatile_read4 = self::read4;
    __tsan_unaligned_volatile_read8 = self::read8;
    __tsan_unaligned_volatile_read16 = self::read16;
    __tsan_unaligned_volatile_write2 = self::write2;
    __tsan_unaligned_volatile_write4 = self::write4;
    __tsan_unaligned_volatile_write8 = self::write8;
    __tsan_unaligned_volatile_write16 = self::write16;
    __tsan_read_write1 = self::write1;
    __tsan_read_write2 = self::write2;
    __tsan_read_write4 = self::read_write4;
    __tsan_read_write8 = self::write8;
    __tsan_read_write16 = self::write16;
    __tsan_unaligned_read_write2 = self::write2;
    __tsan_unaligned_read_write4 = self::write4;
    __tsan_unaligned_read_write8 = self::write8;
    __tsan_unaligned_read_write16 = self::write16;
    __tsan_read_range = self::read_range;
    __tsan_write_range = self::write_range;
    __tsan_vptr_update = self::vptr_update;
    __tsan_vptr_read = self::read8;
    __tsan_init = self::nothing;
    __tsan_flush_memory = self::nothing;
}
