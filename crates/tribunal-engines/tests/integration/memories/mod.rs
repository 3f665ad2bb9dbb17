//! Histories of memories: engines, labels, definitions and certificates agree.

mod axe_litmus;
mod checker;
mod corpus;
mod definitions;
mod engines;
mod inclusions;
mod large;
mod litmus;
mod machines;
mod many_threads;
mod memory_monitor;
mod minimality;
mod mutation;
mod naive;
mod planted;
mod properties;
mod races;
mod repeated;
mod satisfiability;
mod seq_cst;
mod session;
mod session_exact;
mod session_histories;
mod shrink;
mod witnesses;
