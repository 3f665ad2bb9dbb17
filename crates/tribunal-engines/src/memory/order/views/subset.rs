//! The dynamic program over sets of writes (Chini and Saivasan 2020, section 3).
//!
//! A history is consistent iff some total order of all writes makes both views acyclic (their Lemma 7). The table has an
//! entry for every set V of writes: whether V can be the beginning of such an order. An entry depends on the set and
//! not on the order in it, so each set is looked at once, and only if the recursion reaches it.
//!
//! They let sets grow from the end of the order and test two graphs anew for each set and write. From the beginning
//! the test is Kahn's algorithm, held before each write: a view *takes* an event once it has taken those before it, reads
//! as soon as possible, writes when the program says so. The events that are taken when V is are the least set
//! closed under that, whatever the order. The view lets a write be next if what is before it has been taken, and fr
//! does if no read of an overwritten write of its location is still to be taken.
//!
//! Time is O(2^k·(k + m)·n/64) for k writes among n events and m pairs in the views, memory 2^k bits and O(n²) bits for
//! the views.

use super::matrices::Views;
use tribunal_cat::relation::bits::{contains, insert, is_subset, members, union, words};
use tribunal_cat::relation::{BitRows, Relation};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Limit, ModificationOrder};

/// The number of writes that the table has room for, initial writes not counted.
pub(crate) const MOST_WRITES: usize = 26;

/// The number of sets to look at between two looks at the clock.
const SETS_PER_CHECK: u64 = 1024;

