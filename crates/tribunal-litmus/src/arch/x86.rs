//! X86, in Intel's syntax: `MOV EAX,[x]`. Locations are named by instructions.

use super::{Arch, Context};
use crate::micro::{Access, Builder, Micro, Register, Temporary};
use crate::syntax::literal;
use crate::value::{Binary, Size, Unary, Value};

/// X86.
pub struct X86;

const REGISTERS: [&str; 10] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "ESP", "EBP", "EIP", "ZF"];
pub(super) const ZF: Register = Register(30);
pub(super) const SF: Register = Register(31);
pub(super) const CF: Register = Register(32);

impl Arch for X86 {
    fn name(&self) -> &'static str {
        "X86"
    }

    fn register(&self, name: &str) -> Option<Register> {
        REGISTERS[..9].iter().position(|r| *r == name).map(|index| Register(index as u16))
    }

    fn register_name(&self, register: Register) -> String {
        REGISTERS.get(usize::from(register.0)).map_or_else(|| "?".to_owned(), |r| (*r).to_owned())
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "MFENCE", "SFENCE", "LFENCE"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>, String> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mnemonic = mnemonic.to_ascii_uppercase();
        if mnemonic == "LOCK" {
            let (inner, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
            let inner = inner.to_ascii_uppercase();
            if !matches!(inner.as_str(), "XCHG" | "ADD" | "XOR" | "OR" | "INC" | "DEC") {
                return Err(format!("`{inner}` cannot be locked"));
            }
            return instruction(&inner, &self.operands(rest, context)?, Size::Word, true);
        }
        if mnemonic.starts_with('J') {
            return jump(&mnemonic, rest.trim());
        }
        instruction(&mnemonic, &self.operands(rest, context)?, Size::Word, false)
    }
}

/// What an instruction names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Register),
    Immediate(i64),
    /// A location of that name.
    Named(Value),
    /// What a register points to, some bytes further.
    Pointed(Register, i64),
}

impl X86 {
    fn operands(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Operand>, String> {
        text.split(',').map(str::trim).filter(|o| !o.is_empty()).map(|o| self.operand(o, context)).collect()
    }

    fn operand(&self, text: &str, context: &mut dyn Context) -> Result<Operand, String> {
        if let Some(register) = self.register(text) {
            return Ok(Operand::Register(register));
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            let inner = inner.trim();
            return Ok(match self.register(inner) {
                Some(register) => Operand::Pointed(register, 0),
                None => Operand::Named(Value::Address(context.symbol(inner), 0)),
            });
        }
        immediate(text.strip_prefix('$').unwrap_or(text))
            .map(Operand::Immediate)
            .ok_or_else(|| format!("`{text}` is no operand"))
    }
}

pub(super) fn immediate(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(digits) => literal(digits).map(i64::wrapping_neg),
        None => literal(text),
    }
}

/// Where an operand that is written is: in a register or in memory.
#[derive(Clone, Copy)]
enum Target {
    Register(Register),
    Memory(Temporary),
}

fn target(i: &mut Builder, operand: Operand) -> Result<Target, String> {
    Ok(match operand {
        Operand::Register(register) => Target::Register(register),
        Operand::Named(address) => Target::Memory(i.value(address)),
        Operand::Pointed(register, offset) => {
            let base = i.address(register);
            let offset = i.constant(offset);
            Target::Memory(i.binary(Binary::Add, base, offset))
        }
        Operand::Immediate(_) => return Err("a number cannot be written".to_owned()),
    })
}

fn access(size: Size, locked: bool) -> Access {
    if locked { Access::atomic(size, &["X"]) } else { Access::new(size, &[]) }
}

fn read(i: &mut Builder, from: Target, size: Size, locked: bool) -> Temporary {
    match from {
        Target::Register(register) => {
            let value = i.data(register);
            i.unary(Unary::Sign(size), value)
        }
        Target::Memory(address) => i.load(address, access(size, locked)),
    }
}

/// What a register holds after a part of it was written: a word clears the upper half, less leaves the rest as it was.
fn placed(i: &mut Builder, register: Register, value: Temporary, size: Size) -> Temporary {
    let low = i.unary(Unary::Zero(size), value);
    let ones = match size {
        Size::Word | Size::Quad => return low,
        Size::Byte => 0xff,
        Size::Short => 0xffff,
    };
    let (old, ones) = (i.address(register), i.constant(ones));
    let rest = i.binary(Binary::AndNot, old, ones);
    i.binary(Binary::Or, rest, low)
}

fn write(i: &mut Builder, to: Target, value: Temporary, size: Size, locked: bool) {
    match to {
        Target::Register(register) => {
            let value = placed(i, register, value, size);
            i.write(register, value);
        }
        Target::Memory(address) => {
            i.store(address, value, access(size, locked));
        }
    }
}

