//! Histories: read from what Python has, shown, written and shrunk.

use crate::error::error;
use crate::limits::{Budget, interruptible};
use crate::names::{self, Names};
use crate::picture;
use crate::verdict::{Verdict, ask};
use pyo3::exceptions::{PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_formats::{
    Error, Format, History as Parsed, Labels, Lines, ReadAs, Reader, Subject, Writer, write_subject,
};
use tribunal_host::{Source, named, reading, specifications};
use tribunal_report::{Part, Question, usual_question};

/// A history: the reads and writes of threads on a memory, or the calls and returns of processes on an object.
///
/// >>> import tribunal
/// >>> history = tribunal.history("T0: W x 1; R y 0\nT1: W y 1; R x 0")
/// >>> history.kind, len(history)
/// ('memory', 4)
/// >>> history.check("sc").verdict
/// 'inconsistent'
#[pyclass(module = "tribunal", frozen)]
pub struct History {
    pub source: Arc<Source>,
}

impl History {
    /// A history that was not read but made.
    pub fn made(file: &str, subject: Subject) -> Self {
        let (labels, lines) = (Labels::default(), Lines::default());
        let history = Parsed { subject, labels, line: 1, lines };
        History { source: Arc::new(Source::new(file, 0, history)) }
    }

    fn write(&self, format: Format) -> PyResult<String> {
        let mut writer = Writer::new(Vec::new(), format);
        let history = self.source.history();
        write_subject(&mut writer, &history.subject, &history.labels).map_err(error)?;
        let bytes = writer.finish().map_err(error)?;
        String::from_utf8(bytes).map_err(error)
    }
}

#[pymethods]
impl History {
    /// The name of the history, if it has one.
    #[getter]
    fn name(&self) -> Option<String> {
        self.source.case().name().map(Into::into)
    }

    /// `memory`, `object` or `transactions`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.source.history().subject {
            Subject::Memory(_) => "memory",
            Subject::Object(_) => "object",
            Subject::Transactions(_) => "transactions",
        }
    }

    /// The specification named in the history; None for a memory.
    #[getter]
    fn spec(&self) -> Option<String> {
        self.source.history().object().map(|object| object.spec.clone())
    }

    /// Where it was read.
    #[getter]
    fn file(&self) -> &str {
        self.source.file()
    }

    /// The line where it begins, from 1.
    #[getter]
    fn line(&self) -> u64 {
        self.source.history().line
    }

    /// Its index among the histories of its file, from 0.
    #[getter]
    fn index(&self) -> u64 {
        self.source.case().index
    }

    /// The expected verdicts of a labeled history; None if the model does not apply.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        for (model, consistent) in &self.source.history().labels.0 {
            labels.set_item(model, *consistent)?;
        }
        Ok(labels)
    }

    /// The history in a format: json, text, axe or edn.
    #[pyo3(signature = (format="json"))]
    fn to(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format: Format = format.parse().map_err(error)?;
        py.detach(|| self.write(format))
    }

    /// Like `tribunal.check`, for this history.
    #[pyo3(signature = (model=None, *, spec=None, engine=None, timeout=None, max_memory=None, max_states=None))]
    #[allow(clippy::too_many_arguments)]
    fn check<'py>(
        slf: &Bound<'py, Self>,
        model: Option<Names>,
        spec: Option<&str>,
        engine: Option<&str>,
        timeout: Option<f64>,
        max_memory: Option<usize>,
        max_states: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        check(slf.py(), slf.as_any(), model, spec, engine, timeout, max_memory, max_states, None, None)
    }

    /// Like `tribunal.shrink`, for this history.
    #[pyo3(signature = (model=None, *, spec=None, timeout=None, max_memory=None, max_states=None))]
    fn shrink(
        slf: &Bound<'_, Self>,
        model: Option<&str>,
        spec: Option<&str>,
        timeout: Option<f64>,
        max_memory: Option<usize>,
        max_states: Option<u64>,
    ) -> PyResult<Option<History>> {
        shrink(slf.py(), slf.as_any(), model, spec, timeout, max_memory, max_states, None, None)
    }

    /// A picture as SVG, for one model, or for the weakest that forbids the history.
    #[pyo3(signature = (model=None))]
    fn svg(&self, py: Python<'_>, model: Option<Names>) -> PyResult<String> {
        let questions = names::questions(model)?;
        interruptible(py, |stop| picture::svg(&self.source, questions, &stop))?.map_err(error)
    }

    /// A self-contained HTML page that shows the history and the verdict of every model.
    #[pyo3(signature = (model=None))]
    fn page(&self, py: Python<'_>, model: Option<Names>) -> PyResult<String> {
        let questions = names::questions(model)?;
        interruptible(py, |stop| picture::page(&self.source, questions, &stop))?.map_err(error)
    }

    /// Shows that page in the notebook, or else in a browser. With a path, it is written to that file instead.
    #[pyo3(signature = (path=None, *, model=None))]
    fn view<'py>(
        slf: &Bound<'py, Self>,
        path: Option<Bound<'py, PyAny>>,
        model: Option<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let page = slf.get().page(slf.py(), model)?;
        slf.py().import("tribunal._show")?.call_method1("show", (page, path))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        interruptible(py, |stop| picture::of_history(&self.source, &stop))?.map_err(error)
    }

    fn __len__(&self) -> usize {
        self.source.case().events()
    }

    fn __repr__(&self) -> String {
        let case = self.source.case();
        let unit = match self.source.history().subject {
            Subject::Memory(_) => "events",
            Subject::Object(_) => "operations",
            Subject::Transactions(_) => "transactions",
        };
        format!("<tribunal.History {case}, {} {unit}>", case.events())
    }
}

