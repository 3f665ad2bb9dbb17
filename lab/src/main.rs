//! The laboratory: experiments on Tribunal, which its users do not need.

mod bench;
mod failure;
mod interrupt;
mod kernel;

use bench::BenchArguments;
use clap::{Parser, Subcommand};
use failure::{Failure, Status};
use kernel::KernelArguments;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use tribunal_host::heap::Counting;

/// As in the command `tribunal`, so that checks are measured as its users run them.
#[global_allocator]
static HEAP: Counting = Counting;

const HELP: &str = "\
Examples:
  cargo lab bench --quick c11
  cargo lab kernel examples/papers/*.txt
  cargo lab case-study dashmap moka
  cargo lab beside-loom

lab/README.md describes the experiments, docs/measurements.md has their figures.";

/// Experiments on Tribunal.
#[derive(Debug, Parser)]
#[command(name = "lab", bin_name = "cargo lab", after_help = HELP)]
#[command(max_term_width = 110, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Measure how fast checking is, by the papers' experiments
    Bench(BenchArguments),
    /// Count the pairs of writes that every sc order agrees on, and those that ccv, ccm and wsc find
    Kernel(KernelArguments),
    /// Stress-test public concurrent collections, method by method
    #[command(disable_help_flag = true)]
    CaseStudy(Package),
    /// Explore the same programs with Tribunal and with loom
    #[command(disable_help_flag = true)]
    BesideLoom(Package),
    /// Sample the same programs with Tribunal and with shuttle
    #[command(disable_help_flag = true)]
    BesideShuttle(Package),
}

/// An experiment that is a package of its own.
#[derive(clap::Args, Debug)]
struct Package {
    /// The arguments of that experiment
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Package {
    /// Builds and runs it.
    fn run(&self, name: &str, profile: &str) -> Result<Status, Failure> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["run", "--quiet", "--package", name, "--profile", profile, "--manifest-path"]);
        let ended = cargo.arg(manifest).arg("--").args(&self.arguments).status().map_err(Failure::Cargo)?;
        Ok(Status(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
    }
}

fn main() -> ExitCode {
    let status = match Arguments::parse().experiment {
        Experiment::Bench(arguments) => bench::run(&arguments),
        Experiment::Kernel(arguments) => kernel::run(&arguments),
        Experiment::CaseStudy(package) => package.run("case-study", "release"),
        Experiment::BesideLoom(package) => package.run("beside-loom", "beside"),
        Experiment::BesideShuttle(package) => package.run("beside-shuttle", "beside"),
    };
    match status {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.print();
            failure.status().into()
        }
    }
}
