//! The counting allocator: what it counts is exact, and polls see it. Without the test harness, whose threads allocate too.

use std::thread;
use tribunal_history::limits::{Limits, heap};
use tribunal_history::verdict::Limit;
use tribunal_host::heap::Counting;

#[global_allocator]
static HEAP: Counting = Counting;

fn main() {
    counts_are_exact();
    counts_of_many_threads_are_exact();
    polls_see_the_heap();
    growth_by_a_product_gives_a_limit();
    println!("4 tests of the counting allocator passed");
}

/// What is held more after something than before it.
fn held_by<T>(act: impl FnOnce() -> T) -> (T, isize) {
    let before = heap::exactly_held() as isize;
    let done = act();
    (done, heap::exactly_held() as isize - before)
}

fn counts_are_exact() {
    let (mut bytes, held) = held_by(|| Vec::<u8>::with_capacity(1000));
    assert_eq!(held, 1000, "an allocation");
    assert_eq!(held_by(|| bytes.reserve_exact(100_000)).1, 99_000, "a block that grows");
    assert_eq!(held_by(|| bytes.shrink_to(10)).1, 10 - 100_000, "a block that shrinks");
    assert_eq!(held_by(|| drop(bytes)).1, -10, "a block that is freed");
    assert_eq!(held_by(|| vec![0u64; 50_000]).1, 400_000, "zeros");
    assert_eq!(held_by(|| drop(vec![1u8; 1 << 20])).1, 0, "both");
}

/// Threads allocate what another frees, and end with something counted that they have not reported.
fn across_threads(threads: usize) -> usize {
    let allocate = |thread: usize| -> Vec<_> {
        (0..50).map(|i| vec![1u8; 1 + (thread * 31 + i * 577) % 4000]).collect()
    };
    let threads: Vec<_> = (0..threads).map(|thread| thread::spawn(move || allocate(thread))).collect();
    let blocks = threads.into_iter().flat_map(|thread| thread.join().expect("no thread panics"));
    blocks.map(|block| block.len()).sum()
}

fn counts_of_many_threads_are_exact() {
    for threads in [1, 8, 400] {
        // What the standard library keeps from the first time is no loss.
        across_threads(threads);
        let (sum, held) = held_by(|| across_threads(threads));
        assert!(sum > 0);
        assert_eq!(held, 0, "{threads} threads");
    }
}

fn polls_see_the_heap() {
    const ALLOWED: usize = 4 << 20;
    let limits = Limits::default();
    heap::allow(heap::exactly_held() + ALLOWED);
    assert_eq!(limits.check(0), Ok(()));
    let mut held = Vec::new();
    while limits.check(7).is_ok() {
        held.push(vec![1u8; 10_000]);
    }
    let sum = 10_000 * held.len();
    // What threads have not reported is not known.
    const UNKNOWN: usize = 1 << 20;
    assert!((ALLOWED - UNKNOWN..=ALLOWED + UNKNOWN).contains(&sum), "{sum} bytes");
    assert!(matches!(limits.check(7), Err(Limit::Memory { states: 7, .. })));
    assert!(matches!(limits.check_memory(0, 7), Err(Limit::Memory { states: 7, .. })));
    drop(held);
    assert_eq!(limits.check(0), Ok(()));
    heap::allow(usize::MAX);
}

fn growth_by_a_product_gives_a_limit() {
    let limits = Limits { max_memory: 1 << 20, ..Limits::default() };
    let room = |limits: &Limits<'_>, count, each| {
        let mut items: Vec<u8> = Vec::new();
        limits.reserve(&mut items, count, each).map(|()| items.capacity())
    };
    assert_eq!(room(&limits, 1000, 400), Ok(400_000), "400 kB are allowed");
    assert!(room(&limits, 1000, 4000).is_err(), "4 MB");
    for (count, each) in [(usize::MAX, 2), (1 << 40, 1 << 40), (usize::MAX / 2, 1)] {
        assert!(room(&Limits::default(), count, each).is_err(), "{count} times {each}");
        assert!(limits.product(count, each).is_err());
    }
    heap::allow(heap::exactly_held() + (1 << 20));
    assert!(room(&Limits::default(), 1 << 20, 2).is_err(), "more than the process may hold");
    heap::allow(usize::MAX);
}