/// Where the bytes of a history are.
enum Bytes {
    Here { bytes: Vec<u8>, name: String },
    File(PathBuf),
}

impl Bytes {
    /// What a Python object holds: text, bytes, JSON as dicts and lists, a path or an open file.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let here = |bytes, name: &str| Ok(Bytes::Here { bytes, name: name.into() });
        if let Ok(text) = object.cast::<PyString>() {
            return here(text.to_cow()?.as_bytes().to_vec(), "text");
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return here(bytes.as_bytes().to_vec(), "bytes");
        }
        if object.is_instance_of::<PyDict>() || object.is_instance_of::<PyList>() {
            let text: String = object
                .py()
                .import("json")?
                .call_method1("dumps", (object,))
                .map_err(|bad| error(format!("not a history in JSON: {bad}")))?
                .extract()?;
            return here(text.into_bytes(), "json");
        }
        if object.hasattr("__fspath__")? {
            return Ok(Bytes::File(object.extract()?));
        }
        if object.hasattr("read")? {
            let name = object.getattr("name").and_then(|name| name.extract::<String>());
            let name = name.unwrap_or_else(|_| "file".into());
            let content = object.call_method0("read")?;
            return match Bytes::of(&content)? {
                Bytes::Here { bytes, .. } => here(bytes, &name),
                Bytes::File(_) => Err(PyTypeError::new_err("read() gave neither text nor bytes")),
            };
        }
        if let Ok(bytes) = object.extract::<Vec<u8>>() {
            return here(bytes, "bytes");
        }
        let kind = object.get_type().name()?.to_string();
        Err(PyTypeError::new_err(format!(
            "expected a history: text, bytes, a dict, a path, a file or a tribunal.History, found {kind}"
        )))
    }

    /// The histories, until a stop is set.
    fn reader(
        self,
        format: Option<Format>,
        max_memory: Option<usize>,
        stop: Arc<AtomicBool>,
    ) -> Result<(Reader, String), Error> {
        let options = reading(format, max_memory);
        match self {
            Bytes::Here { bytes, name } => {
                let reader =
                    tribunal_formats::read(Until { input: Cursor::new(bytes), stop }, &name, options)?;
                Ok((reader, name))
            }
            Bytes::File(path) => {
                let name = path.display().to_string();
                // A file that cannot be opened is told of as one that cannot be read.
                let input: Box<dyn Read + Send> = match File::open(&path) {
                    Ok(file) => Box::new(file),
                    Err(error) => Box::new(Failing(Some(error))),
                };
                Ok((tribunal_formats::read(Until { input, stop }, &name, options)?, name))
            }
        }
    }
}

/// An input that ends with an error once a stop is set.
struct Until<R> {
    input: R,
    stop: Arc<AtomicBool>,
}

