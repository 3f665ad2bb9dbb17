//! Chance, which is the same in every run of an execution: each thread has a sequence of numbers of its own.

use crate::control::is_in_program;
use crate::{entries, real, threads};
use std::ffi::{c_int, c_long, c_uint, c_void};

/// What follows from a state, as well distributed as if it were random: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mixed(state: u64) -> u64 {
    let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The next number of the thread that runs.
pub fn next() -> u64 {
    let state = &mut threads::current().chance;
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed(*state)
}

/// Where the sequence of a new thread begins.
pub fn of_child(parent: u64, child: u32) -> u64 {
    mixed(parent ^ u64::from(child))
}

/// Fills memory of the program.
pub fn fill(at: *mut c_void, size: usize) {
    for offset in 0..size {
        // SAFETY: the program says that there is so much room.
        unsafe { *at.cast::<u8>().add(offset) = next() as u8 };
    }
}

extern "C" fn srand(seed: c_uint) {
    if !is_in_program() {
        return real!(srand(seed: c_uint));
    }
    threads::current().chance = seed.into();
}

extern "C" fn rand() -> c_int {
    if !is_in_program() {
        return real!(rand() -> c_int);
    }
    (next() >> 33) as c_int
}

extern "C" fn random() -> c_long {
    rand().into()
}

extern "C" fn getrandom(at: *mut c_void, size: usize, flags: c_uint) -> isize {
    if !is_in_program() {
        return real!(getrandom(at: *mut c_void, size: usize, flags: c_uint) -> isize);
    }
    fill(at, size);
    size.cast_signed()
}

extern "C" fn getentropy(at: *mut c_void, size: usize) -> c_int {
    if !is_in_program() {
        return real!(getentropy(at: *mut c_void, size: usize) -> c_int);
    }
    fill(at, size);
    0
}

extern "C" fn arc4random() -> u32 {
    if !is_in_program() {
        return real!(arc4random() -> u32);
    }
    next() as u32
}

extern "C" fn arc4random_buf(at: *mut c_void, size: usize) {
    if !is_in_program() {
        return real!(arc4random_buf(at: *mut c_void, size: usize));
    }
    fill(at, size);
}

extern "C" fn arc4random_uniform(bound: u32) -> u32 {
    if !is_in_program() {
        return real!(arc4random_uniform(bound: u32) -> u32);
    }
    (next() % u64::from(bound.max(1))) as u32
}

/// `std::random_device::operator()`, which would ask the processor.
extern "C" fn random_device(device: *mut c_void) -> c_uint {
    if !is_in_program() {
        return real!(_ZNSt13random_device9_M_getvalEv(device: *mut c_void) -> c_uint);
    }
    next() as c_uint
}

entries! {
    srand = self::srand;
    srandom = self::srand;
    rand = self::rand;
    random = self::random;
    getrandom = self::getrandom;
    getentropy = self::getentropy;
    arc4random = self::arc4random;
    arc4random_buf = self::arc4random_buf;
    arc4random_uniform = self::arc4random_uniform;
    _ZNSt13random_device9_M_getvalEv = self::random_device;
}
