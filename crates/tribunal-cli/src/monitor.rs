//! `tribunal monitor`: events from a pipe, line by line, and the first that cannot be explained.

mod line;

use crate::args::MonitorArguments;
use crate::case::Specifications;
use crate::exit::Status;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{BAD, Stdout, complain, printable};
use crate::progress::Progress;
use crate::{input, question::Question};
use line::{Line, Type};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use tribunal::object::{self, Criterion, Kind, Monitor, Specification, Value, specs};

/// When nothing has come for so long, all that has come is checked.
const PATIENCE: Duration = Duration::from_millis(50);

/// Monitors until the input ends, Ctrl-C, or a violation.
pub fn run(arguments: &MonitorArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let Question::Criterion(criterion) = &arguments.model else {
        return Err(Failure::Usage(format!(
            "--model {}: monitor takes criteria of objects",
            arguments.model
        )));
    };
    let file = arguments.file.to_string_lossy().into_owned();
    let given = Specifications::new(arguments.spec.as_deref())?;
    let progress = Progress::new();
    progress.file(&file, input::size(&arguments.file));
    let bytes = progress.watch(input::bytes(&arguments.file)?);
    let bytes = tribunal_formats::decompressed(bytes)
        .map_err(|source| Failure::Read { file: file.clone(), source })?;
    let (sender, lines) = sync_channel(4096);
    // The lines come by another thread, so that a silent pipe is no reason to keep an answer back.
    std::thread::spawn(move || {
        for line in BufReader::new(bytes).lines() {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut lines = Lines { file, lines, number: 0, ahead: None };
    let guessed;
    let spec = match given.given() {
        Some(spec) => spec,
        None => {
            let Some(name) = lines.guess()? else { return Ok(Status::Success) };
            guessed = specs::named(name).map_err(|unknown| lines.failure(unknown.to_string()))?;
            &*guessed
        }
    };
    let watch = Watch::new(spec, criterion.clone(), arguments);
    let status = watch.through(&mut lines, out)?;
    progress.aside(|| out.flush())?;
    Ok(status)
}

/// The lines as they come.
struct Lines {
    file: String,
    lines: Receiver<io::Result<String>>,
    /// The number of the last line.
    number: u64,
    /// An event that has been looked at.
    ahead: Option<Line>,
}

/// What comes next.
enum Next {
    Event(Line),
    /// Nothing, for a while.
    Silence,
    End,
}

impl Lines {
    fn failure(&self, problem: String) -> Failure {
        Failure::History { file: self.file.clone(), line: self.number, problem }
    }

    fn next(&mut self) -> Result<Next, Failure> {
        if let Some(line) = self.ahead.take() {
            return Ok(Next::Event(line));
        }
        loop {
            let text = match self.lines.recv_timeout(PATIENCE) {
                Ok(Ok(text)) => text,
                Ok(Err(source)) => return Err(Failure::Read { file: self.file.clone(), source }),
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Silence),
                Err(RecvTimeoutError::Disconnected) => return Ok(Next::End),
            };
            self.number += 1;
            if let Some(line) = Line::read(&text).map_err(|problem| self.failure(problem))? {
                return Ok(Next::Event(line));
            }
        }
    }

    /// The specification that the first call tells, as `check` would guess it from all of them.
    fn guess(&mut self) -> Result<Option<&'static str>, Failure> {
        let line = loop {
            match self.next()? {
                Next::Event(line) => break line,
                Next::Silence => {}
                Next::End => return Ok(None),
            }
        };
        let name = match (line.method.as_str(), line.log, line.key.is_some()) {
            ("get" | "put" | "append", _, true) => "kv-store",
            ("read" | "write" | "cas", true, false) => "cas-register",
            ("read" | "write" | "cas", false, false) => "cas-register(0)",
            ("read" | "write" | "cas", _, true) => "keyed cas-register(0)",
            ("acquire" | "release", ..) => "mutex",
            ("enqueue" | "dequeue", ..) => "queue",
            ("push" | "pop", ..) => "stack",
            ("insert" | "delete_min", ..) => "priority-queue",
            ("inc" | "add", ..) => "counter",
            (other, ..) => {
                return Err(self.failure(format!("`{other}` tells no object: say which with --spec")));
            }
        };
        self.ahead = Some(line);
        Ok(Some(name))
    }
}

/// A monitor with what is needed to speak of lines.
struct Watch<'s> {
    spec: &'s dyn Specification,
    monitor: Monitor<'s>,
    criterion: Criterion,
    /// Which line an event is on: each pair of an event and a line holds for those after it, one a line.
    on_line: Vec<(u64, u64)>,
    /// What open operations of processes have called: the method, and whether the value had a key in it.
    called: HashMap<String, Called>,
}

struct Called {
    method: String,
    tuple: bool,
}

impl<'s> Watch<'s> {
    fn new(spec: &'s dyn Specification, criterion: Criterion, arguments: &MonitorArguments) -> Self {
        let monitor = Monitor::new(spec, criterion.clone(), arguments.budget.limits());
        Watch { spec, monitor, criterion, on_line: Vec::new(), called: HashMap::new() }
    }

