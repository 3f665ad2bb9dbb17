//! The programs, for a crate with std's names. Each has so many rounds in each of its threads.

/// Defines the programs with the types of a crate.
macro_rules! programs {
    ($module:ident, $krate:ident) => {
        pub mod $module {
            use std::sync::Arc;
            use $krate::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
            use $krate::sync::{Mutex, mpsc};
            use $krate::thread;

            /// Threads of each program, beside the main thread.
            const THREADS: usize = 4;

            /// Runs threads, each with its number, and waits for them.
            fn run(thread: impl Fn(usize) + Clone + Send + 'static) {
                let spawn = |number| {
                    let thread = thread.clone();
                    thread::spawn(move || thread(number))
                };
                let threads: Vec<_> = (0..THREADS).map(spawn).collect();
                threads.into_iter().for_each(|thread| drop(thread.join()));
            }

            fn atomics(count: usize) -> Arc<Vec<AtomicUsize>> {
                Arc::new((0..count).map(|_| AtomicUsize::new(0)).collect())
            }

            /// One counter, bumped by all. One event a round and thread.
            pub fn counter(rounds: usize) {
                let x = atomics(1);
                run(move |_| {
                    (0..rounds).for_each(|_| {
                        x[0].fetch_add(1, AcqRel);
                    })
                });
            }

            /// A few locations that all write and read. Two events a round and thread.
            fn stores_and_loads(rounds: usize, locations: usize, [store, load]: [Ordering; 2]) {
                let x = atomics(locations);
                run(move |number| {
                    for i in 0..rounds {
                        x[(number + i) % locations].store(i, store);
                        x[(number + i + 1) % locations].load(load);
                    }
                });
            }

            pub fn relaxed(rounds: usize) {
                stores_and_loads(rounds, 2, [Relaxed, Relaxed]);
            }

            pub fn release_acquire(rounds: usize) {
                stores_and_loads(rounds, 2, [Release, Acquire]);
            }

            pub fn seq_cst(rounds: usize) {
                stores_and_loads(rounds, 2, [SeqCst, SeqCst]);
            }

            pub fn many_locations(rounds: usize) {
                stores_and_loads(rounds, 256, [Release, Acquire]);
            }

            /// A lock that all pass.
            pub fn lock(rounds: usize) {
                let x = Arc::new(Mutex::new(0));
                run(move |_| (0..rounds).for_each(|_| *x.lock().unwrap() += 1));
            }

            /// One channel from all to the main thread.
            pub fn channel(rounds: usize) {
                let (sender, receiver) = mpsc::channel();
                let send = |number| {
                    let sender = sender.clone();
                    thread::spawn(move || (0..rounds).for_each(|i| sender.send(number + i).unwrap()))
                };
                let threads: Vec<_> = (0..THREADS).map(send).collect();
                (0..THREADS * rounds).for_each(|_| assert!(receiver.recv().is_ok()));
                threads.into_iter().for_each(|thread| drop(thread.join()));
            }
        }
    };
}

programs!(ours, tribunal_explore);
programs!(shuttles, shuttle);
