//! The program's `main`, which the runtime calls in libc's stead, once for each execution.

use crate::control;
use crate::only::Only;
use crate::{
    at_exit, crash, entries, environment, heap, memory, names, objects, output, plain, processes, real,
    report, threads,
};
use std::ffi::{c_char, c_int, c_void};
use tribunal_explore::foreign::Foreign;
use tribunal_explore::{Explorer, Problem};
use tribunal_history::memory::ThreadId;

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// What libc calls `main` with.
struct Call {
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
    /// The arguments as they were: `getopt` reorders them.
    kept: Vec<*mut c_char>,
}

static CALL: Only<Option<Call>> = Only::new(None);
static MAIN: Only<Option<Main>> = Only::new(None);
static LEAKS_FAIL: Only<bool> = Only::new(false);
/// The first leak that was met.
static LEAK: Only<Option<(usize, usize, usize)>> = Only::new(None);
/// What `main` returned, in this execution.
static STATUS: Only<i32> = Only::new(0);

extern "C" fn start(
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    loader_fini: *mut c_void,
    stack: *mut c_void,
) -> c_int {
    *MAIN.get() = Some(main);
    let main: Main = explored;
    real!(__libc_start_main(
        main: Main,
        count: c_int,
        arguments: *mut *mut c_char,
        init: *mut c_void,
        fini: *mut c_void,
        loader_fini: *mut c_void,
        stack: *mut c_void
    ) -> c_int)
}

entries! {
    __libc_start_main = self::start;
}

static FOREIGN: Foreign = Foreign {
    enter: threads::enter,
    spawned: threads::spawned,
    told,
    finish,
    fork: processes::fork,
    may_fork: processes::may_fork,
    may_be_left: |thread| threads::of(thread).is_detached,
    name: plain::name,
    thread_name: |thread| threads::of(thread).name.clone(),
};

fn told(thread: ThreadId, known: Option<&[u32]>) {
    crash::TURNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    threads::told(thread, known);
}

/// In place of `main`: explores all executions of `main`, reports, and ends the process.
unsafe extern "C" fn explored(
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    control::begin();
    threads::begin();
    let mut settings = match environment::settings() {
        Ok(settings) => settings,
        Err(error) => report::refuse(&error),
    };
    processes::begin(settings.processes, &settings.options);
    threads::refuse_first(settings.libtest);
    settings.options.stop = Some(processes::stop());
    let main = MAIN.get().expect("it was given before");
    // SAFETY: libc gives so many arguments.
    let kept = unsafe { std::slice::from_raw_parts(arguments, count.unsigned_abs() as usize) }.to_vec();
    *CALL.get() = Some(Call { main, count, arguments, environment, kept });
    *LEAKS_FAIL.get() = settings.leaks;
    plain::allow_races(settings.options.allow_races);
    tribunal_history::limits::heap::allow(settings.options.max_memory);
    threads::bound_rounds(settings.rounds);
    if let Some(single) = real::any(c"__libc_single_threaded") {
        // libc would otherwise take the program for one that has no other threads.
        // SAFETY: a byte of libc.
        unsafe { *single.cast::<u8>() = 0 };
    }
    let out = report::Out::take(&settings);
    crash::install(settings.patience);
    names::begin();
    // What unwinding does once is done now, and not by one of the threads.
    drop(std::backtrace::Backtrace::force_capture());
    memory::keep(control::own_storage());
    let explorer = Explorer::with_options(settings.options.clone())
        .stack_size(threads::STACK)
        .foreign(&FOREIGN)
        .before_each(begin_execution);
    let explorer = match settings.diagnosis {
        Some(patience) => explorer.diagnose_for(patience),
        None => explorer,
    };
    let status = out.explore(&explorer, &settings);
    // SAFETY: ends the process at once: what the program registered for its end is not of this execution.
    unsafe { libc::syscall(libc::SYS_exit_group, status) };
    unreachable!("the process has ended")
}

/// Before each execution.
fn begin_execution() {
    memory::restore();
    heap::begin();
    objects::begin();
    at_exit::begin();
    output::begin();
    plain::begin();
    threads::begin_execution();
    *STATUS.get() = 0;
    if let Some(call) = CALL.get() {
        for (at, &argument) in call.kept.iter().enumerate() {
            // SAFETY: libc gave so many.
            unsafe { *call.arguments.add(at) = argument };
        }
    }
}

/// Calls `main`. Control is in the program.
pub fn call() -> c_int {
    let call = CALL.get().as_ref().expect("there is a main function");
    // SAFETY: as libc calls it.
    unsafe { (call.main)(call.count, call.arguments, call.environment) }
}

/// `main` has returned this.
pub fn returned(status: i32) {
    *STATUS.get() = status;
}

/// The first memory that was lost, in any execution: how many blocks, the size of the first, and where it was allocated.
pub fn leak() -> Option<(usize, usize, usize)> {
    *LEAK.get()
}

/// All threads have ended.
fn finish() -> Result<(), Problem> {
    let status = *STATUS.get();
    let leaks = || if threads::have_ended() { heap::leaks() } else { None };
    if status != 0 {
        return Err(Problem::Panic { message: format!("main returns {status}") });
    }
    if let Some((count, size, site)) = leaks() {
        LEAK.get().get_or_insert((count, size, site));
        if *LEAKS_FAIL.get() {
            return Err(Problem::Leak {
                what: format!("a block of {size} bytes"),
                place: names::place(site),
            });
        }
    }
    Ok(())
}
