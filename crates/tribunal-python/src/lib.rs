//! Tribunal in Python: the module `tribunal._tribunal`, which the package `tribunal` presents.

mod batches;
mod error;
mod generate;
mod history;
mod limits;
mod monitor;
mod names;
mod picture;
mod separate;
mod verdict;

use pyo3::prelude::*;

/// What the module holds is counted; what Python holds beside it is not.
#[global_allocator]
static HEAP: tribunal_host::heap::Counting = tribunal_host::heap::Counting;

#[pymodule]
mod _tribunal {
    #[pymodule_export]
    use crate::batches::{Batches, check_batches};
    #[pymodule_export]
    use crate::error::TribunalError;
    #[pymodule_export]
    use crate::generate::{Generated, generate, generate_object};
    #[pymodule_export]
    use crate::history::{Histories, History, check, history, read, shrink};
    #[pymodule_export]
    use crate::limits::heap_allow;
    #[pymodule_export]
    use crate::monitor::{Monitor, Violation};
    #[pymodule_export]
    use crate::separate::{models, separate};
    #[pymodule_export]
    use crate::verdict::Verdict;
}
