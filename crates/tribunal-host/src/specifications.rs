//! Specifications by name or from a file.

use crate::text::read_utf8;
use std::fs::File;
use std::path::Path;
use tribunal_history::object::specs::{self, UnknownSpec};
use tribunal_report::Specifications;
use tribunal_spec::{Declared, SpecError};

/// Why there is no such specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadSpecification {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not a specification; the text begins with `file:line:column`.
    #[error(transparent)]
    Malformed(#[from] SpecError),
    /// No built-in one has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownSpec),
}

/// The specification of all objects, if one is given: the name of a built-in one, or a file with the extension `.spec`.
pub fn specifications(given: Option<&str>) -> Result<Specifications, BadSpecification> {
    let Some(spec) = given else { return Ok(Specifications::default()) };
    let given = if Path::new(spec).extension().is_some_and(|extension| extension == "spec") {
        let unreadable = |source| BadSpecification::Unreadable { file: spec.into(), source };
        let text = File::open(spec).and_then(read_utf8).map_err(unreadable)?;
        Box::new(Declared::parse(&text, spec)?)
    } else {
        specs::named(spec)?
    };
    Ok(Specifications::new(Some(given)))
}
