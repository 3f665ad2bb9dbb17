//! A violation as `check` prints it: the anomaly, and its steps below.

use super::story::{Story, story};
use crate::line::Line;
use tribunal_history::transactions::{History, Level, TxnId, Violation};

/// The lines that explain why a history does not satisfy a level.
///
/// ```
/// use tribunal::transactions::{History, Op, Status, Verdict, check};
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Aborted, None, &[Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, Some(1))]);
/// let (history, level) = (b.build()?, "rc".parse()?);
/// let Verdict::Inconsistent(violation) = check(&history, level) else { panic!("not rc") };
/// let lines = tribunal_report::transactions::explain(&history, level, &violation);
/// assert_eq!(lines[0].text, "G1a, aborted read: T1 read x of T0, which aborted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(history: &History, level: Level, violation: &Violation) -> Vec<Line<TxnId>> {
    let Story { title, lines, steps, .. } = story(history, level, violation);
    let mut told = vec![Line {
        about: steps.iter().map(|step| step.from).collect(),
        arrows: steps.clone(),
        ..Line::new(0, &title)
    }];
    told.extend(lines.into_iter().map(|line| line.below(1)));
    told
}
