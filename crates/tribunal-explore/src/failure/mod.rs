//! Failures one can read: as a history, in words, to be run again, made small, and with what would repair them.

mod history;
mod replay;
mod show;
mod weak;

pub use history::History;
pub use replay::{BadReplay, Divergence, Replay, replay};
pub use weak::Weak;
