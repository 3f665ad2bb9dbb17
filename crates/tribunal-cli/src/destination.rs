//! The place to which a command writes the histories that it makes.

use crate::args::written_format;
use crate::failure::Failure;
use crate::output::{Sink, Stdout};
use clap::{Args, ValueHint};
use std::path::PathBuf;
use tribunal_formats::{Format, WriteError, Writer};

/// The place where histories go, and their format.
#[derive(Args, Debug)]
pub struct Destination {
    /// The format to write; by default that of the output's name, or text for memories and json for objects; for mutants
    /// that of the input
    #[arg(short, long, value_name = "FORMAT", value_parser = written_format())]
    pub to: Option<Format>,
    /// Write to this file instead of standard output; a name ending in .gz or .zst compresses
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

impl Destination {
    /// Opens it, with a format in case nothing else names one.
    pub fn open<'a>(&self, fallback: Format, out: &'a mut Stdout) -> Result<Writer<Sink<'a>>, Failure> {
        let output = self.output.as_deref();
        let format = self.to.or_else(|| output.and_then(Format::of_path)).unwrap_or(fallback);
        Ok(Writer::new(Sink::open(output, out)?.watched(), format))
    }

    /// A history could not be written.
    pub fn failure(&self, error: WriteError, history: &str) -> Failure {
        Failure::writing(error, history, self.output.as_deref())
    }

    /// Writes out what is left.
    pub fn finish(&self, writer: Writer<Sink<'_>>) -> Result<(), Failure> {
        writer.finish().map_err(|source| Failure::output(self.output.as_deref(), source))?.finish()
    }
}
