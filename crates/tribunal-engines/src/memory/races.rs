//! Data races: two accesses of one location that happens-before does not order, at least one a write and at least one non-atomic.
//!
//! hb is that of rc20 or rc11, as clocks. Events are visited in an order that contains po and rf, so an access races with the
//! earlier ones that its clock does not include. For each thread and location, only the latest access of each
//! class determines whether there is a race: O(n·k) time for n events in k threads.
//!
//! ```
//! use tribunal::{Limits, Model, memory::{Execution, Op, Order, races}};
//! let mut b = Execution::builder();
//! let (t0, t1, x, y) = (b.thread("T0"), b.thread("T1"), b.location("x"), b.location("y"));
//! let data = b.push(t0, Op::write(x, 1).order(Order::NonAtomic));
//! b.push(t0, Op::write(y, 1).order(Order::Release));
//! b.push(t1, Op::read(y, 1));
//! let read = b.push(t1, Op::read(x, 1).order(Order::NonAtomic));
//! let mp = b.build()?;
//! // T1 sees the flag without acquiring.
//! let found = races(&mp, Model::Rc20, &Limits::default()).unwrap();
//! assert_eq!(found[0].accesses, [mp.event(data), mp.event(read)]);
//! assert_eq!((found.len(), found[0].known), (1, [0, 0]));
//! # Ok::<(), tribunal::memory::MalformedHistory>(())
//! ```

use crate::memory::order::past::clocks::Clocks;
use crate::memory::order::past::happens_before::{HappensBefore, Synchronization};
use crate::memory::order::past::pasts::{PastSets, Pasts};
use crate::memory::order::past::replay::{Halt, Step, replay};
use std::ops::ControlFlow;
use tribunal_cat::relation::{contains, insert};
use tribunal_history::heap::Growth;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Label, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Limit, Race};

/// The races to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// One for each pair of places, where a place is a thread at a location: the first in the order of a replay.
    OnePerPlaces,
    /// Every pair of accesses.
    All,
}

/// The reason why the races of a history cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RacesError {
    /// Races are defined for rc20 and rc11.
    #[error("{0} does not define data races; rc20 and rc11 do")]
    OtherModel(Model),
    /// po ∪ rf is cyclic.
    #[error("po ∪ rf is cyclic, so races are not defined")]
    Cyclic,
    /// Some reads have no source, or several possible ones.
    #[error("a read has no source, or several possible ones")]
    Open,
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
}

fn synchronization(model: Model) -> Option<Synchronization> {
    match model {
        Model::Rc20 => Some(Synchronization::Annotated),
        Model::Rc11 => Some(Synchronization::Continued),
        _ => None,
    }
}

