//! What ends a process: signals of the processor, and `abort`. In an execution that is explored they are failures, and the process survives.

use crate::control::{caller, is_in_program, outside, thread};
use crate::only::Only;
use crate::{entries, names, processes, real, threads};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use tribunal_explore::Problem;
use tribunal_explore::program::Place;

/// Signals of the processor.
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "segmentation fault"),
    (libc::SIGBUS, "bus error"),
    (libc::SIGFPE, "arithmetic error (division by zero?)"),
    (libc::SIGILL, "illegal instruction"),
    (libc::SIGTRAP, "trap"),
];

/// What was met.
static MET: Only<(c_int, usize, usize)> = Only::new((0, 0, 0));

/// How often threads were resumed, which a timer looks at.
pub static TURNS: AtomicU64 = AtomicU64::new(0);

/// Seconds for which a thread may run without an operation.
static PATIENCE: AtomicU64 = AtomicU64::new(10);

const STACK: usize = 1 << 16;
/// Signals are handled here.
static SIGNAL_STACK: Only<[u8; STACK]> = Only::new([0; STACK]);
/// What a thread without room on its own stack goes on.
static LAST_STACK: Only<[u8; STACK]> = Only::new([0; STACK]);

/// From now on, what ends the process comes here.
pub fn install(patience: u64) {
    PATIENCE.store(patience, Relaxed);
    OWN_STACK.store(std::ptr::from_ref(&patience).addr(), Relaxed);
    let stack = libc::stack_t { ss_sp: SIGNAL_STACK.get().as_mut_ptr().cast(), ss_flags: 0, ss_size: STACK };
    let action = |signal: c_int, handler: usize, flags: c_int| {
        // SAFETY: all zero is an action, and the handlers have the type that the flags say.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handler;
        action.sa_flags = flags | libc::SA_ONSTACK;
        let (new, old): (*const libc::sigaction, *mut libc::sigaction) =
            (&raw const action, std::ptr::null_mut());
        real!(sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int);
    };
    // SAFETY: the stack is static.
    unsafe { libc::syscall(libc::SYS_sigaltstack, &raw const stack, 0) };
    for (signal, _) in SIGNALS {
        action(signal, fault as *const () as usize, libc::SA_SIGINFO | libc::SA_NODEFER);
    }
    action(libc::SIGINT, interrupt as *const () as usize, libc::SA_RESTART);
    action(libc::SIGTERM, interrupt as *const () as usize, libc::SA_RESTART);
    action(libc::SIGALRM, tick as *const () as usize, libc::SA_SIGINFO | libc::SA_RESTART);
    begin_timer();
}

/// From now on, [`tick`] is called once a second. A process that was forked has no timer.
pub fn begin_timer() {
    let second = libc::timeval { tv_sec: 1, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: second, it_value: second };
    // SAFETY: sets a timer.
    unsafe { libc::syscall(libc::SYS_setitimer, libc::ITIMER_REAL, &raw const timer, 0) };
}

extern "C" fn interrupt(_: c_int) {
    processes::stop().store(true, Relaxed);
}

/// Once a second: a thread that has made no operation for long does not come back by itself.
unsafe extern "C" fn tick(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    static LAST: AtomicU64 = AtomicU64::new(0);
    static TIMES: AtomicU64 = AtomicU64::new(0);
    let turns = TURNS.load(Relaxed);
    if LAST.swap(turns, Relaxed) != turns || !is_in_program() {
        TIMES.store(0, Relaxed);
        return;
    }
    let times = TIMES.fetch_add(1, Relaxed);
    if times >= PATIENCE.load(Relaxed) || processes::stop().load(Relaxed) {
        TIMES.store(0, Relaxed);
        // SAFETY: the context of what was interrupted, in the program.
        unsafe { land(context, (libc::SIGALRM, 0)) };
    }
}

unsafe extern "C" fn fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives both.
    unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        if !is_in_program() && is_own_stack(registers[libc::REG_RSP as usize] as usize) {
            let line = b"tribunal: the runtime itself has failed; please report it\n";
            libc::write(2, line.as_ptr().cast(), line.len());
            libc::signal(signal, libc::SIG_DFL);
            return;
        }
        land(context, (signal, (*info).si_addr().addr()));
    }
}

/// What was interrupted goes on with [`landed`].
unsafe fn land(context: *mut c_void, (signal, address): (c_int, usize)) {
    // SAFETY: the system's context of what was interrupted.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let pc = registers[libc::REG_RIP as usize] as usize;
        *MET.get() = (signal, address, pc);
        // Nothing comes back here: a stack of its own serves all threads, also one whose stack is full.
        let top = LAST_STACK.get().as_ptr().add(STACK).addr() & !15;
        registers[libc::REG_RSP as usize] = (top - 8) as i64;
        registers[libc::REG_RIP as usize] = landed as *const () as i64;
        registers[libc::REG_EFL as usize] &= !0x400;
    }
}

/// Where the runtime's own stack begins.
static OWN_STACK: AtomicUsize = AtomicUsize::new(0);

