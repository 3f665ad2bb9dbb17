//! The ways through a thread: its events and what they depend on, with values as terms over what is read.
//!
//! Branches are followed both ways, each way assuming what it takes. Dependencies are as herd computes them: `addr` and `data` from loads through
//! registers, `ctrl` from loads to all after a branch whose condition they feed; in C only to what is inside the `if`.

mod jumps;
mod state;

use tribunal_cat::limits::{Limits, Stopped};
use tribunal_history::heap::held;

use crate::error::Fault;
use crate::micro::{Access, Micro, Name, Port, Register, Temporary, Update};
use crate::syntax::Position;
use crate::term::{TermId, Terms};
use crate::test::Thread;
use crate::value::{Binary, Size, Unary, Value};
use state::{Few, Frame, Slot, State, Temp};

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    Update,
    Fence,
    /// Of a location, and no access.
    Mark,
    Branch,
    Predicate,
    ReadRegister(Port),
    WriteRegister,
    /// Where a loop was left unfinished.
    Cut,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PathEvent {
    pub kind: Kind,
    pub address: Option<TermId>,
    /// What is stored.
    pub value: Option<TermId>,
    /// What is read.
    pub read: Option<TermId>,
    /// The sets it is in, as bits of [`Sets`].
    pub sets: u64,
    pub size: Size,
    pub atomic: bool,
    /// Which instruction it is of, counted along the path.
    pub instance: u16,
    /// Where that is in the test.
    pub position: Position,
}

/// A way through a thread. Pairs are of indices of its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub events: Vec<PathEvent>,
    pub addr: Vec<(u16, u16)>,
    pub data: Vec<(u16, u16)>,
    pub ctrl: Vec<(u16, u16)>,
    pub iico_data: Vec<(u16, u16)>,
    pub iico_ctrl: Vec<(u16, u16)>,
    pub iico_order: Vec<(u16, u16)>,
    pub rf_reg: Vec<(u16, u16)>,
    /// What the way takes: whether a term is not zero.
    pub assumptions: Vec<(TermId, bool)>,
    pub registers: Vec<(Register, TermId)>,
    /// Whether a loop was left unfinished.
    pub cut: bool,
}

/// Names of sets that events of a test are in, each a bit.
#[derive(Debug, Default)]
pub(crate) struct Sets(Vec<Name>);

impl Sets {
    pub fn bit(&self, name: &str) -> Option<u64> {
        self.0.iter().position(|n| n == name).map(|index| 1 << index)
    }

    /// How many there may be.
    const CAPACITY: usize = u64::BITS as usize;

    fn intern(&mut self, names: &[Name]) -> Result<u64, String> {
        let mut bits = 0;
        for name in names {
            if self.bit(name).is_none() {
                if self.0.len() == Self::CAPACITY {
                    return Err(format!("a test of more than {} kinds of events", Self::CAPACITY));
                }
                self.0.push(name.clone());
            }
            bits |= self.bit(name).unwrap_or(0);
        }
        Ok(bits)
    }
}

/// How threads are executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Execution {
    /// Whether register accesses are events, as models with `catdep` ask for.
    pub register_events: bool,
    /// AArch64: what is controlled inside an instruction is also dependent.
    pub control_depends: bool,
    /// How often a loop goes round.
    pub unroll: u32,
    /// AArch64: a jump back is not counted where its condition is known.
    pub known_loops: bool,
}

/// How many ways through a thread are followed.
const MAX_PATHS: usize = 1 << 14;
/// How many instructions a way may have.
const MAX_STEPS: u32 = 20_000;

/// What becomes of a way after a micro-operation.
enum Step {
    On,
    End,
}

/// Why there are no paths.
pub(crate) enum Halt {
    Fault(Fault),
    Stopped(Stopped),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// How many instructions are run between two polls of the limits.
const POLLS: u64 = 512;

impl Path {
    /// What it takes, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + held(&[&self.events, &self.assumptions, &self.registers, &self.addr, &self.data, &self.ctrl])
            + held(&[&self.iico_data, &self.iico_ctrl, &self.iico_order, &self.rf_reg])
    }
}

struct Runner<'a> {
    limits: &'a mut dyn Limits,
    /// What other threads' ways and those of this one take that are done.
    bytes: usize,
    /// How many instructions were run.
    steps: u64,
    threads: &'a [Thread],
    thread: &'a Thread,
    terms: &'a mut Terms,
    sets: &'a mut Sets,
    how: Execution,
    zero: TermId,
    work: Vec<State<'a>>,
    done: Vec<Path>,
}

