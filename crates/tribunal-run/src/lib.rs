//! Explores every execution of programs as they are: C, C++ and Rust that was built with `-fsanitize=thread`.
//!
//! The library stands in for ThreadSanitizer's. What the compiler put before each access calls it, it takes over threads, locks and the heap from libc, and it runs `main` again and
//! again, once for each execution that the memory model allows. `tribunal run` puts it in its place.
#![allow(unsafe_code, reason = "the interface of compilers and libc is made of pointers")]

pub mod symbols;
