//! Threads: they are made, joined, detached and named, and end themselves.

use crate::control::{self, is_in_program};
use crate::operation::{error, misuse, operation, refuse};
use crate::threads::{self, Start};
use crate::{crash, entries, real};
use std::ffi::{CStr, c_char, c_int, c_void};
use tribunal_explore::foreign;
use tribunal_explore::program::Place;
use tribunal_history::memory::ThreadId;

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Makes a thread: its handle, unless there are too many.
pub fn make(start: Start, is_detached: bool, place: Place) -> Option<usize> {
    let child = threads::make(start, place)?;
    threads::of(child).is_detached = is_detached;
    Some(threads::handle(child))
}

extern "C" fn create(
    handle: *mut usize,
    attributes: *const libc::pthread_attr_t,
    start: Routine,
    argument: *mut c_void,
) -> c_int {
    if !is_in_program() {
        // It would run beside the explorer.
        crate::report::refuse("a thread is made before main: that cannot be explored");
    }
    if threads::is_refused() {
        return libc::EAGAIN;
    }
    let mut detached = 0;
    if !attributes.is_null() {
        let detached: *mut c_int = &raw mut detached;
        real!(pthread_attr_getdetachstate(attributes: *const libc::pthread_attr_t, detached: *mut c_int) -> c_int);
    }
    operation(|place| {
        let is_detached = detached == libc::PTHREAD_CREATE_DETACHED;
        let Some(made) = make(Start::Posix(start, argument), is_detached, place) else { return libc::EAGAIN };
        // SAFETY: the program gives a place for it.
        unsafe { *handle = made };
        0
    })
}

/// Waits for the end of a thread: its result.
pub fn join_at(handle: usize, place: Place) -> Result<*mut c_void, c_int> {
    let thread = threads::with_handle(handle).ok_or(libc::ESRCH)?;
    if thread == control::thread() {
        return Err(libc::EDEADLK);
    }
    if threads::of(thread).is_detached || threads::of(thread).is_joined {
        misuse("a thread is joined that was detached or joined before", place);
    }
    threads::of(thread).is_joined = true;
    foreign::join(thread, place);
    crate::time::has_come(threads::of(thread).now);
    Ok(threads::of(thread).result)
}

fn joined(handle: usize, result: *mut *mut c_void, place: Place) -> c_int {
    match join_at(handle, place) {
        Ok(value) => {
            if !result.is_null() {
                // SAFETY: the program gives a place for it.
                unsafe { *result = value };
            }
            0
        }
        Err(status) => status,
    }
}

extern "C" fn join(handle: usize, result: *mut *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_join(handle: usize, result: *mut *mut c_void) -> c_int);
    }
    operation(|place| joined(handle, result, place))
}

/// Whether a thread has ended is for the explorer to choose: no thread can know that another has not. The second time it has, so that loops end.
extern "C" fn try_join(handle: usize, result: *mut *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_tryjoin_np(handle: usize, result: *mut *mut c_void) -> c_int);
    }
    operation(|place| {
        let Some(thread) = threads::with_handle(handle) else { return libc::ESRCH };
        if !threads::of(thread).is_missed && foreign::choose(2, place) == 1 {
            threads::of(thread).is_missed = true;
            return libc::EBUSY;
        }
        joined(handle, result, place)
    })
}

extern "C" fn timed_join(handle: usize, result: *mut *mut c_void) -> c_int {
    join(handle, result)
}

/// No more is to be known of a thread.
pub fn detach_at(handle: usize) -> c_int {
    match threads::with_handle(handle) {
        Some(thread) => {
            threads::of(thread).is_detached = true;
            0
        }
        None => libc::ESRCH,
    }
}

extern "C" fn detach(handle: usize) -> c_int {
    if !is_in_program() {
        return real!(pthread_detach(handle: usize) -> c_int);
    }
    detach_at(handle)
}

extern "C" fn exit(result: *mut c_void) {
    if !is_in_program() {
        return real!(pthread_exit(result: *mut c_void));
    }
    threads::exit(result)
}

extern "C" fn set_name(handle: usize, name: *const c_char) -> c_int {
    if !is_in_program() {
        return real!(pthread_setname_np(handle: usize, name: *const c_char) -> c_int);
    }
    // SAFETY: a text of the program.
    let name = unsafe { CStr::from_ptr(name) };
    match threads::with_handle(handle) {
        // As much as the system keeps.
        Some(_) if name.count_bytes() > 15 => libc::ERANGE,
        Some(thread) => operation(|_| {
            threads::of(thread).name = Some(name.to_string_lossy().into_owned());
            0
        }),
        None => libc::ESRCH,
    }
}

