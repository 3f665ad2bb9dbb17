//! Explanations of whatever is inconsistent in the labeled corpora.

mod corpora;
mod implied;
mod levels;
mod limits;
