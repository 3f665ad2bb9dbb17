//! ARMv7 and the AArch32 of ARMv8, as herd's tests write it.

use super::cursor::Result;
use super::reader::{Joint, Reader};
use super::{Arch, Context};
use crate::micro::{Access, Micro, Register, Temporary};
use crate::value::{Binary, Size, Unary};

/// ARM, of 32 bits.
pub struct Arm;

/// The zero flag, the only one there is here.
const Z: Register = Register(17);
/// The address that the last exclusive load reserved; 0 where there is none.
const RESERVATION: Register = Register(18);

/// In the order of states as they are printed.
const NAMES: [&str; 17] =
    ["R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "SP", "LR", "PC", "FP"];

impl Arch for Arm {
    fn name(&self) -> &'static str {
        "ARM"
    }

    fn register(&self, name: &str) -> Option<Register> {
        let name = name.to_ascii_uppercase();
        let name = if name == "IP" { "R12" } else { &name };
        let number = NAMES.iter().position(|known| *known == name)?;
        Some(Register(u16::try_from(number).ok()?))
    }

    fn register_name(&self, register: Register) -> String {
        NAMES
            .get(usize::from(register.0))
            .map_or_else(|| format!("i{}", register.0), |name| (*name).to_string())
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "EX", "A", "L", "AL", "NoRet", "DMB", "DMB.ST", "DMB.ISH", "DSB", "DSB.ST", "ISB"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line(Reader::new(&Arm, None, text, context));
        line.instruction()?;
        line.0.finish()
    }
}

