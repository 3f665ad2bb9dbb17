//! The facts of an execution for a model: the sets and relations of [`tribunal_cat::Environment`].

use rustc_hash::FxHashMap;
use std::hash::Hash;
use tribunal_cat::plan::Facts;
use tribunal_cat::relation::{Relation, Set};

use crate::micro::Port;
use crate::paths::{Kind, Path};
use crate::structure::{Event, Structure};
use crate::test::Location;

/// An execution for a model to judge: a structure, the locations of its accesses and, perhaps in part, where reads have their values from.
///
/// Names of herd's that are not here are of nothing: what a text may name at all is known to its environment.
#[derive(Debug)]
pub(crate) struct Candidate<'s> {
    pub structure: &'s Structure<'s>,
    /// By event; none where it is no access, or not known yet.
    pub locations: &'s [Option<Location>],
    /// By event.
    pub sources: &'s [Option<usize>],
    /// The last write of each location, for models that ask for them.
    pub finals: &'s [usize],
}

impl Candidate<'_> {
    fn fill(&self, into: &mut Set, choose: impl Fn(&Event) -> bool) {
        for (index, event) in self.structure.events.iter().enumerate() {
            if choose(event) {
                into.insert(index);
            }
        }
    }

    fn pairs_of(&self, into: &mut Relation, pairs: impl Fn(&Path) -> &Vec<(u16, u16)>) {
        for (path, ids) in self.structure.paths.iter().zip(&self.structure.ids) {
            for (a, b) in pairs(path) {
                let (a, b) = (ids[usize::from(*a)], ids[usize::from(*b)]);
                if a != b {
                    into.insert(a, b);
                }
            }
        }
    }

    /// Every two events of one class; those without a class are in none.
    fn classes<K: Eq + Hash>(&self, into: &mut Relation, class: impl Fn(usize) -> Option<K>) {
        let mut firsts: FxHashMap<K, usize> = FxHashMap::default();
        let of = |event| class(event).map(|class| (event, *firsts.entry(class).or_insert(event)));
        let members: Vec<(usize, usize)> = (0..self.structure.events.len()).filter_map(of).collect();
        members.iter().for_each(|&(event, first)| into.insert(first, event));
        members.iter().for_each(|&(event, first)| into.extend_row(event, first));
    }

    /// The order of instructions in each thread.
    fn program_order(&self, into: &mut Relation) {
        let events = &self.structure.events;
        let place = |event: usize| events[event].thread.map(|thread| (thread, events[event].instance));
        let mut ordered: Vec<usize> = (0..events.len()).filter(|&event| place(event).is_some()).collect();
        ordered.sort_by_key(|&event| place(event));
        let mut later: &[usize] = &[];
        for instruction in ordered.chunk_by(|&a, &b| place(a) == place(b)).rev() {
            if let Some(&next) = later.first()
                && events[next].thread == events[instruction[0]].thread
            {
                for &event in instruction {
                    later.iter().for_each(|&later| into.insert(event, later));
                    into.extend_row(event, next);
                }
            }
            later = instruction;
        }
    }

    fn rmw(&self, into: &mut Relation, one_instruction: bool) {
        for (load, store) in &self.structure.pairs {
            let same = self.locations[*load].is_some() && self.locations[*load] == self.locations[*store];
            let events = &self.structure.events;
            if same && (!one_instruction || events[*load].instance == events[*store].instance) {
                into.insert(*load, *store);
            }
        }
    }
}

/// What architectures call what histories call by an order of C11.
const ORDERS: [(&str, &[&str]); 4] = [
    (
        "SC",
        &[
            "SC",
            "MFENCE",
            "SYNC",
            "DMB",
            "DMB.SY",
            "DMB.ISH",
            "DMB.OSH",
            "DMB.NSH",
            "DSB",
            "DSB.SY",
            "DSB.ISH",
            "Fence.rw.rw",
        ],
    ),
    ("ACQ", &["ACQ", "CON", "A", "Q", "Acq", "AQ", "DMB.LD", "DMB.ISHLD", "DSB.LD", "Fence.r.rw"]),
    ("REL", &["REL", "L", "Rel", "RL", "Fence.rw.w"]),
    ("ACQ_REL", &["ACQ_REL", "AcqRel", "LWSYNC", "Fence.tso"]),
];

impl Candidate<'_> {
    /// The events of an order of C11. In C `A` is another set: that of atomic accesses.
    pub fn ordered(&self, order: &str) -> u64 {
        let names = ORDERS.iter().find(|(name, _)| *name == order).map_or(&[][..], |(_, names)| names);
        let names = names.iter().filter(|name| !self.structure.wide || **name != "A");
        names.filter_map(|name| self.structure.sets.bit(name)).fold(0, |all, bit| all | bit)
    }

    /// The sets that have another meaning in histories than in tests; whether this is one.
    fn history_set(&self, name: &str, into: &mut Set) -> bool {
        let atomic = self.structure.sets.bit("A").unwrap_or(0);
        let plain = |e: &Event| self.structure.wide && e.kind.is_some() && e.sets & atomic == 0;
        match name {
            "SC" | "ACQ" | "REL" | "ACQ_REL" => {
                let bits = self.ordered(name);
                self.fill(into, |e| e.sets & bits != 0);
            }
            "RLX" => {
                let bits = ORDERS.iter().fold(0, |all, (order, _)| all | self.ordered(order));
                self.fill(into, |e| memory(e) && !plain(e) && e.sets & bits == 0);
            }
            "A" => self.fill(into, |e| memory(e) && !plain(e)),
            "NA" => self.fill(into, |e| memory(e) && plain(e)),
            "RMW" | "X" | "AMO" => self.fill(into, |e| e.kind == Some(Kind::Update)),
            _ => return false,
        }
        true
    }
}

