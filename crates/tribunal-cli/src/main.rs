//! The command `tribunal`: reads histories, checks them against models, and shows why the answer is right.

mod args;
mod budget;
mod certificates;
mod check;
mod convert;
mod destination;
mod driver;
mod exit;
mod explain;
mod explore;
mod failure;
mod generate;
mod hints;
mod input;
mod interrupt;
mod litmus;
mod manual;
mod models;
mod monitor;
mod output;
mod pipeline;
mod progress;
mod races;
mod record;
mod report;
#[cfg(target_os = "linux")]
mod run;
mod separate;
mod serve;
mod shrink;
mod stats;
mod verify;
mod view;
mod watchdog;

use args::{Arguments, Command};
use clap::Parser;
use exit::{Status, Tally, tell_skipped};
use failure::Failure;
use output::Stdout;
use std::process::ExitCode;
use tribunal_host::heap::Counting;

/// What the command holds is counted, and bounded.
#[global_allocator]
static HEAP: Counting = Counting;

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| {
        let line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        hints::with_hint(error, &line).exit()
    });
    let mut out = Stdout::new();
    let tally = run(&arguments.command, &mut out).and_then(|tally| {
        tell_skipped(&tally);
        out.finish()?;
        Ok(tally)
    });
    if tally.is_err() {
        // What was answered comes before what went wrong.
        output::flush();
    }
    #[cfg(feature = "polls")]
    watchdog::tell_gaps();
    match tally {
        Ok(tally) => tally.status().into(),
        Err(failure) if failure.is_closed_pipe() => Status::ClosedPipe.into(),
        // What was being read or written was cut off, as asked.
        Err(_) if interrupt::requested() => Status::Interrupted.into(),
        Err(failure) => {
            failure.print();
            failure.status().into()
        }
    }
}

fn run(command: &Command, out: &mut Stdout) -> Result<Tally, Failure> {
    interrupt::install().map_err(Failure::Interrupt)?;
    watchdog::start(command.max_memory()).map_err(Failure::Watchdog)?;
    match command {
        Command::Check(arguments) => check::run(arguments, out),
        Command::Races(arguments) => races::run(arguments, out),
        Command::Verify(arguments) => verify::run(arguments, out),
        Command::Convert(arguments) => convert::run(arguments, out),
        Command::Explain(arguments) => explain::run(arguments, out),
        Command::Explore(arguments) => explore::run(arguments, out),
        #[cfg(target_os = "linux")]
        Command::Run(arguments) => run::run(arguments, out),
        #[cfg(target_os = "linux")]
        Command::Cargo(arguments) => run::test(arguments, out),
        Command::Monitor(arguments) => monitor::run(arguments, out),
        Command::Shrink(arguments) => shrink::run(arguments, out),
        Command::Separate(arguments) => separate::run(arguments, out),
        Command::View(arguments) => view::run(arguments, out),
        Command::Serve(arguments) => serve::run(arguments, out),
        Command::Stats(arguments) => stats::run(arguments, out),
        Command::Models(arguments) => models::run(arguments, out),
        Command::Litmus(arguments) => litmus::run(arguments, out),
        Command::Generate(arguments) => generate::run(arguments, out),
        Command::Record(arguments) => record::run(arguments, out),
        Command::Completions { shell } => manual::completions(*shell, out),
        Command::Man { dir } => manual::pages(dir.as_deref(), out),
    }
}
