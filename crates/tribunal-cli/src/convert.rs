//! `tribunal convert`: the same histories in another format.

mod litmus;

use crate::args::{ConvertArguments, ConvertTo};
use crate::driver::{Driver, Next, case};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain};
use crate::pipeline::Place;
use crate::progress::Progress;
use std::io::Write;
use tribunal_formats::{History, WriteError, Writer, write_subject};

pub fn run(arguments: &ConvertArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let ConvertTo::Format(to) = arguments.to else { return litmus::run(arguments, out) };
    let driver = Driver::new(&arguments.streaming, Progress::none())?;
    let sink = Sink::open(arguments.output.as_deref(), out)?.watched();
    let mut writer = Writer::new(sink, to);
    let mut tally = Tally::default();
    for file in &arguments.files {
        let source = driver.open(file, arguments.format, arguments.nil_reads, None)?;
        let name = source.name.clone();
        let unwritten = |error, line: u64| {
            Failure::writing(error, &format!("{name}:{line}"), arguments.output.as_deref())
        };
        let convert = |history: History, place: Place<()>| -> Result<Converted, Failure> {
            let remarks = case(&name, &history, &place).remarks().collect();
            if place.large {
                return Ok(Converted { remarks, what: What::Large(Box::new(history)) });
            }
            let mut writer = Writer::new(Vec::new(), to);
            write(&mut writer, &history).map_err(|error| unwritten(error, history.line))?;
            let written = writer.finish().map_err(|error| unwritten(error.into(), history.line))?;
            Ok(Converted { remarks, what: What::Written(written) })
        };
        driver.run(source, &mut tally, convert, |next, _| {
            let Next::Done(Converted { remarks, what }) = next else { return Ok(true) };
            remarks.iter().for_each(|line| complain(line));
            match what {
                What::Large(history) => {
                    write(&mut writer, &history).map_err(|error| unwritten(error, history.line))?;
                }
                What::Written(bytes) => {
                    writer.append(&bytes).map_err(|error| unwritten(error.into(), 0))?;
                }
            }
            Ok(!interrupt::requested())
        })?;
        if interrupt::requested() {
            return Ok(tally);
        }
    }
    let unwritten = |source| Failure::output(arguments.output.as_deref(), source);
    let mut sink = writer.finish().map_err(unwritten)?;
    sink.flush().map_err(unwritten)?;
    sink.finish()?;
    Ok(tally)
}

/// A history on its way.
struct Converted {
    remarks: Vec<String>,
    what: What,
}

enum What {
    Written(Vec<u8>),
    /// Too large to be held once more as it is written.
    Large(Box<History>),
}

fn write<W: Write>(writer: &mut Writer<W>, history: &History) -> Result<(), WriteError> {
    write_subject(writer, &history.subject, &history.labels)
}
