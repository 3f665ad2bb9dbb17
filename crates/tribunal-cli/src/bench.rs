//! `tribunal bench`: the papers' experiments on this machine, as tables and plots.

mod document;

use crate::exit::Status;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Sink, Stdout, complain};
use crate::progress::Progress;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use std::io::Write;
use std::path::{Path, PathBuf};
use tribunal_bench::{Error, Report, SUITES, Size, Suite, Watch, memory};
use tribunal_report::printable;

const BENCH_HELP: &str = "\
Examples:
  tribunal bench --list                    what there is to measure
  tribunal bench --quick c11               one suite, in less than a minute
  tribunal bench sc tso --plots figures    full sizes, with plots in figures/
  tribunal bench all --into docs/measurements.md --plots docs/plots

Each suite prints tables of our time, of the built-in baselines and of their ratio, and writes plots as SVG. Known \
verdicts are asserted; times are not, but where there is a budget the table says whether it was kept. Run nothing \
else on the machine meanwhile.

With --into, the figures replace what is between `<!-- bench SUITE -->` and `<!-- end bench SUITE -->` in that \
document.

Exit status: 0 done, 2 bad usage or a file that cannot be written, 130 stopped by Ctrl-C (what was measured so far is \
printed).";

#[derive(Args, Debug)]
#[command(after_help = BENCH_HELP)]
pub struct BenchArguments {
    /// The suites to run, or `all`
    #[arg(value_name = "SUITE", value_parser = suites(), hide_possible_values = true)]
    #[arg(required_unless_present_any = ["list", "measure_memory"])]
    pub suites: Vec<String>,
    /// Measure less: under a minute per suite
    #[arg(long)]
    pub quick: bool,
    /// The directory of the plots, created if needed
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "tribunal-bench")]
    pub plots: PathBuf,
    /// Also put the figures into this document
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub into: Option<PathBuf>,
    /// List the suites
    #[arg(long)]
    pub list: bool,
    /// Check one history in this process and print its cost: how suites measure memory
    #[arg(long, num_args = 1..=3, value_name = "LOAD", hide = true)]
    pub measure_memory: Option<Vec<String>>,
}

fn suites() -> PossibleValuesParser {
    PossibleValuesParser::new(SUITES.iter().map(|suite| suite.name).chain(["all"]))
}

pub fn run(arguments: &BenchArguments, out: &mut Stdout) -> Result<Status, Failure> {
    if arguments.list {
        return list(out);
    }
    if let Some(load) = &arguments.measure_memory {
        return measure(load, out);
    }
    let wanted = |suite: &&Suite| arguments.suites.iter().any(|name| name == "all" || name == suite.name);
    if let Some(path) = &arguments.into {
        // An hour of measuring should not end in a document without a place for it.
        let text = document::read(path)?;
        for suite in SUITES.iter().filter(wanted) {
            document::filled(path, &text, suite.name, "")?;
        }
    }
    for (index, suite) in SUITES.iter().filter(wanted).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let size = if arguments.quick { Size::Quick } else { Size::Full };
        let mut bar = Bar { suite: suite.name, progress: Progress::new() };
        let (report, outcome) = suite.run(size, &mut bar);
        drop(bar);
        write!(out, "{}", report.text())?;
        out.flush()?;
        plots(&arguments.plots, &report)?;
        match outcome {
            Ok(()) => {}
            Err(Error::Stopped) => return Ok(Status::Interrupted),
            Err(error) => return Err(Failure::Usage(format!("{}: {error}", suite.name))),
        }
        if let Some(path) = &arguments.into {
            document::fill(path, &report, size, &arguments.plots)?;
        }
        if out.is_closed() {
            return Ok(Status::ClosedPipe);
        }
    }
    Ok(Status::Success)
}

fn list(out: &mut Stdout) -> Result<Status, Failure> {
    let width = SUITES.iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    for suite in SUITES {
        writeln!(out, "{:width$}  {}", suite.name, suite.about)?;
    }
    Ok(Status::Success)
}

/// What one check takes: see [`memory::measure`].
fn measure(load: &[String], out: &mut Stdout) -> Result<Status, Failure> {
    let figures = memory::measure(load).map_err(|error| Failure::Usage(error.to_string()))?;
    writeln!(out, "{figures}")?;
    Ok(Status::Success)
}

/// Writes the plots of a report and says where they are.
fn plots(directory: &Path, report: &Report) -> Result<(), Failure> {
    let unwritten = |file: &Path| {
        let file = file.to_path_buf();
        move |source| Failure::Write { file, source }
    };
    for plot in report.plots() {
        std::fs::create_dir_all(directory).map_err(unwritten(directory))?;
        let path = directory.join(format!("{}.svg", plot.name));
        write_whole(&path, &plot.svg())?;
        complain(&printable(&path.display().to_string()));
    }
    Ok(())
}

/// Writes a file, which appears whole or not at all.
fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let mut unused = Stdout::new();
    let mut sink = Sink::open(Some(path), &mut unused)?;
    sink.write_all(text.as_bytes()).map_err(|source| Failure::output(Some(path), source))?;
    sink.finish()
}

/// A bar for each part of a suite.
struct Bar {
    suite: &'static str,
    progress: Progress,
}

impl Watch for Bar {
    fn begin(&mut self, part: &str, steps: u64) {
        self.progress.measuring(self.suite, part, steps);
    }

    fn step(&mut self) {
        self.progress.measured();
    }

    fn stopped(&self) -> bool {
        interrupt::requested()
    }
}
