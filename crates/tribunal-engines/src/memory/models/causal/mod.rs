//! The causal family: cc, ccv, cm, pram, ccm, wccm. All are decided in O(n·k).
//!
//! - [`overwritten`] looks for a read of an overwritten write, for cc and for all models that contain it.
//! - [`base`] is the relation that a model begins with, [`view`] what an observer has seen beyond it, and
//!   [`observers`] asks all.
//! - [`past`] tells the writes in each event's past, and [`convergence`] whether all threads can agree on their
//!   order.
//! - [`graph`] sorts; [`proof`] explains what cannot be.

pub(super) mod base;
pub(super) mod cc;
pub(super) mod ccm;
pub(super) mod ccv;
pub(super) mod cm;
mod convergence;
mod graph;
mod observers;
pub(super) mod overwritten;
mod past;
pub(super) mod pram;
mod proof;
#[cfg(test)]
mod tests;
mod view;
pub(super) mod wccm;
