//! RISC-V, with the tests' pseudo-instructions: loads and stores with `.aq` and `.rl`.

use super::cursor::Result;
use super::reader::{Conditional, Reader};
use super::{Arch, Context};
use crate::micro::{Access, Builder, Micro, Register, Temporary, Update};
use crate::value::{Binary, Size, Unary};

/// RISC-V.
pub struct RiscV;

/// `x0` is zero whatever is written to it.
const ZERO: Register = Register(0);
/// The address that the last `lr` reserved; 0 where there is none.
const RESERVATION: Register = Register(32);

/// The names of the calling convention, by number.
const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

const SETS: &[&str] = &[
    "X",
    "EX",
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    "AMO",
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
];

impl Arch for RiscV {
    fn name(&self) -> &'static str {
        "RISCV"
    }

    fn register(&self, name: &str) -> Option<Register> {
        let number = match name.strip_prefix('x').and_then(|n| n.parse::<u16>().ok()) {
            Some(number) if number < 32 => number,
            _ if name == "fp" => 8,
            _ => u16::try_from(ABI.iter().position(|abi| *abi == name)?).ok()?,
        };
        Some(Register(number))
    }

    fn register_name(&self, register: Register) -> String {
        format!("x{}", register.0)
    }

    fn sets(&self) -> &'static [&'static str] {
        SETS
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line(Reader::new(&RiscV, Some(ZERO), text, context));
        line.instruction()?;
        line.0.finish()
    }
}

