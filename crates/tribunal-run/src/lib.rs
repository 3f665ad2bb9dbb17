//! Explores every execution of programs as they are: C, C++ and Rust that was built with `-fsanitize=thread`.
//!
//! The library stands in for ThreadSanitizer's. What the compiler put before each access calls it, it takes over threads, locks and the heap from libc, and it runs `main` again and
//! again, once for each execution that the memory model allows. `tribunal run` puts it in its place.
//!
//! The process has one thread. The program's threads are coroutines, each with the thread-local storage that libc would have given it. Control is either in the program or in the
//! runtime (`control`); a hook goes from one to the other, and asks the explorer. Between executions, all memory that the program can write is made what it was when `main` was first called
//! (`memory`).
#![allow(unsafe_code, reason = "the interface of compilers and libc is made of pointers")]
#![cfg_attr(
    test,
    allow(
        dead_code,
        reason = "unit tests have no entry points, since those would take over the tests' own libc"
    )
)]
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod annotations;
mod at_exit;
mod atomics;
mod bytes;
mod c11;
mod chance;
mod control;
mod crash;
mod environment;
mod futex;
mod guard;
mod heap;
mod libatomic;
mod main_function;
mod memory;
mod names;
mod objects;
mod only;
mod operation;
mod output;
mod plain;
mod private;
mod processes;
mod pthread;
mod real;
mod report;
mod shadow;
mod symbols;
mod threads;
mod time;
mod verifier;
