//! The violations that a monitor found, in words.

use super::explain;
use crate::{SCREENFUL, fold, printable};
use tribunal_engines::memory::judge;
use tribunal_engines::memory::monitor::{Monitor, Violation};
use tribunal_formats::{Format, Labels, Writer, write_history};
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// The event that a monitor of a model found and why it cannot be, in a line; and below it the part of the execution that shows it.
///
/// ```
/// use tribunal::{Limits, Model, memory::{Op, Monitor}};
/// use tribunal_report::memory::monitored;
/// let mut monitor = Monitor::new(Model::Sc, 100)?;
/// let (t, x) = (monitor.thread("T0"), monitor.location("x", 0));
/// monitor.event(t, Op::write(x, 1));
/// monitor.event(t, Op::read(x, 0));
/// let found = monitor.found().expect("the value is overwritten");
/// let (line, below) = monitored(&monitor, Model::Sc, &found, &Limits::default());
/// assert_eq!(line, "T0:1 R x 0: every order of the writes has a cycle with it");
/// assert!(below.iter().any(|line| line.contains("in this part:")));
/// # Ok::<(), tribunal::memory::NoSession>(())
/// ```
pub fn monitored(
    monitor: &Monitor,
    model: Model,
    violation: &Violation,
    limits: &Limits<'_>,
) -> (String, Vec<String>) {
    let line = format!("{}: {}", printable(&monitor.show(violation)), violation.why);
    let Some(shrunk) = monitor.part(violation, limits) else {
        let unknown = "  what that rests on is older than the latest events, or takes too long to find";
        return (line, vec![unknown.into()]);
    };
    let mut below = Vec::new();
    if let Verdict::Inconsistent(broken) = judge(&shrunk.part.history, model, limits).0 {
        below.push(format!("  breaks {}, {}", broken.axiom, broken.axiom.formula()));
        let lines = fold(&explain(&shrunk.part.history, model, &broken), SCREENFUL);
        below.extend(lines.iter().map(|line| format!("  {line}")));
    }
    below.push("  in this part:".into());
    let mut writer = Writer::new(Vec::new(), Format::Text);
    if write_history(&mut writer, &shrunk.part.history, &Labels::default()).is_ok()
        && let Ok(history) = writer.finish()
    {
        below
            .extend(String::from_utf8_lossy(&history).lines().map(|line| format!("    {}", printable(line))));
    }
    (line, below)
}
