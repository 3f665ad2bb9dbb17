//! The weak criteria, by enumerating visibilities.

use super::{Criterion, History, Specification, Verdict};
use crate::limits::Limits;
use crate::verdict::Limit;

pub(super) fn minimal(
    _history: &History,
    _spec: &dyn Specification,
    _criterion: &Criterion,
    _limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    Err(Limit::Stopped)
}

pub(super) fn naive(
    _history: &History,
    _spec: &dyn Specification,
    _criterion: &Criterion,
    _limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    Err(Limit::Stopped)
}
