//! Memory models as text.
//!
//! - [`Model`]: a model in the cat language. It is parsed once, and has a [`plan`] for each [`Environment`] of names.
//! - [`relation`]: sets of events and relations between them, as bits.
//! - [`plan`]: a model with resolved names: a graph of operations, and checks on some of its nodes.
//! - [`evaluate`]: the values of a plan's nodes on an execution.
//! - [`polarity`]: how they change when the chosen orders grow.
//! - [`mod@derive`]: why a pair is in a relation, and why a check fails.
//! - [`refutation`]: why an execution has no orders on which all checks hold. `tribunal-engines` decides whether it has.
//! - [`text`]: what parsers are made of, of this language and of others.
//!
//! A plan is evaluated on [facts](plan::Facts): the sets and relations of an execution.
//!
//! ```
//! use tribunal_cat::{Architecture, Environment, Model, NoFiles};
//!
//! let text = r#"
//!   "Total store order"
//!   let ppo = po & (M * M) \ (W * R)
//!   acyclic po-loc | rf | co | fr as coherence
//!   acyclic ppo | fencerel(MFENCE) | rfe | co | fr as tso
//! "#;
//! let model = Model::parse(text, "tso.cat", &mut NoFiles)?;
//! let plan = model.plan(&Environment::of(Architecture::X86_64))?;
//! assert_eq!(plan.choices[0].name, "co");
//! assert_eq!(plan.checks[1].name.as_deref(), Some("tso"));
//!
//! let error = Model::parse("acyclic po | rg", "m.cat", &mut NoFiles)?.plan(&Environment::history()).unwrap_err();
//! assert_eq!(error.to_string().lines().next(), Some("m.cat:1:14: there is no `rg`; did you mean `rf`?"));
//! # Ok::<(), tribunal_cat::Error>(())
//! ```

mod builtin;
pub mod derive;
mod elaborate;
mod environment;
mod error;
pub mod evaluate;
mod lexer;
pub mod limits;
mod model;
mod parser;
pub mod plan;
pub mod polarity;
pub mod refutation;
pub mod relation;
mod source;
mod syntax;
pub mod text;

pub use elaborate::Contents;
pub use environment::{Architecture, Environment};
pub use error::{Error, Problem};
pub use model::Model;
pub use source::{Directories, Library, NoFiles};
