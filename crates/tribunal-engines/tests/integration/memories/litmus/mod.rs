//! Random histories of litmus size: every read may read from every write of its location, past or future.

use proptest::prelude::*;
use proptest::sample::Index;
use std::fmt;
use tribunal_history::memory::{EventId, Execution, ExecutionBuilder, Interval, Kind, LocId, Op, Order};

const NAMES: [&str; 6] = ["x", "y", "a", "b", "c", "d"];
/// How many of them a random history has at most.
const LOCATIONS: usize = 3;
/// Keeps the number of mo that the naive checker tries at bay.
const WRITES_PER_LOCATION: u64 = 4;

/// An event before its history is built.
#[derive(Clone, PartialEq)]
pub struct Event {
    pub op: Op,
    /// Which of the reads and RMWs of its thread it depends on, counted from 0.
    pub deps: Vec<usize>,
    pub interval: Interval,
}

impl std::convert::From<Op> for Event {
    fn from(op: Op) -> Self {
        Event { op, deps: Vec::new(), interval: Interval::default() }
    }
}

/// A history before it is built, so that it can be changed. The values written to a location are distinct.
#[derive(Clone, PartialEq)]
pub struct Litmus {
    pub threads: Vec<Vec<Event>>,
    pub finals: Vec<(LocId, u64)>,
    /// How the locations are to be numbered.
    pub locations: Vec<LocId>,
}

impl Litmus {
    pub fn execution(&self) -> Execution {
        let mut b = Execution::builder();
        for &loc in &self.locations {
            b.location(NAMES[loc.index()]);
        }
        let name = |b: &mut ExecutionBuilder, loc: LocId| b.location(NAMES[loc.index()]);
        for (t, events) in self.threads.iter().enumerate() {
            let t = b.thread(&format!("T{t}"));
            let mut reads = Vec::new();
            for Event { op, deps, interval } in events {
                let loc = name(&mut b, op.loc);
                let slot = b.push(t, Op { loc, ..*op });
                deps.iter().for_each(|&read| {
                    b.depends(slot, reads[read]);
                });
                if *interval != Interval::default() {
                    b.interval(slot, *interval);
                }
                if matches!(op.kind, Kind::Read | Kind::Rmw) {
                    reads.push(slot.index);
                }
            }
        }
        for &(loc, value) in &self.finals {
            let loc = name(&mut b, loc);
            b.final_value(loc, value);
        }
        b.build().expect("every value read was written once")
    }

    /// The same history, but one event, if it reads, reads from some other write or the same: thread, place, write.
    pub fn reading_otherwise(mut self, [thread, place, write]: [Index; 3]) -> Self {
        let events = thread.get(&self.threads);
        if let Some(&Event { op: Op { loc, .. }, .. }) = (!events.is_empty()).then(|| place.get(events)) {
            let writes = |e: &&Event| matches!(e.op.kind, Kind::Write | Kind::Rmw) && e.op.loc == loc;
            let value = write.index(self.threads.iter().flatten().filter(writes).count() + 1) as u64;
            let events: &mut Vec<Event> = thread.get_mut(&mut self.threads);
            let op = &mut place.get_mut(events).op;
            match op.kind {
                Kind::Read => op.value = value,
                Kind::Rmw => op.read = value,
                Kind::Write | Kind::Fence => {}
            }
        }
        self
    }
}

impl fmt::Debug for Litmus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let x = self.execution();
        for t in x.threads() {
            writeln!(f)?;
            for e in x.thread_events(t).map(EventId) {
                write!(f, "{}", x.show(e))?;
                x.deps(e).try_for_each(|on| write!(f, " dep {}", on.0 - x.thread_events(t).start))?;
                match x.interval(e) {
                    Interval { begin: None, end: None } => {}
                    Interval { begin, end } => write!(f, " @ {begin:?}:{end:?}")?,
                }
                write!(f, "; ")?;
            }
        }
        write!(f, "\nfinal {:?}", self.finals)
    }
}

/// A history that sra forbids, though no order of two writes follows from the history alone.
///
/// Two RMWs read from two writes of x. Whichever write is first in mo, its RMW is before the other write; and the same
/// for y. The flags a to d make every choice for x go against every choice for y.
pub fn needs_cases() -> Litmus {
    let [x, y, a, b, c, d] = [0, 1, 2, 3, 4, 5].map(LocId);
    let writer = |loc, value, flag| [Op::write(loc, value), Op::write(flag, 1)].map(Event::from).to_vec();
    let taker = |flags: [LocId; 2], loc, from| {
        [Op::read(flags[0], 1), Op::read(flags[1], 1), Op::rmw(loc, from, from + 2)].map(Event::from).to_vec()
    };
    Litmus {
        threads: vec![
            writer(x, 1, a),
            writer(x, 2, b),
            writer(y, 1, c),
            writer(y, 2, d),
            taker([c, d], x, 1),
            taker([c, d], x, 2),
            taker([a, b], y, 1),
            taker([a, b], y, 2),
        ],
        finals: Vec::new(),
        locations: vec![x, y, a, b, c, d],
    }
}

