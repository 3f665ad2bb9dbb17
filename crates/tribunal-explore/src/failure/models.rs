//! Exploring a test under several memory models.

use crate::explore::searched;
use crate::program::Program;
use crate::{End, Options};
use std::fmt;
use std::time::Instant;
use tribunal_engines::memory::session::NoSession;
use tribunal_history::model::Model;

/// The models to compare, strongest first.
pub const MODELS: [Model; 7] =
    [Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Rc11, Model::Rc20, Model::Relaxed];

/// The result of a test under a model.
#[derive(Clone, Debug)]
pub struct UnderModel {
    /// The model.
    pub model: Model,
    /// The end of the exploration.
    pub end: End,
    /// The number of executions.
    pub executions: u64,
    /// The failure in a few words.
    pub failure: Option<String>,
}

impl fmt::Display for UnderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnderModel { model, end, executions, failure } = self;
        let model = model.name();
        match (failure, end) {
            (Some(failure), _) => write!(f, "{model:<8} fails: {failure}"),
            (None, End::Complete) => {
                write!(f, "{model:<8} passes, {executions} executions")?;
                let has_races = !matches!(self.model, Model::Sc | Model::Tso | Model::Pso);
                if has_races { Ok(()) } else { write!(f, " (it has no data races)") }
            }
            (None, end) => write!(f, "{model:<8} undecided after {executions} executions ({end:?})"),
        }
    }
}

/// Explores a test under several models, each until it fails; the time limit is that of all together. `make` creates the program for a model.
pub fn by_model<P: Program>(
    make: impl Fn(Model) -> P + Sync,
    models: &[Model],
    options: &Options,
) -> Result<Vec<UnderModel>, NoSession> {
    let end = options.limits().deadline;
    let under = |&model: &Model| {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let options = Options { model, max_duration: left, ..options.clone() };
        let (report, _) = searched(|| make(model), |_| (), &options)?;
        let failure = report.failure.map(|failure| failure.brief());
        Ok(UnderModel { model, end: report.end, executions: report.executions, failure })
    };
    models.iter().map(under).collect()
}
