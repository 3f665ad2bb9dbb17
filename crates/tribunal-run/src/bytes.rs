//! Functions of libc that read and write the program's memory for it. What they access is checked for races as if the program did it.
//!
//! The runtime itself calls them, too: those calls go to libc's own functions, wherever control is.

use crate::control::{caller, is_recorded};
use crate::plain::record;
use crate::real;
use crate::shadow::Kind;
use std::ffi::c_int;

/// Defines functions of the C interface: each goes on with the first function given if it was called by the program, or else with the second one.
macro_rules! bytes {
    ($($name:ident = $hook:ident, $own:ident;)*) => {
        #[cfg(not(test))]
        const _: () = {$(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                std::arch::naked_asm!(
                    "cmp byte ptr [rip + {state}], 0",
                    "je 2f",
                    "mov r11, [rsp]",
                    "cmp r11, [rip + {start}]",
                    "jb 3f",
                    "cmp r11, [rip + {end}]",
                    "jb 2f",
                    "3:",
                    "mov [rip + {caller}], r11",
                    "jmp {hook}",
                    "2:",
                    "jmp {own}",
                    state = sym $crate::control::STATE,
                    start = sym $crate::control::OWN_START,
                    end = sym $crate::control::OWN_END,
                    caller = sym $crate::control::CALLER,
                    hook = sym self::$hook,
                    own = sym self::$own,
                )
            }
        )*};
    };
}

fn reads(at: *const u8, size: usize) {
    if size > 0 && is_recorded() {
        record(at.addr(), size, Kind::Read, caller());
    }
}

fn writes(at: *const u8, size: usize) {
    if size > 0 && is_recorded() {
        record(at.addr(), size, Kind::Write, caller());
    }
}

extern "C" fn own_memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    real!(memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8)
}

extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    reads(from, size);
    writes(to, size);
    own_memcpy(to, from, size)
}

extern "C" fn own_memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    real!(memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8)
}

extern "C" fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    reads(from, size);
    writes(to, size);
    own_memmove(to, from, size)
}

extern "C" fn own_memset(to: *mut u8, value: c_int, size: usize) -> *mut u8 {
    real!(memset(to: *mut u8, value: c_int, size: usize) -> *mut u8)
}

extern "C" fn memset(to: *mut u8, value: c_int, size: usize) -> *mut u8 {
    writes(to, size);
    own_memset(to, value, size)
}

extern "C" fn own_memcmp(a: *const u8, b: *const u8, size: usize) -> c_int {
    real!(memcmp(a: *const u8, b: *const u8, size: usize) -> c_int)
}

extern "C" fn memcmp(a: *const u8, b: *const u8, size: usize) -> c_int {
    reads(a, size);
    reads(b, size);
    own_memcmp(a, b, size)
}

extern "C" fn own_memchr(at: *const u8, value: c_int, size: usize) -> *const u8 {
    real!(memchr(at: *const u8, value: c_int, size: usize) -> *const u8)
}

extern "C" fn memchr(at: *const u8, value: c_int, size: usize) -> *const u8 {
    let found = own_memchr(at, value, size);
    reads(at, if found.is_null() { size } else { found.addr() - at.addr() + 1 });
    found
}

extern "C" fn own_strlen(text: *const u8) -> usize {
    real!(strlen(text: *const u8) -> usize)
}

extern "C" fn strlen(text: *const u8) -> usize {
    let length = own_strlen(text);
    reads(text, length + 1);
    length
}

extern "C" fn own_strcmp(a: *const u8, b: *const u8) -> c_int {
    real!(strcmp(a: *const u8, b: *const u8) -> c_int)
}

/// How much of two texts a comparison looks at, at most `most` bytes.
fn compared(a: *const u8, b: *const u8, most: usize) -> usize {
    let mut at = 0;
    // SAFETY: texts of the program.
    unsafe {
        while at < most && *a.add(at) == *b.add(at) && *a.add(at) != 0 {
            at += 1;
        }
    }
    most.min(at + 1)
}

extern "C" fn strcmp(a: *const u8, b: *const u8) -> c_int {
    let size = compared(a, b, usize::MAX);
    reads(a, size);
    reads(b, size);
    own_strcmp(a, b)
}

extern "C" fn own_strncmp(a: *const u8, b: *const u8, most: usize) -> c_int {
    real!(strncmp(a: *const u8, b: *const u8, most: usize) -> c_int)
}

extern "C" fn strncmp(a: *const u8, b: *const u8, most: usize) -> c_int {
    let size = compared(a, b, most);
    reads(a, size);
    reads(b, size);
    own_strncmp(a, b, most)
}

extern "C" fn own_strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    real!(strcpy(to: *mut u8, from: *const u8) -> *mut u8)
}

extern "C" fn strcpy(to: *mut u8, from: *const u8) -> *mut u8 {
    let size = own_strlen(from) + 1;
    reads(from, size);
    writes(to, size);
    own_strcpy(to, from)
}

extern "C" fn own_strncpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    real!(strncpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8)
}

extern "C" fn strncpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    let end = own_memchr(from, 0, size);
    reads(from, if end.is_null() { size } else { end.addr() - from.addr() + 1 });
    writes(to, size);
    own_strncpy(to, from, size)
}

extern "C" fn own_strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    real!(strcat(to: *mut u8, from: *const u8) -> *mut u8)
}

extern "C" fn strcat(to: *mut u8, from: *const u8) -> *mut u8 {
    let (before, size) = (own_strlen(to), own_strlen(from) + 1);
    reads(to, before + 1);
    reads(from, size);
    writes(to.wrapping_add(before), size);
    own_strcat(to, from)
}

bytes! {
    memcpy = memcpy, own_memcpy;
    __memcpy_chk = memcpy, own_memcpy;
    memmove = memmove, own_memmove;
    __memmove_chk = memmove, own_memmove;
    __tsan_memcpy = memcpy, own_memcpy;
    __tsan_memmove = memmove, own_memmove;
    memset = memset, own_memset;
    __memset_chk = memset, own_memset;
    __tsan_memset = memset, own_memset;
    memcmp = memcmp, own_memcmp;
    bcmp = memcmp, own_memcmp;
    memchr = memchr, own_memchr;
    strlen = strlen, own_strlen;
    strcmp = strcmp, own_strcmp;
    strncmp = strncmp, own_strncmp;
    strcpy = strcpy, own_strcpy;
    __strcpy_chk = strcpy, own_strcpy;
    strncpy = strncpy, own_strncpy;
    __strncpy_chk = strncpy, own_strncpy;
    strcat = strcat, own_strcat;
    __strcat_chk = strcat, own_strcat;
}
