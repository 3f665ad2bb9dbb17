//! MIPS, as herd's tests write it.

use super::cursor::Result;
use super::reader::{Joint, Reader};
use super::{Arch, Context};
use crate::micro::{Access, Micro, Register, Temporary};
use crate::value::{Binary, Size, Unary};

/// MIPS.
pub struct Mips;

const ZERO: Register = Register(0);
/// The address that the last `ll` reserved; 0 where there is none.
const RESERVATION: Register = Register(36);

/// The names of the calling convention, by number.
const ABI: [&str; 36] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0",
    "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra", "a4", "a5",
    "a6", "a7",
];

impl Arch for Mips {
    fn name(&self) -> &'static str {
        "MIPS"
    }

    fn register(&self, name: &str) -> Option<Register> {
        let bare = name.strip_prefix('$');
        if let Some(number) = bare.and_then(|n| n.parse::<u16>().ok()) {
            return (number < 32).then_some(Register(number));
        }
        let position = ABI.iter().position(|abi| *abi == bare.unwrap_or(name))?;
        Some(Register(u16::try_from(position).ok()?))
    }

    fn register_name(&self, register: Register) -> String {
        match register.0 {
            number if number < 32 => format!("${number}"),
            number => {
                ABI.get(usize::from(number)).map_or_else(|| format!("i{number}"), |name| format!("${name}"))
            }
        }
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "EX", "SYNC"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line(Reader::new(&Mips, Some(ZERO), text, context));
        line.instruction()?;
        line.0.finish()
    }
}

struct Line<'a, 'c>(Reader<'a, 'c>);

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.0.cursor;
        let mnemonic = self.0.cursor.mnemonic();
        if let Some(op) = operation(mnemonic) {
            let (to, left) = (self.0.register()?, self.0.comma_register()?);
            let right = self.0.comma_register()?;
            let (left, right) = (self.0.read(left), self.0.read(right));
            let value = self.0.out.binary(op, left, right);
            let value = if mnemonic == "nor" { self.0.out.unary(Unary::Not, value) } else { value };
            self.write_as(to, value, op, mnemonic);
            return Ok(());
        }
        if let Some((op, signed)) = immediate_operation(mnemonic) {
            let (to, left) = (self.0.register()?, self.0.comma_register()?);
            let number = self.0.comma_number()?;
            let left = self.0.read(left);
            let value = self.0.with_number(op, left, immediate(number, signed));
            self.write_as(to, value, op, mnemonic);
            return Ok(());
        }
        if let Some(op) = branch_condition(mnemonic) {
            let left = self.0.register()?;
            let right = if mnemonic.ends_with('z') { ZERO } else { self.0.comma_register()? };
            self.0.cursor.expect(",")?;
            let target = self.0.cursor.label()?;
            let (left, right) = (self.0.read(left), self.0.read(right));
            let holds = self.0.out.binary(op, left, right);
            self.0.out.branch(holds, target);
            return Ok(());
        }
        match mnemonic {
            "nop" => {}
            "sync" => self.0.out.fence(&["SYNC"]),
            "b" => {
                let target = self.0.cursor.label()?;
                self.0.out.jump(target);
            }
            "jr" => {
                let register = self.0.register()?;
                let target = self.0.read(register);
                self.0.out.jump_to(target);
            }
            "li" | "lui" => {
                let to = self.0.register()?;
                let number = self.0.comma_number()?;
                let value = if mnemonic == "li" {
                    immediate(number, false)
                } else {
                    i64::from((number as i32).wrapping_shl(16))
                };
                let value = self.0.out.constant(value);
                self.0.write(to, value);
            }
            "move" => {
                let (to, from) = (self.0.register()?, self.0.comma_register()?);
                let value = self.0.data(from);
                self.0.write(to, value);
            }
            "dext" => self.extract()?,
            "lw" | "ld" => {
                let to = self.0.register()?;
                let address = self.address()?;
                let size = if mnemonic == "lw" { Size::Word } else { Size::Quad };
                let value = self.0.out.load(address, Access::new(size, &[]));
                self.0.write(to, value);
            }
            "sw" => {
                let from = self.0.register()?;
                let value = self.0.data(from);
                let address = self.address()?;
                self.0.out.store(address, value, Access::new(Size::Word, &[]));
            }
            "ll" => {
                let to = self.0.register()?;
                let address = self.address()?;
                self.0.out.write(RESERVATION, address);
                let value = self.0.out.load(address, Access::exclusive(Size::Word, &["X"]));
                self.0.write(to, value);
            }
            "sc" => {
                let from = self.0.register()?;
                let reserved = self.0.read(RESERVATION);
                let value = self.0.data(from);
                let address = self.address()?;
                let access = Access::exclusive(Size::Word, &["X"]);
                Joint {
                    reserved,
                    reservation: RESERVATION,
                    address,
                    value,
                    access,
                    status: from,
                    outcomes: [1, 0],
                }
                .write(&mut self.0);
            }
            _ => return Err(start.unknown()),
        }
        Ok(())
    }

    /// Writes a result: sums and differences are words, but for the instructions whose names begin with `d`.
    fn write_as(&mut self, to: Register, value: Temporary, op: Binary, mnemonic: &str) {
        let word = matches!(op, Binary::Add | Binary::Sub) && !mnemonic.starts_with('d');
        let value = if word { self.0.out.unary(Unary::Sign(Size::Word), value) } else { value };
        self.0.write(to, value);
    }

    /// `,k(r)` or `,(r)`
    fn address(&mut self) -> Result<Temporary> {
        self.0.cursor.expect(",")?;
        let offset = if self.0.cursor.sees("(") { 0 } else { self.0.cursor.number()? };
        self.0.cursor.expect("(")?;
        let base = self.0.register()?;
        self.0.cursor.expect(")")?;
        let base = self.0.read(base);
        Ok(self.0.offset(base, immediate(offset, true)))
    }

    /// `dext to,from,position,size`: bits of a register.
    fn extract(&mut self) -> Result<()> {
        let (to, from) = (self.0.register()?, self.0.comma_register()?);
        let (position, size) = (self.0.comma_number()?, self.0.comma_number()?);
        let value = self.0.data(from);
        let value = self.0.with_number(Binary::ShiftRight, value, position);
        let ones = if (0..64).contains(&size) { (1_i64 << size) - 1 } else { -1 };
        let value = self.0.with_number(Binary::And, value, ones);
        self.0.write(to, value);
        Ok(())
    }
}

