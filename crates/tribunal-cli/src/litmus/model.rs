//! The model that tests are run under: built in, or a file, as each architecture's tests see it.

use super::answer::poll;
use crate::failure::Failure;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tribunal_cat::plan::Plan;
use tribunal_cat::{Architecture, Directories, Environment, Model as Text, NoFiles};
use tribunal_history::object::Criterion;
use tribunal_history::transactions::Level;
use tribunal_history::verdict::Limit;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_host::read_text;
use tribunal_litmus::{Options, Test};

/// A model as the tests of an architecture see it.
#[derive(Debug)]
pub struct Prepared {
    /// Its name.
    pub name: String,
    /// Its demands on executions.
    pub plan: Plan,
    /// The options with which tests are run under it.
    pub options: Options,
}

/// The model that is asked for, and the places where files are looked for.
#[derive(Debug)]
pub struct Choice {
    /// None: the default of each architecture.
    pub name: Option<String>,
    /// The places where files are looked for.
    pub directories: Vec<PathBuf>,
    /// The file that names a model's annotations.
    pub bell: Option<PathBuf>,
    /// The variants that are switched on in the model's text.
    pub variants: Vec<String>,
    prepared: [OnceLock<Result<Prepared, Unprepared>>; Architecture::ALL.len()],
}

/// The reason why a model is not ready.
#[derive(Clone, Debug)]
pub enum Unprepared {
    /// Its text takes too long.
    Limit(Limit),
    /// The fault in it, or in its files.
    Wrong(String),
}

impl From<String> for Unprepared {
    fn from(message: String) -> Self {
        Unprepared::Wrong(message)
    }
}

