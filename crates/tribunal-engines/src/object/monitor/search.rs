//! Monitoring any specification: a set of configurations for each key.

use super::configurations::{Configuration, Run};
use super::recipes::Recipes;
use super::window::{Operation, Outcome, Window};
use super::{Checked, Inconclusive, Place};
use crate::object::meter::Meter;
use rustc_hash::FxHashMap;
use tribunal_history::heap::{Heap, block};
use tribunal_history::limits::Limits;
use tribunal_history::object::States;
use tribunal_history::object::{Specification, StateId, Value};
use tribunal_history::verdict::Limit;

/// The history of one key, or to the whole object.
///
/// `configurations` is the set after all that the window does not hold any more, and the calls of some that it does. It
/// was found knowing the returns of all these: none of them is open.
#[derive(Clone, Debug)]
struct Part {
    window: Window,
    configurations: Vec<Configuration>,
    /// All is well up to this event, or nothing has ended since.
    checked: u64,
    /// The number of operations that have ended after it.
    unchecked: usize,
    /// A limit was reached: nothing is known any more.
    lost: bool,
    /// The bytes that the configurations take, and what all of this does as it was last counted.
    configured: usize,
    counted: usize,
}

/// The monitor by configurations. Calls with keys are monitored key by key, until one without a key comes.
pub(super) struct Search<'s> {
    spec: &'s dyn Specification,
    states: Box<dyn States + 's>,
    /// Recipes for the states of single keys, as long as there are only keys.
    recipes: Option<Recipes>,
    parts: FxHashMap<Option<Value>, Part>,
    /// The parts with operations that ended after the last check.
    unchecked: Vec<Option<Value>>,
    /// The number of states that were left when some were last forgotten.
    kept: usize,
    /// The bytes that the parts take.
    held: usize,
    /// Nothing is known any more of any part.
    lost: bool,
}

/// States kept beyond those needed before some are forgotten.
const SLACK: usize = 256;

impl<'s> Search<'s> {
    pub(super) fn new(spec: &'s dyn Specification) -> Self {
        Search {
            spec,
            states: spec.states(),
            recipes: Some(Recipes::default()),
            parts: FxHashMap::default(),
            unchecked: Vec::new(),
            kept: 0,
            held: 0,
            lost: false,
        }
    }

    /// Goes on from operations none of which are settled.
    pub(super) fn resume(spec: &'s dyn Specification, window: Window, checked: u64) -> Self {
        let mut search = Search::new(spec);
        search.recipes = None;
        let mut part = search.fresh();
        part.unchecked = window.ends_after(checked).len();
        if part.unchecked > 0 {
            search.unchecked.push(None);
        }
        search.parts.insert(None, Part { window, checked, ..part });
        search.count(&None);
        search
    }

    fn fresh(&mut self) -> Part {
        let initial = Configuration { state: self.states.initial(), done: Vec::new() };
        Part {
            window: Window::default(),
            configurations: vec![initial],
            checked: 0,
            unchecked: 0,
            lost: self.lost,
            configured: 0,
            counted: 0,
        }
    }

    /// Counts anew what a part takes.
    fn count(&mut self, key: &Option<Value>) {
        if let Some(part) = self.parts.get_mut(key) {
            let now = part.bytes();
            self.held = self.held + now - part.counted;
            part.counted = now;
        }
    }

    fn remove(&mut self, key: &Option<Value>) {
        if let Some(part) = self.parts.remove(key) {
            self.held -= part.counted;
        }
    }

