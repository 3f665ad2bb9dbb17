//! Tribunal for C and C++.
//!
//! The functions here are what `include/tribunal.h` declares, which is written from them, and where they are documented for those
//! who call them. They take pointers as C has them: NULL, or as the header asks. Nothing is decided here: a call finds the
//! handle, checks the ids, calls the library and turns what comes of it into a code.
//!
//! A pointer that may be NULL is an `Option` of a reference or of a box, and one to be written to is an `Option` of a place that
//! need not be initialized: so few of them take `unsafe`.

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

/// The library's version, as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
