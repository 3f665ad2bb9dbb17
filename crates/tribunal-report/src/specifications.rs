//! What the objects of histories should do, and whether histories fit it.

use crate::Judged;
use tribunal_formats::{Error, ErrorKind, NoSpecification, Object, Subject};
use tribunal_history::object::{InvalidCall, MalformedHistory, Specification};

/// Where specifications come from: each history names its own, unless one is given for all.
#[derive(Default)]
pub struct Specifications {
    given: Option<Box<dyn Specification>>,
}

/// Why a history of an object cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum NotJudged {
    /// There is no specification.
    #[error(transparent)]
    Specification(#[from] NoSpecification),
    /// It does not fit the specification; the text begins with `file:line`.
    #[error(transparent)]
    IllTyped(#[from] Error),
    /// It calls methods that the specification it says or implies does not have: perhaps it is of something else.
    #[error("{source}; the history calls {methods}")]
    OtherMethods {
        /// The call that does not fit.
        source: Error,
        /// What it calls, separated by commas.
        methods: String,
    },
}

impl Specifications {
    /// One for all, if it is given.
    pub fn new(given: Option<Box<dyn Specification>>) -> Self {
        Specifications { given }
    }

    /// The one given for all.
    pub fn given(&self) -> Option<&dyn Specification> {
        self.given.as_deref()
    }

    /// Does something to a history of a file that is fit to be judged: its specification is known, and it keeps to its types.
    pub fn with<T>(
        &self,
        subject: &Subject,
        file: &str,
        act: impl FnOnce(Judged<'_>) -> T,
    ) -> Result<T, NotJudged> {
        let object = match subject {
            Subject::Memory(execution) => return Ok(act(Judged::Memory(execution))),
            Subject::Object(object) => object,
            Subject::Transactions(transactions) => {
                return Ok(act(Judged::Transactions(&transactions.history)));
            }
        };
        match self.given() {
            Some(spec) => Ok(act(Judged::Object(&object.typed(file, spec)?))),
            None => {
                let spec = object.specification()?;
                let typed = object.typed(file, &*spec).map_err(|source| told(source, object))?;
                Ok(act(Judged::Object(&typed)))
            }
        }
    }
}

fn told(source: Error, object: &Object) -> NotJudged {
    match source.kind() {
        ErrorKind::MalformedObject(MalformedHistory::IllTyped {
            misfit: InvalidCall::UnknownMethod { .. },
            ..
        }) => NotJudged::OtherMethods { source, methods: object.history.methods().join(", ") },
        _ => source.into(),
    }
}
