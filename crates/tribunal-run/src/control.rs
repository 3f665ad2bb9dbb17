//! Where control is: in the program, or in the runtime.
//!
//! In the program, thread-local storage is that of the program's thread; in the runtime it is that of the process, so that all of Rust can be used there. The two differ by the register FS. A
//! hook comes from the program: [`outside`] goes into the runtime and back. A function of libc that is called while control is in the runtime, or before `main`, is libc's own.

use std::arch::asm;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Relaxed};
use tribunal_history::memory::ThreadId;

/// Where control is: [`IN_RUNTIME`], [`IN_PROGRAM`] or [`UNRECORDED`].
pub static STATE: AtomicU8 = AtomicU8::new(IN_RUNTIME);
const IN_RUNTIME: u8 = 0;
const IN_PROGRAM: u8 = 1;
/// In the program, whose plain accesses are not looked at.
const UNRECORDED: u8 = 2;

/// Where the code of the runtime is.
pub static OWN_START: AtomicUsize = AtomicUsize::new(0);
pub static OWN_END: AtomicUsize = AtomicUsize::new(0);

static OWN_STORAGE: AtomicUsize = AtomicUsize::new(0);
static THREAD: AtomicUsize = AtomicUsize::new(0);
static HAS_FSGSBASE: AtomicBool = AtomicBool::new(false);

/// Defines functions of the C interface. Each keeps the address that it returns to, which `control::caller` tells, and goes on with the function given, of the same type.
#[macro_export]
macro_rules! entries {
    ($($name:ident = $to:path;)*) => {
        #[cfg(not(test))]
        const _: () = {$(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                std::arch::naked_asm!(
                    "mov r11, [rsp]",
                    "mov [rip + {caller}], r11",
                    "jmp {to}",
                    caller = sym $crate::control::CALLER,
                    to = sym $to,
                )
            }
        )*};
    };
}

/// See [`caller`].
pub static CALLER: AtomicUsize = AtomicUsize::new(0);

/// The address to which the hook that was called last returns.
#[inline(always)]
pub fn caller() -> usize {
    CALLER.load(Relaxed)
}

/// Whether control is in the program, and an execution is under way.
#[inline(always)]
pub fn is_in_program() -> bool {
    STATE.load(Relaxed) != IN_RUNTIME
}

/// Whether plain accesses are looked at: control is in the program, and the thread has not asked to ignore them.
#[inline(always)]
pub fn is_recorded() -> bool {
    STATE.load(Relaxed) == IN_PROGRAM
}

/// Whether plain accesses of the thread that runs are looked at from now on.
pub fn set_recorded(is_recorded: bool) {
    STATE.store(if is_recorded { IN_PROGRAM } else { UNRECORDED }, Relaxed);
}

/// The thread of the program that runs.
#[inline(always)]
pub fn thread() -> ThreadId {
    ThreadId(THREAD.load(Relaxed) as u32)
}

/// This thread goes on.
pub fn goes_on(thread: ThreadId) {
    THREAD.store(thread.index(), Relaxed);
}

/// Called once, before `main`: where the thread-local storage of the process is.
pub fn begin() {
    const AT_HWCAP2: libc::c_ulong = 26;
    const FSGSBASE: libc::c_ulong = 2;
    // SAFETY: asks for a number.
    HAS_FSGSBASE.store(unsafe { libc::getauxval(AT_HWCAP2) } & FSGSBASE != 0, Relaxed);
    OWN_STORAGE.store(storage(), Relaxed);
    unsafe extern "C" {
        static __ehdr_start: u8;
        static etext: u8;
    }
    OWN_START.store((&raw const __ehdr_start).addr(), Relaxed);
    OWN_END.store((&raw const etext).addr(), Relaxed);
}

/// The thread-local storage of the process.
pub fn own_storage() -> usize {
    OWN_STORAGE.load(Relaxed)
}

/// The register FS.
fn storage() -> usize {
    let base: usize;
    // SAFETY: the first word of a thread's control block is its own address.
    unsafe { asm!("mov {}, fs:[0]", out(reg) base, options(nostack, readonly, preserves_flags)) };
    base
}

#[inline(always)]
fn set_storage(base: usize) {
    if HAS_FSGSBASE.load(Relaxed) {
        // SAFETY: the processor has the instruction, and it is the storage of a thread.
        unsafe { asm!("wrfsbase {}", in(reg) base, options(nostack, preserves_flags)) };
    } else {
        const ARCH_SET_FS: usize = 0x1002;
        // SAFETY: the same by a system call.
        unsafe {
            asm!("syscall", inlateout("rax") libc::SYS_arch_prctl => _, in("rdi") ARCH_SET_FS, in("rsi") base,
                 out("rcx") _, out("r11") _, options(nostack));
        }
    }
}

/// Leaves the program for the runtime and comes back to the same thread. `f` may give way to other threads.
#[inline]
pub fn outside<R>(f: impl FnOnce() -> R) -> R {
    let (storage, thread, state) = (storage(), THREAD.load(Relaxed), STATE.load(Relaxed));
    STATE.store(IN_RUNTIME, Relaxed);
    set_storage(own_storage());
    let result = f();
    crate::plain::goes_on();
    set_storage(storage);
    THREAD.store(thread, Relaxed);
    STATE.store(state, Relaxed);
    result
}

/// Runs a thread of the program with its own thread-local storage. Comes back when that returns, or [ends early](end_early).
pub fn inside(thread: ThreadId, storage: usize, f: extern "C" fn(usize), argument: usize, back: &mut usize) {
    THREAD.store(thread.index(), Relaxed);
    set_storage(storage);
    STATE.store(IN_PROGRAM, Relaxed);
    // SAFETY: `back` outlives the call, which returns once.
    unsafe { call(f, argument, back) };
    STATE.store(IN_RUNTIME, Relaxed);
    set_storage(own_storage());
}

/// Calls a function with what [`end_early`] needs to return from here in its stead.
#[unsafe(naked)]
unsafe extern "C" fn call(f: extern "C" fn(usize), argument: usize, back: *mut usize) {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdx], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Leaves all that the thread has called, and returns from [`inside`]. Nothing is unwound.
///
/// # Safety
/// `back` is what `inside` put there, for this thread.
#[unsafe(naked)]
pub unsafe extern "C" fn end_early(back: usize) -> ! {
    std::arch::naked_asm!(
        "mov rsp, rdi",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}
