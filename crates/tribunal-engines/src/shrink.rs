//! Shrinking an inconsistent history: the part that is left when nothing more can be left out, and the loop that leaves out.
//!
//! Each kind of history knows what may be left out, and what goes with it: `memory::shrink`, `object::shrink` and `transactions::shrink`.

use std::ops::Range;
use tribunal_history::verdict::Limit;

/// A smallest inconsistent part of a history: a [`Part`], or a violation that names its operations.
#[derive(Clone, Debug)]
pub struct Shrunk<P> {
    /// The part.
    pub part: P,
    /// The limit that was reached, if any; then the part may not be minimal.
    pub limit: Option<Limit>,
}

/// A part of a history, as a history by itself.
#[derive(Clone, Debug)]
pub struct Part<H, Id> {
    /// The history.
    pub history: H,
    /// What its events, or transactions, are in the whole, in the same order.
    pub kept: Vec<Id>,
}

/// Pieces of an inconsistent history that may be left out.
pub(crate) trait Pieces {
    /// How many there are.
    fn len(&self) -> usize;

    /// Leaves out some, perhaps with others, if what is left is still inconsistent; returns whether it is.
    fn leave_out(&mut self, pieces: Range<usize>) -> bool;

    /// Whether a limit ends the work.
    fn is_over(&self) -> bool;
}

/// Leaves out stretches of pieces, ever shorter, until no single one can go: one that could not go before may go after others have.
pub(crate) fn leave_out(pieces: &mut impl Pieces) {
    let mut stretch = pieces.len().div_ceil(2);
    loop {
        let mut went = false;
        let mut at = 0;
        while at < pieces.len() && !pieces.is_over() {
            let end = (at + stretch).min(pieces.len());
            if pieces.leave_out(at..end) {
                went = true;
            } else {
                at = end;
            }
        }
        if stretch > 1 && !pieces.is_over() {
            stretch = stretch.div_ceil(2);
        } else if !went {
            return;
        }
    }
}