struct Line<'a, 'c>(Reader<'a, 'c>);

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.0.cursor;
        let mnemonic = self.0.cursor.mnemonic();
        if let Some((op, word)) = register_operation(mnemonic) {
            let (to, left) = (self.0.register()?, self.0.comma_register()?);
            let right = self.0.comma_register()?;
            let (left, right) = (self.0.read(left), self.0.read(right));
            let right = match op {
                // Of a shift's width only as many bits count as a register has places.
                Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
                    self.0.with_number(Binary::And, right, if word { 31 } else { 63 })
                }
                _ => right,
            };
            let value = self.0.out.binary(op, left, right);
            self.write_as(to, value, word);
            return Ok(());
        }
        if let Some((op, word)) = immediate_operation(mnemonic) {
            let (to, left) = (self.0.register()?, self.0.comma_register()?);
            let right = self.0.comma_number()?;
            self.operate(to, op, left, right, word);
            return Ok(());
        }
        if let Some(condition) = branch_condition(mnemonic) {
            let (left, right) = (self.0.register()?, self.0.comma_register()?);
            self.0.cursor.expect(",")?;
            let target = self.0.cursor.label()?;
            let (left, right) = (self.0.read(left), self.0.read(right));
            let holds = condition.write(&mut self.0.out, left, right);
            self.0.out.branch(holds, target);
            return Ok(());
        }
        let (base, order) = Order::of(mnemonic);
        match base {
            "nop" | "NOP" => {}
            "li" => {
                let to = self.0.register()?;
                let value = self.0.comma_number()?;
                self.operate(to, Binary::Or, ZERO, value, false);
            }
            "lui" => {
                let to = self.0.register()?;
                let value = self.0.comma_number()?;
                let value = self.0.out.constant(i64::from((value as i32).wrapping_shl(12)));
                self.0.write(to, value);
            }
            "mv" | "MV" => {
                let (to, from) = (self.0.register()?, self.0.comma_register()?);
                self.operate(to, Binary::Add, from, 0, false);
            }
            "sext.w" => {
                let (to, from) = (self.0.register()?, self.0.comma_register()?);
                let value = self.0.read(from);
                let value = self.0.out.unary(Unary::Sign(Size::Word), value);
                self.0.write(to, value);
            }
            "la" => {
                let to = self.0.register()?;
                self.0.cursor.expect(",")?;
                let target = self.0.cursor.label()?;
                let address = self.0.out.label(target);
                self.0.write(to, address);
            }
            "ret" => self.0.out.push(Micro::Stop),
            "j" => {
                let target = self.0.cursor.label()?;
                self.0.out.jump(target);
            }
            "fence" => self.fence()?,
            "fence.i" => self.0.out.fence(&["Fence.i"]),
            "fence.tso" => self.0.out.fence(&["Fence.tso"]),
            "lr.w" | "lr.d" => self.load_reserved(size_of(base), order)?,
            "sc.w" | "sc.d" => self.store_conditional(size_of(base), order)?,
            "lb" | "lbu" | "lh" | "lhu" | "lw" | "lwu" | "ld" => {
                let to = self.0.register()?;
                self.0.cursor.expect(",")?;
                let address = self.address()?;
                let size = size_of(base);
                let value = self.0.out.load(address, Access::new(size, order.sets()));
                let unsigned = base.ends_with('u');
                let value = if unsigned { self.0.out.unary(Unary::Zero(size), value) } else { value };
                self.0.write(to, value);
            }
            "sb" | "sh" | "sw" | "sd" => {
                let from = self.0.register()?;
                self.0.cursor.expect(",")?;
                let value = self.0.data(from);
                let address = self.address()?;
                self.0.out.store(address, value, Access::new(size_of(base), order.sets()));
            }
            _ => match amo(base) {
                Some((op, size)) => self.amo(op, size, order)?,
                None => return Err(start.unknown()),
            },
        }
        Ok(())
    }

    /// `k(r)` or `(r)`.
    fn address(&mut self) -> Result<Temporary> {
        let offset = if self.0.cursor.sees("(") { 0 } else { self.0.cursor.number()? };
        self.0.cursor.expect("(")?;
        let base = self.0.register()?;
        self.0.cursor.expect(")")?;
        let base = self.0.read(base);
        Ok(self.0.offset(base, offset))
    }

    /// Writes a result, of 32 bits for the instructions whose names end in `w`.
    fn write_as(&mut self, register: Register, value: Temporary, word: bool) {
        let value = if word { self.0.out.unary(Unary::Sign(Size::Word), value) } else { value };
        self.0.write(register, value);
    }

    fn operate(&mut self, to: Register, op: Binary, left: Register, right: i64, word: bool) {
        let (left, right) = (self.0.read(left), self.0.out.constant(right));
        let value = self.0.out.binary(op, left, right);
        self.write_as(to, value, word);
    }

    fn fence(&mut self) -> Result<()> {
        if self.0.cursor.is_done() {
            self.0.out.fence(&["Fence.rw.rw"]);
            return Ok(());
        }
        let before = self.accesses()?;
        self.0.cursor.expect(",")?;
        let after = self.accesses()?;
        let set = match (before, after) {
            ("r", "r") => "Fence.r.r",
            ("r", "w") => "Fence.r.w",
            ("r", _) => "Fence.r.rw",
            ("w", "r") => "Fence.w.r",
            ("w", "w") => "Fence.w.w",
            ("w", _) => "Fence.w.rw",
            (_, "r") => "Fence.rw.r",
            (_, "w") => "Fence.rw.w",
            _ => "Fence.rw.rw",
        };
        self.0.out.fence(&[set]);
        Ok(())
    }

    /// What a fence orders; devices' accesses are as memory's.
    fn accesses(&mut self) -> Result<&'static str> {
        let before = self.0.cursor;
        match self.0.cursor.word("r, w or rw")? {
            "r" | "ir" => Ok("r"),
            "w" | "ow" => Ok("w"),
            "rw" | "iorw" => Ok("rw"),
            _ => {
                self.0.cursor = before;
                Err(self.0.cursor.error("r, w or rw"))
            }
        }
    }

    fn load_reserved(&mut self, size: Size, order: Order) -> Result<()> {
        let to = self.0.register()?;
        self.0.cursor.expect(",")?;
        let address = self.address()?;
        self.0.out.write(RESERVATION, address);
        // A release has no meaning on a load: as if it were not there.
        let order = if order == Order::Release { Order::Relaxed } else { order };
        let value = self.0.out.load(address, Access::exclusive(size, order.exclusive_sets()));
        self.0.write(to, value);
        Ok(())
    }

    /// Either outcome; success needs the reservation. The result depends on the store and, as herd has it, on the address.
    fn store_conditional(&mut self, size: Size, order: Order) -> Result<()> {
        let (to, from) = (self.0.register()?, self.0.comma_register()?);
        self.0.cursor.expect(",")?;
        let order = if order == Order::Acquire { Order::Relaxed } else { order };
        let value = self.0.data(from);
        let address = self.address()?;
        let access = Access::exclusive(size, order.exclusive_sets());
        Conditional { reservation: RESERVATION, address, value, access }.write(
            &mut self.0.out,
            |out, done| {
                if to != ZERO {
                    let success = out.binary(Binary::Xor, address, address);
                    out.controlled(done, |out| out.write(to, success));
                }
            },
            |out| {
                if to != ZERO {
                    let failure = out.constant(1);
                    out.write(to, failure);
                }
            },
        );
        Ok(())
    }

    fn amo(&mut self, op: Option<Binary>, size: Size, order: Order) -> Result<()> {
        let (to, from) = (self.0.register()?, self.0.comma_register()?);
        self.0.cursor.expect(",")?;
        let value = self.0.data(from);
        let address = self.address()?;
        let update = op.map_or(Update::Exchange(value), |op| Update::Fetch(op, value));
        let old = self.0.out.update(address, update, Access::new(size, order.amo_sets()));
        self.0.write(to, old);
        Ok(())
    }
}

/// The ordering bits of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

