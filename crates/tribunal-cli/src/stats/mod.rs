//! `tribunal stats`: what is in a history.

mod memory;
mod object;

use crate::args::{StatsArguments, reading};
use crate::case::Case;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{STRONG, Stdout};
use crate::{input, interrupt};
use std::ffi::OsStr;
use std::io::Write;
use tribunal_formats::{History, Subject};

pub fn run(arguments: &StatsArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let malformed = input::each(&arguments.histories.files, out, |file, out| describe(file, arguments, out))?;
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    if out.is_closed() {
        return Ok(Status::ClosedPipe);
    }
    Ok(if malformed { Status::Malformed } else { Status::Success })
}

fn describe(file: &OsStr, arguments: &StatsArguments, out: &mut Stdout) -> Result<(), Failure> {
    let name = file.to_string_lossy();
    let options = reading(arguments.histories.format, None);
    let histories = input::open(file, options)?.nil_reads(arguments.histories.nil_reads);
    for (history, index) in histories.zip(0..) {
        if interrupt::requested() || out.is_closed() {
            break;
        }
        let History { subject, line, .. } = history?;
        let case = Case { file: &name, index, line, subject: &subject };
        writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
        match &subject {
            Subject::Memory(execution) => memory::print(execution, out)?,
            Subject::Object(object) => object::print(object, out)?,
        }
        out.flush()?;
    }
    Ok(())
}
