//! Translating Jepsen's operations to invocations and returns of an object.

use super::clients::{Call, End};
use super::seen::Kinds;
use super::{Dialect, NilReads, Seen, Type, only_reads, pair};
use crate::ErrorKind;
use crate::error::quote;
use crate::history::UNKNOWN;
use std::collections::BTreeSet;
use tribunal_history::object::Value;

/// The objects that Jepsen's tests are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Register,
    Mutex,
    MultiRegister,
    Queue,
    Stack,
    PriorityQueue,
    KvStore,
    Counter,
    List,
    Set,
    /// A set of which only all of it is read.
    GrowSet,
    /// Ids that are each given once: a set of those given.
    Ids,
    Bank,
    /// None of these: the user says what it is.
    Unknown,
}

impl Object {
    /// Each object with its methods.
    const METHODS: [(Object, &[&str]); 13] = [
        (Object::Register, &["read", "write", "cas", "read-init"]),
        (Object::Mutex, &["acquire", "release"]),
        (Object::MultiRegister, &["txn"]),
        (Object::Queue, &["enqueue", "dequeue"]),
        (Object::Stack, &["push", "pop"]),
        (Object::PriorityQueue, &["insert", "delete_min"]),
        (Object::KvStore, &["get", "put", "append"]),
        (Object::Counter, &["add", "inc", "read", "get"]),
        (Object::List, &["append", "read"]),
        (Object::Set, &["add", "remove", "contains"]),
        (Object::GrowSet, &["add", "read"]),
        (Object::Ids, &["generate"]),
        (Object::Bank, &["transfer", "read"]),
    ];

    /// The objects that have these methods and take and return such values.
    pub(super) fn candidates(seen: &Seen) -> impl Iterator<Item = Object> {
        let fits = |known: &[&str]| seen.methods().all(|method| known.contains(&method));
        let candidate = move |&&(object, known): &&(Object, &[&str])| fits(known) && object.agrees(seen);
        Object::METHODS.iter().filter(candidate).map(|&(object, _)| object)
    }

    /// The object that the calls show: none if it could be several, or is sure of none.
    pub(crate) fn shown_by(seen: &Seen) -> Self {
        if seen.is_empty() {
            return Object::Register;
        }
        let mut sure = Object::candidates(seen).filter(|object| object.is_sure(seen));
        match (sure.next(), sure.next()) {
            (Some(object), None) => object,
            _ => Object::Unknown,
        }
    }

    /// Whether nothing that was seen speaks against it.
    pub(super) fn agrees(self, seen: &Seen) -> bool {
        let (called, returned) = (|method| seen.called(method), |method| seen.returned(method));
        let numbers = Kinds::NULL.and(Kinds::NUMBER);
        let lists = Kinds::NULL.and(Kinds::LIST);
        match self {
            // What was read is a list of what was written in Jepsen's sequential and causal-reverse.
            Object::Register => !returned("read").has(Kinds::LIST) || called("write").has(Kinds::LIST),
            Object::KvStore => seen.keyed,
            Object::Counter => {
                called("add").within(Kinds::NUMBER)
                    && called("inc").within(Kinds::NULL)
                    && returned("read").within(numbers)
                    && returned("get").within(numbers)
            }
            Object::List => returned("read").within(lists),
            Object::Set => ["add", "remove", "contains"].iter().all(|of| returned(of).within(Kinds::TRUTH)),
            Object::GrowSet => {
                // A set whose elements are made up by the database is something else.
                !called("add").has(Kinds::NULL)
                    && returned("add").within(called("add").and(Kinds::NULL))
                    && returned("read").within(lists)
            }
            Object::Bank => returned("read").within(lists),
            _ => true,
        }
    }

    /// Whether what was seen is enough to judge by.
    pub(super) fn is_sure(self, seen: &Seen) -> bool {
        match self {
            Object::Register => !seen.methods().all(|method| method == "read"),
            // The same calls may be of transactions.
            Object::MultiRegister => false,
            Object::PriorityQueue => seen.has("delete_min"),
            Object::Counter => {
                let told = seen.has("add") && seen.returned("read").has(Kinds::NUMBER);
                seen.has("inc") || seen.has("get") || told
            }
            // Appends with keys alone are those of a key-value store.
            Object::List => seen.has("append") && (!seen.keyed || seen.has("read")),
            Object::Set => seen.methods().any(|method| seen.returned(method).has(Kinds::TRUTH)),
            Object::GrowSet => seen.has("add") && seen.returned("read").has(Kinds::LIST),
            Object::Bank => seen.has("transfer") && seen.initial.is_some(),
            _ => true,
        }
    }

