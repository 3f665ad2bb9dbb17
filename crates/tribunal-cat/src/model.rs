//! A parsed model with its files.

use crate::builtin;
use crate::elaborate::{self, Contents};
use crate::environment::{Architecture, Environment};
use crate::error::{Error, Fault, Problem};
use crate::lexer::{Names, Symbol};
use crate::limits::{Limits, Unlimited};
use crate::parser::{self, Tree};
use crate::plan::Plan;
use crate::source::{FileId, Library, Place, Source, Sources};
use crate::syntax::{Instruction, InstructionKind};
use crate::text::Position;

/// The number of files that a model may have.
const FILES: usize = 200;
/// How long a file may be, in bytes.
const LENGTH: usize = 1 << 22;

/// A parsed model with everything it includes.
///
/// An [`Environment`] gives its names a meaning; one model has a plan for each.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) sources: Sources,
    pub(crate) trees: Vec<Tree>,
    pub(crate) names: Names,
    pub(crate) stdlib: FileId,
    pub(crate) cos: FileId,
    pub(crate) bell: Option<FileId>,
    pub(crate) main: FileId,
}

impl Model {
    /// Parses a model; `file` is its name in errors, and `library` resolves includes.
    ///
    /// `cross.cat` is always the built-in one. Other small, well-known files of herd (`cos.cat`, `filters.cat`, fences)
    /// are built in as a fallback.
    pub fn parse(text: &str, file: &str, library: &mut dyn Library) -> Result<Model, Error> {
        Model::parse_all(text, file, None, library)
    }

    /// Parses a model and the bell file that declares its annotations, each with its file name.
    pub fn parse_with_bell(
        (text, file): (&str, &str),
        bell: (&str, &str),
        library: &mut dyn Library,
    ) -> Result<Model, Error> {
        Model::parse_all(text, file, Some(bell), library)
    }

    fn parse_all(
        text: &str,
        file: &str,
        bell: Option<(&str, &str)>,
        library: &mut dyn Library,
    ) -> Result<Model, Error> {
        let mut loader =
            Loader { sources: Sources::default(), trees: Vec::new(), names: Names::default(), library };
        match loader.load_all(text, file, bell) {
            Ok([stdlib, cos, bell, main]) => {
                let Loader { sources, trees, names, .. } = loader;
                let bell = (bell != stdlib).then_some(bell);
                Ok(Model { sources, trees, names, stdlib, cos, bell, main })
            }
            Err(fault) => Err(fault.locate(&loader.sources)),
        }
    }

    /// The name in the model's text: the last of the words before its first instruction.
    pub fn name(&self) -> Option<&str> {
        self.tree(self.main).header.last().map(String::as_str)
    }

    /// The architecture that the model is restricted to, if any.
    pub fn architecture(&self) -> Option<Architecture> {
        self.tree(self.main).header.first().and_then(|word| Architecture::of_name(word))
    }

    /// Whether the model computes dependencies itself, from register events (`catdep`).
    pub fn computes_dependencies(&self) -> bool {
        self.tree(self.main).catdep
    }

    /// The paths of the files of the model, the main one first, without built-in ones.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let main = std::iter::once(self.main.0 as usize);
        let others = (0..self.sources.0.len()).filter(|&file| file != self.main.0 as usize);
        main.chain(others)
            .map(|file| self.sources.0[file].path.as_str())
            .filter(|path| !path.starts_with(builtin::PREFIX))
    }

    /// The annotations that the bell file declares, without the quote.
    pub fn annotations(&self) -> impl Iterator<Item = &str> {
        self.enumerations().flat_map(|(_, tags)| tags).map(|&tag| self.names.text(tag))
    }

    fn enumerations(&self) -> impl Iterator<Item = (Symbol, &Vec<Symbol>)> {
        let bell = self.bell.map(|bell| &self.tree(bell).instructions);
        bell.into_iter().flatten().filter_map(|instruction| match &instruction.kind {
            InstructionKind::Enum(name, tags) => Some((*name, tags)),
            _ => None,
        })
    }

    /// The plan for executions with the names of an environment.
    pub fn plan(&self, environment: &Environment) -> Result<Plan, Error> {
        elaborate::plan(self, environment, None, &mut Unlimited)
    }

    /// The plan for one execution, so that the text may iterate over the events of a set (`forall`, `match`).
    pub fn plan_of(&self, environment: &Environment, contents: &dyn Contents) -> Result<Plan, Error> {
        self.plan_within(environment, Some(contents), &mut Unlimited)
    }

    /// The same, with or without an execution, within limits: [`Problem::Stopped`] where they are reached.
    pub fn plan_within(
        &self,
        environment: &Environment,
        contents: Option<&dyn Contents>,
        limits: &mut dyn Limits,
    ) -> Result<Plan, Error> {
        elaborate::plan(self, environment, contents, limits)
    }

    /// Whether the text tells exclusive accesses (`EX`) from those of atomic instructions. Where it does not, `X` is both: that is how
    /// herd's library had it before it had `EX`.
    pub(crate) fn names_exclusives(&self) -> bool {
        self.names.known("EX").is_some()
    }

    pub(crate) fn tree(&self, file: FileId) -> &Tree {
        &self.trees[file.0 as usize]
    }
}

