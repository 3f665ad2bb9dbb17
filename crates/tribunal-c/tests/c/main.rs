//! The header, and programs in C and C++ that use the library as it is installed.

mod document;
mod header;
mod programs;
mod toolchain;
