//! The contents of a history of transactions, in numbers.

use super::spread;
use crate::output::Page;
use std::io::{self, Write};
use tribunal_formats::Transactions;
use tribunal_history::transactions::{History, KeyId, Op, SessionId, Status, TxnId};
use tribunal_report::counted;

/// Describes the transactions.
pub fn print(transactions: &Transactions, out: &mut Page) -> io::Result<()> {
    let h = &transactions.history;
    let per_session = (0..h.session_count() as u32).map(|session| h.session(SessionId(session)).len());
    writeln!(out, "  sessions      {}{}", h.session_count(), spread(per_session, "transaction"))?;
    let per_transaction = h.transactions().map(|txn| h.ops_of(txn).len());
    writeln!(out, "  transactions  {}{}", h.len(), spread(per_transaction, "operation"))?;
    writeln!(out, "                {}", outcomes(h))?;
    writeln!(out, "  operations    {}", kinds(h))?;
    let lists = (0..h.key_count() as u32).filter(|&key| h.is_list(KeyId(key))).count();
    writeln!(out, "  keys          {}, {lists} of them lists", h.key_count())?;
    writeln!(out, "  initially     {}", initial(h))?;
    writeln!(out, "  order         {}", order(h))?;
    writeln!(out, "  values        {}", values(h))?;
    super::notes(&transactions.notes, "  notes         ", out)
}

/// The ends of the transactions, if not all committed.
fn outcomes(h: &History) -> String {
    let count = |status| h.transactions().filter(|&txn| h.status(txn) == status).count();
    let (aborted, unknown) = (count(Status::Aborted), count(Status::Unknown));
    if aborted + unknown == 0 {
        return "all committed".into();
    }
    let counts = |txn: &TxnId| h.status(*txn) == Status::Unknown && h.reads().counts(*txn);
    let read = h.transactions().filter(counts).count();
    let seen = if unknown > 0 { format!(", {read} of them read from") } else { String::new() };
    format!("{aborted} aborted, {unknown} of unknown outcome{seen}")
}

/// The kinds of operations.
fn kinds(h: &History) -> String {
    let [mut reads, mut writes, mut appends, mut unknown] = [0u64; 4];
    for op in h.ops() {
        match h.op(op) {
            Op::Read(..) | Op::ReadList(..) => reads += 1,
            Op::Write(..) => writes += 1,
            Op::Append(..) => appends += 1,
            Op::Unknown(_) => unknown += 1,
        }
    }
    let kinds = [(reads, "read"), (writes, "write"), (appends, "append"), (unknown, "unknown read")];
    let named: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, name)| counted(*count, name)).collect();
    if named.is_empty() { "none".into() } else { named.join(", ") }
}

fn initial(h: &History) -> String {
    h.init().map_or_else(|| "nothing is written".into(), |value| format!("{value} in every register"))
}

/// The origin of real time, and the number of transactions that are open at once.
fn order(h: &History) -> String {
    if !h.is_timed() {
        return "sessions; no times".into();
    }
    let spans = h.transactions().filter_map(|txn| h.span(txn));
    // At equal times those that begin come before those that end: they are concurrent.
    let mut events: Vec<(i64, bool)> = spans
        .flat_map(|span| [Some((span.begin, false)), span.end.map(|end| (end, true))])
        .flatten()
        .collect();
    events.sort_unstable();
    let (mut open, mut most) = (0u64, 0);
    for (_, ends) in events {
        if ends {
            open -= 1;
        } else {
            open += 1;
            most = most.max(open);
        }
    }
    format!("sessions and times, at most {} open at once", counted(most, "transaction"))
}

/// Whether values say from where reads read.
fn values(h: &History) -> String {
    let open = h.reads().open().len();
    let wrong = h.reads().misread().len();
    let told = match open {
        0 => "every read tells its source".to_string(),
        1 => "they repeat: 1 read has several possible sources".into(),
        open => format!("they repeat: {open} reads have several possible sources"),
    };
    match wrong {
        0 => told,
        1 => format!("{told}; 1 impossible read"),
        wrong => format!("{told}; {wrong} impossible reads"),
    }
}
