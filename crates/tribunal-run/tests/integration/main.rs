//! Programs in C and C++ that compilers on this machine make: their symbols, and what of libc they reach.

#[path = "../../src/symbols/mod.rs"]
#[allow(
    dead_code,
    unsafe_code,
    missing_docs,
    reason = "it is a part of the library, which cannot be linked here"
)]
mod found;
mod programs;
mod symbols;
