//! Makes the topological order of a saturated graph a memory order, without going back.
//!
//! After saturation the order is mostly a memory order except for some writes out of place, and mostly it does not matter
//! how a pair is ordered that saturation left open, if what follows from it is heeded. So each is ordered the nearer way, or
//! else the other, and saturated. If both ways are refuted, it is a matter for a search. No choice is remembered, so that memory
//! does not grow with their number.

use super::memory_order::MemoryOrderSweep;
use super::saturation::{Stop, ViewSaturation};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::Limit;

/// The number of pairs that had to be ordered to make the order a memory order; none if it could not be made one: then the graph is
/// as before.
pub(crate) fn repair(
    x: &Execution,
    saturation: &mut ViewSaturation<'_>,
    limits: &Limits<'_>,
) -> Result<Option<u64>, Limit> {
    let known = saturation.graph.derived().len();
    let mut sweep = MemoryOrderSweep::new(x, saturation.twins());
    let mut repairs = 0;
    while let Some((first, second)) = sweep.next(&saturation.graph) {
        repairs += 1;
        if !settle(saturation, first, second, limits)? && !settle(saturation, second, first, limits)? {
            saturation.restart(known);
            return match saturation.run(limits) {
                Ok(()) => Ok(None),
                Err(Stop::Limit(limit)) => Err(limit),
                Err(Stop::Conflict(_)) => unreachable!("the graph was saturated before"),
            };
        }
        sweep.rewind(saturation.unchanged_before());
    }
    Ok(Some(repairs))
}

/// Orders a pair of writes for good, unless saturation refutes it.
fn settle(
    saturation: &mut ViewSaturation<'_>,
    first: EventId,
    second: EventId,
    limits: &Limits<'_>,
) -> Result<bool, Limit> {
    let assumed = saturation.assume(first, second).map_err(Stop::Conflict);
    match assumed.and_then(|()| saturation.run(limits)) {
        Ok(()) => {
            saturation.commit();
            Ok(true)
        }
        Err(Stop::Conflict(_)) => {
            saturation.retract();
            Ok(false)
        }
        Err(Stop::Limit(limit)) => Err(limit),
    }
}
