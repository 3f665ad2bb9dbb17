//! The facts of a history for a model's text: its events as sets and relations, by the names that texts use.
//!
//! Events are numbered as in the history, initial writes last. An RMW is one event, both R and W. Initial writes are of no thread: po does
//! not relate them, and they are external to everything else.
//!
//! | name | what it is |
//! |---|---|
//! | R, W, M, F, RMW, IW | reads, writes, both, fences, RMWs (both R and W), initial writes |
//! | FW | the writes of given final values |
//! | NA, RLX, ACQ, REL, ACQ_REL, SC | accesses and fences by order; initial writes are RLX |
//! | A, X | accesses that are not NA; RMWs. In a text that begins with an architecture, A is what it is there: for AArch64 acquire reads, with L, release writes |
//! | Acq, Rel, AcqRel | accesses by order, as RISC-V calls them |
//! | MFENCE, SYNC, DMB.SY, Fence.rw.rw, .. | seq_cst fences; DMB.LD, Fence.r.rw: acquire; Fence.rw.w: release; LWSYNC, Fence.tso: acq_rel |
//! | po, loc, int, ext, rf, id | as everywhere |
//! | deps; addr, data | given dependencies; those that end in events that do not write, and in writes |
//! | ended | po from a read to an event that began after it had ended |

use crate::memory::{EventId, Execution, Label, Order};
use crate::model::Model;
use tribunal_cat::Architecture;
use tribunal_cat::plan;
use tribunal_cat::relation::{Relation, Set};

/// Whether the set of a name has the events with a label; initial writes are relaxed ones. `A` has another meaning in each architecture.
pub fn is_in(name: &str, label: Label, architecture: Option<Architecture>) -> bool {
    let access = |order| !label.is_fence() && label.order() == order;
    let ordered = |order| label.order() == order;
    let fence = |order| label.is_fence() && label.order() == order;
    match name {
        "R" => label.reads(),
        "W" => label.writes(),
        "M" | "Exp" | "EXEC" => !label.is_fence(),
        "F" => label.is_fence(),
        "RMW" | "X" | "AMO" => label.is_of_rmw(),
        "A" => match architecture {
            None | Some(Architecture::C) => !label.is_fence() && !ordered(Order::NonAtomic),
            Some(Architecture::AArch64 | Architecture::Arm) => label.reads() && label.order().is_acquire(),
            Some(_) => false,
        },
        "L" => label.writes() && label.order().is_release(),
        "Acq" => access(Order::Acquire),
        "Rel" => access(Order::Release),
        "AcqRel" => access(Order::AcqRel) || access(Order::SeqCst),
        "NA" => ordered(Order::NonAtomic),
        "RLX" => ordered(Order::Relaxed),
        "ACQ" => ordered(Order::Acquire),
        "REL" => ordered(Order::Release),
        "ACQ_REL" => ordered(Order::AcqRel),
        "SC" => ordered(Order::SeqCst),
        "MFENCE" | "SYNC" | "DMB" | "DMB.SY" | "DMB.ISH" | "DSB" | "DSB.SY" | "Fence.rw.rw" => {
            fence(Order::SeqCst)
        }
        "DMB.LD" | "DMB.ISHLD" | "Fence.r.rw" => fence(Order::Acquire),
        "Fence.rw.w" => fence(Order::Release),
        "LWSYNC" | "Fence.tso" => fence(Order::AcqRel),
        // What histories do not have: other fences, branches, faults.
        _ => false,
    }
}

/// The sets and relations of an execution.
pub struct Facts<'x> {
    x: &'x Execution,
    /// The architecture that the text is for, if it says so: `A` has another meaning in each.
    architecture: Option<Architecture>,
}

impl<'x> Facts<'x> {
    /// The facts of a history, by the names of a model's text.
    pub fn new(x: &'x Execution, model: Model) -> Self {
        Facts { x, architecture: super::architecture(model) }
    }

    fn events(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.x.len()
    }

    fn initial(&self) -> impl Iterator<Item = usize> + use<> {
        self.x.len()..self.x.len() + self.x.location_count()
    }

