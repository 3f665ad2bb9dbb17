//! What is asked of histories: models of memories and criteria of objects, and what is to decide them.

use std::fmt;
use std::str::FromStr;
use tribunal::models::Preserved;
use tribunal::names::suggestion;
use tribunal::object::{self, Criterion};
use tribunal::{Engine, Model};

/// What a history may be asked to be consistent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// A model, of a memory.
    Model(Model),
    /// A criterion, of an object.
    Criterion(Criterion),
}

impl Question {
    /// The names of the engines that decide it.
    pub fn engines(&self) -> Vec<&'static str> {
        match self {
            Question::Model(model) => model.engines().iter().map(|engine| engine.name()).collect(),
            Question::Criterion(criterion) => {
                criterion.engines().iter().map(|engine| engine.name()).collect()
            }
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Model(model) => model.fmt(f),
            Question::Criterion(criterion) => criterion.fmt(f),
        }
    }
}

impl FromStr for Question {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Criterion::ALL.into_iter().find(|criterion| criterion.name().eq_ignore_ascii_case(name));
        if let Some(criterion) = named {
            return Ok(Question::Criterion(criterion));
        }
        name.parse().map(Question::Model).map_err(|_| match name.parse::<Preserved>() {
            Err(bad) if name.starts_with("po-mm") => bad.to_string(),
            _ => {
                let (models, criteria) = (Model::ALL.map(Model::name), Criterion::ALL.map(|c| c.name()));
                format!(
                    "unknown model `{name}`; there are, of memories: {}; of objects: {}; and all{}",
                    models.join(", "),
                    criteria.join(", "),
                    suggestion(name, models.into_iter().chain(criteria).chain(["all"]))
                )
            }
        })
    }
}

/// The questions asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Questions {
    /// Every model or criterion that applies to the history.
    All,
    /// These, in this order, without repetition.
    These(Vec<Question>),
}

impl FromStr for Questions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Questions::All);
        }
        let mut questions = Vec::new();
        for name in text.split(',').map(str::trim) {
            let question = name.parse()?;
            if !questions.contains(&question) {
                questions.push(question);
            }
        }
        Ok(Questions::These(questions))
    }
}

/// What is to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    /// Whatever is best.
    Auto,
    /// The engines of this name alone: one for memories, one for objects, or both.
    Only {
        /// The name.
        name: &'static str,
        /// The one for memories.
        memory: Option<Engine>,
        /// The one for objects.
        object: Option<object::Engine>,
    },
}

impl EngineChoice {
    /// Every choice, `auto` first.
    pub fn all() -> Vec<EngineChoice> {
        let mut choices = vec![EngineChoice::Auto];
        let names =
            Engine::ALL.map(Engine::name).into_iter().chain(object::Engine::ALL.map(object::Engine::name));
        for name in names {
            let memory = Engine::ALL.into_iter().find(|engine| engine.name() == name);
            let object = object::Engine::ALL.into_iter().find(|engine| engine.name() == name);
            let choice = EngineChoice::Only { name, memory, object };
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
        choices
    }

    /// The choice's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Only { name, .. } => name,
        }
    }

    /// Whether it decides this question.
    pub fn decides(self, question: &Question) -> bool {
        match (self, question) {
            (EngineChoice::Auto, _) => true,
            (EngineChoice::Only { memory, .. }, Question::Model(model)) => {
                memory.is_some_and(|engine| engine.decides(*model))
            }
            (EngineChoice::Only { object, .. }, Question::Criterion(criterion)) => {
                object.is_some_and(|engine| engine.decides(criterion))
            }
        }
    }
}
