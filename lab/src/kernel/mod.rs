//! `cargo lab kernel`: how many pairs of writes every sc order agrees on, and how many of them the saturations find.

mod pairs;

pub use pairs::{Kernel, kernel};

use crate::failure::{Failure, Status};
use crate::interrupt;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use tribunal_formats::{Format, History, Input, Subject, open};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::Limit;
use tribunal_host::reading;
use tribunal_report::{Case, SCHEMA};

const KERNEL_HELP: &str = "\
Examples:
  cargo lab kernel a.jsonl
  tribunal generate machine --histories 100 --events 200 | cargo lab kernel -

A pair is two writes to one location; initial writes are not counted. The SC-kernel is the set of pairs that every sc \
order of the writes has the same way round. For each of ccv, ccm and wsc, the table gives the pairs it orders and \
their share of the kernel. A history that is inconsistent with sc has no kernel.

Orders are held as tables of events by events, so this is for histories of a few thousand events. A history that \
takes more than --max-memory is undecided.

Exit status: 0 done, 2 bad usage or malformed input, 3 some undecided, 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = KERNEL_HELP)]
pub struct KernelArguments {
    /// How to print kernels
    #[arg(long, value_name = "STYLE", default_value = "human")]
    style: Style,
    /// Give up on a history after this time: it is undecided
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Give up on a history after this many search states: it is undecided
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states)]
    max_states: u64,
    /// Give up on a history that takes more memory than this: bytes, or with k, M or G
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = size)]
    max_memory: usize,
    /// The format of the files, if it should not be recognized
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
    /// Files of histories; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
}

/// How kernels are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// For people
    Human,
    /// For programs: one JSON object a line
    Json,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds, such as 10 or 0.5".into())
}

fn size(text: &str) -> Result<usize, String> {
    let units = [('k', 10), ('K', 10), ('M', 20), ('G', 30)];
    let unit = units.into_iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (digits, bits) = unit.unwrap_or((text, 0));
    let bytes = digits.parse().ok().and_then(|number: usize| number.checked_mul(1 << bits));
    bytes.ok_or_else(|| "expected a number of bytes, such as 65536, 64k, 512M or 4G".into())
}

fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse())
}

/// Prints the kernel of every history. A bad file is reported and the others are still read.
pub fn run(arguments: &KernelArguments) -> Result<Status, Failure> {
    interrupt::install()?;
    let mut out = io::stdout().lock();
    let mut session = Session { arguments, tally: Tally::default() };
    let mut malformed = false;
    for file in &arguments.files {
        match session.file(file, &mut out) {
            Ok(()) => {}
            Err(failure @ Failure::Stdout(_)) => return Err(failure),
            Err(failure) => {
                malformed = true;
                failure.print();
            }
        }
    }
    if arguments.style == Style::Human {
        session.tally.print(&mut out)?;
    }
    Ok(if interrupt::requested() {
        Status::INTERRUPTED
    } else if malformed {
        Status::MALFORMED
    } else if session.tally.undecided > 0 {
        Status::UNDECIDED
    } else {
        Status::SUCCESS
    })
}

struct Session<'a> {
    arguments: &'a KernelArguments,
    tally: Tally,
}

/// The results for all histories.
#[derive(Default)]
struct Tally {
    rows: u64,
    kernels: u64,
    undecided: u64,
    /// How many kernels ccv, ccm and wsc found whole.
    whole: [u64; 3],
}

impl Session<'_> {
    fn file(&mut self, file: &OsStr, out: &mut impl Write) -> Result<(), Failure> {
        let name = file.to_string_lossy();
        let &KernelArguments { timeout, max_states, max_memory, format, .. } = self.arguments;
        for (history, index) in open(&Input::from_arg(file), reading(format, Some(max_memory)))?.zip(0..) {
            if interrupt::requested() {
                break;
            }
            let History { subject, line, .. } = history?;
            let case = Case { file: &name, index, line, subject: &subject };
            let bad = |problem| Failure::History { file: name.to_string(), line, problem };
            let Subject::Memory(execution) = &subject else {
                return Err(bad("the sc-kernel is defined for memories, but the history is of an object"));
            };
            if execution.is_open() {
                return Err(bad(
                    "the sc-kernel is of histories in which every read has its write, and values repeat here or were never \
                     written: `from` says which write a read reads from",
                ));
            }
            let begin = Instant::now();
            let deadline = timeout.and_then(|timeout| begin.checked_add(timeout));
            let limits = Limits { deadline, max_states, max_memory, stop: Some(interrupt::flag()) };
            let found = kernel(execution, &limits);
            let micros = begin.elapsed().as_micros() as u64;
            match self.arguments.style {
                Style::Human => self.tally.row(&case, &found, out)?,
                Style::Json => line_of(&case, execution, &found, micros, out)?,
            }
            self.tally.count(&found);
        }
        Ok(())
    }
}

