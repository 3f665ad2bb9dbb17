//! The past of each event: replays, the clocks and sets that they carry, happens-before.

pub(crate) mod causality;
pub(crate) mod clocks;
pub(crate) mod happens_before;
pub(crate) mod pasts;
pub(crate) mod replay;
pub(crate) mod sets;
