//! The views of multiprocessors: an mo for which acyclic(po-loc ∪ rf ∪ mo ∪ fr) and acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr).
//!
//! Gradual checking: one graph for both views ([`base`], [`graph`]), what follows from it ([`saturate`], [`informs`]), a candidate
//! and its repair ([`simulation`], [`turns`], [`repair`]), cases ([`search`], [`sat`]), and what a conflict rests on
//! ([`derivation`]). Beside it the exhaustive engines: [`completion`], [`subset`] and [`enumeration`] over [`matrices`], [`plain`].

pub(crate) mod base;
pub(crate) mod completion;
pub(crate) mod derivation;
pub(crate) mod enumeration;
pub(crate) mod graph;
pub(crate) mod informs;
mod matrices;
pub(crate) mod plain;
pub(crate) mod repair;
pub(crate) mod sat;
pub(crate) mod saturate;
pub(crate) mod search;
mod simulation;
pub(crate) mod subset;
pub(crate) mod turns;
