//! The program's threads: their thread-local storage, how they begin and end, and what they leave.

use crate::control::{self, end_early, inside, is_in_program, outside};
use crate::only::Only;
use crate::real::any;
use crate::{at_exit, chance, heap, main_function, memory, plain, time};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tribunal_explore::program::Place;
use tribunal_explore::{Problem, foreign};
use tribunal_history::memory::ThreadId;

/// What a thread runs.
#[derive(Clone, Copy)]
pub enum Start {
    /// As `pthread_create` has it.
    Posix(unsafe extern "C" fn(*mut c_void) -> *mut c_void, *mut c_void),
    /// As `thrd_create` has it.
    C11(unsafe extern "C" fn(*mut c_void) -> c_int, *mut c_void),
}

/// A function that is called when a thread ends, with its argument.
type AtEnd = (unsafe extern "C" fn(*mut c_void), *mut c_void);

/// A thread of the present execution.
pub struct Thread {
    pub start: Option<Start>,
    /// What it is about to make a thread of.
    pub child: Option<Start>,
    /// What it returned.
    pub result: *mut c_void,
    pub is_detached: bool,
    pub is_joined: bool,
    /// Somebody was told that it has not ended yet.
    pub is_missed: bool,
    /// Its [clock](crate::time).
    pub now: Duration,
    /// The state of its [sequence of numbers](crate::chance).
    pub chance: u64,
    /// How often it was asked to [ignore](crate::annotations) its plain accesses.
    pub ignores: u32,
    pub name: Option<String>,
    /// What is to be called when it ends.
    at_end: Vec<AtEnd>,
    /// What [`inside`] needs to come back early.
    back: usize,
    /// It has come to its end.
    has_ended: bool,
    /// The calls that it is in, as the addresses that they return to.
    calls: Calls,
    /// The place of its last operation.
    pub place: Place,
    /// The events of each thread that happen before what it does; none while that is of no interest.
    pub known: Vec<u32>,
    pub is_checked: bool,
}

impl Thread {
    fn new() -> Self {
        Thread {
            start: None,
            child: None,
            result: std::ptr::null_mut(),
            is_detached: false,
            is_joined: false,
            is_missed: false,
            now: time::START,
            chance: 1,
            ignores: 0,
            name: None,
            at_end: Vec::new(),
            back: 0,
            has_ended: false,
            calls: Calls::default(),
            place: Place::default(),
            known: Vec::new(),
            is_checked: false,
        }
    }
}

static THREADS: Only<Vec<Thread>> = Only::new(Vec::new());
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Keys of thread-specific data, and what destroys it.
type Key = (libc::pthread_key_t, unsafe extern "C" fn(*mut c_void));

static KEYS: Only<Vec<Key>> = Only::new(Vec::new());
/// How many keys there were when `main` was called.
static FIRST_KEYS: Only<usize> = Only::new(0);

/// `main` is about to be called for the first time.
pub fn begin() {
    *FIRST_KEYS.get() = KEYS.get().len();
    HAS_BEGUN.store(true, Relaxed);
}

/// Whether executions have begun.
pub fn has_begun() -> bool {
    HAS_BEGUN.load(Relaxed)
}

static REFUSES_FIRST: AtomicBool = AtomicBool::new(false);
/// The first thread of this execution is still to be refused.
static REFUSES: AtomicBool = AtomicBool::new(false);

/// From now on, the first thread that each execution makes is refused, or not.
///
/// Rust's libtest has a thread for each test, and runs the test itself where there can be none: what is explored is smaller by a thread.
pub fn refuse_first(refuses: bool) {
    REFUSES_FIRST.store(refuses, Relaxed);
}

/// Whether a thread that is to be made is refused.
pub fn is_refused() -> bool {
    REFUSES.swap(false, Relaxed)
}

/// An execution begins.
pub fn begin_execution() {
    REFUSES.store(REFUSES_FIRST.load(Relaxed), Relaxed);
    THREADS.get().clear();
    KEYS.get().truncate(*FIRST_KEYS.get());
    of(ThreadId(0));
}

/// Whether all threads have come to their ends.
pub fn have_ended() -> bool {
    THREADS.get().iter().all(|thread| thread.has_ended)
}

/// The calls that a thread is in.
#[derive(Default)]
struct Calls {
    /// How many; those that are deeper than there is room for are not kept.
    depth: usize,
    kept: Vec<usize>,
    /// If rounds of loops are bounded: the depth of a call, an operation in it, and how often the thread has come by.
    rounds: Vec<(usize, usize, u32)>,
}

/// How often a thread may come by the same operation in a call of a function.
static MOST_ROUNDS: Only<Option<u32>> = Only::new(None);

/// Bounds the rounds of loops.
pub fn bound_rounds(most: Option<u32>) {
    *MOST_ROUNDS.get() = most;
}