impl Order {
    /// A mnemonic without its ordering bits, and these.
    fn of(mnemonic: &str) -> (&str, Self) {
        let both = mnemonic.strip_suffix(".aq.rl").or_else(|| mnemonic.strip_suffix(".aqrl"));
        if let Some(base) = both {
            (base, Self::AcquireRelease)
        } else if let Some(base) = mnemonic.strip_suffix(".aq") {
            (base, Self::Acquire)
        } else if let Some(base) = mnemonic.strip_suffix(".rl") {
            (base, Self::Release)
        } else {
            (mnemonic, Self::Relaxed)
        }
    }

    fn sets(self) -> &'static [&'static str] {
        match self {
            Self::Relaxed => &[],
            Self::Acquire => &["Acq"],
            Self::Release => &["Rel"],
            Self::AcquireRelease => &["AcqRel"],
        }
    }

    fn exclusive_sets(self) -> &'static [&'static str] {
        match self {
            Self::Relaxed => &["X"],
            Self::Acquire => &["X", "Acq"],
            Self::Release => &["X", "Rel"],
            Self::AcquireRelease => &["X", "AcqRel"],
        }
    }

    fn amo_sets(self) -> &'static [&'static str] {
        match self {
            Self::Relaxed => &["X", "AMO"],
            Self::Acquire => &["X", "AMO", "Acq"],
            Self::Release => &["X", "AMO", "Rel"],
            Self::AcquireRelease => &["X", "AMO", "AcqRel"],
        }
    }
}

/// The size that a mnemonic's letter says: `lbu`, `sw`, `lr.d`.
fn size_of(mnemonic: &str) -> Size {
    match mnemonic.trim_end_matches('u').chars().last() {
        Some('b') => Size::Byte,
        Some('h') => Size::Short,
        Some('d') => Size::Quad,
        _ => Size::Word,
    }
}

/// An operation on two registers, and whether it is one of 32 bits.
fn register_operation(mnemonic: &str) -> Option<(Binary, bool)> {
    let op = match mnemonic {
        "add" | "addw" => Binary::Add,
        "sub" | "subw" => Binary::Sub,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "sll" | "sllw" => Binary::ShiftLeft,
        "srl" => Binary::ShiftRight,
        "sra" => Binary::ShiftRightSigned,
        "slt" => Binary::Lt,
        "sltu" => Binary::LtUnsigned,
        "mul" => Binary::Mul,
        _ => return None,
    };
    Some((op, mnemonic.ends_with('w')))
}

/// An operation on a register and a number, and whether it is one of 32 bits.
fn immediate_operation(mnemonic: &str) -> Option<(Binary, bool)> {
    let op = match mnemonic {
        "addi" | "addiw" => Binary::Add,
        "andi" => Binary::And,
        "ori" => Binary::Or,
        "xori" => Binary::Xor,
        "slli" | "slliw" => Binary::ShiftLeft,
        "srli" => Binary::ShiftRight,
        "srai" => Binary::ShiftRightSigned,
        "slti" => Binary::Lt,
        "sltiu" => Binary::LtUnsigned,
        _ => return None,
    };
    Some((op, mnemonic.ends_with('w')))
}

/// A comparison of two registers, negated where there is no such operation.
struct Condition {
    op: Binary,
    negated: bool,
}

impl Condition {
    fn write(&self, out: &mut Builder, left: Temporary, right: Temporary) -> Temporary {
        let holds = out.binary(self.op, left, right);
        if self.negated { out.unary(Unary::IsZero, holds) } else { holds }
    }
}

fn branch_condition(mnemonic: &str) -> Option<Condition> {
    let (op, negated) = match mnemonic {
        "beq" => (Binary::Eq, false),
        "bne" => (Binary::Ne, false),
        "blt" => (Binary::Lt, false),
        "bge" => (Binary::Ge, false),
        "bltu" => (Binary::LtUnsigned, false),
        "bgeu" => (Binary::LtUnsigned, true),
        _ => return None,
    };
    Some(Condition { op, negated })
}

/// What an `amo` does beside exchanging, and its size.
fn amo(base: &str) -> Option<(Option<Binary>, Size)> {
    let (name, size) = base.strip_prefix("amo")?.split_once('.')?;
    let op = match name {
        "swap" => None,
        "add" => Some(Binary::Add),
        "and" => Some(Binary::And),
        "or" => Some(Binary::Or),
        "xor" => Some(Binary::Xor),
        "max" => Some(Binary::Max),
        "min" => Some(Binary::Min),
        "maxu" => Some(Binary::MaxUnsigned),
        "minu" => Some(Binary::MinUnsigned),
        _ => return None,
    };
    match size {
        "w" => Some((op, Size::Word)),
        "d" => Some((op, Size::Quad)),
        _ => None,
    }
}
