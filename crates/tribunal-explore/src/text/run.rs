//! Running a program: each thread runs up to its next operation.

use super::code::{Access, Code, Instruction, apply, condition, exchange, update};
use super::final_values::FinalValues;
use super::outcomes::Seen;
use super::syntax::ClaimKind;
use crate::graph::Graph;
use crate::program::{Action, Answer, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tribunal_cat::text::Position;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::{limits::Limits, model::Model};

/// Steps of a thread without an operation: it will never have one.
const STEPS: usize = 1 << 20;

/// Steps between two looks at the limits.
const POLL: usize = 1 << 12;

/// The value of a freed location.
pub const FREED: u64 = 0xdead_dead_dead_dead;

/// A running program. Collects the outcomes of complete executions.
#[derive(Clone, Debug)]
pub struct Interpreter {
    code: Arc<Code>,
    registers: Vec<i64>,
    threads: Vec<State>,
    finals: FinalValues,
    limits: Limits<'static>,
    pub(super) seen: Seen,
    /// Room for an outcome.
    outcome: Vec<i64>,
}

/// How far a thread is.
#[derive(Clone, Debug, Default)]
struct State {
    /// The next instruction.
    next: usize,
    stack: Vec<i64>,
    /// The location of the last operation, for who reads what was freed.
    last: Option<LocId>,
    /// The mutexes that it holds.
    held: Vec<LocId>,
}

impl State {
    /// The value on top. Compiled code never takes more than it put.
    fn pop(&mut self) -> i64 {
        self.stack.pop().unwrap_or_default()
    }
}

/// What an instruction without an operation does.
enum Local {
    /// It is done.
    Done,
    /// It has an operation.
    Operation,
    /// It divides by zero.
    DividesByZero,
}

impl Interpreter {
    /// Runs a program, with final values according to this model.
    pub fn new(code: Arc<Code>, model: Model) -> Self {
        let threads = vec![State::default(); code.threads()];
        let seen = Seen::new(&code);
        let registers = vec![0; code.registers];
        let (finals, limits) = (FinalValues::new(model), Limits::default());
        Interpreter { finals, limits, registers, threads, seen, outcome: Vec::new(), code }
    }

    /// What it saw.
    pub(super) fn into_seen(self) -> Seen {
        self.seen
    }

    fn place(&self, instruction: usize) -> Place {
        let Position { line, column } = self.code.places[instruction];
        Place { file: "", line, column }
    }

    /// An instruction that concerns the thread alone.
    fn local(instruction: Instruction, state: &mut State, registers: &mut [i64], finals: &[u64]) -> Local {
        match instruction {
            Instruction::Push(value) => state.stack.push(value),
            Instruction::Pop => _ = state.pop(),
            Instruction::Get(register) => state.stack.push(registers[register as usize]),
            Instruction::Set(register) => registers[register as usize] = state.pop(),
            Instruction::Final(place) => state.stack.push(finals[place as usize] as i64),
            Instruction::Not => {
                let value = i64::from(state.pop() == 0);
                state.stack.push(value);
            }
            Instruction::Complement => {
                let value = !state.pop();
                state.stack.push(value);
            }
            Instruction::Negative => {
                let value = state.pop().wrapping_neg();
                state.stack.push(value);
            }
            Instruction::Binary(operator) => {
                let (right, left) = (state.pop(), state.pop());
                let Some(value) = apply(operator, left, right) else { return Local::DividesByZero };
                state.stack.push(value);
            }
            Instruction::Jump(to) => state.next = to as usize,
            Instruction::JumpIfZero(to) => {
                if state.pop() == 0 {
                    state.next = to as usize;
                }
            }
            _ => return Local::Operation,
        }
        Local::Done
    }

    /// The operation of an instruction that has one; none if it turns out to have none.
    fn operation(&mut self, thread: usize, instruction: Instruction) -> Result<Option<Action>, Problem> {
        let action = match instruction {
            Instruction::Load { at, order } => Action::Load { loc: self.locate(thread, at)?, order },
            Instruction::Store { at, order } => {
                let value = self.threads[thread].pop() as u64;
                Action::Store { loc: self.locate(thread, at)?, order, value }
            }
            Instruction::Free(at) => {
                let (loc, value) = (self.locate(thread, at)?, FREED);
                Action::Store { loc, order: Order::NonAtomic, value }
            }
            Instruction::Rmw { at, operator, order } => {
                let update = update(operator, self.threads[thread].pop());
                Action::Rmw { loc: self.locate(thread, at)?, order, failure: order, update }
            }
            Instruction::Cas { at, success, failure } => {
                let (new, expected) = (self.threads[thread].pop(), self.threads[thread].pop());
                let update = exchange(expected, new);
                Action::Rmw { loc: self.locate(thread, at)?, order: success, failure, update }
            }
            Instruction::Await { at, operator, order, timed } => {
                let until = condition(operator, self.threads[thread].pop());
                Action::Await { loc: self.locate(thread, at)?, order, until, timed }
            }
            Instruction::AwaitCas { at, order, timed } => {
                let (new, expected) = (self.threads[thread].pop(), self.threads[thread].pop());
                let update = exchange(expected, new);
                Action::AwaitRmw { loc: self.locate(thread, at)?, order, update, timed }
            }
            Instruction::Lock(at) => {
                let update = exchange(0, 1);
                let loc = self.locate(thread, at)?;
                self.threads[thread].held.push(loc);
                Action::AwaitRmw { loc, order: Order::Acquire, update, timed: false }
            }
            Instruction::TryLock(at) => {
                let update = exchange(0, 1);
                let (loc, order) = (self.locate(thread, at)?, Order::Acquire);
                Action::Rmw { loc, order, failure: Order::Relaxed, update }
            }
            Instruction::Unlock(at) => {
                let loc = self.locate(thread, at)?;
                let held = &mut self.threads[thread].held;
                let Some(at) = held.iter().position(|&held| held == loc) else {
                    let name = &self.code.locations[loc.index()];
                    let message = format!("{name} is unlocked by a thread that does not hold it");
                    return Err(Problem::Misuse { message });
                };
                held.swap_remove(at);
                Action::Store { loc, order: Order::Release, value: 0 }
            }
            Instruction::Fence(order) => Action::Fence { order },
            Instruction::Yield => Action::Yield,
            Instruction::Assume if self.threads[thread].pop() == 0 => Action::Block,
            Instruction::Assert(text) if self.threads[thread].pop() == 0 => {
                let text = &self.code.texts[text as usize];
                return Err(Problem::Panic { message: format!("assertion fails: {text}") });
            }
            Instruction::Spawn => Action::Spawn,
            Instruction::Join(thread) => Action::Join { thread: ThreadId(thread) },
            Instruction::End => {
                // Asked again, the answer is the same.
                self.threads[thread].next -= 1;
                Action::End
            }
            _ => return Ok(None),
        };
        Ok(Some(action))
    }

    /// The location of an access, whose index is on top of the stack.
    fn locate(&mut self, thread: usize, Access { base, length }: Access) -> Result<LocId, Problem> {
        let state = &mut self.threads[thread];
        let loc = match length {
            None => base,
            Some(length) => {
                let index = state.pop();
                let inside = u32::try_from(index).ok().filter(|&index| index < length);
                let name = || self.code.locations[base.index()].trim_end_matches("[0]");
                let outside =
                    || format!("index {index} is outside of {}, which has {length} locations", name());
                LocId(base.0 + inside.ok_or_else(|| Problem::Misuse { message: outside() })?)
            }
        };
        state.last = Some(loc);
        Ok(loc)
    }

    /// Takes the answer to the last operation.
    fn take(&mut self, thread: usize, answer: Answer) -> Result<(), Problem> {
        let state = &mut self.threads[thread];
        // What it reads is not told apart from a timeout.
        let last = state.next.checked_sub(1).map(|last| self.code.instructions[last]);
        let timed = matches!(
            last,
            Some(Instruction::Await { timed: true, .. } | Instruction::AwaitCas { timed: true, .. })
        );
        if let (Answer::Value(_) | Answer::TimedOut, true) = (answer, timed) {
            state.stack.push(i64::from(answer == Answer::TimedOut));
        } else if let (Answer::Value(held), Some(Instruction::TryLock(_))) = (answer, last) {
            state.held.extend(state.last.filter(|_| held == 0));
            state.stack.push(i64::from(held == 0));
        } else if let Answer::Value(value) = answer {
            if let (FREED, true, Some(loc)) = (value, self.code.frees, state.last) {
                return Err(self.used_after_free(loc));
            }
            state.stack.push(value as i64);
        }
        Ok(())
    }

    fn used_after_free(&self, loc: LocId) -> Problem {
        Problem::Misuse {
            message: format!("{} is used after it was freed", self.code.locations[loc.index()]),
        }
    }

    /// Without races all accesses of what is freed are ordered, as the graph has them: none comes after.
    fn check_freed(&self, graph: &Graph) -> Result<(), Problem> {
        let mut freed = vec![false; self.code.locations.len()];
        for event in graph.events() {
            let Some(loc) = event.loc() else { continue };
            if freed[loc.index()] {
                return Err(self.used_after_free(loc));
            }
            freed[loc.index()] |= event.written == Some(FREED);
        }
        Ok(())
    }

    /// The value of an expression of outcomes.
    fn evaluate(&mut self, entry: u32, finals: &[u64]) -> Result<i64, Problem> {
        let mut state = State { next: entry as usize, ..State::default() };
        loop {
            let instruction = self.code.instructions[state.next];
            state.next += 1;
            match Self::local(instruction, &mut state, &mut self.registers, finals) {
                Local::Done => {}
                Local::Operation => return Ok(state.pop()),
                Local::DividesByZero => return Err(divides_by_zero()),
            }
        }
    }

    /// Notes an outcome and holds it against the claims.
    fn note(&mut self, finals: &[u64]) -> Result<(), Problem> {
        let code = Arc::clone(&self.code);
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.clear();
        for &(_, entry) in &code.outcome {
            outcome.push(self.evaluate(entry, finals)?);
        }
        self.seen.note(&outcome);
        self.outcome = outcome;
        for (number, claim) in code.claims.iter().enumerate() {
            let holds = self.evaluate(claim.entry, finals)? != 0;
            let message = match claim.kind {
                ClaimKind::Exists => {
                    self.seen.exists[number] |= holds;
                    continue;
                }
                ClaimKind::Forall if !holds => format!("not all outcomes satisfy: {}", claim.text),
                ClaimKind::Never if holds => format!("an outcome satisfies what none should: {}", claim.text),
                ClaimKind::Forall | ClaimKind::Never => continue,
            };
            return Err(Problem::Panic { message });
        }
        Ok(())
    }
}

fn divides_by_zero() -> Problem {
    Problem::Misuse { message: "division by zero".into() }
}

impl Program for Interpreter {
    fn start(&mut self) {
        self.registers.fill(0);
        for (state, &entry) in self.threads.iter_mut().zip(&self.code.entries) {
            state.next = entry as usize;
            state.stack.clear();
            state.held.clear();
        }
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, _fresh: LocId) -> Request {
        let number = thread.index();
        if let Err(problem) = self.take(number, answer) {
            let last = self.threads[number].next.saturating_sub(1);
            return Request { action: Action::Fail(problem), place: self.place(last) };
        }
        for step in 1..=STEPS {
            if step.is_multiple_of(POLL) && self.limits.check(0).is_err() {
                break;
            }
            let state = &mut self.threads[number];
            let at = state.next;
            let instruction = self.code.instructions[at];
            state.next += 1;
            let action = match Self::local(instruction, state, &mut self.registers, &[]) {
                Local::Done => continue,
                Local::Operation => self.operation(number, instruction),
                Local::DividesByZero => Err(divides_by_zero()),
            };
            match action {
                Ok(None) => {}
                Ok(Some(action)) => return Request { action, place: self.place(at) },
                Err(problem) => return Request { action: Action::Fail(problem), place: self.place(at) },
            }
        }
        let place = self.place(self.threads[number].next);
        let action = match self.limits.check(0) {
            Ok(()) => Action::Fail(Problem::TooLong { thread, reads: None }),
            Err(_) => Action::Block,
        };
        Request { action, place }
    }

    fn keep_to(&mut self, limits: Limits<'static>) {
        self.limits = limits;
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.code.initial(loc)
    }

    fn has_fixed_locations(&self) -> bool {
        true
    }

    fn local_state(&self, thread: ThreadId) -> Option<u64> {
        let mut hasher = FxHasher::default();
        let state = &self.threads[thread.index()];
        // Registers of other threads do not change while this one runs.
        (state.next, &state.stack, &self.registers).hash(&mut hasher);
        Some(hasher.finish())
    }

    fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
        if self.code.frees {
            self.check_freed(graph)?;
        }
        if self.code.finals.is_empty() {
            return self.note(&[]);
        }
        let code = Arc::clone(&self.code);
        let (finals, limits) = (self.finals.clone(), self.limits);
        finals.each(graph, &code.finals, &code.initial, &limits, |values| self.note(values))
    }

    fn is_lock(&self, loc: LocId) -> bool {
        self.code.locks.get(loc.index()).copied().unwrap_or_default()
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        self.code.threads.get(thread.index()).cloned()
    }

    fn location_name(&self, loc: LocId) -> Option<String> {
        self.code.locations.get(loc.index()).cloned()
    }
}
