//! A test: its threads, its initial state, and what it asks of final states.

use rustc_hash::FxHashMap;

use crate::arch::{self, Arch, Context};
use crate::error::{Error, Fault};
use crate::micro::{Micro, Register};
use crate::syntax::{self, Comparison, Initial, Place, Position, Proposition, Quantifier, Question, Term};
use crate::value::{Size, Symbol, Value};

/// A location of memory: a variable, or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The variable.
    pub symbol: Symbol,
    /// How many bytes into it.
    pub offset: i64,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The size of its elements.
    pub size: Size,
    /// Whether it is declared of an unsigned type.
    pub unsigned: bool,
    /// The number of elements, if it is an array.
    pub length: Option<u32>,
}

/// An instruction of a thread.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does.
    pub micros: Vec<Micro>,
    /// Where it is.
    pub position: Position,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Its number: `P0` is 0.
    pub number: u32,
    /// Its instructions.
    pub code: Vec<Instruction>,
    /// The instruction at each label; the length of the code for labels at its end.
    pub labels: FxHashMap<String, usize>,
    /// What registers hold at first, where that is not zero.
    pub registers: Vec<(Register, Value)>,
}

/// A place whose final value is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// A register of the thread of an index.
    Register(usize, Register),
    /// A location.
    Location(Location),
}

/// What a final state is asked: a proposition whose atoms are indices of observed places.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Whether a place holds a value.
    Is(usize, Value),
    /// Whether two places hold the same.
    Same(usize, usize),
    /// All of them.
    And(Vec<Condition>),
    /// Some of them.
    Or(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
}

impl Condition {
    /// Whether a state, as the values of the observed places, satisfies it.
    pub fn holds(&self, state: &[Value]) -> bool {
        match self {
            Self::Is(place, value) => state[*place] == *value,
            Self::Same(left, right) => state[*left] == state[*right],
            Self::And(all) => all.iter().all(|c| c.holds(state)),
            Self::Or(some) => some.iter().any(|c| c.holds(state)),
            Self::Not(inner) => !inner.holds(state),
        }
    }
}

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The first word of the file.
    pub arch: String,
    /// Its name.
    pub name: String,
    /// The variables, by symbol.
    pub variables: Vec<Variable>,
    /// All locations and what they hold at first.
    pub memory: Vec<(Location, Value)>,
    /// The threads, by number.
    pub threads: Vec<Thread>,
    /// The places that states have, in the order in which they are printed.
    pub observed: Vec<(Observable, String)>,
    /// Which of them the condition and `locations` name: others are only in the filter.
    pub shown: Vec<bool>,
    /// Final states that count.
    pub filter: Option<Condition>,
    /// How the condition is quantified.
    pub quantifier: Quantifier,
    /// The condition.
    pub condition: Condition,
    /// The condition as it was written, its places as they are printed.
    pub condition_text: String,
}

impl Test {
    /// Reads a test.
    ///
    /// ```
    /// let text = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)";
    /// let test = tribunal_litmus::Test::parse("SB.litmus", text)?;
    /// assert_eq!((test.name.as_str(), test.threads.len()), ("SB", 2));
    /// # Ok::<(), tribunal_litmus::Error>(())
    /// ```
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        Reader::read(text).map_err(|fault| fault.of(file))
    }

    /// How a value is printed: numbers in decimal, addresses by name.
    pub fn value(&self, value: Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            Value::Address(symbol, offset) => {
                let Some(variable) = self.variables.get(usize::from(symbol.0)) else { return "?".to_owned() };
                let bytes = i64::from(variable.size.bytes());
                match (variable.length, offset) {
                    (None, 0) => variable.name.clone(),
                    (Some(_), _) if offset % bytes == 0 => format!("{}[{}]", variable.name, offset / bytes),
                    _ => format!("{}+{offset}", variable.name),
                }
            }
            Value::Unknown(n) => format!("S{n}"),
        }
    }
}

/// A variable as a table of names knows it.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    pub variables: Vec<Variable>,
    by_name: FxHashMap<String, Symbol>,
}

impl Symbols {
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.by_name.get(name) {
            return *symbol;
        }
        let symbol = Symbol(self.variables.len().min(usize::from(u16::MAX)) as u16);
        self.variables.push(Variable {
            name: name.to_owned(),
            size: Size::Word,
            unsigned: false,
            length: None,
        });
        self.by_name.insert(name.to_owned(), symbol);
        symbol
    }
}

/// How many locations, threads and instructions a test may have.
const MAX_PARTS: usize = 1 << 14;