    /// The bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.held_beside_states() + self.states.bytes()
    }

    fn held_beside_states(&self) -> usize {
        let recipes = self.recipes.as_ref().map_or(0, Recipes::bytes);
        self.parts.peak() + self.unchecked.peak() + self.held + recipes
    }

    /// There is too much to be held: all but what is open is forgotten, and nothing is known any more. Whether anything was.
    pub(super) fn give_up(&mut self) -> bool {
        let known = !std::mem::replace(&mut self.lost, true);
        if known {
            self.parts.retain(|_, part| {
                part.lose();
                part.window.len() > 0
            });
            self.parts.shrink_to_fit();
            self.unchecked = Vec::new();
            self.held = 0;
            for part in self.parts.values_mut() {
                part.counted = part.bytes();
                self.held += part.counted;
            }
            self.kept = 0;
            self.forget();
        }
        known
    }

    /// Whether the next call makes one part of all.
    pub(super) fn joins(&self, operation: &Operation) -> bool {
        self.recipes.is_some() && self.spec.key(operation.invocation()).is_none()
    }

    /// Makes one part of all: every combination of configurations of the keys. What happened to different keys is
    /// independent, and the call that sees several comes after it all. Gives the new places of the operations.
    pub(super) fn join(&mut self, limits: &Limits<'s>) -> (FxHashMap<Place, Place>, Option<Inconclusive>) {
        let recipes = self.recipes.take().unwrap_or_default();
        let newest = self.parts.values().map(|part| part.checked).max().unwrap_or(0);
        let mut whole = Part { checked: self.checked(newest), ..self.fresh() };
        let mut places = FxHashMap::default();
        let mut doubt = None;
        let mut parts: Vec<(Option<Value>, Part)> = self.parts.drain().collect();
        parts.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (key, part) in parts {
            let mut slots = FxHashMap::default();
            for (slot, operation) in part.window.iter() {
                let new = whole.window.insert(operation.clone());
                slots.insert(slot, new);
                places.insert(Place { key: key.clone(), slot }, Place { key: None, slot: new });
            }
            whole.unchecked += part.unchecked;
            whole.lost |= part.lost;
            if doubt.is_none() && !whole.lost {
                match self.product(&whole.configurations, &part.configurations, &slots, &recipes, limits) {
                    Ok(product) => whole.configurations = product,
                    Err(reason) => doubt = Some(reason),
                }
            }
        }
        if doubt.is_some() || whole.lost {
            whole.lost = true;
            whole.configurations = Vec::new();
            whole.window.forget_ended();
        }
        self.unchecked.clear();
        if whole.unchecked > 0 {
            self.unchecked.push(None);
        }
        whole.configured = whole.configurations.iter().map(Configuration::bytes).sum();
        self.held = 0;
        self.parts.insert(None, whole);
        self.count(&None);
        (places, doubt)
    }

    fn product(
        &mut self,
        some: &[Configuration],
        others: &[Configuration],
        slots: &FxHashMap<u32, u32>,
        recipes: &Recipes,
        limits: &Limits<'s>,
    ) -> Result<Vec<Configuration>, Inconclusive> {
        let meter = Meter::new(limits);
        let count = some.len().saturating_mul(others.len());
        limits.check(count as u64).map_err(Inconclusive::Limit)?;
        let done = some.iter().chain(others).map(|it| block(4 * it.done.len())).max().unwrap_or(0);
        let bytes = count.saturating_mul(size_of::<Configuration>() + 2 * done);
        meter.room(bytes.saturating_add(self.bytes())).map_err(Inconclusive::Limit)?;
        let mut product = Vec::with_capacity(count);
        for one in some {
            for other in others {
                let state = recipes.follow(&mut *self.states, one.state, other.state);
                meter.sound(self.states.exceeded()).map_err(Inconclusive::Limit)?;
                let state = state.ok_or(Inconclusive::Keys)?;
                let mut done = one.done.clone();
                done.extend(other.done.iter().map(|slot| slots[slot]));
                done.sort_unstable();
                product.push(Configuration { state, done });
            }
        }
        Ok(product)
    }

    pub(super) fn call(&mut self, operation: Operation) -> Place {
        let key = self.spec.key(operation.invocation()).filter(|_| self.recipes.is_some());
        if !self.parts.contains_key(&key) {
            let part = self.fresh();
            self.parts.insert(key.clone(), part);
        }
        let part = self.parts.get_mut(&key).expect("just inserted");
        let slot = part.window.insert(operation);
        self.count(&key);
        Place { slot, key }
    }

    pub(super) fn window(&self, place: &Place) -> Option<&Window> {
        self.parts.get(&place.key).map(|part| &part.window)
    }

    /// An operation has ended. Checks the part, if it is time for that.
    pub(super) fn end(&mut self, place: &Place, end: u64, outcome: Outcome, limits: &Limits<'s>) -> Checked {
        let Some(part) = self.parts.get_mut(&place.key) else { return Checked::Nothing };
        let crashed = outcome == Outcome::Crashed;
        if part.lost || crashed && part.is_read(place.slot, self.spec) {
            part.window.remove(place.slot);
            self.count(&place.key);
            if self.lost && self.parts[&place.key].window.len() == 0 {
                self.remove(&place.key);
            }
            return Checked::Nothing;
        }
        part.window.end(place.slot, end, outcome);
        if crashed {
            self.count(&place.key);
            return Checked::Nothing;
        }
        if part.unchecked == 0 {
            part.checked = end - 1;
            self.unchecked.push(place.key.clone());
        }
        part.unchecked += 1;
        if part.unchecked < super::interval(part.window.len()) {
            self.count(&place.key);
            return Checked::Nothing;
        }
        let found = self.check(&place.key, end, limits);
        self.unchecked.retain(|key| *key != place.key);
        found
    }

    /// Checks all parts that have not been checked since something ended.
    pub(super) fn check_all(&mut self, last: u64, limits: &Limits<'s>) -> Checked {
        let mut earliest = Checked::Nothing;
        for key in std::mem::take(&mut self.unchecked) {
            earliest = earliest.earlier(self.check(&key, last, limits));
        }
        earliest
    }

    fn check(&mut self, key: &Option<Value>, last: u64, limits: &Limits<'s>) -> Checked {
        let held = self.held_beside_states();
        let Some(part) = self.parts.get_mut(key).filter(|part| !part.lost) else { return Checked::Nothing };
        // The configurations are copied twice.
        let held = held + 2 * part.configured;
        let settled = part.window.first_open().saturating_sub(1).min(last);
        let found = {
            let recipes = self.recipes.as_mut();
            let mut run = Run::new(self.spec, &mut *self.states, recipes, &part.window, last, (limits, held));
            run.follow(part.configurations.clone(), 0, settled)
                .and_then(|base| run.follow(base.clone(), settled, last).map(|head| (base, head)))
        };
        match found {
            Ok((base, head)) if !head.is_empty() => {
                part.configurations = base;
                part.checked = last;
                part.unchecked = 0;
                part.settle(settled);
                part.configured = part.configurations.iter().map(Configuration::bytes).sum();
                let initial = self.states.initial();
                if part.window.len() == 0
                    && matches!(&part.configurations[..], [only] if only.state == initial)
                {
                    self.remove(key);
                } else {
                    self.count(key);
                }
                self.forget();
                Checked::Nothing
            }
            Ok(_) => match self.first_bad(key, limits) {
                Ok(event) => Checked::Violation { event, key: key.clone() },
                Err(limit) => self.lose(key, limit),
            },
            Err(limit) => self.lose(key, limit),
        }
    }

    fn lose(&mut self, key: &Option<Value>, limit: Limit) -> Checked {
        if let Some(part) = self.parts.get_mut(key) {
            part.lose();
        }
        self.count(key);
        self.kept = 0;
        self.forget();
        Checked::Undecided(Inconclusive::Limit(limit))
    }

    /// The first event after which no configuration is left; there is one.
    fn first_bad(&mut self, key: &Option<Value>, limits: &Limits<'s>) -> Result<u64, Limit> {
        let held = self.held_beside_states();
        let part = &self.parts[key];
        let held = held + part.configured;
        let ends = part.window.ends_after(part.checked);
        super::first(&ends, |upto| {
            let mut run = Run::new(self.spec, &mut *self.states, None, &part.window, upto, (limits, held));
            Ok(run.follow(part.configurations.clone(), 0, upto)?.is_empty())
        })
    }

    /// The states from which the operations held must be explained, in words.
    pub(super) fn origins(&self, key: &Option<Value>) -> Vec<String> {
        let Some(part) = self.parts.get(key) else { return Vec::new() };
        let mut states: Vec<StateId> = part.configurations.iter().map(|it| it.state).collect();
        states.sort_unstable();
        states.dedup();
        states.into_iter().map(|state| self.states.show(state)).collect()
    }

    /// All is well up to this event, which is at most the last.
    pub(super) fn checked(&self, last: u64) -> u64 {
        let parts = self.unchecked.iter().filter_map(|key| self.parts.get(key));
        parts.map(|part| part.checked).min().unwrap_or(last)
    }

    /// The number of operations that are held.
    pub(super) fn held(&self) -> usize {
        self.parts.values().map(|part| part.window.len()).sum()
    }

    /// Forgets states that no configuration has, when there are many.
    fn forget(&mut self) {
        if self.states.len() < 2 * self.kept + SLACK {
            return;
        }
        let mut live = vec![self.states.initial()];
        live.extend(self.parts.values().flat_map(|part| part.configurations.iter().map(|it| it.state)));
        live.sort_unstable();
        live.dedup();
        if let Some(recipes) = &mut self.recipes {
            recipes.keep(&live);
        }
        self.states.keep(&live);
        self.kept = live.len();
    }
}

