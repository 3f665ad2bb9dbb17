//! Shrinking: a minimal inconsistent part of an inconsistent execution.

use crate::memory::models::judge;
use crate::shrink::{Part, Pieces, Shrunk, leave_out};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Extras, Observation, Order};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Limit, Verdict};

/// Shrinks an execution that is inconsistent with a model. Unless a limit is reached, no event can be removed from the result (with those that read
/// from it), no order can be weakened, and no dependency, time or final value is superfluous.
/// If the execution is not inconsistent, or that is not known, the verdict is returned instead.
///
/// If the part is inconsistent, so is the whole: every mo of the whole, restricted, is an mo of the part, and
/// removing events, orders, dependencies, times and final values only removes edges.
///
/// The events of the violation are tried first; they usually suffice, and the remaining work does not
/// depend on the size of the whole. Then their neighborhood is searched for a smaller part. `tick` is called before every check with the number of remaining events.
///
/// ```
/// use tribunal::{Limits, Model, memory::{Execution, Op, shrink}};
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let (x, y, z) = (b.location("x"), b.location("y"), b.location("z"));
/// for op in [Op::write(z, 1), Op::write(x, 1), Op::read(z, 1), Op::read(y, 0)] {
///     b.push(t0, op);
/// }
/// for op in [Op::write(y, 1), Op::read(z, 0), Op::read(x, 0)] {
///     b.push(t1, op);
/// }
/// let shrunk = shrink(&b.build()?, Model::Sc, &Limits::default(), |_| ()).expect("no sc");
/// assert_eq!(shrunk.part.kept.len(), 4); // store buffering
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn shrink(
    execution: &Execution,
    model: Model,
    limits: &Limits<'_>,
    tick: impl FnMut(usize),
) -> Result<Shrunk<Part<Execution, EventId>>, Box<Verdict>> {
    let violation = match judge(execution, model, limits).0 {
        Verdict::Inconsistent(violation) => violation,
        other => return Err(Box::new(other)),
    };
    let draft = Draft::whole(execution);
    let mut shrinking = Shrinking { x: execution, model, limits, tick, draft, judged: 0, limit: None };
    shrinking.reduce_to(core(execution, &violation.events()));
    shrinking.look_around();
    shrinking.drop_deps();
    shrinking.weaken_orders();
    let Shrinking { draft, limit, .. } = shrinking;
    Ok(Shrunk { part: Part { history: draft.build(execution), kept: draft.events }, limit })
}

/// Around a part, so many events at most are looked at for a smaller one.
const AROUND: usize = 1 << 11;

/// The number of events of the part's surroundings, added up over all checks, that may be judged: far fewer than there are in a
/// long history, so that all this takes less than its check.
const fn most_judged(whole: usize) -> usize {
    20_000 + whole / 32
}

/// These events and all that they read from, with one fence of each order between neighbors that have some.
fn core(x: &Execution, events: &[EventId]) -> Vec<EventId> {
    let mut kept: FxHashSet<EventId> = FxHashSet::default();
    let mut stack: Vec<EventId> = events.to_vec();
    while let Some(event) = stack.pop() {
        if !x.is_init(event) && kept.insert(event) {
            stack.extend(x.rf(event));
            stack.extend(x.writers(Observation::Read(event)));
        }
    }
    let mut kept: Vec<EventId> = kept.into_iter().collect();
    kept.sort_unstable();
    let mut fences = Vec::new();
    for pair in kept.windows(2).filter(|pair| x.thread_of(pair[0]) == x.thread_of(pair[1])) {
        let between = || (pair[0].0 + 1..pair[1].0).map(EventId).filter(|&event| x.label(event).is_fence());
        fences.extend(Order::OF_FENCES.map(|order| between().find(|&fence| x.label(fence).order() == order)));
    }
    kept.extend(fences.into_iter().flatten());
    kept.sort_unstable();
    kept
}

/// The part that is left of the whole.
#[derive(Clone)]
struct Draft {
    /// In the order of their ids; with a read its source.
    events: Vec<EventId>,
    /// Orders that are weaker than in the whole.
    orders: FxHashMap<EventId, Order>,
    deps: bool,
    /// If there are dependencies, the events that lost theirs.
    independent: FxHashSet<EventId>,
    times: bool,
    finals: bool,
}

