//! The programs, for a crate with loom's names.

/// Defines the programs with the types of a crate.
macro_rules! programs {
    ($module:ident, $krate:ident) => {
        pub mod $module {
            use $krate::sync::atomic::{AtomicUsize, Ordering::*};
            use $krate::thread;
            // loom would order the drops of its own, and take longer for it.
            use std::sync::Arc;

            type Atomics = Arc<Vec<AtomicUsize>>;

            fn atomics(count: usize) -> Atomics {
                Arc::new((0..count).map(|_| AtomicUsize::new(0)).collect())
            }

            /// Runs threads and waits for them.
            fn run<const N: usize>(atomics: &Atomics, threads: [fn(&[AtomicUsize]); N]) {
                let threads = threads.map(|thread| {
                    let atomics = atomics.clone();
                    thread::spawn(move || thread(&atomics))
                });
                threads.into_iter().for_each(|thread| drop(thread.join()));
            }

            pub fn store_buffering() {
                run(
                    &atomics(2),
                    [
                        |x| {
                            x[0].store(1, Release);
                            x[1].load(Acquire);
                        },
                        |x| {
                            x[1].store(1, Release);
                            x[0].load(Acquire);
                        },
                    ],
                );
            }

            pub fn message_passing() {
                run(
                    &atomics(2),
                    [
                        |x| {
                            x[0].store(1, Relaxed);
                            x[1].store(1, Release);
                        },
                        |x| {
                            if x[1].load(Acquire) == 1 {
                                assert_eq!(x[0].load(Relaxed), 1);
                            }
                        },
                    ],
                );
            }

            pub fn two_plus_two_writes() {
                run(
                    &atomics(2),
                    [
                        |x| {
                            x[0].store(1, Release);
                            x[1].store(2, Release);
                        },
                        |x| {
                            x[1].store(1, Release);
                            x[0].store(2, Release);
                        },
                    ],
                );
            }

            pub fn iriw() {
                run(
                    &atomics(2),
                    [
                        |x| x[0].store(1, SeqCst),
                        |x| {
                            x[0].load(Acquire);
                            x[1].load(SeqCst);
                        },
                        |x| {
                            x[1].load(Acquire);
                            x[0].load(SeqCst);
                        },
                        |x| x[1].store(1, SeqCst),
                    ],
                );
            }

            pub fn corr1() {
                run(
                    &atomics(1),
                    [
                        |x| x[0].store(1, Release),
                        |x| x[0].store(2, Release),
                        |x| {
                            x[0].load(Acquire);
                            x[0].load(Acquire);
                        },
                        |x| {
                            x[0].load(Acquire);
                        },
                    ],
                );
            }

            pub fn lb_incmps() {
                run(
                    &atomics(4),
                    [
                        |x| {
                            x[0].load(Acquire);
                            x[2].fetch_add(1, AcqRel);
                        },
                        |x| {
                            x[2].fetch_add(1, AcqRel);
                            x[1].store(1, Release);
                        },
                        |x| {
                            x[1].load(Acquire);
                            x[3].fetch_add(1, AcqRel);
                        },
                        |x| {
                            x[3].fetch_add(1, AcqRel);
                            x[0].store(1, Release);
                        },
                    ],
                );
            }

            pub fn wcas3() {
                fn cas(x: &[AtomicUsize]) {
                    let _ = x[0].compare_exchange(2, 3, Relaxed, Relaxed);
                }
                run(&atomics(1), [|x| x[0].store(2, Release), cas, cas, cas]);
            }

            pub fn wrw3() {
                run(
                    &atomics(1),
                    [
                        |x| x[0].store(1, Release),
                        |x| {
                            x[0].load(Relaxed);
                            x[0].store(0, Release);
                        },
                        |x| {
                            x[0].load(Relaxed);
                            x[0].store(1, Release);
                        },
                        |x| {
                            x[0].load(Relaxed);
                            x[0].store(2, Release);
                        },
                    ],
                );
            }

            pub fn increments4() {
                fn add(x: &[AtomicUsize]) {
                    x[0].fetch_add(1, Relaxed);
                }
                run(&atomics(1), [add; 4]);
            }

            pub fn fibonacci3() {
                let x: Atomics = Arc::new(vec![AtomicUsize::new(1), AtomicUsize::new(1)]);
                fn step(x: &[AtomicUsize], to: usize) {
                    for _ in 0..3 {
                        let sum = x[0].load(Acquire) + x[1].load(Acquire);
                        x[to].store(sum, Release);
                    }
                }
                run(
                    &x,
                    [
                        |x| step(x, 0),
                        |x| step(x, 1),
                        |x| assert!(x[0].load(Acquire) <= 21 && x[1].load(Acquire) <= 21),
                    ],
                );
            }

            pub fn eratosthenes5() {
                fn sieve(n: &[AtomicUsize]) {
                    for i in 0..5 {
                        if n[i].load(Acquire) == 0 {
                            n[i].store(1, Release);
                            for j in (2 * i + 2..5).step_by(i + 2) {
                                n[j].store(2, Release);
                            }
                        }
                    }
                }
                run(&atomics(5), [sieve; 2]);
            }
        }
    };
}

programs!(ours, tribunal_explore);
programs!(looms, loom);
