//! `tribunal shrink`: a smallest part of an inconsistent history that is still inconsistent.

use crate::args::{Judging, ShrinkArguments};
use crate::driver::{Driver, Next, case, specifications};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain, spare_inputs};
use crate::pipeline::Place;
use crate::progress::Progress;
use tribunal_formats::{Format, History, Labels, NilReads, Writer, write_subject};
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_host::Memory;
use tribunal_report::{Case, Part, read_as, usual_question};

pub fn run(arguments: &ShrinkArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let driver = Driver::new(&arguments.streaming, Progress::new())?;
    let Judging { spec, format, nil_reads, budget, file } = &arguments.judging;
    let specifications = specifications(spec.as_deref())?;
    let source = driver.open(file, *format, *nil_reads, budget.max_memory)?;
    let source = source.read_as(read_as(arguments.model.as_slice(), spec.as_deref()));
    let name = source.name.clone();
    let to = self::format(arguments, source.format());
    if let Some(output) = &arguments.output {
        spare_inputs(output, &[file])?;
    }
    let mut writer = Writer::new(Sink::open(arguments.output.as_deref(), out)?, to);
    let (mut tally, memory) = (Tally::default(), Memory::default());
    let shrink = |history: History, place: Place<()>| -> Result<Shrinking, Failure> {
        let case = case(&name, &history, &place);
        let question = arguments.model.clone().unwrap_or_else(|| usual_question(case.subject));
        let checkable = specifications.checkable(case.subject, &name);
        let checkable = checkable.map_err(|why| Failure::unfit(&case, why))?;
        let part = memory.answer(
            place.large,
            || budget.limits(),
            |limits| {
                let tick = |left: usize| driver.progress.shrinking(place.index, left);
                tribunal_report::shrink(&checkable, case.subject, &question, limits, tick)
            },
            Part::lacks_memory,
        );
        let (what, verdict, left) = match part {
            Part::Unsupported(why) => return Err(Failure::of(&case, format_args!("{question}: {why}"))),
            Part::Consistent => ("consistent, nothing to shrink".into(), Verdict::Consistent(()), None),
            Part::Undecided(limit) => (format!("undecided: {limit}"), Verdict::Undecided(limit), None),
            Part::Left { part, limit } => {
                let left = Case { subject: &part, ..case }.events();
                let perhaps =
                    limit.map_or(String::new(), |limit| format!(", perhaps not the fewest: {limit}"));
                let mut writer = Writer::new(Vec::new(), to);
                let written = write_subject(&mut writer, &part, &Labels::default());
                let written = written.and_then(|()| Ok(writer.finish()?));
                let place = format!("{name}:{}", case.line);
                let unwritten = |error| Failure::writing(error, &place, arguments.output.as_deref());
                let what = format!("inconsistent, {left} of {} left{perhaps}", case.events());
                (what, Verdict::Inconsistent(()), Some(written.map_err(unwritten)?))
            }
        };
        let said = case.remarks().chain([format!("{case}: {question}: {what}")]).collect();
        Ok(Shrinking { said, verdict, left })
    };
    let unwritten = |source| Failure::output(arguments.output.as_deref(), source);
    driver.run(source, &mut tally, shrink, |next, tally| {
        if interrupt::requested() {
            return Ok(false);
        }
        if let Next::Done(Shrinking { said, verdict, left }) = next {
            said.iter().for_each(|line| complain(line));
            tally.count(verdict);
            left.map_or(Ok(()), |left| writer.append(&left)).map_err(unwritten)?;
        }
        Ok(true)
    })?;
    match &arguments.output {
        _ if interrupt::requested() => {}
        // An empty file would take the place of one that may be the input.
        Some(output) if tally.inconsistent == 0 => {
            complain(&format!("nothing to write: {} is not changed", output.display()));
        }
        _ => writer.finish().map_err(unwritten)?.finish()?,
    }
    Ok(tally)
}

/// The fate of a history.
struct Shrinking {
    /// Lines for standard error.
    said: Vec<String>,
    verdict: Bare,
    /// The rest of it, as it is written.
    left: Option<Vec<u8>>,
}

/// The format to write: as asked, as the output's name says, or that of the input if it can be written.
fn format(arguments: &ShrinkArguments, input: Format) -> Format {
    let named = || arguments.output.as_deref().and_then(Format::of_path);
    // EDN has no way to say that a read of nil counts.
    let kept = arguments.judging.nil_reads == NilReads::Keep;
    let same = if input == Format::Jepsen || kept && input == Format::Edn { Format::Json } else { input };
    arguments.to.or_else(named).unwrap_or(same)
}
