//! Moves, arithmetic, and operations on bits.

use super::Line;
use super::operands::{Operand, extension};
use crate::arch::cursor::Result;
use crate::micro::Temporary;
use crate::value::{Binary, Size, Unary};

/// An operation on two registers: what it does, whether the second is inverted, and whether it sets the flags.
fn operation(mnemonic: &str) -> Option<(Binary, bool, bool)> {
    Some(match mnemonic {
        "add" => (Binary::Add, false, false),
        "adds" => (Binary::Add, false, true),
        "sub" => (Binary::Sub, false, false),
        "subs" => (Binary::Sub, false, true),
        "and" => (Binary::And, false, false),
        "ands" => (Binary::And, false, true),
        "orr" => (Binary::Or, false, false),
        "orn" => (Binary::Or, true, false),
        "eor" => (Binary::Xor, false, false),
        "eon" => (Binary::Xor, true, false),
        "bic" => (Binary::AndNot, false, false),
        "bics" => (Binary::AndNot, false, true),
        _ => return None,
    })
}

/// Operations with the zero register for one of theirs: the operation meant, whether there is a target, and whether there is a first operand.
fn alias(mnemonic: &str) -> Option<(&'static str, bool, bool)> {
    Some(match mnemonic {
        "cmp" => ("subs", false, true),
        "cmn" => ("adds", false, true),
        "tst" => ("ands", false, true),
        "neg" => ("sub", true, false),
        "negs" => ("subs", true, false),
        "mvn" => ("orn", true, false),
        _ => return None,
    })
}

