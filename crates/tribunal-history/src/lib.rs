//! The language that the engines of [tribunal](https://docs.rs/tribunal) and the verifier of its certificates share: histories, what they may
//! be required to satisfy, and the form of the proofs.
//!
//! | module | holds |
//! |---|---|
//! | [`memory`], [`object`], [`transactions`] | the three kinds of history; for objects and transactions also what they may be required to satisfy, verdicts and proofs |
//! | [`model`] | the memory models: their names, texts, inclusions, and the relations that a text is about |
//! | [`verdict`] | verdicts on memories, with their witnesses and violations |
//! | [`limits`] | how long and how much an answer may take |
//!
//! Memory models have a room of their own, since there are many and each is a text, and so have the proofs about memories, which are the richest. The
//! criteria of objects, the levels of transactions and the proofs about them are a file each beside their histories.
//!
//! Nothing here decides anything, and no engine is known: which engines decide a model, a criterion or a level is said where the engines are.

pub mod heap;
pub mod limits;
pub mod memory;
pub mod model;
pub mod names;
pub mod object;
pub mod transactions;
pub mod verdict;