/// All ways through the thread of an index, beside those that take so many bytes already.
pub(crate) fn paths(
    threads: &[Thread],
    index: usize,
    terms: &mut Terms,
    sets: &mut Sets,
    how: Execution,
    limits: &mut dyn Limits,
    bytes: usize,
) -> Result<Vec<Path>, Halt> {
    let thread = &threads[index];
    let zero = terms.constant(Value::ZERO);
    let mut registers = Vec::with_capacity(thread.registers.len());
    for (register, value) in &thread.registers {
        let slot =
            Slot { term: terms.constant(*value), taint: Few::EMPTY, control: Few::EMPTY, writer: None };
        registers.retain(|(r, _)| r != register);
        registers.push((*register, slot));
    }
    let start = State {
        path: Path::default(),
        code: index,
        pc: 0,
        frames: Vec::new(),
        temps: Vec::new(),
        registers,
        ctrl: Few::EMPTY,
        predicate: Few::EMPTY,
        predicates: Few::EMPTY,
        scopes: Vec::new(),
        rounds: Vec::new(),
        instance: 0,
        steps: 0,
    };
    let mut runner = Runner {
        limits,
        bytes,
        steps: 0,
        threads,
        thread,
        terms,
        sets,
        how,
        zero,
        work: vec![start],
        done: Vec::new(),
    };
    while let Some(state) = runner.work.pop() {
        runner.run(state)?;
        if runner.done.len() + runner.work.len() > MAX_PATHS {
            let at = thread.code.first().map_or(Position::START, |i| i.position);
            let message = format!("the thread P{} has more than {MAX_PATHS} ways", thread.number);
            return Err(Fault::new(at, message).into());
        }
    }
    Ok(runner.done)
}

