//! The library as C and C++ use it, and what its calls allocate.

mod allocations;
mod c;
mod random;
