//! What calls take of the heap. The allocator counts for the whole process, so these tests have one of their own, where each waits for the others.

#[path = "../../../../tests/allocations.rs"]
mod allocations;

mod memories;
mod objects;
mod sessions;
mod verify;
