//! Power, as herd's tests write it.

use super::cursor::Result;
use super::reader::{Joint, Reader};
use super::{Arch, Context};
use crate::micro::{Access, Micro, Register, Temporary};
use crate::value::{Binary, Size, Unary};

/// Power.
pub struct Ppc;

/// As a base register `r0` reads as zero.
const R0: Register = Register(0);
/// The first of the eight fields of the condition register.
const CR0: Register = Register(32);
/// The address that the last `lwarx` reserved; 0 where there is none.
const RESERVATION: Register = Register(40);

/// Bits of a field of the condition register, counted from the low end.
const LESS: i64 = 3;
const GREATER: i64 = 2;
const EQUAL: i64 = 1;

impl Arch for Ppc {
    fn name(&self) -> &'static str {
        "PPC"
    }

    fn register(&self, name: &str) -> Option<Register> {
        let number: u16 = name.strip_prefix(['r', 'R'])?.parse().ok()?;
        (number < 32).then_some(Register(number))
    }

    fn register_name(&self, register: Register) -> String {
        format!("r{}", register.0)
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "EX", "SYNC", "LWSYNC", "EIEIO", "ISYNC"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line(Reader::new(&Ppc, None, text, context));
        line.instruction()?;
        line.0.finish()
    }
}

struct Line<'a, 'c>(Reader<'a, 'c>);

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.0.cursor;
        let mnemonic = self.0.cursor.mnemonic();
        let (base, records) = match mnemonic.strip_suffix('.') {
            Some(base) => (base, true),
            None => (mnemonic, false),
        };
        if let Some((op, swapped)) = register_operation(base) {
            return self.operation(op, swapped, records);
        }
        if let Some((op, shift)) = immediate_operation(mnemonic) {
            return self.immediate(op, shift, mnemonic);
        }
        if let Some((bit, negated)) = branch_condition(mnemonic) {
            let target = self.0.cursor.label()?;
            let field = self.0.read(CR0);
            let set = self.0.bit(field, bit);
            let holds = if negated { self.0.is_zero(set) } else { set };
            self.0.out.branch(holds, target);
            return Ok(());
        }
        match mnemonic {
            "nop" => {}
            "sync" | "hwsync" => self.0.out.fence(&["SYNC"]),
            "lwsync" => self.0.out.fence(&["LWSYNC"]),
            "eieio" => self.0.out.fence(&["EIEIO"]),
            "isync" => self.0.out.fence(&["ISYNC"]),
            "dcbf" => {
                self.0.register()?;
                self.0.comma_register()?;
            }
            "b" => {
                let target = self.0.cursor.label()?;
                self.0.out.jump(target);
            }
            "li" | "lis" => {
                let to = self.0.register()?;
                let value = self.0.comma_number()?;
                let value =
                    self.0.out.constant(if mnemonic == "lis" { value.wrapping_shl(16) } else { value });
                self.0.write(to, value);
            }
            "mr" | "extsw" => {
                let (to, from) = (self.0.register()?, self.0.comma_register()?);
                let value = self.0.read(from);
                let value = if mnemonic == "extsw" {
                    self.0.out.unary(Unary::Sign(Size::Word), value)
                } else {
                    value
                };
                self.0.write(to, value);
            }
            "mfcr" => {
                let to = self.0.register()?;
                let value = self.0.read(CR0);
                self.0.write(to, value);
            }
            "cmpw" | "cmpwi" | "cmplwi" => self.compare(mnemonic)?,
            "rlwinm" | "rlwimi" => self.rotate(mnemonic == "rlwimi")?,
            "clrldi" => {
                let (to, from) = (self.0.register()?, self.0.comma_register()?);
                let first = self.0.comma_number()?;
                let value = self.0.read(from);
                let value = self.0.with_number(Binary::And, value, mask(first, 63));
                self.0.write(to, value);
            }
            "lwarx" => {
                let to = self.0.register()?;
                let address = self.indexed()?;
                self.0.out.write(RESERVATION, address);
                let value = self.0.out.load(address, Access::exclusive(Size::Word, &["X"]));
                let value = self.0.out.unary(Unary::Zero(Size::Word), value);
                self.0.write(to, value);
            }
            "stwcx." => self.store_conditional()?,
            _ => match access(mnemonic) {
                Some(kind) => self.access(&kind)?,
                None => return Err(start.unknown()),
            },
        }
        Ok(())
    }

    fn operation(&mut self, op: Binary, swapped: bool, records: bool) -> Result<()> {
        let (to, left) = (self.0.register()?, self.0.comma_register()?);
        let right = self.0.comma_register()?;
        let (left, right) = (self.0.read(left), self.0.read(right));
        let (left, right) = if swapped { (right, left) } else { (left, right) };
        // Products and quotients are of words.
        let words = matches!(op, Binary::Mul | Binary::Div);
        let (left, right) = if words { (self.word(left), self.word(right)) } else { (left, right) };
        let value = self.0.out.binary(op, left, right);
        self.0.write(to, value);
        if records {
            let zero = self.0.out.constant(0);
            self.set_field(CR0, value, zero);
        }
        Ok(())
    }

    /// `addi` and `addis` take `r0` for zero.
    fn immediate(&mut self, op: Binary, shift: u32, mnemonic: &str) -> Result<()> {
        let (to, left) = (self.0.register()?, self.0.comma_register()?);
        let number = self.0.comma_number()?.wrapping_shl(shift);
        let number = if mnemonic == "subi" { number.wrapping_neg() } else { number };
        let value = if left == R0 && op == Binary::Add {
            self.0.out.constant(number)
        } else {
            let left = self.0.read(left);
            self.0.with_number(op, left, number)
        };
        self.0.write(to, value);
        if mnemonic == "andi." {
            let zero = self.0.out.constant(0);
            self.set_field(CR0, value, zero);
        }
        Ok(())
    }

    fn compare(&mut self, mnemonic: &str) -> Result<()> {
        let mut field = CR0;
        if self.0.cursor.accept("cr") {
            let number = self.0.cursor.number()?;
            field = u16::try_from(number)
                .ok()
                .filter(|n| *n < 8)
                .map(|n| Register(CR0.0 + n))
                .ok_or("there is no such condition field")?;
            self.0.cursor.expect(",")?;
        }
        let left = self.0.register()?;
        self.0.cursor.expect(",")?;
        let (left, right) = match mnemonic {
            "cmpw" => {
                let right = self.0.register()?;
                let (left, right) = (self.0.read(left), self.0.read(right));
                (self.word(left), self.word(right))
            }
            _ => {
                let number = self.0.cursor.number()?;
                let left = self.0.read(left);
                if mnemonic == "cmplwi" {
                    (self.0.out.unary(Unary::Zero(Size::Word), left), self.0.out.constant(number & 0xffff))
                } else {
                    (self.word(left), self.0.out.constant(number))
                }
            }
        };
        self.set_field(field, left, right);
        Ok(())
    }

    /// The low word of a value, by its sign.
    fn word(&mut self, value: Temporary) -> Temporary {
        self.0.out.unary(Unary::Sign(Size::Word), value)
    }

    /// Sets the one bit that tells how two values compare.
    fn set_field(&mut self, field: Register, left: Temporary, right: Temporary) {
        let mut value = self.0.out.constant(0);
        for (op, bit) in [(Binary::Lt, LESS), (Binary::Gt, GREATER), (Binary::Eq, EQUAL)] {
            let holds = self.0.out.binary(op, left, right);
            let placed = self.0.with_number(Binary::ShiftLeft, holds, bit);
            value = self.0.out.binary(Binary::Or, value, placed);
        }
        self.0.write(field, value);
    }

    /// Rotates a word and takes the bits between two of it; `rlwimi` keeps the others of its target.
    fn rotate(&mut self, insert: bool) -> Result<()> {
        let (to, from) = (self.0.register()?, self.0.comma_register()?);
        let (by, first) = (self.0.comma_number()?.rem_euclid(32), self.0.comma_number()?);
        let taken = mask(first.wrapping_add(32), self.0.comma_number()?.wrapping_add(32));
        let kept = insert.then(|| {
            let old = self.0.read(to);
            self.0.with_number(Binary::And, old, !taken)
        });
        let value = self.0.read(from);
        let word = self.0.out.unary(Unary::Zero(Size::Word), value);
        let high = self.0.with_number(Binary::ShiftLeft, word, by);
        let low = self.0.with_number(Binary::ShiftRight, word, 32 - by);
        let rotated = self.0.out.binary(Binary::Or, high, low);
        let mut result = self.0.with_number(Binary::And, rotated, taken);
        if let Some(kept) = kept {
            result = self.0.out.binary(Binary::Or, kept, result);
        }
        self.0.write(to, result);
        Ok(())
    }

    /// `,k(r)` or `,k,r`: the base register and the offset.
    fn displaced(&mut self) -> Result<(Register, i64)> {
        let offset = self.0.comma_number()?;
        if self.0.cursor.accept(",") {
            return Ok((self.0.register()?, offset));
        }
        self.0.cursor.expect("(")?;
        let base = self.0.register()?;
        self.0.cursor.expect(")")?;
        Ok((base, offset))
    }

    /// `,r,r`
    fn indexed(&mut self) -> Result<Temporary> {
        let (base, index) = (self.0.comma_register()?, self.0.comma_register()?);
        let index = self.0.read(index);
        if base == R0 {
            return Ok(index);
        }
        let base = self.0.read(base);
        Ok(self.0.out.binary(Binary::Add, base, index))
    }

    fn access(&mut self, kind: &AccessKind) -> Result<()> {
        let register = self.0.register()?;
        let data = kind.store.then(|| self.0.data(register));
        let mut updated = None;
        let address = if kind.indexed {
            self.indexed()?
        } else {
            let (base, offset) = self.displaced()?;
            let start = self.0.read(base);
            let address = self.0.offset(start, offset);
            if kind.update && base != R0 && (kind.store || base != register) {
                updated = Some((base, address));
            }
            address
        };
        if let Some((base, address)) = updated {
            self.0.write(base, address);
        }
        if let Some(data) = data {
            self.0.out.store(address, data, Access::new(kind.size, &[]));
        } else {
            let value = self.0.out.load(address, Access::new(kind.size, &[]));
            let value = if kind.signed { value } else { self.0.out.unary(Unary::Zero(kind.size), value) };
            self.0.write(register, value);
        }
        Ok(())
    }

    /// Sets the equal bit of the first condition field on success, and none on failure.
    fn store_conditional(&mut self) -> Result<()> {
        let from = self.0.register()?;
        let value = self.0.data(from);
        let address = self.indexed()?;
        let reserved = self.0.data(RESERVATION);
        let access = Access::exclusive(Size::Word, &["X"]);
        let outcomes = [1 << EQUAL, 0];
        Joint { reserved, reservation: RESERVATION, address, value, access, status: CR0, outcomes }
            .write(&mut self.0);
        Ok(())
    }
}

