//! The SC-kernel of a history: the pairs of writes that every mo of sc orders alike, and how much of it saturation finds
//! (Zennou et al. 2020, sections 4 and 6).
//!
//! The orders are computed as n×n bits straight from their definitions, for histories of up to some thousand events:
//!
//! - ccv orders by (po ∪ rf ∪ cf\[co\])⁺,
//! - ccm by (po ∪ rf ∪ pww ∪ rw\[pww\])⁺,
//! - wsc by hb, the least with st = (hb_WR;rf⁻¹ ∪ hb_WW)⁺ and hb = (po ∪ rf ∪ st ∪ rw\[st\])⁺.
//!
//! Each is contained in the next, and wsc's in the kernel. What wsc leaves open is decided by sc, pair by pair: a pair is in
//! the kernel if no mo reverses it. An mo that does also settles every other pair that it reverses.

use tribunal_cat::relation::{Relation, Set};
use tribunal_engines::memory::models::decide_assuming;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Limit, ModificationOrder};

/// How many pairs of writes are ordered, and by what.
///
/// A pair is two writes of one location, including RMWs but not initial writes, which are before all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// All pairs.
    pub pairs: u64,
    /// Pairs that ccv orders.
    pub ccv: u64,
    /// Pairs that ccm orders.
    pub ccm: u64,
    /// Pairs that wsc orders.
    pub wsc: u64,
    /// Pairs that every mo of sc orders alike: the kernel.
    pub exact: u64,
    /// The pairs of the kernel that wsc does not order, the earlier write first.
    pub missed: Vec<(EventId, EventId)>,
}

/// Computes the SC-kernel; `None` for a history that is inconsistent with sc, or has
/// [open](Execution::is_open) reads.
///
/// Fences have no effect. Final values count for the kernel, but not for ccv, ccm and wsc, which have no mo.
pub fn kernel(x: &Execution, limits: &Limits<'_>) -> Result<Option<Kernel>, Limit> {
    if x.is_open() {
        return Ok(None);
    }
    // At most four orders are held at a time; the sets of writes take no more than one.
    limits.check_memory(Order::bytes(x).saturating_mul(5), 0)?;
    let accesses = Accesses::new(x);
    let Some(mo) = decide_assuming(x, &Preserved::SC, &[], limits)? else {
        return Ok(None);
    };
    let co = Order::causality(x);
    let ccv = convergence(x, &accesses, &co, limits)?.ordered_pairs(x, &accesses);
    let ccm = causal_convergence(x, &accesses, &co, limits)?.ordered_pairs(x, &accesses);
    let mut order = co;
    order.saturate(x, &accesses, limits)?;
    let (pairs, wsc) = (accesses.pairs(x), order.ordered_pairs(x, &accesses));

    let listed = 2 * (pairs - wsc) as usize * size_of::<Pair>();
    limits.check_memory(listed.saturating_add(2 * Order::bytes(x)), 0)?;
    let mut missed = order.open_pairs(x, &accesses, &mo);
    order.order_finals(x, &accesses);
    order.saturate(x, &accesses, limits)?;
    let mut open = missed.clone();
    open.retain(|pair| !order.contains(pair.0, pair.1));
    while let Some(&(first, second)) = open.last() {
        match decide_assuming(x, &Preserved::SC, &[(second, first)], limits)? {
            Some(mo) => {
                let place = places(x, &mo);
                open.retain(|(first, second)| place[first.index()] < place[second.index()]);
            }
            None => {
                order.insert(first, second);
                // What follows from the kernel by saturation is in the kernel.
                order.saturate(x, &accesses, limits)?;
                open.retain(|pair| !order.contains(pair.0, pair.1));
            }
        }
    }
    missed.retain(|pair| order.contains(pair.0, pair.1));
    let exact = order.ordered_pairs(x, &accesses);
    Ok(Some(Kernel { pairs, ccv, ccm, wsc, exact, missed }))
}

