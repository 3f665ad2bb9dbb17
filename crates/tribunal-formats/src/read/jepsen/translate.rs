//! What Jepsen's operations are as invocations and returns of an object.

use super::{Call, Dialect, Type, pair};
use crate::ErrorKind;
use crate::error::quote;
use std::collections::BTreeSet;
use tribunal::object::Value;

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
    Bank,
    /// None of these: the user says what it is.
    Unknown,
}

impl Object {
    /// Each object with its methods; of those that fit, the first is it.
    const METHODS: [(Object, &[&str]); 11] = [
        (Object::Register, &["read", "write", "cas"]),
        (Object::Mutex, &["acquire", "release"]),
        (Object::MultiRegister, &["txn"]),
        (Object::Queue, &["enqueue", "dequeue"]),
        (Object::Stack, &["push", "pop"]),
        (Object::PriorityQueue, &["insert", "delete_min"]),
        (Object::KvStore, &["get", "put", "append"]),
        (Object::Counter, &["add", "inc", "read", "get"]),
        (Object::List, &["append", "read"]),
        (Object::Set, &["add", "remove", "contains"]),
        (Object::Bank, &["transfer", "read"]),
    ];

    /// The object that the methods called tell.
    pub(crate) fn of(methods: &[String], keyed: bool) -> Self {
        let fits = |known: &[&str]| methods.iter().all(|method| known.contains(&method.as_str()));
        let candidate = Object::METHODS
            .iter()
            .find(|&&(object, known)| fits(known) && (object != Object::KvStore || keyed));
        candidate.map_or(Object::Unknown, |&(object, _)| object)
    }

    /// The specification's name. The transactions tell the names of their registers.
    pub(crate) fn spec<'a>(
        self,
        dialect: Dialect,
        keyed: bool,
        transactions: impl Iterator<Item = &'a Value>,
    ) -> String {
        let name = match self {
            Object::KvStore => return "kv-store".into(),
            Object::Unknown => return "unknown".into(),
            Object::Register if dialect == Dialect::Log => "cas-register".into(),
            Object::Register => "cas-register(0)".into(),
            Object::MultiRegister => multi_register(transactions),
            Object::Mutex => "mutex".to_string(),
            Object::Queue => "queue".into(),
            Object::Stack => "stack".into(),
            Object::PriorityQueue => "priority-queue".into(),
            Object::Counter => "counter".into(),
            Object::List => "list".into(),
            Object::Set => "set".into(),
            Object::Bank => "bank".into(),
        };
        if keyed { format!("keyed {name}") } else { name }
    }

    /// The method, the arguments (appended) and the return of a call; nothing if it says nothing, and no return if it is
    /// pending.
    pub(super) fn operation<'a>(
        self,
        dialect: Dialect,
        method: &'a str,
        call: &Call,
        args: &mut Vec<Value>,
    ) -> Result<Option<(&'a str, Option<Value>)>, ErrorKind> {
        let returned = match &call.end {
            Some(end) if end.kind == Type::Ok => Some(&end.value),
            Some(end) if end.kind == Type::Fail && dialect == Dialect::Log && method == "cas" => {
                let [old, new] = self.swap(&call.value)?;
                args.extend([old, new]);
                return Ok(Some((method, Some(Value::Bool(false)))));
            }
            Some(end) if end.kind == Type::Fail => return Ok(None),
            _ => None,
        };
        // What was done is said with the return or else with the call.
        let done = returned.filter(|value| **value != Value::Null).unwrap_or(&call.value);
        let null = || returned.map(|_| Value::Null);
        let ret = match (self, method) {
            (_, "read") | (Object::KvStore | Object::Counter, "get") => {
                let nothing =
                    returned.is_none_or(|value| dialect == Dialect::Jepsen && *value == Value::Null);
                if nothing {
                    return Ok(None);
                }
                let method = if self == Object::Counter { "get" } else { method };
                return Ok(Some((method, returned.cloned())));
            }
            (Object::Register, "cas") => {
                args.extend(self.swap(done)?);
                returned.map(|_| Value::Bool(true))
            }
            (Object::MultiRegister, _) => {
                let Some((txn, filled)) = transaction(done)? else { return Ok(None) };
                args.push(txn);
                returned.map(|_| filled)
            }
            (Object::Bank, "transfer") => {
                args.extend(transfer(&call.value)?);
                returned.map(|_| Value::Bool(true))
            }
            (Object::Mutex, _) | (Object::Counter, "inc") => null(),
            (_, "dequeue" | "pop" | "delete_min") => returned.cloned(),
            (Object::Set | Object::Unknown, _) => {
                if call.value != Value::Null {
                    args.push(call.value.clone());
                }
                // Jepsen repeats the value of the call where there is nothing to say.
                returned.map(|value| if *value == call.value { Value::Null } else { value.clone() })
            }
            _ => {
                args.push(done.clone());
                null()
            }
        };
        Ok(Some((method, ret)))
    }

    fn swap(self, value: &Value) -> Result<[Value; 2], ErrorKind> {
        let expected = "[old new] as the value of cas";
        pair(value)
            .cloned()
            .ok_or_else(|| ErrorKind::Syntax { expected, found: quote(value.to_string().as_bytes()) })
    }
}

/// What an access of a transaction does.
fn access(value: &Value) -> Option<(bool, &Value, &Value)> {
    let Value::List(parts) = value else { return None };
    let [Value::Text(what), register, value] = &**parts else { return None };
    match &**what {
        "r" | "read" => Some((true, register, value)),
        "w" | "write" => Some((false, register, value)),
        _ => None,
    }
}

/// A transaction as it was called and as it returned. A read of nil says nothing; neither does a transaction of
/// nothing else.
pub(crate) fn transaction(value: &Value) -> Result<Option<(Value, Value)>, ErrorKind> {
    let expected = "a list of [:r x nil], [:read x nil], [:w x 1] or [:write x 1] as the value of txn";
    let wrong = || ErrorKind::Syntax { expected, found: quote(value.to_string().as_bytes()) };
    let Value::List(accesses) = value else { return Err(wrong()) };
    let (mut called, mut returned) = (Vec::new(), Vec::new());
    for one in accesses.iter() {
        let (reads, register, value) = access(one).ok_or_else(wrong)?;
        if reads && *value == Value::Null {
            continue;
        }
        let made = |value| Value::list([Value::from(if reads { "r" } else { "w" }), register.clone(), value]);
        called.push(made(if reads { Value::Null } else { value.clone() }));
        returned.push(made(value.clone()));
    }
    Ok((!called.is_empty()).then(|| (Value::list(called), Value::list(returned))))
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
