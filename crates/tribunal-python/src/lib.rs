//! Tribunal in Python: the module `tribunal._tribunal`, which the package `tribunal` presents.

mod batches;
mod error;
mod history;
mod limits;
mod names;
mod picture;
mod verdict;

use pyo3::prelude::*;

#[pymodule]
mod _tribunal {
    #[pymodule_export]
    use crate::batches::{Batches, check_batches};
    #[pymodule_export]
    use crate::error::TribunalError;
    #[pymodule_export]
    use crate::history::{Histories, History, check, history, read, shrink};
    #[pymodule_export]
    use crate::verdict::Verdict;
}
