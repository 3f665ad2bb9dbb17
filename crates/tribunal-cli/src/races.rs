//! `tribunal races`: the data races of histories.

use crate::args::{RacesArguments, RacesStyle};
use crate::driver::{Driver, Next, case, each_file};
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, MALFORMED, Page, Stdout, indented, word};
use crate::pipeline::Place;
use crate::progress::Progress;
use serde_json::json;
use std::io::Write;
use std::ops::ControlFlow;
use std::time::Instant;
use tribunal_engines::memory::races::{Listing, RacesError, each_race};
use tribunal_formats::certificate::{race_to_json, violation_to_json, witness_to_json};
use tribunal_formats::{History, Subject};
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_history::verdict::{Limit, Race, Unsupported, Violation, Witness};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_host::Memory;
use tribunal_report::memory::show_race;
use tribunal_report::{Case, Line, counted, line_head};

pub fn run(arguments: &RacesArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let driver = Driver::new(&arguments.streaming, Progress::new())?;
    let mut tally = Tally::default();
    let RacesArguments { histories, budget, .. } = arguments;
    let (memory, color) = (Memory::default(), out.color());
    each_file(&histories.files, &driver.progress, &mut tally, out, |file, tally, out| {
        let source = driver.open(file, histories.format, histories.nil_reads, budget.max_memory)?;
        let name = source.name.clone();
        let find = |history: History, place: Place<()>| -> Result<(Page, Found), Failure> {
            let case = case(&name, &history, &place);
            let Subject::Memory(execution) = case.subject else {
                return Err(Failure::of(&case, "races are of memories, and the history is of an object"));
            };
            let begin = Instant::now();
            let found = memory.answer(
                place.large,
                || budget.limits(),
                |limits| Found::of(execution, arguments, limits),
                |found| matches!(found, Ok(Found { end: End::Undecided(Limit::Memory { .. }), .. })),
            );
            let found =
                found.map_err(|why| Failure::of(&case, format_args!("{}: {why}", arguments.model)))?;
            let mut page = Page::new(color);
            let micros = begin.elapsed().as_micros() as u64;
            match arguments.style {
                RacesStyle::Human => found.lines(&case, execution, arguments, &mut page)?,
                RacesStyle::Json => found.json(&case, execution, arguments, micros, &mut page)?,
                RacesStyle::Brief => writeln!(page, "{}", word(found.verdict()))?,
            }
            page.asides.extend(case.warning_line());
            Ok((page, found))
        };
        driver.run(source, tally, find, |next, tally| {
            match next {
                Next::Nothing => out.flush()?,
                _ if out.is_closed() || interrupt::requested() => return Ok(false),
                Next::Skipped if arguments.style == RacesStyle::Brief => writeln!(out, "{MALFORMED}")?,
                Next::Skipped => {}
                Next::Done((page, found)) => {
                    tally.count(found.verdict());
                    out.print(&page)?;
                    if arguments.style == RacesStyle::Brief {
                        out.flush()?;
                    }
                }
            }
            Ok(true)
        })
    })?;
    tally.read_out(out)
}

/// The races of a history.
struct Found {
    count: u64,
    /// The races, unless only a word is wanted.
    races: Vec<Race>,
    /// The witness that chose the sources, where some were open.
    chosen: Option<Witness>,
    end: End,
}

/// The end of the listing.
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
        /// The memory that a race takes, with what is printed of it.
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

    /// Whether there is none: a yes or a no, as of a model.
    fn verdict(&self) -> Bare {
        match self.end {
            End::NoExecution(_) => Verdict::Inconsistent(()),
            _ if self.count > 0 => Verdict::Inconsistent(()),
            End::Undecided(limit) => Verdict::Undecided(limit),
            End::All => Verdict::Consistent(()),
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
        let said = match (&self.end, self.count) {
            (End::NoExecution(_), _) => "inconsistent".into(),
            (End::Undecided(_), 0) => "undecided".into(),
            (_, 0) => "no race".into(),
            (_, count) => counted(count, "race"),
        };
        let more = match &self.end {
            End::All => String::new(),
            End::NoExecution(Violation { axiom, .. }) => format!(", breaks {axiom}, {}", axiom.formula()),
            End::Undecided(limit) if self.count == 0 => format!(": {limit}"),
            End::Undecided(limit) => format!(", perhaps more: {limit}"),
        };
        writeln!(page, "{case}: {model}: {}{more}", page.paint(output::style(self.verdict()), &said))?;
        for race in &self.races {
            indented(show_race(x, race).iter().map(Line::indented), page)?;
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
        let verdict = match &self.end {
            End::NoExecution(_) => "inconsistent",
            End::Undecided(_) if self.count == 0 => "undecided",
            _ if self.count > 0 => "racy",
            _ => "race-free",
        };
        let head = line_head(case, &arguments.model.to_string(), verdict);
        write!(page, r#"{head},"events":{},"micros":{micros}"#, case.events())?;
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
