//! A commit order in words.

use super::{name, reading};
use crate::line::WIDTH;
use tribunal_history::transactions::{History, Witness};

/// Of a commit order with more transactions only both ends are shown.
const LONG: usize = 48;

/// The lines that show a commit order, shortened if it is long.
///
/// ```
/// use tribunal::transactions::{History, Op, Status, Verdict, check};
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, Some(1))]);
/// b.transaction(c, Status::Committed, None, &[Op::Write(x, 1)]);
/// let history = b.build()?;
/// let Verdict::Consistent(witness) = check(&history, "ser".parse()?) else { panic!("ser") };
/// assert_eq!(tribunal_report::transactions::show_witness(&history, &witness), ["commit order:", "  T1, T0"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn show_witness(history: &History, witness: &Witness) -> Vec<String> {
    let Witness { commits, sources } = witness;
    let mut names: Vec<String> = commits.iter().map(|&txn| name(txn)).collect();
    if names.len() > LONG {
        let missing = names.len() - LONG;
        names.splice(LONG / 2..LONG / 2 + missing, [format!(".. {missing} more ..")]);
    }
    let mut lines = vec!["commit order:".to_string(), " ".into()];
    let count = names.len();
    for (mut shown, at) in names.into_iter().zip(1..) {
        if at < count {
            shown.push(',');
        }
        if lines[lines.len() - 1].len() + 1 + shown.len() > WIDTH {
            lines.push(" ".into());
        }
        if let Some(last) = lines.last_mut() {
            *last += " ";
            *last += &shown;
        }
    }
    if count == 0 {
        lines = vec!["no transaction counts: there is nothing to order".into()];
    }
    let shown = sources.iter().take(LONG).map(|&(read, source)| {
        format!("{} has {} from {}", name(history.txn_of(read)), reading(history, read), name(source))
    });
    lines.extend(shown);
    if sources.len() > LONG {
        lines.push(format!(".. and {} more reads of values that were written twice", sources.len() - LONG));
    }
    let left_out = history.len() - commits.len();
    if left_out > 0 {
        let what = if left_out == 1 { "transaction does" } else { "transactions do" };
        lines.push(format!("{left_out} {what} not count: aborted, or of unknown outcome and never read"));
    }
    lines
}
