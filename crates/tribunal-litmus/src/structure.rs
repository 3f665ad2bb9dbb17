//! One way through every thread: events, the relations that do not depend on values, and values as cells to be solved.

use tribunal_cat::relation::Relation;

use crate::paths::{Kind, Path, Sets};
use crate::syntax::Position;
use crate::term::{Term, TermId, Terms};
use crate::test::{Location, Test};
use crate::value::{Binary, Size, Unary, Value};

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
    /// None for initial writes, which have any.
    pub size: Option<Size>,
    pub instance: u16,
    /// Where its instruction is in the test.
    pub position: Position,
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
    /// The event of each event of each thread's path; initial writes come before all.
    pub ids: Vec<Vec<usize>>,
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
    /// Whether `po` holds inside instructions: in C.
    pub wide: bool,
    /// Whether events are as in histories: a read-modify-write instruction is one of them, and annotations are those of C11.
    pub history: bool,
}

struct Cells<'a> {
    cells: Vec<Cell>,
    /// The cell of each term of each thread, once it has one.
    of: Vec<Option<usize>>,
    terms: &'a Terms,
    ids: &'a [usize],
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
                Term::Read(event) => Some(Cell::Read(self.ids[usize::from(event)])),
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
    pub fn new(test: &'a Test, sets: &'a Sets, paths: &[(&'a Path, &'a Terms)], history: bool) -> Self {
        let mut events = Vec::new();
        let mut cells = Vec::new();
        for (location, value) in &test.memory {
            cells.push(Cell::Constant(Value::Address(location.symbol, location.offset)));
            cells.push(Cell::Constant(*value));
            let (address, value) = (Some(cells.len() - 2), Some(cells.len() - 1));

            events.push(Event {
                thread: None,
                kind: None,
                address,
                value,
                read: None,
                sets: 0,
                size: None,
                instance: 0,
                position: Position::START,
            });
        }
        let mut structure = Self {
            test,
            sets,
            paths: paths.iter().map(|(path, _)| *path).collect(),
            ids: Vec::with_capacity(paths.len()),
            events,
            cells: Vec::new(),
            assumptions: Vec::new(),
            registers: vec![None; test.observed.len()],
            cut: paths.iter().any(|(path, _)| path.cut),
            pairs: Vec::new(),
            feeds: Relation::empty(0),
            wide: test.arch == "C",
            history,
        };
        for (thread, (path, terms)) in paths.iter().enumerate() {
            let ids = structure.number(path);
            let mut solver = Cells { cells, of: Vec::new(), terms, ids: &ids, stack: Vec::new() };
            structure.add_thread(thread, path, &mut solver);
            cells = solver.cells;
            structure.ids.push(ids);
        }
        structure.cells = cells;
        structure.feed();
        structure
    }

    /// Numbers the events of a path, and finds its atomic pairs: a store with the loads of the last instruction that had an atomic event before.
    fn number(&mut self, path: &Path) -> Vec<usize> {
        let mut ids: Vec<usize> = Vec::with_capacity(path.events.len());
        // The atomic loads of an instruction, and the stores that pair with them, of that or another.
        let (mut loads, mut stores): (Vec<usize>, usize) = (Vec::new(), 0);
        let (mut of_loads, mut of_stores) = (None, None);
        let mut next = self.events.len();
        for event in &path.events {
            let instance = Some(event.instance);
            let pairs = event.atomic && event.kind == Kind::Store && (stores == 0 || of_stores == instance);
            // The store is of its load's event.
            let merged = loads.get(stores).filter(|_| pairs && self.history && of_loads == instance).copied();
            let id = merged.unwrap_or(next);
            next += usize::from(merged.is_none());
            ids.push(id);
            if !event.atomic {
                continue;
            }
            if pairs {
                self.pairs.extend(loads.iter().filter(|load| **load != id).map(|load| (*load, id)));
                (of_stores, stores) = (instance, stores + 1);
            } else {
                if event.kind != Kind::Load || of_loads != instance || stores > 0 {
                    loads.clear();
                }
                if event.kind == Kind::Load {
                    loads.push(id);
                }
                (of_loads, of_stores, stores) = (instance, None, 0);
            }
        }
        ids
    }

    fn add_thread(&mut self, thread: usize, path: &Path, solver: &mut Cells<'_>) {
        for (index, event) in path.events.iter().enumerate() {
            let mut cell = |term: Option<TermId>| term.map(|term| solver.cell(term));
            let (address, value, read) = (cell(event.address), cell(event.value), cell(event.read));
            let id = solver.ids[index];
            if let Some(load) = self.events.get_mut(id) {
                (load.kind, load.value, load.sets) = (Some(Kind::Update), value, load.sets | event.sets);
                continue;
            }
            let (sets, size, instance) = (event.sets, Some(event.size), event.instance);
            self.events.push(Event {
                thread: Some(thread),
                kind: Some(event.kind),
                address,
                value,
                read,
                sets,
                size,
                instance,
                position: event.position,
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

    /// What events of one instruction give to others is few pairs: their closure is found from each event, not as a matrix.
    fn feed(&mut self) {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.events.len()];
        for (path, ids) in self.paths.iter().zip(&self.ids) {
            for (a, b) in path.iico_data.iter().chain(&path.iico_ctrl).chain(&path.iico_order) {
                let (a, b) = (ids[usize::from(*a)], ids[usize::from(*b)]);
                if a != b {
                    next[a].push(b);
                }
            }
        }
        let mut feeds = Relation::empty(self.events.len());
        let mut stack = Vec::new();
        for event in 0..next.len() {
            stack.extend(&next[event]);
            while let Some(fed) = stack.pop() {
                if !feeds.contains(event, fed) {
                    feeds.insert(event, fed);
                    stack.extend(&next[fed]);
                }
            }
        }
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
