//! Linearizability of collections whose values are inserted once, in log-linear time.

use super::{History, Specification, Unsupported, Verdict};
use crate::limits::Limits;
use crate::verdict::Limit;

pub(super) fn decide(
    _history: &History,
    _spec: &dyn Specification,
    _limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    Ok(Verdict::Unsupported(Unsupported::NoCollection))
}
