//! A history by its place in a file, and what goes wrong with it.

use crate::failure::Failure;
use std::fmt;
use tribunal_host::BadSpecification;
pub use tribunal_report::Case;
use tribunal_report::{NotCheckable, Specifications};

/// A failure that has to do with a history.
pub fn failure(case: &Case<'_>, problem: impl fmt::Display) -> Failure {
    Failure::History { file: case.file.into(), line: case.line, problem: problem.to_string() }
}

/// That a history is not fit to be checked.
pub fn unfit(case: &Case<'_>, why: NotCheckable) -> Failure {
    match why {
        NotCheckable::Specification(unknown) => failure(case, unknown),
        NotCheckable::IllTyped(error) => error.into(),
        NotCheckable::OtherMethods { source, methods } => Failure::OtherMethods { source, methods },
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
