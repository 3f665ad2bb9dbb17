//! Operands: registers of both widths, numbers, extended and shifted registers, addresses.

use super::{FIRST, Line, SP, ZERO};
use crate::arch::cursor::Result;
use crate::micro::{Register, Temporary};
use crate::value::{Binary, Size, Unary};

/// A register, and whether it is named by 64 bits of it.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) register: Register,
    pub(super) size: Size,
}

/// The register of a name: `X0`, `w3`, `XZR`, `SP`.
pub(super) fn named(name: &str) -> Option<Operand> {
    let name = name.to_ascii_lowercase();
    let (size, rest) = match name.split_at_checked(1)? {
        ("x", rest) => (Size::Quad, rest),
        ("w", rest) => (Size::Word, rest),
        _ if name == "sp" => return Some(Operand { register: SP, size: Size::Quad }),
        _ => return None,
    };
    let register = match rest {
        "zr" => ZERO,
        "sp" => SP,
        number => Register(FIRST.0 + number.parse::<u16>().ok().filter(|n| *n <= 30)?),
    };
    Some(Operand { register, size })
}

/// How an address moves its base register.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writeback {
    None,
    /// `[Xn,#k]!`
    Before,
    /// `[Xn],#k`
    After(i64),
}

/// An address as it is written, with its registers read.
pub(super) struct Address {
    pub(super) base: Register,
    pub(super) at: Temporary,
    pub(super) writeback: Writeback,
}

impl Line<'_, '_> {
    /// A register; the symbolic ones are `X%x`, `W%x` and `%x`.
    pub(super) fn register(&mut self) -> Result<Operand> {
        let before = self.reader.cursor;
        for (prefix, size) in [
            ("%", Size::Quad),
            ("X%", Size::Quad),
            ("x%", Size::Quad),
            ("W%", Size::Word),
            ("w%", Size::Word),
        ] {
            if self.reader.cursor.accept(prefix) {
                return Ok(Operand { register: self.reader.symbolic()?, size });
            }
        }
        let name = self.cursor().run(|c| c.is_ascii_alphanumeric());
        named(name).ok_or_else(|| {
            self.reader.cursor = before;
            self.reader.cursor.error("a register")
        })
    }

    pub(super) fn comma_operand(&mut self) -> Result<Operand> {
        self.cursor().expect(",")?;
        self.register()
    }

    /// `#k` or `k`
    pub(super) fn immediate(&mut self) -> Result<i64> {
        self.cursor().accept("#");
        self.cursor().number()
    }

    pub(super) fn sees_immediate(&mut self) -> bool {
        self.cursor().sees("#") || self.cursor().sees_number()
    }

    /// What a register holds, by the width of its name.
    pub(super) fn value(&mut self, operand: Operand) -> Temporary {
        let value = self.reader.read(operand.register);
        self.narrow(operand.size, value)
    }

    /// The low bytes of a value; all eight are as they are.
    pub(super) fn narrow(&mut self, size: Size, value: Temporary) -> Temporary {
        if size == Size::Quad { value } else { self.reader.out.unary(Unary::Zero(size), value) }
    }

    /// A value shifted by a number.
    pub(super) fn shifted(&mut self, kind: &str, size: Size, value: Temporary, by: i64) -> Result<Temporary> {
        if by == 0 {
            return Ok(value);
        }
        let bits = i64::from(size.bytes()) * 8;
        Ok(match kind {
            "lsl" => self.reader.with_number(Binary::ShiftLeft, value, by),
            "lsr" => self.reader.with_number(Binary::ShiftRight, value, by),
            "asr" => {
                let value = self.reader.out.unary(Unary::Sign(size), value);
                self.reader.with_number(Binary::ShiftRightSigned, value, by)
            }
            "ror" => {
                let by = by.rem_euclid(bits);
                let low = self.reader.with_number(Binary::ShiftRight, value, by);
                let high = self.reader.with_number(Binary::ShiftLeft, value, bits - by);
                self.reader.out.binary(Binary::Or, low, high)
            }
            _ => return Err(format!("there is no shift `{kind}`")),
        })
    }