/// The first write and the second.
type Pair = (EventId, EventId);

/// ccv's order: co and, for each read, an edge to the write it reads from all other writes in its past.
fn convergence(x: &Execution, accesses: &Accesses, co: &Order, limits: &Limits<'_>) -> Result<Order, Limit> {
    let mut order = co.clone();
    for &(read, write) in &accesses.reads {
        limits.check(0)?;
        for word in 0..co.words() {
            for other in accesses.writes_before(x, co, read, word).filter(|&other| other != write) {
                order.insert(other, write);
            }
        }
    }
    Ok(order)
}

/// ccm's order.
fn causal_convergence(
    x: &Execution,
    accesses: &Accesses,
    co: &Order,
    limits: &Limits<'_>,
) -> Result<Order, Limit> {
    // hb_o grows along po: the hb_o of each thread's last event are all there is.
    let mut hb = co.clone();
    for thread in x.threads() {
        let mut seen = co.clone();
        let events = x.thread_events(thread);
        let reads = || accesses.reads.iter().filter(|(read, _)| events.contains(&read.0));
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for &(read, write) in reads() {
                limits.check(0)?;
                for word in 0..seen.words() {
                    for other in accesses.writes_before(x, &seen, read, word).filter(|&other| other != write)
                    {
                        if seen.insert(other, write) {
                            grown = true;
                            hb.insert(other, write);
                        }
                    }
                }
            }
        }
    }
    // hb_WW is transitive as it is; cf[hb] is added to it.
    let mut pww = Order::empty(x);
    for &write in accesses.writes.iter().flatten() {
        for word in 0..hb.words() {
            accesses.writes_before(x, &hb, write, word).for_each(|other| pww.set(other, write));
        }
    }
    for &(read, write) in &accesses.reads {
        for word in 0..hb.words() {
            for other in accesses.writes_before(x, &hb, read, word).filter(|&other| other != write) {
                pww.insert(other, write);
            }
        }
    }
    let mut order = co.clone();
    for &write in accesses.writes.iter().flatten() {
        limits.check(0)?;
        for word in 0..pww.words() {
            for other in accesses.writes_before(x, &pww, write, word) {
                order.insert(other, write);
            }
        }
    }
    for &(read, write) in &accesses.reads {
        for &later in accesses.writes_of(x, write) {
            if later != read && pww.contains(write, later) {
                order.insert(read, later);
            }
        }
    }
    Ok(order)
}

/// By event, the place of a write in mo of its location.
fn places(x: &Execution, mo: &ModificationOrder) -> Vec<u32> {
    let mut place = vec![0; x.len() + x.location_count()];
    for loc in x.locations() {
        for (write, at) in mo.of(loc).iter().zip(0..) {
            place[write.index()] = at;
        }
    }
    place
}

/// The accesses of a history, as the rules go through them.
struct Accesses {
    /// The writes of each location, its initial write last.
    writes: Vec<Vec<EventId>>,
    /// By location, its writes as a set.
    write_sets: Vec<Set>,
    /// The reads with the writes they read.
    reads: Vec<(EventId, EventId)>,
}

impl Accesses {
    fn new(x: &Execution) -> Self {
        let mut writes = vec![Vec::new(); x.location_count()];
        let mut reads = Vec::new();
        for event in x.events() {
            if let (Some(loc), true) = (x.loc(event), x.label(event).writes()) {
                writes[loc.index()].push(event);
            }
            reads.extend(x.rf(event).map(|write| (event, write)));
        }
        for loc in x.locations() {
            writes[loc.index()].push(x.init_write(loc));
        }
        let set = |writes: &Vec<EventId>| Set::of(size(x), writes.iter().map(|write| write.index()));
        Accesses { write_sets: writes.iter().map(set).collect(), writes, reads }
    }

    fn writes(&self, loc: LocId) -> &[EventId] {
        &self.writes[loc.index()]
    }

