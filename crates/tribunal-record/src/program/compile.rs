//! Micro-operations as steps that a thread can take: one way at each choice, atomic pairs as one.
//!
//! The load and the store of an atomic pair become a loop around a compare-and-exchange; so does an exchange that is assumed to read
//! an expected value, which gives way to the other ways of its instruction if it does not.

use super::Unrunnable;
use super::micros::{constants, expected, flattened, registers};
use super::steps::{At, Slot, Step};
use super::words::Words;
use std::sync::atomic::Ordering;
use tribunal_litmus::micro::{Access, Micro, Register, Temporary, Update};
use tribunal_litmus::{Test, Thread};

/// The steps of a thread, and how many slots they use.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    pub(super) slots: usize,
    /// The initial values of slots.
    pub(super) init: Vec<(Slot, i64)>,
    registers: Vec<Register>,
}

impl Code {
    pub(super) fn of(test: &Test, thread: &Thread, words: &Words) -> Result<Self, Unrunnable> {
        let mut compiler = Compiler {
            words,
            thread,
            registers: registers(thread),
            steps: Vec::new(),
            starts: Vec::new(),
            jumps: Vec::new(),
            base: 0,
            temporaries: 0,
            constants: Vec::new(),
            x86: test.arch.starts_with("X86"),
        };
        for instruction in &thread.code {
            compiler.starts.push(compiler.steps.len());
            compiler.base = compiler.temporaries;
            compiler.settle(&instruction.micros);
            compiler.micros(&instruction.micros, None).map_err(|what| Unrunnable::Instruction {
                test: test.name.clone(),
                line: instruction.position.line,
                what,
            })?;
        }
        compiler.starts.push(compiler.steps.len());
        compiler.steps.push(Step::Stop);
        compiler.link();
        let slot = |register: &Register| compiler.registers.iter().position(|r| r == register);
        let init = thread
            .registers
            .iter()
            .filter_map(|(register, value)| Some((Slot(slot(register)? as u16), words.of(*value)?)));
        Ok(Code {
            init: init.chain(compiler.constants.iter().copied()).collect(),
            slots: compiler.registers.len() + compiler.temporaries,
            steps: compiler.steps,
            registers: compiler.registers,
        })
    }

    /// The slot of a register; none if the thread never uses it.
    pub(super) fn slot(&self, register: Register) -> Option<Slot> {
        self.registers.iter().position(|r| *r == register).map(|index| Slot(index as u16))
    }
}

struct Compiler<'a> {
    words: &'a Words,
    thread: &'a Thread,
    registers: Vec<Register>,
    steps: Vec<Step>,
    /// The place where the steps of each instruction begin.
    starts: Vec<usize>,
    /// Jumps whose targets are still instructions.
    jumps: Vec<usize>,
    /// Where the temporaries of this instruction begin: each has its own, so that constants are there from the start.
    base: usize,
    temporaries: usize,
    constants: Vec<(Slot, i64)>,
    x86: bool,
}