/// The thread comes by an operation. If it has done so more often than it may, it stops, and the execution does not count. Control is in the runtime.
pub fn come_by(pc: usize, place: Place) {
    let Some(most) = *MOST_ROUNDS.get() else { return };
    let calls = &mut current().calls;
    let (depth, rounds) = (calls.depth, &mut calls.rounds);
    rounds.retain(|(at, ..)| *at <= depth);
    let known = rounds.iter_mut().find(|(at, by, _)| (*at, *by) == (depth, pc));
    let times = match known {
        Some((.., times)) => {
            *times += 1;
            *times
        }
        None => {
            rounds.push((depth, pc, 1));
            1
        }
    };
    if times > most {
        foreign::block(place);
    }
}

/// The deepest call that is kept.
const DEEPEST: usize = 256;

extern "C" fn function_entry(returns_to: usize) {
    if is_in_program() {
        let calls = &mut current().calls;
        calls.kept.truncate(calls.depth);
        calls.depth += 1;
        if calls.depth <= DEEPEST {
            calls.kept.push(returns_to);
        }
    }
}

extern "C" fn function_exit() {
    if is_in_program() {
        let calls = &mut current().calls;
        calls.rounds.retain(|(at, ..)| *at < calls.depth);
        calls.depth = calls.depth.saturating_sub(1);
    }
}

/// The addresses to which the calls return that the thread is in, the last one first.
pub fn calls() -> impl Iterator<Item = usize> {
    let calls = &current().calls;
    calls.kept[..calls.depth.min(calls.kept.len())].iter().rev().copied()
}

crate::entries! {
    __tsan_func_entry = self::function_entry;
    __tsan_func_exit = self::function_exit;
}

/// A thread of this execution.
#[inline]
pub fn of(thread: ThreadId) -> &'static mut Thread {
    let threads = THREADS.get();
    while threads.len() <= thread.index() {
        threads.push(Thread::new());
    }
    &mut threads[thread.index()]
}

/// The thread that runs.
pub fn current() -> &'static mut Thread {
    of(control::thread())
}

/// The size of each thread's stack.
pub const STACK: usize = 8 << 20;

/// Where the stack of a thread is that has begun, to a page: what was first put there is near its end.
pub fn stack(thread: ThreadId) -> (usize, usize) {
    let end = of(thread).back.next_multiple_of(4096);
    (end - STACK, STACK)
}

/// The thread with a `pthread_t`.
pub fn with_handle(handle: usize) -> Option<ThreadId> {
    let number = (0..THREADS.get().len()).find(|&number| storage(number) == Some(handle))?;
    Some(ThreadId::from_index(number))
}

/// The `pthread_t` of a thread: where its control block is.
pub fn handle(thread: ThreadId) -> usize {
    storage(thread.index()).unwrap_or_else(|| make_storage(thread.index()))
}

/// The thread-local storage of a thread, which it has in every execution.
struct Storage {
    control: usize,
    /// What it is when the thread begins.
    start: usize,
    content: Vec<u8>,
}

static STORAGE: Only<Vec<Option<Storage>>> = Only::new(Vec::new());

fn storage(number: usize) -> Option<usize> {
    match number {
        0 => Some(control::own_storage()),
        _ => STORAGE.get().get(number)?.as_ref().map(|storage| storage.control),
    }
}

/// The size of libc's description of a thread, which stands behind the address that is its `pthread_t`. It is a multiple of this that covers all versions.
const DESCRIPTION: usize = 2304;

fn make_storage(number: usize) -> usize {
    let control = heap::for_storage(|| {
        let allocate = any(c"_dl_allocate_tls").expect("the dynamic linker makes thread-local storage");
        // SAFETY: a function of the dynamic linker with this type.
        unsafe {
            let allocate: unsafe extern "C" fn(*mut c_void) -> *mut c_void = std::mem::transmute(allocate);
            allocate(std::ptr::null_mut()).addr()
        }
    });
    let own = control::own_storage();
    // SAFETY: a control block begins with its own address, has it again at 16, and guards of stacks and pointers at 40 and 48.
    unsafe {
        let (block, own) = (control as *mut usize, own as *const usize);
        *block = control;
        *block.add(2) = control;
        *block.add(5) = *own.add(5);
        *block.add(6) = *own.add(6);
    }
    if let Some(init) = any(c"__ctype_init") {
        // SAFETY: a function of libc without arguments, which fills thread-local variables.
        let mut back = 0;
        extern "C" fn call(function: usize) {
            let function: extern "C" fn() = unsafe { std::mem::transmute(function) };
            function();
        }
        let thread = control::thread();
        inside(thread, control, call, init.addr(), &mut back);
    }
    let first = memory::locals().iter().map(|range| range.start).min().unwrap_or(0);
    let start = control.wrapping_add_signed(first);
    // SAFETY: the modules' variables are before the control block, and libc's description of the thread behind it.
    let content =
        unsafe { std::slice::from_raw_parts(start as *const u8, control + DESCRIPTION - start) }.to_vec();
    let all = STORAGE.get();
    if all.len() <= number {
        all.resize_with(number + 1, || None);
    }
    all[number] = Some(Storage { control, start, content });
    control
}