impl<R: Read> Read for Until<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        self.input.read(into)
    }
}

/// An input that is nothing but an error.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::Error::other("cannot be read")))
    }
}

/// The history that a Python object holds or names: the one of this index, or else the only one.
pub fn source(
    object: &Bound<'_, PyAny>,
    spec: Option<&str>,
    format: Option<&str>,
    index: Option<u64>,
    max_memory: Option<usize>,
) -> PyResult<Arc<Source>> {
    let py = object.py();
    let specifications = match spec {
        None => None,
        Some(_) => Some(Arc::new(specifications(spec).map_err(error)?)),
    };
    if let Ok(history) = object.cast::<History>() {
        let source = &history.get().source;
        let Some(specifications) = specifications else { return Ok(source.clone()) };
        let again = Source::new(source.file(), source.case().index, source.history().clone());
        return Ok(Arc::new(again.specified(specifications)));
    }
    let format = names::format(format)?;
    let read_as = spec.map_or(ReadAs::Told, ReadAs::spec);
    let bytes = Bytes::of(object)?;
    let small = matches!(&bytes, Bytes::Here { bytes, .. } if bytes.len() < SMALL);
    let chosen = move |stop: Arc<AtomicBool>| -> Result<(Parsed, String), String> {
        let (mut histories, name) =
            bytes.reader(format, max_memory, stop).map_err(|error| error.to_string())?;
        histories = histories.read_as(read_as);
        let wanted = index.unwrap_or(0);
        for number in 0.. {
            let Some(history) = histories.next() else {
                return Err(format!("{name}: index={wanted}: there are {number} histories, from 0 on"));
            };
            let history = history.map_err(|error| error.to_string())?;
            if number == wanted {
                return match histories.next() {
                    Some(_) if index.is_none() => Err(format!(
                        "{name}: more than one history: say which with index=, or go through them with tribunal.read"
                    )),
                    _ => Ok((history, name)),
                };
            }
        }
        unreachable!("the numbers do not end")
    };
    let chosen = if small { py.detach(|| chosen(Arc::default())) } else { interruptible(py, chosen)? };
    let (history, name) = chosen.map_err(|problem| match object.cast::<PyString>() {
        Ok(text) if looks_like_path(text) => error(format!("{problem}; a file is given as a pathlib.Path")),
        _ => error(problem),
    })?;
    let source = Source::new(name, index.unwrap_or(0), history);
    Ok(Arc::new(match specifications {
        Some(specifications) => source.specified(specifications),
        None => source,
    }))
}

fn looks_like_path(text: &Bound<'_, PyString>) -> bool {
    text.to_cow()
        .is_ok_and(|text| !text.trim().is_empty() && !text.contains(['\n', '{', '(']) && !text.contains(": "))
}

/// What is shorter is read in no time.
const SMALL: usize = 1 << 20;

/// A history from text, bytes, JSON as dicts, a path or an open file.
///
/// `index` selects one of several. A `str` is the text of a history; use a `pathlib.Path` for a file.
#[pyfunction]
#[pyo3(signature = (source, *, spec=None, format=None, index=None, max_memory=None))]
pub fn history(
    source: &Bound<'_, PyAny>,
    spec: Option<&str>,
    format: Option<&str>,
    index: Option<u64>,
    max_memory: Option<usize>,
) -> PyResult<History> {
    Ok(History { source: self::source(source, spec, format, index, max_memory)? })
}

/// Whether a history is consistent with a model or a criterion.
///
/// With the name of one model the answer is a Verdict; with several, or without any, a dict of them. Without any, every model
/// or criterion that applies is asked, each for 10 seconds at most unless `timeout` says otherwise.
#[pyfunction]
#[pyo3(signature = (history, model=None, *, spec=None, engine=None, timeout=None, max_memory=None, max_states=None,
    format=None, index=None))]