/// A history that sc forbids, though its saturation does not: four writes are in no order, and no order of them works.
pub fn needs_search() -> Litmus {
    let [x, y, z] = [0, 1, 2].map(LocId);
    let first = |loc, value, flag, other, seen| {
        [Op::write(loc, value), Op::write(x, flag), Op::read(other, seen)].map(Event::from).to_vec()
    };
    let second = |loc, value, flag, other, seen| {
        [Op::write(loc, value), Op::read(x, flag), Op::read(other, seen)].map(Event::from).to_vec()
    };
    Litmus {
        threads: vec![
            first(y, 1, 1, z, 1),
            second(y, 2, 1, z, 2),
            first(z, 1, 2, y, 1),
            second(z, 2, 2, y, 2),
        ],
        finals: Vec::new(),
        locations: vec![x, y, z],
    }
}

/// Which write a read shall read from.
#[derive(Clone, Copy, Debug)]
enum Reads {
    /// Any write of its location, even one that is still to come.
    Any,
    /// One that came before it when the events were drawn: po ∪ rf stays acyclic.
    Earlier,
    /// One of those, but none before what its thread has already seen; for an RMW, none that another has taken. Most
    /// such histories are coherent location by location: what the models differ in is left.
    Fresh,
}

/// An event to be; what it reads is settled once the writes are known.
#[derive(Clone, Debug)]
struct Draft {
    thread: Index,
    kind: Kind,
    loc: usize,
    order: Order,
    from: Reads,
    choice: Index,
    dep: Option<Index>,
    interval: Interval,
    /// A fence behind it.
    fence: Option<Order>,
}

/// What a history shall have besides reads, writes and RMWs: not every model applies to everything.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Extras {
    /// Nothing.
    None,
    /// The fences of C11, of mixed orders.
    Fences,
    /// Many fences of all kinds, and dependencies.
    Dependencies,
    /// Many fences of all kinds, and times.
    Times,
}

fn draft() -> impl Strategy<Value = Draft> {
    let kind = prop_oneof![
        9 => Just(Kind::Read),
        6 => Just(Kind::Write),
        3 => Just(Kind::Rmw),
        1 => Just(Kind::Fence),
    ];
    let order = prop_oneof![
        20 => Just(Order::NonAtomic),
        60 => Just(Order::Relaxed),
        40 => Just(Order::Acquire),
        40 => Just(Order::Release),
        60 => Just(Order::AcqRel),
        80 => Just(Order::SeqCst),
    ];
    let from = prop_oneof![1 => Just(Reads::Any), 4 => Just(Reads::Earlier), 40 => Just(Reads::Fresh)];
    let dep = prop_oneof![2 => Just(None), 1 => any::<Index>().prop_map(Some)];
    // The begin is relative to the place of the event among all.
    let side = || prop_oneof![1 => Just(None), 7 => (0..8u64).prop_map(Some)];
    let interval = (side(), side()).prop_map(|(begin, length)| Interval {
        begin,
        end: length.map(|length| begin.unwrap_or(0) + length),
    });
    let fence = prop_oneof![
        6 => Just(None),
        2 => Just(Some(Order::SeqCst)),
        1 => prop::sample::select(Order::OF_FENCES.to_vec()).prop_map(Some),
    ];
    (any::<Index>(), kind, 0..LOCATIONS, order, from, any::<Index>(), dep, interval, fence).prop_map(
        |(thread, kind, loc, order, from, choice, dep, interval, fence)| Draft {
            thread,
            kind,
            loc,
            order,
            from,
            choice,
            dep,
            interval,
            fence,
        },
    )
}

