//! A history under judgement, whatever it is a history of.

use crate::failure::Failure;
use std::fmt;
use std::path::Path;
use tribunal::object::{MalformedHistory, Misfit, Specification, specs};
use tribunal_formats::{ErrorKind, Object, Subject};
use tribunal_report::Judged;
use tribunal_report::printable;
use tribunal_spec::Declared;

/// A history as its readers know it.
pub struct Case<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// Its place among the file's histories, from 0.
    pub index: u64,
    /// The line where it begins, from 1.
    pub line: u64,
    /// The history.
    pub subject: &'a Subject,
}

impl Case<'_> {
    /// The history's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self.subject {
            Subject::Memory(execution) => execution.name(),
            Subject::Object(object) => object.history.name(),
        }
    }

    /// How many events, or operations, there are.
    pub fn events(&self) -> usize {
        match self.subject {
            Subject::Memory(execution) => execution.len(),
            Subject::Object(object) => object.history.len(),
        }
    }

    /// How many reads of nil were left out of it.
    pub fn nil_reads(&self) -> u64 {
        match self.subject {
            Subject::Memory(_) => 0,
            Subject::Object(object) => object.nil_reads,
        }
    }

    /// That reads of nil were left out, if some were.
    pub fn note(&self) -> Option<String> {
        left_out(self.nil_reads())
    }

    /// That a verdict on the history means nothing, if it is empty.
    pub fn warning(&self) -> Option<&'static str> {
        (self.events() == 0).then_some("the history is empty, and satisfies anything")
    }

    /// The warning as a line for standard error, if there is one.
    pub fn warning_line(&self) -> Option<String> {
        self.warning().map(|warning| format!("warning: {self}: {warning}"))
    }

    /// What there is to note or to warn of, as lines for standard error.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let note = self.note().map(|note| format!("{self}: {note}"));
        self.warning_line().into_iter().chain(note)
    }

    /// A failure that has to do with this history.
    pub fn failure(&self, problem: impl fmt::Display) -> Failure {
        Failure::History { file: self.file.into(), line: self.line, problem: problem.to_string() }
    }
}

/// That so many reads of nil were left out.
pub fn left_out(nil_reads: u64) -> Option<String> {
    match nil_reads {
        0 => None,
        1 => Some("1 read of nil was left out; --nil-reads keep keeps it".into()),
        count => Some(format!("{count} reads of nil were left out; --nil-reads keep keeps them")),
    }
}

/// `MP (litmus.txt:3)`, or `litmus.txt:3` without a name.
impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (printable(self.file), self.line);
        match self.name() {
            Some(name) => write!(f, "{} ({file}:{line})", printable(name)),
            None => write!(f, "{file}:{line}"),
        }
    }
}

/// Where specifications come from: each history names its own, unless one is given for all.
pub struct Specifications {
    given: Option<Box<dyn Specification>>,
}

impl Specifications {
    /// As `--spec` says: the name of a built-in one, or a file with the extension `.spec`.
    pub fn new(given: Option<&str>) -> Result<Self, Failure> {
        let usage = |spec: &str, problem: String| Failure::Usage(format!("--spec {spec}: {problem}"));
        let given = match given {
            None => None,
            Some(spec) if Path::new(spec).extension().is_some_and(|extension| extension == "spec") => {
                let source = std::fs::read_to_string(spec)
                    .map_err(|source| Failure::Read { file: spec.into(), source })?;
                let declared = Declared::parse(&source, spec)?;
                Some(Box::new(declared) as Box<dyn Specification>)
            }
            Some(spec) => Some(specs::named(spec).map_err(|unknown| usage(spec, unknown.to_string()))?),
        };
        Ok(Specifications { given })
    }

    /// The one given for all.
    pub fn given(&self) -> Option<&dyn Specification> {
        self.given.as_deref()
    }

    /// Does something to a history that is fit to be judged: its specification is known, and it keeps to its types.
    pub fn with<T>(
        &self,
        case: &Case<'_>,
        act: impl FnOnce(Judged<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match case.subject {
            Subject::Memory(execution) => act(Judged::Memory(execution)),
            Subject::Object(object) => match &self.given {
                Some(spec) => act(Judged::Object(&object.typed(case.file, &**spec)?)),
                None => {
                    let spec = object.specification().map_err(|unknown| case.failure(unknown))?;
                    act(Judged::Object(
                        &object.typed(case.file, &*spec).map_err(|source| told(source, object))?,
                    ))
                }
            },
        }
    }
}

/// A history that does not fit what it says or implies that it is of: if it calls other methods, perhaps it is of something else.
fn told(source: tribunal_formats::Error, object: &Object) -> Failure {
    match source.kind() {
        ErrorKind::MalformedObject(MalformedHistory::IllTyped {
            misfit: Misfit::UnknownMethod { .. },
            ..
        }) => Failure::OtherMethods { source, methods: object.history.methods().join(", ") },
        _ => source.into(),
    }
}
