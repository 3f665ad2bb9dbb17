//! wsc: the saturation of sc (Zennou et al. 2020).
//!
//! - acyclic(hb), for the least hb and st with
//!   st = ((hb_WR ; rf⁻¹ minus identity) ∪ hb_WW)⁺ and hb = (po ∪ rf ∪ st ∪ rw\[st\])⁺
//!
//! Near O(n·k): these are the rules of [`saturation`](crate::memory::order::views::saturation) on sc's base graph.

use super::multiprocessor::{Explanation, saturated};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Axiom, Limit, Verdict, Violation, Witness};

pub(super) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let explain = Explanation::new(x, &Preserved::SC);
    Ok(match saturated(x, &Preserved::SC, &explain, limits)? {
        Ok(_) => Verdict::Consistent(Witness::History),
        Err(Violation { refutation, .. }) => {
            Verdict::Inconsistent(Violation { axiom: Axiom::SaturatedSequential, refutation })
        }
    })
}
