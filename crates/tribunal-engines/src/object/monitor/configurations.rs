//! Sets of configurations: how an object may have come to where it is.

use super::recipes::Recipes;
use super::window::{Operation, Window};
use crate::object::meter::Meter;
use rustc_hash::FxHashMap;
use tribunal_history::heap::{Heap, block};
use tribunal_history::limits::Limits;
use tribunal_history::object::States;
use tribunal_history::object::{Specification, StateId, Value};
use tribunal_history::verdict::Limit;

/// One way to have come this far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) state: StateId,
    /// The operations that took effect and have not returned: their slots, sorted.
    pub(super) done: Vec<u32>,
}

/// An operation as a run sees it.
struct Actor<'w> {
    operation: &'w Operation,
    /// The value that it must return; nothing if nobody knows yet, or ever.
    expected: Option<&'w Value>,
    /// Whether it changes nothing, as its return tells.
    unchanged: bool,
    key: Option<Value>,
    /// Operations of one class call the same and return the same.
    class: u32,
}

impl Configuration {
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Configuration>() + block(self.done.held())
    }
}

/// Follows all configurations through events, up to the knowledge of one event: what had returned then.
///
/// This is Wing and Gong's search in the order of Lowe (Testing for linearizability, 2017), breadth first: an operation takes effect only when
/// one must, because it, or another that needs it, returns. The invariant: each linearization of the events so far ends in a
/// configuration of the set, or in one that a configuration of the set can stand for. One stands for another of the same state if it needs fewer of the
/// operations that will not return, and has done the same for the others. At a return of `a` only sequences of open operations that end in `a`
/// are tried; left out are those that differ in
///
/// - operations that change nothing: they are done whenever their return fits;
/// - operations that commute with `a`, and with all that do not commute with it, and so on: they can be done after `a`;
/// - operations of one class: the one that returns first is done first.
pub(super) struct Run<'w, 's> {
    spec: &'s dyn Specification,
    states: &'w mut (dyn States + 's),
    recipes: Option<&'w mut Recipes>,
    actors: Vec<Option<Actor<'w>>>,
    /// The actors that are open.
    open: Vec<u32>,
    /// By state and slot, the state after it, if it can take effect with the return it must have.
    steps: FxHashMap<(StateId, u32), Option<StateId>>,
    meter: Meter<'s>,
    /// The bytes that the monitor holds beside the states and this run.
    held: usize,
}

impl<'w, 's> Run<'w, 's> {
    /// A run through the events that a window holds, beside `held` bytes of the monitor. Records how states are reached, if
    /// asked to.
    pub(super) fn new(
        spec: &'s dyn Specification,
        states: &'w mut (dyn States + 's),
        recipes: Option<&'w mut Recipes>,
        window: &'w Window,
        upto: u64,
        (limits, held): (&Limits<'s>, usize),
    ) -> Self {
        let mut actors: Vec<Option<Actor<'w>>> = Vec::new();
        actors.resize_with(window.slots(), || None);
        let mut classes: FxHashMap<(&str, &[Value], Option<&Value>), u32> = FxHashMap::default();
        for (slot, operation) in window.iter() {
            let call = operation.invocation();
            let expected = operation.returned(upto);
            let silent = expected.is_none() && spec.read_only(call);
            if operation.call > upto || operation.withdrawn(upto) || silent {
                continue;
            }
            let fresh = classes.len() as u32;
            let class = *classes.entry((call.method, call.args, expected)).or_insert(fresh);
            let unchanged = expected.is_some_and(|ret| spec.unchanged(call, ret));
            actors[slot as usize] =
                Some(Actor { operation, expected, unchanged, key: spec.key(call), class });
        }
        let (open, steps) = (Vec::new(), FxHashMap::default());
        let held = held + window.len() * (size_of::<Option<Actor<'w>>>() + 128);
        Run { spec, states, recipes, actors, open, steps, meter: Meter::new(limits), held }
    }

    /// The configurations after the events between two; empty if there is none.
    pub(super) fn follow(
        &mut self,
        mut configurations: Vec<Configuration>,
        after: u64,
        upto: u64,
    ) -> Result<Vec<Configuration>, Limit> {
        let mut events: Vec<(u64, u32)> = Vec::new();
        for (slot, actor) in self.actors.iter().enumerate() {
            let Some(actor) = actor else { continue };
            let numbers = [actor.operation.call, actor.operation.end];
            let happened = numbers.into_iter().filter(|&number| number > after && number <= upto);
            events.extend(happened.map(|number| (number, slot as u32)));
        }
        events.sort_unstable();
        for (number, slot) in events {
            if self.actor(slot).operation.call == number {
                self.open.push(slot);
                continue;
            }
            // What is withdrawn later than the run knows is not an end.
            if self.actor(slot).expected.is_none() {
                continue;
            }
            configurations = self.returns(configurations, slot)?;
            self.open.retain(|&other| other != slot);
            if configurations.is_empty() {
                break;
            }
        }
        Ok(configurations)
    }

    fn actor(&self, slot: u32) -> &Actor<'w> {
        self.actors[slot as usize].as_ref().expect("only actors are open or done")
    }

