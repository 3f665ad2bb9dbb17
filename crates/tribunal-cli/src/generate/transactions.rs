//! `tribunal generate transactions`: random clients of simulated stores, and the workloads of others.

use super::share;
use crate::destination::Destination;
use crate::exit::Tally;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Stdout;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tribunal_formats::{Format, Labels, Notes, Transactions, write_transactions};
use tribunal_history::transactions::History;
use tribunal_machines::transactions::families::{BlindWrites, ListAppend, Orders};
use tribunal_machines::transactions::{Clients, Store, StoreBug, run as run_store};

const HELP: &str = "\
Examples:
  tribunal generate transactions --store mvcc | tribunal check -m ser,si -
  tribunal generate transactions --store 2pl --bug missed-conflict -o bug.jsonl
  tribunal generate transactions --store causal --lists 1 --unknown 0.1
  tribunal generate transactions --workload list-append -o append.json.zst

Stores, and the level that their histories satisfy: serial, 2pl (strict two-phase locking) and occ (validation at \
commit), strict-ser; mvcc (snapshots, first committer wins), strict-si; causal (replicas), tcc; read-committed, \
strict-mav. A bug strikes once in four chances.

Workloads, on a serial store: blind-writes, 24 sessions of transactions that write 8 keys or read 8, session-ser; \
orders, like TPC-C, session-ser; list-append, lists that are replaced after 32 appends, strict-ser. They have no \
aborts, and take --transactions, --seed and --histories; blind-writes and list-append also --sessions, --ops and \
--keys.

The same options and seed give the same histories, labeled with the store's level unless it has a bug. One history at \
a time is held in memory.

Exit status: 0 done, 2 bad usage or output that cannot be written, 130 stopped by Ctrl-C, 141 the reader of the \
output left.";

/// Most transactions, and sessions, that may be asked for.
const MOST: i64 = 1 << 28;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct TransactionsArguments {
    /// The simulated store
    #[arg(long, value_name = "STORE", default_value = "serial", value_parser = store())]
    store: Store,
    /// A bug to inject into it
    #[arg(long, value_name = "BUG", value_parser = bug())]
    bug: Option<StoreBug>,
    /// Run this workload on a serial store, instead of random clients
    #[arg(long, value_name = "WORKLOAD", conflicts_with_all = ["store", "bug", "reads", "lists", "skew", "aborts", "unknown"])]
    workload: Option<Workload>,
    /// Sessions at a time; after an unknown outcome a session is replaced by a new one. By default 5, or those of the
    /// workload
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    sessions: Option<u32>,
    /// Transactions in each history, over all sessions and with aborted ones
    #[arg(long, value_name = "N", default_value_t = Clients::default().transactions, value_parser = clap::value_parser!(u32).range(..=MOST))]
    transactions: u32,
    /// Most operations in a transaction; by default 4, or those of the workload
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    ops: Option<u32>,
    /// Keys; by default 6, or those of the workload
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    keys: Option<u32>,
    /// Share of operations that are reads, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().reads, value_parser = share)]
    reads: f64,
    /// Share of keys that are lists, from 0 to 1; the rest are registers
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().lists, value_parser = share)]
    lists: f64,
    /// How unevenly keys are used: the least of N + 1 draws is taken, so 0 is even
    #[arg(long, value_name = "N", default_value_t = Clients::default().skew, value_parser = clap::value_parser!(u32).range(..=100))]
    skew: u32,
    /// Share of transactions that their client aborts, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().aborts, value_parser = share)]
    aborts: f64,
    /// Share of transactions whose outcome the client does not learn, from 0 to 1; about half of them commit
    #[arg(long, value_name = "SHARE", default_value_t = Clients::default().unknown, value_parser = share)]
    unknown: f64,
    /// The random seed; the next histories take the next seeds
    #[arg(long, value_name = "N", default_value_t = Clients::default().seed)]
    seed: u64,
    /// How many histories to generate
    #[arg(long, value_name = "N", default_value_t = 1)]
    histories: u64,
    #[command(flatten)]
    destination: Destination,
}

