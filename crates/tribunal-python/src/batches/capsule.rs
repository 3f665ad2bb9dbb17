//! Arrow data between Python and here, by the Arrow PyCapsule interface: nothing is copied.

// The C data interface is made of pointers; each block says why it may follow its own.
#![allow(unsafe_code)]

use crate::error::TribunalError;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayReader, ArrayRef, RecordBatchReader, make_array};
use arrow_schema::{ArrowError, Field, FieldRef, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator};
use std::ffi::CStr;
use std::sync::Arc;

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// An array with its name and type: a column, or as a struct a record batch.
pub type Named = (FieldRef, ArrayRef);

/// Arrays as they come: from one stream, or from the things that a Python iterable gives.
pub struct Source {
    /// What to read before anything else.
    first: Option<Named>,
    stream: Option<ArrayStreamReader>,
    iterable: Option<Py<PyIterator>>,
    /// The type of the first array, if there is one.
    field: Option<FieldRef>,
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Some(iterable) = self.iterable.take() {
            attached(|py| iterable.drop_ref(py));
        }
    }
}

impl Source {
    /// What a Python object has to read. Of an iterable the first thing is taken, to know its type.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut source = Source { first: None, stream: None, iterable: None, field: None };
        if !source.import(object)? {
            let iterable = object.try_iter().map_err(|_| not_arrow(object))?;
            source.iterable = Some(iterable.unbind());
            source.first = source.following().map_err(|error| TribunalError::new_err(error.to_string()))?;
            source.field = source.first.as_ref().map(|(field, _)| field.clone());
        } else {
            let stream = source.stream.as_ref().map(|stream| stream.field());
            source.field = stream.or(source.first.as_ref().map(|(field, _)| field)).cloned();
        }
        Ok(source)
    }

    /// The type of the arrays, unless there are none.
    pub fn field(&self) -> Option<&FieldRef> {
        self.field.as_ref()
    }

    /// The next array. To be called without the interpreter's lock: producers may need it.
    pub fn next(&mut self) -> Result<Option<Named>, ArrowError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.following(),
        }
    }

    fn following(&mut self) -> Result<Option<Named>, ArrowError> {
        loop {
            if let Some(stream) = &mut self.stream {
                if let Some(array) = stream.next() {
                    return Ok(Some((stream.field().clone(), array?)));
                }
                self.stream = None;
            }
            let Some(iterable) = &self.iterable else { return Ok(None) };
            let next = Python::attach(|py| match iterable.bind(py).clone().next() {
                Some(thing) => thing.map(|thing| Some(thing.unbind())),
                None => Ok(None),
            });
            let Some(thing) = next.map_err(arrow_error)? else {
                self.iterable = None;
                return Ok(None);
            };
            let known = Python::attach(|py| {
                let thing = thing.bind(py);
                if self.import(thing)? { Ok(()) } else { Err(not_arrow(thing)) }
            });
            known.map_err(arrow_error)?;
            if let Some(first) = self.first.take() {
                return Ok(Some(first));
            }
        }
    }

    /// Takes what an object exports; false if it exports nothing.
    fn import(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let failed = |error: ArrowError| TribunalError::new_err(error.to_string());
        if let Ok(export) = object.getattr("__arrow_c_stream__") {
            let capsule = export.call0()?.cast_into::<PyCapsule>()?;
            let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
            // SAFETY: a capsule of this name holds such a stream, which is ours once it is moved out.
            let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
            self.stream = Some(ArrayStreamReader::try_new(stream).map_err(failed)?);
        } else if let Ok(export) = object.getattr("__arrow_c_array__") {
            let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = export.call0()?.extract()?;
            let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
            let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
            // SAFETY: the capsule of this name holds such a schema, and lives until the end of this block.
            let schema = unsafe { schema.as_ref() };
            // SAFETY: the same, and the array is ours once it is moved out.
            let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
            // SAFETY: the array is of this schema, as the interface promises.
            let data = unsafe { from_ffi(array, schema) }.map_err(failed)?;
            let field = Field::try_from(schema).map_err(failed)?;
            self.first = Some((Arc::new(field), make_array(data)));
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

/// What went wrong in Python, in words: those who read it may not hold the interpreter.
pub fn arrow_error(error: PyErr) -> ArrowError {
    ArrowError::ExternalError(error.to_string().into())
}

fn not_arrow(object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type();
    let kind = kind.name().map_or_else(|_| "an object".into(), |name| name.to_string());
    TribunalError::new_err(format!(
        "expected Arrow data (a pyarrow Table or RecordBatch, a polars DataFrame, a DuckDB relation, ...) or an iterable of it, found {kind}"
    ))
}

/// A capsule that lends a stream of batches.
pub fn stream<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// A capsule with a schema.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema =
        FFI_ArrowSchema::try_from(schema).map_err(|error| TribunalError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Does something with the interpreter, if there still is one, on a thread that may hold it or not.
///
/// pyo3 counts what it attaches itself; those who ask for batches may have let go of the interpreter behind its back.
pub fn attached<T>(act: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    struct Release(pyo3::ffi::PyGILState_STATE);

    impl Drop for Release {
        fn drop(&mut self) {
            // SAFETY: it is what was ensured below, on this thread.
            unsafe { pyo3::ffi::PyGILState_Release(self.0) }
        }
    }

    // SAFETY: it only looks.
    if unsafe { pyo3::ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: the interpreter is there, and any thread may ask for it.
    let _release = Release(unsafe { pyo3::ffi::PyGILState_Ensure() });
    // SAFETY: that has just been seen to.
    Some(act(unsafe { Python::assume_attached() }))
}

/// Says again that Ctrl-C was pressed, for the interpreter to see once it is back in its own code.
pub fn interrupt_again() {
    // SAFETY: it only sets a flag, and may be called from anywhere.
    unsafe { pyo3::ffi::PyErr_SetInterrupt() }
}
