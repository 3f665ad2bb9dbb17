//! The text of a test to a test: names to places, terms to values.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::arch::{self, Arch, Context};
use crate::c::{self, Macros};
use crate::error::Fault;
use crate::micro::{Micro, Register};
use crate::syntax::{self, Comparison, Initial, Place, Position, Proposition, Question, Term};
use crate::test::{Condition, Instruction, Location, Observable, Shown, Test, Thread, Type, Variable};
use crate::value::{Size, Symbol, Value};

/// Reads a test.
pub(crate) fn read(text: &str, macros: &Macros) -> Result<Test, Fault> {
    let sections = syntax::sections(text)?;
    let mut reader = Reader {
        symbols: Symbols::default(),
        symbolic: FxHashMap::default(),
        types: FxHashMap::default(),
        threads: Vec::new(),
        memory: FxHashMap::default(),
        observed: Vec::new(),
        places: FxHashMap::default(),
        shown: BTreeMap::new(),
    };
    let items = syntax::initial(sections.init.0, sections.init.1)?;
    let found = if sections.arch == "C" { Some(&C as &dyn Arch) } else { arch::by_name(sections.arch) };
    let arch = found.ok_or_else(|| {
        Fault::new(Position::START, format!("the architecture `{}` is not supported", sections.arch))
    })?;
    reader.declare(&items)?;
    let (program, at) = sections.program;
    if sections.arch == "C" {
        reader.threads = c::threads(program, at, macros, &mut CNames(&mut reader))?;
    } else {
        reader.columns(arch, program, at)?;
    }
    reader.initialize(arch, &items)?;
    let question = syntax::question(sections.question.0, sections.question.1)?;
    reader.finish(arch, &sections, question)
}

/// C, for names only: its registers are local variables.
struct C;

impl Arch for C {
    fn name(&self) -> &'static str {
        "C"
    }

    fn register(&self, _: &str) -> Option<Register> {
        None
    }

    fn register_name(&self, _: Register) -> String {
        String::new()
    }

    fn sets(&self) -> &'static [&'static str] {
        &[]
    }

    fn instruction(&self, _: &str, _: &mut dyn Context) -> Result<Vec<Micro>, String> {
        Err("C has no instructions".to_owned())
    }
}

struct CNames<'a>(&'a mut Reader);

impl c::Names for CNames<'_> {
    fn symbol(&mut self, name: &str) -> Symbol {
        self.0.symbols.intern(name)
    }

    fn register(&mut self, thread: u32, name: &str) -> Register {
        self.0.symbolic(thread, name)
    }
}

/// A variable as a table of names knows it.
#[derive(Debug, Default)]
struct Symbols {
    variables: Vec<Variable>,
    by_name: FxHashMap<String, Symbol>,
}

impl Symbols {
    fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.by_name.get(name) {
            return *symbol;
        }
        let symbol = Symbol(self.variables.len().min(usize::from(u16::MAX)) as u16);
        self.variables.push(Variable { name: name.to_owned(), ty: Type::INT, sized: false, length: None });
        self.by_name.insert(name.to_owned(), symbol);
        symbol
    }
}

/// How many variables, threads and instructions a test may have.
const MAX_PARTS: usize = 1 << 14;
/// How many locations: elements of all arrays.
const MAX_LOCATIONS: usize = 1 << 16;

struct Reader {
    symbols: Symbols,
    /// Registers that an architecture does not count: symbolic ones, and the variables of C.
    symbolic: FxHashMap<(u32, String), Register>,
    /// What registers are declared as.
    types: FxHashMap<(u32, Register), Type>,
    threads: Vec<Thread>,
    memory: FxHashMap<Location, Value>,
    observed: Vec<(Observable, Type)>,
    /// The index of each that is observed.
    places: FxHashMap<Observable, usize>,
    /// What is shown, in its order.
    shown: BTreeMap<Key, Shown>,
}

/// The first of the registers that an architecture does not count.
const FIRST_NAMED: u16 = 0x8000;

/// What states are ordered by: registers by thread, then locations by name, then elements of arrays.
type Key = (u8, usize, u16, String, i64);

struct ThreadContext<'a> {
    reader: &'a mut Reader,
    thread: u32,
}

impl Context for ThreadContext<'_> {
    fn symbol(&mut self, name: &str) -> Symbol {
        self.reader.symbols.intern(name)
    }

    fn symbolic(&mut self, name: &str) -> Register {
        self.reader.symbolic(self.thread, name)
    }
}

