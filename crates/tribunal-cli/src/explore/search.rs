//! How far a program is explored, and what is asked of a failure: the options of `explore` and `run`.

use crate::args::{seconds, size};
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;
use tribunal_explore::Options;
use tribunal_explore::failure::Replay;

#[derive(Args, Debug)]
pub struct Search {
    /// Stop after this many executions
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// Stop after this time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Stop when the process holds more, such as 512M or 4G. By default three quarters of the machine's memory
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<usize>,
    /// The most events of an execution; more is a failure
    #[arg(long, value_name = "N", default_value_t = Options::default().max_events)]
    pub max_events: usize,
    /// Explore only the executions that some schedule with at most N preemptions has
    #[arg(long, value_name = "N", conflicts_with = "random")]
    pub max_preemptions: Option<usize>,
    /// Run this many random executions instead of all: each read picks among the writes it may read
    #[arg(long, value_name = "N")]
    pub random: Option<u64>,
    /// The random seed
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random")]
    pub seed: u64,
    /// Random by thread priorities that change at DEPTH - 1 points: for failures that need few preemptions
    #[arg(long, value_name = "DEPTH", requires = "random", value_parser = clap::value_parser!(u32).range(1..))]
    pub pct: Option<u32>,
    /// If the program fails, say under which models
    #[arg(long, conflicts_with = "replay")]
    pub models: bool,
    /// If the program fails, search for the weakest orders with which it does not
    #[arg(long, conflicts_with = "replay")]
    pub repair: bool,
    /// The time limit of the search for orders
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", requires = "repair")]
    pub repair_timeout: Duration,
    /// Write the failing execution to this file as a history, for `tribunal explain` and `tribunal view`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub history: Option<PathBuf>,
    /// Replay one execution, as printed with a failure
    #[arg(long, value_name = "REPLAY", conflicts_with_all = ["random", "max_preemptions"])]
    pub replay: Option<Replay>,
}
