//! What the programs that use Tribunal share: the command, and the libraries for C and Python.
//!
//! Between the bytes of a history and the words of a verdict they all do the same: they take models and specifications by
//! name or from a file ([`named`], [`specifications()`]), keep to limits of memory ([`most_memory`], [`Memory`]), and keep
//! histories with where they are from ([`Source`]). Questions, answers and words are `tribunal-report`'s.
//!
//! ```
//! use tribunal::{Limits, Verdict};
//! use tribunal_host::{Source, named};
//! use tribunal_report::Question;
//! let text = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
//! let history = tribunal_formats::read(text.as_bytes(), "sb.txt", None)?.next().expect("a history")?;
//! let source = Source::new("sb.txt", 0, history);
//! let sc: Question = named("sc")?;
//! let answer = source.answer(&sc, None, &Limits::default())?;
//! assert_eq!(answer.verdict(), Verdict::Inconsistent(()));
//! assert!(source.explain(&answer, &Limits::default()).contains("store buffering"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod heap;
mod memory;
mod models;
mod share;
mod source;
mod specifications;
mod text;

pub use memory::{LEAST, all_memory, most_memory, reading};
pub use models::{INCLUDE, directories, named, named_within};
pub use share::{MOST_WORKERS, Memory};
pub use source::Source;
pub use specifications::{BadSpecification, specifications};
pub use text::{read_text, read_text_from, read_utf8};
