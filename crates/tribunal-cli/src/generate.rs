//! `tribunal generate`: histories from simulated memories, objects and stores, from other histories, and from constructions that
//! make them hard to judge.

mod hard;
mod machine;
mod mutate;
mod object;
mod spool;
mod transactions;

use crate::budget::Budget;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::output::Stdout;
use clap::{Args, Subcommand};

#[derive(Args, Debug)]
pub struct GenerateArguments {
    #[command(subcommand)]
    what: Generate,
}

#[derive(Debug, Subcommand)]
enum Generate {
    /// Run random clients on a simulated memory
    Machine(machine::MachineArguments),
    /// Run random clients on a simulated object
    Object(object::ObjectArguments),
    /// Run random clients on a simulated store of transactions
    Transactions(transactions::TransactionsArguments),
    /// Mutate histories: redirect reads, drop fences, weaken orders
    Mutate(mutate::MutateArguments),
    /// Construct histories that are hard to check, or whose verdicts are known
    Hard(hard::HardArguments),
}

impl GenerateArguments {
    /// The limits of an answer, where there are any.
    pub fn budget(&self) -> Option<&Budget> {
        match &self.what {
            Generate::Mutate(arguments) => Some(&arguments.budget),
            _ => None,
        }
    }
}

pub fn run(arguments: &GenerateArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    match &arguments.what {
        Generate::Machine(arguments) => machine::run(arguments, out),
        Generate::Object(arguments) => object::run(arguments, out),
        Generate::Transactions(arguments) => transactions::run(arguments, out),
        Generate::Mutate(arguments) => mutate::run(arguments, out),
        Generate::Hard(arguments) => hard::run(arguments, out),
    }
}

/// A share, from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".into())
}
