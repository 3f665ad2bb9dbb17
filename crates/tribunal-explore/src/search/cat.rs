//! A model as text that is asked of each execution as it grows.
//!
//! The names are those of [histories](tribunal_history::model::definition). Spawns, joins and handles that are given up are seq_cst fences, and po goes through them from
//! thread to thread. A send writes the message to a location of its own before it updates the location of its channel. A text has no races: plain accesses are like any others.

use super::memory::Memory;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::Action;
use tribunal_cat::Architecture;
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::{Effect, Facts, Plan};
use tribunal_cat::polarity::Polarities;
use tribunal_cat::relation::{Relation, Set};
use tribunal_engines::memory::definition::Decider;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{Kind, Label, LocId, Order, ThreadId};
use tribunal_history::model::definition::is_in;

#[derive(Clone)]
pub(super) struct InText {
    decider: Decider<'static>,
    known: Known,
    limits: Limits<'static>,
}

/// What is known of an execution.
#[derive(Clone, Default)]
struct Known {
    /// By event of the graph: its number here, if it is part of the execution. Of a send, that of its message; the send itself comes next.
    numbers: Vec<Option<usize>>,
    facts: Vec<Fact>,
    /// By number: the location whose initial write it is.
    locs: Vec<LocId>,
    /// That of the text, if it says so.
    architecture: Option<Architecture>,
}

/// An event.
#[derive(Clone)]
struct Fact {
    thread: ThreadId,
    label: Label,
    loc: Option<LocId>,
    source: Source,
    /// The thread that it makes.
    spawns: Option<ThreadId>,
    /// The thread whose end it waits for.
    joins: Option<ThreadId>,
    /// Events of other threads that come before it.
    after: Vec<usize>,
}

impl InText {
    /// Nothing if a check may fail on a part of an execution and hold on the whole.
    pub(super) fn new(plan: &'static Plan, architecture: Option<Architecture>) -> Option<Self> {
        let polarities = Polarities::of_events(plan);
        let required = plan.checks.iter().filter(|check| check.effect == Effect::Require);
        let grows = required.into_iter().all(|check| polarities.failure(check).grows());
        grows.then(|| InText {
            decider: Decider::new(plan, &[]),
            known: Known { architecture, ..Known::default() },
            limits: Limits::default(),
        })
    }

    fn is_consistent(&mut self, extra: &[(usize, usize)]) -> bool {
        let limits = self.limits;
        let mut within = |_, states| limits.check(states).map_err(|_| Stopped);
        let loaded = self.decider.load(&self.known).is_ok();
        loaded && self.decider.is_consistent(extra, &mut within).is_ok_and(|consistent| consistent)
    }

    /// Whether the model lets an event come next.
    fn admits_fact(&mut self, fact: Fact) -> bool {
        let locs = self.known.locs.len();
        self.known.add(fact);
        let admitted = self.is_consistent(&[]);
        self.known.facts.pop();
        self.known.locs.truncate(locs);
        admitted
    }
}

impl Known {
    fn add(&mut self, fact: Fact) {
        if let Some(loc) = fact.loc
            && !self.locs.contains(&loc)
        {
            self.locs.push(loc);
        }
        self.facts.push(fact);
    }

    /// The number of a write of a location.
    fn write(&self, loc: LocId, source: Source) -> Option<usize> {
        match source {
            Source::Event(event) => {
                let number = self.numbers.get(event.index()).copied().flatten()?;
                let is_message = self.facts[number].loc != Some(loc);
                Some(number + usize::from(is_message))
            }
            Source::Init => Some(self.facts.len() + self.locs.iter().position(|&known| known == loc)?),
            _ => None,
        }
    }