extern "C" fn get_name(handle: usize, buffer: *mut c_char, size: usize) -> c_int {
    if !is_in_program() {
        return real!(pthread_getname_np(handle: usize, buffer: *mut c_char, size: usize) -> c_int);
    }
    let Some(thread) = threads::with_handle(handle) else { return libc::ESRCH };
    let name = threads::of(thread).name.as_deref().unwrap_or("thread");
    if name.len() >= size {
        return libc::ERANGE;
    }
    // SAFETY: the program says that there is so much room.
    unsafe {
        std::ptr::copy_nonoverlapping(name.as_ptr(), buffer.cast(), name.len());
        *buffer.add(name.len()) = 0;
    }
    0
}

/// The attributes of a thread that runs: of interest is where its stack is.
extern "C" fn get_attributes(handle: usize, attributes: *mut libc::pthread_attr_t) -> c_int {
    if !is_in_program() {
        return real!(pthread_getattr_np(handle: usize, attributes: *mut libc::pthread_attr_t) -> c_int);
    }
    let Some(thread) = threads::with_handle(handle) else { return libc::ESRCH };
    real!(pthread_attr_init(attributes: *mut libc::pthread_attr_t) -> c_int);
    let (start, size) = threads::stack(thread);
    real!(pthread_attr_setstack(attributes: *mut libc::pthread_attr_t, start: usize, size: usize) -> c_int)
}

extern "C" fn kill(handle: usize, signal: c_int) -> c_int {
    if !is_in_program() {
        return real!(pthread_kill(handle: usize, signal: c_int) -> c_int);
    }
    match threads::with_handle(handle) {
        None => libc::ESRCH,
        Some(_) if signal == 0 => 0,
        Some(thread) if thread == control::thread() => crash::raised(signal),
        Some(_) => refuse("a signal from one thread to another"),
    }
}

extern "C" fn raise(signal: c_int) -> c_int {
    if !is_in_program() {
        return real!(raise(signal: c_int) -> c_int);
    }
    if signal == 0 { 0 } else { crash::raised(signal) }
}

extern "C" fn cancel(handle: usize) -> c_int {
    if !is_in_program() {
        return real!(pthread_cancel(handle: usize) -> c_int);
    }
    refuse("pthread_cancel")
}

/// The system's number of a thread: the main thread has that of the process.
pub fn number(thread: ThreadId) -> libc::pid_t {
    // SAFETY: asks for a number.
    unsafe { libc::getpid() + thread.0 as libc::pid_t }
}

extern "C" fn get_number() -> libc::pid_t {
    if !is_in_program() {
        return real!(gettid() -> libc::pid_t);
    }
    number(control::thread())
}

extern "C" fn yields() -> c_int {
    if !is_in_program() {
        return real!(sched_yield() -> c_int);
    }
    crate::operation::spin();
    0
}

/// A process of its own would have one of the threads, in the midst of an execution.
extern "C" fn fork() -> libc::pid_t {
    if !is_in_program() {
        return real!(fork() -> libc::pid_t);
    }
    refuse("fork")
}

extern "C" fn start_process() -> c_int {
    if !is_in_program() {
        return error(libc::ENOSYS);
    }
    refuse("a program that starts another")
}

extern "C" fn at_fork() -> c_int {
    0
}

entries! {
    pthread_create = self::create;
    pthread_join = self::join;
    pthread_tryjoin_np = self::try_join;
    pthread_timedjoin_np = self::timed_join;
    pthread_clockjoin_np = self::timed_join;
    pthread_detach = self::detach;
    pthread_exit = self::exit;
    pthread_setname_np = self::set_name;
    pthread_getname_np = self::get_name;
    pthread_getattr_np = self::get_attributes;
    pthread_kill = self::kill;
    pthread_cancel = self::cancel;
    raise = self::raise;
    gettid = self::get_number;
    sched_yield = self::yields;
    pthread_yield = self::yields;
    thrd_yield = self::yields;
    fork = self::fork;
    vfork = self::fork;
    system = self::start_process;
    popen = self::start_process;
    execve = self::start_process;
    execv = self::start_process;
    execvp = self::start_process;
    execvpe = self::start_process;
    execl = self::start_process;
    execlp = self::start_process;
    execle = self::start_process;
    posix_spawn = self::start_process;
    posix_spawnp = self::start_process;
    pthread_atfork = self::at_fork;
    __register_atfork = self::at_fork;
}
