//! The search through cases, depth first, with backjumping.

use super::{Next, Refuted, Theory};

/// An open split: the case at hand, those that are left, the next last, and those that are refuted.
struct Split<T: Theory> {
    case: T::Case,
    rest: Vec<T::Case>,
    refuted: Vec<(T::Case, Refuted<T::Proof>)>,
}

impl<T: Theory> Split<T> {
    /// How many bytes its refutations take.
    fn bytes(&self) -> usize {
        self.refuted.iter().map(|(_, refuted)| refuted.bytes + size_of_val(&refuted.cases[..])).sum()
    }
}

/// A solution, or why there is none.
type Decided<T> = Result<<T as Theory>::Solution, <T as Theory>::Proof>;

/// A solution, or why there is none. Nothing after more than `patience` refutations, with all cases taken back.
pub(crate) fn search<T: Theory>(theory: &mut T, patience: u64) -> Result<Option<Decided<T>>, T::Limit> {
    let mut open: Vec<Split<T>> = Vec::new();
    let (mut held, mut refutations) = (0, 0);
    loop {
        let mut at_hand = match theory.next()? {
            Next::Solved(solution) => return Ok(Some(Ok(solution))),
            Next::Refuted(refuted) => Some(refuted),
            Next::Split(mut rest) => {
                let case = rest.pop().expect("a split has cases");
                open.push(Split { case, rest, refuted: Vec::new() });
                theory.count(held)?;
                theory.assume(case)?
            }
        };
        while let Some(refuted) = at_hand {
            refutations += 1;
            if refutations > patience {
                open.iter().for_each(|_| theory.retract());
                return Ok(None);
            }
            match back(theory, &mut open, &mut held, refuted) {
                Ok(case) => {
                    theory.count(held)?;
                    at_hand = theory.assume(case)?;
                }
                Err(proof) => return Ok(Some(Err(proof))),
            }
        }
    }
}

/// Goes back to the deepest split that a refutation rests on and that has cases left; the next of them, or the refutation of everything.
fn back<T: Theory>(
    theory: &mut T,
    open: &mut Vec<Split<T>>,
    held: &mut usize,
    mut refuted: Refuted<T::Proof>,
) -> Result<T::Case, T::Proof> {
    while let Some(mut split) = open.pop() {
        theory.retract();
        *held -= split.bytes();
        if refuted.cases.pop_if(|&mut last| last as usize == open.len()).is_none() {
            continue;
        }
        split.refuted.push((split.case, refuted));
        if let Some(case) = split.rest.pop() {
            *held += split.bytes();
            open.push(Split { case, ..split });
            return Ok(case);
        }
        refuted = join(theory, split.refuted);
    }
    Err(refuted.proof)
}

/// The refutation of a split, all of whose cases are refuted.
fn join<T: Theory>(theory: &mut T, refuted: Vec<(T::Case, Refuted<T::Proof>)>) -> Refuted<T::Proof> {
    let (mut cases, mut bytes) = (Vec::new(), refuted.len() * size_of::<T::Proof>());
    let each = refuted.into_iter().map(|(case, refuted)| {
        cases.extend(refuted.cases);
        bytes += refuted.bytes;
        (case, refuted.proof)
    });
    let proofs = each.collect();
    cases.sort_unstable();
    cases.dedup();
    Refuted { proof: theory.join(proofs), cases, bytes }
}
