//! The header, and programs in C and C++ that use the library as it is installed.

// Elsewhere libraries have other names.
#![cfg(target_os = "linux")]

mod document;
mod header;
mod programs;
mod toolchain;