/// Some mo that satisfies both views, if there is one. `states` counts the sets that were looked at.
pub(crate) fn search(
    x: &Execution,
    preserved: &Preserved,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<ModificationOrder>, Limit> {
    let writes: Vec<EventId> = x.events().filter(|&e| x.label(e).writes()).collect();
    if writes.len() > MOST_WRITES {
        return Err(Limit::Writes { writes: writes.len(), most: MOST_WRITES });
    }
    limits.check_memory((1 << writes.len()) / 8, *states)?;
    let views = Views::new(x, preserved, limits)?;
    if !views.are_acyclic() {
        return Ok(None);
    }
    let Some(mut program) = Program::new(x, &views, writes) else { return Ok(None) };
    Ok(program.run(limits, states)?.then(|| program.mo(x)))
}

/// The table, and the order that is being tried.
struct Program<'a> {
    x: &'a Execution,
    writes: Vec<EventId>,
    readers: &'a Relation,
    /// The local and the global view, from front to back and from back to front.
    views: [(&'a Relation, Relation); 2],
    /// By location, the events that access it.
    accesses: BitRows,
    /// By write, the set of writes that must precede it, since it is final.
    last_after: Vec<u32>,
    /// The sets that have been looked at.
    seen: Vec<u64>,
    /// The writes that come first, in order: indexes into `writes`.
    order: Vec<usize>,
    /// For every beginning of `order`, three sets of events: what each view has taken, and the reads of its writes.
    states: Vec<u64>,
    words: usize,
    queue: Vec<EventId>,
}

/// Of the three sets of a state the reads of its writes; the others are those of `views`.
const READ: usize = 2;
const SETS: usize = 3;

impl<'a> Program<'a> {
    /// None if an initial write must be last though there are others.
    fn new(x: &'a Execution, views: &'a Views, writes: Vec<EventId>) -> Option<Self> {
        let size = x.len() + x.location_count();
        let words = words(size);
        let mut accesses = BitRows::new(words);
        accesses.resize(x.location_count());
        for e in x.events() {
            if let Some(loc) = x.loc(e) {
                insert(accesses.row_mut(loc.index()), e.index());
            }
        }
        let mut last_after = vec![0; writes.len()];
        for &(loc, last) in x.finals() {
            let others = writes.iter().enumerate().filter(|&(_, &w)| w != last && x.loc(w) == Some(loc));
            let others = others.fold(0, |set, (i, _)| set | 1 << i);
            match writes.iter().position(|&w| w == last) {
                Some(place) => last_after[place] |= others,
                None if others == 0 => {}
                None => return None,
            }
        }
        let mut program = Program {
            x,
            readers: &views.readers,
            views: [&views.local, &views.global].map(|view| (view, view.inverse())),
            accesses,
            last_after,
            seen: vec![0; (1usize << writes.len()).div_ceil(64)],
            order: Vec::with_capacity(writes.len()),
            states: vec![0; (writes.len() + 1) * SETS * words],
            words,
            queue: Vec::new(),
            writes,
        };
        // Nothing is before an initial write, so they all come first; fences are in nobody's way.
        for e in x.events().filter(|&e| x.label(e).is_fence()) {
            (0..program.views.len()).for_each(|view| insert(program.set_mut(0, view), e.index()));
        }
        for w in x.locations().map(|loc| x.init_write(loc)) {
            program.take(0, w);
        }
        for view in 0..program.views.len() {
            program.queue.extend(x.events());
            program.take_reads(0, view);
        }
        Some(program)
    }

    /// Whether all writes can be put in order; if so, `order` has them.
    fn run(&mut self, limits: &Limits<'_>, states: &mut u64) -> Result<bool, Limit> {
        let writes = self.writes.len();
        // By place in the order, the write to try next.
        let mut next = vec![0; writes + 1];
        let mut set = 0u32;
        loop {
            let place = self.order.len();
            if place == writes {
                return Ok(true);
            }
            match (next[place]..writes).find(|&i| self.can_follow(set, i)) {
                Some(i) => {
                    set |= 1 << i;
                    insert(&mut self.seen, set as usize);
                    *states += 1;
                    if (*states).is_multiple_of(SETS_PER_CHECK) {
                        limits.check(*states)?;
                    }
                    self.append(i);
                    next[place] = i + 1;
                    next[place + 1] = 0;
                }
                None => match self.order.pop() {
                    Some(i) => set &= !(1 << i),
                    None => return Ok(false),
                },
            }
        }
    }

    /// Whether a write can come next after those of `set`, and nothing is known yet of what comes then.
    fn can_follow(&self, set: u32, i: usize) -> bool {
        let with = set | 1 << i;
        if with == set || contains(&self.seen, with as usize) || self.last_after[i] & !set != 0 {
            return false;
        }
        let (w, place) = (self.writes[i], self.order.len());
        let loc = self.x.locs()[w.index()];
        let accesses = self.accesses.row(loc.index());
        let read = self.set(place, READ);
        self.views.iter().enumerate().all(|(view, (_, before))| {
            let taken = self.set(place, view);
            let free = is_subset(before.row(w.index()), taken);
            let pending = accesses.iter().zip(read).zip(taken).map(|((of, read), taken)| of & read & !taken);
            // An RMW may be the last to read the write that it overwrites.
            let own = |i: usize| if w.index() / 64 == i { 1 << (w.index() % 64) } else { 0 };
            free && pending.enumerate().all(|(i, pending)| pending & !own(i) == 0)
        })
    }

    fn append(&mut self, i: usize) {
        let (place, length) = (self.order.len(), SETS * self.words);
        self.order.push(i);
        self.states.copy_within(place * length..(place + 1) * length, (place + 1) * length);
        let w = self.writes[i];
        self.take(place + 1, w);
        for view in 0..self.views.len() {
            self.queue.extend(members(self.views[view].0.row(w.index())).map(EventId::from_index));
            self.take_reads(place + 1, view);
        }
    }

    /// Both views take a write, and its readers must hurry.
    fn take(&mut self, place: usize, w: EventId) {
        (0..self.views.len()).for_each(|view| insert(self.set_mut(place, view), w.index()));
        let (readers, start) = (self.readers.row(w.index()), (place * SETS + READ) * self.words);
        union(&mut self.states[start..start + self.words], readers);
    }

    /// Takes the reads of the queue that a view can take, and those that it can take then.
    fn take_reads(&mut self, place: usize, view: usize) {
        let start = (place * SETS + view) * self.words;
        let taken = &mut self.states[start..start + self.words];
        let (after, before) = &self.views[view];
        while let Some(r) = self.queue.pop() {
            if self.x.label(r).writes()
                || contains(taken, r.index())
                || !is_subset(before.row(r.index()), taken)
            {
                continue;
            }
            insert(taken, r.index());
            self.queue.extend(members(after.row(r.index())).map(EventId::from_index));
        }
    }

    fn set(&self, place: usize, set: usize) -> &[u64] {
        &self.states[(place * SETS + set) * self.words..][..self.words]
    }

    fn set_mut(&mut self, place: usize, set: usize) -> &mut [u64] {
        &mut self.states[(place * SETS + set) * self.words..][..self.words]
    }

    /// The order that was found, by location.
    fn mo(&self, x: &Execution) -> ModificationOrder {
        let mut mo = ModificationOrder::new();
        for loc in x.locations() {
            let writes = self.order.iter().map(|&i| self.writes[i]).filter(|&w| x.loc(w) == Some(loc));
            mo.push_location(std::iter::once(x.init_write(loc)).chain(writes));
        }
        mo
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::order::views::enumeration;
    use tribunal_history::memory::{LocId, Op, Order};

    const X: LocId = LocId(0);
    const Y: LocId = LocId(1);
    const MODELS: [Preserved; 5] =
        [Preserved::SC, Preserved::TSO, Preserved::PSO, Preserved::RMO, Preserved::WMO];

    /// By the program and by enumeration, which must agree.
    fn consistent(x: &Execution, preserved: &Preserved) -> bool {
        let [program, enumeration] = [search, enumeration::search].map(|search| {
            let found = search(x, preserved, &Limits::default(), &mut 0).expect("no limit is reached");
            found.inspect(|mo| assert_eq!(mo.location_count(), x.location_count())).is_some()
        });
        assert_eq!(program, enumeration, "{preserved}: {x:?}");
        program
    }

    /// A history of three locations, with final values of some.
    fn history(threads: &[Vec<Op>], finals: &[(u32, u64)]) -> Execution {
        let mut b = Execution::builder();
        let locations = ["x", "y", "z"].map(|name| b.location(name));
        for (t, ops) in threads.iter().enumerate() {
            let t = b.thread(&t.to_string());
            for &op in ops {
                b.push(t, op);
            }
        }
        for &(loc, value) in finals {
            b.final_value(locations[loc as usize], value);
        }
        b.build().expect("every value read was written once")
    }

    fn verdicts(x: &Execution) -> [bool; 5] {
        MODELS.map(|preserved| consistent(x, &preserved))
    }

    #[test]
    fn the_models_differ_where_they_must() {
        let sb = |fence: Option<Order>| {
            let thread = |w, r| {
                let fence = fence.map(Op::fence);
                [Some(Op::write(w, 1)), fence, Some(Op::read(r, 0))].into_iter().flatten().collect()
            };
            history(&[thread(X, Y), thread(Y, X)], &[])
        };
        assert_eq!(verdicts(&sb(None)), [false, true, true, true, true]);
        assert_eq!(verdicts(&sb(Some(Order::AcqRel))), [false, true, true, true, true]);
        assert_eq!(verdicts(&sb(Some(Order::SeqCst))), [false; 5]);
        let mp = |order: Option<Order>| {
            let mut writer = vec![Op::write(X, 1), Op::write(Y, 1)];
            if let Some(order) = order {
                writer.insert(1, Op::fence(order));
            }
            history(&[writer, vec![Op::read(Y, 1), Op::read(X, 0)]], &[])
        };
        assert_eq!(verdicts(&mp(None)), [false, false, true, true, true]);
        assert_eq!(verdicts(&mp(Some(Order::Release))), [false, false, false, true, true]);
        let hazard = history(&[vec![Op::write(X, 1)], vec![Op::read(X, 1), Op::read(X, 0)]], &[]);
        assert_eq!(verdicts(&hazard), [false, false, false, true, false]);
    }

    #[test]
    fn rmws_are_atomic_and_final_writes_last() {
        let taken_twice = history(&[vec![Op::rmw(X, 0, 1)], vec![Op::rmw(X, 0, 2)]], &[]);
        assert_eq!(verdicts(&taken_twice), [false; 5]);
        let chain = |last| history(&[vec![Op::rmw(X, 2, 1)], vec![Op::rmw(X, 0, 2)]], &[(0, last)]);
        assert_eq!(verdicts(&chain(1)), [true; 5]);
        assert_eq!(verdicts(&chain(2)), [false; 5]);
        assert_eq!(verdicts(&chain(0)), [false; 5]);
        let unwritten = history(&[vec![Op::read(X, 0)]], &[(0, 0)]);
        assert_eq!(verdicts(&unwritten), [true; 5]);
    }

    #[test]
    fn values_do_not_come_out_of_thin_air() {
        let mut b = Execution::builder();
        let (t0, t1, x, y) = (b.thread("0"), b.thread("1"), b.location("x"), b.location("y"));
        b.push(t0, Op::read(x, 1));
        let w = b.push(t0, Op::write(y, 1));
        b.depends(w, 0);
        b.push(t1, Op::read(y, 1));
        let w = b.push(t1, Op::write(x, 1));
        b.depends(w, 0);
        assert!(!consistent(&b.build().expect("well formed"), &Preserved::RMO));
    }

    #[test]
    fn the_program_agrees_with_enumeration() {
        let mut numbers = tribunal_random::Random::new(1);
        let mut random = |below: u64| numbers.below(below);
        let mut consistent = [0; MODELS.len()];
        for _ in 0..2000 {
            let mut written = [0; 2];
            let mut threads = vec![Vec::new(); 3];
            for _ in 0..10 {
                let loc = random(2);
                let last: &mut u64 = &mut written[loc as usize];
                let (at, from) = (LocId(loc as u32), last.saturating_sub(random(2)));
                threads[random(3) as usize].push(match random(7) {
                    0..3 => Op::read(at, from),
                    6 => Op::fence(Order::OF_FENCES[random(4) as usize]),
                    kind => {
                        *last += 1;
                        if kind == 5 { Op::rmw(at, from, *last) } else { Op::write(at, *last) }
                    }
                });
            }
            let finals = if random(4) == 0 { vec![(0, written[0])] } else { vec![] };
            let verdicts = verdicts(&history(&threads, &finals));
            consistent.iter_mut().zip(verdicts).for_each(|(count, yes)| *count += u32::from(yes));
        }
        assert!(consistent.iter().all(|count| (200..1800).contains(count)), "{consistent:?}");
    }

    #[test]
    fn too_many_writes_are_too_many() {
        let ops: Vec<Op> = (1..=27).map(|value| Op::write(X, value)).collect();
        let limit = search(&history(&[ops], &[]), &Preserved::SC, &Limits::default(), &mut 0);
        assert_eq!(limit.err(), Some(Limit::Writes { writes: 27, most: MOST_WRITES }));
    }

    #[test]
    fn limits_are_kept() {
        // Writes that nothing orders, and a thread that sees two of them change places.
        let mut threads: Vec<Vec<Op>> = (1..=25).map(|value| vec![Op::write(X, value)]).collect();
        threads.push([1, 2, 1].map(|value| Op::read(X, value)).to_vec());
        let x = history(&threads, &[]);
        let sc = |limits| search(&x, &Preserved::SC, &limits, &mut 0);
        let memory = Limits { max_memory: 1 << 12, ..Limits::default() };
        assert!(matches!(sc(memory), Err(Limit::Memory { .. })));
        let states = Limits { max_states: 5000, ..Limits::default() };
        assert!(matches!(sc(states), Err(Limit::States { states: 5000 })));
    }
}
