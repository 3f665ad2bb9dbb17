//! Memories and objects that are watched while they run.

mod memory;
mod object;

use crate::error::error;
use crate::limits::Budget;
use crate::names;
use memory::Memory;
use object::Object;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tribunal_report::Question;

/// An event that nothing explains.
#[pyclass(module = "tribunal", frozen, get_all)]
pub struct Violation {
    /// The event: the number of events before it.
    event: u64,
    /// The event and the reason, in a line.
    reason: String,
    /// The part of the execution that shows it, as lines.
    explanation: Vec<String>,
}

#[pymethods]
impl Violation {
    /// The reason and, below it, the part of the execution that shows it.
    fn explain(&self) -> String {
        let lines: Vec<&str> =
            std::iter::once(&self.reason).chain(&self.explanation).map(|line| &line[..]).collect();
        lines.join("\n")
    }

    fn __str__(&self) -> String {
        self.explain()
    }

    fn __repr__(&self) -> String {
        format!("<tribunal.Violation at event {}: {}>", self.event, self.reason)
    }
}

/// Monitors a memory or an object: takes events as they happen, and reports the first that nothing explains.
///
/// For a memory, the model is sc, tso, pso, rc20, rc11, ra, wra, sra or relaxed; for an object, a criterion, with the specification `spec`.
/// `window` is how many events a read may come before its write.
///
/// >>> import tribunal
/// >>> monitor = tribunal.Monitor("sc")
/// >>> monitor.write("T0", "x", 1)
/// >>> monitor.read("T0", "x", 0)
/// <tribunal.Violation at event 1: T0:1 R x 0: every order of the writes has a cycle with it>
#[pyclass(module = "tribunal", frozen)]
pub struct Monitor {
    state: Mutex<State>,
    model: String,
}

enum State {
    Memory(Box<Memory>),
    Object(Object),
}

#[pymethods]
impl Monitor {
    #[new]
    #[pyo3(signature = (model, *, spec=None, window=10_000, timeout=None, max_memory=None, max_states=None))]
    fn new(
        model: &str,
        spec: Option<&str>,
        window: u64,
        timeout: Option<f64>,
        max_memory: Option<usize>,
        max_states: Option<u64>,
    ) -> PyResult<Self> {
        let budget = Budget::new(timeout, max_memory, max_states)?;
        let question = names::question(model)?;
        let model = question.to_string();
        let state = match question {
            Question::Model(model) => {
                State::Memory(Box::new(Memory::new(model, window, budget).map_err(error)?))
            }
            Question::Criterion(criterion) => {
                let spec = spec.ok_or_else(|| error("spec: what should the object do? for example queue"))?;
                State::Object(Object::new(spec, criterion, budget)?)
            }
            Question::Level(level) => return Err(error(format!("{level}: transactions are not monitored"))),
        };
        Ok(Monitor { state: Mutex::new(state), model })
    }

    /// The model or criterion.
    #[getter]
    fn model(&self) -> &str {
        &self.model
    }

    /// How many events have come.
    #[getter]
    fn events(&self) -> u64 {
        match &*self.state() {
            State::Memory(memory) => memory.events(),
            State::Object(object) => object.events(),
        }
    }

    /// Gives a location its initial value, if that is not 0; before any event of it.
    fn init(&self, location: &str, value: u64) -> PyResult<()> {
        self.memory(|memory| memory.init(location, value).map_err(error))
    }

    /// A thread has written a value.
    #[pyo3(signature = (thread, location, value, order="relaxed"))]
    fn write(
        &self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        value: u64,
        order: &str,
    ) -> PyResult<Option<Violation>> {
        self.memory(|memory| memory.write(py, thread, location, value, order))
    }

    /// A thread has read a value.
    #[pyo3(signature = (thread, location, value, order="relaxed"))]
    fn read(
        &self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        value: u64,
        order: &str,
    ) -> PyResult<Option<Violation>> {
        self.memory(|memory| memory.read(py, thread, location, value, order))
    }

    /// A thread has read one value and written another in its place.
    #[pyo3(signature = (thread, location, read, value, order="relaxed"))]
    fn rmw(
        &self,
        py: Python<'_>,
        thread: &str,
        location: &str,
        read: u64,
        value: u64,
        order: &str,
    ) -> PyResult<Option<Violation>> {
        self.memory(|memory| memory.rmw(py, thread, location, (read, value), order))
    }

    /// A thread has passed a fence.
    #[pyo3(signature = (thread, order="seq_cst"))]
    fn fence(&self, py: Python<'_>, thread: &str, order: &str) -> PyResult<Option<Violation>> {
        self.memory(|memory| memory.fence(py, thread, order))
    }

    /// A process calls a method.
    #[pyo3(signature = (process, method, *args))]
    fn call(
        &self,
        py: Python<'_>,
        process: &Bound<'_, PyAny>,
        method: &str,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Option<Violation>> {
        let args = args.iter().map(|arg| object::value(&arg)).collect::<PyResult<_>>()?;
        self.object(|object| object.call(py, object::process(process)?, method, args))
    }

    /// What a process called returns a value.
    #[pyo3(signature = (process, value=None))]
    fn ret(
        &self,
        py: Python<'_>,
        process: &Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Violation>> {
        let value = value.map(|value| object::value(&value)).transpose()?.unwrap_or_default();
        self.object(|object| object.ret(py, object::process(process)?, value))
    }

    /// What a process called will not return: it may have taken effect, or may yet.
    fn crash(&self, py: Python<'_>, process: &Bound<'_, PyAny>) -> PyResult<Option<Violation>> {
        self.object(|object| object.crash(py, object::process(process)?))
    }

    /// What a process called did not take effect.
    fn withdraw(&self, py: Python<'_>, process: &Bound<'_, PyAny>) -> PyResult<Option<Violation>> {
        self.object(|object| object.withdraw(py, object::process(process)?))
    }

    /// An event as a dict: `{"thread": "T0", "op": "write", "loc": "x", "value": 1}` as in JSON histories of memories;
    /// of objects `{"process": 0, "f": "enqueue", "args": [1]}` for a call and `{"process": 0, "ret": None}` for its return.
    fn push(&self, py: Python<'_>, event: &Bound<'_, PyDict>) -> PyResult<Option<Violation>> {
        let state = &mut *self.state();
        match state {
            State::Memory(memory) => memory.push(py, event),
            State::Object(object) => object.push(py, event),
        }
    }

    /// All has happened: the last violation, if there is one that only the end makes certain.
    ///
    /// What could not be decided is an error.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<Violation>> {
        let state = &mut *self.state();
        match state {
            State::Memory(memory) => memory.finish(py),
            State::Object(object) => object.finish(py),
        }
    }

    fn __repr__(&self) -> String {
        format!("<tribunal.Monitor of {}, {} events>", self.model, self.events())
    }
}

impl Monitor {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory<T>(&self, act: impl FnOnce(&mut Memory) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.state() {
            State::Memory(memory) => act(memory),
            State::Object(_) => Err(error(format!("{} is of objects, which call and return", self.model))),
        }
    }

    fn object<T>(&self, act: impl FnOnce(&mut Object) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.state() {
            State::Object(object) => act(object),
            State::Memory(_) => Err(error(format!("{} is of memories, which read and write", self.model))),
        }
    }
}

/// A key that an event must have.
fn required<'py>(event: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    event.get_item(key)?.ok_or_else(|| error(format!("missing key \"{key}\" in the event {event}")))
}