    fn through(mut self, lines: &mut Lines, out: &mut Stdout) -> Result<Status, Failure> {
        loop {
            let status = match lines.next()? {
                Next::Event(line) => {
                    let event = self.monitor.events();
                    let status = self.take(line).map_err(|problem| lines.failure(problem))?;
                    if self.monitor.events() > event {
                        self.note(event, lines.number);
                    }
                    status
                }
                Next::Silence => self.monitor.check(),
                Next::End => break,
            };
            if interrupt::requested() {
                return Ok(Status::Interrupted);
            }
            if let Some(status) = self.say(&status, &lines.file, out)? {
                return Ok(status);
            }
        }
        let (file, on_line, criterion) = (&lines.file, self.on_line, self.criterion);
        match self.monitor.finish() {
            object::Status::Violation(violation) => {
                violated(&violation, file, &on_line, &criterion, out)?;
                Ok(Status::Inconsistent)
            }
            object::Status::Undecided(_) => Ok(Status::Undecided),
            object::Status::Consistent => Ok(Status::Success),
        }
    }

    /// Remembers the line of an event.
    fn note(&mut self, event: u64, line: u64) {
        let follows = self.on_line.last().is_some_and(|&(first, at)| event - first == line - at);
        if !follows {
            self.on_line.push((event, line));
        }
    }

    fn say(&self, status: &object::Status, file: &str, out: &mut Stdout) -> Result<Option<Status>, Failure> {
        match status {
            object::Status::Consistent => Ok(None),
            object::Status::Undecided(doubt) => {
                complain(&format!("{}: undecided from here on: {doubt}", printable(file)));
                Ok(None)
            }
            object::Status::Violation(violation) => {
                violated(violation, file, &self.on_line, &self.criterion, out)?;
                Ok(Some(Status::Inconsistent))
            }
        }
    }

    /// Gives an event to the monitor.
    fn take(&mut self, line: Line) -> Result<object::Status, String> {
        let happens = line.happens()?;
        let process = line.process.clone();
        if happens == Type::Invoke {
            let (args, tuple) = self.arguments(&line);
            let status =
                self.monitor.call(&process, &line.method, &args).map_err(|error| error.to_string())?;
            self.called.insert(process, Called { method: line.method, tuple });
            return Ok(status);
        }
        let Some(called) = self.called.get(&process) else {
            return Err(format!("process {process} returns without a call"));
        };
        if !line.method.is_empty() && line.method != called.method {
            return Err(format!(
                "process {process} returns from {}, and has called {}",
                line.method, called.method
            ));
        }
        let reads = matches!(called.method.as_str(), "read" | "get");
        let value = match (&line.value, called.tuple) {
            (Value::List(pair), true) if pair.len() == 2 => pair[1].clone(),
            (value, _) => value.clone(),
        };
        let ended = match happens {
            // Of a read nothing is left, and in Jepsen's words nil says nothing.
            Type::Info if reads => self.monitor.withdraw(&process),
            Type::Info => self.monitor.crash(&process),
            Type::Fail if line.log && called.method == "cas" => {
                self.monitor.ret(&process, Value::Bool(false))
            }
            Type::Fail => self.monitor.withdraw(&process),
            _ if reads && line.ret.is_none() && !line.log && value == Value::Null => {
                self.monitor.withdraw(&process)
            }
            _ => {
                let ret = line.ret.unwrap_or_else(|| self.returned(&called.method, value));
                self.monitor.ret(&process, ret)
            }
        };
        let status = ended.map_err(|error| error.to_string())?;
        if happens != Type::Info || reads {
            self.called.remove(&process);
        }
        Ok(status)
    }

    /// The arguments of a call, and whether the key was in its value.
    fn arguments(&self, line: &Line) -> (Vec<Value>, bool) {
        if let Some(Value::List(args)) = &line.args {
            return (args.to_vec(), false);
        }
        let takes = self
            .spec
            .signatures()
            .iter()
            .find(|signature| signature.method == line.method)
            .map(|signature| signature.args.len());
        let keyed = self.spec.name().starts_with("keyed ");
        let (key, value, tuple) = match (&line.key, &line.value) {
            (Some(key), value) => (Some(key.clone()), value.clone(), false),
            (None, Value::List(pair)) if keyed && pair.len() == 2 => {
                (Some(pair[0].clone()), pair[1].clone(), true)
            }
            (None, value) => (None, value.clone(), false),
        };
        let mut args: Vec<Value> = key.into_iter().collect();
        match (takes.map(|takes| takes.saturating_sub(args.len())), value) {
            (Some(0), _) => {}
            (Some(1), value) => args.push(value),
            (_, Value::List(values)) => args.extend(values.iter().cloned()),
            (_, Value::Null) => {}
            (_, value) => args.push(value),
        }
        (args, tuple)
    }

    /// The return of an operation that Jepsen calls ok: it repeats the value of the call where there is nothing to say.
    fn returned(&self, method: &str, value: Value) -> Value {
        let signature = self.spec.signatures().iter().find(|signature| signature.method == method);
        match signature.map(|signature| signature.returns) {
            Some(Kind::Null) => Value::Null,
            Some(Kind::Bool) if !matches!(value, Value::Bool(_)) => Value::Bool(true),
            _ => value,
        }
    }
}

/// One line that says where and why.
fn violated(
    violation: &object::FirstViolation,
    file: &str,
    on_line: &[(u64, u64)],
    criterion: &Criterion,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let run = on_line.partition_point(|&(event, _)| event <= violation.event).saturating_sub(1);
    let line = on_line.get(run).map_or(0, |&(event, line)| line + violation.event - event);
    let word = out.paint(BAD, "inconsistent");
    let place = printable(file).into_owned();
    let why = violation.to_string();
    writeln!(out, "{place}:{line}: {word} ({criterion}): {}", printable(&why))?;
    out.flush()?;
    Ok(())
}
