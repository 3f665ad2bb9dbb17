//! Histories of objects: engines, labels, definitions and certificates agree.

mod certificates;
mod corpus;
mod engines;
mod hints;
mod knossos;
mod limits;
mod naive;
mod porcupine;
mod properties;
mod shrink;
mod sketch;
mod third_party;
mod typed;
