//! What Python says by name: models, specifications, engines and formats.

use crate::error::error;
use pyo3::prelude::*;
use tribunal_formats::Format;
use tribunal_host::{named, specifications};
use tribunal_report::{EngineChoice, Inquiry, Question, Questions};

/// One name, or several.
#[derive(FromPyObject)]
pub enum Names {
    /// One, or several with commas between.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// The questions of these names; every one that applies if there are none.
pub fn questions(names: Option<Names>) -> PyResult<Questions> {
    let names = match names {
        None => return Ok(Questions::All),
        Some(Names::One(name)) => vec![name],
        Some(Names::Several(names)) if names.is_empty() => {
            return Err(error("models: an empty list; leave it out to ask every model that applies"));
        }
        Some(Names::Several(names)) => names,
    };
    named(&names.join(",")).map_err(error)
}

/// The question of this name.
pub fn question(name: &str) -> PyResult<Question> {
    if name.eq_ignore_ascii_case("all") {
        return Err(error("`all` is no model: leave the model out to ask every one"));
    }
    named(name).map_err(error)
}

/// An inquiry: the questions, what objects should do, and what decides.
pub fn inquiry(models: Option<Names>, spec: Option<&str>, engine: Option<&str>) -> PyResult<Inquiry> {
    let inquiry = Inquiry::new(questions(models)?, specifications(spec).map_err(error)?);
    inquiry.by(self::engine(engine)?).map_err(error)
}

/// The engine of this name.
pub fn engine(name: Option<&str>) -> PyResult<EngineChoice> {
    let Some(name) = name else { return Ok(EngineChoice::Auto) };
    let choices = EngineChoice::all();
    choices.iter().copied().find(|choice| choice.name() == name).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|choice| choice.name()).collect();
        error(format!("unknown engine `{name}`; there are {}", names.join(", ")))
    })
}

/// The format of this name.
pub fn format(name: Option<&str>) -> PyResult<Option<Format>> {
    name.map(|name| name.parse().map_err(error)).transpose()
}
