//! Sequential specifications: what an object does when operations come one at a time.

use super::machine::{Interned, Machine, Replay, Running};
use super::states::{Forgetful, States};
use super::{History, Invocation, Value};
use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;

/// A sequential specification.
///
/// It is deterministic: in a state, an invocation has one return value and one next state, or it
/// cannot take effect (acquiring a lock that is held).
///
/// ```
/// use tribunal::object::{Criterion, History, Invocation, Kind, Signature, Spec, Value, check};
///
/// /// Hands out each number once.
/// struct Tickets;
///
/// impl Spec for Tickets {
///     type State = i64;
///     fn name(&self) -> &str {
///         "tickets"
///     }
///     fn signatures(&self) -> &[Signature] {
///         const { &[Signature::new("take", &[], Kind::Int)] }
///     }
///     fn initial(&self) -> i64 {
///         0
///     }
///     fn step(&self, next: &mut i64, _take: Invocation<'_>) -> Option<Value> {
///         *next += 1;
///         Some(Value::from(*next - 1))
///     }
/// }
///
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let first = b.call(p, "take", &[], 0);
/// let second = b.call(q, "take", &[], 1);
/// b.ret(first, Value::from(1), 2);
/// b.ret(second, Value::from(0), 3);
/// assert!(check(&b.build()?.typed(&Tickets)?, &Criterion::Linearizable).is_consistent());
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub trait Spec: Send + Sync {
    /// The state of the object.
    type State: Clone + Debug + Eq + Hash + Send;

    /// The specification's name in messages.
    fn name(&self) -> &str;

    /// The methods with their types; an overloaded method has several. A history that calls anything else
    /// is rejected first ([`History::typed`]), so [`Spec::step`] only sees calls that match.
    fn signatures(&self) -> &[Signature];

    /// The state before any operation.
    fn initial(&self) -> Self::State;

    /// Executes an invocation and returns its return value; `None` if it cannot take effect in this state, which is
    /// then discarded.
    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value>;

    /// The approximate size of a state in bytes, including what it owns, so that a search can track its memory; `usize::MAX` if it
    /// is too large to be measured, which ends the search undecided.
    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state)
    }

    /// The part of the object that an invocation concerns: invocations with different keys are
    /// independent. `None` if it concerns the whole object.
    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        let _ = call;
        None
    }

    /// Whether two invocations have the same effect and the same return values in either order, in every state.
    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        let _ = (a, b);
        false
    }

    /// Whether an invocation never changes the state.
    fn read_only(&self, call: Invocation<'_>) -> bool {
        let _ = call;
        false
    }

    /// Whether an invocation that returns this leaves the state unchanged: a failed cas, a dequeue from an empty
    /// queue.
    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        let _ = ret;
        self.read_only(call)
    }

    /// The index of an argument that the object stores without inspecting it. The object may return it, or compare it with
    /// an argument of a later call; but its behavior does not depend on the other stored values, not even on equal ones.
    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        let _ = call;
        None
    }

    /// Whether an invocation can return this after some of the others have taken effect, each at most once.
    /// The answer `true` may be wrong, `false` may not: a search abandons a state from which a return value is unreachable.
    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        others: Others<'_, 'h>,
    ) -> bool {
        let _ = (state, call, ret, others);
        true
    }

    /// The collection that this object is, with the method names and return values of the built-in one.
    fn collection(&self) -> Option<Collection> {
        None
    }
}

/// A specification with its state type hidden. Every [`Spec`] is one, and the checkers take it by reference.
pub trait Specification: Send + Sync {
    /// Like [`Spec::name`].
    fn name(&self) -> &str;
    /// Like [`Spec::signatures`].
    fn signatures(&self) -> &[Signature];
    /// Like [`Spec::key`].
    fn key(&self, call: Invocation<'_>) -> Option<Value>;
    /// Like [`Spec::commute`].
    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool;
    /// Like [`Spec::read_only`].
    fn read_only(&self, call: Invocation<'_>) -> bool;
    /// Like [`Spec::unchanged`].
    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool;
    /// Like [`Spec::opaque`].
    fn opaque(&self, call: Invocation<'_>) -> Option<usize>;
    /// Like [`Spec::collection`].
    fn collection(&self) -> Option<Collection>;
    /// A machine that keeps the states reached by operations of a history, each once.
    fn machine<'a>(&'a self, history: &'a History) -> Box<dyn Machine + 'a>;
    /// A run from the initial state that does not keep states.
    fn replay<'a>(&'a self) -> Box<dyn Replay + 'a>;
    /// The states that a monitor keeps as long as it needs them.
    fn states<'a>(&'a self) -> Box<dyn States + 'a>;
}

impl<S: Spec> Specification for S {
    fn name(&self) -> &str {
        Spec::name(self)
    }

