//! `tribunal convert`: the same histories in another format, one at a time.

use crate::args::{ConvertArguments, reading};
use crate::case::Case;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{Sink, Stdout};
use crate::{input, interrupt};
use tribunal_formats::{Subject, Writer, write_history, write_object};

pub fn run(arguments: &ConvertArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let sink = Sink::open(arguments.output.as_deref(), out)?;
    let mut writer = Writer::new(sink, arguments.to);
    for file in &arguments.files {
        let name = file.to_string_lossy();
        for history in input::open(file, reading(arguments.from, None))?.nil_reads(arguments.nil_reads) {
            if interrupt::requested() {
                return Ok(Status::Interrupted);
            }
            let history = history?;
            Case { file: &name, index: 0, line: history.line, subject: &history.subject }.remark();
            let written = match &history.subject {
                Subject::Memory(execution) => write_history(&mut writer, execution, &history.labels),
                Subject::Object(object) => write_object(&mut writer, object, &history.labels),
            };
            written.map_err(|error| {
                Failure::writing(error, &format!("{name}:{}", history.line), arguments.output.as_deref())
            })?;
        }
    }
    let unwritten = |source| Failure::output(arguments.output.as_deref(), source);
    writer.finish().map_err(unwritten)?.finish()?;
    Ok(Status::Success)
}