    /// The object that a specification is of.
    pub(crate) fn named(spec: &str) -> Self {
        match spec {
            "register" | "cas-register" => Object::Register,
            "mutex" => Object::Mutex,
            "multi-register" => Object::MultiRegister,
            "queue" => Object::Queue,
            "stack" => Object::Stack,
            "priority-queue" => Object::PriorityQueue,
            "kv-store" => Object::KvStore,
            "counter" => Object::Counter,
            "list" => Object::List,
            "set" => Object::Set,
            "grow-set" => Object::GrowSet,
            "bank" => Object::Bank,
            _ => Object::Unknown,
        }
    }

    /// The specification's name. The transactions tell the names of their registers, the first read of a bank its balances.
    pub(crate) fn spec<'a>(
        self,
        dialect: Dialect,
        seen: &Seen,
        transactions: impl Iterator<Item = &'a Value>,
    ) -> String {
        let name = match self {
            Object::KvStore => return "kv-store".into(),
            Object::Unknown => return UNKNOWN.into(),
            Object::Register if dialect == Dialect::Log => "cas-register".into(),
            Object::Register => "cas-register(0)".into(),
            Object::MultiRegister => multi_register(transactions),
            Object::Mutex => "mutex".to_string(),
            Object::Queue => "queue".into(),
            Object::Stack => "stack".into(),
            Object::PriorityQueue => "priority-queue".into(),
            Object::Counter => "counter".into(),
            Object::List => "list".into(),
            Object::Set | Object::Ids => "set".into(),
            Object::GrowSet => "grow-set".into(),
            Object::Bank => bank(seen.initial.as_ref()),
        };
        if seen.keyed { format!("keyed {name}") } else { name }
    }

    /// Whether a call of this method returns what it reads, and takes nothing but a key.
    pub(super) fn only_reads(self, method: &str) -> bool {
        matches!(method, "read" | "read-init")
            || (method == "get" && matches!(self, Object::KvStore | Object::Counter))
    }

    /// Whether nothing is left of a call of this method that did not return.
    pub(super) fn leaves_nothing(self, method: &str) -> bool {
        only_reads(method) || self == Object::Ids
    }

    /// The method as the object's specification calls it.
    pub(super) fn method(self, call: &Call) -> &str {
        match (self, &*call.method) {
            (Object::Counter, "read") => "get",
            (Object::Register, "read-init") => "read",
            (Object::Ids, "generate") => "add",
            (_, method) => method,
        }
    }

    /// The action that was done: it is said with the return or else with the call.
    pub(super) fn done<'a>(self, call: &'a Call, end: Option<&'a End>) -> &'a Value {
        match (self, end) {
            (Object::Set | Object::GrowSet | Object::Bank | Object::Unknown, _) => &call.value,
            (_, Some(End { kind: Type::Ok, value, .. })) if *value != Value::Null => value,
            _ => &call.value,
        }
    }

    /// Appends the arguments of a call that did what `done` says; false if that is nothing.
    pub(super) fn args(
        self,
        call: &Call,
        done: &Value,
        stage: Stage,
        args: &mut Vec<Value>,
    ) -> Result<bool, ErrorKind> {
        if let Some(given) = &call.args {
            args.extend_from_slice(given);
            return Ok(true);
        }
        args.extend(call.key.clone());
        match (self, &*call.method) {
            (_, "dequeue" | "pop" | "delete_min") | (Object::Mutex, _) | (Object::Counter, "inc") => {}
            (Object::Ids, _) if *done == Value::Null => {}
            (_, method) if self.only_reads(method) => {}
            (Object::Register, "cas") => args.extend(swap(done)?),
            (Object::MultiRegister, _) => match stage {
                Stage::Open => args.push(called(done)?),
                Stage::Ended(nil_reads) => match transaction(done, nil_reads)? {
                    Some((txn, _)) => args.push(txn),
                    None => return Ok(false),
                },
            },
            (Object::Bank, "transfer") => args.extend(transfer(done)?),
            (Object::Set | Object::Unknown, _) if *done == Value::Null => {}
            _ => args.push(done.clone()),
        }
        Ok(true)
    }

    /// The number of reads of nil that an operation that took effect has, if nil says nothing here.
    pub(super) fn nil_reads(self, dialect: Dialect, call: &Call, end: Option<&End>) -> u64 {
        match end {
            Some(End { kind: Type::Ok, value, ret: None, .. }) if call.args.is_none() => match self {
                Object::MultiRegister => accesses(self.done(call, end)).map_or(0, |accesses| {
                    accesses.iter().filter(|&&(reads, _, value)| reads && *value == Value::Null).count()
                        as u64
                }),
                _ => u64::from(
                    dialect == Dialect::Jepsen && self.only_reads(&call.method) && *value == Value::Null,
                ),
            },
            _ => 0,
        }
    }

    /// The outcome of a call.
    pub(super) fn outcome(
        self,
        dialect: Dialect,
        nil_reads: NilReads,
        call: &Call,
        end: Option<&End>,
    ) -> Result<Outcome, ErrorKind> {
        let method = &*call.method;
        let Some(End { kind, value, ret, .. }) = end else { return Ok(Outcome::Open) };
        Ok(match kind {
            Type::Fail if dialect == Dialect::Log && method == "cas" => Outcome::Returned(Value::Bool(false)),
            Type::Fail => Outcome::Withdrawn,
            Type::Info if self.leaves_nothing(method) => Outcome::Withdrawn,
            Type::Info | Type::Invoke => Outcome::Open,
            Type::Ok => match (self, method) {
                _ if call.args.is_some() || ret.is_some() => {
                    Outcome::Returned(ret.clone().unwrap_or_default())
                }
                _ if self.only_reads(method) => match value {
                    Value::Null if dialect == Dialect::Jepsen && nil_reads == NilReads::Drop => {
                        Outcome::Withdrawn
                    }
                    value if self == Object::GrowSet => Outcome::Returned(in_order(value)),
                    value => Outcome::Returned(value.clone()),
                },
                (Object::Ids, _) if *value == Value::Null => Outcome::Withdrawn,
                (Object::Ids, _) => Outcome::Returned(Value::Bool(true)),
                (Object::Register, "cas") | (Object::Bank, "transfer") => {
                    Outcome::Returned(Value::Bool(true))
                }
                (Object::MultiRegister, _) => match transaction(self.done(call, end), nil_reads)? {
                    Some((_, filled)) => Outcome::Returned(filled),
                    None => Outcome::Withdrawn,
                },
                (_, "dequeue" | "pop" | "delete_min") => Outcome::Returned(value.clone()),
                // Jepsen repeats the value of the call where there is nothing to say.
                (Object::Set | Object::Unknown, _) if *value != call.value => {
                    Outcome::Returned(value.clone())
                }
                _ => Outcome::Returned(Value::Null),
            },
        })
    }
}