    /// The configurations after an operation's return.
    fn returns(&mut self, configurations: Vec<Configuration>, a: u32) -> Result<Vec<Configuration>, Limit> {
        let (before, unchanged) = self.before(a);
        // Those that come in are there while others are made.
        let coming: usize = configurations.iter().map(Configuration::bytes).sum();
        let mut after = Antichain::default();
        let mut seen = Antichain::default();
        let mut queue: Vec<Configuration> = Vec::new();
        for mut configuration in configurations {
            match configuration.done.binary_search(&a) {
                Ok(at) => {
                    configuration.done.remove(at);
                    self.add(&mut after, configuration, None);
                }
                Err(_) => self.add(&mut seen, configuration, Some(&mut queue)),
            }
        }
        while let Some(from) = queue.pop() {
            self.meter.visit(1)?;
            // What is in the queue is in a set too.
            let queued = queue.peak() + seen.held;
            self.go_on(coming + queued + after.bytes() + seen.bytes())?;
            // What changes nothing and fits is done before the state is left.
            let mut leaving = from.done.clone();
            for &x in &unchanged {
                if let Err(at) = leaving.binary_search(&x)
                    && self.step(from.state, x).is_some()
                {
                    leaving.insert(at, x);
                }
            }
            match self.step(from.state, a) {
                Some(state) if state == from.state => {
                    self.add(&mut after, from.clone(), None);
                    if self.actor(a).unchanged {
                        continue;
                    }
                }
                Some(state) => self.add(&mut after, Configuration { state, done: leaving.clone() }, None),
                None => {}
            }
            // The first of each class that is not done; of a's class that is a.
            let mut class = self.actor(a).class;
            for &x in &before {
                let Err(_) = from.done.binary_search(&x) else { continue };
                if self.actor(x).class == class || self.actor(x).class == self.actor(a).class {
                    continue;
                }
                class = self.actor(x).class;
                let Some(state) = self.step(from.state, x) else { continue };
                let stays = state == from.state;
                if stays && self.actor(x).expected.is_none() {
                    continue;
                }
                let mut done = if stays { from.done.clone() } else { leaving.clone() };
                if let Err(at) = done.binary_search(&x) {
                    done.insert(at, x);
                }
                self.add(&mut seen, Configuration { state, done }, Some(&mut queue));
            }
        }
        // They become a list.
        self.go_on(coming + seen.bytes() + 2 * after.bytes())?;
        Ok(after.into_configurations())
    }

