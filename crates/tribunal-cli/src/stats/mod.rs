//! `tribunal stats`: what is in a history.

mod memory;
mod object;
mod transactions;

use crate::args::StatsArguments;
use crate::driver::{Driver, Next, case, each_file};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{Page, STRONG, Stdout};
use crate::pipeline::Place;
use crate::progress::Progress;
use std::io::{self, Write};
use tribunal_formats::{History, Notes, Subject};
use tribunal_report::{counted, printable};

pub fn run(arguments: &StatsArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let StatsArguments { histories, streaming } = arguments;
    let driver = Driver::new(streaming, Progress::new())?;
    let (mut tally, color) = (Tally::default(), out.color());
    each_file(&histories.files, &driver.progress, &mut tally, out, |file, tally, out| {
        let source = driver.open(file, histories.format, histories.nil_reads, None)?;
        let name = source.name.clone();
        let describe = |history: History, place: Place<()>| -> Result<Page, Failure> {
            let mut page = Page::new(color);
            writeln!(page, "{}", page.paint(STRONG, &case(&name, &history, &place).to_string()))?;
            match &history.subject {
                Subject::Memory(execution) => memory::print(execution, &mut page)?,
                Subject::Object(object) => object::print(object, &mut page)?,
                Subject::Transactions(transactions) => transactions::print(transactions, &mut page)?,
            }
            Ok(page)
        };
        driver.run(source, tally, describe, |next, tally| {
            match next {
                Next::Nothing => out.flush()?,
                _ if out.is_closed() => {
                    tally.cut_short = true;
                    return Ok(false);
                }
                Next::Skipped => {}
                Next::Done(page) => out.print(&page)?,
            }
            Ok(true)
        })
    })?;
    Ok(tally)
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

/// The least and the greatest number of something in each.
fn spread(sizes: impl Iterator<Item = usize> + Clone, one: &str) -> String {
    match (sizes.clone().min(), sizes.max()) {
        (Some(least), Some(most)) if least == most => format!(", {} each", counted(most as u64, one)),
        (Some(least), Some(most)) => format!(", {least} to {most} {one}s each"),
        _ => String::new(),
    }
}
