//! Monitoring objects: calls and returns as they happen, up to the first event that makes a violation certain.

mod compact;
mod configurations;
mod error;
mod recheck;
mod recipes;
mod search;
mod window;

pub use error::MalformedEvent;

use super::meter::Meter;
use super::{Collection, Criterion, History, Invocation, Specification, Value, typed_call};
use recheck::Recheck;
use rustc_hash::FxHashMap;
use search::Search;
use std::fmt;
use std::sync::Arc;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::object::ProcessSet;
use tribunal_history::verdict::Limit;
use window::{NEVER, Operation, Outcome, Window};

/// Checks calls and returns as they happen.
///
/// Each event is a call, a return, a crash ([`Monitor::crash`]: the operation will not return) or a withdrawal
/// ([`Monitor::withdraw`]: it did not take effect). The first event is 0.
///
/// Under `linearizable`, operations are kept only as long as they can matter: until they and all operations called
/// before them have ended or crashed. Then the possible states of the object represent them. The
/// collections with a special algorithm keep the values that are inside or were removed recently; a removal that
/// crashed keeps everything after it, because what it removed is unknown. Other criteria keep everything. `sequential` is decided
/// only by [`Monitor::finish`], because an operation may be explained by one that is called later.
///
/// The monitor checks again after a quarter of what it keeps has returned, or at each return while that is little. So a violation may be found a few
/// events after the one that makes it certain, but it names that one. [`Monitor::check`] checks at once.
///
/// ```
/// use tribunal::Limits;
/// use tribunal::object::{Criterion, Monitor, Status, Value, specs::Queue};
/// let mut monitor = Monitor::new(&Queue, Criterion::Linearizable, Limits::default());
/// for value in 1..=2 {
///     monitor.call("0", "enqueue", &[Value::from(value)])?;
///     assert_eq!(monitor.ret("0", Value::Null)?, Status::Consistent);
/// }
/// monitor.call("1", "dequeue", &[])?;
/// let Status::Violation(violation) = monitor.ret("1", Value::from(2))? else { panic!("1 was first") };
/// assert_eq!((violation.event, &violation.operation[..]), (5, "1: dequeue() → 2"));
/// # Ok::<(), tribunal::object::MalformedEvent>(())
/// ```
pub struct Monitor<'s> {
    spec: &'s dyn Specification,
    limits: Limits<'s>,
    engine: Engine<'s>,
    /// The number of the last event. Events have even numbers, from 2; odd ones are the instants between.
    last: u64,
    /// By process, its open operation.
    open: FxHashMap<Arc<str>, Place>,
    /// The processes whose last operation will not return.
    crashed: ProcessSet,
    methods: FxHashMap<Arc<str>, Arc<str>>,
    /// The violation, once there is one.
    violation: Option<Box<FirstViolation>>,
    /// The reason why the end will be undecided, once it is.
    doubt: Option<Inconclusive>,
}

enum Engine<'s> {
    Search(Search<'s>),
    Recheck(Recheck<'s>),
}

/// The place where an operation is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    key: Option<Value>,
    slot: u32,
}

/// The result of a check.
enum Checked {
    Nothing,
    Violation {
        event: u64,
        key: Option<Value>,
    },
    Undecided(Inconclusive),
    /// The algorithm for collections does not decide this.
    Unsupported,
}

impl Checked {
    fn earlier(self, other: Checked) -> Checked {
        match (&self, &other) {
            (Checked::Violation { event, .. }, Checked::Violation { event: later, .. }) if later < event => {
                other
            }
            (Checked::Violation { .. }, _) | (_, Checked::Nothing) => self,
            _ => other,
        }
    }
}

/// The status of a monitored history.
#[derive(Clone, Debug)]
pub enum Status {
    /// No violation up to the last check.
    Consistent,
    /// The history is inconsistent, whatever follows. Every later status is the same.
    Violation(Box<FirstViolation>),
    /// Undecided from here on; reported once, and again at the end. A violation of another key may still be found.
    Undecided(Inconclusive),
}

impl PartialEq for Status {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Status::Consistent, Status::Consistent) => true,
            (Status::Violation(one), Status::Violation(other)) => one.event == other.event,
            (Status::Undecided(one), Status::Undecided(other)) => one == other,
            _ => false,
        }
    }
}

/// The reason why a monitor is undecided.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Inconclusive {
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
    /// A call that concerns the whole object came after calls with keys, whose combined effects are not kept.
    #[error("a call without a key follows calls with keys, whose states cannot be combined")]
    Keys,
}

/// The first event that makes a violation certain.
#[derive(Clone, Debug)]
pub struct FirstViolation {
    /// The event: the number of events before it.
    pub event: u64,
    /// The operation that returned then or was withdrawn, as text.
    pub operation: String,
    /// The key, if the object was monitored key by key.
    pub key: Option<Value>,
    /// The operations that cannot be explained together, as they were after the event.
    pub history: History,
    /// The states in which the object may have been before these operations, as text; empty: the initial state.
    pub origins: Vec<String>,
}

