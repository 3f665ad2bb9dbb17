//! `tribunal monitor`: events from a pipe, and the first that cannot be explained.

mod feed;
mod lines;
mod memory;
mod object;
mod transactions;

use crate::args::MonitorArguments;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::Stdout;
use tribunal_report::Question;

/// Monitors a memory, an object or transactions, as the model says.
pub fn run(arguments: &MonitorArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    match &arguments.model {
        Question::Criterion(criterion) => object::run(arguments, criterion, out),
        Question::Model(model) => memory::run(arguments, *model, out),
        Question::Level(level) => transactions::run(arguments, *level, out),
    }
}
