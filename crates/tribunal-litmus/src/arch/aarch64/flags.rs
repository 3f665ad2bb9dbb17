//! The flags N, Z, C and V, conditions on them, and conditional selection.

use super::{Line, NZCV};
use crate::arch::cursor::Result;
use crate::micro::{Micro, Temporary};
use crate::value::{Binary, Size, Unary};

/// A condition: bits of the flags, and whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Condition {
    kind: Kind,
    negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One bit.
    Bit(i64),
    /// C without Z: unsigned greater.
    Higher,
    /// N as V: signed greater or equal.
    GreaterEqual,
    /// The same without Z.
    Greater,
    Always,
}

/// The condition of a name.
pub(super) fn condition(name: &str) -> Option<Condition> {
    let (kind, negated) = match name {
        "eq" => (Kind::Bit(2), false),
        "ne" => (Kind::Bit(2), true),
        "cs" | "hs" => (Kind::Bit(1), false),
        "cc" | "lo" => (Kind::Bit(1), true),
        "mi" => (Kind::Bit(3), false),
        "pl" => (Kind::Bit(3), true),
        "vs" => (Kind::Bit(0), false),
        "vc" => (Kind::Bit(0), true),
        "hi" => (Kind::Higher, false),
        "ls" => (Kind::Higher, true),
        "ge" => (Kind::GreaterEqual, false),
        "lt" => (Kind::GreaterEqual, true),
        "gt" => (Kind::Greater, false),
        "le" => (Kind::Greater, true),
        "al" => (Kind::Always, false),
        _ => return None,
    };
    Some(Condition { kind, negated })
}

/// What a selection does with its second register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Second {
    Copy,
    Increment,
    Invert,
    Negate,
}

impl Line<'_, '_> {
    /// 1 if a condition holds of these flags, else 0.
    pub(super) fn holds(&mut self, condition: Condition, flags: Temporary) -> Temporary {
        let bit = |line: &mut Self, k| line.reader.bit(flags, k);
        let holds = match condition.kind {
            Kind::Bit(k) => bit(self, k),
            Kind::Higher => {
                let (carry, zero) = (bit(self, 1), bit(self, 2));
                self.reader.out.binary(Binary::AndNot, carry, zero)
            }
            Kind::GreaterEqual | Kind::Greater => {
                let (negative, overflow) = (bit(self, 3), bit(self, 0));
                let same = self.reader.out.binary(Binary::Eq, negative, overflow);
                if condition.kind == Kind::Greater {
                    let zero = bit(self, 2);
                    self.reader.out.binary(Binary::AndNot, same, zero)
                } else {
                    same
                }
            }
            Kind::Always => self.reader.out.constant(1),
        };
        if condition.negated { self.reader.is_zero(holds) } else { holds }
    }

    /// Sets the flags by a result and, for sums and differences, their two operands. Carry and overflow as Hacker's Delight, 2-13, has them.
    pub(super) fn set_flags(
        &mut self,
        size: Size,
        result: Temporary,
        operands: Option<(Binary, Temporary, Temporary)>,
    ) {
        let sign = i64::from(size.bytes()) * 8 - 1;
        let zero = self.reader.is_zero(result);
        let zero = self.reader.with_number(Binary::ShiftLeft, zero, 2);
        let negative = self.reader.bit(result, sign);
        let negative = self.reader.with_number(Binary::ShiftLeft, negative, 3);
        let mut flags = self.reader.out.binary(Binary::Or, zero, negative);
        if let Some((op, left, right)) = operands {
            let subtracts = op == Binary::Sub;
            let out = &mut self.reader.out;
            // A difference is the sum with the inverse, and one more.
            let other = if subtracts { out.unary(Unary::Not, right) } else { right };
            let both = out.binary(Binary::And, left, other);
            let any = out.binary(Binary::Or, left, other);
            let lost = out.binary(Binary::AndNot, any, result);
            let carry = out.binary(Binary::Or, both, lost);
            let (a, b) = (out.binary(Binary::Xor, result, left), out.binary(Binary::Xor, result, other));
            let overflow = out.binary(Binary::And, a, b);
            let carry = self.reader.bit(carry, sign);
            let carry = self.reader.with_number(Binary::ShiftLeft, carry, 1);
            let overflow = self.reader.bit(overflow, sign);
            flags = self.reader.out.binary(Binary::Or, flags, carry);
            flags = self.reader.out.binary(Binary::Or, flags, overflow);
        }
        self.reader.write(NZCV, flags);
    }

    /// `csel` and its kin: a predicate event, and the register that it picks.
    pub(super) fn selection(&mut self, mnemonic: &str) -> Result<bool> {
        let second = match mnemonic {
            "csel" => Second::Copy,
            "csinc" | "cset" | "cinc" => Second::Increment,
            "csinv" | "csetm" | "cinv" => Second::Invert,
            "csneg" | "cneg" => Second::Negate,
            _ => return Ok(false),
        };
        let to = self.register()?;
        let zero = super::operands::Operand { register: super::ZERO, ..to };
        let (first, other) = match mnemonic {
            "cset" | "csetm" => (zero, zero),
            "cinc" | "cinv" | "cneg" => {
                let from = self.comma_operand()?;
                (from, from)
            }
            _ => (self.comma_operand()?, self.comma_operand()?),
        };
        self.cursor().expect(",")?;
        let name = self.cursor().word("a condition")?.to_ascii_lowercase();
        let Some(mut condition) = condition(&name) else {
            return Err(format!("there is no condition `{name}`"));
        };
        if !mnemonic.starts_with("cs") || mnemonic.starts_with("cset") {
            condition.negated = !condition.negated;
        }
        let flags = self.reader.read(NZCV);
        let holds = self.holds(condition, flags);
        let fails = self.reader.is_zero(holds);
        let mut ways = Vec::new();
        for (picked, guard, second) in [(first, holds, Second::Copy), (other, fails, second)] {
            let outer = self.reader.out.open();
            self.reader.out.assume(guard);
            self.reader.out.push(Micro::Predicate { condition: guard });
            let value = self.reader.data(picked.register);
            let value = self.narrow(to.size, value);
            let value = match second {
                Second::Copy => value,
                Second::Increment => self.reader.with_number(Binary::Add, value, 1),
                Second::Invert => self.reader.out.unary(Unary::Not, value),
                Second::Negate => {
                    let nothing = self.reader.out.constant(0);
                    self.reader.out.binary(Binary::Sub, nothing, value)
                }
            };
            let value = self.narrow(to.size, value);
            self.reader.write(to.register, value);
            ways.push(self.reader.out.close(outer));
        }
        self.reader.out.push(Micro::Either { ways });
        Ok(true)
    }
}
