//! The evidence of the calls of a history: their methods, and the kinds of values that these take and return.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::object::Value;

/// The evidence of the calls of a history.
#[derive(Default)]
pub(crate) struct Seen {
    /// By method, what it was called with and what it returned.
    methods: FxHashMap<Arc<str>, [Kinds; 2]>,
    /// Whether operations have keys.
    pub(super) keyed: bool,
    /// The return of a read before anything was changed.
    pub(super) initial: Option<Value>,
}

impl Seen {
    /// Nothing, of operations with keys or without.
    pub(crate) fn new(keyed: bool) -> Self {
        Seen { keyed, ..Seen::default() }
    }

    /// Notes a call and its value.
    pub(crate) fn call(&mut self, method: &Arc<str>, value: &Value) {
        self.of(method)[0].add(value);
    }

    /// Notes a return and its value.
    pub(crate) fn ret(&mut self, method: &Arc<str>, value: &Value) {
        self.of(method)[1].add(value);
    }

    fn of(&mut self, method: &Arc<str>) -> &mut [Kinds; 2] {
        self.methods.entry(method.clone()).or_default()
    }

    /// The methods called.
    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.keys().map(|method| &**method)
    }

    /// Whether all that was called is `txn`.
    pub(crate) fn is_of_txn(&self) -> bool {
        !self.is_empty() && self.methods().all(|method| method == "txn")
    }

    /// Whether nothing was called.
    pub(super) fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// Whether this method was called.
    pub(super) fn has(&self, method: &str) -> bool {
        self.methods.contains_key(method)
    }

    /// The kinds of values that a method was called with.
    pub(super) fn called(&self, method: &str) -> Kinds {
        self.methods.get(method).map_or(Kinds::default(), |kinds| kinds[0])
    }

    /// The kinds of values that a method returned.
    pub(super) fn returned(&self, method: &str) -> Kinds {
        self.methods.get(method).map_or(Kinds::default(), |kinds| kinds[1])
    }
}

/// Kinds of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NULL: Kinds = Kinds(1);
    pub(super) const TRUTH: Kinds = Kinds(2);
    pub(super) const NUMBER: Kinds = Kinds(4);
    pub(super) const TEXT: Kinds = Kinds(8);
    pub(super) const LIST: Kinds = Kinds(16);

    fn add(&mut self, value: &Value) {
        self.0 |= match value {
            Value::Null => Kinds::NULL,
            Value::Bool(_) => Kinds::TRUTH,
            Value::Int(_) => Kinds::NUMBER,
            Value::Text(_) => Kinds::TEXT,
            Value::List(_) => Kinds::LIST,
        }
        .0;
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether these are among them.
    pub(super) fn has(self, kinds: Kinds) -> bool {
        self.0 & kinds.0 == kinds.0
    }

    /// Whether there are no others.
    pub(super) fn within(self, kinds: Kinds) -> bool {
        kinds.has(self)
    }
}