impl fmt::Display for FirstViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let list = |f: &mut fmt::Formatter<'_>, all: &mut dyn ExactSizeIterator<Item = String>| {
            let count = all.len();
            for (at, one) in all.take(MOST).enumerate() {
                write!(f, "{}{one}", if at > 0 { "; " } else { "" })?;
            }
            if count > MOST { write!(f, "; and {} more", count - MOST) } else { Ok(()) }
        };
        write!(f, "{}", self.operation)?;
        if let Some(key) = &self.key {
            write!(f, " (key {key})")?;
        }
        f.write_str(": no order explains ")?;
        list(f, &mut self.history.ops().map(|op| self.history.show(op)))?;
        if !self.origins.is_empty() {
            f.write_str(", from the state ")?;
            list(f, &mut self.origins.iter().cloned())?;
        }
        Ok(())
    }
}

impl<'s> Monitor<'s> {
    /// A monitor before any event. The limits apply to each check, except for the memory limit, which applies to everything that is kept and the
    /// check together. Beyond it nothing is known, and only open operations are kept.
    pub fn new(spec: &'s dyn Specification, criterion: Criterion, limits: Limits<'s>) -> Self {
        let engine = match (spec.collection(), criterion) {
            (
                Some(Collection::Set | Collection::List | Collection::KeyedList | Collection::KvStore) | None,
                Criterion::Linearizable,
            ) => Engine::Search(Search::new(spec)),
            (collection, Criterion::Linearizable) => {
                Engine::Recheck(Recheck::new(spec, Criterion::Linearizable, collection))
            }
            (_, criterion) => Engine::Recheck(Recheck::new(spec, criterion, None)),
        };
        Monitor {
            spec,
            limits,
            engine,
            last: 0,
            open: FxHashMap::default(),
            crashed: ProcessSet::default(),
            methods: FxHashMap::default(),
            violation: None,
            doubt: None,
        }
    }

    /// Sets the limits from now on, for example the deadline of the next check.
    pub fn within(&mut self, limits: Limits<'s>) {
        self.limits = limits;
    }

    /// A process calls a method.
    pub fn call(&mut self, process: &str, method: &str, args: &[Value]) -> Result<Status, MalformedEvent> {
        typed_call(self.spec, Invocation { method, args })?;
        let open = match self.open.get(process) {
            Some(place) => Some(self.invocation(place)),
            None => self.crashed.contains(process).then(|| "crashed operation".into()),
        };
        if let Some(open) = open {
            let called = Invocation { method, args }.to_string();
            return Err(MalformedEvent::Overlap { process: process.into(), called, open });
        }
        self.last += 2;
        let process: Arc<str> = process.into();
        let operation = Operation {
            process: process.clone(),
            method: self.method(method),
            args: args.into(),
            call: self.last,
            end: NEVER,
            outcome: Outcome::Open,
        };
        let mut status = Status::Consistent;
        let place = match &mut self.engine {
            Engine::Search(search) => {
                if search.joins(&operation) {
                    let (places, doubt) = search.join(&self.limits);
                    for place in self.open.values_mut() {
                        if let Some(new) = places.get(place) {
                            *place = new.clone();
                        }
                    }
                    status = doubt.map_or(status, Status::Undecided);
                }
                search.call(operation)
            }
            Engine::Recheck(recheck) => recheck.call(operation),
        };
        self.open.insert(process, place);
        if let Some(doubt) = self.too_much() {
            status = Status::Undecided(doubt);
        }
        if let Status::Undecided(doubt) = &status {
            self.doubt = self.doubt.take().or_else(|| Some(doubt.clone()));
        }
        Ok(self.violation.clone().map_or(status, Status::Violation))
    }

    /// A process's operation returns. A return value of the wrong type is not an error, but nothing explains it.
    pub fn ret(&mut self, process: &str, value: Value) -> Result<Status, MalformedEvent> {
        self.end(process, Outcome::Returned(value))
    }

    /// A process's operation will not return; it may or may not take effect. The process calls nothing more.
    pub fn crash(&mut self, process: &str) -> Result<Status, MalformedEvent> {
        self.end(process, Outcome::Crashed)
    }

    /// A process's operation did not take effect. The process may continue.
    pub fn withdraw(&mut self, process: &str) -> Result<Status, MalformedEvent> {
        self.end(process, Outcome::Withdrawn)
    }

    /// Checks all that has happened.
    pub fn check(&mut self) -> Status {
        let checked = match &mut self.engine {
            Engine::Search(search) => search.check_all(self.last, &self.limits),
            Engine::Recheck(recheck) => recheck.check(self.last, &self.limits),
        };
        self.found(checked)
    }

    /// There are no more events: the final status.
    pub fn finish(mut self) -> Status {
        if let Engine::Recheck(recheck) = &mut self.engine {
            let checked = recheck.check_now(self.last, &self.limits);
            self.found(checked);
        }
        match (self.check(), self.doubt) {
            (Status::Consistent, Some(doubt)) => Status::Undecided(doubt),
            (status, _) => status,
        }
    }

    /// The number of events.
    pub fn events(&self) -> u64 {
        self.last / 2
    }

