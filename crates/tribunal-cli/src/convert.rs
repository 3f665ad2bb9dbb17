//! `tribunal convert`: the same histories in another format.

mod litmus;

use crate::args::{ConvertArguments, ConvertTo};
use crate::case::Case;
use crate::exit::Status;
use crate::failure::{Failure, Malformed};
use crate::interrupt;
use crate::output::{Sink, Stdout, complain};
use crate::pipeline::{self, Each, ReadResult, Source};
use crate::progress::Progress;
use std::io::Write;
use tribunal_formats::{History, WriteError, Writer, write_subject};

pub fn run(arguments: &ConvertArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let ConvertTo::Format(to) = arguments.to else { return litmus::run(arguments, out) };
    let workers = arguments.streaming.workers()?;
    let sink = Sink::open(arguments.output.as_deref(), out)?.watched();
    let mut writer = Writer::new(sink, to);
    let mut malformed = Malformed::new(&arguments.streaming);
    for file in &arguments.files {
        let name = file.to_string_lossy();
        let source = Source::open(
            file,
            arguments.format,
            arguments.nil_reads,
            None,
            &arguments.streaming,
            &Progress::none(),
        )?;
        let unwritten = |error, line: u64| {
            Failure::writing(error, &format!("{name}:{line}"), arguments.output.as_deref())
        };
        let convert = |history: ReadResult, _, large: bool| -> Result<Converted, Failure> {
            let history = history?;
            let case = Case { file: &name, index: 0, line: history.line, subject: &history.subject };
            let remarks = case.remarks().collect();
            if large {
                return Ok(Converted { remarks, what: What::Large(Box::new(history)) });
            }
            let mut writer = Writer::new(Vec::new(), to);
            write(&mut writer, &history).map_err(|error| unwritten(error, history.line))?;
            let written = writer.finish().map_err(|error| unwritten(error.into(), history.line))?;
            Ok(Converted { remarks, what: What::Written(written) })
        };
        let take = |converted: Result<Converted, Failure>| {
            let Some(Converted { remarks, what }) = malformed.unless(converted)? else { return Ok(true) };
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
        };
        pipeline::run(source, workers, &Each(convert), &mut 0, take, || Ok(()))?;
        if interrupt::requested() {
            return Ok(Status::Interrupted);
        }
    }
    let unwritten = |source| Failure::output(arguments.output.as_deref(), source);
    let mut sink = writer.finish().map_err(unwritten)?;
    sink.flush().map_err(unwritten)?;
    sink.finish()?;
    Ok(malformed.status(Status::Success))
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
