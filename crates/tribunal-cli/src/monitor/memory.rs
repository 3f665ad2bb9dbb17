//! Monitoring a memory: reads and writes as they come, and the event that no execution can have.

use super::feed::{Feed, Next};
use super::lines::Lines;
use crate::args::MonitorArguments;
use crate::budget::Budget;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::input::{self, Follow};
use crate::interrupt;
use crate::output::{BAD, Stdout, complain};
use crate::progress::Progress;
use std::io::{Read, Write};
use tribunal_engines::memory::monitor::{Monitor, Unsettled, Violation};
use tribunal_formats::Observed;
use tribunal_history::model::Model;
use tribunal_history::verdict::Limit;
use tribunal_host::reading;
use tribunal_report::memory::monitored;
use tribunal_report::{counted, printable};

/// Monitors until the input ends, Ctrl-C, or a violation, unless it is to resume.
pub fn run(arguments: &MonitorArguments, model: Model, out: &mut Stdout) -> Result<Tally, Failure> {
    let file = arguments.file.to_string_lossy().into_owned();
    let progress = Progress::new();
    progress.file(&file, input::size(&arguments.file));
    let bytes = input::bytes(&arguments.file)?;
    let bytes: Box<dyn Read + Send> =
        if arguments.follow { Box::new(Follow::new(&arguments.file, bytes)) } else { progress.watch(bytes) };
    let options = reading(arguments.format, arguments.budget.max_memory);
    let max_memory = arguments.budget.limits().max_memory;
    let mut watch = Watch {
        arguments,
        model,
        // How much memory the machine has is asked once.
        budget: Budget { max_memory: Some(max_memory), ..arguments.budget.of_all() },
        monitor: monitor(arguments, model)?,
        lines: Lines::default(),
        word: format!("{} ({model})", out.paint(BAD, "inconsistent")),
        violations: 0,
        unsettled: false,
        file,
    };
    let mut feed = Feed::of_memory(bytes, &watch.file, options);
    let tally = watch.through(&mut feed, &progress, out)?;
    if feed.left_out() > 0 {
        progress.aside(|| {
            complain(&format!("{}: the last line has no end and was left out", printable(&watch.file)))
        });
    }
    progress.aside(|| out.flush())?;
    Ok(tally)
}

fn monitor(arguments: &MonitorArguments, model: Model) -> Result<Monitor, Failure> {
    Monitor::new(model, arguments.window).map_err(|error| Failure::Usage(format!("--model {model}: {error}")))
}

/// A monitor with what is needed to speak of lines.
struct Watch<'a> {
    arguments: &'a MonitorArguments,
    file: String,
    model: Model,
    monitor: Monitor,
    /// The limits of each settling and of each explanation.
    budget: Budget,
    lines: Lines,
    /// The word for a violation of the model.
    word: String,
    violations: u64,
    /// Whether something was undecided.
    unsettled: bool,
}