    /// The writes of the location of an access.
    fn writes_of(&self, x: &Execution, access: EventId) -> &[EventId] {
        x.loc(access).map_or(&[], |loc| self.writes(loc))
    }

    /// The writes of an access's location that are before it, of the 64 events of a word.
    fn writes_before(
        &self,
        x: &Execution,
        order: &Order,
        access: EventId,
        word: usize,
    ) -> impl Iterator<Item = EventId> + use<> {
        let writes = x.loc(access).map_or(0, |loc| self.write_sets[loc.index()].words()[word]);
        let mut rest = order.before.row(access.index())[word] & writes;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (bit < 64).then(|| EventId((word * 64) as u32 + bit))
        })
    }

    /// How many pairs of writes there are, initial writes left out.
    fn pairs(&self, x: &Execution) -> u64 {
        let pairs = |loc: LocId| {
            let writes = self.writes(loc).len() as u64 - 1;
            writes * writes.saturating_sub(1) / 2
        };
        x.locations().map(pairs).sum()
    }
}

/// How many events there are, with the initial writes.
fn size(x: &Execution) -> usize {
    x.len() + x.location_count()
}

/// A transitive relation on the events, the initial writes among them.
#[derive(Clone)]
struct Order {
    /// The inverse: row b is the set of the events before b.
    before: Relation,
}

impl Order {
    fn bytes(x: &Execution) -> usize {
        Relation::bytes(size(x))
    }

    fn empty(x: &Execution) -> Self {
        Order { before: Relation::empty(size(x)) }
    }

    /// (po ∪ rf)⁺, which must be acyclic.
    fn causality(x: &Execution) -> Self {
        let mut co = Order::empty(x);
        let mut next: Vec<_> = x.threads().map(|thread| x.thread_events(thread)).collect();
        let mut done = vec![false; x.len()];
        let mut left = x.len();
        while left > 0 {
            let before = left;
            for events in &mut next {
                let first = events.start;
                while let Some(event) = events.clone().next().map(EventId) {
                    let source = x.rf(event);
                    if source.is_some_and(|write| !x.is_init(write) && !done[write.index()]) {
                        break;
                    }
                    x.locations().for_each(|loc| co.set(x.init_write(loc), event));
                    let earlier = x.slot(event).filter(|slot| slot.index > 0).map(|_| EventId(event.0 - 1));
                    for earlier in source.into_iter().chain(earlier) {
                        co.join(earlier, event);
                    }
                    done[event.index()] = true;
                    events.start += 1;
                }
                left -= (events.start - first) as usize;
            }
            assert!(left < before, "a history that is consistent with sc has acyclic po ∪ rf");
        }
        co
    }

    /// How many words a row has.
    fn words(&self) -> usize {
        self.before.size().div_ceil(64)
    }

    fn contains(&self, from: EventId, to: EventId) -> bool {
        self.before.contains(to.index(), from.index())
    }

    fn set(&mut self, from: EventId, to: EventId) {
        self.before.insert(to.index(), from.index());
    }

    /// Puts an event and all before it before another.
    fn join(&mut self, from: EventId, to: EventId) {
        self.before.extend_row(to.index(), from.index());
        self.set(from, to);
    }

    /// Adds a pair and closes the relation; whether it was new.
    fn insert(&mut self, from: EventId, to: EventId) -> bool {
        if self.contains(from, to) {
            return false;
        }
        for later in (0..self.before.size() as u32).map(EventId) {
            if later != to && self.contains(to, later) {
                self.join(from, later);
            }
        }
        self.join(from, to);
        true
    }