    fn label(&self, event: usize) -> Label {
        self.x.label(EventId::from_index(event))
    }

    fn is_init(&self, event: usize) -> bool {
        event >= self.x.len()
    }

    /// Puts the events in that the condition holds of, initial writes among them.
    fn fill(&self, into: &mut Set, holds: impl Fn(usize) -> bool) {
        self.events()
            .chain(self.initial())
            .filter(|&event| holds(event))
            .for_each(|event| into.insert(event));
    }

    /// Puts the pairs of one thread in that are in program order and that the condition holds of.
    fn fill_po(&self, into: &mut Relation, holds: impl Fn(usize, usize) -> bool) {
        for thread in self.x.threads() {
            let events = self.x.thread_events(thread);
            for a in events.clone() {
                for b in a + 1..events.end {
                    if holds(a as usize, b as usize) {
                        into.insert(a as usize, b as usize);
                    }
                }
            }
        }
    }

    fn fill_deps(&self, into: &mut Relation, holds: impl Fn(usize) -> bool) {
        for event in self.x.events().filter(|event| holds(event.index())) {
            self.x.deps(event).for_each(|read| into.insert(read.index(), event.index()));
        }
    }

    fn ended(&self, a: usize, b: usize) -> bool {
        let interval = |event| self.x.interval(EventId::from_index(event));
        match (interval(a).end, interval(b).begin) {
            (Some(end), Some(begin)) => self.label(a).reads() && end < begin && !self.label(b).is_fence(),
            _ => false,
        }
    }
}

impl plan::Facts for Facts<'_> {
    fn size(&self) -> usize {
        self.x.len() + self.x.location_count()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        match name {
            "IW" => self.fill(into, |event| self.is_init(event)),
            "FW" => self.x.finals().iter().for_each(|(_, write)| into.insert(write.index())),
            _ => self.fill(into, |event| is_in(name, self.label(event), self.architecture)),
        }
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let (events, size) = (self.x.len(), plan::Facts::size(self));
        match name {
            "id" | "same-instance" | "same-instr" => (0..size).for_each(|event| into.insert(event, event)),
            "sm" | "si" => {
                (0..size).filter(|&e| !self.label(e).is_fence()).for_each(|event| into.insert(event, event));
            }
            "po" => {
                for thread in self.x.threads() {
                    let mut later = Set::empty(size);
                    // Nothing comes before or after a read that is left out.
                    let acts = |event: &u32| !self.label(*event as usize).does_nothing();
                    for event in self.x.thread_events(thread).rev().filter(acts) {
                        into.extend_row_with(event as usize, &later);
                        later.insert(event as usize);
                    }
                }
            }
            "ended" if self.x.features().times => self.fill_po(into, |a, b| self.ended(a, b)),
            "loc" => {
                let mut accesses = vec![Set::empty(size); self.x.location_count()];
                for event in (0..size).map(EventId::from_index) {
                    if let Some(loc) = self.x.loc(event) {
                        accesses[loc.index()].insert(event.index());
                    }
                }
                accesses.iter().for_each(|set| into.extend_product(set, set));
            }
            "int" | "ext" => {
                let of_threads = Set::of(size, self.events());
                let mut threads = self.x.threads().map(|thread| {
                    let range = self.x.thread_events(thread);
                    Set::of(size, range.map(|event| event as usize))
                });
                if name == "int" {
                    threads.for_each(|thread| into.extend_product(&thread, &thread));
                } else {
                    threads.by_ref().for_each(|thread| into.extend_product(&thread, &thread.complement()));
                    let initial = Set::of(size, events..size);
                    into.extend_product(&initial, &of_threads);
                }
            }
            "rf" => {
                for read in self.x.events() {
                    if let Some(write) = self.x.rf(read) {
                        into.insert(write.index(), read.index());
                    }
                }
            }
            "deps" => self.fill_deps(into, |_| true),
            "addr" => self.fill_deps(into, |event| !self.label(event).writes()),
            "data" => self.fill_deps(into, |event| self.label(event).writes()),
            _ => {}
        }
        true
    }
}
