//! Monitoring an object: calls and returns, and the first that cannot be explained.

use super::feed::{Feed, Next};
use super::lines::Lines;
use crate::args::MonitorArguments;
use crate::budget::Budget;
use crate::driver::specifications;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::output::{BAD, Stdout, complain};
use crate::progress::Progress;
use std::io::Write;
use tribunal_engines::object::{self, FirstViolation, Inconclusive, MalformedEvent, Monitor};
use tribunal_formats::{Action, ObjectEvent};
use tribunal_history::object::{Criterion, Specification, specs};
use tribunal_host::reading;
use tribunal_report::printable;

/// Monitors until the input ends, Ctrl-C, or a violation.
pub fn run(arguments: &MonitorArguments, criterion: &Criterion, out: &mut Stdout) -> Result<Tally, Failure> {
    let file = arguments.file.to_string_lossy().into_owned();
    let given = specifications(arguments.spec.as_deref())?;
    let progress = Progress::new();
    progress.file(&file, input::size(&arguments.file));
    let bytes = progress.watch(input::bytes(&arguments.file)?);
    let options = reading(None, arguments.budget.max_memory);
    let spec = given.given().map(|spec| spec.name());
    let mut feed = Feed::of_object(bytes, &file, options, spec, arguments.nil_reads);
    let implied;
    let spec = match given.given() {
        Some(spec) => spec,
        None => {
            let Some(name) = feed.spec()? else { return Ok(Tally::default()) };
            implied = named(&name, &file)?;
            &*implied
        }
    };
    // Each check has limits of its own.
    let limits = *arguments.budget.limits();
    // How much memory the machine has is asked once.
    let budget = Budget { max_memory: Some(limits.max_memory), ..arguments.budget.clone() };
    let monitor = Monitor::new(spec, criterion.clone(), limits);
    let word = format!("{} ({criterion})", out.paint(BAD, "inconsistent"));
    let name = file.clone();
    let watch = Watch { file, monitor, budget, lines: Lines::default(), word };
    let tally = watch.through(&mut feed, out)?;
    if let Some(note) = feed.notes().left_out() {
        progress.aside(|| complain(&format!("{}: {note}", printable(&name))));
    }
    progress.aside(|| out.flush())?;
    Ok(tally)
}

/// The specification that the events imply.
fn named(name: &str, file: &str) -> Result<Box<dyn Specification>, Failure> {
    let problem = match name {
        "unknown" => "the calls tell no object: say which with --spec",
        name if name.ends_with("multi-register") => {
            "the registers are not known before the end: name them with --spec 'multi-register({\"x\": 0})'"
        }
        name => match specs::named(name) {
            Ok(spec) => return Ok(spec),
            Err(unknown) => return Err(Failure::Usage(format!("{file}: {unknown}"))),
        },
    };
    Err(Failure::Usage(format!("{file}: {problem}")))
}

/// A monitor with what is needed to speak of lines.
struct Watch<'s> {
    file: String,
    monitor: Monitor<'s>,
    /// The limits of each check.
    budget: Budget,
    lines: Lines,
    /// The word for a violation of the criterion.
    word: String,
}

impl Watch<'_> {
    fn through(mut self, feed: &mut Feed<ObjectEvent>, out: &mut Stdout) -> Result<Tally, Failure> {
        loop {
            let next = feed.next()?;
            let limits = self.budget.limits();
            if self.budget.timeout.is_some() {
                self.monitor.within(*limits);
            }
            let status = match next {
                Next::Event(event) => self.take(event)?,
                Next::Silence => self.monitor.check(),
                Next::End => break,
            };
            if interrupt::requested() {
                return Ok(Tally::default());
            }
            match status {
                object::Status::Consistent => {}
                object::Status::Undecided(doubt) => self.doubt(&doubt),
                object::Status::Violation(violation) => {
                    return violated(&violation, &self.file, &self.lines, &self.word, out);
                }
            }
        }
        // What is found out only now is not said below.
        if let object::Status::Undecided(doubt) = self.monitor.check() {
            self.doubt(&doubt);
        }
        let Watch { file, monitor, lines, word, .. } = self;
        match monitor.finish() {
            object::Status::Violation(violation) => violated(&violation, &file, &lines, &word, out),
            object::Status::Undecided(_) => Ok(Tally { undecided: 1, ..Tally::default() }),
            object::Status::Consistent => Ok(Tally::default()),
        }
    }

    fn doubt(&self, doubt: &Inconclusive) {
        complain(&format!("{}: undecided from here on: {doubt}", printable(&self.file)));
    }

    /// Gives an event to the monitor.
    fn take(&mut self, event: ObjectEvent) -> Result<object::Status, Failure> {
        let ObjectEvent { line, process, action } = event;
        self.lines.note(self.monitor.events(), line, || self.monitor.checked());
        let status = match action {
            Action::Call { method, args } => self.monitor.call(&process, &method, &args),
            Action::Return(value) => self.monitor.ret(&process, value),
            Action::Crash => self.monitor.crash(&process),
            Action::Withdrawal => self.monitor.withdraw(&process),
        };
        status.map_err(|malformed: MalformedEvent| Failure::History {
            file: self.file.clone(),
            line,
            problem: malformed.to_string(),
        })
    }
}

/// One line that says where and why.
fn violated(
    violation: &FirstViolation,
    file: &str,
    lines: &Lines,
    word: &str,
    out: &mut Stdout,
) -> Result<Tally, Failure> {
    let why = violation.to_string();
    writeln!(out, "{}:{}: {word}: {}", printable(file), lines.of(violation.event), printable(&why))?;
    out.flush()?;
    Ok(Tally { inconsistent: 1, ..Tally::default() })
}
