//! Status codes, messages, and catching panics.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended. For codes other than OK, INCONSISTENT and END, `tribunal_last_error` has a message.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// The event makes the execution inconsistent with its model. Not an error.
    Inconsistent = 1,
    /// There is nothing more, or nothing there. Not an error.
    End = 2,
    /// An argument is invalid: NULL, an unknown name or id, a call at the wrong time. Nothing was done.
    Invalid = 3,
    /// The history is malformed.
    Malformed = 4,
    /// A limit was reached.
    Limit = 5,
    /// A bug in the library. From then on the handle can only be freed.
    Broken = 6,
}

/// Why a call did not end with `Ok`.
pub(crate) enum Failure {
    Inconsistent,
    End,
    Told(Status, String),
}

pub(crate) fn invalid(message: impl Into<String>) -> Failure {
    Failure::Told(Status::Invalid, message.into())
}

pub(crate) fn malformed(error: impl ToString) -> Failure {
    Failure::Told(Status::Malformed, error.to_string())
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// The message of the last call of this thread that failed; empty if none did.
///
/// Valid until the next call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn tribunal_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Leaves a message for `tribunal_last_error`.
#[cold]
pub(crate) fn note(message: impl Into<Vec<u8>>) {
    // A thread that ends has nobody left to ask.
    _ = LAST.try_with(|last| *last.borrow_mut() = c_string(message));
}

/// A text as C has it: up to a NUL, which no text of ours should have.
pub(crate) fn c_string(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.retain(|&byte| byte != 0);
    CString::new(bytes).unwrap_or_default()
}

#[cold]
fn failed(failure: Failure) -> Status {
    match failure {
        Failure::Inconsistent => Status::Inconsistent,
        Failure::End => Status::End,
        Failure::Told(status, message) => {
            note(message);
            status
        }
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> Status {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    note(format!("a defect of the library: {message}"));
    Status::Broken
}

/// Acts, and turns what comes of it into a code.
#[inline]
pub(crate) fn guarded(act: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What a panic leaves behind is not used again: see `Handle`.
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(failure)) => failed(failure),
        Err(panic) => panicked(&*panic),
    }
}

/// Like [`guarded`], for an answer that is no code; what stands for none if there is a failure.
pub(crate) fn answered<T>(otherwise: T, act: impl FnOnce() -> Result<T, Failure>) -> T {
    let mut answer = otherwise;
    guarded(|| {
        answer = act()?;
        Ok(())
    });
    answer
}

/// Something that C holds by a pointer and that changes.
pub(crate) trait Handle {
    /// What it is called in messages.
    const NAME: &'static str;

    /// Whether a panic has left it as it should not be.
    fn is_broken(&mut self) -> &mut bool;
}

/// Acts on a handle. A panic breaks it for good.
#[inline]
pub(crate) fn with<H: Handle>(
    handle: Option<&mut H>,
    act: impl FnOnce(&mut H) -> Result<(), Failure>,
) -> Status {
    let Some(handle) = handle else { return failed(null(H::NAME)) };
    if *handle.is_broken() {
        return panicked(&"the handle is broken since an earlier one");
    }
    let status = guarded(|| act(handle));
    if status == Status::Broken {
        *handle.is_broken() = true;
    }
    status
}

/// Makes something and hands it to C, which gets NULL if that fails.
pub(crate) fn made<T>(
    out: Option<&mut MaybeUninit<Option<Box<T>>>>,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Status {
    let Some(out) = out else { return failed(null("the place for the new handle")) };
    out.write(None);
    guarded(|| {
        out.write(Some(Box::new(make()?)));
        Ok(())
    })
}

/// Like [`made`], out of another handle.
pub(crate) fn made_by<H: Handle, T>(
    handle: Option<&mut H>,
    out: Option<&mut MaybeUninit<Option<Box<T>>>>,
    make: impl FnOnce(&mut H) -> Result<T, Failure>,
) -> Status {
    let Some(out) = out else { return failed(null("the place for the new handle")) };
    out.write(None);
    with(handle, |handle| {
        out.write(Some(Box::new(make(handle)?)));
        Ok(())
    })
}

/// Frees a handle, or does nothing with NULL.
pub(crate) fn freed<T>(handle: Option<Box<T>>) {
    guarded(|| {
        drop(handle);
        Ok(())
    });
}

#[cold]
pub(crate) fn null(what: &str) -> Failure {
    invalid(format!("{what} is NULL"))
}

/// Gives C an answer, if it wants one.
#[inline]
pub(crate) fn put<T>(out: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(out) = out {
        out.write(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    struct Fragile(bool);

    impl Handle for Fragile {
        const NAME: &'static str = "the thing";

        fn is_broken(&mut self) -> &mut bool {
            &mut self.0
        }
    }

    fn last_error() -> String {
        // SAFETY: the message ends with NUL and nothing fails meanwhile.
        unsafe { CStr::from_ptr(tribunal_last_error()) }.to_str().unwrap().into()
    }

    #[test]
    fn a_panic_is_a_code_and_breaks_the_handle() {
        let mut thing = Fragile(false);
        assert_eq!(with(Some(&mut thing), |_| panic!("index {} of {}", 3, 2)), Status::Broken);
        assert_eq!(last_error(), "a defect of the library: index 3 of 2");
        assert_eq!(with(Some(&mut thing), |_| Ok(())), Status::Broken);
        assert_eq!(with(None::<&mut Fragile>, |_| Ok(())), Status::Invalid);
        assert_eq!(last_error(), "the thing is NULL");
    }

    #[test]
    fn each_thread_has_its_own_message() {
        note("here");
        std::thread::spawn(|| assert_eq!(last_error(), "")).join().unwrap();
        assert_eq!(last_error(), "here");
    }

    #[test]
    fn what_cannot_be_made_is_null() {
        let mut out = MaybeUninit::new(Some(Box::new(1)));
        assert_eq!(made(Some(&mut out), || Err(invalid("no"))), Status::Invalid);
        // SAFETY: it was given as initialized, and written since.
        assert!(unsafe { out.assume_init() }.is_none());
    }
}