/// Mostly two to four threads, one to three locations and 6 to 18 events; now and then something close to
/// [`needs_cases`] or [`needs_search`].
pub fn litmus() -> impl Strategy<Value = Litmus> {
    let finals = prop_oneof![12 => Just(None), 1 => any::<(Index, Index)>().prop_map(Some)];
    let locations = prop::sample::select(vec![1, 2, 2, 2, LOCATIONS, LOCATIONS]);
    let extras = prop::sample::select(vec![
        Extras::None,
        Extras::None,
        Extras::Fences,
        Extras::Fences,
        Extras::Dependencies,
        Extras::Times,
    ]);
    let drafts = (prop::collection::vec(draft(), 6..=18), any::<bool>()).prop_map(|(mut drafts, seq_cst)| {
        // Half of the histories are without seq_cst accesses.
        let weaker = |order: Order| if order == Order::SeqCst { Order::AcqRel } else { order };
        drafts.iter_mut().filter(|_| !seq_cst).for_each(|draft| draft.order = weaker(draft.order));
        drafts
    });
    let random = (2..=4usize, locations, drafts, finals, extras).prop_map(
        |(threads, locations, drafts, finals, extras)| settle(threads, locations, drafts, finals, extras),
    );
    let changed = |litmus: fn() -> Litmus| {
        prop::collection::vec(any::<[Index; 3]>(), 0..3)
            .prop_map(move |changes| changes.into_iter().fold(litmus(), Litmus::reading_otherwise))
    };
    prop_oneof![30 => random, 1 => changed(needs_cases), 1 => changed(needs_search)]
}

fn settle(
    threads: usize,
    locations: usize,
    mut drafts: Vec<Draft>,
    finals: Option<(Index, Index)>,
    extras: Extras,
) -> Litmus {
    let mut writes = vec![0; locations];
    for (i, draft) in drafts.iter_mut().enumerate() {
        draft.loc %= locations;
        match (draft.kind, draft.order, extras) {
            (Kind::Fence, _, Extras::None) => draft.kind = Kind::Read,
            (Kind::Fence, Order::NonAtomic | Order::Relaxed, _) => draft.order = Order::AcqRel,
            (Kind::Rmw, Order::NonAtomic, _) => draft.order = Order::Relaxed,
            _ => {}
        }
        draft.fence = draft.fence.filter(|_| matches!(extras, Extras::Dependencies | Extras::Times));
        let shift =
            |time: Option<u64>| time.filter(|_| extras == Extras::Times).map(|time| 2 * i as u64 + time);
        draft.interval = Interval { begin: shift(draft.interval.begin), end: shift(draft.interval.end) };
        draft.dep = draft.dep.filter(|_| extras == Extras::Dependencies);
        if matches!(draft.kind, Kind::Write | Kind::Rmw) {
            if writes[draft.loc] < WRITES_PER_LOCATION {
                writes[draft.loc] += 1;
            } else {
                draft.kind = Kind::Read;
            }
        }
    }
    // The writes of a location write 1, 2, ... as they were drawn; 0 is initial.
    let mut written = vec![0; locations];
    let mut taken = vec![Vec::new(); locations];
    let mut seen = vec![vec![0; locations]; threads];
    let mut events: Vec<Vec<Event>> = vec![Vec::new(); threads];
    for draft in &drafts {
        let thread = draft.thread.index(threads);
        let loc = LocId::from_index(draft.loc);
        let last = &mut written[draft.loc];
        let mut candidates: Vec<u64> = match draft.from {
            Reads::Any => (0..=writes[draft.loc]).collect(),
            // Dependencies are about reading what is still to come.
            Reads::Earlier if extras == Extras::Dependencies => (0..=writes[draft.loc]).collect(),
            Reads::Earlier => (0..=*last).collect(),
            Reads::Fresh => (seen[thread][draft.loc]..=*last).collect(),
        };
        if draft.kind == Kind::Rmw && matches!(draft.from, Reads::Fresh) {
            candidates.retain(|value| !taken[draft.loc].contains(value));
        }
        let read = if candidates.is_empty() { *last } else { *draft.choice.get(&candidates) };
        match draft.kind {
            Kind::Read => seen[thread][draft.loc] = read,
            Kind::Rmw => taken[draft.loc].push(read),
            Kind::Write | Kind::Fence => {}
        }
        if matches!(draft.kind, Kind::Write | Kind::Rmw) {
            *last += 1;
            seen[thread][draft.loc] = *last;
        }
        let op = match draft.kind {
            Kind::Read => Op::read(loc, read),
            Kind::Write => Op::write(loc, *last),
            Kind::Rmw => Op::rmw(loc, read, *last),
            Kind::Fence => Op::fence(draft.order),
        };
        let reads = events[thread].iter().filter(|e| matches!(e.op.kind, Kind::Read | Kind::Rmw)).count();
        let deps = draft.dep.filter(|_| reads > 0).map(|dep| dep.index(reads)).into_iter().collect();
        events[thread].push(Event { op: op.order(draft.order), deps, interval: draft.interval });
        events[thread].extend(draft.fence.map(|order| Op::fence(order).into()));
    }
    let last = |(loc, value): (Index, Index)| {
        let loc = loc.index(locations);
        (LocId::from_index(loc), value.index(writes[loc] as usize + 1) as u64)
    };
    Litmus {
        threads: events,
        finals: finals.map(last).into_iter().collect(),
        locations: (0..locations).map(LocId::from_index).collect(),
    }
}