impl Part {
    /// The bytes that this takes beside itself.
    fn bytes(&self) -> usize {
        self.window.bytes() + self.configured
    }

    fn lose(&mut self) {
        self.lost = true;
        self.configurations = Vec::new();
        self.configured = 0;
        self.window.forget_ended();
    }

    /// Whether an operation changes nothing, so that nothing is left of it when it crashes.
    fn is_read(&self, slot: u32, spec: &dyn Specification) -> bool {
        self.window.get(slot).is_some_and(|operation| spec.read_only(operation.invocation()))
    }

    /// Drops the operations that are in the configurations, or can have no effect.
    fn settle(&mut self, settled: u64) {
        let over: Vec<u32> = self
            .window
            .iter()
            .filter(|(slot, operation)| match operation.outcome {
                Outcome::Open => false,
                Outcome::Returned(_) => operation.end <= settled,
                Outcome::Withdrawn => true,
                Outcome::Crashed => {
                    operation.call <= settled
                        && self.configurations.iter().all(|it| it.done.binary_search(slot).is_ok())
                }
            })
            .map(|(slot, _)| slot)
            .collect();
        for slot in over {
            self.window.remove(slot);
            for configuration in &mut self.configurations {
                configuration.done.retain(|&done| done != slot);
            }
        }
    }
}
