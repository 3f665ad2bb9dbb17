//! `tribunal races`: the data races of histories.

use crate::args::{RacesArguments, RacesStyle};
use crate::case::{Case, failure};
use crate::exit::Status;
use crate::failure::{Failure, Malformed};
use crate::output::{BAD, DOUBT, GOOD, Page, Stdout};
use crate::pipeline::{self, Each, ReadResult, Source};
use crate::progress::Progress;
use crate::{input, interrupt};
use serde_json::json;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::Write;
use std::ops::ControlFlow;
use std::time::Instant;
use tribunal_engines::memory::races::{Listing, RacesError, each_race};
use tribunal_formats::certificate::{race_to_json, violation_to_json, witness_to_json};
use tribunal_formats::{History, Subject};
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Limit, Race, Unsupported, Violation, Witness};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_host::Memory;
use tribunal_report::memory::show_race;
use tribunal_report::{Line, SCHEMA};

pub fn run(arguments: &RacesArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let workers = arguments.streaming.workers()?;
    let mut passed_over = Malformed::new(&arguments.streaming);
    let mut tally = Tally::default();
    let list =
        |file: &OsStr, out: &mut Stdout| list(file, arguments, workers, &mut passed_over, &mut tally, out);
    let malformed = input::each(&arguments.histories.files, out, list)?;
    out.finish()?;
    if interrupt::requested() {
        return Ok(Status::Interrupted);
    }
    Ok(passed_over.status(if malformed {
        Status::Malformed
    } else if tally.racy > 0 {
        Status::Inconsistent
    } else if out.is_closed() {
        Status::ClosedPipe
    } else if tally.undecided > 0 {
        Status::Undecided
    } else {
        Status::Success
    }))
}

#[derive(Default)]
struct Tally {
    /// Histories with races, or that are no executions of the model.
    racy: u64,
    undecided: u64,
}

/// Lists the races of the histories of a file.
fn list(
    file: &OsStr,
    arguments: &RacesArguments,
    workers: usize,
    passed_over: &mut Malformed,
    tally: &mut Tally,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let name = file.to_string_lossy();
    let RacesArguments { histories, streaming, budget, .. } = arguments;
    let (progress, memory, color) = (Progress::new(), Memory::default(), out.color());
    let source =
        Source::open(file, histories.format, histories.nil_reads, budget.max_memory, streaming, &progress)?;
    let find = |history: ReadResult, index: u64, large: bool| -> Result<(Page, Found), Failure> {
        let History { subject, line, .. } = history?;
        let case = Case { file: &name, index, line, subject: &subject };
        let Subject::Memory(execution) = &subject else {
            return Err(failure(&case, "races are of memories, and the history is of an object"));
        };
        let begin = Instant::now();
        let found = memory.answer(
            large,
            || budget.limits(),
            |limits| Found::of(execution, arguments, limits),
            |found| matches!(found, Ok(Found { end: End::Undecided(Limit::Memory { .. }), .. })),
        );
        let found = found.map_err(|why| failure(&case, format_args!("{}: {why}", arguments.model)))?;
        let mut page = Page::new(color);
        let micros = begin.elapsed().as_micros() as u64;
        match arguments.style {
            RacesStyle::Human => found.lines(&case, execution, arguments, &mut page)?,
            RacesStyle::Json => found.json(&case, execution, arguments, micros, &mut page)?,
            RacesStyle::Brief => writeln!(page, "{}", found.word())?,
        }
        page.asides.extend(case.warning_line());
        Ok((page, found))
    };
    let out = RefCell::new(out);
    let take = |found: Result<(Page, Found), Failure>| {
        let mut out = out.borrow_mut();
        if out.is_closed() || interrupt::requested() {
            return Ok(false);
        }
        let Some((page, found)) = progress.aside(|| passed_over.unless(found))? else {
            if arguments.style == RacesStyle::Brief {
                writeln!(out, "ERROR")?;
            }
            return Ok(true);
        };
        tally.racy += u64::from(found.count > 0 || matches!(found.end, End::NoExecution(_)));
        tally.undecided += u64::from(matches!(found.end, End::Undecided(_)));
        progress.aside(|| out.print(&page))?;
        if arguments.style == RacesStyle::Brief {
            out.flush()?;
        }
        Ok(true)
    };
    let listed = pipeline::run(source, workers, &Each(find), &mut 0, take, || out.borrow_mut().flush());
    progress.end();
    listed
}

/// The races of a history.
struct Found {
    count: u64,
    /// The races, unless only a word is wanted.
    races: Vec<Race>,
    /// What chose the sources, where some were open.
    chosen: Option<Witness>,
    end: End,
}

/// How the listing ended.
enum End {
    /// There are no more.
    All,
    /// The model forbids the history.
    NoExecution(Violation),
    Undecided(Limit),
}

