//! `tribunal shrink`: a smallest part of an inconsistent history that is still inconsistent.

use crate::args::{Judging, ShrinkArguments};
use crate::case::{Case, failure, specifications, unfit};
use crate::exit::Status;
use crate::failure::{Failure, Malformed};
use crate::interrupt;
use crate::output::{Sink, Stdout, complain, spare_inputs};
use crate::pipeline::{self, Each, ReadResult, Source};
use crate::progress::Progress;
use tribunal_formats::{Format, History, Labels, NilReads, Writer, write_subject};
use tribunal_host::Memory;
use tribunal_report::{Part, read_as, usual_question};

pub fn run(arguments: &ShrinkArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let workers = arguments.streaming.workers()?;
    let specifications = specifications(arguments.judging.spec.as_deref())?;
    let name = arguments.judging.name();
    let (progress, memory) = (Progress::new(), Memory::default());
    let Judging { format, nil_reads, budget, file, .. } = &arguments.judging;
    let source = Source::open(file, *format, *nil_reads, budget.max_memory, &arguments.streaming, &progress)?;
    let spec = arguments.judging.spec.as_deref();
    let source = source.read_as(read_as(arguments.model.as_slice(), spec));
    let to = self::format(arguments, source.format());
    if let Some(output) = &arguments.output {
        spare_inputs(output, &[file])?;
    }
    let mut writer = Writer::new(Sink::open(arguments.output.as_deref(), out)?, to);
    let mut malformed = Malformed::new(&arguments.streaming);
    let (mut shrunk, mut undecided) = (0u64, 0u64);
    let shrink = |history: ReadResult, index: u64, large: bool| -> Result<Shrinking, Failure> {
        let History { subject, line, .. } = history?;
        let case = Case { file: &name, index, line, subject: &subject };
        let question = arguments.model.clone().unwrap_or_else(|| usual_question(&subject));
        let checkable = specifications.checkable(&subject, &name).map_err(|why| unfit(&case, why))?;
        let part = memory.answer(
            large,
            || budget.limits(),
            |limits| {
                let tick = |left: usize| progress.shrinking(index, left);
                tribunal_report::shrink(&checkable, &subject, &question, limits, tick)
            },
            Part::lacks_memory,
        );
        let mut said: Vec<String> = case.remarks().collect();
        let mut say = |what: &str| said.push(format!("{case}: {question}: {what}"));
        let outcome = match part {
            Part::Unsupported(why) => return Err(failure(&case, format_args!("{question}: {why}"))),
            Part::Consistent => {
                say("consistent, nothing to shrink");
                Outcome::Consistent
            }
            Part::Undecided(limit) => {
                say(&format!("undecided: {limit}"));
                Outcome::Undecided
            }
            Part::Left { part, limit } => {
                let left = Case { subject: &part, ..case }.events();
                let perhaps =
                    limit.map_or(String::new(), |limit| format!(", perhaps not the fewest: {limit}"));
                say(&format!("inconsistent, {left} of {} left{perhaps}", case.events()));
                let mut writer = Writer::new(Vec::new(), to);
                let written = write_subject(&mut writer, &part, &Labels::default());
                let written = written.and_then(|()| Ok(writer.finish()?));
                let history = format!("{name}:{line}");
                Outcome::Shrunk(
                    written
                        .map_err(|error| Failure::writing(error, &history, arguments.output.as_deref()))?,
                )
            }
        };
        Ok(Shrinking { said, outcome })
    };
    let unwritten = |source| Failure::output(arguments.output.as_deref(), source);
    let take = |shrinking: Result<Shrinking, Failure>| {
        if interrupt::requested() {
            return Ok(false);
        }
        let shrinking = progress.aside(|| malformed.unless(shrinking))?;
        let Some(Shrinking { said, outcome }) = shrinking else { return Ok(true) };
        progress.aside(|| said.iter().for_each(|line| complain(line)));
        match outcome {
            Outcome::Consistent => {}
            Outcome::Undecided => undecided += 1,
            Outcome::Shrunk(part) => {
                shrunk += 1;
                writer.append(&part).map_err(unwritten)?;
            }
        }
        Ok(true)
    };
    pipeline::run(source, workers, &Each(shrink), &mut 0, take, || Ok(()))?;
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    match &arguments.output {
        // An empty file would take the place of one that may be the input.
        Some(output) if shrunk == 0 => {
            complain(&format!("nothing to write: {} is not changed", output.display()));
        }
        _ => writer.finish().map_err(unwritten)?.finish()?,
    }
    Ok(malformed.status(match (shrunk, undecided) {
        (1.., _) => Status::Inconsistent,
        (0, 1..) => Status::Undecided,
        (0, 0) => Status::Success,
    }))
}

/// The result for a history.
struct Shrinking {
    /// Lines for standard error.
    said: Vec<String>,
    outcome: Outcome,
}

enum Outcome {
    Consistent,
    Undecided,
    /// What is left, as it is written.
    Shrunk(Vec<u8>),
}

/// The format to write: as asked, as the output's name says, or that of the input if it can be written.
fn format(arguments: &ShrinkArguments, input: Format) -> Format {
    let named = || arguments.output.as_deref().and_then(Format::of_path);
    // EDN has no way to say that a read of nil counts.
    let kept = arguments.judging.nil_reads == NilReads::Keep;
    let same = if input == Format::Jepsen || kept && input == Format::Edn { Format::Json } else { input };
    arguments.to.or_else(named).unwrap_or(same)
}
