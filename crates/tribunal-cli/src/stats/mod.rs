//! `tribunal stats`: what is in a history.

mod memory;
mod object;
mod transactions;

use crate::args::StatsArguments;
use crate::exit::Status;
use crate::failure::{Failure, Malformed};
use crate::output::{Page, STRONG, Stdout};
use crate::pipeline::{self, Each, ReadResult, Source};
use crate::progress::Progress;
use crate::{input, interrupt};
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{self, Write};
use tribunal_formats::{History, Notes, Subject};
use tribunal_report::{Case, counted, printable};

pub fn run(arguments: &StatsArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let workers = arguments.streaming.workers()?;
    let mut passed_over = Malformed::new(&arguments.streaming);
    let describe = |file: &OsStr, out: &mut Stdout| describe(file, arguments, workers, &mut passed_over, out);
    let malformed = input::each(&arguments.histories.files, out, describe)?;
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    if out.is_closed() {
        return Ok(Status::ClosedPipe);
    }
    Ok(passed_over.status(if malformed { Status::Malformed } else { Status::Success }))
}

/// What is in the input beside the history, if anything is: counts, the errors of clients, and what others did, such as the nemesis.
fn notes(notes: &Notes, head: &str, out: &mut Page) -> io::Result<()> {
    /// So many events and errors are listed.
    const MOST: usize = 50;
    let errors = notes.errors.iter().take(MOST).map(|(error, count)| format!("error {error}: {count}"));
    let events = notes.others.iter().take(MOST).map(|event| match event.time {
        Some(time) => format!("line {}, time {time}: {event}", event.line),
        None => format!("line {}: {event}", event.line),
    });
    let more =
        |all: usize, what: &str| all.checked_sub(MOST + 1).map(|more| format!("{} more {what}", more + 1));
    let lines = notes.left_out().into_iter().chain(errors).chain(more(notes.errors.len(), "errors"));
    let mut head = head.to_string();
    for line in lines.chain(events).chain(more(notes.others.len(), "events")) {
        writeln!(out, "{head}{}", printable(&line))?;
        head = " ".repeat(head.len());
    }
    Ok(())
}

fn describe(
    file: &OsStr,
    arguments: &StatsArguments,
    workers: usize,
    passed_over: &mut Malformed,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let name = file.to_string_lossy();
    let StatsArguments { histories, streaming } = arguments;
    let progress = Progress::new();
    let source = Source::open(file, histories.format, histories.nil_reads, None, streaming, &progress)?;
    let color = out.color();
    let describe = |history: ReadResult, index: u64, _| -> Result<Page, Failure> {
        let History { subject, line, .. } = history?;
        let case = Case { file: &name, index, line, subject: &subject };
        let mut page = Page::new(color);
        writeln!(page, "{}", page.paint(STRONG, &case.to_string()))?;
        match &subject {
            Subject::Memory(execution) => memory::print(execution, &mut page)?,
            Subject::Object(object) => object::print(object, &mut page)?,
            Subject::Transactions(transactions) => transactions::print(transactions, &mut page)?,
        }
        Ok(page)
    };
    let out = RefCell::new(out);
    let take = |page: Result<Page, Failure>| {
        let mut out = out.borrow_mut();
        if out.is_closed() {
            return Ok(false);
        }
        if let Some(page) = passed_over.unless(page)? {
            progress.aside(|| out.print(&page))?;
        }
        Ok(true)
    };
    pipeline::run(source, workers, &Each(describe), &mut 0, take, || out.borrow_mut().flush())
}

/// How many of something there are in each, at least and at most.
fn spread(sizes: impl Iterator<Item = usize> + Clone, one: &str) -> String {
    match (sizes.clone().min(), sizes.max()) {
        (Some(least), Some(most)) if least == most => format!(", {} each", counted(most as u64, one)),
        (Some(least), Some(most)) => format!(", {least} to {most} {one}s each"),
        _ => String::new(),
    }
}