/// What ccv, ccm and wsc order.
fn ordered(kernel: &Kernel) -> [u64; 3] {
    [kernel.ccv, kernel.ccm, kernel.wsc]
}

/// The share of the kernel in per cent, rounded down, so that 100 is all of it; all of nothing is everything.
fn share(ordered: u64, kernel: &Kernel) -> f64 {
    let hundredths = (ordered * 10_000).checked_div(kernel.exact).unwrap_or(10_000);
    hundredths as f64 / 100.0
}

impl Tally {
    fn count(&mut self, found: &Result<Option<Kernel>, Limit>) {
        self.rows += 1;
        match found {
            Ok(Some(kernel)) => {
                self.kernels += 1;
                for (whole, ordered) in self.whole.iter_mut().zip(ordered(kernel)) {
                    *whole += u64::from(ordered == kernel.exact);
                }
            }
            Ok(None) => {}
            Err(_) => self.undecided += 1,
        }
    }

    fn row(
        &self,
        case: &Case<'_>,
        found: &Result<Option<Kernel>, Limit>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if self.rows == 0 {
            writeln!(
                out,
                "{:>8}  {:>8}  {:>16}  {:>16}  {:>16}  history",
                "pairs", "kernel", "ccv", "ccm", "wsc"
            )?;
        }
        match found {
            Ok(Some(kernel)) => {
                write!(out, "{:>8}  {:>8}", kernel.pairs, kernel.exact)?;
                for ordered in ordered(kernel) {
                    write!(out, "  {ordered:>8} {:>6.2}%", share(ordered, kernel))?;
                }
                writeln!(out, "  {case}")
            }
            Ok(None) => writeln!(out, "{:<73} {case}", "inconsistent with sc: no kernel"),
            Err(limit) => writeln!(out, "{:<73} {case}", format!("undecided: {limit}")),
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if self.rows > 1 {
            let [ccv, ccm, wsc] = self.whole;
            writeln!(
                out,
                "{} histories, {} kernels; found whole by ccv {ccv}, by ccm {ccm}, by wsc {wsc}",
                self.rows, self.kernels
            )?;
        }
        Ok(())
    }
}

fn line_of(
    case: &Case<'_>,
    x: &Execution,
    found: &Result<Option<Kernel>, Limit>,
    micros: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(
        out,
        r#"{{"schema":{SCHEMA},"file":{},"index":{},"name":{},"events":{},"micros":{micros},"#,
        json!(case.file),
        case.index,
        json!(x.name()),
        x.len()
    )?;
    match found {
        Ok(Some(Kernel { pairs, ccv, ccm, wsc, exact, missed })) => {
            let missed: Value = missed.iter().map(|&(a, b)| json!([event(x, a), event(x, b)])).collect();
            writeln!(
                out,
                r#""sc":"consistent","pairs":{pairs},"ccv":{ccv},"ccm":{ccm},"wsc":{wsc},"kernel":{exact},"missed":{missed}}}"#
            )?;
        }
        Ok(None) => writeln!(out, r#""sc":"inconsistent"}}"#)?,
        Err(limit) => writeln!(out, r#""sc":"undecided","reason":{}}}"#, json!(limit.to_string()))?,
    }
    Ok(())
}

/// An event as certificates write it.
fn event(x: &Execution, event: EventId) -> Value {
    x.slot(event).map_or(Value::Null, |slot| json!([slot.thread.0, slot.index]))
}