struct Reader {
    symbols: Symbols,
    symbolic: FxHashMap<(u32, String), Register>,
    threads: Vec<Thread>,
    memory: FxHashMap<Location, Value>,
    observed: Vec<(Observable, String)>,
}

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
    fn read(text: &str) -> Result<Test, Fault> {
        let sections = syntax::sections(text)?;
        let mut reader = Self {
            symbols: Symbols::default(),
            symbolic: FxHashMap::default(),
            threads: Vec::new(),
            memory: FxHashMap::default(),
            observed: Vec::new(),
        };
        let items = syntax::initial(sections.init.0, sections.init.1)?;
        let arch = arch::by_name(sections.arch).ok_or_else(|| {
            Fault::new(Position::START, format!("the architecture `{}` is not supported", sections.arch))
        })?;
        reader.declare(&items)?;
        reader.columns(arch, sections.program.0, sections.program.1)?;
        reader.initialise(arch, &items)?;
        let question = syntax::question(sections.question.0, sections.question.1)?;
        reader.finish(arch, &sections, question)
    }

    fn symbolic(&mut self, thread: u32, name: &str) -> Register {
        // Above all registers that an architecture counts.
        let next = Register(0x8000 + (self.symbolic.len() & 0x7fff) as u16);
        *self.symbolic.entry((thread, name.to_owned())).or_insert(next)
    }

    fn declare(&mut self, items: &[Initial]) -> Result<(), Fault> {
        for item in items {
            let Place::Location { name, .. } = &item.place else { continue };
            let symbol = self.symbols.intern(name);
            let variable = &mut self.symbols.variables[usize::from(symbol.0)];
            if let Some((size, unsigned)) = item.ty.as_deref().map(type_of) {
                (variable.size, variable.unsigned) = (size, unsigned);
            }
            variable.length = item.length;
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
                        return Err(Fault::new(cell.position, format!("the label `{label}` is there twice")));
                    }
                }
                if cell.text.is_empty() {
                    continue;
                }
                let mut context = ThreadContext { reader: self, thread: number };
                let micros = arch
                    .instruction(&cell.text, &mut context)
                    .map_err(|message| Fault::new(cell.position, format!("`{}`: {message}", cell.text)))?;
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
        if name.starts_with('%') && arch.register(name).is_none() {
            return Some(self.symbolic(thread, name));
        }
        arch.register(name)
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
                let bytes = i64::from(self.symbols.variables[usize::from(symbol.0)].size.bytes());
                Value::Address(symbol, index.wrapping_mul(bytes))
            }
            Term::Label(..) => return Err(Fault::new(position, "labels as values are not supported")),
            Term::Place(_) => return Err(Fault::new(position, "a value was expected, not a place")),
        })
    }

    fn initialise(&mut self, arch: &dyn Arch, items: &[Initial]) -> Result<(), Fault> {
        for item in items {
            match &item.place {
                Place::Register { thread, name } => {
                    let register = self.register(arch, *thread, name);
                    let register = register.ok_or_else(|| {
                        Fault::new(item.position, format!("{} has no register `{name}`", arch.name()))
                    })?;
                    let value =
                        item.values.first().map_or(Ok(Value::ZERO), |t| self.value(t, item.position))?;
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
                    let bytes = i64::from(self.symbols.variables[usize::from(symbol.0)].size.bytes());
                    let length = item.length.unwrap_or(1).max(item.values.len() as u32);
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

    fn observe(&mut self, arch: &dyn Arch, place: &Place, position: Position) -> Result<usize, Fault> {
        let (observable, name) = match place {
            Place::Register { thread, name } => {
                let index = self
                    .thread(*thread)
                    .ok_or_else(|| Fault::new(position, format!("there is no thread P{thread}")))?;
                let register = self.register(arch, *thread, name);
                let register = register.ok_or_else(|| {
                    Fault::new(position, format!("{} has no register `{name}`", arch.name()))
                })?;
                let name = if register.0 >= 0x8000 { name.clone() } else { arch.register_name(register) };
                (Observable::Register(index, register), format!("{thread}:{name}"))
            }
            Place::Symbolic { name } => {
                let thread = self
                    .threads
                    .iter()
                    .map(|t| t.number)
                    .find(|n| self.symbolic.contains_key(&(*n, name.clone())));
                let thread = thread
                    .ok_or_else(|| Fault::new(position, format!("no thread has a register `{name}`")))?;
                return self.observe(arch, &Place::Register { thread, name: name.clone() }, position);
            }
            Place::Location { name, index } => {
                let symbol = self.symbols.intern(name);
                let bytes = i64::from(self.symbols.variables[usize::from(symbol.0)].size.bytes());
                let offset = index.unwrap_or(0).wrapping_mul(bytes);
                let shown = index.map_or_else(|| format!("[{name}]"), |i| format!("{name}[{i}]"));
                (Observable::Location(Location { symbol, offset }), shown)
            }
        };
        if let Some(known) = self.observed.iter().position(|(o, _)| *o == observable) {
            return Ok(known);
        }
        self.observed.push((observable, name));
        Ok(self.observed.len() - 1)
    }

    /// Propositions are nested no deeper than the parser allows.
    fn condition(&mut self, arch: &dyn Arch, prop: &Proposition, at: Position) -> Result<Condition, Fault> {
        let all = |reader: &mut Self, ps: &[Proposition]| -> Result<Vec<Condition>, Fault> {
            ps.iter().map(|p| reader.condition(arch, p, at)).collect()
        };
        Ok(match prop {
            Proposition::Atom(place, comparison, term) => {
                let left = self.observe(arch, place, at)?;
                let atom = match term {
                    Term::Place(other) => Condition::Same(left, self.observe(arch, other, at)?),
                    value => Condition::Is(left, self.value(value, at)?),
                };
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
            // An array is shown element by element.
            if let Place::Location { name, index: None } = place
                && let Some(length) =
                    self.symbols.get(name).and_then(|s| self.symbols.variables[usize::from(s.0)].length)
            {
                for index in 0..i64::from(length) {
                    self.observe(
                        arch,
                        &Place::Location { name: name.clone(), index: Some(index) },
                        *position,
                    )?;
                }
                continue;
            }
            self.observe(arch, place, *position)?;
        }
        let condition = self.condition(arch, &question.proposition, at)?;
        let shown = self.observed.len();
        let filter = question.filter.as_ref().map(|f| self.condition(arch, f, at)).transpose()?;
        let condition_text = crate::print::proposition(&question.proposition, &mut |place| {
            self.observe(arch, place, at)
                .map_or_else(|_| String::new(), |index| self.observed[index].1.clone())
        });
        // Every variable is a location, though nothing initialises it.
        for index in 0..self.symbols.variables.len() {
            let location = Location { symbol: Symbol(index as u16), offset: 0 };
            self.memory.entry(location).or_insert(Value::ZERO);
        }
        for (observable, _) in &self.observed {
            if let Observable::Location(location) = observable {
                self.memory.entry(*location).or_insert(Value::ZERO);
            }
        }
        let mut memory: Vec<_> = self.memory.into_iter().collect();
        memory.sort_unstable();
        let mut test = Test {
            arch: sections.arch.to_owned(),
            name: sections.name.to_owned(),
            variables: self.symbols.variables,
            memory,
            threads: self.threads,
            shown: (0..self.observed.len()).map(|index| index < shown).collect(),
            observed: self.observed,
            filter,
            quantifier: question.quantifier,
            condition,
            condition_text,
        };
        test.sort_observed();
        Ok(test)
    }
}

impl Test {
    /// States are printed registers first, by thread, then locations by name.
    fn sort_observed(&mut self) {
        let mut order: Vec<usize> = (0..self.observed.len()).collect();
        let key = |index: &usize| match self.observed[*index].0 {
            Observable::Register(thread, register) => (thread, register.0, String::new(), 0),
            Observable::Location(location) => {
                let name = self.variables[usize::from(location.symbol.0)].name.clone();
                (usize::MAX, 0, name, location.offset)
            }
        };
        order.sort_by_cached_key(key);
        let mut place = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
        }
        self.observed = order.iter().map(|old| self.observed[*old].clone()).collect();
        self.shown = order.iter().map(|old| self.shown[*old]).collect();
        rename(&mut self.condition, &place);
        if let Some(filter) = &mut self.filter {
            rename(filter, &place);
        }
    }
}

fn rename(condition: &mut Condition, place: &[usize]) {
    match condition {
        Condition::Is(at, _) => *at = place[*at],
        Condition::Same(left, right) => (*left, *right) = (place[*left], place[*right]),
        Condition::And(all) | Condition::Or(all) => all.iter_mut().for_each(|c| rename(c, place)),
        Condition::Not(inner) => rename(inner, place),
    }
}

/// The size of a type by its words, and whether it is unsigned.
pub(crate) fn type_of(words: &str) -> (Size, bool) {
    if words.ends_with('*') {
        return (Size::Quad, false);
    }
    let last = words.split(' ').next_back().unwrap_or_default();
    let unsigned = words.contains("uint") || words.contains("unsigned");
    let size = match last.trim_start_matches("atomic_").trim_start_matches('u') {
        "int8_t" | "char" | "int8" => Size::Byte,
        "int16_t" | "short" | "int16" => Size::Short,
        "int64_t" | "long" | "intptr_t" | "int64" | "llong" => Size::Quad,
        _ => Size::Word,
    };
    (size, unsigned)
}
