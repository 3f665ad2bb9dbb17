//! The functions of libc that the runtime takes over, as libc has them.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The next function of a name after the runtime's own.
///
/// # Panics
/// If libc has none.
pub fn next(known: &AtomicUsize, name: &CStr) -> usize {
    match known.load(Relaxed) {
        0 => {
            // SAFETY: a name that ends.
            let mut found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.addr();
            if found == 0 {
                // The runtime may be loaded behind libc.
                // SAFETY: names that end, and libc is there anyway.
                unsafe {
                    let library = libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                    found = libc::dlsym(library, name.as_ptr()).addr();
                }
            }
            assert!(found != 0, "libc has no {name:?}");
            known.store(found, Relaxed);
            found
        }
        known => known,
    }
}

/// A function that may be anywhere in the process.
pub fn any(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a name that ends.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Calls libc's own function of a name: `real!(sleep(seconds: c_uint) -> c_uint)`.
#[macro_export]
macro_rules! real {
    ($name:ident($($argument:ident : $type:ty),* $(,)?) $(-> $result:ty)?) => {{
        static KNOWN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let name = const {
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name has no zero in it"),
            }
        };
        let found = $crate::real::next(&KNOWN, name);
        // SAFETY: libc's function of this name has this type.
        unsafe {
            let function: unsafe extern "C" fn($($type),*) $(-> $result)? = std::mem::transmute(found);
            function($($argument),*)
        }
    }};
}