fn source(i: &mut Builder, operand: Operand, size: Size, locked: bool) -> Result<Temporary, String> {
    if let Operand::Immediate(value) = operand {
        let value = i.constant(value);
        return Ok(i.unary(Unary::Sign(size), value));
    }
    let from = target(i, operand)?;
    Ok(read(i, from, size, locked))
}

/// Flags as a comparison sets them: zero, greater; there is never a carry.
fn flags(i: &mut Builder, left: Temporary, right: Temporary) {
    let zero = i.binary(Binary::Eq, left, right);
    i.write(ZF, zero);
    let greater = i.binary(Binary::Gt, left, right);
    i.write(SF, greater);
    let none = i.constant(0);
    i.write(CF, none);
}

pub(super) fn instruction(
    mnemonic: &str,
    operands: &[Operand],
    size: Size,
    locked: bool,
) -> Result<Vec<Micro>, String> {
    let mut i = Builder::default();
    let arithmetic = match mnemonic {
        "XOR" => Some(Binary::Xor),
        "OR" => Some(Binary::Or),
        "ADD" => Some(Binary::Add),
        "AND" => Some(Binary::And),
        "SUB" => Some(Binary::Sub),
        "SHL" => Some(Binary::ShiftLeft),
        _ => None,
    };
    match (mnemonic, operands) {
        ("MOV", [to, from]) => {
            let to = target(&mut i, *to)?;
            let value = source(&mut i, *from, size, locked)?;
            write(&mut i, to, value, size, locked);
        }
        ("XCHG", [left, right]) => {
            let (left, right) = (target(&mut i, *left)?, target(&mut i, *right)?);
            let was_left = read(&mut i, left, size, true);
            let was_right = read(&mut i, right, size, true);
            i.controlled(was_left, |i| write(i, left, was_right, size, true));
            i.controlled(was_right, |i| write(i, right, was_left, size, true));
        }
        (_, [to, from]) if arithmetic.is_some() => {
            let op = arithmetic.unwrap_or(Binary::Add);
            let to = target(&mut i, *to)?;
            let left = read(&mut i, to, size, locked);
            let right = source(&mut i, *from, size, locked)?;
            let result = i.binary(op, left, right);
            let result = i.unary(Unary::Sign(size), result);
            write(&mut i, to, result, size, locked);
            let zero = i.constant(0);
            flags(&mut i, result, zero);
        }
        ("INC" | "DEC", [to]) => {
            let to = target(&mut i, *to)?;
            let left = read(&mut i, to, size, locked);
            let one = i.constant(1);
            let result = i.binary(if mnemonic == "INC" { Binary::Add } else { Binary::Sub }, left, one);
            let result = i.unary(Unary::Sign(size), result);
            write(&mut i, to, result, size, locked);
            let zero = i.constant(0);
            let is_zero = i.binary(Binary::Eq, result, zero);
            i.write(ZF, is_zero);
            let greater = i.binary(Binary::Gt, result, zero);
            i.write(SF, greater);
        }
        ("CMP", [left, right]) => {
            let left = source(&mut i, *left, size, locked)?;
            let right = source(&mut i, *right, size, locked)?;
            flags(&mut i, left, right);
        }
        ("READ", [from]) => {
            source(&mut i, *from, size, locked)?;
        }
        ("MFENCE", []) => i.fence(&["MFENCE"]),
        ("SFENCE", []) => i.fence(&["SFENCE"]),
        ("LFENCE", []) => i.fence(&["LFENCE"]),
        ("NOP", _) => {}
        _ => return Err("this instruction is not supported".to_owned()),
    }
    Ok(i.finish())
}

pub(super) fn jump(mnemonic: &str, label: &str) -> Result<Vec<Micro>, String> {
    let mut i = Builder::default();
    if mnemonic == "JMP" {
        i.jump(label);
        return Ok(i.finish());
    }
    let one = i.constant(1);
    let not = |i: &mut Builder, flag: Temporary| i.binary(Binary::Xor, flag, one);
    let condition = match mnemonic {
        "JE" | "JZ" => i.address(ZF),
        "JNE" | "JNZ" => {
            let zero = i.address(ZF);
            not(&mut i, zero)
        }
        "JG" | "JGT" | "JS" => i.address(SF),
        "JLE" | "JNS" => {
            let greater = i.address(SF);
            not(&mut i, greater)
        }
        "JGE" => {
            let (zero, greater) = (i.address(ZF), i.address(SF));
            i.binary(Binary::Or, zero, greater)
        }
        // As herd has it: zero, or not greater.
        "JL" | "JLT" => {
            let (zero, greater) = (i.address(ZF), i.address(SF));
            let smaller = not(&mut i, greater);
            i.binary(Binary::Or, zero, smaller)
        }
        _ => return Err("this instruction is not supported".to_owned()),
    };
    i.branch(condition, label);
    Ok(i.finish())
}