impl Candidate<'_> {
    /// Events whose threads are in one scope of this kind; whether the test has such scopes.
    fn scope(&self, name: &str, into: &mut Relation) -> bool {
        let test = self.structure.test;
        let scopes = test.scopes.iter().filter(|scope| scope.name == name);
        let within = |event: &Event, threads: &[u32]| {
            event.thread.is_some_and(|thread| threads.contains(&test.threads[thread].number))
        };
        for scope in scopes.clone() {
            self.classes(into, |e| within(&self.structure.events[e], &scope.threads).then_some(()));
        }
        scopes.count() > 0
    }
}

fn memory(event: &Event) -> bool {
    event.address.is_some() && event.kind != Some(Kind::Mark)
}

impl Facts for Candidate<'_> {
    fn size(&self) -> usize {
        self.structure.events.len()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        let kind = |wanted: Kind| move |e: &Event| e.kind == Some(wanted);
        if self.structure.history && self.history_set(name, into) {
            return true;
        }
        match name {
            "R" => self.fill(into, |e| memory(e) && e.reads()),
            "W" => self.fill(into, |e| memory(e) && e.writes()),
            "M" | "Exp" => self.fill(into, memory),
            "FW" => self.finals.iter().for_each(|write| into.insert(*write)),
            "IW" => self.fill(into, |e| e.kind.is_none()),
            "F" => self.fill(into, kind(Kind::Fence)),
            "B" => self.fill(into, |e| matches!(e.kind, Some(Kind::Branch | Kind::Predicate))),
            "BCC" => self.fill(into, kind(Kind::Branch)),
            "PRED" => self.fill(into, kind(Kind::Predicate)),
            "RMW" => {
                let half = self.structure.sets.bit("RMW").unwrap_or(0);
                self.fill(into, |e| e.kind == Some(Kind::Update) || e.sets & half != 0);
            }
            "NA" => {
                let atomic = self.structure.sets.bit("A").unwrap_or(0);
                self.fill(into, |e| e.sets & atomic == 0);
            }
            "Rreg" => self.fill(into, |e| matches!(e.kind, Some(Kind::ReadRegister(_)))),
            "Wreg" => self.fill(into, kind(Kind::WriteRegister)),
            "DATA" => self.fill(into, kind(Kind::ReadRegister(Port::Data))),
            "ADDR" => self.fill(into, kind(Kind::ReadRegister(Port::Address))),
            "NDATA" => self.fill(into, |e| e.kind != Some(Kind::ReadRegister(Port::Data))),
            "EXEC" => self.fill(into, |_| true),
            _ => {
                if let Some(bit) = self.structure.sets.bit(name) {
                    self.fill(into, |e| e.sets & bit != 0);
                }
            }
        }
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let thread = |event: usize| self.structure.events[event].thread;
        match name {
            "rf" => {
                for (read, source) in self.sources.iter().enumerate() {
                    if let Some(source) = source {
                        into.insert(*source, read);
                    }
                }
            }
            "deps" => {
                self.pairs_of(into, |p| &p.ctrl);
                for (read, event) in into.pairs().collect::<Vec<_>>() {
                    if !self.structure.events[event].writes() {
                        into.remove(read, event);
                    }
                }
                self.pairs_of(into, |p| &p.addr);
                self.pairs_of(into, |p| &p.data);
            }
            "id" => self.structure.events.iter().enumerate().for_each(|(e, _)| into.insert(e, e)),
            "po" | "partial_po" => {
                self.program_order(into);
                if self.structure.wide {
                    into.extend(&self.structure.feeds);
                }
            }
            "loc" => self.classes(into, |e| self.locations[e]),
            "int" => self.classes(into, thread),
            "ext" => {
                // Initial writes are of no thread, and are not external to each other.
                let mut same = Relation::empty(self.size());
                self.classes(&mut same, |e| Some(thread(e)));
                same.complement_into(into);
            }
            "rmw" => self.rmw(into, false),
            "amo" => self.rmw(into, true),
            "addr" => self.pairs_of(into, |p| &p.addr),
            "data" => self.pairs_of(into, |p| &p.data),
            "ctrl" => self.pairs_of(into, |p| &p.ctrl),
            "iico_data" => self.pairs_of(into, |p| &p.iico_data),
            "iico_ctrl" => self.pairs_of(into, |p| &p.iico_ctrl),
            "iico_order" => self.pairs_of(into, |p| &p.iico_order),
            "rf-reg" => self.pairs_of(into, |p| &p.rf_reg),
            "sm" | "si" => {
                for (e, event) in self.structure.events.iter().enumerate() {
                    if memory(event) {
                        into.insert(e, e);
                    }
                }
            }
            "same-instance" | "same-instr" => {
                self.classes(into, |e| Some((thread(e)?, self.structure.events[e].instance)));
                self.structure.events.iter().enumerate().for_each(|(e, _)| into.insert(e, e));
            }
            _ => {
                if let Some(scope) = name.strip_prefix('\'') {
                    return self.scope(scope, into);
                }
            }
        }
        true
    }
}