/// Whether an address is on the stack that `main` was called on. Threads of the program have others, on which hooks run, too: what they were given may be no memory.
fn is_own_stack(address: usize) -> bool {
    /// More than a stack has by default.
    const LENGTH: usize = 1 << 26;
    let start = OWN_STACK.load(Relaxed);
    (start.saturating_sub(LENGTH)..start + (1 << 12)).contains(&address)
}

extern "C" fn landed() -> ! {
    let (signal, address, pc) = *MET.get();
    let tell = || {
        let place = nearest(pc + 1);
        let words = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("signal", |(_, words)| words);
        let message = match signal {
            libc::SIGALRM => {
                let message =
                    "the thread runs on without an operation that other threads could see".to_string();
                threads::fail(Problem::Crash { message }, place)
            }
            libc::SIGSEGV | libc::SIGBUS if address < 1 << 16 => {
                format!("{words}: access of address {address:#x}, a null pointer")
            }
            libc::SIGSEGV | libc::SIGBUS => format!("{words}: access of address {address:#x}"),
            _ => words.to_string(),
        };
        let function = if place.line == 0 { names::function(pc + 1) } else { None };
        let message = function.map_or(message.clone(), |function| format!("{message}, in {function}"));
        threads::fail(Problem::Crash { message }, place)
    };
    if is_in_program() { outside(tell) } else { tell() }
}

/// The place of a program counter; of the last hook of the thread, if that is not the program's.
fn nearest(pc: usize) -> Place {
    let place = names::place(pc);
    if place.line > 0 { place } else { names::place(caller()) }
}

/// The program gives up.
pub fn gives_up(message: String, place: Option<Place>) -> ! {
    let pc = caller();
    outside(|| {
        let place = place.unwrap_or_else(|| {
            let place = nearest(pc);
            if place.line > 0 { place } else { threads::current().place }
        });
        threads::fail(Problem::Panic { message }, place)
    })
}

extern "C" fn abort() {
    if !is_in_program() {
        return real!(abort());
    }
    let exception = outside(|| {
        let current = crate::real::any(c"__cxa_current_exception_type")?;
        Some(current.addr())
    });
    // The type of an exception is thread-local: it is asked for in the program.
    let name = exception.and_then(|current| {
        // SAFETY: a function of the C++ library with this type; the second word of a type is its name.
        unsafe {
            let current: extern "C" fn() -> *const *const c_char = std::mem::transmute(current);
            let kind = current();
            (!kind.is_null()).then(|| CStr::from_ptr(*kind.add(1)).to_string_lossy().into_owned())
        }
    });
    let message = match name {
        Some(name) => {
            format!("an exception of type {} is not caught", names::demangled(&format!("_Z{name}")))
        }
        None => "abort() is called".into(),
    };
    gives_up(message, None)
}

extern "C" fn assert_fail(expression: *const c_char, file: *const c_char, line: c_uint, _: *const c_char) {
    // SAFETY: texts of the program.
    let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let (expression, file) = (text(expression), text(file));
    if !is_in_program() {
        let message = format!("{file}:{line}: assertion fails: {expression}\n");
        // SAFETY: writes a text.
        unsafe { libc::write(2, message.as_ptr().cast(), message.len()) };
        return real!(abort());
    }
    let file = outside(|| names::relative(&file));
    gives_up(format!("assertion fails: {expression}"), Some(Place { file, line, column: 0 }))
}

/// The program asks for a signal that the runtime handles: it is told that somebody does, and does not become who does. Rust's threads then need no stacks for handlers.
unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let ours = SIGNALS.iter().any(|(known, _)| *known == signal) || signal == libc::SIGALRM;
    if threads::has_begun() && ours {
        if !old.is_null() {
            // SAFETY: the program gives a place for it, and all zero but the handler is an action.
            unsafe {
                *old = std::mem::zeroed();
                (*old).sa_sigaction = fault as *const () as usize;
                (*old).sa_flags = libc::SA_SIGINFO;
            }
        }
        return 0;
    }
    real!(sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int)
}

extern "C" fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int {
    if threads::has_begun() {
        if !old.is_null() {
            // SAFETY: the program gives a place for it.
            unsafe {
                *old = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 }
            };
        }
        return 0;
    }
    real!(sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int)
}

/// The program sends a signal to itself.
pub fn raised(signal: c_int) -> c_int {
    gives_up(format!("the signal {signal} is raised"), None)
}

/// The program ends. A status that is not zero is a failure; else it is the end of the thread.
extern "C" fn exit(status: c_int) {
    if !is_in_program() {
        return real!(exit(status: c_int));
    }
    if status != 0 {
        gives_up(format!("the program exits with status {status}"), None);
    }
    let _ = thread();
    threads::exit(std::ptr::null_mut())
}

extern "C" fn exit_at_once(status: c_int) {
    if !is_in_program() {
        return real!(_exit(status: c_int));
    }
    exit(status);
}

entries! {
    abort = self::abort;
    __assert_fail = self::assert_fail;
    sigaction = self::sigaction;
    sigaltstack = self::sigaltstack;
    exit = self::exit;
    _exit = self::exit_at_once;
    _Exit = self::exit_at_once;
    quick_exit = self::exit;
}
