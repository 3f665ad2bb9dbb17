//! `tribunal convert --to litmus`: histories as litmus tests, each a file of its own.

use crate::args::ConvertArguments;
use crate::driver::{Driver, Next, case};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout};
use crate::pipeline::Place;
use crate::progress::Progress;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use tribunal_formats::{History, Subject};
use tribunal_litmus::history;

pub fn run(arguments: &ConvertArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let driver = Driver::new(&arguments.streaming, Progress::none())?;
    let (mut tally, mut places) = (Tally::default(), Places::new(arguments.output.as_deref()));
    for file in &arguments.files {
        let source = driver.open(file, arguments.format, arguments.nil_reads, None)?;
        let name = source.name.clone();
        let convert = |history: History, place: Place<()>| -> Result<Test, Failure> {
            let case = case(&name, &history, &place);
            let Subject::Memory(execution) = case.subject else {
                return Err(Failure::of(&case, "a litmus test is of a memory, not of an object"));
            };
            let text =
                history::write(execution, arguments.arch).map_err(|error| Failure::of(&case, error))?;
            Ok(Test { name: execution.name().unwrap_or("history").to_string(), text })
        };
        driver.run(source, &mut tally, convert, |next, _| {
            let Next::Done(test) = next else { return Ok(true) };
            let place = places.next(&test.name)?;
            let mut sink = Sink::open(place.as_deref(), out)?;
            let unwritten = |source| Failure::output(place.as_deref(), source);
            sink.write_all(test.text.as_bytes()).and_then(|()| sink.flush()).map_err(unwritten)?;
            sink.finish()?;
            Ok(!interrupt::requested())
        })?;
        if interrupt::requested() {
            break;
        }
    }
    Ok(tally)
}

struct Test {
    name: String,
    text: String,
}

/// The place where tests go: one to the output, or each to a file of its name in a directory.
struct Places<'a> {
    output: Option<&'a Path>,
    directory: bool,
    written: u64,
    /// The number of times that a name was there.
    names: HashMap<String, u32>,
}

impl<'a> Places<'a> {
    fn new(output: Option<&'a Path>) -> Self {
        let directory = output.is_some_and(Path::is_dir);
        Places { output, directory, written: 0, names: HashMap::new() }
    }

    fn next(&mut self, name: &str) -> Result<Option<PathBuf>, Failure> {
        self.written += 1;
        let Some(output) = self.output.filter(|_| self.directory) else {
            if self.written > 1 {
                let advice = "a litmus file is one test: with -o DIRECTORY each history becomes a file in it";
                return Err(Failure::Usage(advice.into()));
            }
            return Ok(self.output.map(Path::to_path_buf));
        };
        let word: String =
            name.chars().map(|c| if c.is_alphanumeric() || "+-._".contains(c) { c } else { '_' }).collect();
        let count = self.names.entry(word.clone()).or_default();
        *count += 1;
        let file = if *count == 1 { format!("{word}.litmus") } else { format!("{word}~{count}.litmus") };
        Ok(Some(output.join(file)))
    }
}
