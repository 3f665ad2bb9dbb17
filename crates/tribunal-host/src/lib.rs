//! The machine that hosts a program, for the command and the libraries for C and Python; a page in a browser has none.
//!
//! It has memory, which is counted ([`heap`]) and divided among answers ([`most_memory`], [`Memory`]), and files, in which people write
//! models and specifications ([`named`], [`specifications()`]) and from which histories come ([`Source`]). Questions, answers and words
//! are `tribunal-report`'s.
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
mod named;
mod source;

pub use memory::{LEAST, MOST_WORKERS, Memory, all_memory, most_memory, reading};
pub use named::{BadSpecification, INCLUDE, directories, named, named_within, specifications};
pub use named::{read_text, read_text_from, read_utf8};
pub use source::Source;
