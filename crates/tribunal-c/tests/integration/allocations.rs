//! Calls that are made for every event do not allocate.

// Then the library has an allocator of its own.
#![cfg(not(feature = "heap"))]
// An allocator that counts cannot be had without.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use tribunal_c::*;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what each thread allocates.
struct Counting;

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(act: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    act();
    ALLOCATIONS.get() - before
}

/// What a call gives.
fn given<T>(call: impl FnOnce(Option<&mut MaybeUninit<T>>) -> Status) -> T {
    let mut place = MaybeUninit::uninit();
    assert_eq!(call(Some(&mut place)), Status::Ok);
    // SAFETY: the call succeeded, so it gave an answer.
    unsafe { place.assume_init() }
}

#[test]
fn a_session_that_goes_back_and_forth() {
    for model in [c"rc20", c"ra", c"wra", c"relaxed", c"sra", c"sc", c"tso", c"pso"] {
        let mut session = given(|place| tribunal_session_new(Text::new(model), place)).expect("a session");
        let s = &mut *session;
        for _ in 0..3 {
            tribunal_session_thread(Some(s), None);
            tribunal_session_location(Some(s), None);
        }
        let mark: MarkNumber = given(|place| tribunal_session_mark(Some(s), place));
        let mut round = |refused: &mut u32| {
            for step in 0..60 {
                let (thread, location) = (step % 3, step / 3 % 3);
                let write: WriteNumber = given(|place| {
                    tribunal_session_write(Some(s), thread, location, Order::Release.into(), place)
                });
                let mut room = [0; 8];
                let (next, acquire) = ((thread + 1) % 3, Order::Acquire.into());
                let count = given(|place| {
                    let (room, capacity) = (room.as_mut_ptr(), room.len());
                    tribunal_session_candidates(Some(s), next, location, acquire, room, capacity, place)
                });
                assert!(count > 0);
                assert_eq!(tribunal_session_read(Some(s), next, write, acquire), Status::Ok);
                let initial: WriteNumber = given(|place| tribunal_session_initial(Some(s), location, place));
                let read = tribunal_session_read(Some(s), next, initial, acquire);
                *refused += u32::from(read == Status::Inconsistent);
                let inner: MarkNumber = given(|place| tribunal_session_mark(Some(s), place));
                tribunal_session_rmw(Some(s), next, write, Order::AcqRel.into(), None);
                assert_eq!(tribunal_session_undo(Some(s), inner), Status::Ok);
                assert_eq!(tribunal_session_fence(Some(s), thread, Order::SeqCst.into()), Status::Ok);
            }
            assert_eq!(tribunal_session_undo(Some(s), mark), Status::Ok);
        };
        let mut refused = 0;
        round(&mut refused);
        assert!(refused > 0, "{model:?}: a refusal allocates nothing, too");
        assert_eq!(allocations(|| (0..10).for_each(|_| round(&mut refused))), 0, "{model:?}");
        tribunal_session_free(Some(session));
    }
}

#[test]
fn a_monitor_in_the_long_run() {
    const PAIRS: u64 = 100_000;
    for model in [c"rc20", c"ra", c"tso"] {
        let model = Text::new(model);
        let monitor = given(|place| tribunal_monitor_new(model, 100, None, None, ptr::null_mut(), place));
        let mut monitor = monitor.expect("a monitor");
        let m = &mut *monitor;
        for name in [c"a", c"b"] {
            tribunal_monitor_thread(Some(m), Text::new(name), None);
            tribunal_monitor_location(Some(m), Text::new(name), 0, None);
        }
        // How many of the calls allocate.
        let mut push = |value: u64| {
            let (thread, location) = ((value % 2) as u32, (value / 2 % 2) as u32);
            let write = tribunal_write(thread, location, value, Order::Release.into());
            let read = tribunal_read(1 - thread, location, value, Order::Acquire.into());
            let allocates =
                |event| allocations(|| assert_eq!(tribunal_monitor_push(m, event), Status::Ok)) > 0;
            [write, read].into_iter().map(allocates).filter(|&allocates| allocates).count()
        };
        (1..PAIRS).for_each(|value| _ = push(value));
        let calls: usize = (PAIRS..2 * PAIRS).map(push).sum();
        // Every few thousand events what can no longer be read is dropped, and room grows anew: some calls in a hundred.
        assert!(calls as u64 <= 2 * PAIRS / 50, "{calls} of {} calls allocate", 2 * PAIRS);
        tribunal_monitor_free(Some(monitor));
    }
}

#[test]
fn a_library_that_does_not_count_says_so() {
    assert_eq!(tribunal_heap_allow(1 << 30), Status::Invalid);
}
