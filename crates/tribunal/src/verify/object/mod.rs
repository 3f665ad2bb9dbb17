//! Checks certificates of histories of operations from the definitions alone: it shares no code with the engines that make them.
//!
//! A witness, an abstract execution, is checked axiom by axiom. A violation, a part of the history, is checked in two steps: that
//! what it leaves out may be left out ([`Violation`](crate::object::Violation) says when), and that nothing explains the part, by trying everything.
//! A part for which that is too much is refused: [`Refusal::TooLarge`].
//!
//! ```
//! use tribunal::object::{AbstractExecution, Criterion, History, OpId, Value, Visibility, specs::Register};
//! use tribunal::verify::object::verify_witness;
//! let mut b = History::builder();
//! let (p, q) = (b.process("0"), b.process("1"));
//! let write = b.call(p, "write", &[Value::from(1)], 0);
//! b.ret(write, Value::Null, 2);
//! let read = b.call(q, "read", &[], 1);
//! b.ret(read, Value::from(1), 3);
//! let history = b.build()?;
//! let witness = |lin: [OpId; 2]| AbstractExecution { lin: lin.to_vec(), vis: Visibility::All };
//! let verify = |lin| verify_witness(&history, &Register::default(), &Criterion::Linearizable, &witness(lin));
//! assert!(verify([write, read]).is_ok());
//! let refusal = verify([read, write]).expect_err("the read is too early");
//! assert_eq!(refusal.to_string(), "operation 1 (1: read() → 1) would return null after what it sees");
//! # Ok::<(), tribunal::object::MalformedHistory>(())
//! ```

mod configurations;
mod frontiers;
mod omission;
mod refusal;
#[cfg(test)]
mod tests;
mod unchanged;
mod violation;
mod visibilities;
mod witness;

pub use refusal::{Named, Refusal};
pub use violation::verify_violation;
pub use witness::verify_witness;

use crate::object::{Axiom, Criterion, History, OpId, Relation, Specification, Verdict};

/// Accepts a verdict whose certificate proves it. A history that does not fit the specification has none.
///
/// A verdict that is neither yes nor no claims nothing and is refused.
pub fn verify(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
) -> Result<(), Refusal> {
    match verdict {
        Verdict::Consistent(execution) => verify_witness(history, spec, criterion, execution),
        Verdict::Inconsistent(violation) => verify_violation(history, spec, criterion, violation),
        Verdict::Undecided(_) | Verdict::Unsupported(_) => Err(Refusal::NoClaim { word: verdict.word() }),
    }
}

/// Whether a criterion lets every operation see all that is before it: vis = lin.
fn all_see_all(criterion: &Criterion) -> bool {
    let lin =
        |axiom: &Axiom| axiom.left == Relation::Vis && axiom.right == [Relation::Lin] && axiom.to.is_none();
    let axioms = criterion.axioms();
    axioms.iter().any(lin) && axioms.iter().all(|axiom| !axiom.right.is_empty())
}

/// A certificate may come from anywhere: its ids are looked at only after this.
fn known(history: &History, op: OpId) -> Result<OpId, Refusal> {
    if op.index() < history.len() {
        Ok(op)
    } else {
        Err(Refusal::UnknownOperation { op, operations: history.len() })
    }
}
