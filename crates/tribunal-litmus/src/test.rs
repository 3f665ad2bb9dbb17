//! A test: its threads, its initial state, and what it asks of final states.

use rustc_hash::FxHashMap;

use crate::c::Macros;
use crate::error::Error;
use crate::micro::{Micro, Register};
use crate::read;
use crate::syntax::{Position, Quantifier, Scope};
use crate::value::{Size, Symbol, Unary, Value};

/// A location of memory: a variable, or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The variable.
    pub symbol: Symbol,
    /// How many bytes into it.
    pub offset: i64,
}

/// The type of a variable or a register: how final values are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Its size.
    pub size: Size,
    /// Whether it is unsigned.
    pub unsigned: bool,
}

impl Type {
    /// What is not declared.
    pub const INT: Self = Self { size: Size::Word, unsigned: false };

    /// A value as one of this type.
    pub fn cast(self, value: Value) -> Value {
        let op = if self.unsigned { Unary::Zero(self.size) } else { Unary::Sign(self.size) };
        op.apply(value).unwrap_or(value)
    }
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// Whether accesses must be of that type's size: it was declared, or there are elements side by side. Others are as wide as what
    /// accesses them.
    pub sized: bool,
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

/// What is printed of a state: a place, or all elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its name.
    pub name: String,
    /// The indices of the observed places.
    pub places: Vec<usize>,
    /// Whether it is an array, printed in braces.
    pub array: bool,
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
    /// Which threads are together, where the test has a tree of scopes.
    pub scopes: Vec<Scope>,
    /// The places that states have.
    pub observed: Vec<(Observable, Type)>,
    /// What of them is printed, in that order.
    pub shown: Vec<Shown>,
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
        Self::parse_with(file, text, &Macros::default())
    }

    /// Reads a test whose program uses macros.
    pub fn parse_with(file: &str, text: &str, macros: &Macros) -> Result<Self, Error> {
        read::read(text, macros).map_err(|fault| fault.within(file))
    }

    /// The values of what is shown, in order, of a state's values of all that is observed.
    pub fn shown_values(&self, state: &[Value]) -> Vec<Value> {
        self.shown.iter().flat_map(|shown| &shown.places).map(|place| state[*place]).collect()
    }

    /// A state as herd prints it: the values of what is shown, in order.
    pub fn state(&self, values: &[Value]) -> String {
        let mut values = values.iter();
        let mut text = String::new();
        for shown in &self.shown {
            let parts: Vec<String> = shown
                .places
                .iter()
                .zip(&mut values)
                .map(|(place, value)| self.typed(*value, self.observed[*place].1))
                .collect();
            let value = if shown.array { format!("{{{}}}", parts.join(",")) } else { parts.join(",") };
            let blank = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{blank}{}={value};", shown.name));
        }
        text
    }

    fn typed(&self, value: Value, ty: Type) -> String {
        match value {
            Value::Int(n) if ty.unsigned => (n as u64).to_string(),
            other => self.value(other),
        }
    }

    /// How a value is printed: numbers in decimal, addresses by name.
    pub fn value(&self, value: Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            Value::Address(symbol, offset) => {
                let Some(variable) = self.variables.get(usize::from(symbol.0)) else { return "?".to_owned() };
                let bytes = i64::from(variable.ty.size.bytes());
                match (variable.length, offset) {
                    (_, 0) => variable.name.clone(),
                    (Some(_), _) if offset % bytes == 0 => format!("{}[{}]", variable.name, offset / bytes),
                    _ => format!("{}+{offset}", variable.name),
                }
            }
            Value::Code(thread, at) => {
                let thread = self.threads.get(usize::from(thread));
                let label = thread.and_then(|t| {
                    t.labels
                        .iter()
                        .filter(|(_, index)| **index == usize::from(at))
                        .map(|(label, _)| label)
                        .min()
                });
                let number = thread.map_or(0, |t| t.number);
                label.map_or_else(|| (4 * at).to_string(), |label| format!("label:\"P{number}:{label}\""))
            }
            Value::Unknown(n) => format!("S{n}"),
        }
    }
}
