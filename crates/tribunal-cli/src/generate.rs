//! `tribunal generate`: histories from simulated memories and objects, from other histories, and from constructions that
//! make them hard to judge.

mod hard;
mod machine;
mod mutate;
mod object;
mod spool;

use crate::args::format;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{Sink, Stdout};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;
use tribunal_formats::{Format, WriteError, Writer};

#[derive(Args, Debug)]
pub struct GenerateArguments {
    #[command(subcommand)]
    what: Generate,
}

#[derive(Debug, Subcommand)]
enum Generate {
    /// Run random clients on a simulated memory and write what they observe
    Machine(machine::MachineArguments),
    /// Run random clients on a simulated object and write what they call and what it returns
    Object(object::ObjectArguments),
    /// Change histories: send reads to other writes, drop fences, weaken orders
    Mutate(mutate::MutateArguments),
    /// Construct histories that are hard to judge, or whose verdicts are known
    Hard(hard::HardArguments),
}

pub fn run(arguments: &GenerateArguments, out: &mut Stdout) -> Result<Status, Failure> {
    match &arguments.what {
        Generate::Machine(arguments) => machine::run(arguments, out),
        Generate::Object(arguments) => object::run(arguments, out),
        Generate::Mutate(arguments) => mutate::run(arguments, out),
        Generate::Hard(arguments) => hard::run(arguments, out),
    }
}

/// Where histories go, and in which format.
#[derive(Args, Debug)]
struct Destination {
    /// The format to write; by default what the output's name says, else text for memories and json for
    /// objects, and for mutants that of their input
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    to: Option<Format>,
    /// Write to this file instead of standard output; a name ending in .gz or .zst compresses
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

impl Destination {
    /// Opens it; the format is the fallback if nothing says another.
    fn open<'a>(&self, fallback: Format, out: &'a mut Stdout) -> Result<Writer<Sink<'a>>, Failure> {
        let output = self.output.as_deref();
        let format = self.to.or_else(|| output.and_then(Format::of_path)).unwrap_or(fallback);
        Ok(Writer::new(Sink::open(output, out)?, format))
    }

    /// A history could not be written.
    fn failure(&self, error: WriteError, history: &str) -> Failure {
        Failure::writing(error, history, self.output.as_deref())
    }

    /// Writes out what is left.
    fn finish(&self, writer: Writer<Sink<'_>>) -> Result<(), Failure> {
        writer.finish().map_err(|source| Failure::output(self.output.as_deref(), source))?.finish()
    }
}

/// A share, from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".into())
}
