//! From a program as it is written to one that runs: constants get values, names their meaning, functions and copies of threads
//! are written out.

mod access;
mod expressions;
mod outcomes;
mod statements;

use super::code::{Address, Code, Instruction, Register};
use super::error::{Mistake, TextError};
use super::setting::{Setting, Value};
use super::syntax::{Block, Constant, ConstantValue, Expr, File, Initial, LocationKind, Name};
use super::{code, syntax};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_cat::text::Position;
use tribunal_history::memory::{LocId, Order};

type Compiled<T> = Result<T, TextError>;

/// Instructions, and locations.
const SIZE: usize = 1 << 20;
/// Threads beside the main thread.
const THREADS: usize = 1 << 12;
/// Blocks, expressions and calls within one another.
const DEPTH: usize = 500;

/// Compiles a program.
pub(super) fn compile(file: &File, settings: &[Setting]) -> Compiled<Code> {
    let mut compiler = Compiler::new(file);
    compiler.constants(settings)?;
    if let Some(allowed) = &file.allow_races {
        compiler.code.allow_races = compiler.number(allowed, "the condition of `allow races`")? != 0;
    }
    compiler.locations()?;
    compiler.program()?;
    compiler.outcomes()?;
    Ok(compiler.code)
}

/// The values that constants get.
pub(super) fn constants(file: &File, settings: &[Setting]) -> Compiled<Vec<Setting>> {
    let mut compiler = Compiler::new(file);
    compiler.constants(settings)?;
    let value = |constant: &Constant| compiler.constants[constant.name.text.as_str()];
    Ok(file.constants.iter().map(|c| Setting { name: c.name.text.clone(), value: value(c) }).collect())
}

struct Compiler<'a> {
    file: &'a File,
    constants: FxHashMap<&'a str, Value>,
    locations: FxHashMap<&'a str, Shared>,
    functions: FxHashMap<&'a str, &'a syntax::Function>,
    /// By thread, its registers, for outcomes.
    registers: Vec<Vec<(&'a str, Register)>>,
    /// By name, the threads that have such a register.
    owners: FxHashMap<&'a str, Vec<(usize, Register)>>,
    /// By name.
    threads: FxHashMap<String, usize>,
    /// By location, its place in [`Code::finals`].
    finals: FxHashMap<LocId, u32>,
    /// Blocks, expressions and calls within one another.
    depth: usize,
    /// What is being compiled, functions that are being called last.
    frames: Vec<Frame<'a>>,
    code: Code,
    /// Where the statement at hand stands.
    at: Position,
    /// Whether all threads have ended, so that their registers can be read.
    joined: bool,
}

/// A location or an array of them.
#[derive(Clone, Copy)]
struct Shared {
    base: LocId,
    length: Option<u32>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With the order of accesses that name none.
    Atomic(Option<Order>),
    Mutex,
}

/// A thread or a function that is being compiled.
#[derive(Default)]
struct Frame<'a> {
    /// The function, if it is one.
    function: Option<&'a str>,
    names: FxHashMap<&'a str, Meaning>,
    /// Registers that belong to outcomes, in the order of their first assignment.
    shown: Vec<(&'a str, Register)>,
    /// Jumps to its end.
    returns: Vec<Address>,
    loops: Vec<Loop>,
}

#[derive(Clone, Copy)]
enum Meaning {
    Register(Register),
    /// The parameter of a thread.
    Constant(i64),
}

#[derive(Default)]
struct Loop {
    breaks: Vec<Address>,
    continues: Vec<Address>,
}

impl<'a> Compiler<'a> {
    fn new(file: &'a File) -> Self {
        let code = Code {
            instructions: Vec::new(),
            places: Vec::new(),
            entries: Vec::new(),
            registers: 0,
            threads: vec!["main".into()],
            locations: Vec::new(),
            initial: Vec::new(),
            locks: Vec::new(),
            texts: Vec::new(),
            outcome: Vec::new(),
            claims: Vec::new(),
            finals: Vec::new(),
            frees: false,
            allow_races: false,
        };
        let functions = file.functions.iter().map(|function| (function.name.text.as_str(), function));
        Compiler {
            file,
            constants: FxHashMap::default(),
            locations: FxHashMap::default(),
            functions: functions.collect(),
            registers: Vec::new(),
            owners: FxHashMap::default(),
            threads: FxHashMap::default(),
            finals: FxHashMap::default(),
            depth: 0,
            frames: Vec::new(),
            code,
            at: Position::default(),
            joined: false,
        }
    }