/// The storage of a thread that begins.
fn begin_storage(number: usize) -> usize {
    if number == 0 {
        return control::own_storage();
    }
    if storage(number).is_none() {
        return make_storage(number);
    }
    let storage = STORAGE.get()[number].as_ref().expect("it was asked for");
    // SAFETY: the thread has not begun.
    unsafe {
        std::ptr::copy_nonoverlapping(
            storage.content.as_ptr(),
            storage.start as *mut u8,
            storage.content.len(),
        );
    }
    storage.control
}

/// What the coroutine of a thread runs. Control is in the runtime.
pub fn enter(thread: ThreadId) {
    let storage = begin_storage(thread.index());
    extern "C" fn run(thread: usize) {
        let thread = ThreadId::from_index(thread);
        let start = of(thread).start;
        // SAFETY: what the program gave.
        let result = unsafe {
            match start {
                None => std::ptr::without_provenance_mut(main_function::call().cast_unsigned() as usize),
                Some(Start::Posix(function, argument)) => function(argument),
                Some(Start::C11(function, argument)) => {
                    std::ptr::without_provenance_mut(function(argument).cast_unsigned() as usize)
                }
            }
        };
        end(thread, result);
    }
    // SAFETY: the vector of threads may grow while it runs, so `back` is on the stack of the thread, and known to it.
    let mut back = 0;
    of(thread).back = std::ptr::from_mut(&mut back).addr();
    plain::goes_on();
    inside(thread, storage, run, thread.index(), &mut back);
    of(thread).has_ended = true;
    plain::flush(thread);
    if thread == ThreadId(0) {
        main_function::returned(of(thread).result.addr() as i32);
    }
}

/// What a thread does last. Control is in the program.
fn end(thread: ThreadId, result: *mut c_void) {
    outside(|| of(thread).result = result);
    run_down(thread);
    if thread == ThreadId(0) {
        at_exit::run(result.addr() as c_int);
    }
}

/// Calls what is to be called when a thread ends. Control is in the program.
fn run_down(thread: ThreadId) {
    while let Some((function, argument)) = of(thread).at_end.pop() {
        // SAFETY: what the program gave.
        unsafe { function(argument) };
    }
    /// As often as POSIX asks for at the least.
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        let mut found = false;
        for at in 0..KEYS.get().len() {
            let (key, destroy) = KEYS.get()[at];
            // SAFETY: libc's own functions, and what the program gave.
            unsafe {
                let value = libc::pthread_getspecific(key);
                if !value.is_null() {
                    found = true;
                    libc::pthread_setspecific(key, std::ptr::null());
                    destroy(value);
                }
            }
        }
        if !found {
            return;
        }
    }
}

/// The thread that runs ends here. Nothing is unwound.
pub fn exit(result: *mut c_void) -> ! {
    let thread = control::thread();
    end(thread, result);
    // SAFETY: `enter` put it there for this thread.
    unsafe { end_early(*(of(thread).back as *const usize)) }
}

/// A function is to be called when the thread that runs ends.
pub fn at_end(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) {
    current().at_end.push((function, argument));
}

/// A key has something that destroys its values.
pub fn has_destructor(key: libc::pthread_key_t, destroy: unsafe extern "C" fn(*mut c_void)) {
    KEYS.get().push((key, destroy));
}

/// A key is no more.
pub fn forget_key(key: libc::pthread_key_t) {
    KEYS.get().retain(|(known, _)| *known != key);
}

/// See [`foreign::Foreign`].
pub fn spawned(parent: ThreadId, child: ThreadId) {
    let parent = of(parent);
    let (start, now, chance) = (parent.child.take(), parent.now, chance::of_child(parent.chance, child.0));
    *of(child) = Thread { start, now, chance, ..Thread::new() };
}

/// See [`foreign::Foreign`].
pub fn told(thread: ThreadId, known: Option<&[u32]>) {
    control::goes_on(thread);
    let thread = of(thread);
    thread.is_checked = known.is_some();
    thread.known.clear();
    thread.known.extend_from_slice(known.unwrap_or(&[]));
}

/// The thread on whose stack an address is.
pub fn with_stack(address: usize) -> Option<ThreadId> {
    let has = |thread: &Thread| (thread.back.saturating_sub(STACK)..thread.back).contains(&address);
    THREADS.get().iter().position(has).map(ThreadId::from_index)
}

/// The name of a thread, for people.
pub fn called(thread: ThreadId) -> String {
    let given = of(thread).name.clone();
    given.unwrap_or_else(|| if thread.index() == 0 { "main".into() } else { format!("T{}", thread.index()) })
}

/// Makes a thread that runs this: its number.
pub fn make(start: Start, place: Place) -> Option<ThreadId> {
    current().child = Some(start);
    let child = foreign::spawn(place)?;
    // Its handle is asked for at once.
    handle(child);
    Some(child)
}

/// What went wrong ends the execution: the thread that runs stops. Control is in the runtime.
pub fn fail(problem: Problem, place: Place) -> ! {
    foreign::fail(problem, place);
    crash_without_words()
}

fn crash_without_words() -> ! {
    debug_assert!(!is_in_program(), "only the runtime comes here");
    std::process::abort()
}
