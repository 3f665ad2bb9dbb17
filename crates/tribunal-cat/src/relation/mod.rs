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

pub mod bits;
mod closure;
mod fixed;
mod into;
mod matrix;
mod rows;
mod set;
mod small;

pub use bits::{contains, insert, members};
pub use fixed::FixedSet;
pub use matrix::Relation;
pub use rows::BitRows;
pub use set::Set;
pub use small::{SmallRelation, SmallSet, small_members};
