//! The constraints of C11 and its kin on mo, found thread by thread and solved location by location.
//!
//! RMWs make [chains] of the writes; [observer] and [latest] find what a thread observes of the others' accesses; [minimal] makes
//! the constraints of it, and an mo; [explanation] says why there is none. Where that is not all, [saturation] and [frontier]
//! serve sra, and [psc] the order of seq_cst events.

pub(crate) mod chains;
mod explanation;
pub(crate) mod frontier;
pub(crate) mod latest;
pub(crate) mod minimal;
pub(crate) mod observer;
pub(crate) mod psc;
pub(crate) mod saturation;
