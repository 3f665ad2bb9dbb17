//! What the engines share: clocks, graphs, cycles. Nothing here knows a model by name.

pub(crate) mod base;
pub(crate) mod causality;
pub(crate) mod chains;
pub(crate) mod clocks;
pub(crate) mod coherence;
pub(crate) mod derivation;
pub(crate) mod digraph;
pub(crate) mod enumeration;
mod explanation;
pub(crate) mod frontier;
pub(crate) mod graph;
pub(crate) mod happens_before;
mod informs;
pub(crate) mod observer;
pub(crate) mod parallel;
pub(crate) mod path;
pub(crate) mod plain;
pub(crate) mod repair;
pub(crate) mod replay;
pub(crate) mod sat;
pub(crate) mod saturate;
pub(crate) mod saturation;
pub(crate) mod search;
mod simulation;
pub(crate) mod subset;
pub(crate) mod turns;
pub(crate) mod views;
