//! What the engines share: clocks, graphs, cycles. Nothing here knows a model by name.

pub(crate) mod causality;
pub(crate) mod chains;
pub(crate) mod clocks;
pub(crate) mod coherence;
pub(crate) mod digraph;
mod explanation;
pub(crate) mod frontier;
pub(crate) mod happens_before;
pub(crate) mod observer;
pub(crate) mod parallel;
pub(crate) mod path;
pub(crate) mod replay;
pub(crate) mod saturation;
