//! One way through every thread: events, the relations that do not depend on values, and values as cells to be solved.

use tribunal_cat::plan::Facts;
use tribunal_cat::relation::{Relation, Set};

use crate::micro::Port;
use crate::paths::{Kind, Path, PathEvent, Sets};
use crate::term::{Term, TermId, Terms};
use crate::test::{Location, Test};
use crate::value::{Binary, Unary, Value};

/// A cell: a value, known or to be known. Operands come before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    Constant(Value),
    /// What an event reads.
    Read(usize),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// None for initial writes.
    pub thread: Option<usize>,
    /// None for initial writes, which are stores.
    pub kind: Option<Kind>,
    pub address: Option<usize>,
    pub value: Option<usize>,
    pub read: Option<usize>,
    pub sets: u64,
    pub instance: u16,
}

impl Event {
    pub fn reads(&self) -> bool {
        self.read.is_some()
    }

    pub fn writes(&self) -> bool {
        self.value.is_some()
    }
}

/// The events of an execution before reads have their writes.
#[derive(Debug)]
pub(crate) struct Structure<'a> {
    pub test: &'a Test,
    pub sets: &'a Sets,
    pub paths: Vec<&'a Path>,
    /// The first event of each thread; initial writes come before.
    pub base: Vec<usize>,
    pub events: Vec<Event>,
    pub cells: Vec<Cell>,
    /// Cells that must be zero or not.
    pub assumptions: Vec<(usize, bool)>,
    /// The cells of observed registers, by observed place; locations have none.
    pub registers: Vec<Option<usize>>,
    /// Whether a loop of some thread was left unfinished.
    pub cut: bool,
    /// Atomic loads, and the atomic stores after them that pair with them if they are of one location.
    pub pairs: Vec<(usize, usize)>,
    /// Stores that a load of their instruction gives something to: the load does not read of them.
    pub feeds: Relation,
    /// Whether `po` holds inside of instructions: in C.
    pub wide: bool,
}

struct Cells<'a> {
    cells: Vec<Cell>,
    /// The cell of each term of each thread, once it has one.
    of: Vec<Option<usize>>,
    terms: &'a Terms,
    base: usize,
    stack: Vec<TermId>,
}

impl Cells<'_> {
    /// The cell of a term; terms are nested as deep as programs are long, so no recursion.
    fn cell(&mut self, term: TermId) -> usize {
        self.stack.push(term);
        while let Some(&top) = self.stack.last() {
            let index = top.0 as usize;
            if self.of.len() <= index {
                self.of.resize(index + 1, None);
            }
            if self.of[index].is_some() {
                self.stack.pop();
                continue;
            }
            let known = |of: &[Option<usize>], t: TermId| of.get(t.0 as usize).copied().flatten();
            let cell = match self.terms.get(top) {
                Term::Constant(value) => Some(Cell::Constant(value)),
                Term::Read(event) => Some(Cell::Read(self.base + usize::from(event))),
                Term::Unary(op, of) => match known(&self.of, of) {
                    Some(of) => Some(Cell::Unary(op, of)),
                    None => {
                        self.stack.push(of);
                        None
                    }
                },
                Term::Binary(op, left, right) => match (known(&self.of, left), known(&self.of, right)) {
                    (Some(left), Some(right)) => Some(Cell::Binary(op, left, right)),
                    (l, r) => {
                        if l.is_none() {
                            self.stack.push(left);
                        }
                        if r.is_none() {
                            self.stack.push(right);
                        }
                        None
                    }
                },
            };
            if let Some(cell) = cell {
                self.of[index] = Some(self.cells.len());
                self.cells.push(cell);
                self.stack.pop();
            }
        }
        self.of[term.0 as usize].unwrap_or(0)
    }
}

impl<'a> Structure<'a> {
    /// `paths`: one of each thread, with the thread's terms.
    pub fn new(test: &'a Test, sets: &'a Sets, paths: &[(&'a Path, &'a Terms)]) -> Self {
        let mut events = Vec::new();
        let mut cells = Vec::new();
        for (location, value) in &test.memory {
            cells.push(Cell::Constant(Value::Address(location.symbol, location.offset)));
            cells.push(Cell::Constant(*value));
            let (address, value) = (Some(cells.len() - 2), Some(cells.len() - 1));

            events.push(Event { thread: None, kind: None, address, value, read: None, sets: 0, instance: 0 });
        }
        let mut structure = Self {
            test,
            sets,
            paths: paths.iter().map(|(path, _)| *path).collect(),
            base: Vec::with_capacity(paths.len()),
            events,
            cells: Vec::new(),
            assumptions: Vec::new(),
            registers: vec![None; test.observed.len()],
            cut: paths.iter().any(|(path, _)| path.cut),
            pairs: Vec::new(),
            feeds: Relation::empty(0),
            wide: test.arch == "C",
        };
        for (thread, (path, terms)) in paths.iter().enumerate() {
            let base = structure.events.len();
            structure.base.push(base);
            let mut solver = Cells { cells, of: Vec::new(), terms, base, stack: Vec::new() };
            structure.add_thread(thread, path, &mut solver);
            cells = solver.cells;
        }
        structure.cells = cells;
        structure.feed();
        structure
    }

