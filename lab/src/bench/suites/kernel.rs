//! The SC-kernel: how much of it saturation finds, what saturation costs, and where it is not enough (Zennou et al. 2019 and
//! 2020).

mod conflicts;
mod hidden;
mod saturations;
mod shares;

use crate::bench::{Error, Session};

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    shares::run(session)?;
    saturations::run(session)?;
    hidden::run(session)
}
