//! Promises about whole runs: values that are only stored, and what the built-in collections do.

use super::{BrokenPromise, Promise};
use tribunal_history::object::specs::{Keyed, KvStore, List, PriorityQueue, Queue, Register, Set, Stack};
use tribunal_history::object::{Collection, Invocation, Spec, Specification, Value};

type Checked = Result<(), Box<BrokenPromise>>;

/// Runs from the initial state.
pub(super) struct Runs<'a, S: Spec> {
    spec: &'a S,
    calls: &'a [Invocation<'a>],
    /// The collection that it is said to be, and the built-in one.
    collection: Option<(Collection, Box<dyn Specification>)>,
    tried: usize,
}

impl<'a, S: Spec> Runs<'a, S> {
    pub(super) fn new(spec: &'a S, calls: &'a [Invocation<'a>]) -> Self {
        let collection = spec.collection().map(|collection| {
            let built_in: Box<dyn Specification> = match &collection {
                Collection::Register(initial) => Box::new(Register::new(initial.clone())),
                Collection::Set => Box::new(Set),
                Collection::Queue => Box::new(Queue),
                Collection::Stack => Box::new(Stack),
                Collection::PriorityQueue => Box::new(PriorityQueue),
                Collection::List => Box::new(List),
                Collection::KeyedList => Box::new(Keyed::new(List)),
                Collection::KvStore => Box::new(KvStore),
            };
            (collection, built_in)
        });
        Runs { spec, calls, collection, tried: 0 }
    }

    pub(super) fn tried(&self) -> usize {
        self.tried
    }

    /// Checks all runs of so many calls.
    pub(super) fn check(&mut self, length: usize) -> Checked {
        self.extend(&mut Vec::new(), &mut Vec::new(), &self.spec.initial(), length)
    }

    /// Checks the runs that so many more calls make of one.
    fn extend(
        &mut self,
        run: &mut Vec<Invocation<'a>>,
        returns: &mut Vec<Value>,
        state: &S::State,
        left: usize,
    ) -> Checked {
        if left == 0 {
            self.tried += 1;
            return self.renamed(run, returns, state);
        }
        for &call in self.calls {
            let mut after = state.clone();
            let ret = self.spec.step(&mut after, call);
            if left == 1 {
                self.as_built_in(run, state, call, ret.as_ref())?;
            }
            let Some(ret) = ret else { continue };
            run.push(call);
            returns.push(ret);
            self.extend(run, returns, &after, left - 1)?;
            run.pop();
            returns.pop();
        }
        Ok(())
    }

    /// Checks that a collection returns what the built-in one does, as long as only its methods are called.
    fn as_built_in(
        &self,
        before: &[Invocation<'a>],
        state: &S::State,
        call: Invocation<'a>,
        ret: Option<&Value>,
    ) -> Checked {
        let Some((collection, built_in)) = &self.collection else { return Ok(()) };
        if !before.iter().chain([&call]).all(|&call| collection.knows(call)) {
            return Ok(());
        }
        let mut replay = built_in.replay();
        // What happened up to here was compared before.
        let expected =
            before.iter().all(|&call| replay.call(call).is_some()).then(|| replay.call(call)).flatten();
        if ret == expected.as_ref() {
            return Ok(());
        }
        let words = |ret: Option<&Value>| {
            ret.map_or("cannot take effect".to_string(), |ret| format!("returns {ret}"))
        };
        let happened =
            format!("it {}, and that of {} {}", words(ret), built_in.name(), words(expected.as_ref()));
        Err(BrokenPromise::new(self.spec, Promise::Collection, &[call], happened).at(before.to_vec(), state))
    }

    /// Checks that an opaque value that nothing else mentions may be any other that nothing mentions, even one that another call stores.
    fn renamed(&self, run: &[Invocation<'a>], returns: &[Value], state: &S::State) -> Checked {
        let values = || run.iter().flat_map(|call| call.args).chain(returns);
        let unmentioned = |at: usize| {
            let place = self.spec.opaque(run[at])?;
            let value = run[at].args.get(place)?;
            let mentions: usize = values().map(|other| mentions(other, value)).sum();
            (mentions == 1).then_some((place, value))
        };
        for at in 0..run.len() {
            let Some((place, value)) = unmentioned(at) else { continue };
            let stored = (0..run.len()).filter(|&other| other != at).filter_map(unmentioned);
            let same_kind = stored.map(|(_, other)| other.clone()).find(|other| other.kind() == value.kind());
            for new in fresh(value, values()).into_iter().chain(same_kind) {
                let mut args = run[at].args.to_vec();
                args[place] = new.clone();
                let mut renamed = run.to_vec();
                renamed[at].args = &args;
                if let Some((other, instead)) = self.differs(&renamed, returns) {
                    let instead = instead.map_or("cannot take effect".into(), |ret| format!("returns {ret}"));
                    let happened = format!(
                        "with {new} in place of {value}, of which nothing else speaks, {} {instead} instead of {}",
                        renamed[other], returns[other]
                    );
                    let broken = BrokenPromise::new(self.spec, Promise::Opaque, &[run[at]], happened);
                    return Err(broken.at(run.to_vec(), state));
                }
            }
        }
        Ok(())
    }

    /// The first call of a run that does not return what is expected, and what it returns.
    fn differs(&self, run: &[Invocation<'_>], returns: &[Value]) -> Option<(usize, Option<Value>)> {
        let mut state = self.spec.initial();
        run.iter().zip(returns).enumerate().find_map(|(at, (&call, expected))| {
            let ret = self.spec.step(&mut state, call);
            (ret.as_ref() != Some(expected)).then_some((at, ret))
        })
    }
}

/// The number of times that a value is another, or inside it.
fn mentions(value: &Value, of: &Value) -> usize {
    let inside = match value {
        Value::List(values) => values.iter().map(|value| mentions(value, of)).sum(),
        _ => 0,
    };
    inside + usize::from(value == of)
}

/// A value of the same kind that none of these mentions; none of truth values and null, of which there are no others.
fn fresh<'v>(like: &Value, values: impl Iterator<Item = &'v Value> + Clone) -> Option<Value> {
    let candidates = (0..).map(|number: i64| match like {
        Value::Int(_) => Some(Value::Int(1_000_003 + number)),
        Value::Text(_) => Some(Value::from(format!("fresh {number}").as_str())),
        Value::List(_) => Some(Value::list([Value::from("fresh"), Value::Int(number)])),
        Value::Null | Value::Bool(_) => None,
    });
    let mut candidates = candidates.map_while(|candidate| candidate);
    candidates.find(|candidate| values.clone().all(|value| mentions(value, candidate) == 0))
}
