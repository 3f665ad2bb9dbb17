//! Questions about histories: models of memories, criteria of objects, isolation levels of transactions.

use std::fmt;
use std::str::FromStr;
use tribunal_engines::{Engine, memory, object, transactions};
use tribunal_formats::ReadAs;
use tribunal_history::model::Model;
use tribunal_history::model::Preserved;
use tribunal_history::names::suggestion;
use tribunal_history::object::Criterion;
use tribunal_history::transactions::Level;

/// What people call the models of processors and languages that have another name here.
const ALIASES: [(&str, &str); 12] = [
    ("x86", "tso"),
    ("x86-tso", "tso"),
    ("x86_64", "tso"),
    ("amd64", "tso"),
    ("sparc", "tso"),
    ("c11", "rc11"),
    ("c++11", "rc11"),
    ("c", "rc20"),
    ("c++", "rc20"),
    ("c++20", "rc20"),
    ("rust", "rc20"),
    ("seq_cst", "sc"),
];

/// A question: something that a history may be consistent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// A model, of a memory.
    Model(Model),
    /// A criterion, of an object.
    Criterion(Criterion),
    /// An isolation level, of transactions.
    Level(Level),
}

impl Question {
    /// The engines that decide it, the default first.
    pub fn engines(&self) -> &'static [Engine] {
        match self {
            Question::Model(model) => memory::engines(*model),
            Question::Criterion(criterion) => object::engines(criterion),
            Question::Level(level) => transactions::engines(*level),
        }
    }

    /// The names of these engines.
    pub fn engine_names(&self) -> Vec<&'static str> {
        self.engines().iter().map(|engine| engine.name()).collect()
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Model(model) => model.fmt(f),
            Question::Criterion(criterion) => criterion.fmt(f),
            Question::Level(level) => level.fmt(f),
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
        if let Ok(level) = name.parse() {
            return Ok(Question::Level(level));
        }
        name.parse().map(Question::Model).map_err(|_| match name.parse::<Preserved>() {
            Err(bad) if name.starts_with("po-mm") => bad.to_string(),
            _ => {
                let (models, criteria) = (Model::ALL.map(Model::name), Criterion::ALL.map(|c| c.name()));
                let levels = Level::ALL.map(Level::name);
                let names = models.into_iter().chain(criteria).chain(levels).chain(["all"]);
                let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
                format!(
                    "unknown model `{name}`{}; for memories: {}; for objects: {}; for transactions: {}; or all",
                    suggestion(alias.map_or(name, |(_, model)| model), names),
                    models.join(", "),
                    criteria.join(", "),
                    levels.join(", ")
                )
            }
        })
    }
}

/// The questions asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Questions {
    /// Every model, criterion or level that applies to the history.
    All,
    /// These, in this order, without repetition.
    These(Vec<Question>),
}

impl Questions {
    /// The kind of history that Jepsen's events are read as for them, with the specification that is given.
    pub fn read_as(&self, spec: Option<&str>) -> ReadAs {
        match self {
            Questions::These(questions) => read_as(questions, spec),
            _ => read_as(&[], spec),
        }
    }
}

/// The kind of history that Jepsen's events are read as for these questions: transactions if a level is asked for, operations of an object if a criterion is or a
/// specification is given, and else what they tell.
pub fn read_as(questions: &[Question], spec: Option<&str>) -> ReadAs {
    if questions.iter().any(|question| matches!(question, Question::Level(_))) {
        return ReadAs::Transactions;
    }
    match spec {
        Some(spec) => ReadAs::spec(spec),
        None if questions.iter().any(|question| matches!(question, Question::Criterion(_))) => {
            ReadAs::Object(None)
        }
        None => ReadAs::Told,
    }
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
