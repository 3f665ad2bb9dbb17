//! Pictures of histories and of what models say of them.
//!
//! A [`Document`] has all that a picture shows: the history, or a window of it, laid out, and what came of each question.
//! It is drawn by the page, as SVG and as DOT. Nothing here reads files or prints.

mod document;

pub use document::{
    Arrow, Document, Edge, Event, Kind, Line, MemoryRuling, ObjectRuling, Operation, Overview, Picture,
    Process, Said, Thread,
};
