//! The one exception: what was asked cannot be answered, and why.

use pyo3::exceptions::PyValueError;
use std::fmt::Display;

pyo3::create_exception!(
    tribunal,
    TribunalError,
    PyValueError,
    "A history that cannot be read, a model that there is not, or an answer that was not reached.\n\nThe text says what was expected; where a file is read it begins with `file:line:column`."
);

/// The exception with this text.
pub fn error(problem: impl Display) -> pyo3::PyErr {
    TribunalError::new_err(in_python(&problem.to_string()))
}

/// The same text, with the names that options of the command have here.
pub fn in_python(text: &str) -> String {
    text.replace("--max-memory", "max_memory").replace("--spec", "spec=").replace("--timeout", "timeout=")
}