impl Choice {
    /// A model by name or file; directories of the environment are looked through after the given ones.
    pub fn new(
        name: Option<&str>,
        directories: &[PathBuf],
        bell: Option<&Path>,
        variants: &[String],
    ) -> Self {
        let directories = directories.iter().cloned().chain(tribunal_host::directories()).collect();
        Choice {
            name: name.map(str::to_owned),
            directories,
            bell: bell.map(Path::to_owned),
            variants: variants.to_vec(),
            prepared: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The model for a test.
    pub fn prepared(&self, test: &Test, limits: &Limits<'_>) -> Result<&Prepared, Unprepared> {
        let position = Architecture::ALL.iter().position(|a| a.name() == test.arch);
        let index = position.ok_or_else(|| format!("there are no models of {}", test.arch))?;
        let prepared = self.prepared[index].get_or_init(|| self.prepare(Architecture::ALL[index], limits));
        prepared.as_ref().map_err(Clone::clone)
    }

    /// Whether there may be such a model: a file, or a name of a model of memories.
    pub fn is_known(&self) -> Result<(), String> {
        match &self.name {
            Some(name) if !name.ends_with(".cat") && self.find(&format!("{name}.cat")).is_none() => {
                name.parse::<Model>().map(drop).map_err(|error| no_model(name, &error))
            }
            _ => Ok(()),
        }
    }

    /// A model that allows everything, of executions as this one sees them.
    pub fn without_checks(&self, test: &Test, limits: &Limits<'_>) -> Result<Prepared, Unprepared> {
        let options = self.prepared(test, limits)?.options;
        let empty = Text::parse("", "nothing.cat", &mut NoFiles).map_err(|error| error.to_string())?;
        let plan = plan(&empty, &Environment::history(), limits)?;
        Ok(Prepared { name: "nothing".to_owned(), plan, options })
    }

    /// The name that `check` gives to the model that a test is run under.
    pub fn asked(&self, test: &Test) -> Result<String, Failure> {
        let file = |name: &str| self.find(name).map(|path| path.to_string_lossy().into_owned());
        match (&self.name, test.arch.as_str()) {
            (Some(name), _) if name.ends_with(".cat") => Ok(file(name).unwrap_or_else(|| name.clone())),
            (Some(name), _) if name.parse::<Model>().is_ok() => Ok(name.clone()),
            (Some(name), _) => Ok(file(&format!("{name}.cat")).unwrap_or_else(|| name.clone())),
            (None, "X86" | "X86_64") => Ok("tso".to_owned()),
            (None, "C") if self.bell.is_none() => Ok("rc11".to_owned()),
            (None, arch) => {
                Err(Failure::Usage(format!("--view of a test for {arch} needs --model: a name or a file")))
            }
        }
    }

    fn prepare(&self, architecture: Architecture, limits: &Limits<'_>) -> Result<Prepared, Unprepared> {
        let arch = architecture.name();
        let file = match (&self.name, architecture) {
            (Some(name), _) if name.ends_with(".cat") => {
                self.find(name).ok_or_else(|| format!("{name}: there is no such file"))?
            }
            (Some(name), _) => match (name.parse::<Model>(), self.find(&format!("{name}.cat"))) {
                (Ok(model), _) => return self.built_in(model, limits),
                (Err(_), Some(file)) => file,
                (Err(error), None) => return Err(no_model(name, &error).into()),
            },
            (None, Architecture::X86 | Architecture::X86_64) => return self.built_in(Model::Tso, limits),
            (None, Architecture::C) if self.bell.is_none() => return self.built_in(Model::Rc11, limits),
            (None, _) => {
                let name = format!("{}.cat", arch.to_lowercase());
                self.find(&name).ok_or_else(|| {
                    format!(
                        "no model of {arch} is built in: --model names one, or -I a directory that has {name}"
                    )
                })?
            }
        };
        self.file(&file, architecture, limits)
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        let here = PathBuf::from(name);
        let places = self.directories.iter().map(|directory| directory.join(name));
        std::iter::once(here).chain(places).find(|path| path.is_file())
    }

    fn built_in(&self, model: Model, limits: &Limits<'_>) -> Result<Prepared, Unprepared> {
        let text = tribunal_litmus::text_of(model.name(), &model.text());
        let parsed = Text::parse(&text, model.name(), &mut NoFiles).map_err(|error| error.to_string())?;
        let environment = Environment::history().with_relation("rmw");
        Ok(Prepared {
            name: model.to_string(),
            plan: plan(&parsed, &environment, limits)?,
            options: Options { history: true, ..Options::default() },
        })
    }

    fn file(
        &self,
        file: &Path,
        architecture: Architecture,
        limits: &Limits<'_>,
    ) -> Result<Prepared, Unprepared> {
        let read = |path: &Path| match read_text(path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        };
        let mut library = Directories::new(self.directories.clone(), read_text);
        let (text, name) = (read(file)?, file.to_string_lossy());
        let parsed = match &self.bell {
            Some(bell) => {
                let path = self.find(&bell.to_string_lossy()).unwrap_or_else(|| bell.clone());
                let bell = read(&path)?;
                Text::parse_with_bell((&text, &name), (&bell, &path.to_string_lossy()), &mut library)
            }
            None => Text::parse(&text, &name, &mut library),
        };
        let parsed = parsed.map_err(|error| error.to_string())?;
        if let Some(of) = parsed.architecture().filter(|of| *of != architecture) {
            return Err(format!("{name} is a model of {}, not of {}", of.name(), architecture.name()).into());
        }
        let environment = Environment::of(architecture);
        let environment = self.variants.iter().fold(environment, |all, variant| all.with_variant(variant));
        let plan = plan(&parsed, &environment, limits)?;
        let options = Options { register_events: parsed.computes_dependencies(), ..Options::default() };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Prepared { name, plan, options })
    }
}

/// A name that is no model's: perhaps it is of something else that `check` knows.
fn no_model(name: &str, error: &dyn Display) -> String {
    let what = if name.parse::<Level>().is_ok() {
        "an isolation level of transactions"
    } else if name.parse::<Criterion>().is_ok() {
        "a criterion of objects"
    } else {
        return error.to_string();
    };
    format!("`{name}` is {what}, no memory model: `tribunal models` lists these")
}

fn plan(text: &Text, environment: &Environment, limits: &Limits<'_>) -> Result<Plan, Unprepared> {
    let mut reached = None;
    let planned = text.plan_within(environment, None, &mut poll(limits, &mut reached));
    planned.map_err(|error| reached.map_or_else(|| error.to_string().into(), Unprepared::Limit))
}
