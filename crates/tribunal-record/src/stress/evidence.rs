//! A run that breaks a criterion, for people.

use super::case::{Case, limits, typed};
use crate::order::with_times;
use std::fmt;
use tribunal::object::{Criterion, History, OpId, Specification, Verdict, judge, shrink};
use tribunal_report::object::{explain, listing};
use tribunal_report::{SCREENFUL, fold};

/// What is left of a run that breaks a criterion: as few operations as may be, and why nothing explains them.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The operations that are left, with their order as times; one that had not returned is pending.
    pub history: History,
    /// What they break.
    pub criterion: Criterion,
    /// How many orders agree with what was seen of the run. The history has one of them; the run breaks the criterion in
    /// all.
    pub orders: usize,
    explanation: Vec<String>,
}

impl Evidence {
    /// That a case breaks a criterion, if it does. Operations that `left_out` names are not looked at: they must be such that
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
        let violation = shrink(&part, criterion, &limits(), |_| ()).ok()?.violation;
        let history = with_times(part.part(&violation.operations, violation.cut).into_history());
        let left = typed(&history, spec);
        let Verdict::Inconsistent(violation) = judge(&left, criterion, &limits()).verdict else {
            return None;
        };
        let explanation = explain(&left, criterion, &violation, &limits());
        let mut lines = listing(&history, &[], &explanation, SCREENFUL);
        lines.push(String::new());
        lines.extend(fold(&explanation.lines, SCREENFUL));
        Some(Evidence {
            history,
            criterion: criterion.clone(),
            orders: case.histories.len(),
            explanation: lines,
        })
    }

    /// The listing and the explanation, line by line.
    pub fn lines(&self) -> &[String] {
        &self.explanation
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = match self.orders {
            1 => String::new(),
            orders => format!(", in each of the {orders} orders that agree with what was seen; this is one"),
        };
        writeln!(f, "not {}{open}:", self.criterion)?;
        for (at, line) in self.explanation.iter().enumerate() {
            write!(f, "{}{line}", if at > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}
