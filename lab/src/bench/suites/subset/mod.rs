//! Orders of writes: the engines beside the dynamic program over sets of writes, and what is hard for all of them (Chini and
//! Saivasan 2020).

mod compositions;
mod contest;
mod formulas;
mod growth;
mod hidden;
mod machines;

use crate::bench::{Error, Session};
use tribunal_history::model::Model;
use tribunal_history::model::Preserved;

/// A model that has no name: dependencies order, and unlike under rmo reads of one location stay in order.
const DEPENDENCIES: Preserved = Preserved { rmws: true, load_hazards: false, ..Preserved::RMO };

/// Those of the paper, and one more.
const MODELS: [Model; 5] = [Model::Sc, Model::Tso, Model::Pso, Model::Rmo, Model::Custom(DEPENDENCIES)];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    growth::report(session)?;
    machines::report(session)?;
    formulas::report(session)?;
    formulas::satisfiability(session)?;
    compositions::report(session)
}
