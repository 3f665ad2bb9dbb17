//! Recording, as users do it.

mod guide;
mod stress;