impl Draft {
    fn whole(x: &Execution) -> Self {
        let features = x.features();
        Draft {
            events: x.events().collect(),
            orders: FxHashMap::default(),
            deps: features.deps,
            independent: FxHashSet::default(),
            times: features.times,
            finals: features.finals,
        }
    }

    fn order(&self, x: &Execution, event: EventId) -> Order {
        self.orders.get(&event).copied().unwrap_or(x.label(event).order())
    }

    fn build(&self, x: &Execution) -> Execution {
        let deps = |event| self.deps && !self.independent.contains(&event);
        let order = |event| self.order(x, event);
        x.part_of(&self.events, Extras { deps, times: self.times, finals: self.finals, order })
    }
}

/// The events without some of them, and without all that read from those.
fn without(x: &Execution, events: &[EventId], dropped: impl Fn(EventId) -> bool) -> Vec<EventId> {
    let mut gone: FxHashSet<EventId> = events.iter().copied().filter(|&event| dropped(event)).collect();
    loop {
        let before = gone.len();
        for &event in events {
            let open = x.writers(Observation::Read(event)).iter();
            if open.chain(&x.rf(event)).any(|source| gone.contains(source)) {
                gone.insert(event);
            }
        }
        if gone.len() == before {
            return events.iter().copied().filter(|event| !gone.contains(event)).collect();
        }
    }
}

struct Shrinking<'a, T> {
    x: &'a Execution,
    model: Model,
    limits: &'a Limits<'a>,
    tick: T,
    /// The smallest part so far that is inconsistent.
    draft: Draft,
    /// The sizes of all drafts judged, added up.
    judged: usize,
    /// The first limit that was reached.
    limit: Option<Limit>,
}

