//! The explorer on programs in Rust and as text. Tests that set the global allocator are in `addresses.rs`, a program of its own.

mod bounds;
mod bugs;
mod channels;
mod checkpoints;
mod collection;
mod comparison;
mod control;
mod diagnosis;
mod environment;
mod failures;
mod location_names;
mod locks;
mod mo;
mod more_of_std;
mod programs;
mod random_programs;
mod rust_programs;
mod search;
mod surface;
mod text_models;
mod waiting;
