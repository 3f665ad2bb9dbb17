//! Shapes: what the threads of a small history do, and to which locations, before anybody reads from anything.
//!
//! Every shape comes once up to the names of threads and locations. Threads are sorted, the longest first and then by
//! what they do; locations are named in the order in which they appear; of the ways to sort threads that do the same, the one
//! with the smallest row of locations is taken. What the ways that are left do to rf is for [`sources`](crate::sources).

use std::ops::ControlFlow;
use tribunal_cat::relation::{SmallRelation as Relation, SmallSet as Set, small_members as members};
use tribunal_history::memory::{Kind, Label, Order};

/// The largest histories: with the initial writes they fill a `Relation`.
pub const MOST_EVENTS: usize = Relation::EVENTS / 2;

/// The kinds of accesses, in the order in which threads are sorted; fences follow.
const ACCESSES: [Label; 3] = [
    Label::new(Kind::Read, Order::Relaxed),
    Label::new(Kind::Write, Order::Relaxed),
    Label::new(Kind::Rmw, Order::Relaxed),
];

/// The location of a fence.
pub(super) const NOWHERE: u8 = u8::MAX;

/// A permutation of the events that keeps a shape as it is: where each goes.
pub(super) type Symmetry = [u8; MOST_EVENTS];

/// The events of a history, and the locations that they access. The initial write of location l is event `events + l`.
#[derive(Clone)]
pub(super) struct Shape {
    pub events: usize,
    pub locations: usize,
    /// `starts[t]..starts[t + 1]` are the events of thread t.
    pub starts: Vec<usize>,
    pub labels: [Label; MOST_EVENTS],
    pub locs: [u8; MOST_EVENTS],
    pub symmetries: Vec<Symmetry>,
    pub facts: Facts,
}

/// The facts that follow from a shape.
#[derive(Clone, Default)]
pub(super) struct Facts {
    pub reads: Set,
    pub writes: Set,
    /// The accesses of each location, its initial write among them.
    pub accesses: [Set; MOST_EVENTS],
    /// Initial writes are before all.
    pub po: Relation,
    pub po_loc: Relation,
    /// The events of each event's thread.
    pub thread: [Set; Relation::EVENTS],
}

impl Shape {
    pub fn threads(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    pub fn label(&self, event: usize) -> Label {
        self.labels.get(event).filter(|_| event < self.events).copied().unwrap_or(ACCESSES[1])
    }

    pub fn loc(&self, event: usize) -> u8 {
        if event < self.events { self.locs[event] } else { (event - self.events) as u8 }
    }

    /// The number of events with the initial writes.
    pub fn size(&self) -> usize {
        self.events + self.locations
    }

    fn learn(&mut self) {
        let mut facts = Facts::default();
        for event in 0..self.size() {
            let label = self.label(event);
            facts.reads |= Set::from(label.reads()) << event;
            facts.writes |= Set::from(label.writes()) << event;
            if !label.is_fence() {
                facts.accesses[self.loc(event) as usize] |= 1 << event;
            }
        }
        for thread in self.threads() {
            let events = thread.clone().fold(0, |set, event| set | 1 << event);
            for event in thread.clone() {
                facts.thread[event] = events;
                (self.events..self.size()).for_each(|init| facts.po.insert(init, event));
                (event + 1..thread.end).for_each(|later| facts.po.insert(event, later));
            }
        }
        for event in (0..self.size()).filter(|&event| !self.label(event).is_fence()) {
            facts.po_loc.0[event] = facts.po.0[event] & facts.accesses[self.loc(event) as usize];
        }
        self.facts = facts;
    }
}

/// The shapes to make.
pub(super) struct Shapes<'v, V> {
    pub events: usize,
    /// The orders that fences may have; histories without fences are not made if there are some.
    pub fences: &'v [Order],
    /// Whether to leave out shapes that no smallest example has, see [`is_needed`].
    pub needed_only: bool,
    /// Takes each shape, and says whether to go on.
    pub visit: &'v mut V,
}

