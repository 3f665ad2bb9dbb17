//! The orders, clocks and searches that the engines of several models share, in a folder for each family of models. Nothing here knows a model by name.
//!
//! [`past`] says what comes before each event, for every family of models. [`coherence`] finds the constraints on mo of C11 and its
//! kin, location by location. [`views`] finds the orders of all memory events that multiprocessors ask for. Only
//! [`coherence::psc`] uses both: what acyclic(psc) asks is a graph that the engines of `views` saturate and search.

pub(crate) mod coherence;
pub(crate) mod parallel;
pub(crate) mod past;
pub(crate) mod path;
pub(crate) mod views;
