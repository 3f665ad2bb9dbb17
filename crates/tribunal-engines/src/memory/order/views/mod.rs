//! The views of multiprocessors: an mo for which acyclic(po-loc ∪ rf ∪ mo ∪ fr) and acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr).
//!
//! Gradual checking: one graph for both views ([`base`]), what follows from it ([`saturation`], [`known_writes`]), a candidate
//! and its repair ([`simulation`], [`memory_order`], [`repair`]), cases ([`search`]), and what a conflict depends on
//! ([`derivation`]). Beside it the exhaustive engines: [`completion`], [`subset`] and [`enumeration`] over [`matrices`], [`memoized`].

pub(crate) mod base;
pub(crate) mod completion;
pub(crate) mod derivation;
pub(crate) mod enumeration;
pub(crate) mod known_writes;
mod matrices;
pub(crate) mod memoized;
pub(crate) mod memory_order;
pub(crate) mod repair;
pub(crate) mod saturation;
pub(crate) mod search;
mod simulation;
pub(crate) mod subset;
