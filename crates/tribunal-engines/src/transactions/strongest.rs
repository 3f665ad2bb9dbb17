//! The strongest levels that a history satisfies.

use super::{Anomaly, History, Level, SmallestAnomaly, Verdict, judge};
use tribunal_history::limits::Limits;

/// The strongest levels that a history satisfies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrongestLevels {
    /// The strongest levels that it satisfies; none of them includes another.
    pub strongest: Vec<Level>,
    /// Levels that limits left undecided.
    pub undecided: Vec<Level>,
    /// The mildest anomaly, unless it satisfies every level that applies.
    pub anomaly: Option<SmallestAnomaly>,
}

/// The strongest levels that a history satisfies. Levels decided by inclusion are not checked; the limits apply to each check.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::transactions::{History, Op, Status, strongest_levels};
/// // Write skew: each overwrites what the other read.
/// let mut b = History::builder();
/// let (a, c, x, y) = (b.session("a"), b.session("c"), b.key("x"), b.key("y"));
/// let reads = [Op::Read(x, None), Op::Read(y, None)];
/// b.transaction(a, Status::Committed, None, &[reads[0], reads[1], Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[reads[0], reads[1], Op::Write(y, 1)]);
/// let found = strongest_levels(&b.build()?, &Limits::default());
/// assert_eq!(found.strongest, ["session-si".parse().expect("a level")]);
/// assert_eq!(found.anomaly.expect("a violation").anomaly.to_string(), "write skew");
/// # Ok::<(), tribunal::transactions::MalformedHistory>(())
/// ```
pub fn strongest_levels(history: &History, limits: &Limits<'_>) -> StrongestLevels {
    let mut found = StrongestLevels::default();
    let mut violated: Vec<Level> = Vec::new();
    // The weakest first: most of what follows then follows from few.
    for level in Level::ALL.into_iter().rev().filter(|level| !level.needs_times() || history.is_timed()) {
        if violated.iter().any(|weak| weak.includes(level)) {
            continue;
        }
        match judge(history, level, limits).0 {
            Verdict::Consistent(_) => {
                // What satisfies it satisfies those that include it.
                found.strongest.retain(|weak| !weak.includes(level));
                found.undecided.retain(|weak| !weak.includes(level));
                found.strongest.push(level);
            }
            Verdict::Inconsistent(violation) => {
                violated.push(level);
                let anomaly =
                    || SmallestAnomaly { level, anomaly: Anomaly::of(history, level, &violation), violation };
                if found.anomaly.is_none() {
                    found.anomaly = Some(anomaly());
                }
            }
            Verdict::Undecided(_) => found.undecided.push(level),
            Verdict::Unsupported(_) => {}
        }
    }
    found.strongest.reverse();
    found
}
