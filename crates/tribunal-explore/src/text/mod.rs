//! Programs as text: small concurrent programs that need no compiler.
//!
//! ```
//! use tribunal_explore::text::Source;
//! let source = Source::parse(
//!     "atomic x, y
//!      thread A { x = 1 @rel; a = y @acq }
//!      thread B { y = 1 @rel; b = x @acq }
//!      expect executions 4, outcomes (0|1, 0|1)",
//! )?;
//! let code = source.compile(&[])?;
//! assert_eq!(code.outcome_names().collect::<Vec<_>>(), ["a", "b"]);
//! # Ok::<(), tribunal_explore::text::TextError>(())
//! ```
//!
//! docs/explore.md describes the language.

mod code;
mod compile;
mod error;
mod expect;
mod final_values;
mod outcomes;
mod parser;
mod run;
mod setting;
mod syntax;
#[cfg(test)]
mod tests;
mod token;

pub use code::Code;
pub use error::{ExploreError, Mistake, TextError};
pub use expect::{Case, FailureKind, Mismatch};
pub use outcomes::Outcomes;
pub use run::{FREED, Interpreter};
pub use setting::{BadSetting, Setting, Value, order_name};
pub use tribunal_cat::text::Position;

use crate::options::Options;
use crate::report::Report;
use crate::search::search;
use std::sync::Arc;
use syntax::{ConstantValue, Expectation, Expr, File};
use tribunal_history::model::Model;

/// A program as text.
#[derive(Clone, Debug)]
pub struct Source {
    file: File,
}

/// The result of exploring a program.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Counts, and how it ended.
    pub report: Report,
    /// The outcomes of complete executions.
    pub outcomes: Outcomes,
}

impl Source {
    /// Reads a program.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Ok(Source { file: parser::parse(text)? })
    }

    /// Compiles the program with constants set; the others have their declared values.
    pub fn compile(&self, settings: &[Setting]) -> Result<Code, TextError> {
        compile::compile(&self.file, settings)
    }

    /// The values of all constants.
    pub fn constants(&self, settings: &[Setting]) -> Result<Vec<Setting>, TextError> {
        compile::constants(&self.file, settings)
    }

    /// The expectations, one per combination of settings and model that the program names.
    pub fn cases(&self) -> Result<Vec<Case>, TextError> {
        let mut cases: Vec<(Vec<Setting>, Case)> = Vec::new();
        // By the values of all constants, how many values an outcome has.
        let mut lengths: Vec<(Vec<Setting>, usize)> = Vec::new();
        for case in &self.file.cases {
            let mut settings = Vec::new();
            for (name, value) in &case.settings {
                let value = match value {
                    ConstantValue::Number(Expr::Number(number)) => Value::Number(*number),
                    ConstantValue::Number(_) => return Err(Mistake::NotConstant("a setting").at(name.at)),
                    ConstantValue::Order(order) => {
                        Value::Order(Value::order(&order.text).ok_or_else(|| {
                            let (expected, found) =
                                ("a number or an order".into(), format!("`{}`", order.text));
                            Mistake::Expected { expected, found }.at(order.at)
                        })?)
                    }
                };
                settings.push(Setting { name: name.text.clone(), value });
            }
            // What is wrong with a setting is wrong here.
            let here = |error: TextError| match error.at {
                at if at == Position::default() => error.problem.at(case.at),
                _ => error,
            };
            let constants = self.constants(&settings).map_err(here)?;
            let wanted = match lengths.iter().find(|(known, _)| *known == constants) {
                Some(&(_, length)) => length,
                None => {
                    let length = self.compile(&settings)?.outcome.len();
                    lengths.push((constants.clone(), length));
                    length
                }
            };
            for (item, at) in &case.items {
                let Expectation::Outcomes { these, except } = item else { continue };
                if let Some(wrong) = these.iter().chain(except).find(|tuple| tuple.len() != wanted) {
                    return Err(Mistake::OutcomeLength { wanted, given: wrong.len() }.at(*at));
                }
            }
            let model = case.model.unwrap_or(Model::Rc20);
            let items = case.items.iter().map(|(item, _)| item.clone());
            match cases.iter_mut().find(|(other, old)| *other == constants && old.model == model) {
                Some((_, old)) => old.items.extend(items),
                None => cases
                    .push((constants, Case { line: case.at.line, settings, model, items: items.collect() })),
            }
        }
        Ok(cases.into_iter().map(|(_, case)| case).collect())
    }

    /// The expectation for these settings and this model, if there is one.
    pub fn case(&self, settings: &[Setting], model: Model) -> Result<Option<Case>, TextError> {
        let constants = self.constants(settings)?;
        for case in self.cases()? {
            if case.model == model && self.constants(&case.settings)? == constants {
                return Ok(Some(case));
            }
        }
        Ok(None)
    }
}

/// Explores a program.
pub fn explore(code: impl Into<Arc<Code>>, options: &Options) -> Result<Exploration, ExploreError> {
    let code = code.into();
    if code.has_final_values() && options.model == Model::Wra {
        return Err(ExploreError::NoFinalValues(options.model));
    }
    let options = code.options(options);
    let make = || Interpreter::new(Arc::clone(&code), options.model);
    let (report, seen) = search(make, Interpreter::into_seen, &options)?;
    let outcomes = Outcomes::merged(&code, &seen);
    Ok(Exploration { report, outcomes })
}
