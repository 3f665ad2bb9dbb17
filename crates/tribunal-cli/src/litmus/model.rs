//! The model that tests are run under: built in, or a file, as each architecture's tests see it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tribunal::Model;
use tribunal_cat::plan::Plan;
use tribunal_cat::{Architecture, Directories, Environment, Model as Text, NoFiles};
use tribunal_host::read_text;
use tribunal_litmus::{Options, Test};

/// Built-in models are of histories, where a read-modify-write is one event. This is what remains to be asked of exclusive pairs.
const PAIRS: &str = "\nempty rmw & (fre; coe) as pairs";

/// A model as the tests of an architecture see it.
#[derive(Debug)]
pub struct Prepared {
    /// What it is called.
    pub name: String,
    /// What it asks of executions.
    pub plan: Plan,
    /// How tests are run under it.
    pub options: Options,
}

/// Which model is asked for, and where files are looked for.
#[derive(Debug)]
pub struct Choice {
    /// None: the default of each architecture.
    pub name: Option<String>,
    /// Where files are looked for.
    pub directories: Vec<PathBuf>,
    /// The file that names a model's annotations.
    pub bell: Option<PathBuf>,
    /// What is switched on in the model's text.
    pub variants: Vec<String>,
    prepared: [OnceLock<Result<Prepared, String>>; Architecture::ALL.len()],
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
    pub fn prepared(&self, test: &Test) -> Result<&Prepared, String> {
        let position = Architecture::ALL.iter().position(|a| a.name() == test.arch);
        let index = position.ok_or_else(|| format!("there are no models of {}", test.arch))?;
        let prepared = self.prepared[index].get_or_init(|| self.prepare(Architecture::ALL[index]));
        prepared.as_ref().map_err(Clone::clone)
    }

    fn prepare(&self, architecture: Architecture) -> Result<Prepared, String> {
        let arch = architecture.name();
        let file = match (&self.name, architecture) {
            (Some(name), _) if name.ends_with(".cat") => {
                self.find(name).ok_or_else(|| format!("{name}: there is no such file"))?
            }
            (Some(name), _) => match (name.parse::<Model>(), self.find(&format!("{name}.cat"))) {
                (Ok(model), _) => return self.built_in(model),
                (Err(_), Some(file)) => file,
                (Err(error), None) => return Err(error.to_string()),
            },
            (None, Architecture::X86 | Architecture::X86_64) => return self.built_in(Model::Tso),
            (None, Architecture::C) if self.bell.is_none() => return self.built_in(Model::Rc11),
            (None, _) => {
                let name = format!("{}.cat", arch.to_lowercase());
                self.find(&name).ok_or_else(|| {
                    format!(
                        "no model of {arch} is built in: --model names one, or -I a directory that has {name}"
                    )
                })?
            }
        };
        self.file(&file, architecture)
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        let here = PathBuf::from(name);
        let places = self.directories.iter().map(|directory| directory.join(name));
        std::iter::once(here).chain(places).find(|path| path.is_file())
    }

    fn built_in(&self, model: Model) -> Result<Prepared, String> {
        let text = model.text().into_owned() + PAIRS;
        let parsed = Text::parse(&text, model.name(), &mut NoFiles).map_err(|error| error.to_string())?;
        let environment = Environment::history().with_relation("rmw");
        let plan = parsed.plan(&environment).map_err(|error| error.to_string())?;
        Ok(Prepared {
            name: model.to_string(),
            plan,
            options: Options { history: true, ..Options::default() },
        })
    }

    fn file(&self, file: &Path, architecture: Architecture) -> Result<Prepared, String> {
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
            return Err(format!("{name} is a model of {}, not of {}", of.name(), architecture.name()));
        }
        let environment = Environment::of(architecture);
        let environment = self.variants.iter().fold(environment, |all, variant| all.with_variant(variant));
        let plan = parsed.plan(&environment).map_err(|error| error.to_string())?;
        let options = Options { register_events: parsed.computes_dependencies(), ..Options::default() };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Prepared { name, plan, options })
    }
}