impl Watch<'_> {
    fn through(
        &mut self,
        feed: &mut Feed<Observed>,
        progress: &Progress,
        out: &mut Stdout,
    ) -> Result<Tally, Failure> {
        /// The number of events between two looks at memory.
        const CHECK: u64 = 1 << 12;
        loop {
            let next = match feed.next() {
                Err(_) if interrupt::requested() => return self.interrupted(progress),
                next => next?,
            };
            match next {
                Next::Event(Observed::Event { line, thread, op }) => {
                    let event = self.monitor.events();
                    self.lines.note(event, line, || self.monitor.oldest());
                    self.monitor.event(thread, op);
                    if event.is_multiple_of(CHECK) {
                        if interrupt::requested() {
                            return self.interrupted(progress);
                        }
                        if let Some(tally) = self.out_of_room(self.monitor.bytes(), progress) {
                            return Ok(tally);
                        }
                    }
                    if self.monitor.is_due(false) {
                        self.monitor.settle(&self.budget.limits());
                    }
                }
                Next::Event(Observed::Thread(name)) => {
                    if let Some(tally) = self.out_of_room(self.monitor.bytes_with_thread(), progress) {
                        return Ok(tally);
                    }
                    self.monitor.thread(&name);
                }
                Next::Event(Observed::Location(name, init)) => _ = self.monitor.location(&name, init),
                Next::Event(Observed::End) => {
                    if !self.finish(progress, out)? {
                        break;
                    }
                    self.monitor = monitor(self.arguments, self.model)?;
                    self.lines = Lines::default();
                }
                Next::Silence if self.monitor.is_due(true) => self.monitor.settle(&self.budget.limits()),
                Next::Silence => {}
                Next::End => {
                    self.finish(progress, out)?;
                    break;
                }
            }
            if !self.tell(progress, out)? {
                break;
            }
        }
        if interrupt::requested() {
            return self.interrupted(progress);
        }
        Ok(self.tally())
    }

    /// The answer so far, if so many bytes are too many, which is reported.
    fn out_of_room(&mut self, bytes: usize, progress: &Progress) -> Option<Tally> {
        let most = self.budget.max_memory.filter(|&most| bytes > most)?;
        let limit = Limit::Memory { bytes: most, states: 0 };
        self.remark(progress, &format!("undecided from here on: {limit}"));
        Some(self.tally())
    }

    fn tally(&self) -> Tally {
        Tally { inconsistent: self.violations, undecided: self.unsettled.into(), ..Tally::default() }
    }

    /// The execution has ended; false if that is the end.
    fn finish(&mut self, progress: &Progress, out: &mut Stdout) -> Result<bool, Failure> {
        loop {
            let before = self.violations;
            self.monitor.finish(&self.budget.limits());
            if !self.tell(progress, out)? {
                return Ok(false);
            }
            if self.violations == before {
                self.tell_unsettled(progress);
                return Ok(true);
            }
        }
    }

    fn interrupted(&mut self, progress: &Progress) -> Result<Tally, Failure> {
        self.tell_unsettled(progress);
        Ok(self.tally())
    }

    /// Tells what has been found; false if that is the end.
    fn tell(&mut self, progress: &Progress, out: &mut Stdout) -> Result<bool, Failure> {
        while let Some(violation) = self.monitor.found() {
            let violation = self.monitor.first(violation, &self.budget.limits());
            self.violations += 1;
            let text = self.in_words(&violation);
            progress.aside(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
            if !self.arguments.resume || out.is_closed() {
                return Ok(false);
            }
            self.monitor.resume(&violation);
        }
        Ok(true)
    }

    /// A violation: where, why, and the part of the execution that it rests on.
    fn in_words(&self, violation: &Violation) -> String {
        let (file, at) = (printable(&self.file), self.lines.of(violation.event));
        let (line, below) = monitored(&self.monitor, self.model, violation, &self.budget.limits());
        let below: String = below.iter().map(|line| format!("{line}\n")).collect();
        format!("{file}:{at}: {}: {line}\n{below}", self.word)
    }

    /// Reports what is undecided.
    fn tell_unsettled(&mut self, progress: &Progress) {
        let Unsettled { ambiguous, first_ambiguous, late, events, limit } = self.monitor.unsettled().clone();
        if let Some(first) = first_ambiguous {
            let line = self.lines.of(first);
            self.remark(
                progress,
                &format!(
                    "{} passed over, the first in line {line}: several writes of the value can be read, and `from` does not say which",
                    counted(ambiguous, "read")
                ),
            );
        }
        if late > 0 {
            self.remark(
                progress,
                &format!(
                    "{} passed over: their threads came late, and what they read may have been retired; `threads:` names threads in time",
                    counted(late, "read")
                ),
            );
        }
        if let Some(limit) = limit {
            self.remark(progress, &format!("not settled: {limit}"));
        } else if events > 0 {
            self.remark(
                progress,
                &format!(
                    "the first {events} events are consistent as far as saturation tells, and not settled"
                ),
            );
        }
    }

    fn remark(&mut self, progress: &Progress, what: &str) {
        self.unsettled = true;
        progress.aside(|| complain(&format!("{}: {what}", printable(&self.file))));
    }
}