impl Line<'_, '_> {
    pub(super) fn arithmetic(&mut self, mnemonic: &str) -> Result<bool> {
        if operation(mnemonic).is_some() {
            let (to, left) = (self.register()?, self.comma_operand()?);
            self.operate(mnemonic, to, left)?;
            return Ok(true);
        }
        if let Some((meant, has_target, has_left)) = alias(mnemonic) {
            let named = self.register()?;
            let zero = Operand { register: super::ZERO, ..named };
            let (to, left) = (if has_target { named } else { zero }, if has_left { named } else { zero });
            self.operate(meant, to, left)?;
            return Ok(true);
        }
        match mnemonic {
            "mov" => self.mov()?,
            "movz" | "movn" | "movk" => self.mov_wide(mnemonic)?,
            "lsl" | "lsr" | "asr" | "ror" => self.shift(mnemonic)?,
            "ubfm" | "sbfm" => self.bit_field(mnemonic == "sbfm")?,
            "mul" | "mneg" | "madd" | "msub" => self.multiply(mnemonic)?,
            "smull" | "umull" | "smaddl" | "umaddl" | "smsubl" | "umsubl" => self.multiply_long(mnemonic)?,
            "abs" => self.map(|line, size, value| {
                let value = line.reader.out.unary(Unary::Sign(size), value);
                let sign = line.reader.with_number(Binary::ShiftRightSigned, value, 63);
                let flipped = line.reader.out.binary(Binary::Xor, value, sign);
                line.reader.out.binary(Binary::Sub, flipped, sign)
            })?,
            "rbit" => {
                self.map(|line, size, value| line.reversed(value, 1, size.bytes() * 8, size.bytes() * 8))?
            }
            "rev" | "rev64" => {
                self.map(|line, size, value| line.reversed(value, 8, size.bytes() * 8, size.bytes() * 8))?
            }
            "rev32" => self.map(|line, size, value| line.reversed(value, 8, 32, size.bytes() * 8))?,
            "rev16" => self.map(|line, size, value| line.reversed(value, 8, 16, size.bytes() * 8))?,
            "extr" => self.extract()?,
            _ => match extension(mnemonic) {
                Some(extend) => self.map(|line, _, value| line.reader.out.unary(extend, value))?,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Writes a result by the width of the target's name.
    fn write_result(&mut self, to: Operand, value: Temporary) {
        let value = self.narrow(to.size, value);
        self.reader.write(to.register, value);
    }

    fn operate(&mut self, mnemonic: &str, to: Operand, left: Operand) -> Result<()> {
        let Some((op, inverted, sets_flags)) = operation(mnemonic) else { return Ok(()) };
        self.cursor().expect(",")?;
        let left = Operand { size: to.size, ..left };
        let left = self.value(left);
        let mut right = self.last_operand(to.size)?;
        if inverted {
            right = self.reader.out.unary(Unary::Not, right);
        }
        let result = self.reader.out.binary(op, left, right);
        let result = self.narrow(to.size, result);
        self.reader.write(to.register, result);
        if sets_flags {
            let sums = matches!(op, Binary::Add | Binary::Sub);
            self.set_flags(to.size, result, sums.then_some((op, left, right)));
        }
        Ok(())
    }

    /// One register to another, and what happens between.
    fn map(&mut self, change: impl FnOnce(&mut Self, Size, Temporary) -> Temporary) -> Result<()> {
        let (to, from) = (self.register()?, self.comma_operand()?);
        let value = self.value(from);
        let value = change(self, from.size, value);
        self.write_result(to, value);
        Ok(())
    }

    fn mov(&mut self) -> Result<()> {
        let to = self.register()?;
        self.cursor().expect(",")?;
        let value = if self.sees_immediate() {
            let number = self.immediate()?;
            self.reader.out.constant(number)
        } else {
            let from = self.register()?;
            self.reader.read(from.register)
        };
        self.write_result(to, value);
        Ok(())
    }

    /// A number of 16 bits at a place of the register: `movk` keeps the others, `movn` inverts all.
    fn mov_wide(&mut self, mnemonic: &str) -> Result<()> {
        let to = self.register()?;
        self.cursor().expect(",")?;
        let number = self.immediate()? & 0xffff;
        let mut shift = 0;
        if self.cursor().accept(",") {
            let kind = self.cursor().word("`lsl`")?;
            if !kind.eq_ignore_ascii_case("lsl") {
                return Err(format!("there is no `{kind}` of a number"));
            }
            shift = u32::try_from(self.immediate()?).unwrap_or(64);
        }
        if shift >= to.size.bytes() * 8 {
            return Err(format!("a shift by {shift} is too wide"));
        }
        let placed = number.wrapping_shl(shift);
        let value = match mnemonic {
            "movk" => {
                let old = self.reader.data(to.register);
                let old = self.narrow(to.size, old);
                let rest = self.reader.with_number(Binary::AndNot, old, 0xffff_i64.wrapping_shl(shift));
                self.reader.with_number(Binary::Or, rest, placed)
            }
            "movn" => self.reader.out.constant(!placed),
            _ => self.reader.out.constant(placed),
        };
        self.write_result(to, value);
        Ok(())
    }

    fn shift(&mut self, mnemonic: &str) -> Result<()> {
        let (to, from) = (self.register()?, self.comma_operand()?);
        self.cursor().expect(",")?;
        let value = self.value(from);
        let result = if self.sees_immediate() {
            let by = self.immediate()?;
            self.shifted(mnemonic, to.size, value, by)?
        } else {
            let by = self.register()?;
            let by = self.value(by);
            let bits = i64::from(to.size.bytes()) * 8;
            let by = self.reader.with_number(Binary::And, by, bits - 1);
            match mnemonic {
                "lsl" => self.reader.out.binary(Binary::ShiftLeft, value, by),
                "lsr" => self.reader.out.binary(Binary::ShiftRight, value, by),
                "asr" => {
                    let value = self.reader.out.unary(Unary::Sign(to.size), value);
                    self.reader.out.binary(Binary::ShiftRightSigned, value, by)
                }
                _ => {
                    let width = self.reader.out.constant(bits);
                    let rest = self.reader.out.binary(Binary::Sub, width, by);
                    let low = self.reader.out.binary(Binary::ShiftRight, value, by);
                    let high = self.reader.out.binary(Binary::ShiftLeft, value, rest);
                    self.reader.out.binary(Binary::Or, low, high)
                }
            }
        };
        self.write_result(to, result);
        Ok(())
    }

    /// `ubfm to,from,#r,#s`: bits r to s to the low end, or bits 0 to s up to the high end.
    fn bit_field(&mut self, signed: bool) -> Result<()> {
        let (to, from) = (self.register()?, self.comma_operand()?);
        self.cursor().expect(",")?;
        let rotate = self.immediate()?;
        self.cursor().expect(",")?;
        let last = self.immediate()?;
        let bits = i64::from(to.size.bytes()) * 8;
        if !(0..bits).contains(&rotate) || !(0..bits).contains(&last) {
            return Err(format!("there is no bit {} of a register of {bits}", rotate.max(last)));
        }
        let value = self.reader.data(from.register);
        let value = self.narrow(to.size, value);
        let width = if last >= rotate { last - rotate + 1 } else { last + 1 };
        let value =
            if last >= rotate { self.reader.with_number(Binary::ShiftRight, value, rotate) } else { value };
        let ones = if width == 64 { -1 } else { (1_i64 << width) - 1 };
        let mut value = self.reader.with_number(Binary::And, value, ones);
        if signed {
            value = self.reader.with_number(Binary::ShiftLeft, value, 64 - width);
            value = self.reader.with_number(Binary::ShiftRightSigned, value, 64 - width);
        }
        if last < rotate {
            value = self.reader.with_number(Binary::ShiftLeft, value, bits - rotate);
        }
        self.write_result(to, value);
        Ok(())
    }

    /// `madd to,a,b,c`: c + a * b; `mul` and `mneg` without c.
    fn multiply(&mut self, mnemonic: &str) -> Result<()> {
        let to = self.register()?;
        let (left, right) = (self.comma_operand()?, self.comma_operand()?);
        let added =
            if mnemonic.starts_with("ma") || mnemonic == "msub" { Some(self.comma_operand()?) } else { None };
        let (left, right) = (self.value(left), self.value(right));
        let added = match added {
            Some(added) => self.value(added),
            None => self.reader.out.constant(0),
        };
        let product = self.reader.out.binary(Binary::Mul, left, right);
        let op = if matches!(mnemonic, "mneg" | "msub") { Binary::Sub } else { Binary::Add };
        let value = self.reader.out.binary(op, added, product);
        self.write_result(to, value);
        Ok(())
    }

    /// The product of two words, of 64 bits.
    fn multiply_long(&mut self, mnemonic: &str) -> Result<()> {
        let to = self.register()?;
        let (left, right) = (self.comma_operand()?, self.comma_operand()?);
        let added = if mnemonic.ends_with("ll") { None } else { Some(self.comma_operand()?) };
        let extend =
            if mnemonic.starts_with('s') { Unary::Sign(Size::Word) } else { Unary::Zero(Size::Word) };
        let (left, right) = (self.value(left), self.value(right));
        let (left, right) = (self.reader.out.unary(extend, left), self.reader.out.unary(extend, right));
        let added = match added {
            Some(added) => self.value(added),
            None => self.reader.out.constant(0),
        };
        let product = self.reader.out.binary(Binary::Mul, left, right);
        let op = if mnemonic.ends_with("subl") { Binary::Sub } else { Binary::Add };
        let value = self.reader.out.binary(op, added, product);
        self.write_result(to, value);
        Ok(())
    }

    /// Units of bits in the other order within each container of a value.
    fn reversed(&mut self, value: Temporary, unit: u32, container: u32, bits: u32) -> Temporary {
        let ones = (1_i64 << unit) - 1;
        let mut result = self.reader.out.constant(0);
        for start in (0..bits).step_by(container as usize) {
            for k in (0..container).step_by(unit as usize) {
                let piece = self.reader.with_number(Binary::ShiftRight, value, i64::from(start + k));
                let piece = self.reader.with_number(Binary::And, piece, ones);
                let piece = self.reader.with_number(
                    Binary::ShiftLeft,
                    piece,
                    i64::from(start + container - unit - k),
                );
                result = self.reader.out.binary(Binary::Or, result, piece);
            }
        }
        result
    }

    /// `extr to,high,low,#k`: a register's width of two registers one after the other, from bit k on.
    fn extract(&mut self) -> Result<()> {
        let to = self.register()?;
        let (high, low) = (self.comma_operand()?, self.comma_operand()?);
        self.cursor().expect(",")?;
        let from = self.immediate()?;
        let bits = i64::from(to.size.bytes()) * 8;
        let (high, low) = (self.value(high), self.value(low));
        let low = self.reader.with_number(Binary::ShiftRight, low, from);
        let high = self.reader.with_number(Binary::ShiftLeft, high, bits - from);
        let value = self.reader.out.binary(Binary::Or, low, high);
        self.write_result(to, value);
        Ok(())
    }
}