/// Ones from one bit to another, counted from the high end; around the end where the first comes after the last.
fn mask(first: i64, last: i64) -> i64 {
    let ones = |first: i64, last: i64| {
        (0..64).filter(|k| (first..=last).contains(k)).fold(0_i64, |mask, k| mask | (1 << (63 - k)))
    };
    if first <= last { ones(first, last) } else { !ones(last + 1, first - 1) }
}

/// What a load or a store does.
struct AccessKind {
    store: bool,
    size: Size,
    indexed: bool,
    /// Whether the base register is set to the address.
    update: bool,
    signed: bool,
}

fn access(mnemonic: &str) -> Option<AccessKind> {
    let plain = |store, size| AccessKind { store, size, indexed: false, update: false, signed: false };
    let (base, indexed) = match mnemonic.strip_suffix('x') {
        Some(base) => (base, true),
        None => (mnemonic, false),
    };
    let kind = match base {
        "lbz" => plain(false, Size::Byte),
        "lhz" => plain(false, Size::Short),
        "lwz" => plain(false, Size::Word),
        "ld" => plain(false, Size::Quad),
        "lwa" => AccessKind { signed: true, ..plain(false, Size::Word) },
        "stb" => plain(true, Size::Byte),
        "sth" => plain(true, Size::Short),
        "stw" => plain(true, Size::Word),
        "std" => plain(true, Size::Quad),
        "lwzu" if !indexed => AccessKind { update: true, ..plain(false, Size::Word) },
        "stwu" if !indexed => AccessKind { update: true, ..plain(true, Size::Word) },
        _ => return None,
    };
    Some(AccessKind { indexed, ..kind })
}

