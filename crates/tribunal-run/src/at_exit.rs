//! What the program has asked to be called when a thread or the process ends. In an execution that is up to the runtime; what was asked for before `main` never comes.

use crate::control::is_in_program;
use crate::only::Only;
use crate::{entries, real, threads};
use std::ffi::{c_int, c_void};

type Function = unsafe extern "C" fn(*mut c_void);

/// What to call with this argument at the end of `main`.
#[derive(Clone, Copy)]
enum Handler {
    /// As `__cxa_atexit` and `atexit` have it.
    Plain(Function, *mut c_void),
    /// As `on_exit` has it.
    WithStatus(unsafe extern "C" fn(c_int, *mut c_void), *mut c_void),
}

static HANDLERS: Only<Vec<Handler>> = Only::new(Vec::new());

/// An execution begins.
pub fn begin() {
    HANDLERS.get().clear();
}

/// The main thread has ended. Control is in the program.
pub fn run(status: c_int) {
    while let Some(handler) = HANDLERS.get().pop() {
        // SAFETY: what the program gave.
        unsafe {
            match handler {
                Handler::Plain(function, argument) => function(argument),
                Handler::WithStatus(function, argument) => function(status, argument),
            }
        }
    }
}

extern "C" fn register(function: Function, argument: *mut c_void, module: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(__cxa_atexit(function: Function, argument: *mut c_void, module: *mut c_void) -> c_int);
    }
    HANDLERS.get().push(Handler::Plain(function, argument));
    0
}

/// Programs that are not position-independent have it from libc, others a copy that calls [`register`].
extern "C" fn register_plain(function: Function) -> c_int {
    register(function, std::ptr::null_mut(), std::ptr::null_mut())
}

type WithStatus = unsafe extern "C" fn(c_int, *mut c_void);

extern "C" fn register_with_status(function: WithStatus, argument: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(on_exit(function: WithStatus, argument: *mut c_void) -> c_int);
    }
    HANDLERS.get().push(Handler::WithStatus(function, argument));
    0
}

/// At the end of the thread that runs.
extern "C" fn register_for_thread(function: Function, argument: *mut c_void, module: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(__cxa_thread_atexit_impl(
            function: Function,
            argument: *mut c_void,
            module: *mut c_void
        ) -> c_int);
    }
    threads::at_end(function, argument);
    0
}

entries! {
    __cxa_atexit = self::register;
    atexit = self::register_plain;
    on_exit = self::register_with_status;
    __cxa_thread_atexit = self::register_for_thread;
    __cxa_thread_atexit_impl = self::register_for_thread;
}