#[allow(clippy::too_many_arguments)]
pub fn check<'py>(
    py: Python<'py>,
    history: &Bound<'py, PyAny>,
    model: Option<Names>,
    spec: Option<&str>,
    engine: Option<&str>,
    timeout: Option<f64>,
    max_memory: Option<usize>,
    max_states: Option<u64>,
    format: Option<&str>,
    index: Option<u64>,
) -> PyResult<Bound<'py, PyAny>> {
    let budget = Budget::new(timeout, max_memory, max_states)?;
    let source = source(history, spec, format, index, max_memory)?;
    let engine = names::engine(engine)?;
    if let Some(Names::One(name)) = &model {
        let question = names::question(name)?;
        if engine.is_some_and(|engine| !question.engines().contains(&engine)) {
            return Err(error(format!("{question} is decided by {}", question.engine_names().join(", "))));
        }
        return Ok(Bound::new(py, ask(py, &source, &question, engine, budget)?)?.into_any());
    }
    let check = names::check(model, None, engine)?;
    let budget = if check.is_of_all() { budget.of_all() } else { budget };
    let history = source.checkable().map_err(error)?;
    let verdicts = PyDict::new(py);
    for question in check.questions(&history) {
        verdicts.set_item(question.to_string(), ask(py, &source, question, engine, budget.clone())?)?;
    }
    Ok(verdicts.into_any())
}

/// A minimal inconsistent part of an inconsistent history; None if it is consistent.
#[pyfunction]
#[pyo3(signature = (history, model=None, *, spec=None, timeout=None, max_memory=None, max_states=None, format=None, index=None))]
#[allow(clippy::too_many_arguments)]
pub fn shrink(
    py: Python<'_>,
    history: &Bound<'_, PyAny>,
    model: Option<&str>,
    spec: Option<&str>,
    timeout: Option<f64>,
    max_memory: Option<usize>,
    max_states: Option<u64>,
    format: Option<&str>,
    index: Option<u64>,
) -> PyResult<Option<History>> {
    let budget = Budget::new(timeout, max_memory, max_states)?;
    let source = source(history, spec, format, index, max_memory)?;
    let question = match model {
        Some(model) => named::<Question>(model).map_err(error)?,
        None => usual_question(&source.history().subject),
    };
    shrunk(py, &source, &question, &budget)
}

/// What is left of a history.
pub fn shrunk(
    py: Python<'_>,
    source: &Arc<Source>,
    question: &Question,
    budget: &Budget,
) -> PyResult<Option<History>> {
    let part = interruptible(py, |stop| source.shrink(question, &budget.limits(&stop)))?;
    match part.map_err(error)? {
        Part::Left { part, limit } => {
            if let Some(limit) = limit {
                let text = std::ffi::CString::new(format!("perhaps not the fewest: {limit}"))?;
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
            }
            Ok(Some(History::made(source.file(), *part)))
        }
        Part::Consistent => Ok(None),
        Part::Undecided(limit) => Err(error(format!("{question}: undecided: {limit}"))),
        Part::Unsupported(why) => Err(error(format!("{question}: {why}"))),
    }
}

/// The histories of a file, one by one; also of anything else that `tribunal.history` takes.
#[pyfunction]
#[pyo3(signature = (path, *, format=None, max_memory=None))]
pub fn read(path: &Bound<'_, PyAny>, format: Option<&str>, max_memory: Option<usize>) -> PyResult<Histories> {
    let format = names::format(format)?;
    let bytes = match path.cast::<PyString>() {
        Ok(path) => Bytes::File(path.extract()?),
        Err(_) => Bytes::of(path)?,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (reader, file) = path.py().detach(|| bytes.reader(format, max_memory, stop)).map_err(error)?;
    Ok(Histories { reader: Mutex::new((reader, 0)), file })
}

/// The histories of a file, one by one.
#[pyclass(module = "tribunal", frozen)]
pub struct Histories {
    /// With how many were read.
    reader: Mutex<(Reader, u64)>,
    file: String,
}

#[pymethods]
impl Histories {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<History>> {
        let next = py.detach(|| {
            let (reader, count) = &mut *self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            let history = reader.next()?;
            *count += 1;
            Some(history.map(|history| Source::new(&self.file, *count - 1, history)))
        });
        let source = next.transpose().map_err(error)?;
        Ok(source.map(|source| History { source: Arc::new(source) }))
    }

    fn __repr__(&self) -> String {
        format!("<tribunal.Histories of {}>", self.file)
    }
}

/// A verdict's history, as Python has it.
pub fn of(verdict: &Verdict) -> History {
    History { source: verdict.source.clone() }
}
