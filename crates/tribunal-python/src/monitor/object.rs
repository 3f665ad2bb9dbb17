//! Watching an object.
//!
//! The monitor lives on a thread of its own, with its specification, so that Ctrl-C is seen while it works.

use super::{Violation, required};
use crate::error::error;
use crate::limits::{Budget, POLL, STACK};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use tribunal_engines::object::{Monitor, Status};
use tribunal_history::object::{Criterion, Specification, Value};
use tribunal_host::specifications;

/// An object that is watched.
pub struct Object {
    commands: Option<Sender<Command>>,
    answers: Receiver<Result<Status, String>>,
    stop: Arc<AtomicBool>,
    events: u64,
    /// Once there is a violation nothing more can be said.
    violated: bool,
    doubt: Option<String>,
}

enum Command {
    Call { process: String, method: String, args: Vec<Value> },
    Return(String, Value),
    Crash(String),
    Withdraw(String),
}

impl Object {
    pub fn new(spec: &str, criterion: Criterion, budget: Budget) -> PyResult<Self> {
        let specifications = specifications(Some(spec)).map_err(error)?;
        let (commands, received) = channel();
        let (answer, answers) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            if let Some(spec) = specifications.given() {
                watch(spec, criterion, &budget, &stopped, &received, &answer);
            }
        };
        thread::Builder::new().name("tribunal".into()).stack_size(STACK).spawn(work)?;
        Ok(Object { commands: Some(commands), answers, stop, events: 0, violated: false, doubt: None })
    }

    pub fn events(&self) -> u64 {
        self.events
    }

    pub fn call(
        &mut self,
        py: Python<'_>,
        process: String,
        method: &str,
        args: Vec<Value>,
    ) -> PyResult<Option<Violation>> {
        self.ask(py, Command::Call { process, method: method.into(), args })
    }

    pub fn ret(&mut self, py: Python<'_>, process: String, value: Value) -> PyResult<Option<Violation>> {
        self.ask(py, Command::Return(process, value))
    }

    pub fn crash(&mut self, py: Python<'_>, process: String) -> PyResult<Option<Violation>> {
        self.ask(py, Command::Crash(process))
    }

    pub fn withdraw(&mut self, py: Python<'_>, process: String) -> PyResult<Option<Violation>> {
        self.ask(py, Command::Withdraw(process))
    }

    pub fn push(&mut self, py: Python<'_>, event: &Bound<'_, PyDict>) -> PyResult<Option<Violation>> {
        let process = process(&required(event, "process")?)?;
        if let Some(method) = event.get_item("f")? {
            let args = match event.get_item("args")? {
                Some(args) => args.try_iter()?.map(|arg| value(&arg?)).collect::<PyResult<_>>()?,
                None => Vec::new(),
            };
            return self.call(py, process, &method.extract::<String>()?, args);
        }
        match event.get_item("ret")? {
            Some(returned) => self.ret(py, process, value(&returned)?),
            None => Err(error(format!("the event {event} has neither \"f\", of a call, nor \"ret\""))),
        }
    }

    pub fn finish(&mut self, py: Python<'_>) -> PyResult<Option<Violation>> {
        if self.commands.take().is_none() || self.violated {
            return Ok(None);
        }
        let found = self.answer(py)?;
        match (&found, &self.doubt) {
            (None, Some(doubt)) => Err(error(format!("undecided: {doubt}"))),
            _ => Ok(found),
        }
    }

    fn ask(&mut self, py: Python<'_>, command: Command) -> PyResult<Option<Violation>> {
        let commands = self.commands.as_ref().ok_or_else(|| error("the monitor has finished"))?;
        if self.violated {
            return Ok(None);
        }
        commands.send(command).map_err(|_| error("the monitor was stopped"))?;
        let answer = self.answer(py)?;
        self.events += 1;
        Ok(answer)
    }

    /// What the thread answers.
    fn answer(&mut self, py: Python<'_>) -> PyResult<Option<Violation>> {
        let status = loop {
            // A receiver is not shared between threads, but may be lent to one.
            let answers = &mut self.answers;
            match py.detach(move || (*answers).recv_timeout(POLL)) {
                Ok(status) => break status.map_err(error)?,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(signal) = py.check_signals() {
                        self.stop.store(true, Ordering::Relaxed);
                        self.commands = None;
                        return Err(signal);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(error("the monitor was stopped")),
            }
        };
        match status {
            Status::Consistent => Ok(None),
            Status::Undecided(doubt) => {
                self.doubt = Some(doubt.to_string());
                Ok(None)
            }
            Status::Violation(violation) => {
                self.violated = true;
                let history = &violation.history;
                let explanation = history.ops().map(|op| format!("  {}", history.show(op))).collect();
                Ok(Some(Violation { event: violation.event, reason: violation.to_string(), explanation }))
            }
        }
    }
}

/// What the thread does: an answer for each command, and one for their end.
fn watch(
    spec: &dyn Specification,
    criterion: Criterion,
    budget: &Budget,
    stop: &AtomicBool,
    commands: &Receiver<Command>,
    answers: &Sender<Result<Status, String>>,
) {
    let mut monitor = Monitor::new(spec, criterion, budget.limits(stop));
    for command in commands {
        monitor.within(budget.limits(stop));
        let status = match command {
            Command::Call { process, method, args } => monitor.call(&process, &method, &args),
            Command::Return(process, value) => monitor.ret(&process, value),
            Command::Crash(process) => monitor.crash(&process),
            Command::Withdraw(process) => monitor.withdraw(&process),
        };
        if answers.send(status.map_err(|malformed| malformed.to_string())).is_err() {
            return;
        }
    }
    monitor.within(budget.limits(stop));
    // Nobody may be waiting for it.
    let _ = answers.send(Ok(monitor.finish()));
}

/// A process by its name or number.
pub fn process(object: &Bound<'_, PyAny>) -> PyResult<String> {
    object.str()?.extract()
}

/// An argument or a return.
pub fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Value::Int(object.extract()?));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_cow()?.as_ref().into()));
    }
    match object.try_iter() {
        Ok(values) => Ok(Value::list(values.map(|one| value(&one?)).collect::<PyResult<Vec<_>>>()?)),
        Err(_) => {
            Err(error(format!("{object}: expected None, a truth value, a whole number, a text or a list")))
        }
    }
}
