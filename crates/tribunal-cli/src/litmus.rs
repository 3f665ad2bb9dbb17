//! `tribunal litmus`: what models allow of litmus tests.

pub mod answer;
pub mod model;
mod picture;

use crate::args::{seconds, size, workers};
use crate::budget::Budget;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, GOOD, STRONG, Stdout, complain};
use crate::pipeline::{self, Answers, Input, Order, Portion, each, locked};
use answer::{Answer, Answered};
use clap::{Args, ValueEnum, ValueHint};
use model::Choice;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tribunal_litmus::{Macros, Verdict};
use tribunal_report::{printable, printable_lines};

const LITMUS_HELP: &str = "\
Examples:
  tribunal litmus SB.litmus                    what herd prints
  tribunal litmus --model sc tests/            a table of all tests in tests/
  tribunal litmus --model rc11,sc,mine.cat C/  a column for each model
  tribunal litmus -I herd/libdir --model aarch64.cat A64/*.litmus
  tribunal litmus --style herd tests/ > log    for mcompare and other scripts
  tribunal litmus --view SB.html SB.litmus     a page with an execution
  tribunal litmus -I libdir --macros lk.def --bell lk.bell --model lk.cat LKMM/

Tests are in herd's formats: C with C11 atomics, X86, X86_64, AArch64, RISCV, PPC, ARM, MIPS and BPF. If a test uses \
something unsupported, a line on standard error says what and where; the other tests are still run.

A model is one of `tribunal models`, or a file in the cat language. The default is tso for X86, rc11 for C, and for \
other architectures herd's file of that name in a directory of -I. No model of herd's is built in.

Exit status: 0 every test was run, whatever its verdict; 2 bad usage, or some test or model is malformed or not \
supported; 3 some test took longer than --timeout, and nothing else was wrong; 130 stopped by Ctrl-C.";

#[derive(Args, Debug)]
#[command(after_help = LITMUS_HELP)]
pub struct LitmusArguments {
    /// Models to run the tests under, separated by commas; FILE.cat is a model of your own
    #[arg(short, long, value_name = "MODEL", value_delimiter = ',')]
    model: Vec<String>,
    /// Also look for models and what they include in this directory
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<PathBuf>,
    /// A file of macros for programs in C
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    macros: Option<PathBuf>,
    /// A file that names the annotations of a model
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    bell: Option<PathBuf>,
    /// Set a variant, which the model tests with `if "NAME"`
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// How often loops are unrolled
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=1000))]
    unroll: u32,
    /// Draw the execution of a test that satisfies its condition, on a page: one that the model allows or, if there is none, one that it
    /// forbids, with the reason
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    view: Option<PathBuf>,
    /// How to print results: by default as herd for one test and model, and as a table for more
    #[arg(long, value_name = "STYLE")]
    style: Option<LitmusStyle>,
    /// Give up on a test after this time: it is undecided
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Give up on a test that takes more memory than this: bytes, or with k, M or G. By default three quarters of the machine's
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
    /// The number of worker threads; 0 is one for each core. The output does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Tests, and directories of them
    #[arg(required = true, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LitmusStyle {
    /// What herd prints, line by line
    Herd,
    /// A row for each test, a column for each model
    Table,
    /// A line of JSON for each test and model
    Json,
}

/// The number of tests that may be under way at once.
const ROOM: usize = 1024;

pub fn run(arguments: &LitmusArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let (files, missing) = tests(&arguments.files);
    let names: Vec<Option<&str>> = match arguments.model.as_slice() {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.trim())).collect(),
    };
    let models: Vec<Choice> = names
        .iter()
        .map(|name| Choice::new(*name, &arguments.include, arguments.bell.as_deref(), &arguments.variant))
        .collect();
    for model in &models {
        model.is_known().map_err(Failure::Usage)?;
    }
    let one = files.len() == 1 && models.len() == 1;
    let session = Session {
        macros: macros(arguments)?,
        models,
        style: arguments.style.unwrap_or(if one { LitmusStyle::Herd } else { LitmusStyle::Table }),
        unroll: arguments.unroll,
        budget: Budget {
            max_states: u64::MAX,
            max_memory: arguments.max_memory,
            ..Budget::of_time(arguments.timeout)
        },
        // Tests that run at the same time share the memory.
        workers: workers(arguments.threads),
    };
    if let Some(page) = &arguments.view {
        let ([file], [model]) = (&files[..], &session.models[..]) else {
            return Err(Failure::Usage("--view draws one test under one model".into()));
        };
        return picture::draw(file, model, &session, page, out);
    }
    let start = Instant::now();
    let mut tally = Tally { malformed: missing, ..Tally::default() };
    let width = files.iter().map(|file| stem(file).chars().count()).max().unwrap_or(0).clamp(4, 60);
    let table = session.style == LitmusStyle::Table;
    if table && !files.is_empty() {
        let head: Vec<String> = names.iter().map(|name| format!("{:22}", name.unwrap_or("model"))).collect();
        writeln!(out, "{}", out.paint(STRONG, format!("{:width$}  {}", "test", head.join("")).trim_end()))?;
    }
    let mut counts = Counts::default();
    let runners = Mutex::new(Vec::new());
    let job = each(|file: PathBuf, place, answers: &Answers<'_, _>| {
        answers.note(place.index + 1);
        let mut worker = locked(&runners).pop().unwrap_or_else(|| session.worker());
        let answered = worker.answer(&file);
        locked(&runners).push(worker);
        (file, answered)
    });
    let tests = Tests { files, next: 0, stop: Arc::default() };
    pipeline::run(tests, session.workers, job, &mut Order::new(|_: &PathBuf| ()), |answered| {
        match answered {
            None => out.flush()?,
            Some(_) if out.is_closed() => return Ok(false),
            Some((file, answers)) => {
                print(&file, &answers, table.then_some(width), &mut counts, &mut tally, out)?
            }
        }
        Ok(true)
    })?;
    if table && !out.is_closed() {
        counts.print(&tally, start.elapsed(), out)?;
    }
    tally.read_out(out)
}

/// Tests, which are read as they are run.
struct Tests {
    files: Vec<PathBuf>,
    next: usize,
    stop: Arc<AtomicBool>,
}

impl Input for Tests {
    type Item = PathBuf;

    fn next(&mut self) -> Option<Portion<PathBuf>> {
        let file = self.files.get(self.next)?.clone();
        self.next += 1;
        Some(Portion { size: 1, large: false, read: Box::new(|| (vec![file], false)) })
    }

    fn room(&self) -> usize {
        ROOM
    }

    fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    fn panicked(&self) -> Box<dyn Fn(Option<u64>) -> Failure> {
        let files = self.files.clone();
        Box::new(move |number| {
            let file = number.and_then(|number| files.get(number as usize - 1));
            Failure::Panicked {
                file: file.map_or("litmus".into(), |file| file.display().to_string()),
                line: None,
            }
        })
    }
}

/// The state that the workers share.
pub(super) struct Session {
    macros: Macros,
    models: Vec<Choice>,
    style: LitmusStyle,
    unroll: u32,
    /// The memory that the tests that run at once may take.
    budget: Budget,
    workers: usize,
}

fn macros(arguments: &LitmusArguments) -> Result<Macros, Failure> {
    let Some(file) = &arguments.macros else { return Ok(Macros::default()) };
    let places = arguments.include.iter().map(|directory| directory.join(file));
    let path = std::iter::once(file.clone())
        .chain(places)
        .find(|path| path.is_file())
        .unwrap_or_else(|| file.clone());
    let name = path.to_string_lossy().into_owned();
    let text =
        tribunal_host::read_text(&path).map_err(|source| Failure::Read { file: name.clone(), source })?;
    Macros::parse(&name, &String::from_utf8_lossy(&text)).map_err(|error| Failure::Usage(error.to_string()))
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The tests of files and directories, those of a directory in order of their names; and how many could not be found.
fn tests(arguments: &[PathBuf]) -> (Vec<PathBuf>, u64) {
    let (mut files, mut missing) = (Vec::new(), 0);
    for argument in arguments {
        let mut stack = vec![argument.clone()];
        let (mut found, before) = (Vec::new(), missing);
        while let Some(path) = stack.pop() {
            let read = if path.is_dir() { std::fs::read_dir(&path).map(Some) } else { Ok(None) };
            match read {
                Ok(Some(entries)) => {
                    let inside = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
                    stack.extend(
                        inside
                            .filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "litmus")),
                    );
                }
                Ok(None) => found.push(path),
                Err(error) => {
                    missing += 1;
                    complain(&printable(&format!("{}: {error}", path.display())));
                }
            }
        }
        if found.is_empty() && missing == before {
            missing += 1;
            complain(&printable(&format!(
                "{}: there is no file here that ends in .litmus",
                argument.display()
            )));
        }
        found.sort_unstable();
        files.extend(found);
    }
    (files, missing)
}

/// The number of tests with each verdict.
#[derive(Default)]
struct Counts {
    ok: u64,
    no: u64,
    undefined: u64,
}

impl Counts {
    fn print(&self, tally: &Tally, took: Duration, out: &mut Stdout) -> Result<(), Failure> {
        let counts = [
            (self.ok, "Ok"),
            (self.no, "No"),
            (self.undefined, "Undef"),
            (tally.undecided, "undecided"),
            (tally.malformed, "not run"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let parts = if parts.is_empty() { "no tests".to_owned() } else { parts.join(", ") };
        // The table first, also where both go to one place.
        out.flush()?;
        complain(&format!("{parts}; {:.2} s", took.as_secs_f64()));
        Ok(())
    }
}

/// Prints the answers of all models to a test; in a table, whose first column is so wide, as a row.
fn print(
    file: &Path,
    answers: &[Answered],
    table: Option<usize>,
    counts: &mut Counts,
    tally: &mut Tally,
    out: &mut Stdout,
) -> Result<(), Failure> {
    let mut cells = String::new();
    let mut asides: Vec<&str> = Vec::new();
    for answered in answers {
        let cell = match answered {
            Answered::Run(answer) => {
                *match answer.verdict {
                    Verdict::Ok => &mut counts.ok,
                    Verdict::No => &mut counts.no,
                    Verdict::Undefined => &mut counts.undefined,
                } += 1;
                match &answer.text {
                    Some(text) => {
                        writeln!(out, "{text}")?;
                        continue;
                    }
                    None => cell(answer, out),
                }
            }
            Answered::Undecided(why) => {
                tally.undecided += 1;
                asides.push(why);
                out.paint(DOUBT, &format!("{:22}", "?"))
            }
            Answered::Failed(message) => {
                tally.malformed += 1;
                asides.push(message);
                format!("{:22}", "-")
            }
        };
        cells.push_str(&cell);
    }
    if let Some(width) = table {
        writeln!(out, "{}", format!("{:width$}  {cells}", printable(&stem(file))).trim_end())?;
    }
    if !asides.is_empty() {
        out.flush()?;
        asides.dedup();
        for aside in asides {
            // Errors of a text name their file themselves.
            let name = file.to_string_lossy();
            let line = if aside.starts_with(&*name) { aside.to_owned() } else { format!("{name}: {aside}") };
            complain(&printable_lines(&line));
        }
    }
    Ok(())
}

/// Verdict, observation and the number of states, in a column.
fn cell(answer: &Answer, out: &Stdout) -> String {
    let style = match answer.verdict {
        Verdict::Ok => GOOD,
        Verdict::No => BAD,
        Verdict::Undefined => DOUBT,
    };
    let cut = if answer.cut { "Loop " } else { "" };
    let verdict = format!("{:<6}", format!("{cut}{}", answer.verdict));
    format!("{}{:<16}", out.paint(style, &verdict), format!("{} {}", answer.observation, answer.states))
}
