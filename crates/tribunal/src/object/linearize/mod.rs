//! Linearizability and sequential consistency by search.

use super::{Criterion, History, Specification, Verdict};
use crate::limits::Limits;
use crate::verdict::Limit;

pub(super) fn decide(
    _history: &History,
    _spec: &dyn Specification,
    _criterion: &Criterion,
    _limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    Err(Limit::Stopped)
}