impl Reader {
    fn symbolic(&mut self, thread: u32, name: &str) -> Register {
        let name = name.rsplit('%').next().unwrap_or(name);
        let next = Register(FIRST_NAMED + (self.symbolic.len() & 0x7fff) as u16);
        *self.symbolic.entry((thread, name.to_owned())).or_insert(next)
    }

    fn declare(&mut self, items: &[Initial]) -> Result<(), Fault> {
        for item in items {
            let Place::Location { name, .. } = &item.place else { continue };
            let symbol = self.symbols.intern(name);
            let variable = &mut self.symbols.variables[usize::from(symbol.0)];
            if let Some(ty) = item.ty.as_deref() {
                variable.ty = type_of(ty);
                variable.sized = size_of(ty).is_some();
            }
            variable.length = item.length;
            variable.sized |= item.length.is_some();
            if self.symbols.variables.len() > MAX_PARTS {
                return Err(Fault::new(
                    item.position,
                    format!("at most {MAX_PARTS} variables were expected"),
                ));
            }
        }
        Ok(())
    }

    fn columns(&mut self, arch: &dyn Arch, text: &str, position: Position) -> Result<(), Fault> {
        for (number, cells) in syntax::columns(text, position)? {
            let mut thread = Thread { number, ..Thread::default() };
            for cell in cells {
                for label in cell.labels {
                    let at = thread.code.len();
                    if thread.labels.insert(label.clone(), at).is_some() {
                        return Err(Fault::new(cell.position, format!("duplicate label `{label}`")));
                    }
                }
                if cell.text.is_empty() {
                    continue;
                }
                let mut context = ThreadContext { reader: self, thread: number };
                let micros = arch
                    .instruction(&cell.text, &mut context)
                    .map_err(|message| Fault::new(cell.position, format!("`{}`: {message}", cell.text)))?;
                if micros.len() > MAX_PARTS {
                    let message = format!("an instruction of at most {MAX_PARTS} parts was expected");
                    return Err(Fault::new(cell.position, message));
                }
                thread.code.push(Instruction { micros, position: cell.position });
            }
            if thread.code.len() > MAX_PARTS || self.threads.len() > MAX_PARTS {
                return Err(Fault::new(
                    position,
                    format!("at most {MAX_PARTS} instructions of a thread were expected"),
                ));
            }
            self.threads.push(thread);
        }
        Ok(())
    }

    fn register(&mut self, arch: &dyn Arch, thread: u32, name: &str) -> Option<Register> {
        let named = arch.name() == "C" || name.starts_with('%');
        arch.register(name).or_else(|| named.then(|| self.symbolic(thread, name)))
    }

    fn thread(&self, number: u32) -> Option<usize> {
        self.threads.iter().position(|t| t.number == number)
    }

    fn value(&mut self, term: &Term, position: Position) -> Result<Value, Fault> {
        Ok(match term {
            Term::Int(n) => Value::Int(*n),
            Term::Name(name) => Value::Address(self.symbols.intern(name), 0),
            Term::Element(name, index) => {
                let symbol = self.symbols.intern(name);
                let bytes = i64::from(self.symbols.variables[usize::from(symbol.0)].ty.size.bytes());
                Value::Address(symbol, index.wrapping_mul(bytes))
            }
            Term::Label(number, label) => {
                let thread = self.thread(*number);
                let at = thread.and_then(|t| self.threads[t].labels.get(label).copied());
                let code = thread
                    .zip(at)
                    .and_then(|(t, at)| Some(Value::Code(t.try_into().ok()?, at.try_into().ok()?)));
                code.ok_or_else(|| Fault::new(position, format!("P{number} has no label `{label}`")))?
            }
            Term::Place(_) | Term::Array(_) => return Err(Fault::new(position, "a value was expected")),
        })
    }

