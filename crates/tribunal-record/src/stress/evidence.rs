//! A run that breaks a criterion, for people.

use super::case::{Case, limits, typed};
use crate::order::with_times;
use std::fmt;
use tribunal_engines::object::{judge, shrink};
use tribunal_history::object::{Criterion, History, OpId, Specification, Verdict};
use tribunal_report::Source;
use tribunal_report::object::{explain, listing, listing_of_all};
use tribunal_report::{SCREENFUL, fold};

/// A run of more operations is not listed whole.
const SHORT: usize = 16;

/// A run that breaks a criterion, and why nothing explains it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The run, with its order as times.
    pub run: History,
    /// As few of its operations as still break the criterion; one that had not returned is pending.
    pub history: History,
    /// The criterion that they break.
    pub criterion: Criterion,
    /// The name of the specification.
    pub spec: String,
    /// The number of orders that agree with what was seen of the run. The history has one of them; the run breaks the criterion in
    /// all.
    pub orders: usize,
    /// Of the operations that are left.
    explanation: Vec<String>,
    /// Of the run.
    whole: Vec<String>,
}

impl Evidence {
    /// The evidence that a case breaks a criterion, if it does. Operations that `left_out` names are not looked at: they must be such that
    /// the others can do without them.
    pub(crate) fn find(
        case: &Case,
        spec: &dyn Specification,
        criterion: &Criterion,
        left_out: impl Fn(&History, OpId) -> bool,
    ) -> Option<Self> {
        let whole = case.histories.first()?;
        let ops: Vec<OpId> = whole.ops().filter(|&op| !left_out(whole, op)).collect();
        let part = whole.part(&ops, None);
        let part = typed(&part, spec);
        let violation = shrink(&part, criterion, &limits(), |_| ()).ok()?.part;
        let run = with_times(whole.part(&ops, None));
        let history = with_times(part.part(&violation.operations, violation.cut).into_history());
        let left = typed(&history, spec);
        let Verdict::Inconsistent(violation) = judge(&left, criterion, &limits()).0 else {
            return None;
        };
        let explanation = explain(&left, criterion, &violation, &limits());
        let mut lines = listing(&history, Source::default(), &explanation, SCREENFUL);
        lines.push(String::new());
        lines.extend(fold(&explanation.lines, SCREENFUL));
        Some(Evidence {
            whole: explained(&run, spec, criterion).unwrap_or_else(|| lines.clone()),
            run,
            history,
            criterion: criterion.clone(),
            spec: spec.name().into(),
            orders: case.histories.len(),
            explanation: lines,
        })
    }

    /// The listing of the operations that are left, and why nothing explains them, line by line.
    pub fn lines(&self) -> &[String] {
        &self.explanation
    }
}

/// The listing of a run, whole if it is short, and why nothing explains it: an operation that only interfered is part of the
/// reason. None if the run alone does not break the criterion.
fn explained(run: &History, spec: &dyn Specification, criterion: &Criterion) -> Option<Vec<String>> {
    let run = typed(run, spec);
    let Verdict::Inconsistent(violation) = judge(&run, criterion, &limits()).0 else { return None };
    let explanation = explain(&run, criterion, &violation, &limits());
    let mut lines = match run.history().len() {
        ..=SHORT => listing_of_all(run.history(), &explanation, SCREENFUL),
        _ => listing(run.history(), Source::default(), &explanation, SCREENFUL),
    };
    lines.push(String::new());
    lines.extend(fold(&explanation.lines, SCREENFUL));
    Some(lines)
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = match self.orders {
            1 => String::new(),
            orders => format!(", in each of the {orders} orders that agree with what was seen; this is one"),
        };
        writeln!(f, "not {}{open}:", self.criterion)?;
        for (at, line) in self.whole.iter().enumerate() {
            write!(f, "{}{line}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}
