//! `tribunal kernel`: how many pairs of writes every sc order agrees on, and how many of them the saturations find.

use crate::args::{KernelArguments, KernelStyle};
use crate::case::{Case, Judge};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, STRONG, Stdout};
use crate::{input, interrupt};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::io::Write;
use std::time::Instant;
use tribunal::Limits;
use tribunal::memory::{EventId, Execution};
use tribunal::verdict::Limit;
use tribunal_formats::{History, Subject};
use tribunal_host::reading;
use tribunal_kernel::{Kernel, kernel};
use tribunal_report::SCHEMA;

/// The tables grow with the square of the history: without a limit, a long one would take the whole machine.
const MEMORY: usize = 2 << 30;

pub fn run(arguments: &KernelArguments, out: &mut Stdout) -> Result<Status, Failure> {
    let mut session = Session { arguments, tally: Tally::default() };
    let malformed = input::each(&arguments.histories.files, out, |file, out| session.file(file, out))?;
    if arguments.style == KernelStyle::Human {
        session.tally.print(out)?;
    }
    out.finish()?;
    Ok(if interrupt::requested() {
        Status::Interrupted
    } else if malformed {
        Status::Malformed
    } else if out.is_closed() {
        Status::ClosedPipe
    } else if session.tally.undecided > 0 {
        Status::Undecided
    } else {
        Status::Success
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
    fn file(&mut self, file: &OsStr, out: &mut Stdout) -> Result<(), Failure> {
        let name = file.to_string_lossy();
        let max_memory = self.arguments.budget.max_memory.unwrap_or(MEMORY);
        let options = reading(self.arguments.histories.format, Some(max_memory));
        for (history, index) in input::open(file, options)?.zip(0..) {
            if interrupt::requested() || out.is_closed() {
                break;
            }
            let History { subject, line, .. } = history?;
            let case = Case { file: &name, index, line, subject: &subject };
            let Subject::Memory(execution) = &subject else {
                return Err(
                    case.failure("the sc-kernel is defined for memories, but the history is of an object")
                );
            };
            if execution.is_open() {
                return Err(case.failure(
                    "the sc-kernel is of histories in which every read has its write, and values repeat here or were never \
                     written: `from` says which write a read reads from",
                ));
            }
            let begin = Instant::now();
            let limits = self.arguments.budget.limits();
            let found = kernel(execution, &Limits { max_memory, ..*limits });
            let micros = begin.elapsed().as_micros() as u64;
            match self.arguments.style {
                KernelStyle::Human => self.tally.row(&case, &found, out)?,
                KernelStyle::Json => line_of(&case, execution, &found, micros, out)?,
            }
            self.tally.count(&found);
            out.flush()?;
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
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        if self.rows == 0 {
            let heading = format!(
                "{:>8}  {:>8}  {:>16}  {:>16}  {:>16}  history",
                "pairs", "kernel", "ccv", "ccm", "wsc"
            );
            writeln!(out, "{}", out.paint(STRONG, &heading))?;
        }
        match found {
            Ok(Some(kernel)) => {
                write!(out, "{:>8}  {:>8}", kernel.pairs, kernel.exact)?;
                for ordered in ordered(kernel) {
                    write!(out, "  {ordered:>8} {:>6.2}%", share(ordered, kernel))?;
                }
                writeln!(out, "  {case}")?;
            }
            Ok(None) => {
                writeln!(
                    out,
                    "{} {case}",
                    out.paint(BAD, &format!("{:<73}", "inconsistent with sc: no kernel"))
                )?;
            }
            Err(limit) => {
                writeln!(
                    out,
                    "{} {case}",
                    out.paint(DOUBT, &format!("{:<73}", format!("undecided: {limit}")))
                )?;
            }
        }
        Ok(())
    }

    fn print(&self, out: &mut Stdout) -> Result<(), Failure> {
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
    out: &mut Stdout,
) -> Result<(), Failure> {
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