    /// The end of an operation: `#k`, `#k,lsl #s`, `r`, `r,lsl #k`, `r,sxtw`, `r,sxtw #k`; `size` is that of the operation.
    pub(super) fn last_operand(&mut self, size: Size) -> Result<Temporary> {
        if self.sees_immediate() {
            let number = self.immediate()?;
            let number = match self.modifier()? {
                Some((kind, by)) if kind == "lsl" => number.wrapping_shl(u32::try_from(by).unwrap_or(0)),
                None => number,
                Some((kind, _)) => return Err(format!("there is no `{kind}` of a number")),
            };
            return Ok(self.reader.out.constant(number));
        }
        let operand = self.register()?;
        let value = self.value(operand);
        let Some((kind, by)) = self.modifier()? else { return Ok(value) };
        match extension(&kind) {
            // herd shifts first and extends then.
            Some(extend) => {
                let value = self.shifted("lsl", size, value, by)?;
                Ok(self.reader.out.unary(extend, value))
            }
            None => self.shifted(&kind, size, value, by),
        }
    }

    /// `,lsl #k`, `,sxtw`: its name, and a number that may be missing.
    fn modifier(&mut self) -> Result<Option<(String, i64)>> {
        if !self.cursor().accept(",") {
            return Ok(None);
        }
        let kind = self.cursor().word("a shift or an extension")?.to_ascii_lowercase();
        let by = if self.sees_immediate() { self.immediate()? } else { 0 };
        Ok(Some((kind, by)))
    }

    /// `,[Xn]` and its variants.
    pub(super) fn address(&mut self) -> Result<Address> {
        self.cursor().expect(",")?;
        self.cursor().expect("[")?;
        let base = self.register()?.register;
        let start = self.reader.read(base);
        let mut at = start;
        let mut number = false;
        if self.cursor().accept(",") {
            number = self.sees_immediate();
            if number {
                let offset = self.immediate()?;
                at = self.reader.offset(start, offset);
            } else {
                let index = self.index()?;
                at = self.reader.out.binary(Binary::Add, start, index);
            }
        }
        self.cursor().expect("]")?;
        let mut writeback = Writeback::None;
        if number && self.cursor().accept("!") {
            writeback = Writeback::Before;
        } else if self.cursor().accept(",") {
            writeback = Writeback::After(self.immediate()?);
        }
        Ok(Address { base, at, writeback })
    }

    /// An index register: `Xm`, `Wm,sxtw`, `Xm,lsl #k`; extended, then shifted.
    fn index(&mut self) -> Result<Temporary> {
        let register = self.register()?;
        let value = self.reader.read(register.register);
        let Some((kind, by)) = self.modifier()? else { return Ok(value) };
        let value = match kind.as_str() {
            "uxtw" => self.reader.out.unary(Unary::Zero(Size::Word), value),
            "sxtw" => self.reader.out.unary(Unary::Sign(Size::Word), value),
            "lsl" | "sxtx" => value,
            _ => return Err(format!("there is no `{kind}` of an index")),
        };
        self.shifted("lsl", Size::Quad, value, by)
    }

    /// Moves the base register as the address says.
    pub(super) fn write_back(&mut self, address: &Address) {
        let moved = match address.writeback {
            Writeback::None => return,
            Writeback::Before => address.at,
            Writeback::After(by) => self.reader.offset(address.at, by),
        };
        self.reader.write(address.base, moved);
    }
}

/// An extension of a register's low bytes.
pub(super) fn extension(name: &str) -> Option<Unary> {
    Some(match name {
        "uxtb" => Unary::Zero(Size::Byte),
        "uxth" => Unary::Zero(Size::Short),
        "uxtw" => Unary::Zero(Size::Word),
        "uxtx" => Unary::Zero(Size::Quad),
        "sxtb" => Unary::Sign(Size::Byte),
        "sxth" => Unary::Sign(Size::Short),
        "sxtw" => Unary::Sign(Size::Word),
        "sxtx" => Unary::Sign(Size::Quad),
        _ => return None,
    })
}
