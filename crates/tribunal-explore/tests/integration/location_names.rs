//! What a failure calls the objects of a program.

use tribunal_explore::sync::Arc;
use tribunal_explore::sync::atomic::{AtomicU32, Ordering::*};
use tribunal_explore::{Explorer, thread};

struct Shared {
    head: AtomicU32,
    tail: AtomicU32,
}

/// The names of what a failing program accesses.
fn names(f: impl Fn() + Send + Sync + 'static) -> Vec<String> {
    Explorer::new().check(f).failure.expect("it fails").locations
}

#[test]
#[rustfmt::skip]
fn objects_of_one_line_are_told_apart() {
    let names = names(|| {
        let shared = Arc::new(Shared { head: AtomicU32::new(0), tail: AtomicU32::new(0) });
        let other = shared.clone();
        thread::spawn(move || other.tail.store(other.head.load(Relaxed) + 1, Relaxed));
        shared.head.store(1, Relaxed);
        assert_eq!(shared.tail.load(Relaxed), 0, "fails");
    });
    let of = |field: &str| names.iter().filter(|name| name.starts_with(&format!("AtomicU32 `{field}` of "))).count();
    assert_eq!((of("head"), of("tail")), (1, 1), "{names:?}");
}

#[test]
fn objects_of_a_loop_are_numbered() {
    let names = names(|| {
        for n in 0..3 {
            AtomicU32::new(n).store(1, Relaxed);
        }
        panic!("it fails");
    });
    let numbers: Vec<bool> = ["AtomicU32 of ", "AtomicU32 #2 of ", "AtomicU32 #3 of "]
        .iter()
        .map(|start| names.iter().any(|name| name.starts_with(start)))
        .collect();
    assert_eq!(numbers, [true; 3], "{names:?}");
}
