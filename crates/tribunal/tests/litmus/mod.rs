//! Random histories of litmus size: every read may read from every write of its location, past or future.

use proptest::prelude::*;
use proptest::sample::Index;
use std::fmt;
use tribunal::memory::{Execution, Kind, LocId, Op, Order};

const NAMES: [&str; 6] = ["x", "y", "a", "b", "c", "d"];
/// How many of them a random history has at most.
const LOCATIONS: usize = 3;
/// Keeps the number of mo that the naive checker tries at bay.
const WRITES_PER_LOCATION: u64 = 4;

/// A history before it is built, so that it can be changed. The values written to a location are distinct.
#[derive(Clone, PartialEq)]
pub struct Litmus {
    pub threads: Vec<Vec<Op>>,
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
        let name = |b: &mut tribunal::memory::ExecutionBuilder, loc: LocId| b.location(NAMES[loc.index()]);
        for (t, ops) in self.threads.iter().enumerate() {
            let t = b.thread(&format!("T{t}"));
            for op in ops {
                let loc = name(&mut b, op.loc);
                b.push(t, Op { loc, ..*op });
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
        let ops = thread.get(&self.threads);
        if let Some(&Op { loc, .. }) = (!ops.is_empty()).then(|| place.get(ops)) {
            let writes = |op: &&Op| matches!(op.kind, Kind::Write | Kind::Rmw) && op.loc == loc;
            let value = write.index(self.threads.iter().flatten().filter(writes).count() + 1) as u64;
            let ops: &mut Vec<Op> = thread.get_mut(&mut self.threads);
            let op = place.get_mut(ops);
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
            for e in x.thread_events(t) {
                write!(f, "{}; ", x.show(tribunal::memory::EventId(e)))?;
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
    let writer = |loc, value, flag| vec![Op::write(loc, value), Op::write(flag, 1)];
    let taker = |flags: [LocId; 2], loc, from| {
        vec![Op::read(flags[0], 1), Op::read(flags[1], 1), Op::rmw(loc, from, from + 2)]
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

/// Which write a read shall read from.
#[derive(Clone, Copy, Debug)]
enum From {
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
    from: From,
    choice: Index,
}

fn draft() -> impl Strategy<Value = Draft> {
    let kind = prop_oneof![
        9 => Just(Kind::Read),
        6 => Just(Kind::Write),
        3 => Just(Kind::Rmw),
        1 => Just(Kind::Fence),
    ];
    let order = prop_oneof![
        60 => Just(Order::Relaxed),
        40 => Just(Order::Acquire),
        40 => Just(Order::Release),
        60 => Just(Order::AcqRel),
        1 => Just(Order::SeqCst),
    ];
    let from = prop_oneof![1 => Just(From::Any), 4 => Just(From::Earlier), 40 => Just(From::Fresh)];
    (any::<Index>(), kind, 0..LOCATIONS, order, from, any::<Index>())
        .prop_map(|(thread, kind, loc, order, from, choice)| Draft { thread, kind, loc, order, from, choice })
}

/// Mostly two to four threads, one to three locations and 6 to 18 events; now and then something close to
/// [`needs_cases`].
pub fn litmus() -> impl Strategy<Value = Litmus> {
    let finals = prop_oneof![12 => Just(None), 1 => any::<(Index, Index)>().prop_map(Some)];
    let locations = prop::sample::select(vec![1, 2, 2, 2, LOCATIONS, LOCATIONS]);
    let random = (2..=4usize, locations, prop::collection::vec(draft(), 6..=18), finals)
        .prop_map(|(threads, locations, drafts, finals)| settle(threads, locations, drafts, finals));
    let cases = prop::collection::vec(any::<[Index; 3]>(), 0..3)
        .prop_map(|changes| changes.into_iter().fold(needs_cases(), Litmus::reading_otherwise));
    prop_oneof![30 => random, 1 => cases]
}

fn settle(
    threads: usize,
    locations: usize,
    mut drafts: Vec<Draft>,
    finals: Option<(Index, Index)>,
) -> Litmus {
    let mut writes = vec![0; locations];
    for draft in &mut drafts {
        draft.loc %= locations;
        if draft.kind == Kind::Fence && draft.order == Order::Relaxed {
            draft.order = Order::AcqRel;
        }
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
    let mut ops = vec![Vec::new(); threads];
    for draft in &drafts {
        let thread = draft.thread.index(threads);
        let loc = LocId::from_index(draft.loc);
        let last = &mut written[draft.loc];
        let mut candidates: Vec<u64> = match draft.from {
            From::Any => (0..=writes[draft.loc]).collect(),
            From::Earlier => (0..=*last).collect(),
            From::Fresh => (seen[thread][draft.loc]..=*last).collect(),
        };
        if draft.kind == Kind::Rmw && matches!(draft.from, From::Fresh) {
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
        ops[thread].push(op.order(draft.order));
    }
    let last = |(loc, value): (Index, Index)| {
        let loc = loc.index(locations);
        (LocId::from_index(loc), value.index(writes[loc] as usize + 1) as u64)
    };
    Litmus {
        threads: ops,
        finals: finals.map(last).into_iter().collect(),
        locations: (0..locations).map(LocId::from_index).collect(),
    }
}
