//! Data races and their absence, with happens-before recomputed.

use super::clocks::Clocks;
use super::known;
use super::refusal::{Named, NotARace, Refusal};
use super::witness::c11::happens_before;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::Race;

/// Verifies races of a history under rc20 or rc11, including the number of events before each access.
///
/// ```
/// use tribunal::{Limits, Model, verify, memory::{Execution, Op, Order, Race}};
/// let mut b = Execution::builder();
/// let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
/// let write = b.push(t0, Op::write(x, 1).order(Order::NonAtomic));
/// let read = b.push(t1, Op::read(x, 0));
/// let h = b.build()?;
/// let race = Race { accesses: [h.event(write), h.event(read)], known: [0, 0] };
/// assert!(verify::verify_races(&h, Model::Rc20, &[race], &Limits::default()).is_ok());
/// let wrong = Race { known: [0, 1], ..race };
/// assert!(verify::verify_races(&h, Model::Rc20, &[wrong], &Limits::default()).is_err());
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn verify_races(x: &Execution, model: Model, races: &[Race], limits: &Limits<'_>) -> Result<(), Refusal> {
    let clocks = clocks(x, model, limits)?;
    for race in races {
        let [first, second] = race.accesses;
        let no_race =
            |why| Refusal::NotARace { first: Named::new(x, first), second: Named::new(x, second), why };
        let (Some(t), Some(u)) = (x.thread_of(known(x, first)?), x.thread_of(known(x, second)?)) else {
            return Err(no_race(NotARace::Initial));
        };
        let (a, b) = (x.label(first), x.label(second));
        if x.loc(first).is_none() || x.loc(first) != x.loc(second) {
            return Err(no_race(NotARace::OtherLocation));
        } else if t == u {
            return Err(no_race(NotARace::SameThread));
        } else if !a.writes() && !b.writes() {
            return Err(no_race(NotARace::OnlyReads));
        } else if a.is_atomic() && b.is_atomic() {
            return Err(no_race(NotARace::OnlyAtomic));
        }
        let counted = [count(x, &clocks, first, u), count(x, &clocks, second, t)];
        for ((event, other), (&said, is)) in
            [(first, second), (second, first)].into_iter().zip(race.known.iter().zip(counted))
        {
            if x.slot(other).is_some_and(|slot| slot.index < is) {
                return Err(no_race(NotARace::Ordered {
                    before: Named::new(x, other),
                    after: Named::new(x, event),
                }));
            } else if said != is {
                return Err(no_race(NotARace::Miscounted { event: Named::new(x, event), said, is }));
            }
        }
    }
    Ok(())
}

/// Verifies that a history has no race under rc20 or rc11. O(n·k·log n) time.
pub fn verify_race_free(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<(), Refusal> {
    if !x.features().non_atomic {
        return Ok(());
    }
    let clocks = clocks(x, model, limits)?;
    limits.check_memory(clocks.bytes() + 60 * x.len(), 0).map_err(Refusal::Limit)?;
    let mut accesses: Vec<Vec<EventId>> = vec![Vec::new(); x.location_count()];
    for event in x.events() {
        if let Some(loc) = x.loc(event) {
            accesses[loc.index()].push(event);
        }
    }
    for accesses in &accesses {
        if accesses.iter().all(|&access| x.label(access).is_atomic()) {
            continue;
        }
        // Those of a thread are side by side, in program order.
        let places: Vec<&[EventId]> = accesses.chunk_by(|&a, &b| x.thread_of(a) == x.thread_of(b)).collect();
        for (i, place) in places.iter().enumerate() {
            limits.check(0).map_err(Refusal::Limit)?;
            for other in &places[i + 1..] {
                unordered(x, &clocks, place, other)?;
            }
        }
    }
    Ok(())
}

/// Refuses a race between accesses of a location by one thread and by another.
fn unordered(x: &Execution, clocks: &Clocks, one: &[EventId], other: &[EventId]) -> Result<(), Refusal> {
    let counts = Counts::new(x, other);
    for &access in one {
        // Of the other thread, first are those that happen before the access, last those after which it happens.
        let begin = other.partition_point(|&earlier| before(x, clocks, earlier, access));
        let end = other.partition_point(|&later| !before(x, clocks, access, later));
        if let Some(racing) = counts.conflicting(x, access, begin, end) {
            let (first, second) = (Named::new(x, access), Named::new(x, other[racing]));
            return Err(Refusal::Racy { first, second });
        }
    }
    Ok(())
}

/// For accesses of a location by one thread, the first of each class from each of them on.
struct Counts {
    /// The class of an access: whether it writes, and whether it is non-atomic.
    next: Vec<[u32; 4]>,
}

impl Counts {
    fn new(x: &Execution, accesses: &[EventId]) -> Self {
        let mut next = vec![[u32::MAX; 4]; accesses.len() + 1];
        for (i, &access) in accesses.iter().enumerate().rev() {
            next[i] = next[i + 1];
            let label = x.label(access);
            next[i][usize::from(label.writes()) + 2 * usize::from(!label.is_atomic())] = i as u32;
        }
        Counts { next }
    }

    /// One from `begin` and before `end` with which an access conflicts.
    fn conflicting(&self, x: &Execution, access: EventId, begin: usize, end: usize) -> Option<usize> {
        let label = x.label(access);
        let conflicts =
            |class: usize| (label.writes() || class & 1 == 1) && (!label.is_atomic() || class & 2 == 2);
        let next = self.next.get(begin)?;
        let first = (0..4).filter(|&class| conflicts(class)).map(|class| next[class] as usize).min()?;
        (first < end).then_some(first)
    }
}

fn clocks(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Clocks, Refusal> {
    if !model.has_races() {
        return Err(Refusal::NoRaces(model));
    }
    if let Some(of) = x.open().next() {
        return Err(Refusal::Unchosen { of: x.show_observation(of) });
    }
    let threads = x.thread_count();
    limits.check_memory(4 * threads.saturating_mul(threads), 0).map_err(Refusal::Limit)?;
    happens_before(x, model, limits)
}

/// The number of events of a thread that happen before an event of another.
fn count(x: &Execution, clocks: &Clocks, event: EventId, thread: ThreadId) -> u32 {
    clocks.before(event)[thread.index()].saturating_sub(x.thread_events(thread).start)
}

/// Whether an event happens before one of another thread.
fn before(x: &Execution, clocks: &Clocks, a: EventId, b: EventId) -> bool {
    x.thread_of(a).is_some_and(|thread| a.0 < clocks.before(b)[thread.index()])
}
