//! Histories that are fit to be checked: an object's history is, once it is known what the object should do, and the calls fit.

use crate::Question;
use std::borrow::Cow;
use std::sync::Arc;
use tribunal_formats::{Error, ErrorKind, NoSpecification, Object, Subject};
use tribunal_history::memory::Execution;
use tribunal_history::object::{self, InvalidCall, MalformedHistory, Specification, Typed};
use tribunal_history::transactions;

/// A history that is fit to be checked, shared with the answers on it.
#[derive(Clone)]
pub enum Checkable {
    /// A history of a memory.
    Memory(Arc<Execution>),
    /// A history of an object.
    Object(Specified),
    /// A history of transactions.
    Transactions(Arc<transactions::History>),
}

/// A history of an object and what the object should do. The history calls only methods that the object has.
#[derive(Clone)]
pub struct Specified {
    history: Arc<object::History>,
    spec: Arc<dyn Specification>,
}

impl Specified {
    /// The history with its specification, as engines take them.
    pub fn typed(&self) -> Typed<'_> {
        Typed::known(Cow::Borrowed(&self.history), &*self.spec)
    }

    /// The operations.
    pub fn history(&self) -> &object::History {
        &self.history
    }

    /// The specification of the object.
    pub fn spec(&self) -> &dyn Specification {
        &*self.spec
    }
}

impl Checkable {
    /// The reason why a question does not apply to a history of another kind.
    pub fn mismatch(&self, question: &Question) -> String {
        let asked = match question {
            Question::Model(_) => "this is a model of memories",
            Question::Criterion(_) => "this is a criterion of objects",
            Question::Level(_) => "this is a level of transactions",
        };
        let of = match self {
            Checkable::Memory(_) => "a memory",
            Checkable::Object(_) => "an object",
            Checkable::Transactions(_) => "transactions",
        };
        format!("{asked}, but the history is of {of}")
    }
}

/// The source of specifications: each history names its own, unless one is given for all.
#[derive(Clone, Default)]
pub struct Specifications {
    given: Option<Arc<dyn Specification>>,
}

/// The reason why a history of an object is not fit to be checked.
#[derive(Debug, thiserror::Error)]
pub enum NotCheckable {
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
        /// The methods that it calls, separated by commas.
        methods: String,
    },
}

impl Specifications {
    /// One for all, if it is given.
    pub fn new(given: Option<Box<dyn Specification>>) -> Self {
        Specifications { given: given.map(Arc::from) }
    }

    /// The one given for all.
    pub fn given(&self) -> Option<&dyn Specification> {
        self.given.as_deref()
    }

    /// The history of a file, if it is fit to be checked: if it is of an object, its specification is known, and it keeps to its types.
    pub fn checkable(&self, subject: &Subject, file: &str) -> Result<Checkable, NotCheckable> {
        let object = match subject {
            Subject::Memory(execution) => return Ok(Checkable::Memory(execution.clone())),
            Subject::Transactions(transactions) => {
                return Ok(Checkable::Transactions(transactions.history.clone()));
            }
            Subject::Object(object) => object,
        };
        let spec = match &self.given {
            Some(spec) => {
                object.typed(file, &**spec)?;
                spec.clone()
            }
            None => {
                let spec = object.specification()?;
                object.typed(file, &*spec).map_err(|source| of_other_methods(source, object))?;
                spec.into()
            }
        };
        Ok(Checkable::Object(Specified { history: object.history.clone(), spec }))
    }
}

fn of_other_methods(source: Error, object: &Object) -> NotCheckable {
    match source.kind() {
        ErrorKind::MalformedObject(MalformedHistory::IllTyped {
            misfit: InvalidCall::UnknownMethod { .. },
            ..
        }) => NotCheckable::OtherMethods { source, methods: object.history.methods().join(", ") },
        _ => source.into(),
    }
}