/// The races of a history, [one per pair of places](Listing::OnePerPlaces).
pub fn races(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Vec<Race>, RacesError> {
    let (mut races, mut growth, mut within) = (Vec::new(), Growth::default(), Ok(()));
    each_race(x, model, Listing::OnePerPlaces, limits, |race| {
        growth.push(&mut races, race);
        within = limits.check_memory(growth.peak(), 0);
        if within.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    within.map_err(RacesError::Limit)?;
    Ok(races)
}

/// The first race that is listed, if there is one.
pub fn first_race(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Option<Race>, RacesError> {
    let mut first = None;
    each_race(x, model, Listing::OnePerPlaces, limits, |race| {
        first = Some(race);
        ControlFlow::Break(())
    })?;
    Ok(first)
}

/// Calls `give` with each race of a history, in the order of a replay, until it breaks.
///
/// O(n·k) time, plus the number of races for [`Listing::All`]. The memory is that of hb, about 40 bytes per place and, for all races,
/// 4 bytes per event.
pub fn each_race(
    x: &Execution,
    model: Model,
    listing: Listing,
    limits: &Limits<'_>,
    give: impl FnMut(Race) -> ControlFlow<()>,
) -> Result<(), RacesError> {
    let synchronization = synchronization(model).ok_or(RacesError::OtherModel(model))?;
    if x.is_open() {
        return Err(RacesError::Open);
    }
    if !x.features().non_atomic {
        return Ok(());
    }
    let unlisted = |halt| match halt {
        Halt::Deadlock(_) => RacesError::Cyclic,
        Halt::Limit(limit) => RacesError::Limit(limit.out_of(limits.max_memory)),
    };
    let hb = HappensBefore::new(x, synchronization, limits).map_err(unlisted)?;
    let rest = Limits { max_memory: limits.max_memory.saturating_sub(hb.bytes()), ..*limits };
    match &hb.pasts {
        Some(Pasts::Clocks(clocks)) => Search::new(x, clocks, listing, give).run(&rest),
        Some(Pasts::Sets(sets)) => Search::new(x, sets, listing, give).run(&rest),
        None => Ok(()),
    }
    .map_err(unlisted)
}

/// Happens-before between threads.
trait Past {
    /// Whether the event of this index in another thread happens before `event`.
    fn has(&self, x: &Execution, event: EventId, thread: ThreadId, index: u32) -> bool;

    /// The number of events of another thread that happen before `event`.
    fn known(&self, x: &Execution, event: EventId, thread: ThreadId) -> u32;
}

impl Past for Clocks {
    #[inline(always)]
    fn has(&self, _: &Execution, event: EventId, thread: ThreadId, index: u32) -> bool {
        Clocks::known(self, event, thread) > index
    }

    fn known(&self, _: &Execution, event: EventId, thread: ThreadId) -> u32 {
        Clocks::known(self, event, thread)
    }
}

impl Past for PastSets {
    fn has(&self, x: &Execution, event: EventId, thread: ThreadId, index: u32) -> bool {
        PastSets::has(self, event, EventId(x.thread_events(thread).start + index))
    }

    fn known(&self, x: &Execution, event: EventId, thread: ThreadId) -> u32 {
        // They are the first events of the thread.
        let (mut known, mut end) = (0, x.thread_events(thread).len() as u32);
        while known < end {
            let middle = known + (end - known) / 2;
            if Past::has(self, x, event, thread, middle) {
                known = middle + 1;
            } else {
                end = middle;
            }
        }
        known
    }
}

/// Reads and writes, atomic or not.
const CLASSES: usize = 4;

/// The class of an access: bit 0 says that it writes, bit 1 that it is non-atomic.
#[inline(always)]
fn class(label: Label) -> usize {
    usize::from(label.writes()) | usize::from(!label.is_atomic()) << 1
}

/// The classes with which each class conflicts: one writes, and one is non-atomic.
const CONFLICTING: [&[usize]; CLASSES] = [&[3], &[2, 3], &[1, 3], &[0, 1, 2, 3]];

/// A thread at a location.
struct Place {
    thread: ThreadId,
    /// By class, the latest access: its index in the thread, plus 1.
    latest: [u32; CLASSES],
    /// Bit by bit, whether a race with an earlier place of the location is listed.
    listed: Vec<u64>,
}

struct Search<'a, P, G> {
    x: &'a Execution,
    past: &'a P,
    give: G,
    /// By location; nothing where no access is non-atomic.
    places: Vec<Option<Vec<Place>>>,
    /// For each access, the one before it at its place and of its class, as in [`Place::latest`]; only to list all.
    previous: Vec<u32>,
    /// The number of bytes that the columns take, and what the places do.
    bytes: usize,
    growth: Growth,
    /// The number of places that were looked at since time was.
    looks: usize,
    /// Whether no more races are wanted.
    enough: bool,
}

impl<'a, P: Past, G: FnMut(Race) -> ControlFlow<()>> Search<'a, P, G> {
    fn new(x: &'a Execution, past: &'a P, listing: Listing, give: G) -> Self {
        let mut places: Vec<Option<Vec<Place>>> = x.locations().map(|_| None).collect();
        for (label, loc) in x.labels().iter().zip(x.locs()) {
            if !label.is_atomic() {
                places[loc.index()].get_or_insert_default();
            }
        }
        let previous = if listing == Listing::All { vec![0; x.len()] } else { Vec::new() };
        let bytes = size_of::<Option<Vec<Place>>>() * places.len() + 4 * previous.len();
        Search { x, past, give, places, previous, bytes, growth: Growth::default(), looks: 0, enough: false }
    }

    fn run(mut self, limits: &Limits<'_>) -> Result<(), Halt> {
        // The replay has a column of its own.
        self.bytes += 4 * self.x.len();
        limits.check_memory(self.bytes, 0).map_err(Halt::Limit)?;
        match replay(self.x, |_| &[], limits, |step| self.visit(step, limits)) {
            Err(Halt::Limit(Limit::Stopped)) if self.enough => Ok(()),
            ended => ended,
        }
    }

    #[inline]
    fn visit(&mut self, Step { event, thread, .. }: Step, limits: &Limits<'_>) -> Result<(), Limit> {
        let (x, label) = (self.x, self.x.labels()[event.index()]);
        if label.is_fence() {
            return Ok(());
        }
        let Some(places) = &mut self.places[x.locs()[event.index()].index()] else { return Ok(()) };
        let own = match places.iter().position(|place| place.thread == thread) {
            Some(own) => own,
            None => {
                self.growth.push(places, Place { thread, latest: [0; CLASSES], listed: Vec::new() });
                limits.check_memory(self.bytes + self.growth.peak(), 0)?;
                places.len() - 1
            }
        };
        self.looks += places.len();
        if self.looks > 1 << 20 {
            self.looks = 0;
            limits.check(0)?;
        }
        let class = class(label);
        for other in 0..places.len() {
            let Place { thread: there, latest, .. } = places[other];
            let end = CONFLICTING[class].iter().fold(0, |end, &class| latest[class].max(end));
            if other == own || end == 0 || self.past.has(x, event, there, end - 1) {
                continue;
            }
            let start = x.thread_events(there).start;
            let mut race = |index: u32| {
                let earlier = EventId(start + index);
                let known = [self.past.known(x, earlier, thread), self.past.known(x, event, there)];
                (self.give)(Race { accesses: [earlier, event], known })
            };
            let mut flow = ControlFlow::Continue(());
            if !self.previous.is_empty() {
                for &class in CONFLICTING[class] {
                    let mut end = latest[class];
                    while end > 0 && flow.is_continue() && !self.past.has(x, event, there, end - 1) {
                        flow = race(end - 1);
                        end = self.previous[(start + end - 1) as usize];
                        self.looks += 1;
                    }
                }
            } else {
                let (low, high) = (own.min(other), own.max(other));
                let listed = &mut places[high].listed;
                if low / 64 < listed.len() && contains(listed, low) {
                    continue;
                }
                while listed.len() <= low / 64 {
                    self.growth.push(listed, 0);
                    limits.check_memory(self.bytes + self.growth.peak(), 0)?;
                }
                insert(listed, low);
                flow = race(end - 1);
            }
            if flow.is_break() {
                self.enough = true;
                return Err(Limit::Stopped);
            }
        }
        let index = event.0 - x.thread_events(thread).start;
        let before = std::mem::replace(&mut places[own].latest[class], index + 1);
        if let Some(previous) = self.previous.get_mut(event.index()) {
            *previous = before;
        }
        Ok(())
    }
}
