//! Separating models: the smallest history that one allows and another forbids.
//!
//! All histories of up to so many events are gone through, the small ones first, once up to the names of threads, locations and
//! values (`shape`, `sources`). What is left out, no smallest example needs:
//!
//! - *Values* only say rf. *Final values* are left out.
//! - *Dependencies*, *orders* of accesses and *times* make a model that looks at them forbid more. So an example has none
//!   of them if the forbidding model does not look, and all there can be if the allowing one does not: with every event seq_cst,
//!   rc20 and rc11 are sc. Only two models that both look at dependencies, or at orders, need all there are, one by one; of two
//!   that both look at times, histories without are tried.
//! - *Fences*, likewise, are left out if the forbidding model does not look, or the allowing one does not apply, and are
//!   seq_cst if the allowing one does not look.
//! - Of a model that is a text nothing of the kind is known: see `text`.
//! - A smallest example has no event that can go: every model allows the parts of what it allows, so that such a part would be a
//!   smaller example.

mod annotate;
mod criteria;
mod judge;
mod levels;
mod search;
mod seq_cst;
mod shape;
mod sources;
mod text;

#[cfg(test)]
mod tests;

pub use criteria::{Example, criteria};
pub use levels::levels;
pub use search::{Pair, Search, Separations, models};
pub use shape::MOST_EVENTS;