    fn signatures(&self) -> &[Signature] {
        Spec::signatures(self)
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        Spec::key(self, call)
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        Spec::commute(self, a, b)
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        Spec::read_only(self, call)
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        Spec::unchanged(self, call, ret)
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        Spec::opaque(self, call)
    }

    fn collection(&self) -> Option<Collection> {
        Spec::collection(self)
    }

    fn machine<'a>(&'a self, history: &'a History) -> Box<dyn Machine + 'a> {
        Box::new(Interned::new(self, history))
    }

    fn replay<'a>(&'a self) -> Box<dyn Replay + 'a> {
        Box::new(Running::new(self))
    }

    fn states<'a>(&'a self) -> Box<dyn States + 'a> {
        Box::new(Forgetful::new(self))
    }
}

/// Invocations that may take effect before another, in sequence.
pub struct Others<'a, 'h>(&'a mut dyn Iterator<Item = Invocation<'h>>);

impl<'a, 'h> Others<'a, 'h> {
    /// These.
    pub fn new(others: &'a mut dyn Iterator<Item = Invocation<'h>>) -> Self {
        Others(others)
    }
}

impl<'h> Iterator for Others<'_, 'h> {
    type Item = Invocation<'h>;

    fn next(&mut self) -> Option<Invocation<'h>> {
        self.0.next()
    }
}

/// Collections with a special algorithm, `Engine::Collection`, for values that are inserted once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collection {
    /// `write(v)`, `read()`, with the initial value.
    Register(Value),
    /// `add(v)`, `remove(v)`, `contains(v)`.
    Set,
    /// `enqueue(v)`, `dequeue()`.
    Queue,
    /// `push(v)`, `pop()`.
    Stack,
    /// `insert(v)`, `delete_min()`; values are ordered as [`Value`]s are.
    PriorityQueue,
    /// `append(v)`, `read()` of the whole list.
    List,
    /// `append(k, v)`, `read(k)` of the whole list of a key.
    KeyedList,
    /// `get(k)`, `put(k, v)`, `append(k, v)`, on texts by key.
    KvStore,
}

impl Collection {
    /// Whether an invocation is one of the collection's own methods.
    pub fn knows(&self, call: Invocation<'_>) -> bool {
        matches!(
            (self, call.method, call.args),
            (Collection::Register(_), "write", [_])
                | (Collection::Register(_), "read", [])
                | (Collection::Set, "add" | "remove" | "contains", [_])
                | (Collection::Queue, "enqueue", [_])
                | (Collection::Queue, "dequeue", [])
                | (Collection::Stack, "push", [_])
                | (Collection::Stack, "pop", [])
                | (Collection::PriorityQueue, "insert", [_])
                | (Collection::PriorityQueue, "delete_min", [])
                | (Collection::List, "append", [_])
                | (Collection::List, "read", [])
                | (Collection::KeyedList, "append", [_, _])
                | (Collection::KeyedList, "read", [_])
                | (Collection::KvStore, "get", [_])
                | (Collection::KvStore, "put" | "append", [_, _])
        )
    }
}

/// A method's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The method's name.
    pub method: Cow<'static, str>,
    /// The kinds of its arguments.
    pub args: Cow<'static, [Kind]>,
    /// The kind of its return.
    pub returns: Kind,
}

impl Signature {
    /// The types of a method.
    pub const fn new(method: &'static str, args: &'static [Kind], returns: Kind) -> Self {
        Signature { method: Cow::Borrowed(method), args: Cow::Borrowed(args), returns }
    }
}

/// A kind of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// Nothing.
    Null,
    /// A truth value.
    Bool,
    /// A whole number.
    Int,
    /// A text.
    Text,
    /// A list.
    List,
}

impl Kind {
    /// The kind in words.
    pub const fn words(self) -> &'static str {
        match self {
            Kind::Any => "anything",
            Kind::Null => "null",
            Kind::Bool => "true or false",
            Kind::Int => "a whole number",
            Kind::Text => "a text",
            Kind::List => "a list",
        }
    }

    /// Whether a value is of this kind.
    pub const fn admits(self, value: &Value) -> bool {
        matches!(
            (self, value),
            (Kind::Any, _)
                | (Kind::Null, Value::Null)
                | (Kind::Bool, Value::Bool(_))
                | (Kind::Int, Value::Int(_))
                | (Kind::Text, Value::Text(_))
                | (Kind::List, Value::List(_))
        )
    }
}
