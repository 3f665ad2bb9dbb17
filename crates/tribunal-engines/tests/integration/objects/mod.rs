//! Histories of objects: engines, labels, definitions and certificates agree.

mod abstract_executions;
mod certificates;
mod collections;
mod collections_appended;
mod collections_ordered;
mod corpus;
mod engines;
mod hints;
mod knossos;
mod limits;
mod monitor;
mod naive;
mod partial;
mod porcupine;
mod properties;
mod shrink;
mod sketch;
mod third_party;
mod tickets;
mod typed;
mod visibility;