    /// Whether to go on with so many bytes held by sets of configurations, and all steps were taken.
    fn go_on(&mut self, sets: usize) -> Result<(), Limit> {
        self.meter.sound(self.states.exceeded())?;
        let held = self.held + self.steps.peak() + sets;
        self.meter.room(held.saturating_add(self.states.bytes()))?;
        self.states.bound(self.meter.limits().max_memory - held);
        self.meter.work(self.open.len() as u64 + self.states.spent())
    }

    /// The open operations that may have to take effect before `a`, class by class and the first to return first; and
    /// those that change nothing.
    fn before(&self, a: u32) -> (Vec<u32>, Vec<u32>) {
        let mut others: Vec<u32> = self.open.iter().copied().filter(|&x| x != a).collect();
        let mut related = vec![a];
        let mut at = 0;
        while at < related.len() {
            let one = related[at];
            others.retain(|&other| {
                let independent = self.independent(one, other);
                if !independent {
                    related.push(other);
                }
                independent
            });
            at += 1;
        }
        let (unchanged, mut before): (Vec<u32>, Vec<u32>) =
            related[1..].iter().partition(|&&x| self.actor(x).unchanged);
        before.sort_unstable_by_key(|&x| (self.actor(x).class, self.actor(x).operation.end, x));
        (before, unchanged)
    }

    fn independent(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.actor(a), self.actor(b));
        matches!((&a.key, &b.key), (Some(one), Some(other)) if one != other)
            || self.spec.commute(a.operation.invocation(), b.operation.invocation())
    }

    fn step(&mut self, state: StateId, slot: u32) -> Option<StateId> {
        if let Some(&known) = self.steps.get(&(state, slot)) {
            return known;
        }
        let actor = self.actors[slot as usize].as_ref()?;
        let next = self.states.step(state, actor.operation.invocation());
        let next = next.filter(|(_, ret)| actor.expected.is_none_or(|expected| ret == expected));
        let next = next.map(|(state, _)| state);
        if let (Some(next), Some(recipes)) = (next, &mut self.recipes) {
            recipes.record(self.states, state, actor.operation, next);
        }
        self.steps.insert((state, slot), next);
        next
    }

    /// Adds a configuration to a set, unless another stands for it, and to a queue.
    fn add(&mut self, set: &mut Antichain, it: Configuration, queue: Option<&mut Vec<Configuration>>) {
        let (spent, done) =
            it.done.iter().copied().partition(|&slot: &u32| self.actor(slot).expected.is_none());
        if set.add(it.state, done, spent)
            && let Some(queue) = queue
        {
            queue.push(it);
        }
    }
}

/// Configurations none of which stands for another.
#[derive(Default)]
struct Antichain {
    /// By state and operations done that will return, the sets of those that will not and are spent.
    spent: FxHashMap<(StateId, Vec<u32>), Vec<Vec<u32>>>,
    /// The bytes that the lists in it take.
    held: usize,
}

impl Antichain {
    fn add(&mut self, state: StateId, done: Vec<u32>, spent: Vec<u32>) -> bool {
        let lists = block(4 * done.len()) + block(4 * spent.len()) + block(4 * size_of::<Vec<u32>>());
        let sets = self.spent.entry((state, done)).or_default();
        if sets.iter().any(|known| subset(known, &spent)) {
            return false;
        }
        sets.retain(|known| !subset(&spent, known));
        sets.push(spent);
        self.held += lists;
        true
    }

    fn bytes(&self) -> usize {
        self.spent.peak() + self.held
    }

    fn into_configurations(self) -> Vec<Configuration> {
        let mut all = Vec::with_capacity(self.spent.len());
        for ((state, done), sets) in self.spent {
            for spent in sets {
                let mut done = [&done[..], &spent[..]].concat();
                done.sort_unstable();
                all.push(Configuration { state, done });
            }
        }
        all
    }
}

/// Whether all of one sorted set are in another.
fn subset(small: &[u32], large: &[u32]) -> bool {
    small.len() <= large.len() && small.iter().all(|slot| large.binary_search(slot).is_ok())
}