/// An operation on two registers, and whether it takes them the other way around.
fn register_operation(base: &str) -> Option<(Binary, bool)> {
    Some(match base {
        "add" => (Binary::Add, false),
        "sub" => (Binary::Sub, false),
        "subf" => (Binary::Sub, true),
        "and" => (Binary::And, false),
        "or" => (Binary::Or, false),
        "xor" => (Binary::Xor, false),
        "mullw" => (Binary::Mul, false),
        "divw" => (Binary::Div, false),
        _ => return None,
    })
}

/// An operation on a register and a number, and how far the number is shifted.
fn immediate_operation(mnemonic: &str) -> Option<(Binary, u32)> {
    Some(match mnemonic {
        "addi" | "subi" => (Binary::Add, 0),
        "addis" => (Binary::Add, 16),
        "ori" => (Binary::Or, 0),
        "xori" => (Binary::Xor, 0),
        "andi." => (Binary::And, 0),
        "mulli" => (Binary::Mul, 0),
        _ => return None,
    })
}

/// The bit of the first condition field that a branch looks at, and whether it is taken where that is clear.
fn branch_condition(mnemonic: &str) -> Option<(i64, bool)> {
    Some(match mnemonic {
        "blt" => (LESS, false),
        "bge" | "bnl" => (LESS, true),
        "bgt" => (GREATER, false),
        "ble" | "bng" => (GREATER, true),
        "beq" => (EQUAL, false),
        "bne" => (EQUAL, true),
        _ => return None,
    })
}
