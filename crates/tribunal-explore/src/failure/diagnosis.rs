//! The full diagnosis of a failing test.

use super::models::{UnderModel, by_model};
use super::repair::{Repair, repair};
use super::replay::{Divergence, Replay, replay};
use super::shrink::shrink;
use crate::explore::is_restart;
use crate::program::Program;
use crate::report::Guided;
use crate::runtime::Rust;
use crate::{Explorer, Failure, Options};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::model::Model;

/// The full diagnosis of a failing test.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The failing execution, made small.
    pub failure: Failure,
    /// The results under other models.
    pub models: Vec<UnderModel>,
    /// The orders that repair it.
    pub repair: Repair,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.failure)?;
        self.models.iter().try_for_each(|under| writeln!(f, "{under}"))?;
        if !self.models.is_empty() {
            writeln!(f)?;
        }
        write!(f, "{}", self.repair)
    }
}

/// Diagnoses a failing execution of a program: minimizes it, explores the program under these models,
/// and searches for orders that repair it. Models have the first half of the time at most, and the repair has what is left.
pub fn diagnose<P: Program>(
    make: impl Fn() -> P + Sync,
    failure: &Failure,
    models: &[Model],
    options: &Options,
    patience: Duration,
) -> Result<Diagnosis, NoSession> {
    let start = Instant::now();
    let (failure, _) = shrink(make(), failure, options)?;
    let half = options.max_duration.map_or(patience / 2, |most| most.min(patience / 2));
    let models = by_model(|_| make(), models, &Options { max_duration: Some(half), ..options.clone() })?;
    let left = patience.saturating_sub(start.elapsed()).max(patience / 4);
    let repair = repair(&make, options, left)?;
    Ok(Diagnosis { failure, models, repair })
}

impl Explorer {
    /// Runs one execution of a closure again, given a [failure's replay](Failure::replay), for example under a debugger. Reports where the closure
    /// behaves differently.
    ///
    /// # Panics
    /// If sessions do not support the model.
    #[track_caller]
    pub fn replay(
        &self,
        execution: &Replay,
        f: impl Fn() + Send + Sync + 'static,
    ) -> (Guided, Option<Divergence>) {
        let make = self.making(Arc::new(f));
        loop {
            match replay(make(), execution, &self.options) {
                Ok((guided, ..)) if guided.failure.as_ref().is_some_and(is_restart) => {}
                Ok((guided, divergence, _)) => return (guided, divergence),
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Explores a closure and diagnoses a failure; the time limit is that of the diagnosis.
    ///
    /// # Panics
    /// If sessions do not support the model, or the caller is itself being explored.
    #[track_caller]
    pub fn diagnose(
        &self,
        models: &[Model],
        patience: Duration,
        f: impl Fn() + Send + Sync + 'static,
    ) -> Option<Diagnosis> {
        let make = self.making(Arc::new(f));
        let failure = self.explore(&make).failure?;
        match diagnose(make, &failure, models, &self.options, patience) {
            Ok(diagnosis) => Some(diagnosis),
            Err(error) => panic!("{error}"),
        }
    }

    /// All that can be said of a failure, in words.
    pub(crate) fn diagnosed(
        &self,
        make: impl Fn() -> Rust + Sync,
        failure: &Failure,
        patience: Duration,
    ) -> String {
        let models = [Model::Sc, Model::Tso, Model::Ra, Model::Rc20];
        match diagnose(make, failure, &models, &self.options, patience) {
            Ok(diagnosis) => diagnosis.to_string(),
            Err(error) => panic!("{error}"),
        }
    }
}
