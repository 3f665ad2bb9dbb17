//! `cargo lab bench`: the papers' experiments on this machine, as tables and plots.

use super::document;
use super::{Error, Report, SUITES, Size, Suite, Watch, memory};
use crate::failure::{Failure, Status};
use crate::interrupt;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_report::printable;

const BENCH_HELP: &str = "\
Examples:
  cargo lab bench --list                    what there is to measure
  cargo lab bench --quick c11               one suite, in less than a minute
  cargo lab bench sc tso --plots figures    full sizes, with plots in figures/
  cargo lab bench all --into docs/measurements.md --plots docs/plots

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
    suites: Vec<String>,
    /// Measure less: under a minute per suite
    #[arg(long)]
    quick: bool,
    /// The directory of the plots, created if needed
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "lab/target/plots")]
    plots: PathBuf,
    /// Also put the figures into this document
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    into: Option<PathBuf>,
    /// List the suites
    #[arg(long)]
    list: bool,
    /// Check one history in this process and print its cost: how suites measure memory
    #[arg(long, num_args = 1..=3, value_name = "LOAD", hide = true)]
    measure_memory: Option<Vec<String>>,
}

fn suites() -> PossibleValuesParser {
    PossibleValuesParser::new(SUITES.iter().map(|suite| suite.name).chain(["all"]))
}

pub fn run(arguments: &BenchArguments) -> Result<Status, Failure> {
    interrupt::install()?;
    let mut out = io::stdout().lock();
    if arguments.list {
        return list(&mut out);
    }
    if let Some(load) = &arguments.measure_memory {
        return measure(load, &mut out);
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
        let mut bar = Bar::new(suite);
        let (report, outcome) = suite.run(size, &mut bar);
        drop(bar);
        write!(out, "{}", report.text())?;
        out.flush()?;
        plots(&arguments.plots, &report)?;
        match outcome {
            Ok(()) => {}
            Err(Error::Stopped) => return Ok(Status::INTERRUPTED),
            Err(error) => return Err(Failure::Usage(format!("{}: {error}", suite.name))),
        }
        if let Some(path) = &arguments.into {
            document::fill(path, &report, size, &arguments.plots)?;
        }
    }
    Ok(Status::SUCCESS)
}

fn list(out: &mut impl Write) -> Result<Status, Failure> {
    let width = SUITES.iter().map(|suite| suite.name.len()).max().unwrap_or(0);
    for suite in SUITES {
        writeln!(out, "{:width$}  {}", suite.name, suite.about)?;
    }
    Ok(Status::SUCCESS)
}

/// What one check takes: see [`memory::measure`].
fn measure(load: &[String], out: &mut impl Write) -> Result<Status, Failure> {
    let figures = memory::measure(load).map_err(|error| Failure::Usage(error.to_string()))?;
    writeln!(out, "{figures}")?;
    Ok(Status::SUCCESS)
}

/// Writes the plots of a report and says where they are.
fn plots(directory: &Path, report: &Report) -> Result<(), Failure> {
    for plot in report.plots() {
        let path = directory.join(format!("{}.svg", plot.name));
        let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(&path, plot.svg()));
        written.map_err(|source| Failure::File { file: path.clone(), source })?;
        eprintln!("{}", printable(&path.display().to_string()));
    }
    Ok(())
}

/// A progress bar for each part of a suite, if standard error is a terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new(suite: &Suite) -> Self {
        let bar = ProgressBar::new(0).with_prefix(suite.name);
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:30} {pos}/{len} {prefix}, {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Bar(bar)
    }
}

impl Watch for Bar {
    fn begin(&mut self, part: &str, steps: u64) {
        self.0.set_length(steps);
        self.0.set_position(0);
        self.0.set_message(part.to_string());
    }

    fn step(&mut self) {
        self.0.inc(1);
    }

    fn stopped(&self) -> bool {
        interrupt::requested()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