/// The elements of a set, however they were listed.
fn in_order(value: &Value) -> Value {
    match value {
        Value::List(elements) => {
            let mut elements = elements.to_vec();
            elements.sort_unstable();
            Value::list(elements)
        }
        other => other.clone(),
    }
}

/// The stage at which a call is looked at.
#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// Its reads will still be filled in.
    Open,
    /// Reads of nil count or do not.
    Ended(NilReads),
}

/// The outcome of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has not returned, and may have taken effect.
    Open,
    Returned(Value),
    /// It did not take effect, or said nothing.
    Withdrawn,
}

fn swap(value: &Value) -> Result<[Value; 2], ErrorKind> {
    let expected = "[old new] as the value of cas";
    pair(value)
        .cloned()
        .ok_or_else(|| ErrorKind::Syntax { expected, found: quote(value.to_string().as_bytes()) })
}

/// An access of a transaction: whether it writes, its key and its value.
fn access(value: &Value) -> Option<(bool, &Value, &Value)> {
    let Value::List(parts) = value else { return None };
    let [Value::Text(what), register, value] = &**parts else { return None };
    match &**what {
        "r" | "read" => Some((true, register, value)),
        "w" | "write" => Some((false, register, value)),
        _ => None,
    }
}

/// The accesses of a transaction: whether they read, the register and the value.
fn accesses(value: &Value) -> Result<Vec<(bool, &Value, &Value)>, ErrorKind> {
    let expected = "a list of [:r x nil], [:read x nil], [:w x 1] or [:write x 1] as the value of txn";
    let wrong = || ErrorKind::Syntax { expected, found: quote(value.to_string().as_bytes()) };
    let Value::List(accesses) = value else { return Err(wrong()) };
    accesses.iter().map(|one| access(one).ok_or_else(wrong)).collect()
}

fn made((reads, register, value): (bool, &Value, &Value)) -> Value {
    Value::list([Value::from(if reads { "r" } else { "w" }), register.clone(), value.clone()])
}