/// Workloads of others, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Workload {
    /// Transactions that only write, and others that only read: Cobra's BlindW-RW
    BlindWrites,
    /// Orders, payments and deliveries, in the manner of TPC-C
    Orders,
    /// Appends to lists and reads of them, as Elle's
    ListAppend,
}

fn store() -> impl TypedValueParser<Value = Store> {
    PossibleValuesParser::new(Store::ALL.map(Store::name)).try_map(|name| name.parse())
}

fn bug() -> impl TypedValueParser<Value = StoreBug> {
    PossibleValuesParser::new(StoreBug::ALL.map(StoreBug::name)).try_map(|name| name.parse())
}

pub fn run(arguments: &TransactionsArguments, out: &mut Stdout) -> Result<Tally, Failure> {
    let seeds = (0..arguments.histories).map(|number| arguments.seed.wrapping_add(number));
    arguments.destination.write_transactions(out, seeds.map(|seed| arguments.history(seed)))
}

impl TransactionsArguments {
    /// A history, with what is known of it.
    fn history(&self, seed: u64) -> Result<(History, Labels), Failure> {
        let labeled = |level: &str| Labels(vec![(level.into(), Some(true))]);
        let transactions = self.transactions;
        let history = match self.workload {
            None => {
                let labels = match self.bug {
                    None => labeled(self.store.level().name()),
                    Some(_) => Labels::default(),
                };
                let history = run_store(self.store, self.bug, &self.clients(seed))
                    .map_err(|error| Failure::Usage(error.to_string()))?;
                return Ok((history, labels));
            }
            Some(Workload::BlindWrites) => {
                let usual = BlindWrites::default();
                let workload = BlindWrites {
                    sessions: self.sessions.unwrap_or(usual.sessions),
                    ops: self.ops.unwrap_or(usual.ops),
                    keys: self.keys.unwrap_or(usual.keys),
                    transactions,
                    seed,
                };
                workload.history()
            }
            Some(Workload::Orders) => {
                let usual = Orders::default();
                let sessions = self.sessions.unwrap_or(usual.sessions);
                Orders { sessions, transactions, seed, ..usual }.history()
            }
            Some(Workload::ListAppend) => {
                let usual = ListAppend::default();
                let workload = ListAppend {
                    sessions: self.sessions.unwrap_or(usual.sessions),
                    ops: self.ops.unwrap_or(usual.ops),
                    keys: self.keys.unwrap_or(usual.keys),
                    transactions,
                    seed,
                    ..usual
                };
                return Ok((workload.history(), labeled("strict-ser")));
            }
        };
        Ok((history, labeled("session-ser")))
    }

    fn clients(&self, seed: u64) -> Clients {
        let usual = Clients::default();
        Clients {
            sessions: self.sessions.unwrap_or(usual.sessions),
            transactions: self.transactions,
            ops: self.ops.unwrap_or(usual.ops),
            keys: self.keys.unwrap_or(usual.keys),
            reads: self.reads,
            lists: self.lists,
            skew: self.skew,
            aborts: self.aborts,
            unknown: self.unknown,
            seed,
        }
    }
}

impl Destination {
    /// Writes histories of transactions, one after the other.
    pub fn write_transactions(
        &self,
        out: &mut Stdout,
        histories: impl IntoIterator<Item = Result<(History, Labels), Failure>>,
    ) -> Result<Tally, Failure> {
        let mut histories = histories.into_iter().peekable();
        // Check the arguments before a file is opened.
        if let Some(Err(failure)) = histories.next_if(Result::is_err) {
            return Err(failure);
        }
        let mut writer = self.open(Format::Json, out)?;
        for history in histories {
            let (history, labels) = history?;
            let transactions =
                Transactions { history: history.into(), lines: Vec::new(), notes: Notes::default() };
            let name = || transactions.history.name().unwrap_or_default().to_string();
            write_transactions(&mut writer, &transactions, &labels)
                .map_err(|error| self.failure(error, &name()))?;
            if interrupt::requested() {
                return Ok(Tally::default());
            }
        }
        self.finish(writer)?;
        Ok(Tally::default())
    }
}