    fn add_thread(&mut self, thread: usize, path: &Path, solver: &mut Cells<'_>) {
        let mut last: Option<(usize, &PathEvent)> = None;
        for event in &path.events {
            let id = self.events.len();
            if event.atomic {
                if let Some((load, atomic)) = last
                    && atomic.kind == Kind::Load
                    && event.kind == Kind::Store
                {
                    self.pairs.push((load, id));
                }
                last = Some((id, event));
            }
            let mut cell = |term: Option<TermId>| term.map(|term| solver.cell(term));
            self.events.push(Event {
                thread: Some(thread),
                kind: Some(event.kind),
                address: cell(event.address),
                value: cell(event.value),
                read: cell(event.read),
                sets: event.sets,
                instance: event.instance,
            });
        }
        for (term, holds) in &path.assumptions {
            let cell = solver.cell(*term);
            self.assumptions.push((cell, *holds));
        }
        for (index, (observable, _)) in self.test.observed.iter().enumerate() {
            let crate::test::Observable::Register(of, register) = observable else { continue };
            if *of == thread {
                let term = path.registers.iter().find(|(r, _)| r == register).map(|(_, term)| *term);
                self.registers[index] = Some(match term {
                    Some(term) => solver.cell(term),
                    None => {
                        solver.cells.push(Cell::Constant(Value::ZERO));
                        solver.cells.len() - 1
                    }
                });
            }
        }
    }

    fn feed(&mut self) {
        let mut feeds = Relation::empty(self.events.len());
        for (thread, path) in self.paths.iter().enumerate() {
            let base = self.base[thread];
            for (a, b) in path.iico_data.iter().chain(&path.iico_ctrl).chain(&path.iico_order) {
                feeds.insert(base + usize::from(*a), base + usize::from(*b));
            }
        }
        feeds.close();
        self.feeds = feeds;
    }

    /// The location of an address.
    pub fn location(value: Value) -> Option<Location> {
        match value {
            Value::Address(symbol, offset) => Some(Location { symbol, offset }),
            _ => None,
        }
    }
}

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
        for (path, base) in self.structure.paths.iter().zip(&self.structure.base) {
            for (a, b) in pairs(path) {
                into.insert(base + usize::from(*a), base + usize::from(*b));
            }
        }
    }

    fn of_two(&self, into: &mut Relation, choose: impl Fn(&Event, &Event) -> bool) {
        let events = &self.structure.events;
        for (a, first) in events.iter().enumerate() {
            for (b, second) in events.iter().enumerate() {
                if choose(first, second) {
                    into.insert(a, b);
                }
            }
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

fn memory(event: &Event) -> bool {
    event.address.is_some()
}

impl Facts for Candidate<'_> {
    fn size(&self) -> usize {
        self.structure.events.len()
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        let kind = |wanted: Kind| move |e: &Event| e.kind == Some(wanted);
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
        match name {
            "rf" => {
                for (read, source) in self.sources.iter().enumerate() {
                    if let Some(source) = source {
                        into.insert(*source, read);
                    }
                }
            }
            "id" => self.structure.events.iter().enumerate().for_each(|(e, _)| into.insert(e, e)),
            "po" | "partial_po" => {
                self.of_two(into, |a, b| {
                    a.thread.is_some() && a.thread == b.thread && a.instance < b.instance
                });
                if self.structure.wide {
                    into.extend(&self.structure.feeds);
                }
            }
            "loc" => {
                for (a, first) in self.locations.iter().enumerate() {
                    for (b, second) in self.locations.iter().enumerate() {
                        if first.is_some() && first == second {
                            into.insert(a, b);
                        }
                    }
                }
            }
            "int" => self.of_two(into, |a, b| a.thread.is_some() && a.thread == b.thread),
            "ext" => self.of_two(into, |a, b| a.thread != b.thread),
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
                self.of_two(into, |a, b| {
                    a.thread.is_some() && a.thread == b.thread && a.instance == b.instance
                });
                self.structure.events.iter().enumerate().for_each(|(e, _)| into.insert(e, e));
            }
            _ => {}
        }
        true
    }
}