impl<T: FnMut(usize)> Shrinking<'_, T> {
    /// The events that a violation of the draft mentions, if there is one.
    fn violated(&mut self, draft: &Draft) -> Option<Vec<EventId>> {
        (self.tick)(self.draft.events.len());
        self.judged += draft.events.len();
        match judge(&draft.build(self.x), self.model, self.limits).0 {
            // The part has its events in the order of the whole, and initial writes after them.
            Verdict::Inconsistent(violation) => {
                let events = violation.events().into_iter();
                Some(events.filter_map(|event| draft.events.get(event.index()).copied()).collect())
            }
            Verdict::Undecided(limit) => {
                self.limit = self.limit.take().or(Some(limit));
                None
            }
            Verdict::Consistent(_) | Verdict::Unsupported(_) => None,
        }
    }

    /// Takes a smaller draft if it is still inconsistent.
    fn accept(&mut self, draft: Draft) -> bool {
        let fails = self.violated(&draft).is_some();
        if fails {
            self.draft = draft;
        }
        fails
    }

    fn try_events(&mut self, events: Vec<EventId>) -> bool {
        let smaller = events.len() < self.draft.events.len();
        smaller && self.accept(Draft { events, ..self.draft.clone() })
    }

    /// Leaves out events, with all that read from them.
    fn try_without(&mut self, dropped: impl Fn(EventId) -> bool) -> bool {
        self.try_events(without(self.x, &self.draft.events, dropped))
    }

    /// Reduces the draft to these of its events, if they fail by themselves, and then to as few as possible.
    fn reduce_to(&mut self, events: Vec<EventId>) {
        let x = self.x;
        self.try_events(events);
        self.drop_extras();
        self.drop_groups(|event| x.thread_of(event).map_or(0, |thread| thread.0));
        self.drop_groups(|event| x.loc(event).map_or(u32::MAX, |loc| loc.0));
        leave_out(self);
    }

    /// What surrounds the draft's events may break the model in fewer: it is asked without each of them in turn.
    fn look_around(&mut self) {
        let end = self.judged + most_judged(self.x.len());
        let surroundings = self.surroundings();
        let mut at = 0;
        while let Some(&event) = self.draft.events.get(at)
            && self.judged < end
        {
            at += 1;
            let others = without(self.x, &surroundings, |other| other == event);
            let other = Draft { events: others, ..Draft::whole(self.x) };
            if let Some(events) = self.violated(&other) {
                let best = std::mem::replace(&mut self.draft, other);
                self.reduce_to(core(self.x, &events));
                if self.draft.events.len() < best.events.len() {
                    at = 0;
                } else {
                    self.draft = best;
                }
            }
        }
    }

    /// The events between and beside those of the draft in their threads, as far as what they read from is among them.
    fn surroundings(&self) -> Vec<EventId> {
        let x = self.x;
        let mut threads: Vec<Range<u32>> = Vec::new();
        for &event in &self.draft.events {
            match threads.last_mut() {
                Some(last) if x.thread_of(EventId(last.start)) == x.thread_of(event) => {
                    last.end = event.0 + 1
                }
                _ => threads.push(event.0..event.0 + 1),
            }
        }
        let between = threads.iter().map(|stretch| stretch.len()).sum::<usize>();
        // From the first to the last event of each thread, if that is not too much; else around each event alone.
        let (middles, beside) = match AROUND.checked_sub(between) {
            Some(room) => {
                let beside = room / (2 * threads.len().max(1));
                (threads, beside)
            }
            None => {
                let events = self.draft.events.iter().map(|event| event.0..event.0 + 1);
                (events.collect(), AROUND / (2 * self.draft.events.len().max(1)))
            }
        };
        let mut stretches: Vec<Range<u32>> = Vec::new();
        for middle in middles {
            let thread = x.thread_of(EventId(middle.start)).map_or(0..0, |thread| x.thread_events(thread));
            let start = thread.start.max(middle.start.saturating_sub(beside as u32));
            let end = thread.end.min(middle.end + beside as u32);
            match stretches.last_mut() {
                Some(last) if start <= last.end => last.end = end,
                _ => stretches.push(start..end),
            }
        }
        let events: Vec<EventId> = stretches.into_iter().flatten().map(EventId).collect();
        let outside = |event: EventId| {
            let open = x.writers(Observation::Read(event)).iter();
            let missing = |&&source: &&EventId| !x.is_init(source) && events.binary_search(&source).is_err();
            open.chain(&x.rf(event)).any(|source| missing(&source))
        };
        without(x, &events, outside)
    }

    fn drop_extras(&mut self) {
        let &Draft { deps, times, finals, .. } = &self.draft;
        if deps {
            self.accept(Draft { deps: false, ..self.draft.clone() });
        }
        if times {
            self.accept(Draft { times: false, ..self.draft.clone() });
        }
        if finals {
            self.accept(Draft { finals: false, ..self.draft.clone() });
        }
    }

    /// Leaves out all events of a thread, or of a location, if that will do.
    fn drop_groups(&mut self, group: impl Fn(EventId) -> u32) {
        let mut groups: Vec<u32> = self.draft.events.iter().map(|&event| group(event)).collect();
        groups.sort_unstable();
        groups.dedup();
        for dropped in groups {
            self.try_without(|event| group(event) == dropped);
        }
    }

    /// Leaves out the dependencies of each event that needs none.
    fn drop_deps(&mut self) {
        if !self.draft.deps {
            return;
        }
        for event in self.draft.events.clone() {
            let depends = self.x.deps(event).any(|on| self.draft.events.binary_search(&on).is_ok());
            if depends {
                let mut draft = self.draft.clone();
                draft.independent.insert(event);
                self.accept(draft);
            }
        }
    }

    /// Gives each event the weakest order that will do.
    fn weaken_orders(&mut self) {
        for event in self.draft.events.clone() {
            let (order, label) = (self.draft.order(self.x, event), self.x.label(event));
            let weaker: &[Order] = match order {
                // A race would be another history's matter.
                Order::NonAtomic | Order::Relaxed => &[],
                Order::Acquire | Order::Release => &[Order::Relaxed],
                Order::AcqRel => &[Order::Relaxed, Order::Acquire, Order::Release],
                Order::SeqCst => &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel],
            };
            // A fence has an order, and one that is not needed has been left out.
            for &weaker in weaker.iter().filter(|&&order| !(label.is_fence() && order == Order::Relaxed)) {
                let mut draft = self.draft.clone();
                draft.orders.insert(event, weaker);
                if self.accept(draft) {
                    break;
                }
            }
        }
    }
}

/// The events of the draft, each with those that read from it.
impl<T: FnMut(usize)> Pieces for Shrinking<'_, T> {
    fn len(&self) -> usize {
        self.draft.events.len()
    }

    fn leave_out(&mut self, pieces: Range<usize>) -> bool {
        let range = self.draft.events[pieces.start]..=self.draft.events[pieces.end - 1];
        self.try_without(|event| range.contains(&event))
    }

    fn is_over(&self) -> bool {
        false
    }
}
