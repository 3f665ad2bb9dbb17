//! Histories that are fit to be checked.

use crate::Question;
use std::sync::Arc;
use tribunal_history::memory::Execution;
use tribunal_history::object::{self, Specification, Typed};
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

/// A history of an object and what the object should do. The calls of the one are calls of the other.
#[derive(Clone)]
pub struct Specified {
    history: Arc<object::History>,
    spec: Arc<dyn Specification>,
}

impl Specified {
    /// A history that was [matched](object::History::typed) with its specification.
    pub(crate) fn known(history: Arc<object::History>, spec: Arc<dyn Specification>) -> Self {
        Specified { history, spec }
    }

    /// Both, as engines take them.
    pub fn typed(&self) -> Typed<'_> {
        Typed::known(std::borrow::Cow::Borrowed(&self.history), &*self.spec)
    }

    /// The operations.
    pub fn history(&self) -> &object::History {
        &self.history
    }

    /// What the object should do.
    pub fn spec(&self) -> &dyn Specification {
        &*self.spec
    }
}

impl Checkable {
    /// Why a question does not apply to a history of another kind.
    pub fn has_no(&self, question: &Question) -> String {
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