/// The low 16 bits of a number.
fn immediate(number: i64, signed: bool) -> i64 {
    if signed { i64::from(number as i16) } else { i64::from(number as u16) }
}

/// Signed and unsigned additions are the same here, as in herd, and so are comparisons.
fn operation(mnemonic: &str) -> Option<Binary> {
    Some(match mnemonic {
        "add" | "addu" | "daddu" => Binary::Add,
        "sub" | "subu" => Binary::Sub,
        "slt" | "sltu" => Binary::Lt,
        "and" => Binary::And,
        "or" | "nor" => Binary::Or,
        "xor" => Binary::Xor,
        _ => return None,
    })
}

/// An operation on a register and a number, and whether that is signed.
fn immediate_operation(mnemonic: &str) -> Option<(Binary, bool)> {
    Some(match mnemonic {
        "addi" | "addiu" | "daddiu" => (Binary::Add, true),
        "subi" | "subiu" => (Binary::Sub, true),
        "slti" | "sltiu" => (Binary::Lt, true),
        "andi" => (Binary::And, false),
        "ori" => (Binary::Or, false),
        "xori" => (Binary::Xor, false),
        "dsll" => (Binary::ShiftLeft, false),
        _ => return None,
    })
}

fn branch_condition(mnemonic: &str) -> Option<Binary> {
    Some(match mnemonic {
        "beq" => Binary::Eq,
        "bne" => Binary::Ne,
        "blez" => Binary::Le,
        "bgtz" => Binary::Gt,
        "bltz" => Binary::Lt,
        "bgez" => Binary::Ge,
        _ => return None,
    })
}
