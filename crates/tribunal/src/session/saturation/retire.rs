//! Dropping what no future event can have to do with.

use super::super::log::Log;
use super::Saturation;

impl Saturation {
    /// Drops what is before all that may come and can learn nothing any more. Says of each write, by its place, whether it is left.
    pub(in super::super) fn retire(&mut self, log: &Log) -> Vec<bool> {
        self.trail.clear();
        self.tracing = false;
        vec![true; log.places()]
    }
}