    /// The number of events that have been checked: a later violation is not among them.
    pub fn checked(&self) -> u64 {
        let checked = match &self.engine {
            Engine::Search(search) => search.checked(self.last),
            Engine::Recheck(recheck) => recheck.checked,
        };
        checked / 2
    }

    /// The number of operations that are open.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// The number of operations that are kept because they can still matter.
    pub fn held(&self) -> usize {
        match &self.engine {
            Engine::Search(search) => search.held(),
            Engine::Recheck(recheck) => recheck.window.len(),
        }
    }

    fn method(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.methods.get(name) {
            return known.clone();
        }
        let fresh: Arc<str> = name.into();
        self.methods.insert(fresh.clone(), fresh.clone());
        fresh
    }

    /// Forgets all but what is open, if more is held than may be: then nothing is known any more.
    fn too_much(&mut self) -> Option<Inconclusive> {
        let held = match &self.engine {
            Engine::Search(search) => search.bytes(),
            Engine::Recheck(recheck) => recheck.window.bytes(),
        };
        let limit = Meter::new(&self.limits).room(self.open.peak() + self.crashed.bytes() + held).err()?;
        let known = match &mut self.engine {
            Engine::Search(search) => search.give_up(),
            Engine::Recheck(recheck) => recheck.give_up(),
        };
        known.then_some(Inconclusive::Limit(limit))
    }

    fn invocation(&self, place: &Place) -> String {
        self.operation(place).map_or_else(String::new, |operation| operation.invocation().to_string())
    }

    fn operation(&self, place: &Place) -> Option<&Operation> {
        let window = match &self.engine {
            Engine::Search(search) => search.window(place)?,
            Engine::Recheck(recheck) => &recheck.window,
        };
        window.get(place.slot)
    }

    fn end(&mut self, process: &str, outcome: Outcome) -> Result<Status, MalformedEvent> {
        let Some(place) = self.open.remove(process) else {
            return Err(MalformedEvent::NoCall { process: process.into() });
        };
        self.last += 2;
        let end = if outcome == Outcome::Crashed { NEVER } else { self.last };
        if outcome == Outcome::Crashed {
            self.crashed.insert(process);
        }
        let checked = match &mut self.engine {
            Engine::Search(search) => search.end(&place, end, outcome, &self.limits),
            Engine::Recheck(recheck) => recheck.end(&place, end, outcome, &self.limits),
        };
        let status = self.found(checked);
        match (status, self.too_much()) {
            (Status::Consistent, Some(doubt)) => Ok(self.found(Checked::Undecided(doubt))),
            (status, _) => Ok(status),
        }
    }

    fn found(&mut self, mut checked: Checked) -> Status {
        if let Some(violation) = &self.violation {
            return Status::Violation(violation.clone());
        }
        if let (Checked::Unsupported, Engine::Recheck(recheck)) = (&checked, &mut self.engine) {
            // What was dropped does not matter whoever decides.
            let mut search = Search::resume(self.spec, std::mem::take(&mut recheck.window), recheck.checked);
            checked = search.check_all(self.last, &self.limits);
            self.engine = Engine::Search(search);
        }
        match checked {
            Checked::Nothing | Checked::Unsupported => Status::Consistent,
            Checked::Undecided(doubt) => {
                self.doubt = self.doubt.take().or_else(|| Some(doubt.clone()));
                Status::Undecided(doubt)
            }
            Checked::Violation { event, key } => {
                let violation = Box::new(self.explain(event, key));
                self.violation = Some(violation.clone());
                Status::Violation(violation)
            }
        }
    }

    fn explain(&self, event: u64, key: Option<Value>) -> FirstViolation {
        let place = Place { key: key.clone(), slot: 0 };
        let (window, core, origins) = match &self.engine {
            Engine::Search(search) => {
                let window = search.window(&place).cloned().unwrap_or_default();
                let (_, slots) = window.history(event);
                (window, slots, search.origins(&key))
            }
            Engine::Recheck(recheck) => {
                (recheck.window.clone(), recheck.core(event, &self.limits), Vec::new())
            }
        };
        let operation = window.iter().find(|(_, operation)| operation.end == event);
        let operation = operation.map_or_else(String::new, |(_, operation)| operation.show());
        let mut part = Window::default();
        for operation in core.into_iter().filter_map(|slot| window.get(slot)) {
            part.insert(operation.clone());
        }
        let (history, _) = part.history(event);
        FirstViolation { event: event / 2 - 1, operation, key, history, origins }
    }
}

/// After how many returns so many operations are checked again.
fn interval(held: usize) -> usize {
    (held / 4).max(1)
}

/// The first of these events that is bad; the last one is, and all after a bad one are.
fn first(events: &[u64], mut bad: impl FnMut(u64) -> Result<bool, Limit>) -> Result<u64, Limit> {
    let (mut good, mut known_bad) = (0, events.len() - 1);
    while good < known_bad {
        let middle = (good + known_bad) / 2;
        if bad(events[middle])? { known_bad = middle } else { good = middle + 1 }
    }
    Ok(events[known_bad])
}
