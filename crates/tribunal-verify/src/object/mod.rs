//! Verifies certificates of object histories against the definitions, without sharing code with the engines.
//!
//! A witness, an abstract execution, is checked axiom by axiom. A violation, a part of the history, is checked in two steps: the
//! omitted operations may be omitted (see [`Violation`](tribunal_history::object::Violation)), and nothing explains the part, by trying everything.
//! What exceeds the limits is refused: [`Refusal::Limit`].
//!
//! A specification is defined by its initial state and its steps. Anything else it says about itself, such as
//! [`read_only`](tribunal_history::object::Spec::read_only), is a [`Hint`]. The verifier uses a hint only if it would take too long without, and then
//! the acceptance names it ([`Accepted`]). It proves that operations change nothing if they can reach only a few states.
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

use tribunal_history::limits::Limits;
use tribunal_history::object::{Axiom, Criterion, History, OpId, Relation, Specification, Verdict};

/// The default memory limit of a verification: 1 GB.
pub const MOST_MEMORY: usize = 1 << 30;

/// Verifies that a verdict's certificate proves it, and returns the hints of the specification that the proof depends on. It uses at most
/// [`MOST_MEMORY`]. A history that does not match the specification has no certificate.
///
/// A verdict that is neither consistent nor inconsistent claims nothing and is refused.
pub fn verify(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    verdict: &Verdict,
) -> Result<Accepted, Refusal> {
    let limits = Limits { max_memory: MOST_MEMORY, ..Limits::default() };
    verify_within(history, spec, criterion, verdict, &limits)
}

/// Like [`verify`], with limits; if they do not suffice, the result is [`Refusal::Limit`].
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