impl<'a> Runner<'a> {
    fn poll(&mut self) -> Result<(), Stopped> {
        self.steps += 1;
        if !self.steps.is_multiple_of(POLLS) {
            return Ok(());
        }
        let open: usize = self.work.iter().map(|state| state.path.bytes() + size_of::<State<'_>>()).sum();
        self.limits.check(self.bytes + open + self.terms.bytes(), self.steps)
    }

    fn run(&mut self, mut state: State<'a>) -> Result<(), Halt> {
        loop {
            while let Some(frame) = state.frames.last_mut() {
                let Some((micro, rest)) = frame.micros.split_first() else {
                    state.frames.pop();
                    continue;
                };
                frame.micros = rest;
                match self.step(&mut state, micro)? {
                    Step::On => {}
                    Step::End => return Ok(()),
                }
            }
            let Some(instruction) = self.threads[state.code].code.get(state.pc) else {
                self.finish(state);
                return Ok(());
            };
            self.poll()?;
            state.scopes.retain(|scope| scope.until > state.pc);
            state.pc += 1;
            state.steps += 1;
            state.instance += 1;
            if state.steps > MAX_STEPS {
                let message = format!("a way of more than {MAX_STEPS} instructions");
                return Err(Fault::new(instruction.position, message).into());
            }
            state.predicate = Few::EMPTY;
            state.predicates = Few::EMPTY;
            state.temps.clear();
            state.frames.push(Frame { micros: &instruction.micros, by: None });
        }
    }

    fn finish(&mut self, mut state: State<'a>) {
        state.path.registers = state.registers.iter().map(|(r, slot)| (*r, slot.term)).collect();
        self.bytes += state.path.bytes();
        self.done.push(state.path);
    }

    fn position(&self, state: &State<'a>) -> Position {
        self.threads[state.code].code.get(state.pc.saturating_sub(1)).map_or(Position::START, |i| i.position)
    }

    fn step(&mut self, state: &mut State<'a>, micro: &'a Micro) -> Result<Step, Fault> {
        match micro {
            Micro::Constant { value, into } => {
                let term = self.terms.constant(*value);
                state.give(*into, Temp { term, taint: Few::EMPTY, control: Few::EMPTY, origin: Few::EMPTY });
            }
            Micro::ReadRegister { register, port, into } => {
                self.read_register(state, *register, *port, *into)?
            }
            Micro::WriteRegister { register, from } => self.write_register(state, *register, *from)?,
            Micro::Unary { op, of, into } => {
                let of = state.temp(*of, self.zero);
                let term = self.terms.unary(*op, of.term);
                state.give(*into, Temp { term, ..of });
            }
            Micro::Binary { op, left, right, into } => {
                let (left, right) = (state.temp(*left, self.zero), state.temp(*right, self.zero));
                let term = self.terms.binary(*op, left.term, right.term);
                state.give(*into, left.with(right, term));
            }
            Micro::Load { address, into, access } => {
                let from = state.temp(*address, self.zero);
                let event = self.emit(state, Kind::Load, Some(access), from.origin)?;
                let read = self.terms.read(event);
                state.at(event).address = Some(from.term);
                state.at(event).read = Some(read);
                pairs(&mut state.path.addr, from.taint, event);
                state.give(*into, Temp::of(event, self.terms.unary(Unary::Sign(access.size), read)));
            }
            Micro::Store { address, value, done, access } => {
                let (to, value) = (state.temp(*address, self.zero), state.temp(*value, self.zero));
                let event = self.emit(state, Kind::Store, Some(access), to.origin | value.origin)?;
                state.at(event).address = Some(to.term);
                state.at(event).value = Some(value.term);
                pairs(&mut state.path.addr, to.taint, event);
                pairs(&mut state.path.data, value.taint, event);
                state.give(*done, Temp { term: value.term, ..Temp::of(event, value.term) });
            }
            Micro::Update { address, update, into, access } => {
                let to = state.temp(*address, self.zero);
                let (Update::Exchange(operand) | Update::Fetch(_, operand)) = *update;
                let operand = state.temp(operand, self.zero);
                let event = self.emit(state, Kind::Update, Some(access), to.origin | operand.origin)?;
                let read = self.terms.read(event);
                let old = self.terms.unary(Unary::Sign(access.size), read);
                let written = match update {
                    Update::Exchange(_) => operand.term,
                    Update::Fetch(op, _) => {
                        let operand = self.terms.unary(Unary::Sign(access.size), operand.term);
                        self.terms.binary(*op, old, operand)
                    }
                };
                let at = state.at(event);
                (at.address, at.read, at.value) = (Some(to.term), Some(read), Some(written));
                // Any register that a load needs is an address to it.
                pairs(&mut state.path.addr, to.taint | operand.taint, event);
                pairs(&mut state.path.data, operand.taint, event);
                state.give(*into, Temp::of(event, old));
            }
            Micro::Fence { sets } => {
                let event = self.emit(state, Kind::Fence, None, Few::EMPTY)?;
                state.at(event).sets = self.intern(state, sets)?;
            }
            Micro::Mark { address, done, sets } => {
                let at = state.temp(*address, self.zero);
                let event = self.emit(state, Kind::Mark, None, at.origin)?;
                state.at(event).address = Some(at.term);
                state.at(event).sets = self.intern(state, sets)?;
                state.give(*done, Temp::of(event, self.zero));
            }
            Micro::Branch { condition, target } => return self.branch(state, *condition, target),
            Micro::Jump { target } => {
                let target = self.label(state, target)?;
                return self.jump(state, target, true);
            }
            Micro::Repeat { target } => {
                let target = self.label(state, target)?;
                return self.jump(state, target, false);
            }
            Micro::JumpTo { target } => return self.jump_to(state, *target),
            Micro::Label { name, into } => {
                let at = self.label(state, name)?;
                self.code_address(state, at, *into);
            }
            Micro::Next { into } => self.code_address(state, state.pc, *into),
            Micro::Unless { condition, target, until, repeats } => {
                return self.unless(state, *condition, target, until, *repeats);
            }
            Micro::Stop => return Ok(self.stop(state)),
            Micro::Predicate { condition } => {
                let condition = state.temp(*condition, self.zero);
                let event = self.emit(state, Kind::Predicate, None, condition.origin)?;
                state.predicate |= condition.taint;
                state.predicates.insert(usize::from(event));
            }
            Micro::Either { ways } => {
                for way in ways {
                    let mut fork = state.clone();
                    fork.frames.push(Frame { micros: way, by: None });
                    self.work.push(fork);
                }
                return Ok(Step::End);
            }
            Micro::Assume { condition } => {
                let condition = state.temp(*condition, self.zero);
                if !self.assume(state, condition.term, true) {
                    return Ok(Step::End);
                }
            }
            Micro::Controlled { by, within } => state.frames.push(Frame { micros: within, by: Some(*by) }),
            Micro::Ordered { first, second } => {
                let (first, second) = (state.temp(*first, self.zero), state.temp(*second, self.zero));
                for a in first.origin.iter() {
                    state.path.iico_order.extend(second.origin.iter().map(|b| (a as u16, b as u16)));
                }
            }
        }
        Ok(Step::On)
    }

    fn intern(&mut self, state: &State<'a>, names: &[Name]) -> Result<u64, Fault> {
        self.sets.intern(names).map_err(|message| Fault::new(self.position(state), message))
    }

    /// A new event, with `iico_data` from some and, where it is memory's, a branch or a fence, `ctrl` from what came before.
    fn emit(
        &mut self,
        state: &mut State<'a>,
        kind: Kind,
        access: Option<&Access>,
        from: Few,
    ) -> Result<u16, Fault> {
        let event = state.path.events.len();
        if event >= Few::CAPACITY {
            let message = format!("a way of more than {} events", Few::CAPACITY);
            return Err(Fault::new(self.position(state), message));
        }
        let event = event as u16;
        let sets = access.map_or(Ok(0), |a| self.intern(state, &a.sets))?;
        state.path.events.push(PathEvent {
            kind,
            address: None,
            value: None,
            read: None,
            sets,
            size: access.map_or(Size::Word, |a| a.size),
            atomic: access.is_some_and(|a| a.atomic),
            instance: state.instance,
            position: self.position(state),
        });
        pairs(&mut state.path.iico_data, from, event);
        pairs(&mut state.path.iico_ctrl, state.predicates, event);
        let mut addr = Few::EMPTY;
        for index in 0..state.frames.len() {
            if let Some(by) = state.frames[index].by {
                let by = state.temp(by, self.zero);
                pairs(&mut state.path.iico_ctrl, by.origin, event);
                if self.how.control_depends {
                    addr |= by.taint;
                }
            }
        }
        if !matches!(kind, Kind::ReadRegister(_) | Kind::WriteRegister) {
            let scopes = state.scopes.iter().fold(Few::EMPTY, |all, scope| all | scope.taint);
            pairs(&mut state.path.ctrl, state.ctrl | scopes | state.predicate, event);
        }
        if matches!(kind, Kind::Load | Kind::Store | Kind::Update) {
            pairs(&mut state.path.addr, addr, event);
        }
        Ok(event)
    }

    fn read_register(
        &mut self,
        state: &mut State<'a>,
        register: Register,
        port: Port,
        into: Temporary,
    ) -> Result<(), Fault> {
        let slot = state.registers.iter().find(|(r, _)| *r == register).map(|(_, slot)| *slot);
        let slot =
            slot.unwrap_or(Slot { term: self.zero, taint: Few::EMPTY, control: Few::EMPTY, writer: None });
        let mut origin = Few::EMPTY;
        if self.how.register_events {
            let event = self.emit(state, Kind::ReadRegister(port), None, Few::EMPTY)?;
            if let Some(writer) = slot.writer {
                state.path.rf_reg.push((writer, event));
            }
            origin.insert(usize::from(event));
        }
        state.give(into, Temp { term: slot.term, taint: slot.taint, control: slot.control, origin });
        Ok(())
    }

    fn write_register(
        &mut self,
        state: &mut State<'a>,
        register: Register,
        from: Temporary,
    ) -> Result<(), Fault> {
        let from = state.temp(from, self.zero);
        let mut taint = from.taint;
        for frame in &state.frames {
            let Some(by) = frame.by else { continue };
            let by = state.temp(by, self.zero);
            if self.how.control_depends {
                taint |= by.taint;
            }
            let stores = by.origin.iter().filter(|&e| state.path.events[e].kind == Kind::Store);
            stores.for_each(|store| taint.insert(store));
        }
        let writer = if self.how.register_events {
            Some(self.emit(state, Kind::WriteRegister, None, from.origin)?)
        } else {
            None
        };
        let control = state.scopes.iter().fold(from.control, |all, scope| all | scope.taint);
        let slot = Slot { term: from.term, taint, control, writer };
        match state.registers.iter_mut().find(|(r, _)| *r == register) {
            Some((_, known)) => *known = slot,
            None => state.registers.push((register, slot)),
        }
        Ok(())
    }
}

/// Whether a value is not zero; nobody knows of values out of thin air.
pub(crate) fn truth(value: Value) -> Option<bool> {
    match Binary::Ne.apply(value, Value::ZERO) {
        Some(Value::Int(n)) => Some(n != 0),
        _ => None,
    }
}

fn pairs(relation: &mut Vec<(u16, u16)>, from: Few, to: u16) {
    relation.extend(from.iter().map(|e| e as u16).filter(|&e| e != to).map(|e| (e, to)));
}
