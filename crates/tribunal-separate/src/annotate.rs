//! From a small history to an execution: names, values, and no more dependencies, orders and times than it takes.

use crate::judge::dependencies;
use crate::search::{Given, Pair, looks_at_orders};
use crate::seq_cst::choices;
use crate::shape::MOST_EVENTS;
use crate::sources::History;
use tribunal_cat::relation::{SmallRelation as Relation, small_members as members};
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, Interval, Kind, Op, Order, Slot, Source};
use tribunal_verify::verify;

/// A small history with what models may look at beyond labels, locations and rf.
#[derive(Clone)]
pub(super) struct Annotated<'h> {
    h: &'h History<'h>,
    orders: [Order; MOST_EVENTS],
    deps: Relation,
    /// The events whose times are known: each began when the one before it had ended.
    timed: [bool; MOST_EVENTS],
}

impl<'h> Annotated<'h> {
    /// A history with these orders and dependencies, and with the times of all events or of none.
    pub fn with(h: &'h History<'h>, orders: [Order; MOST_EVENTS], deps: Relation, timed: bool) -> Self {
        Annotated { h, orders, deps, timed: [timed; MOST_EVENTS] }
    }

    /// The same of another history of the shape.
    pub fn on<'o>(&self, h: &'o History<'o>) -> Annotated<'o> {
        Annotated { h, orders: self.orders, deps: self.deps, timed: self.timed }
    }

    /// All that the forbidding model may look at; of dependencies, or of orders, those given, if there are some.
    pub fn full(h: &'h History<'h>, pair: Pair, given: Given<'_>) -> Self {
        let looks = pair.forbids.preserved();
        let every = || {
            looks.filter(|model| model.dependencies).map_or(Relation::default(), |_| dependencies(h.shape))
        };
        let mut orders = h.shape.labels.map(|label| label.order());
        if looks_at_orders(pair.forbids) {
            orders = [Order::SeqCst; MOST_EVENTS];
        }
        let mut deps = every();
        match given {
            Given::Extremes => {}
            Given::Dependencies(given) => deps = *given,
            Given::Orders(given) => orders = *given,
        }
        Annotated { h, orders, deps, timed: [looks.is_some_and(|model| model.times); MOST_EVENTS] }
    }

    /// The execution with as little of it as still separates the pair. The allowing model is asked as well: of a text it is not known
    /// that it forbids no more of a history that has less.
    ///
    /// # Panics
    /// If the engines do not confirm that the history separates the pair, or their certificates are refused.
    pub fn least(mut self, pair: Pair) -> Execution {
        let name = format!("{}, not {}", pair.allows, pair.forbids);
        let separates = |annotated: &Self| {
            let x = annotated.build(&name);
            check(&x, pair.forbids).is_inconsistent() && check(&x, pair.allows).is_consistent()
        };
        let try_less = |annotated: &mut Self, change: &dyn Fn(&mut Self)| {
            let mut less = annotated.clone();
            change(&mut less);
            let enough = separates(&less);
            if enough {
                *annotated = less;
            }
            enough
        };
        for event in 0..self.h.shape.events {
            try_less(&mut self, &|annotated| annotated.timed[event] = false);
            for on in 0..event {
                if self.deps.contains(on, event) {
                    try_less(&mut self, &|annotated| annotated.deps.0[on] &= !(1 << event));
                }
            }
            let label = self.h.shape.labels[event];
            let all = if label.is_fence() { &Order::OF_FENCES } else { choices(label) };
            let weaker = &all[..all.iter().position(|&order| order == self.orders[event]).unwrap_or(0)];
            weaker.iter().any(|&order| try_less(&mut self, &|annotated| annotated.orders[event] = order));
        }
        let execution = self.build(&name);
        let (yes, no) = (check(&execution, pair.allows), check(&execution, pair.forbids));
        let confirmed = yes.is_consistent()
            && no.is_inconsistent()
            && verify(&execution, pair.allows, &yes).is_ok()
            && verify(&execution, pair.forbids, &no).is_ok();
        assert!(confirmed, "{pair:?}: the engines say {} and {} of {execution:?}", yes.word(), no.word());
        execution
    }

    pub fn build(&self, name: &str) -> Execution {
        let shape = self.h.shape;
        let mut b = Execution::builder();
        b.name(name);
        let locs: Vec<_> = ["x", "y", "z", "u", "v", "w", "s", "t"].iter().take(shape.locations).collect();
        let locs: Vec<_> = locs.into_iter().map(|name| b.location(name)).collect();
        let threads: Vec<_> = (0..shape.starts.len() - 1).map(|t| b.thread(&format!("T{t}"))).collect();
        let thread_of = |event: usize| shape.starts.partition_point(|&start| start <= event) - 1;
        let slot = |event: usize| {
            let thread = thread_of(event);
            Slot { thread: threads[thread], index: (event - shape.starts[thread]) as u32 }
        };
        // The nth write of a location writes n.
        let value = |write: usize| {
            let accesses = shape.facts.accesses[shape.loc(write) as usize] & shape.facts.writes;
            let before = accesses & ((1 << write) - 1);
            if write < shape.events { u64::from(before.count_ones()) + 1 } else { 0 }
        };
        for event in 0..shape.events {
            let read = self.h.source(event).map_or(0, value);
            let op = match shape.labels[event].kind() {
                Kind::Fence => Op::fence(self.orders[event]),
                Kind::Read => Op::read(locs[shape.loc(event) as usize], read),
                Kind::Write => Op::write(locs[shape.loc(event) as usize], value(event)),
                Kind::Rmw => Op::rmw(locs[shape.loc(event) as usize], read, value(event)),
            };
            let source = match self.h.source(event) {
                None => Source::ByValue,
                Some(source) if source >= shape.events => Source::Init,
                Some(source) => Source::At(slot(source)),
            };
            let at = b.push(threads[thread_of(event)], op.order(self.orders[event]).from(source));
            if self.timed[event] {
                let begin = 2 * u64::from(at.index);
                b.interval(at, Interval { begin: Some(begin), end: Some(begin + 1) });
            }
        }
        for on in 0..shape.events {
            for event in members(self.deps.0[on]) {
                b.depends(slot(event), slot(on).index);
            }
        }
        b.build().expect("every read has its write")
    }
}
