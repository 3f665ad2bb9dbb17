//! The reasons why a test cannot be read or run.

use tribunal_cat::text::{InFile, Located};

/// An error of a test's text: what was expected, or which instruction is not supported.
pub type Error = InFile<String>;

/// An error without its file.
pub(crate) type Fault = Located<String>;