/// A word in memory.
fn word(sets: &[&'static str]) -> Access {
    Access::new(Size::Word, sets)
}

/// An access that herd pairs as it pairs exclusives: acquire loads and release stores are among them.
fn paired(sets: &[&'static str]) -> Access {
    Access::atomic(Size::Word, sets)
}

fn exclusive(sets: &[&'static str]) -> Access {
    Access::exclusive(Size::Word, sets)
}

struct Line<'a, 'c>(Reader<'a, 'c>);

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.0.cursor;
        let mnemonic = self.0.cursor.mnemonic().to_ascii_lowercase();
        if let Some((op, sets_flags)) = operation(&mnemonic) {
            return self.operation(op, sets_flags);
        }
        let (base, condition) = predicate(&mnemonic);
        if let Some(equal) = condition {
            return self.predicated(base, equal);
        }
        match base {
            "nop" => {}
            "b" => {
                let target = self.0.cursor.label()?;
                self.0.out.jump(target);
            }
            "bx" => {
                let register = self.0.register()?;
                let target = self.0.read(register);
                self.0.out.jump_to(target);
            }
            "beq" | "bne" => {
                let target = self.0.cursor.label()?;
                let flag = self.0.read(Z);
                let holds = if base == "beq" { flag } else { self.0.is_zero(flag) };
                self.0.out.branch(holds, target);
            }
            "cbz" | "cbnz" => {
                let register = self.0.register()?;
                self.0.cursor.expect(",")?;
                let target = self.0.cursor.label()?;
                let value = self.0.read(register);
                let zero = self.0.is_zero(value);
                let holds = if base == "cbz" { zero } else { self.0.is_zero(zero) };
                self.0.out.branch(holds, target);
            }
            "cmp" => {
                let left = self.0.register()?;
                self.0.cursor.expect(",")?;
                let left = self.0.read(left);
                let right = self.operand()?;
                self.set_flag(left, right);
            }
            "dmb" | "dsb" => self.fence(base)?,
            "isb" => self.0.out.fence(&["ISB"]),
            "lda" | "ldaex" | "ldrex" => {
                let to = self.0.register()?;
                let address = self.plain_address()?;
                if base != "lda" {
                    self.0.out.write(RESERVATION, address);
                }
                let access = match base {
                    "ldrex" => exclusive(&["X"]),
                    "ldaex" => exclusive(&["X", "A", "AL"]),
                    _ => paired(&["X", "A", "AL"]),
                };
                let value = self.0.out.load(address, access);
                self.0.write(to, value);
            }
            "stl" => {
                let from = self.0.register()?;
                let address = self.plain_address()?;
                let value = self.0.data(from);
                self.0.out.store(address, value, paired(&["X", "L"]));
            }
            "strex" | "stlex" => {
                let (status, from) = (self.0.register()?, self.0.comma_register()?);
                let reserved = self.0.read(RESERVATION);
                let value = self.0.data(from);
                let address = self.plain_address()?;
                let access = exclusive(if base == "strex" { &["X"] } else { &["X", "L"] });
                Joint {
                    reserved,
                    reservation: RESERVATION,
                    address,
                    value,
                    access,
                    status,
                    outcomes: [0, 1],
                }
                .write(&mut self.0);
            }
            "ldrd" => self.load_pair()?,
            "ldm" | "ldmib" => self.load_many(base == "ldmib")?,
            _ if self.may_be_predicated(base)? => {}
            _ => return Err(start.unknown()),
        }
        Ok(())
    }

    /// `#k`, `k` or a register.
    fn operand(&mut self) -> Result<Temporary> {
        if self.0.cursor.accept("#") || self.0.cursor.sees_number() {
            let number = self.0.cursor.number()?;
            return Ok(self.0.out.constant(i64::from(number as i32)));
        }
        let register = self.0.register()?;
        Ok(self.0.read(register))
    }

    fn operation(&mut self, op: Binary, sets_flags: bool) -> Result<()> {
        let (to, left) = (self.0.register()?, self.0.comma_register()?);
        self.0.cursor.expect(",")?;
        let left = self.0.read(left);
        let right = self.operand()?;
        let value = self.0.out.binary(op, left, right);
        let value = self.0.out.unary(Unary::Sign(Size::Word), value);
        self.0.write(to, value);
        if sets_flags {
            let zero = self.0.out.constant(0);
            self.set_flag(value, zero);
        }
        Ok(())
    }

    fn set_flag(&mut self, left: Temporary, right: Temporary) {
        let equal = self.0.out.binary(Binary::Eq, left, right);
        self.0.write(Z, equal);
    }

    fn fence(&mut self, base: &str) -> Result<()> {
        let option = self.0.cursor.run(|c| c.is_ascii_alphabetic()).to_ascii_lowercase();
        let set = match (base, option.as_str()) {
            ("dmb", "" | "sy") => Some("DMB"),
            ("dmb", "st") => Some("DMB.ST"),
            ("dmb", "ish") => Some("DMB.ISH"),
            ("dsb", "" | "sy") => Some("DSB"),
            ("dsb", "st") => Some("DSB.ST"),
            (_, "ish" | "ishst" | "nsh" | "nshst" | "osh" | "oshst") => None,
            _ => return Err(format!("there is no option `{option}` of `{base}`")),
        };
        match set {
            Some(set) => self.0.out.fence(&[set]),
            None => self.0.out.fence(&[]),
        }
        Ok(())
    }

    /// `,[r]` or `,r`
    fn plain_address(&mut self) -> Result<Temporary> {
        self.0.cursor.expect(",")?;
        let bracket = self.0.cursor.accept("[");
        let base = self.0.register()?;
        if bracket {
            self.0.cursor.expect("]")?;
        }
        Ok(self.0.read(base))
    }

    /// `,[r]`, `,r`, `,[r,r]`, `,[r,r,lsl #k]`, `,[r,#k]`
    fn address(&mut self) -> Result<Temporary> {
        self.0.cursor.expect(",")?;
        if !self.0.cursor.accept("[") {
            let base = self.0.register()?;
            return Ok(self.0.read(base));
        }
        let base = self.0.register()?;
        let base = self.0.read(base);
        let mut address = base;
        if self.0.cursor.accept(",") {
            let mut index = self.operand()?;
            if self.0.cursor.accept(",") {
                let shift = self.0.cursor.word("a shift")?;
                if !shift.eq_ignore_ascii_case("lsl") {
                    return Err(format!("there is no shift `{shift}` of an index"));
                }
                self.0.cursor.accept("#");
                let by = self.0.cursor.number()?;
                index = self.0.with_number(Binary::ShiftLeft, index, by);
            }
            address = self.0.out.binary(Binary::Add, base, index);
        }
        self.0.cursor.expect("]")?;
        Ok(address)
    }

    /// Does it if the flag is as asked, else nothing: both ways.
    fn predicated(&mut self, base: &str, equal: bool) -> Result<()> {
        let flag = self.0.read(Z);
        let unequal = self.0.is_zero(flag);
        let (condition, negation) = if equal { (flag, unequal) } else { (unequal, flag) };
        let outer = self.0.out.open();
        let read = self.may_be_predicated(base);
        let inner = self.0.out.close(outer);
        if !read? {
            return Err(format!("instruction not understood: `{base}` with a condition"));
        }
        self.0.out.either(
            |out| {
                out.assume(condition);
                out.push(Micro::Controlled { by: condition, within: inner });
            },
            |out| out.assume(negation),
        );
        Ok(())
    }

    /// The instructions that may have a condition; false if it is none of these.
    fn may_be_predicated(&mut self, base: &str) -> Result<bool> {
        match base {
            "mov" | "movw" => {
                let to = self.0.register()?;
                self.0.cursor.expect(",")?;
                let value = self.operand()?;
                self.0.write(to, value);
            }
            "movt" => {
                let to = self.0.register()?;
                self.0.cursor.expect(",")?;
                self.0.cursor.accept("#");
                let number = self.0.cursor.number()?;
                let value = self.0.out.constant(i64::from((number as i32).wrapping_shl(16)));
                self.0.write(to, value);
            }
            "ldr" => {
                let to = self.0.register()?;
                let address = self.address()?;
                let value = self.0.out.load(address, word(&[]));
                self.0.write(to, value);
            }
            "str" => {
                let from = self.0.register()?;
                let value = self.0.data(from);
                let address = self.address()?;
                self.0.out.store(address, value, word(&[]));
            }
            "and" => self.operation(Binary::And, false)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `ldrd r0,[r2]` or `ldrd r0,r1,[r2,#k]`: two words.
    fn load_pair(&mut self) -> Result<()> {
        let first = self.0.register()?;
        let mut second = Register(first.0 + 1);
        let before = self.0.cursor;
        self.0.cursor.expect(",")?;
        if self.0.cursor.sees("[") {
            self.0.cursor = before;
        } else {
            second = self.0.register()?;
        }
        let address = self.address()?;
        self.load_words(address, &[first, second]);
        Ok(())
    }

    /// `ldm r0,{r1,r2,..}`: words one after the other; `ldmib` begins with the second.
    fn load_many(&mut self, before: bool) -> Result<()> {
        let base = self.0.register()?;
        self.0.cursor.expect(",")?;
        self.0.cursor.expect("{")?;
        let mut registers = vec![self.0.register()?];
        while self.0.cursor.accept(",") {
            registers.push(self.0.register()?);
        }
        self.0.cursor.expect("}")?;
        let base = self.0.read(base);
        let address = self.0.offset(base, if before { 4 } else { 0 });
        self.load_words(address, &registers);
        Ok(())
    }

    fn load_words(&mut self, address: Temporary, registers: &[Register]) {
        let mut offset = 0;
        for register in registers {
            let address = self.0.offset(address, offset);
            let value = self.0.out.load(address, word(&[]));
            self.0.write(*register, value);
            offset += 4;
        }
    }
}

/// An operation on registers, and whether it sets the flag.
fn operation(mnemonic: &str) -> Option<(Binary, bool)> {
    Some(match mnemonic {
        "add" => (Binary::Add, false),
        "adds" => (Binary::Add, true),
        "sub" => (Binary::Sub, false),
        "subs" => (Binary::Sub, true),
        "and" => (Binary::And, false),
        "ands" => (Binary::And, true),
        "orr" => (Binary::Or, false),
        "eor" | "xor" | "eors" => (Binary::Xor, false),
        _ => return None,
    })
}

/// A mnemonic without its condition, and whether that is of equality.
fn predicate(mnemonic: &str) -> (&str, Option<bool>) {
    let bare = |suffix: &str| {
        mnemonic
            .strip_suffix(suffix)
            .filter(|base| matches!(*base, "mov" | "movw" | "movt" | "ldr" | "str" | "and"))
    };
    if let Some(base) = bare("eq") {
        (base, Some(true))
    } else if let Some(base) = bare("ne") {
        (base, Some(false))
    } else {
        (mnemonic, None)
    }
}
