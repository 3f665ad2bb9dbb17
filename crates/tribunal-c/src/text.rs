//! Strings and arrays that C passes.

use crate::status::{Failure, invalid, null};
use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

/// A string of the caller: NULL, or NUL-terminated and unchanged during the call. In the header it is `const char *`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text<'a>(*const c_char, PhantomData<&'a c_char>);

impl<'a> Text<'a> {
    /// A string, for callers in Rust.
    pub const fn new(text: &'a CStr) -> Self {
        Text(text.as_ptr(), PhantomData)
    }

    /// No string, for callers in Rust.
    pub const NULL: Self = Text(std::ptr::null(), PhantomData);

    /// The string; `what` it is, for the message if it is none.
    pub(crate) fn required(self, what: &str) -> Result<&'a str, Failure> {
        self.optional(what)?.ok_or_else(|| null(what))
    }

    /// The string, unless it is NULL.
    pub(crate) fn optional(self, what: &str) -> Result<Option<&'a str>, Failure> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: it is not NULL, and as the header asks it ends with NUL and is left alone meanwhile.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(Some).map_err(|_| invalid(format!("{what} is not UTF-8")))
    }
}

/// So many items of an array of the caller's, which is NULL only if there are none.
pub(crate) fn array<'a, T>(first: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if !there(first.is_null(), count, size_of::<T>(), what)? {
        return Ok(&[]);
    }
    // SAFETY: it is not NULL, and as the header asks there are so many items, which are left alone meanwhile.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// Room for so many items in an array of the caller's, which is NULL only if there is none.
#[inline]
pub(crate) fn array_mut<'a, T>(
    first: *mut T,
    count: usize,
    what: &str,
) -> Result<&'a mut [MaybeUninit<T>], Failure> {
    if !there(first.is_null(), count, size_of::<T>(), what)? {
        return Ok(&mut []);
    }
    // SAFETY: it is not NULL, and as the header asks there is so much room, which nobody else uses meanwhile.
    Ok(unsafe { slice::from_raw_parts_mut(first.cast(), count) })
}

/// Whether there is anything in an array, if it can be one.
#[inline]
fn there(null: bool, count: usize, size: usize, what: &str) -> Result<bool, Failure> {
    if count > isize::MAX as usize / size {
        return Err(invalid(format!("{what} cannot have {count} items")));
    }
    if null && count > 0 { Err(crate::status::null(what)) } else { Ok(count > 0) }
}
