//! A history under judgement, and what goes wrong with it.

use crate::failure::Failure;
use std::fmt;
use tribunal_host::BadSpecification;
pub use tribunal_report::Case;
use tribunal_report::{Inquiry, Judged, NotJudged, Specifications};

/// What can be done to a history that may not be fit to be judged.
pub trait Judge {
    /// Does something to the history if it is fit to be judged: its specification is known, and it keeps to its types.
    fn with<T>(
        &self,
        specifications: &Specifications,
        act: impl FnOnce(Judged<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// As [`Judge::with`], for an inquiry.
    fn before<T>(
        &self,
        inquiry: &Inquiry,
        act: impl FnOnce(Judged<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// A failure that has to do with this history.
    fn failure(&self, problem: impl fmt::Display) -> Failure;
}

impl Judge for Case<'_> {
    fn with<T>(
        &self,
        specifications: &Specifications,
        act: impl FnOnce(Judged<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        specifications.with(self.subject, self.file, act).unwrap_or_else(|why| Err(not_judged(self, why)))
    }

    fn before<T>(
        &self,
        inquiry: &Inquiry,
        act: impl FnOnce(Judged<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        inquiry.with(self.subject, self.file, act).unwrap_or_else(|why| Err(not_judged(self, why)))
    }

    fn failure(&self, problem: impl fmt::Display) -> Failure {
        Failure::History { file: self.file.into(), line: self.line, problem: problem.to_string() }
    }
}

fn not_judged(case: &Case<'_>, why: NotJudged) -> Failure {
    match why {
        NotJudged::Specification(unknown) => case.failure(unknown),
        NotJudged::IllTyped(error) => error.into(),
        NotJudged::OtherMethods { source, methods } => Failure::OtherMethods { source, methods },
    }
}

/// Where specifications come from, as `--spec` says.
pub fn specifications(given: Option<&str>) -> Result<Specifications, Failure> {
    tribunal_host::specifications(given).map_err(|bad| match bad {
        BadSpecification::Unreadable { file, source } => Failure::Read { file, source },
        BadSpecification::Malformed(error) => error.into(),
        unknown => Failure::Usage(format!("--spec {}: {unknown}", given.unwrap_or_default())),
    })
}
