//! The result of reading.

use crate::read::hint;
use crate::{Error, ErrorKind, Notes};
use std::sync::Arc;
use tribunal_history::memory::{Execution, ExecutionBuilder, Slot};
use tribunal_history::object;
use tribunal_history::object::specs::{self, UnknownSpec};
use tribunal_history::object::{Specification, Typed};
use tribunal_history::transactions;

/// The expected verdicts of a labeled history: a model's name as written, and whether the history is
/// consistent with it; `None` if the model does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(pub Vec<(String, Option<bool>)>);

/// A history as read.
#[derive(Clone, Debug)]
pub struct History {
    /// The history itself, by kind.
    pub subject: Subject,
    /// The expected verdicts; empty if the history is not labeled.
    pub labels: Labels,
    /// The line where the history begins, from 1.
    pub line: u64,
    /// The lines of its events, if it is a memory history.
    pub lines: Lines,
}

/// The lines of the events of a memory history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The line where the history begins.
    first: u64,
    /// By event id, how many lines below that it is; nothing if none is.
    below: Vec<u32>,
    /// The place where each thread begins among them.
    starts: Vec<u32>,
}

impl Lines {
    /// Those of a history that begins at a line and is about to be built; of each event, as they were pushed, how many lines below that
    /// it is, or nothing if none is.
    pub(crate) fn new(first: u64, below: &[u32], builder: &ExecutionBuilder) -> Self {
        if below.is_empty() {
            return Lines { first, ..Lines::default() };
        }
        Lines { first, below: builder.arranged(below), starts: builder.thread_starts() }
    }

    /// The line of an event, from 1; that of the history if it is unknown.
    pub fn of(&self, slot: Slot) -> u64 {
        let below = || {
            let start = self.starts.get(slot.thread.index())?;
            let end = self.starts.get(slot.thread.index() + 1)?;
            self.below.get(*start as usize..*end as usize)?.get(slot.index as usize)
        };
        self.first + u64::from(below().copied().unwrap_or(0))
    }
}

/// A history by its kind, shared with the answers on it.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A memory: reads, writes, RMWs and fences.
    Memory(Arc<Execution>),
    /// An object: calls and returns.
    Object(Object),
    /// Sessions of transactions.
    Transactions(Transactions),
}

impl Subject {
    /// The history's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Subject::Memory(execution) => execution.name(),
            Subject::Object(object) => object.history.name(),
            Subject::Transactions(transactions) => transactions.history.name(),
        }
    }

    /// The number of events, operations or transactions.
    pub fn len(&self) -> usize {
        match self {
            Subject::Memory(execution) => execution.len(),
            Subject::Object(object) => object.history.len(),
            Subject::Transactions(transactions) => transactions.history.len(),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A history of transactions as read.
#[derive(Clone, Debug)]
pub struct Transactions {
    /// The transactions.
    pub history: Arc<transactions::History>,
    /// By transaction, the line where it is.
    pub lines: Vec<u64>,
    /// The remarks of the input beside the transactions.
    pub notes: Notes,
}

/// The specification's name where the methods called tell none.
pub(crate) const UNKNOWN: &str = "unknown";

/// A history of an object as read.
#[derive(Clone, Debug)]
pub struct Object {
    /// The operations.
    pub history: Arc<object::History>,
    /// The specification that the input names or implies, with its initial value if it is not the
    /// default: `queue`, `cas-register(0)`.
    pub spec: String,
    /// For each operation, the line of its call.
    pub lines: Vec<u64>,
    /// The remarks of the input beside the operations.
    pub notes: Notes,
}

impl History {
    /// The execution, if this is a memory history.
    pub fn memory(&self) -> Option<&Execution> {
        match &self.subject {
            Subject::Memory(execution) => Some(execution),
            _ => None,
        }
    }

    /// The execution by value, if this is a memory history.
    pub fn into_memory(self) -> Option<Execution> {
        match self.subject {
            Subject::Memory(execution) => Some(Arc::unwrap_or_clone(execution)),
            _ => None,
        }
    }

    /// The operations and their specification, if this is an object history.
    pub fn object(&self) -> Option<&Object> {
        match &self.subject {
            Subject::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The transactions, if this is a history of transactions.
    pub fn transactions(&self) -> Option<&Transactions> {
        match &self.subject {
            Subject::Transactions(transactions) => Some(transactions),
            _ => None,
        }
    }
}

/// The reason why a history has no built-in specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSpecification {
    /// The methods called match no built-in specification.
    #[error("the history calls {methods}: {hint}")]
    Untold {
        /// The methods, separated by commas.
        methods: String,
        /// A hint at what it may be, and what to say.
        hint: &'static str,
    },
    /// The named specification is unknown.
    #[error(transparent)]
    Unknown(#[from] UnknownSpec),
}

impl Object {
    /// The built-in specification that the history names or implies.
    pub fn specification(&self) -> Result<Box<dyn Specification>, NoSpecification> {
        if self.spec == UNKNOWN {
            let methods: Vec<&str> = self.history.methods().iter().map(String::as_str).collect();
            return Err(NoSpecification::Untold { methods: methods.join(", "), hint: hint(&methods) });
        }
        Ok(specs::named(&self.spec)?)
    }

    /// Matches the history with a specification, as [`object::History::typed`] does; the error names the operation's line
    /// in `file`.
    pub fn typed<'a>(&'a self, file: &str, spec: &'a dyn Specification) -> Result<Typed<'a>, Error> {
        self.history.typed(spec).map_err(|malformed| {
            let line = malformed.op().and_then(|op| self.lines.get(op.index()).copied());
            let kind = ErrorKind::MalformedObject(malformed);
            match line {
                Some(line) => Error::at(file, line, None, kind),
                None => Error::of_input(file, kind),
            }
        })
    }
}
