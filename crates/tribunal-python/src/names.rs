//! The things that Python names: models, specifications, engines and formats.

use crate::error::error;
use pyo3::prelude::*;
use tribunal_engines::Engine;
use tribunal_formats::Format;
use tribunal_host::{named, specifications};
use tribunal_report::{Check, Question, Questions};

/// The name that leaves the choice of an engine to the question.
const AUTO: &str = "auto";

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

/// A check: the questions, what objects should do, and the engine that decides.
pub fn check(models: Option<Names>, spec: Option<&str>, engine: Option<Engine>) -> PyResult<Check> {
    let check = Check::new(questions(models)?, specifications(spec).map_err(error)?);
    check.by(engine).map_err(error)
}

/// The engine of this name; none for `auto`, the best for each question.
pub fn engine(name: Option<&str>) -> PyResult<Option<Engine>> {
    let Some(name) = name.filter(|name| *name != AUTO) else { return Ok(None) };
    let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<_> = std::iter::once(AUTO).chain(Engine::ALL.map(Engine::name)).collect();
        error(format!("unknown engine `{name}`; there are {}", names.join(", ")))
    })
}

/// The format of this name.
pub fn format(name: Option<&str>) -> PyResult<Option<Format>> {
    name.map(|name| name.parse().map_err(error)).transpose()
}