    fn writes(&self, loc: LocId) -> impl Iterator<Item = Source> + '_ {
        let writes = move |fact: &Fact| fact.label.writes() && fact.loc == Some(loc);
        let is_write = move |&(_, number): &(usize, &Option<usize>)| {
            number.is_some_and(|number| {
                let next = self.facts.get(number + 1);
                writes(&self.facts[number]) || is_message(&self.facts[number]) && next.is_some_and(writes)
            })
        };
        let events = self.numbers.iter().enumerate().filter(is_write);
        events.map(|(event, _)| Source::Event(EventId::from_index(event))).chain([Source::Init])
    }

    /// What an event of the graph is here, if it is part of the execution.
    fn fact(&self, graph: &Graph, event: &Event) -> Option<Fact> {
        let order = event.order().unwrap_or(Order::SeqCst);
        let kind = match event.action {
            _ if event.waiting || event.timed_out() => return None,
            Action::Load { .. } | Action::Await { .. } => Kind::Read,
            Action::Receive { .. } if matches!(event.source, Source::Choice(_)) => Kind::Fence,
            Action::Send { .. } | Action::Receive { .. } if event.written.is_some() => Kind::Rmw,
            Action::Send { .. } | Action::Receive { .. } => Kind::Read,
            Action::Store { .. } => Kind::Write,
            Action::Rmw { .. } | Action::AwaitRmw { .. } if event.written.is_some() => Kind::Rmw,
            Action::Rmw { .. } | Action::AwaitRmw { .. } => Kind::Read,
            Action::Fence { .. } | Action::Spawn | Action::Join { .. } | Action::Release { .. } => {
                Kind::Fence
            }
            _ => return None,
        };
        let mut after = Vec::new();
        let handles = match event.action {
            Action::Release { loc, .. } | Action::Receive { loc, .. } => Some(loc),
            _ => None,
        };
        if let (Some(loc), Source::Choice(1..)) = (handles, event.source) {
            let releases = graph.accesses(loc).releases.iter();
            after.extend(releases.filter_map(|release| self.numbers.get(release.index()).copied().flatten()));
        }
        let receives = matches!(event.action, Action::Receive { .. }) && kind == Kind::Read;
        let loc = match event.source {
            Source::Event(send) if receives => self.facts[self.numbers[send.index()]?].loc,
            _ => event.loc().filter(|_| kind != Kind::Fence),
        };
        Some(Fact {
            thread: event.thread,
            label: Label::new(kind, order),
            loc,
            source: event.source,
            spawns: matches!(event.action, Action::Spawn).then(|| ThreadId::from_index(event.read as usize)),
            joins: match event.action {
                Action::Join { thread } => Some(thread),
                _ => None,
            },
            after,
        })
    }
}

/// The write of a message to a location of its own, whose number counts down from the last one.
fn message(thread: ThreadId, number: usize) -> Fact {
    Fact {
        thread,
        label: Label::new(Kind::Write, Order::Release),
        loc: Some(LocId(u32::MAX - number as u32)),
        source: Source::Nothing,
        spawns: None,
        joins: None,
        after: Vec::new(),
    }
}

fn is_message(fact: &Fact) -> bool {
    fact.loc.is_some_and(|loc| loc.0 > u32::MAX / 2)
}

impl Memory for InText {
    fn len(&self) -> usize {
        self.known.numbers.len()
    }

    fn keep_to(&mut self, limits: Limits<'static>) {
        self.limits = limits;
    }

    fn push(&mut self, graph: &Graph, event: &Event) -> bool {
        let Some(fact) = self.known.fact(graph, event) else {
            self.known.numbers.push(None);
            return true;
        };
        let (number, locs) = (self.known.facts.len(), self.known.locs.len());
        if let (Action::Send { message: Some(_), .. }, Some(_)) = (&event.action, event.written) {
            self.known.add(message(event.thread, number));
        }
        if fact.label.reads() && !matches!(fact.source, Source::Init | Source::Event(_))
            || !self.admits_fact(fact.clone())
        {
            self.known.facts.truncate(number);
            self.known.locs.truncate(locs);
            return false;
        }
        self.known.numbers.push(Some(number));
        self.known.add(fact);
        true
    }

