//! Checks certificates of histories of operations from the definitions alone: it shares no code with the engines that make them.
//!
//! A witness, an abstract execution, is checked axiom by axiom. A violation, a part of the history, is checked in two steps: that
//! what it leaves out may be left out ([`Violation`](crate::object::Violation) says when), and that nothing explains the part, by trying everything.
//! What is beyond the limits is refused: [`Refusal::Limit`].
//!
//! A specification is what it does: its initial state and its steps. What it says of itself beside that, such as
//! [`read_only`](crate::object::Spec::read_only), is a [`Hint`]: it spares the verifier work only where that is too much without it, and then
//! the acceptance names it ([`Accepted`]). That operations change nothing is proved, where they can lead to few states.
//!
//! ```
//! use tribunal::Limits;
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
//! let (spec, limits) = (Register::default(), Limits::default());
//! let verify = |lin| verify_witness(&history, &spec, &Criterion::Linearizable, &witness(lin), &limits);
//! assert!(verify([write, read]).is_ok());
//! let refusal = verify([read, write]).expect_err("the read is too early");
//! assert_eq!(refusal.to_string(), "operation 1 (1: read() → 1) would return null after what it sees");
//! # Ok::<(), tribunal::object::MalformedHistory>(())
//! ```

mod budget;
mod configurations;
mod found;
mod frontiers;
mod hints;
mod idle;
mod omission;
mod refusal;
#[cfg(test)]
mod tests;
mod violation;
mod visibilities;
mod witness;

pub use hints::{Accepted, Hint, Hints};
pub use refusal::{Named, Refusal};
pub use violation::verify_violation;
pub use witness::verify_witness;

use crate::limits::Limits;
use crate::object::{Axiom, Criterion, History, OpId, Relation, Specification, Verdict};

/// What a verification may take where nobody says how much: 1 GB.
pub const MOST_MEMORY: usize = 1 << 30;

/// Accepts a verdict whose certificate proves it, and says which hints of the specification that rests on; it takes
/// [`MOST_MEMORY`] at most. A history that does not fit the specification has no certificate.
///
/// A verdict that is neither yes nor no claims nothing and is refused.
pub fn verify(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
) -> Result<Accepted, Refusal> {
    let limits = Limits { max_memory: MOST_MEMORY, ..Limits::default() };
    verify_within(history, spec, criterion, verdict, &limits)
}

/// As [`verify`], within limits: what they do not suffice for is refused, [`Refusal::Limit`].
pub fn verify_within(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
    limits: &Limits<'_>,
) -> Result<Accepted, Refusal> {
    match verdict {
        Verdict::Consistent(execution) => {
            verify_witness(history, spec, criterion, execution, limits).map(|()| Accepted::default())
        }
        Verdict::Inconsistent(violation) => verify_violation(history, spec, criterion, violation, limits),
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