struct Loader<'l> {
    sources: Sources,
    trees: Vec<Tree>,
    names: Names,
    library: &'l mut dyn Library,
}

impl Loader<'_> {
    fn load_all(
        &mut self,
        text: &str,
        file: &str,
        bell: Option<(&str, &str)>,
    ) -> Result<[FileId; 4], Box<Fault>> {
        let stdlib = self.load_builtin("stdlib.cat")?;
        let cos = self.load_builtin("cos.cat")?;
        let bell = match bell {
            Some((text, file)) => self.load(file.to_owned(), text.to_owned(), &mut Vec::new())?,
            None => stdlib,
        };
        let main = self.load(file.to_owned(), text.to_owned(), &mut Vec::new())?;
        Ok([stdlib, cos, bell, main])
    }

    fn load_builtin(&mut self, name: &str) -> Result<FileId, Box<Fault>> {
        let text = builtin::text(name).unwrap_or_default();
        self.load(builtin::path(name), text.to_owned(), &mut Vec::new())
    }

    /// Parses a file and what it includes. `open` are the files that include it, from the outermost.
    fn load(&mut self, path: String, text: String, open: &mut Vec<String>) -> Result<FileId, Box<Fault>> {
        let file = FileId(self.sources.0.len() as u32);
        let begin = Place { file, at: Position::START };
        if text.len() > LENGTH || self.sources.0.len() >= FILES {
            let problem = if text.len() > LENGTH { Problem::Length(LENGTH) } else { Problem::Files(FILES) };
            self.sources.0.push(Source { path, text: String::new() });
            return Err(Fault::new(begin, problem));
        }
        self.sources.0.push(Source { path: path.clone(), text });
        self.trees.push(Tree::default());
        let mut tree = parser::parse(&self.sources.file(begin).text, file, &mut self.names)?;
        open.push(path);
        self.load_includes(&mut tree.instructions, open)?;
        open.pop();
        self.trees[file.0 as usize] = tree;
        Ok(file)
    }

    fn load_includes(
        &mut self,
        instructions: &mut [Instruction],
        open: &mut Vec<String>,
    ) -> Result<(), Box<Fault>> {
        let mut includes = Vec::new();
        parser::includes(instructions, &mut includes);
        for (at, name, included) in includes {
            let includer = &self.sources.file(at).path;
            let found = if builtin::always(name) {
                None
            } else {
                self.library.find(name, includer).map_err(|error| {
                    let problem = Problem::Unreadable { file: name.to_owned(), reason: error.to_string() };
                    Fault::new(at, problem)
                })?
            };
            let builtin = || builtin::text(name).map(|text| (builtin::path(name), text.to_owned()));
            // A file that is not there is an error only where the instruction is reached.
            let Some((path, text)) = found.or_else(builtin) else { continue };
            if open.contains(&path) {
                return Err(Fault::new(at, Problem::Cycle(path)));
            }
            let known = self.sources.0.iter().position(|source| source.path == path);
            *included = Some(match known {
                Some(known) => FileId(known as u32),
                None => self.load(path, text, open)?,
            });
        }
        Ok(())
    }
}
