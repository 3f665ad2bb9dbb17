//! What the programs that use Tribunal share: the command, and the libraries for C and Python.
//!
//! Between the bytes of a history and the words of a verdict they all do the same: they take models and specifications by
//! name or from a file ([`named`], [`specifications()`]), keep to limits of memory ([`most_memory`], [`Memory`]), and hand
//! out answers that outlive the question ([`Answer`]). Questions and words are `tribunal-report`'s.
//!
//! ```
//! use std::sync::Arc;
//! use tribunal::Limits;
//! use tribunal_host::{Answer, Source, named};
//! use tribunal_report::{EngineChoice, Question, Word};
//! let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
//! let history = tribunal_formats::read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
//! let source = Arc::new(Source::new("sb.txt", 0, history));
//! let sc: Question = named("sc")?;
//! let answer = Answer::of(&source, &sc, EngineChoice::Auto, &Limits::default())?;
//! assert_eq!(answer.word(), Word::Inconsistent);
//! assert!(answer.explain(&Limits::default()).contains("store buffering"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod heap;
mod memory;
mod models;
mod share;
mod specifications;
mod text;

pub use answer::{Answer, Source};
pub use memory::{LEAST, all_memory, most_memory, reading};
pub use models::{INCLUDE, directories, named, named_within};
pub use share::{MOST_WORKERS, Memory};
pub use specifications::{BadSpecification, specifications};
pub use text::{read_text, read_text_from, read_utf8};