    /// Adds what follows by the two rules of wsc.
    fn saturate(&mut self, x: &Execution, accesses: &Accesses, limits: &Limits<'_>) -> Result<(), Limit> {
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for &(read, write) in &accesses.reads {
                limits.check(0)?;
                for word in 0..self.words() {
                    for other in accesses.writes_before(x, self, read, word).filter(|&other| other != write) {
                        grown |= self.insert(other, write);
                    }
                }
                for &later in accesses.writes_of(x, write) {
                    if later != read && self.contains(write, later) {
                        grown |= self.insert(read, later);
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts the given final writes last.
    fn order_finals(&mut self, x: &Execution, accesses: &Accesses) {
        for &(loc, last) in x.finals() {
            for &write in accesses.writes(loc).iter().filter(|&&write| write != last) {
                self.insert(write, last);
            }
        }
    }

    /// How many pairs of writes are ordered, initial writes left out.
    fn ordered_pairs(&self, x: &Execution, accesses: &Accesses) -> u64 {
        let before = |&write: &EventId| {
            let before = (0..self.words()).flat_map(|word| accesses.writes_before(x, self, write, word));
            before.filter(|&other| !x.is_init(other)).count() as u64
        };
        accesses.writes.iter().flatten().map(before).sum()
    }

    /// The pairs of writes that are not ordered, each as mo has it.
    fn open_pairs(&self, x: &Execution, accesses: &Accesses, mo: &ModificationOrder) -> Vec<Pair> {
        let place = places(x, mo);
        let mut open = Vec::new();
        for loc in x.locations() {
            let writes = accesses.writes(loc);
            for (i, &a) in writes.iter().enumerate() {
                for &b in &writes[i + 1..] {
                    if !self.contains(a, b) && !self.contains(b, a) {
                        open.push(if place[a.index()] < place[b.index()] { (a, b) } else { (b, a) });
                    }
                }
            }
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_history::memory::Op;

    /// A random history: what interleaved threads read and write, some reads of something older.
    fn random(seed: u64) -> Execution {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % bound
        };
        let mut b = Execution::builder();
        let threads: Vec<_> = (0..4).map(|i: u32| b.thread(&i.to_string())).collect();
        let locs = ["x", "y"].map(|name| b.location(name));
        let mut written = [0; 2];
        for _ in 0..12 {
            let (thread, l) = (threads[next(4) as usize], next(2) as usize);
            let last = written[l];
            if next(2) == 0 && last < 4 {
                written[l] += 1;
                let op = if next(4) == 0 {
                    Op::rmw(locs[l], last, last + 1)
                } else {
                    Op::write(locs[l], last + 1)
                };
                b.push(thread, op);
            } else {
                b.push(thread, Op::read(locs[l], last.saturating_sub(u64::from(next(8) == 0))));
            }
        }
        b.build().expect("every read has its write")
    }

    /// The kernel by its definition: what all mo of sc, each tried, have in common.
    fn by_definition(x: &Execution) -> Option<u64> {
        let accesses = Accesses::new(x);
        let mut common: Option<Vec<Pair>> = None;
        let mut orders = vec![Vec::new()];
        for loc in x.locations() {
            let longer = |order: &Vec<Vec<EventId>>| {
                permutations(&accesses.writes(loc)[..accesses.writes(loc).len() - 1])
                    .map(|writes| order.iter().cloned().chain([writes]).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        for order in orders.iter().filter(|order| is_sc(x, order)) {
            let pairs = || order.iter().flat_map(|writes| pairs_of(writes));
            match &mut common {
                Some(common) => common.retain(|pair| pairs().any(|other| other == *pair)),
                None => common = Some(pairs().collect()),
            }
        }
        common.map(|pairs| pairs.len() as u64)
    }

    fn pairs_of(writes: &[EventId]) -> impl Iterator<Item = Pair> + '_ {
        (0..writes.len()).flat_map(move |i| writes[i + 1..].iter().map(move |&later| (writes[i], later)))
    }

    fn permutations(writes: &[EventId]) -> Box<dyn Iterator<Item = Vec<EventId>> + '_> {
        let Some((&first, rest)) = writes.split_first() else { return Box::new([Vec::new()].into_iter()) };
        Box::new(permutations(rest).flat_map(move |order| {
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, first);
                longer
            })
        }))
    }

    /// Whether po ∪ rf ∪ mo ∪ fr is acyclic: whether the events can be played one after the other.
    fn is_sc(x: &Execution, orders: &[Vec<EventId>]) -> bool {
        let mut next: Vec<_> = x.threads().map(|thread| x.thread_events(thread)).collect();
        let mut done = vec![0; orders.len()];
        let reads_done = |write: EventId, next: &[std::ops::Range<u32>], but: EventId| {
            let reads = x.events().filter(|&read| x.rf(read) == Some(write) && read != but);
            let mut left = reads.filter(|read| next.iter().any(|events| events.contains(&read.0)));
            left.next().is_none()
        };
        loop {
            let playable = next.iter().position(|events| {
                let Some(event) = events.clone().next().map(EventId) else { return false };
                let loc = x.loc(event).expect("an access");
                let order = &orders[loc.index()];
                let last = |count: usize| if count == 0 { x.init_write(loc) } else { order[count - 1] };
                let at = done[loc.index()];
                x.rf(event).is_none_or(|write| write == last(at))
                    && (!x.label(event).writes()
                        || order.get(at) == Some(&event) && reads_done(last(at), &next, event))
            });
            let Some(thread) = playable else { return next.iter().all(|events| events.is_empty()) };
            let event = EventId(next[thread].start);
            next[thread].start += 1;
            if x.label(event).writes() {
                done[x.loc(event).expect("an access").index()] += 1;
            }
        }
    }

    #[test]
    fn a_read_of_the_other_thread_orders_the_writes() {
        let mut b = Execution::builder();
        let (t0, t1) = (b.thread("T0"), b.thread("T1"));
        let x = b.location("x");
        b.push(t0, Op::write(x, 1));
        b.push(t0, Op::read(x, 2));
        b.push(t1, Op::write(x, 2));
        let history = b.build().expect("every read has its write");
        let kernel = kernel(&history, &Limits::default()).expect("no limit was reached").expect("it is sc");
        assert_eq!((kernel.pairs, kernel.wsc, kernel.exact), (1, 1, 1));
    }

    #[test]
    fn saturation_may_miss_all_of_the_kernel() {
        let mut b = Execution::builder();
        let [x, y, z] = ["x", "y", "z"].map(|name| b.location(name));
        for (thread, events) in [
            ("T0", &[Op::write(y, 1), Op::write(x, 1)][..]),
            ("T1", &[Op::write(y, 2), Op::read(x, 1), Op::read(z, 2)]),
            ("T2", &[Op::write(z, 1), Op::write(x, 2), Op::read(y, 1)]),
            ("T3", &[Op::write(z, 2), Op::read(x, 2), Op::read(y, 2)]),
        ] {
            let thread = b.thread(thread);
            events.iter().for_each(|&event| {
                b.push(thread, event);
            });
        }
        let history = b.build().expect("every read has its write");
        let kernel = kernel(&history, &Limits::default()).expect("no limit").expect("it is sc");
        assert_eq!((kernel.pairs, kernel.wsc, kernel.exact, kernel.missed.len()), (3, 0, 2, 2));
    }

    #[test]
    fn the_kernel_is_what_all_orders_have_in_common() {
        let mut kernels = 0;
        for seed in 0..400 {
            let x = random(seed);
            let found = kernel(&x, &Limits::default()).expect("no limit");
            assert_eq!(found.as_ref().map(|kernel| kernel.exact), by_definition(&x), "seed {seed}");
            if let Some(Kernel { pairs, ccv, ccm, wsc, exact, missed }) = found {
                kernels += 1;
                assert!(ccv <= ccm && ccm <= wsc && wsc <= exact && exact <= pairs, "seed {seed}");
                assert_eq!(missed.len() as u64, exact - wsc, "seed {seed}");
            }
        }
        assert!((100..400).contains(&kernels), "{kernels} of 400 are sc");
    }
}