    fn truncate(&mut self, _: &Graph, length: usize) {
        let known = &mut self.known;
        if length >= known.numbers.len() {
            return;
        }
        let facts = known.numbers.drain(length..).flatten().min();
        known.facts.truncate(facts.unwrap_or(known.facts.len()));
        let facts = &known.facts;
        known.locs.retain(|&loc| facts.iter().any(|fact| fact.loc == Some(loc)));
    }

    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        found.clear();
        found.extend(self.known.writes(loc));
        found.retain(|&source| self.admits(thread, loc, source, order, false));
    }

    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, order: Order, rmw: bool) -> bool {
        let label = Label::new(if rmw { Kind::Rmw } else { Kind::Read }, order);
        self.admits_fact(Fact {
            thread,
            label,
            loc: Some(loc),
            source,
            spawns: None,
            joins: None,
            after: Vec::new(),
        })
    }

    fn has_races(&self) -> bool {
        false
    }

    fn happens_before(&self, _: EventId, _: ThreadId, _: ThreadId) -> bool {
        true
    }

    fn may_be_last(&mut self, writes: &[(LocId, Source)]) -> bool {
        let mut last = Vec::new();
        for &(loc, source) in writes {
            let Some(write) = self.known.write(loc, source) else { continue };
            let others = self.known.writes(loc).filter_map(|other| self.known.write(loc, other));
            last.extend(others.filter(|&other| other != write).map(|other| (other, write)));
        }
        self.is_consistent(&last)
    }

    /// What else a text chooses counts too.
    fn count_mo(&mut self, _: &Graph, limits: &Limits<'_>) -> u64 {
        let mut within = |_, states| limits.check(states).map_err(|_| Stopped);
        let mut raised = vec![true; self.decider.plan().checks.len()];
        let loaded = self.decider.load(&self.known).is_ok();
        let count = loaded.then(|| self.decider.count(&[], &mut raised, &mut within).ok());
        count.flatten().unwrap_or_default()
    }
}

impl Facts for Known {
    fn size(&self) -> usize {
        self.facts.len() + self.locs.len()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        let initial = name == "IW" || is_in(name, Label::new(Kind::Write, Order::Relaxed), self.architecture);
        let events =
            self.facts.iter().enumerate().filter(|(_, fact)| is_in(name, fact.label, self.architecture));
        events.for_each(|(event, _)| into.insert(event));
        if initial {
            (self.facts.len()..self.size()).for_each(|event| into.insert(event));
        }
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let size = self.size();
        let thread = |event: usize| self.facts.get(event).map(|fact| fact.thread);
        let loc = |event: usize| match self.facts.get(event) {
            Some(fact) => fact.loc,
            None => Some(self.locs[event - self.facts.len()]),
        };
        let mut fill = |holds: &dyn Fn(usize, usize) -> bool| {
            (0..size).for_each(|a| (0..size).filter(|&b| holds(a, b)).for_each(|b| into.insert(a, b)));
        };
        match name {
            "id" | "same-instance" | "same-instr" => fill(&|a, b| a == b),
            "sm" | "si" => fill(&|a, b| a == b && loc(a).is_some()),
            "loc" => fill(&|a, b| loc(a).is_some() && loc(a) == loc(b)),
            "int" => fill(&|a, b| thread(a).is_some() && thread(a) == thread(b)),
            "ext" => fill(&|a, b| thread(a) != thread(b)),
            "po" => {
                for (b, fact) in self.facts.iter().enumerate() {
                    for (a, before) in self.facts[..b].iter().enumerate() {
                        let same = before.thread == fact.thread || before.spawns == Some(fact.thread);
                        if same || fact.joins == Some(before.thread) || fact.after.contains(&a) {
                            into.insert(a, b);
                        }
                    }
                }
                into.close();
            }
            "rf" => {
                for (read, fact) in self.facts.iter().enumerate().filter(|(_, fact)| fact.label.reads()) {
                    if let Some(write) = fact.loc.and_then(|loc| self.write(loc, fact.source)) {
                        into.insert(write, read);
                    }
                }
            }
            // There are no dependencies, and no other relations, in programs.
            _ => {}
        }
        true
    }
}