impl Compiler<'_> {
    fn temporary(&mut self, temporary: Temporary) -> Slot {
        let index = self.base + usize::from(temporary.0);
        self.temporaries = self.temporaries.max(index + 1);
        Slot((self.registers.len() + index) as u16)
    }

    /// Constants that are given once are there before the thread begins: nothing comes between two accesses that need not.
    fn settle(&mut self, micros: &[Micro]) {
        let mut given = Vec::new();
        constants(micros, &mut given);
        for (index, (into, value)) in given.iter().enumerate() {
            let others = given
                .iter()
                .enumerate()
                .filter(|(other, (temporary, _))| *other != index && temporary == into);
            if let Some(value) = self.words.of(*value).filter(|_| others.count() == 0) {
                let slot = self.temporary(*into);
                self.constants.push((slot, value));
            }
        }
    }

    fn constant(&self, slot: Slot) -> Option<i64> {
        self.constants.iter().find(|(known, _)| *known == slot).map(|(_, value)| *value)
    }

    fn at(&mut self, address: Temporary) -> At {
        let slot = self.temporary(address);
        self.constant(slot).and_then(|address| self.words.cell(address)).map_or(At::Slot(slot), At::Cell)
    }

    fn register(&self, register: Register) -> Slot {
        Slot(self.registers.iter().position(|r| *r == register).unwrap_or(0) as u16)
    }

    fn target(&mut self, label: &str) -> Result<usize, String> {
        self.jumps.push(self.steps.len());
        self.thread.labels.get(label).copied().ok_or_else(|| format!("there is no label `{label}`"))
    }

    /// Jumps to instructions become jumps to steps.
    fn link(&mut self) {
        for jump in &self.jumps {
            if let Some(Step::Goto(target) | Step::If { target, .. }) = self.steps.get_mut(*jump) {
                *target = self.starts.get(*target).copied().unwrap_or(0);
            }
        }
    }

    /// `other` is where the next way begins, if an assumption fails: those steps are told in the end.
    fn micros(&mut self, micros: &[Micro], mut other: Option<&mut Vec<usize>>) -> Result<(), String> {
        // The atomic load that waits for its store: its step, its address, and what it read.
        let mut open: Option<(usize, Temporary, Temporary)> = None;
        let flat = flattened(micros);
        let mut index = 0;
        while let Some(micro) = flat.get(index) {
            index += 1;
            match micro {
                Micro::Constant { value, into } => {
                    let value = self.words.of(*value).ok_or("addresses of code are not run")?;
                    let into = self.temporary(*into);
                    if self.constant(into).is_none() {
                        self.steps.push(Step::Set { into, value });
                    }
                }
                Micro::ReadRegister { register, into, .. } => {
                    let (into, from) = (self.temporary(*into), self.register(*register));
                    self.steps.push(Step::Copy { into, from });
                }
                Micro::WriteRegister { register, from } => {
                    let (into, from) = (self.register(*register), self.temporary(*from));
                    self.steps.push(Step::Copy { into, from });
                }
                Micro::Unary { op, of, into } => {
                    let (of, into) = (self.temporary(*of), self.temporary(*into));
                    self.steps.push(Step::Unary { op: *op, of, into });
                }
                Micro::Binary { op, left, right, into } => {
                    let (left, right, into) =
                        (self.temporary(*left), self.temporary(*right), self.temporary(*into));
                    self.steps.push(Step::Binary { op: *op, left, right, into });
                }
                Micro::Load { address, into, access } => {
                    if access.atomic {
                        open = Some((self.steps.len(), *address, *into));
                    }
                    let (at, into) = (self.at(*address), self.temporary(*into));
                    self.steps.push(Step::Load { at, into, order: self.order(access, Half::Load) });
                }
                Micro::Store { address, value, access, .. } => {
                    let pair = open.filter(|(_, of, _)| access.atomic && of == address);
                    let (at, value) = (self.at(*address), self.temporary(*value));
                    match pair {
                        // Another was faster: once more from the load.
                        Some((load, _, read)) => {
                            let expected = self.temporary(read);
                            let into = Slot((self.registers.len() + self.temporaries) as u16);
                            self.temporaries += 1;
                            let order = Ordering::SeqCst;
                            self.steps.push(Step::CompareExchange {
                                at,
                                expected,
                                value,
                                into,
                                order,
                                other: load,
                            });
                        }
                        None => {
                            self.steps.push(Step::Store { at, value, order: self.order(access, Half::Store) })
                        }
                    }
                }
                Micro::Update { address, update, into, access } => {
                    let order = self.order(access, Half::Both);
                    let guard = expected(&flat, index, *into);
                    let (at, into) = (self.at(*address), self.temporary(*into));
                    match (*update, guard, other.as_deref_mut()) {
                        (Update::Exchange(value), Some((expected, after)), Some(other)) => {
                            let (value, expected) = (self.temporary(value), self.temporary(expected));
                            other.push(self.steps.len());
                            self.steps.push(Step::CompareExchange {
                                at,
                                expected,
                                value,
                                into,
                                order,
                                other: 0,
                            });
                            index = after;
                        }
                        (Update::Exchange(value), ..) => {
                            let value = self.temporary(value);
                            self.steps.push(Step::Swap { at, value, into, order });
                        }
                        (Update::Fetch(op, value), ..) => {
                            let value = self.temporary(value);
                            self.steps.push(Step::Fetch { at, op, value, into, order });
                        }
                    }
                }
                Micro::Fence { sets } => {
                    let order =
                        sets.iter().find_map(|set| fence(set)).ok_or("a fence that no machine has")?;
                    self.steps.push(Step::Fence(order));
                }
                Micro::Branch { condition, target } => {
                    let condition = self.temporary(*condition);
                    let target = self.target(target)?;
                    self.steps.push(Step::If { condition, zero: false, target });
                }
                Micro::Unless { condition, target, .. } => {
                    let condition = self.temporary(*condition);
                    let target = self.target(target)?;
                    self.steps.push(Step::If { condition, zero: true, target });
                }
                Micro::Jump { target } | Micro::Repeat { target } => {
                    let target = self.target(target)?;
                    self.steps.push(Step::Goto(target));
                }
                Micro::Stop => self.steps.push(Step::Stop),
                Micro::Assume { condition } => {
                    let Some(other) = other.as_deref_mut() else {
                        return Err("a choice that no machine makes".into());
                    };
                    let condition = self.temporary(*condition);
                    other.push(self.steps.len());
                    self.steps.push(Step::If { condition, zero: true, target: 0 });
                }
                Micro::Either { ways } => self.either(ways)?,
                Micro::Predicate { .. } | Micro::Ordered { .. } | Micro::Controlled { .. } => {}
                Micro::Mark { .. } => return Err("locks are not run".into()),
                Micro::JumpTo { .. } | Micro::Label { .. } | Micro::Next { .. } => {
                    return Err("addresses of code are not run".into());
                }
            }
        }
        Ok(())
    }

    /// Tries the ways in turn, those that write first; where all fail, memory has changed between, and they are tried again.
    fn either(&mut self, ways: &[Vec<Micro>]) -> Result<(), String> {
        let writes = |way: &Vec<Micro>| {
            flattened(way).iter().any(|micro| {
                matches!(micro, Micro::Update { .. })
                    || matches!(micro, Micro::Store { access, .. } if access.atomic)
            })
        };
        let mut ordered: Vec<&Vec<Micro>> = ways.iter().collect();
        ordered.sort_by_key(|way| !writes(way));
        let begin = self.steps.len();
        let mut ends = Vec::new();
        for (index, way) in ordered.iter().enumerate() {
            let mut failing = Vec::new();
            self.micros(way, Some(&mut failing))?;
            ends.push(self.steps.len());
            self.steps.push(Step::Goto(0));
            let next = if index + 1 == ordered.len() { begin } else { self.steps.len() };
            for step in failing {
                match &mut self.steps[step] {
                    Step::If { target, .. } => *target = next,
                    Step::CompareExchange { other, .. } => *other = next,
                    _ => {}
                }
            }
        }
        let after = self.steps.len();
        for end in ends {
            self.steps[end] = Step::Goto(after);
        }
        Ok(())
    }

    /// On x86 plain accesses are as strong as acquire loads and release stores, and no compiler may make them weaker.
    fn order(&self, access: &Access, half: Half) -> Ordering {
        let named = access.sets.iter().find_map(|set| match set.as_ref() {
            "RLX" => Some(Ordering::Relaxed),
            "CON" | "ACQ" => Some(Ordering::Acquire),
            "REL" => Some(Ordering::Release),
            "ACQ_REL" => Some(Ordering::AcqRel),
            "SC" => Some(Ordering::SeqCst),
            _ => None,
        });
        match (named, half) {
            (None, Half::Load) if self.x86 => Ordering::Acquire,
            (None, Half::Store) if self.x86 => Ordering::Release,
            (None, _) => Ordering::Relaxed,
            (Some(Ordering::Release | Ordering::AcqRel), Half::Load) => Ordering::Acquire,
            (Some(Ordering::Acquire | Ordering::AcqRel), Half::Store) => Ordering::Release,
            (Some(order), _) => order,
        }
    }
}

/// A part of an access.
#[derive(Clone, Copy)]
enum Half {
    Load,
    Store,
    Both,
}

fn fence(set: &str) -> Option<Ordering> {
    Some(match set {
        "MFENCE" | "SC" => Ordering::SeqCst,
        "SFENCE" | "REL" => Ordering::Release,
        "LFENCE" | "ACQ" | "CON" => Ordering::Acquire,
        "ACQ_REL" => Ordering::AcqRel,
        _ => return None,
    })
}