impl Found {
    fn of(x: &Execution, arguments: &RacesArguments, limits: &Limits<'_>) -> Result<Self, Unsupported> {
        let mut found = Found { count: 0, races: Vec::new(), chosen: None, end: End::All };
        if !x.is_open() {
            found.list(x, arguments, limits)?;
        } else if let Some(witness) = found.judge(x, arguments.model, limits)? {
            found.list(&x.choosing(witness.sources()), arguments, limits)?;
            found.chosen = Some(witness);
        }
        Ok(found)
    }

    /// The witness of a history, unless it has none: then that is the end.
    fn judge(
        &mut self,
        x: &Execution,
        model: Model,
        limits: &Limits<'_>,
    ) -> Result<Option<Witness>, Unsupported> {
        self.end = match tribunal_engines::memory::judge(x, model, limits).0 {
            Verdict::Consistent(witness) => return Ok(Some(witness)),
            Verdict::Inconsistent(violation) => End::NoExecution(violation),
            Verdict::Undecided(limit) => End::Undecided(limit),
            Verdict::Unsupported(why) => return Err(why),
        };
        Ok(None)
    }

    fn list(
        &mut self,
        x: &Execution,
        arguments: &RacesArguments,
        limits: &Limits<'_>,
    ) -> Result<(), Unsupported> {
        /// What a race takes, with what is printed of it.
        const PRINTED: usize = 512;
        let model = arguments.model;
        let listing = if arguments.all { Listing::All } else { Listing::OnePerPlaces };
        let room = limits.max_memory / PRINTED;
        let listed = each_race(x, model, listing, limits, |race| {
            self.count += 1;
            match arguments.style {
                RacesStyle::Brief => return ControlFlow::Break(()),
                RacesStyle::Human | RacesStyle::Json if self.races.len() < room => self.races.push(race),
                RacesStyle::Human | RacesStyle::Json => {
                    self.end = End::Undecided(Limit::Memory { bytes: limits.max_memory, states: 0 });
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        match listed {
            Ok(()) => {}
            Err(RacesError::Limit(limit)) => self.end = End::Undecided(limit),
            // po ∪ rf is cyclic, which the model forbids.
            Err(_) => _ = self.judge(x, model, limits)?,
        }
        Ok(())
    }

    /// As test benches want it: whether there is none.
    fn word(&self) -> &'static str {
        match self.end {
            End::NoExecution(_) => "NO",
            _ if self.count > 0 => "NO",
            End::Undecided(_) => "??",
            End::All => "OK",
        }
    }

    fn lines(
        &self,
        case: &Case<'_>,
        x: &Execution,
        arguments: &RacesArguments,
        page: &mut Page,
    ) -> std::io::Result<()> {
        let model = arguments.model;
        let (style, text) = match (&self.end, self.count) {
            (End::NoExecution(_), _) => (BAD, "inconsistent"),
            (End::Undecided(_), 0) => (DOUBT, "undecided"),
            (_, 0) => (GOOD, "no race"),
            (_, 1) => (BAD, "1 race"),
            (_, _) => (BAD, "races"),
        };
        let count = if self.count > 1 { format!("{} ", self.count) } else { String::new() };
        let more = match &self.end {
            End::All => String::new(),
            End::NoExecution(Violation { axiom, .. }) => format!(", breaks {axiom}, {}", axiom.formula()),
            End::Undecided(limit) if self.count == 0 => format!(": {limit}"),
            End::Undecided(limit) => format!(", perhaps more: {limit}"),
        };
        writeln!(page, "{case}: {model}: {}{more}", page.paint(style, &format!("{count}{text}")))?;
        for race in &self.races {
            for line in show_race(x, race).iter().map(Line::indented) {
                writeln!(page, "  {line}")?;
            }
        }
        Ok(())
    }

    fn json(
        &self,
        case: &Case<'_>,
        x: &Execution,
        arguments: &RacesArguments,
        micros: u64,
        page: &mut Page,
    ) -> std::io::Result<()> {
        let model = arguments.model;
        let verdict = match &self.end {
            End::NoExecution(_) => "inconsistent",
            End::Undecided(_) if self.count == 0 => "undecided",
            _ if self.count > 0 => "racy",
            _ => "race-free",
        };
        write!(
            page,
            r#"{{"schema":{SCHEMA},"file":{},"index":{},"name":{},"model":"{model}","verdict":"{verdict}","events":{},"micros":{micros}"#,
            json!(case.file),
            case.index,
            json!(case.name()),
            case.events(),
        )?;
        match &self.end {
            End::NoExecution(violation) => {
                write!(page, r#","violation":{}"#, violation_to_json(x, violation))?;
            }
            End::Undecided(limit) => write!(page, r#","reason":{}"#, json!(limit.to_string()))?,
            End::All => {}
        }
        if let Some(witness) = &self.chosen {
            write!(page, r#","witness":{}"#, witness_to_json(x, witness))?;
        }
        if self.count > 0 {
            write!(page, r#","races":["#)?;
            for (i, race) in self.races.iter().enumerate() {
                write!(page, "{}{}", if i > 0 { "," } else { "" }, race_to_json(x, race))?;
            }
            write!(page, "]")?;
        }
        writeln!(page, "}}")
    }
}