impl<V: FnMut(&Shape) -> ControlFlow<()>> Shapes<'_, V> {
    pub fn run(&mut self) -> ControlFlow<()> {
        let shape = Shape {
            events: self.events,
            locations: 0,
            starts: vec![0],
            labels: [ACCESSES[0]; MOST_EVENTS],
            locs: [NOWHERE; MOST_EVENTS],
            symmetries: Vec::new(),
            facts: Facts::default(),
        };
        self.lengths(shape, self.events)
    }

    /// Chooses the lengths of the threads.
    fn lengths(&mut self, mut shape: Shape, longest: usize) -> ControlFlow<()> {
        let start = shape.starts[shape.starts.len() - 1];
        if start == self.events {
            return self.labels(&mut shape, 0);
        }
        for length in (1..=longest.min(self.events - start)).rev() {
            let mut longer = shape.clone();
            longer.starts.push(start + length);
            self.lengths(longer, length)?;
        }
        ControlFlow::Continue(())
    }

    /// Chooses what each event does. A fence stands between accesses: before the first or after the last it keeps no
    /// pair. Two in a row are one of the joint order, except for release and acquire: these hand on less than acq_rel.
    fn labels(&mut self, shape: &mut Shape, event: usize) -> ControlFlow<()> {
        if event == self.events {
            let fenced = shape.labels[..event].iter().any(|label| label.is_fence());
            return if fenced == self.fences.is_empty() {
                ControlFlow::Continue(())
            } else {
                self.locations(shape, 0)
            };
        }
        let thread = shape.starts.partition_point(|&start| start <= event) - 1;
        let (start, end) = (shape.starts[thread], shape.starts[thread + 1]);
        for (rank, &label) in ACCESSES.iter().enumerate() {
            if !(self.needed_only && end - start == 1 && rank == 0) {
                shape.labels[event] = label;
                self.sorted(shape, thread, event)?;
            }
        }
        for &order in self.fences.iter().filter(|_| event > start && event + 1 < end) {
            let previous = shape.labels[event - 1];
            if !previous.is_fence() || previous.order() == Order::Release && order == Order::Acquire {
                shape.labels[event] = Label::new(Kind::Fence, order);
                self.sorted(shape, thread, event)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Goes on if the thread so far is not smaller than the one before it, where that is as long.
    fn sorted(&mut self, shape: &mut Shape, thread: usize, event: usize) -> ControlFlow<()> {
        let (start, end) = (shape.starts[thread], shape.starts[thread + 1]);
        if thread > 0 && event + 1 == end && start - shape.starts[thread - 1] == end - start {
            let rank = |event: &Label| (event.kind() as u8, event.order() as u8);
            let before = shape.labels[shape.starts[thread - 1]..start].iter().map(rank);
            if shape.labels[start..end].iter().map(rank).lt(before) {
                return ControlFlow::Continue(());
            }
        }
        self.labels(shape, event + 1)
    }

    /// Chooses the location of each access: one that has appeared, or the next.
    fn locations(&mut self, shape: &mut Shape, event: usize) -> ControlFlow<()> {
        if event == self.events {
            return self.finish(shape);
        }
        if shape.labels[event].is_fence() {
            shape.locs[event] = NOWHERE;
            return self.locations(shape, event + 1);
        }
        let known = shape.locations;
        for loc in 0..=known {
            shape.locs[event] = loc as u8;
            shape.locations = known.max(loc + 1);
            self.locations(shape, event + 1)?;
        }
        shape.locations = known;
        ControlFlow::Continue(())
    }

    fn finish(&mut self, shape: &mut Shape) -> ControlFlow<()> {
        shape.learn();
        if self.needed_only && !is_needed(shape) || !find_symmetries(shape) {
            return ControlFlow::Continue(());
        }
        (self.visit)(shape)
    }
}

/// Whether a smallest example may have this shape. In one that has not, some event can go, whatever is read:
/// - Without an RMW, a location that is not read, not written, or private to a thread, orders nothing that is not ordered
///   without it: its mo can follow any order of the rest.
/// - A read that begins a thread needs somebody else's write: of the initial write it can come before all.
/// - A write that ends a thread needs somebody else's read: unread it can come last in mo.
/// - Threads that share no location, not even through others, do not disturb each other.
fn is_needed(shape: &Shape) -> bool {
    let facts = &shape.facts;
    let own = |event: usize| facts.thread[event];
    let accesses = |loc: usize| facts.accesses[loc] & ((1 << shape.events) - 1);
    let shared = |loc: usize| {
        let all = accesses(loc);
        let (reads, writes) = (all & facts.reads, all & facts.writes);
        reads & writes != 0 || reads != 0 && writes != 0 && all & !own(all.trailing_zeros() as usize) != 0
    };
    let ends = |thread: std::ops::Range<usize>| {
        let (first, last) = (thread.start, thread.end - 1);
        let elsewhere = |event: usize, set: Set| accesses(shape.loc(event) as usize) & set & !own(event) != 0;
        (shape.labels[first].writes() || elsewhere(first, facts.writes))
            && (shape.labels[last].reads() || elsewhere(last, facts.reads))
    };
    let connected = || {
        let mut reached = own(0);
        loop {
            let before = reached;
            for loc in 0..shape.locations {
                if accesses(loc) & reached != 0 {
                    reached |= members(accesses(loc)).fold(0, |set, event| set | own(event));
                }
            }
            if reached == before {
                return reached == (1 << shape.events) - 1;
            }
        }
    };
    (0..shape.locations).all(shared) && shape.threads().all(ends) && connected()
}

/// Finds how threads that do the same can change places with the row of locations the same; false if one of the ways makes
/// the row smaller.
fn find_symmetries(shape: &mut Shape) -> bool {
    shape.symmetries.clear();
    let threads = shape.starts.len() - 1;
    let alike = |a: usize, b: usize| {
        shape.labels[shape.starts[a]..shape.starts[a + 1]]
            == shape.labels[shape.starts[b]..shape.starts[b + 1]]
    };
    // order[i] is the thread that goes to place i: every way in which alike threads, which are neighbors, change places.
    let mut order: Vec<usize> = (0..threads).collect();
    let mut symmetries = Vec::new();
    while next_order(&mut order, &alike) {
        let mut symmetry = [0; MOST_EVENTS];
        let mut names = [NOWHERE; MOST_EVENTS];
        let (mut at, mut named) = (0, 0);
        let mut compared = std::cmp::Ordering::Equal;
        for &thread in &order {
            for event in shape.starts[thread]..shape.starts[thread + 1] {
                symmetry[event] = at as u8;
                if shape.locs[event] != NOWHERE && compared.is_eq() {
                    let name = &mut names[shape.locs[event] as usize];
                    if *name == NOWHERE {
                        *name = named;
                        named += 1;
                    }
                    compared = (*name).cmp(&shape.locs[at]);
                }
                at += 1;
            }
        }
        match compared {
            std::cmp::Ordering::Less => return false,
            std::cmp::Ordering::Equal => symmetries.push(symmetry),
            std::cmp::Ordering::Greater => {}
        }
    }
    shape.symmetries = symmetries;
    true
}

/// The next permutation, in the usual order, in which every thread is at the place of one that is alike.
fn next_order(order: &mut [usize], alike: &impl Fn(usize, usize) -> bool) -> bool {
    let mut end = order.len();
    while end > 0 {
        // The threads that are alike are neighbors: order[start..end] are permuted on their own.
        let start = (0..end).rev().take_while(|&i| alike(i, end - 1)).last().unwrap_or(end - 1);
        let run = &mut order[start..end];
        if let Some(i) = (1..run.len()).rev().find(|&i| run[i - 1] < run[i]) {
            let j = (i..run.len()).rev().find(|&j| run[j] > run[i - 1]).unwrap_or(i);
            run.swap(i - 1, j);
            run[i..].reverse();
            return true;
        }
        run.reverse();
        end = start;
    }
    false
}
