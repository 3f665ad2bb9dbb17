//! Histories by the Arrow batch.

mod capsule;
mod check;
mod column;
mod pipeline;
mod table;

use crate::error::error;
use crate::limits::Budget;
use crate::names::{self, Names};
use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;
use capsule::Source;
use check::Work;
use pipeline::Pipeline;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use table::Table;
use tribunal_host::{MOST_WORKERS, Memory, reading};

/// Check every history of a column, and give one row for each history and model.
///
/// `batches` is anything that exports Arrow data: a pyarrow Table or RecordBatchReader, a polars DataFrame, a DuckDB relation; or an
/// iterable of such things. Texts are read where they lie. The answers come as they are asked for, in the order of the rows, and
/// all cores work on them.
#[pyfunction]
#[pyo3(signature = (batches, column=None, models=None, *, keep=Vec::new(), certificates=false, spec=None, engine=None,
    timeout=None, max_memory=None, max_states=None, format=None, workers=None))]
#[allow(clippy::too_many_arguments)]
pub fn check_batches(
    batches: &Bound<'_, PyAny>,
    column: Option<String>,
    models: Option<Names>,
    keep: Vec<String>,
    certificates: bool,
    spec: Option<String>,
    engine: Option<&str>,
    timeout: Option<f64>,
    max_memory: Option<usize>,
    max_states: Option<u64>,
    format: Option<&str>,
    workers: Option<usize>,
) -> PyResult<Batches> {
    let check = names::check(models, spec.as_deref(), names::engine(engine)?)?;
    let budget = Budget::new(timeout, max_memory, max_states)?;
    let budget = if check.is_of_all() { budget.of_all() } else { budget };
    let options = reading(names::format(format)?, max_memory);
    let source = Source::new(batches)?;
    let texts = |questions: &[tribunal_report::Question]| questions.iter().map(ToString::to_string).collect();
    let names = [check.of_memories(), check.of_objects(), check.of_transactions()].map(texts);
    let name = column.clone().unwrap_or_else(|| "history".into());
    let table = Table::new(source.field(), column, keep, names, certificates).map_err(error)?;
    let workers = workers.filter(|&workers| workers > 0).unwrap_or_else(cores).min(MOST_WORKERS);
    let (memory, stop) = (Memory::default(), AtomicBool::new(false));
    let work = Work { check, budget, memory, options, column: name, certificates, stop };
    let schema = table.schema();
    let pipeline = Pipeline::new(work, source, table, workers);
    Ok(Batches { schema, pipeline: Mutex::new(Some(pipeline)) })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// The answers of `check_batches`, to be read once: as Arrow data by anything that takes them, or by iteration.
#[pyclass(module = "tribunal", frozen)]
pub struct Batches {
    schema: SchemaRef,
    pipeline: Mutex<Option<Pipeline>>,
}

#[pymethods]
impl Batches {
    /// The answers as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface leaves it to the producer whether it heeds what is requested.
        let _ = requested_schema;
        let taken = self.pipeline.lock().ok().and_then(|mut pipeline| pipeline.take());
        let pipeline =
            taken.ok_or_else(|| error("these answers were read already: call check_batches again"))?;
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(pipeline);
        capsule::stream(py, reader)
    }

    /// The type of the answers.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.schema)
    }

    /// The answers as a pyarrow Table.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        signaled(slf.py(), Self::reader(slf)?.call_method0("read_all"))
    }

    /// The answers as a pandas DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        signaled(slf.py(), Self::reader(slf)?.call_method0("read_pandas"))
    }

    /// The answers as a polars DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        signaled(slf.py(), slf.py().import("polars")?.call_method1("DataFrame", (slf,)))
    }

    /// The answers as pyarrow record batches, one by one.
    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<BatchIterator> {
        Ok(BatchIterator { reader: Self::reader(slf)?.unbind() })
    }

    fn __repr__(&self) -> String {
        let columns: Vec<_> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<tribunal.Batches of {}>", columns.join(", "))
    }
}

impl Batches {
    /// A pyarrow reader of the answers.
    fn reader<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let readers = slf.py().import("pyarrow")?.getattr("RecordBatchReader")?;
        readers.call_method1("from_stream", (slf,))
    }
}

/// The answers as pyarrow record batches, one by one.
#[pyclass(module = "tribunal", frozen)]
pub struct BatchIterator {
    reader: Py<PyAny>,
}

#[pymethods]
impl BatchIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        signaled(py, self.reader.bind(py).call_method0("read_next_batch"))
    }
}

/// What was read; if it was not because of Ctrl-C, that is what went wrong, whatever those between say.
fn signaled<T>(py: Python<'_>, read: PyResult<T>) -> PyResult<T> {
    if read.is_err() {
        py.check_signals()?;
    }
    read
}
