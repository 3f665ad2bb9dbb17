//! Promises about states, checked in each that calls lead to, the nearest first.

use super::{BrokenPromise, Promise};
use rustc_hash::FxHashSet;
use tribunal_history::object::{Invocation, Others, Spec, Value};

/// Returns come about by at most so many others.
const OTHERS: usize = 3;

type Checked = Result<(), Box<BrokenPromise>>;

/// The states that calls lead to, by the number of calls.
pub(super) struct States<'a, S: Spec> {
    spec: &'a S,
    calls: &'a [Invocation<'a>],
    others: usize,
    known: FxHashSet<S::State>,
    reached: Vec<Reached<S::State>>,
    /// The place where the states begin that one more call leads to than to those before.
    next: usize,
}

/// A state, and the state and the call that lead to it.
struct Reached<State> {
    state: State,
    from: Option<(usize, usize)>,
}

impl<'a, S: Spec> States<'a, S> {
    pub(super) fn new(spec: &'a S, calls: &'a [Invocation<'a>], depth: usize) -> Self {
        let state = spec.initial();
        let known = FxHashSet::from_iter([state.clone()]);
        States {
            spec,
            calls,
            others: depth.min(OTHERS),
            known,
            reached: vec![Reached { state, from: None }],
            next: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.next
    }

    /// Checks the states that one more call leads to than to those checked before.
    pub(super) fn check_next(&mut self) -> Checked {
        let last = self.reached.len();
        for at in self.next..last {
            self.check(at)?;
        }
        for at in self.next..last {
            for call in 0..self.calls.len() {
                if let Some((state, _)) = self.step(&self.reached[at].state, self.calls[call])
                    && self.known.insert(state.clone())
                {
                    self.reached.push(Reached { state, from: Some((at, call)) });
                }
            }
        }
        self.next = last;
        Ok(())
    }

    fn check(&self, at: usize) -> Checked {
        let state = &self.reached[at].state;
        for &call in self.calls {
            self.alone(at, call)?;
        }
        for (first, &a) in self.calls.iter().enumerate() {
            for &b in &self.calls[first..] {
                self.together(at, a, b)?;
            }
        }
        self.reach(at, state, &mut Vec::new())
    }

    fn step(&self, state: &S::State, call: Invocation<'_>) -> Option<(S::State, Value)> {
        let mut after = state.clone();
        let ret = self.spec.step(&mut after, call)?;
        Some((after, ret))
    }

    /// The evidence that a promise about some calls is broken in a state.
    fn broken(&self, at: usize, promise: Promise, calls: &[Invocation<'_>], happened: String) -> Checked {
        let mut before = Vec::new();
        let mut place = at;
        while let Some((earlier, call)) = self.reached[place].from {
            before.push(self.calls[call]);
            place = earlier;
        }
        before.reverse();
        Err(BrokenPromise::new(self.spec, promise, calls, happened).at(before, &self.reached[at].state))
    }

    /// Checks what is promised of one call.
    fn alone(&self, at: usize, call: Invocation<'_>) -> Checked {
        let state = &self.reached[at].state;
        let outcome = self.step(state, call);
        if self.step(state, call) != outcome {
            return self.broken(at, Promise::Step, &[call], "it has another outcome the second time".into());
        }
        let Some((after, ret)) = outcome else { return Ok(()) };
        let mut signatures = self.spec.signatures().iter();
        if !signatures.any(|signature| signature.method == call.method && signature.returns.admits(&ret)) {
            return self.broken(at, Promise::Signatures, &[call], format!("it returns {ret}"));
        }
        for (promise, made) in [
            (Promise::ReadOnly, self.spec.read_only(call)),
            (Promise::Unchanged, self.spec.unchanged(call, &ret)),
        ] {
            if made && after != *state {
                let returns = match promise {
                    Promise::Unchanged => format!("returns {ret} and "),
                    _ => String::new(),
                };
                return self.broken(at, promise, &[call], format!("it {returns}leaves {after:?}"));
            }
        }
        Ok(())
    }

    /// Checks what is promised of two calls.
    fn together(&self, at: usize, a: Invocation<'_>, b: Invocation<'_>) -> Checked {
        let spec = self.spec;
        let keys = spec.key(a).zip(spec.key(b)).is_some_and(|(one, other)| one != other);
        let commute = spec.commute(a, b) || spec.commute(b, a);
        if !keys && !commute {
            return Ok(());
        }
        let state = &self.reached[at].state;
        let both = |first, second| {
            let (between, one) = self.step(state, first)?;
            let (after, other) = self.step(&between, second)?;
            Some((after, one, other))
        };
        let (here, there) = (both(a, b), both(b, a).map(|(after, of_b, of_a)| (after, of_a, of_b)));
        if here != there {
            let words = |outcome: &Option<(S::State, Value, Value)>| match outcome {
                Some((after, of_a, of_b)) => format!("return {of_a} and {of_b} and leave {after:?}"),
                None => "cannot both take effect".into(),
            };
            let promise = if keys { Promise::Key } else { Promise::Commute };
            let happened = format!("they {} in this order and {} in the other", words(&here), words(&there));
            return self.broken(at, promise, &[a, b], happened);
        }
        if !keys {
            return Ok(());
        }
        for (seen, viewer) in [(a, b), (b, a)] {
            let Some((between, _)) = self.step(state, seen) else { continue };
            let [alone, after] = [state, &between].map(|state| self.step(state, viewer).map(|(_, ret)| ret));
            if alone != after {
                let words = |ret: Option<Value>| {
                    ret.map_or("cannot take effect".into(), |ret| format!("returns {ret}"))
                };
                let happened = format!("{viewer} {}, and {} after {seen}", words(alone), words(after));
                return self.broken(at, Promise::Key, &[a, b], happened);
            }
        }
        Ok(())
    }

    /// Checks that what comes about after others, which lead from a state to `now`, was not said to be out of reach.
    fn reach(&self, at: usize, now: &S::State, others: &mut Vec<Invocation<'a>>) -> Checked {
        let state = &self.reached[at].state;
        for &call in self.calls {
            let Some((_, ret)) = self.step(now, call) else { continue };
            // In any order, and with some that do not take effect.
            let more = others.iter().chain(self.calls).copied();
            let orders: [&mut dyn Iterator<Item = Invocation<'a>>; 3] =
                [&mut others.iter().copied(), &mut others.iter().rev().copied(), &mut more.clone()];
            for order in orders {
                if !self.spec.reachable(state, call, &ret, Others::new(order)) {
                    let after: Vec<String> = others.iter().map(ToString::to_string).collect();
                    let after =
                        if after.is_empty() { String::new() } else { format!(" after {}", after.join("; ")) };
                    let happened = format!("it is said not to return {ret} and does{after}");
                    return self.broken(at, Promise::Reachable, &[call], happened);
                }
            }
        }
        if others.len() < self.others {
            for &other in self.calls {
                if let Some((next, _)) = self.step(now, other) {
                    others.push(other);
                    self.reach(at, &next, others)?;
                    others.pop();
                }
            }
        }
        Ok(())
    }
}
