//! An abstract execution in words.

use super::wrapped;
use crate::printable;
use tribunal_history::object::{AbstractExecution, History, OpId, Visibility};

/// Of a linearization with more operations only both ends are shown.
const LONG: usize = 64;

/// The lines that show an abstract execution.
pub fn show_witness(history: &History, execution: &AbstractExecution) -> Vec<String> {
    let lin = &execution.lin;
    let mut lines = vec!["lin:".to_string()];
    let (begin, end) =
        if lin.len() > LONG { (LONG / 2, lin.len() - LONG / 2) } else { (lin.len(), lin.len()) };
    let mut shown: Vec<String> = lin[..begin].iter().map(|&op| history.show(op)).collect();
    if begin < end {
        shown.push(format!("... {} more ...", end - begin));
    }
    shown.extend(lin[end..].iter().map(|&op| history.show(op)));
    lines.extend(wrapped(shown, "; ").into_iter().map(|line| format!("  {}", printable(&line))));
    match &execution.vis {
        Visibility::All => lines.push("vis: each operation sees all before it".into()),
        Visibility::Sets(sets) => {
            lines.push("vis, where an operation does not see all before it:".into());
            let partial = |at: usize| sets.get(at).filter(|seen| seen.len() < at);
            let missing = (0..lin.len()).filter_map(|at| partial(at).map(|seen| (at, seen)));
            let mut rows: Vec<String> = missing
                .map(|(at, seen)| {
                    let missed: Vec<OpId> =
                        lin[..at].iter().filter(|op| !seen.contains(op)).copied().collect();
                    let missed: Vec<String> = missed.iter().map(|&op| history.show(op)).collect();
                    format!("  {} does not see {}", history.show(lin[at]), missed.join("; "))
                })
                .map(|row| printable(&row).into_owned())
                .collect();
            if rows.is_empty() {
                lines.pop();
                lines.push("vis: each operation sees all before it".into());
            } else if rows.len() > LONG {
                let more = rows.len() - LONG;
                rows.truncate(LONG);
                rows.push(format!("  ... {more} more"));
            }
            lines.extend(rows);
        }
    }
    lines
}
