//! Parts of executions.

use super::{EventId, Execution, Kind, LocId, Observation, Op, Order, Slot, Source, ThreadId};
use rustc_hash::FxHashMap;

/// The things beside events that a part keeps.
pub struct Extras<D, O> {
    /// Of which events the dependencies.
    pub deps: D,
    /// Whether times are kept.
    pub times: bool,
    /// Whether final values are kept.
    pub finals: bool,
    /// The order of each event: its own, or a weaker one.
    pub order: O,
}

impl Execution {
    /// The execution of these events only. They must be in the order of their ids and include the write that each of them reads
    /// from, unless it is an initial write. For an open read, include all its [writers](Self::writers); otherwise the part is weaker.
    /// Threads and locations without events are dropped.
    ///
    /// ```
    /// use tribunal::memory::{EventId, Execution, Op};
    /// let mut b = Execution::builder();
    /// let (t, x, y) = (b.thread("T0"), b.location("x"), b.location("y"));
    /// for op in [Op::write(x, 1), Op::write(y, 1), Op::read(x, 1)] {
    ///     b.push(t, op);
    /// }
    /// let part = b.build()?.part(&[EventId(0), EventId(2)]);
    /// assert_eq!((part.len(), part.location_count()), (2, 1));
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If an event reads from an event that is not included.
    pub fn part(&self, events: &[EventId]) -> Execution {
        let order = |event| self.label(event).order();
        self.part_of(events, Extras { deps: |_| true, times: true, finals: true, order })
    }

    /// Like [`Execution::part`], with what beside the events is kept.
    ///
    /// # Panics
    ///
    /// If an event reads from an event that is not included.
    pub fn part_of(
        &self,
        events: &[EventId],
        extras: Extras<impl Fn(EventId) -> bool, impl Fn(EventId) -> Order>,
    ) -> Execution {
        let x = self;
        let mut b = Execution::builder();
        if let Some(name) = x.name() {
            b.name(name);
        }
        let mut locs: FxHashMap<LocId, LocId> = FxHashMap::default();
        let mut slots: FxHashMap<EventId, Slot> = FxHashMap::default();
        let mut last: Option<(ThreadId, Slot)> = None;
        // The events of a thread are consecutive. A read may come before the write it reads from: places first.
        for &event in events {
            let thread = x.thread_of(event).expect("an event of a thread");
            let slot = match last {
                Some((same, slot)) if same == thread => Slot { index: slot.index + 1, ..slot },
                _ => Slot { thread: b.thread(x.thread_name(thread)), index: 0 },
            };
            last = Some((thread, slot));
            slots.insert(event, slot);
            if let Some(loc) = x.loc(event) {
                locs.entry(loc).or_insert_with(|| {
                    let new = b.location(x.location_name(loc));
                    b.init(new, x.init_value(loc));
                    new
                });
            }
        }
        for &event in events {
            let order = (extras.order)(event);
            let loc = x.loc(event).map_or(LocId(0), |loc| locs[&loc]);
            let read = x.value_read(event).unwrap_or_default();
            let op = match x.label(event).kind() {
                Kind::Read => Op::read(loc, x.value(event)),
                Kind::Write => Op::write(loc, x.value(event)),
                Kind::Rmw => Op::rmw(loc, read, x.value(event)),
                Kind::Fence => Op::fence(order),
            };
            let source = match x.rf(event) {
                None => Source::ByValue,
                Some(source) if x.is_init(source) => Source::Init,
                Some(source) => Source::At(slots[&source]),
            };
            let slot = b.push(slots[&event].thread, op.order(order).from(source));
            if (extras.deps)(event) {
                for on in x.deps(event).filter_map(|on| slots.get(&on)) {
                    b.depends(slot, on.index);
                }
            }
            if extras.times {
                b.interval(slot, x.interval(event));
            }
        }
        for &(loc, event) in x.finals().iter().filter(|_| extras.finals) {
            if let Some(&loc) = locs.get(&loc)
                && (x.is_init(event) || slots.contains_key(&event))
            {
                b.final_value(loc, x.value(event));
            }
        }
        for observation in x.open().filter(|_| extras.finals) {
            if let Observation::Final { loc, value } = observation
                && let Some(&loc) = locs.get(&loc)
                && x.writers(observation).iter().all(|&write| x.is_init(write) || slots.contains_key(&write))
            {
                b.final_value(loc, value);
            }
        }
        b.build().expect("a part of a well-formed execution, closed under rf")
    }
}