    fn initialize(&mut self, arch: &dyn Arch, items: &[Initial]) -> Result<(), Fault> {
        for item in items {
            match &item.place {
                Place::Register { thread, name } => {
                    let register = self.register(arch, *thread, name);
                    let register = register.ok_or_else(|| {
                        Fault::new(item.position, format!("{} has no register `{name}`", arch.name()))
                    })?;
                    let value =
                        item.values.first().map_or(Ok(Value::ZERO), |t| self.value(t, item.position))?;
                    if let Some(ty) = item.ty.as_deref() {
                        self.types.insert((*thread, register), type_of(ty));
                    }
                    if let Some(index) = self.thread(*thread) {
                        self.threads[index].registers.push((register, value));
                    }
                }
                Place::Symbolic { name } => {
                    let value =
                        item.values.first().map_or(Ok(Value::ZERO), |t| self.value(t, item.position))?;
                    for index in 0..self.threads.len() {
                        let register = self.symbolic(self.threads[index].number, name);
                        self.threads[index].registers.push((register, value));
                    }
                }
                Place::Location { name, .. } => {
                    let symbol = self.symbols.intern(name);
                    let bytes = i64::from(self.symbols.variables[usize::from(symbol.0)].ty.size.bytes());
                    let length = item.length.unwrap_or(1).max(item.values.len() as u32);
                    if self.memory.len() + length as usize > MAX_LOCATIONS {
                        let message = format!("at most {MAX_LOCATIONS} locations were expected");
                        return Err(Fault::new(item.position, message));
                    }
                    for index in 0..length {
                        let value = item
                            .values
                            .get(index as usize)
                            .map_or(Ok(Value::ZERO), |t| self.value(t, item.position))?;
                        let location = Location { symbol, offset: i64::from(index) * bytes };
                        self.memory.insert(location, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The index of a place among those that are observed.
    fn place(&mut self, observable: Observable, ty: Type) -> usize {
        let next = self.observed.len();
        let place = *self.places.entry(observable).or_insert(next);
        if place == next {
            self.observed.push((observable, ty));
        }
        place
    }

    /// The places of a name, of which an array has many, and how it is shown.
    fn observe(&mut self, arch: &dyn Arch, place: &Place, position: Position) -> Result<(Key, Shown), Fault> {
        match place {
            Place::Register { thread, name } => {
                let index = self
                    .thread(*thread)
                    .ok_or_else(|| Fault::new(position, format!("there is no thread P{thread}")))?;
                let register = self.register(arch, *thread, name);
                let register = register.ok_or_else(|| {
                    Fault::new(position, format!("{} has no register `{name}`", arch.name()))
                })?;
                let ty = self.types.get(&(*thread, register)).copied().unwrap_or(Type::INT);
                let place = self.place(Observable::Register(index, register), ty);
                let (number, name) = if register.0 >= FIRST_NAMED {
                    (FIRST_NAMED, name.clone())
                } else {
                    (register.0, arch.register_name(register))
                };
                let shown = Shown { name: format!("{thread}:{name}"), places: vec![place], array: false };
                Ok(((0, index, number, name, 0), shown))
            }
            Place::Symbolic { name } => {
                let thread = self
                    .threads
                    .iter()
                    .map(|t| t.number)
                    .find(|n| self.symbolic.contains_key(&(*n, name.clone())));
                let thread = thread
                    .ok_or_else(|| Fault::new(position, format!("no thread has a register `{name}`")))?;
                self.observe(arch, &Place::Register { thread, name: name.clone() }, position)
            }
            Place::Location { name, index } => {
                let symbol = self.symbols.intern(name);
                let Variable { ty, length, .. } = self.symbols.variables[usize::from(symbol.0)];
                let bytes = i64::from(ty.size.bytes());
                let mut at = |index: i64| {
                    let location = Location { symbol, offset: index.wrapping_mul(bytes) };
                    self.place(Observable::Location(location), ty)
                };
                Ok(match (index, length) {
                    (Some(index), _) => {
                        let shown = Shown {
                            name: format!("{name}[{index}]"),
                            places: vec![at(*index)],
                            array: false,
                        };
                        ((2, 0, 0, name.clone(), *index), shown)
                    }
                    (None, Some(length)) => {
                        let places = (0..i64::from(length)).map(at).collect();
                        ((1, 0, 0, name.clone(), 0), Shown { name: name.clone(), places, array: true })
                    }
                    (None, None) => {
                        let shown = Shown { name: format!("[{name}]"), places: vec![at(0)], array: false };
                        ((1, 0, 0, name.clone(), 0), shown)
                    }
                })
            }
        }
    }

    fn show(&mut self, arch: &dyn Arch, place: &Place, position: Position) -> Result<Shown, Fault> {
        let (key, shown) = self.observe(arch, place, position)?;
        self.shown.entry(key).or_insert_with(|| shown.clone());
        Ok(shown)
    }

    fn atom(
        &mut self,
        arch: &dyn Arch,
        place: &Place,
        term: &Term,
        at: Position,
    ) -> Result<Condition, Fault> {
        let left = self.show(arch, place, at)?.places;
        let (first, ty) = match left.first() {
            Some(first) => (*first, self.observed[*first].1),
            None => return Ok(Condition::And(Vec::new())),
        };
        Ok(match term {
            Term::Place(other) => match self.show(arch, other, at)?.places.first() {
                Some(right) => Condition::Same(first, *right),
                None => Condition::And(Vec::new()),
            },
            Term::Array(values) => {
                let same = left
                    .iter()
                    .zip(values)
                    .map(|(place, value)| Ok(Condition::Is(*place, ty.cast(self.value(value, at)?))));
                if left.len() != values.len() {
                    return Err(Fault::new(at, format!("{} values were expected", left.len())));
                }
                Condition::And(same.collect::<Result<_, Fault>>()?)
            }
            value => Condition::Is(first, ty.cast(self.value(value, at)?)),
        })
    }

    /// Propositions are nested no deeper than the parser allows.
    fn condition(&mut self, arch: &dyn Arch, prop: &Proposition, at: Position) -> Result<Condition, Fault> {
        let all = |reader: &mut Self, ps: &[Proposition]| -> Result<Vec<Condition>, Fault> {
            ps.iter().map(|p| reader.condition(arch, p, at)).collect()
        };
        Ok(match prop {
            Proposition::Atom(place, comparison, term) => {
                let atom = self.atom(arch, place, term, at)?;
                match comparison {
                    Comparison::Equal => atom,
                    Comparison::Different => Condition::Not(Box::new(atom)),
                }
            }
            Proposition::And(ps) => Condition::And(all(self, ps)?),
            Proposition::Or(ps) => Condition::Or(all(self, ps)?),
            Proposition::Not(p) => Condition::Not(Box::new(self.condition(arch, p, at)?)),
            Proposition::Implies(p, q) => {
                let p = Condition::Not(Box::new(self.condition(arch, p, at)?));
                Condition::Or(vec![p, self.condition(arch, q, at)?])
            }
        })
    }

    fn finish(
        mut self,
        arch: &dyn Arch,
        sections: &syntax::Sections<'_>,
        question: Question,
    ) -> Result<Test, Fault> {
        let at = sections.question.1;
        for (place, position) in &question.locations {
            self.show(arch, place, *position)?;
        }
        let condition = self.condition(arch, &question.proposition, at)?;
        let condition_text = crate::print::proposition(&question.proposition, &mut |place| {
            self.observe(arch, place, at).map_or_else(|_| String::new(), |(_, shown)| shown.name)
        });
        let shown = std::mem::take(&mut self.shown);
        // What only the filter names is not shown.
        let filter = question.filter.as_ref().map(|f| self.condition(arch, f, at)).transpose()?;
        // Every variable is a location, though nothing initializes it.
        for index in 0..self.symbols.variables.len() {
            let location = Location { symbol: Symbol(index as u16), offset: 0 };
            self.memory.entry(location).or_insert(Value::ZERO);
        }
        for (observable, _) in &self.observed {
            if let Observable::Location(location) = observable {
                self.memory.entry(*location).or_insert(Value::ZERO);
            }
        }
        if self.symbols.variables.len() > MAX_PARTS || self.symbolic.len() > MAX_PARTS {
            let message = format!("at most {MAX_PARTS} variables were expected");
            return Err(Fault::new(at, message));
        }
        let mut memory: Vec<_> = self.memory.into_iter().collect();
        memory.sort_unstable();
        Ok(Test {
            arch: sections.arch.to_owned(),
            name: sections.name.to_owned(),
            variables: self.symbols.variables,
            memory,
            threads: self.threads,
            shown: shown.into_values().collect(),
            observed: self.observed,
            filter,
            scopes: question.scopes,
            quantifier: question.quantifier,
            condition,
            condition_text,
        })
    }
}

/// A type by its words.
fn type_of(words: &str) -> Type {
    if words.ends_with('*') {
        return Type { size: Size::Quad, unsigned: false };
    }
    let unsigned = words.contains("uint") || words.contains("unsigned");
    Type { size: size_of(words).unwrap_or(Size::Word), unsigned }
}

/// The size of a type of numbers by its words; none for pointers, and for types that are not known.
fn size_of(words: &str) -> Option<Size> {
    let last = words.split(' ').next_back().unwrap_or_default();
    Some(match last.trim_start_matches("atomic_").trim_start_matches('u') {
        "int8_t" | "char" | "int8" => Size::Byte,
        "int16_t" | "short" | "int16" => Size::Short,
        "int32_t" | "int" | "int32" => Size::Word,
        "int64_t" | "long" | "intptr_t" | "int64" | "llong" => Size::Quad,
        _ => return None,
    })
}
