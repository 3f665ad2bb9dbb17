//! Texts of models: what they mean, what they decide, and what is wrong with them.

mod by_hand;
mod decide;
mod definitions;
mod documents;
mod evaluate;
mod herd;
mod language;
mod large;
mod limits;
mod semantics;
mod small;
