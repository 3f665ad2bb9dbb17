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
    for (history, index) in input::open(file, reading(arguments.histories.format, None))?.zip(0..) {
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
