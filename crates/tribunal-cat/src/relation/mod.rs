//! Sets of events and relations on them, as bits: the algebra in which models are written.
//!
//! ```
//! use tribunal_cat::relation::{Relation, Set};
//! let mut r = Relation::empty(3);
//! r.insert(0, 1);
//! r.insert(1, 2);
//! assert!(r.is_acyclic() && r.sequence(&r).contains(0, 2));
//! assert_eq!(r.plus().len(), 3);
//! assert_eq!(r.domain(), Set::of(3, [0, 1]));
//! ```

mod bits;
mod closure;
mod into;
mod matrix;
mod set;
mod small;

pub use bits::{contains, insert, members};
pub use matrix::Relation;
pub use set::Set;
pub use small::{SmallRelation, SmallSet, small_members};