    fn constants(&mut self, settings: &[Setting]) -> Compiled<()> {
        let file = self.file;
        let declared: FxHashSet<&str> =
            file.constants.iter().map(|constant| constant.name.text.as_str()).collect();
        // The last setting holds.
        let mut set: FxHashMap<&str, Value> = FxHashMap::default();
        for setting in settings {
            set.insert(&setting.name, setting.value);
            if !declared.contains(setting.name.as_str()) {
                let names: Vec<_> =
                    file.constants.iter().map(|constant| constant.name.text.as_str()).collect();
                let known = if names.is_empty() { "none".into() } else { names.join(", ") };
                return Err(Mistake::NoConstant { name: setting.name.clone(), known }.at(Position::default()));
            }
        }
        for Constant { name, value } in &file.constants {
            if Value::order(&name.text).is_some() {
                return Err(Mistake::OrderName(name.text.clone()).at(name.at));
            }
            let declared = self.constant(value)?;
            let value = match (declared, set.get(name.text.as_str()).copied()) {
                (Value::Number(_), Some(Value::Order(_))) => {
                    let (is, wanted) = ("a constant number", "a number");
                    return Err(Mistake::WrongKind { name: name.text.clone(), is, wanted }.at(name.at));
                }
                (Value::Order(_), Some(Value::Number(_))) => {
                    let (is, wanted) = ("a constant order", "an order");
                    return Err(Mistake::WrongKind { name: name.text.clone(), is, wanted }.at(name.at));
                }
                (_, Some(value)) => value,
                (value, None) => value,
            };
            self.constants.insert(&name.text, value);
        }
        Ok(())
    }

    fn constant(&self, value: &ConstantValue) -> Compiled<Value> {
        match value {
            ConstantValue::Number(expression) => self.number(expression, "a constant").map(Value::Number),
            ConstantValue::Order(name) => self.order(name).map(Value::Order),
        }
    }

    /// An order by its name.
    fn order(&self, name: &Name) -> Compiled<Order> {
        match (Value::order(&name.text), self.constants.get(name.text.as_str())) {
            (Some(order), _) => Ok(order),
            (None, Some(&Value::Order(order))) => Ok(order),
            _ => {
                let expected =
                    "an order (na, rlx, acq, rel, acqrel, sc, or one declared with `order`)".into();
                Err(Mistake::Expected { expected, found: format!("`{}`", name.text) }.at(name.at))
            }
        }
    }

    fn locations(&mut self) -> Compiled<()> {
        for location in &self.file.locations {
            let at = location.name.at;
            let length = match &location.length {
                Some(length) => {
                    let value = self.number(length, "the length of an array")?;
                    let length = u32::try_from(value).ok().filter(|&length| length > 0);
                    let range =
                        Mistake::OutOfRange { what: "the length of an array", value, wanted: "at least 1" };
                    Some(length.ok_or_else(|| range.at(at))?)
                }
                None => None,
            };
            let count = length.unwrap_or(1) as usize;
            if self.code.locations.len() + count > SIZE {
                return Err(Mistake::TooLarge("2^20 locations").at(at));
            }
            let kind = match &location.kind {
                LocationKind::Atomic(None) => Kind::Atomic(None),
                LocationKind::Atomic(Some(order)) => Kind::Atomic(Some(self.order(order)?)),
                LocationKind::Plain => Kind::Atomic(Some(Order::NonAtomic)),
                LocationKind::Mutex => Kind::Mutex,
            };
            match &location.initial {
                Initial::Same(value) => {
                    let value =
                        value.as_ref().map_or(Ok(0), |value| self.number(value, "an initial value"))?;
                    self.code.initial.extend(std::iter::repeat_n(value as u64, count));
                }
                Initial::Each(values) => {
                    if values.len() != count {
                        let (what, value) = ("the number of initial values", values.len() as i64);
                        let wanted = "the length of the array";
                        return Err(Mistake::OutOfRange { what, value, wanted }.at(at));
                    }
                    for value in values {
                        let value = self.number(value, "an initial value")?;
                        self.code.initial.push(value as u64);
                    }
                }
            }
            self.code.locks.extend(std::iter::repeat_n(kind == Kind::Mutex, count));
            let base = LocId::from_index(self.code.locations.len());
            let name = &location.name.text;
            match length {
                Some(length) => self.code.locations.extend((0..length).map(|i| format!("{name}[{i}]"))),
                None => self.code.locations.push(name.clone()),
            }
            self.locations.insert(name, Shared { base, length, kind });
        }
        Ok(())
    }

    /// The main thread makes the others, runs `main`, waits for them, and runs `final`.
    fn program(&mut self) -> Compiled<()> {
        let file = self.file;
        // The main thread is first, and its code last: the others must be known by then.
        self.code.entries.push(0);
        self.registers.push(Vec::new());
        for thread in &file.threads {
            let Some((parameter, from, to)) = &thread.copies else {
                self.thread(thread.name.text.clone(), None, &thread.body, thread.name.at)?;
                continue;
            };
            let from = self.number(from, "the range of copies")?;
            let to = self.number(to, "the range of copies")?;
            for value in from..to {
                let name = format!("{}[{value}]", thread.name.text);
                self.thread(name, Some((parameter, value)), &thread.body, thread.name.at)?;
            }
        }
        self.code.entries[0] = self.next();
        let threads = self.code.threads.len() as u32;
        self.at = Position::default();
        for _ in 1..threads {
            self.emit(Instruction::Spawn)?;
        }
        self.frames.push(Frame::default());
        if let Some(main) = &file.main {
            self.body(main)?;
        }
        self.at = Position::default();
        for thread in 1..threads {
            self.emit(Instruction::Join(thread))?;
        }
        self.joined = true;
        if let Some(last) = &file.last {
            self.body(last)?;
        }
        self.end_thread(0)
    }

