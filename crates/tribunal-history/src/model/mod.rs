//! The memory models: a table with a row for each, and their definitions, which are texts in cat.

pub mod definition;
mod preserved;
mod table;

pub use preserved::{BadPreserved, Keep, Preserved};
pub use table::{Family, Model, UnknownModel};