/// A transaction as it is called, whose reads are not filled in.
fn called(value: &Value) -> Result<Value, ErrorKind> {
    let unread = |(reads, register, value)| made((reads, register, if reads { &Value::Null } else { value }));
    Ok(Value::list(accesses(value)?.into_iter().map(unread)))
}

/// A transaction as it was called and as it returned. A read of nil that is not kept says nothing; neither does a transaction of
/// nothing else.
pub(crate) fn transaction(value: &Value, nil_reads: NilReads) -> Result<Option<(Value, Value)>, ErrorKind> {
    let mut known = accesses(value)?;
    if nil_reads == NilReads::Drop {
        known.retain(|&(reads, _, value)| !reads || *value != Value::Null);
    }
    if known.is_empty() {
        return Ok(None);
    }
    let returned = Value::list(known.into_iter().map(made));
    Ok(Some((called(&returned)?, returned)))
}

/// The registers that transactions name, all 0 at first, as Knossos has them.
fn multi_register<'a>(transactions: impl Iterator<Item = &'a Value>) -> String {
    let mut registers = BTreeSet::new();
    for transaction in transactions {
        if let Value::List(accesses) = transaction {
            registers.extend(accesses.iter().filter_map(|one| access(one).map(|(_, register, _)| register)));
        }
    }
    let initial: Vec<_> = registers.iter().map(|register| format!("{register}:0")).collect();
    format!("multi-register({{{}}})", initial.join(","))
}

/// A bank with the balances that a read shows, before any transfer.
fn bank(read: Option<&Value>) -> String {
    let balance = |entry: &Value| {
        let [account, balance] = pair(entry)?;
        Some(format!("{account}:{}", balance.as_int()?))
    };
    let balances = read.and_then(|read| match read {
        Value::List(entries) => entries.iter().map(balance).collect::<Option<Vec<_>>>(),
        _ => None,
    });
    balances.map_or_else(|| UNKNOWN.into(), |balances| format!("bank({{{}}})", balances.join(",")))
}

/// The reason why the calls of these methods tell no object, and what to say.
pub(crate) fn hint(methods: &[&str]) -> &'static str {
    let all = |known: &[&str]| methods.iter().all(|method| known.contains(method));
    let any = |known: &[&str]| methods.iter().any(|method| known.contains(method));
    if any(&["drain"]) {
        "Jepsen's total-queue, whose queue promises no order, is not judged"
    } else if any(&["send", "poll", "subscribe", "assign"]) {
        "Jepsen's kafka is not judged"
    } else if all(&["txn"]) {
        "they may be transactions (--model ser) or operations of registers (--spec multi-register): say which"
    } else if all(&["read"]) {
        "reads alone tell no object: say what it is with --spec"
    } else if all(&["add", "read"]) && any(&["add"]) {
        "it may be a counter or a set, and no read tells which (Jepsen's monotonic is not judged): say what it is, as with --spec counter, --spec grow-set or --spec set"
    } else if all(&["add", "remove", "contains", "read"]) && any(&["add", "remove", "contains"]) {
        "a set says with true or false what its operations found, and these do not: say what it is with --spec"
    } else if all(&["add", "inc", "read", "get"]) {
        "the values are not a counter's (Jepsen's monotonic is not judged): say what it is with --spec"
    } else if all(&["transfer", "read"]) {
        "a bank, whose balances no read tells before the first transfer: give them, as with --spec 'bank({0: 10, 1: 10})'"
    } else if all(&["read", "write", "cas", "read-init"]) {
        "reads return lists, and no list was written: no register (Jepsen's sequential and causal-reverse are not judged); say what it is with --spec"
    } else if all(&["insert"]) {
        "insertions alone tell no object (Jepsen's G2 is not judged): say what it is, as with --spec priority-queue"
    } else if all(&["append", "read"]) {
        "reads of a list return all of it, and these do not: say what it is with --spec"
    } else {
        "the methods of no built-in specification: give one, as with --spec"
    }
}

/// From, to and amount of a transfer.
fn transfer(value: &Value) -> Result<[Value; 3], ErrorKind> {
    let of = |name: &str| match value {
        Value::List(entries) => entries.iter().find_map(|entry| match pair(entry) {
            Some([Value::Text(key), value]) if **key == *name => Some(value.clone()),
            _ => None,
        }),
        _ => None,
    };
    match (of("from"), of("to"), of("amount")) {
        (Some(from), Some(to), Some(amount)) => Ok([from, to, amount]),
        _ => {
            let expected = "{:from a, :to b, :amount n} as the value of transfer";
            Err(ErrorKind::Syntax { expected, found: quote(value.to_string().as_bytes()) })
        }
    }
}