    fn thread(
        &mut self,
        name: String,
        parameter: Option<(&'a Name, i64)>,
        body: &'a Block,
        at: Position,
    ) -> Compiled<()> {
        if self.code.threads.len() > THREADS {
            return Err(Mistake::TooLarge("2^12 threads").at(at));
        }
        self.threads.insert(name.clone(), self.code.threads.len());
        self.code.threads.push(name);
        self.code.entries.push(self.next());
        self.registers.push(Vec::new());
        let mut frame = Frame::default();
        if let Some((parameter, value)) = parameter {
            frame.names.insert(self.new_local(parameter)?, Meaning::Constant(value));
        }
        self.frames.push(frame);
        self.body(body)?;
        self.end_thread(self.code.threads.len() - 1)
    }

    fn end_thread(&mut self, thread: usize) -> Compiled<()> {
        self.emit(Instruction::End)?;
        if let Some(frame) = self.frames.pop() {
            for &(name, register) in &frame.shown {
                self.owners.entry(name).or_default().push((thread, register));
            }
            self.registers[thread] = frame.shown;
        }
        Ok(())
    }

    /// The frame at hand; there is one while statements are compiled.
    fn frame(&mut self) -> &mut Frame<'a> {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Statements that `return` leaves.
    fn body(&mut self, block: &'a Block) -> Compiled<()> {
        self.block(block)?;
        let returns = std::mem::take(&mut self.frame().returns);
        self.land(&returns);
        Ok(())
    }

    /// Something one level deeper.
    fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Compiled<()>) -> Compiled<()> {
        if self.depth == DEPTH {
            return Err(Mistake::Deep(DEPTH).at(self.at));
        }
        self.depth += 1;
        let compiled = inner(self);
        self.depth -= 1;
        compiled
    }

    fn next(&self) -> Address {
        self.code.instructions.len() as Address
    }

    fn emit(&mut self, instruction: Instruction) -> Compiled<Address> {
        let address = self.next();
        if self.code.instructions.len() == SIZE {
            return Err(Mistake::TooLarge("2^20 instructions").at(self.at));
        }
        self.code.instructions.push(instruction);
        self.code.places.push(self.at);
        Ok(address)
    }

    /// An instruction that stands elsewhere than its statement: an access, by which people know it.
    fn emit_at(&mut self, at: Position, instruction: Instruction) -> Compiled<Address> {
        let statement = std::mem::replace(&mut self.at, at);
        let address = self.emit(instruction);
        self.at = statement;
        address
    }

    /// Lets jumps go to what comes next.
    fn land(&mut self, jumps: &[Address]) {
        self.land_at(jumps, self.next());
    }

    fn land_at(&mut self, jumps: &[Address], target: Address) {
        for &jump in jumps {
            match &mut self.code.instructions[jump as usize] {
                Instruction::Jump(to) | Instruction::JumpIfZero(to) => *to = target,
                other => debug_assert!(false, "{other:?} is no jump"),
            }
        }
    }

    fn new_register(&mut self) -> Register {
        self.code.registers += 1;
        (self.code.registers - 1) as Register
    }

    /// The value of an expression of numbers and constants.
    fn number(&self, expression: &Expr, what: &'static str) -> Compiled<i64> {
        let not = || Mistake::NotConstant(what).at(position(expression).unwrap_or(self.at));
        match expression {
            Expr::Number(number) => Ok(*number),
            Expr::Name(target) if target.index.is_none() => {
                let name = target.name.text.as_str();
                let meaning = self.frames.last().and_then(|frame| frame.names.get(name));
                match (meaning, self.constants.get(name)) {
                    (Some(&Meaning::Constant(value)), _) => Ok(value),
                    (None, Some(&Value::Number(value))) => Ok(value),
                    _ => Err(not()),
                }
            }
            Expr::Not(operand) => Ok(i64::from(self.number(operand, what)? == 0)),
            Expr::Complement(operand) => Ok(!self.number(operand, what)?),
            Expr::Negative(operand) => Ok(self.number(operand, what)?.wrapping_neg()),
            Expr::Row { first, rest } => {
                rest.iter().try_fold(self.number(first, what)?, |left, (operator, right)| {
                    code::apply(*operator, left, self.number(right, what)?).ok_or_else(not)
                })
            }
            _ => Err(not()),
        }
    }
}

/// Where an expression stands, as far as that is known.
fn position(expression: &Expr) -> Option<Position> {
    match expression {
        Expr::Number(_) => None,
        Expr::Name(target)
        | Expr::Load { from: target, .. }
        | Expr::Rmw { at: target, .. }
        | Expr::Cas { at: target, .. }
        | Expr::TryLock(target)
        | Expr::Register { thread: target, .. } => Some(target.name.at),
        Expr::Call { function, .. } => Some(function.at),
        Expr::Not(operand) | Expr::Complement(operand) | Expr::Negative(operand) => position(operand),
        Expr::Row { first, rest } => position(first).or_else(|| rest.iter().find_map(|(_, e)| position(e))),
    }
}
