//! Tribunal for C and C++.
//!
//! These are the functions that `include/tribunal.h` declares. The header is generated from them, with their documentation.
//! They take C pointers: NULL, or valid as the header requires. A call finds the
//! handle, checks the ids, calls the library and turns the result into a status code.
//!
//! A pointer that may be NULL is an `Option` of a reference or a box, and an output parameter is an `Option` of a place that
//! need not be initialized, so little `unsafe` is needed.

// Pointers of other languages cannot be had without.
#![allow(unsafe_code)]

// In the order of the header.
mod status;

mod event;

mod builder;

mod object;

mod history;

mod limits;

mod verdict;

mod session;

mod monitor;

mod text;

pub use builder::*;
pub use event::*;
pub use history::*;
pub use limits::*;
pub use monitor::*;
pub use object::*;
pub use session::*;
pub use status::{Status, tribunal_last_error};
pub use text::Text;
pub use verdict::*;

use std::ffi::c_char;

/// What the library holds is counted; what the program beside it allocates is not.
#[cfg(feature = "heap")]
#[global_allocator]
static HEAP: tribunal_host::heap::Counting = tribunal_host::heap::Counting;

/// The library's version, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
