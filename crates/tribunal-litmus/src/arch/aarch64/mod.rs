//! AArch64, as herd's tests write it; without vectors, tags and page tables.

mod arithmetic;
mod atomics;
mod flags;
mod memory;
mod operands;

use super::cursor::{Cursor, Result};
use super::reader::Reader;
use super::{Arch, Context};
use crate::micro::{Micro, Register};
use crate::value::Binary;

/// AArch64.
pub struct AArch64;

/// `XZR` and `WZR`: zero whatever is written. States have it before the others.
const ZERO: Register = Register(0);
/// `X0`; the others follow.
const FIRST: Register = Register(1);
const LINK: Register = Register(31);
const SP: Register = Register(32);
/// The flags N, Z, C, V, from bit 3 down.
const NZCV: Register = Register(33);
/// Where the flags are in the system register of that name.
const FLAGS_AT: i64 = 28;
/// The address that the last exclusive load reserved; 0 where there is none.
const RESERVATION: Register = Register(34);

const SETS: &[&str] = &[
    "X",
    "EX",
    "A",
    "L",
    "Q",
    "NoRet",
    "S",
    "NT",
    "AMO",
    "ISB",
    "DMB.SY",
    "DMB.ST",
    "DMB.LD",
    "DMB.ISH",
    "DMB.ISHST",
    "DMB.ISHLD",
    "DMB.OSH",
    "DMB.OSHST",
    "DMB.OSHLD",
    "DMB.NSH",
    "DMB.NSHST",
    "DMB.NSHLD",
    "DSB.SY",
    "DSB.ST",
    "DSB.LD",
    "DSB.ISH",
    "DSB.ISHST",
    "DSB.ISHLD",
    "DSB.OSH",
    "DSB.OSHST",
    "DSB.OSHLD",
    "DSB.NSH",
    "DSB.NSHST",
    "DSB.NSHLD",
];

impl Arch for AArch64 {
    fn name(&self) -> &'static str {
        "AArch64"
    }

    fn register(&self, name: &str) -> Option<Register> {
        operands::named(name).map(|operand| operand.register)
    }

    fn register_name(&self, register: Register) -> String {
        match register {
            ZERO => "XZR".to_string(),
            SP => "SP".to_string(),
            Register(number) => format!("X{}", number - FIRST.0),
        }
    }

    fn sets(&self) -> &'static [&'static str] {
        SETS
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line { reader: Reader::new(&AArch64, Some(ZERO), text, context) };
        let start = line.reader.cursor;
        let mnemonic = line.reader.cursor.mnemonic().to_ascii_lowercase();
        let understood = line.control(&mnemonic)?
            || line.fence(&mnemonic)?
            || line.access(&mnemonic)?
            || line.atomic(&mnemonic)?
            || line.arithmetic(&mnemonic)?
            || line.selection(&mnemonic)?;
        if !understood {
            return Err(start.unknown());
        }
        line.reader.finish()
    }
}

/// An instruction as it is read. Each group of instructions says whether the mnemonic is one of its own.
struct Line<'a, 'c> {
    reader: Reader<'a, 'c>,
}

impl<'a> Line<'a, '_> {
    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.reader.cursor
    }

    fn control(&mut self, mnemonic: &str) -> Result<bool> {
        if let Some(condition) = mnemonic.strip_prefix("b.") {
            let Some(condition) = flags::condition(condition) else { return Ok(false) };
            let target = self.target()?;
            let flags = self.reader.read(NZCV);
            let holds = self.holds(condition, flags);
            self.reader.out.branch(holds, target);
            return Ok(true);
        }
        match mnemonic {
            "nop" => {}
            "b" => {
                let target = self.target()?;
                self.reader.out.jump(target);
            }
            "cbz" | "cbnz" | "tbz" | "tbnz" => {
                let register = self.register()?;
                self.cursor().expect(",")?;
                let bit = if mnemonic.starts_with('t') { Some(self.immediate()?) } else { None };
                if bit.is_some() {
                    self.cursor().expect(",")?;
                }
                let target = self.target()?;
                let mut value = self.value(register);
                if let Some(bit) = bit {
                    value = self.reader.bit(value, bit);
                }
                let zero = self.reader.is_zero(value);
                let holds = if mnemonic.ends_with("nz") { self.reader.is_zero(zero) } else { zero };
                self.reader.out.branch(holds, target);
            }
            "adr" => {
                let to = self.register()?.register;
                self.cursor().expect(",")?;
                let target = self.target()?;
                let address = self.reader.out.label(target);
                self.reader.write(to, address);
            }
            "bl" => {
                let target = self.target()?;
                let next = self.reader.out.following();
                self.reader.write(LINK, next);
                self.reader.out.jump(target);
            }
            "br" | "blr" | "ret" => {
                let named = mnemonic != "ret" || !self.cursor().is_done();
                let register = if named { self.register()?.register } else { LINK };
                let target = self.reader.read(register);
                if mnemonic == "blr" {
                    let next = self.reader.out.following();
                    self.reader.write(LINK, next);
                }
                self.reader.out.jump_to(target);
            }
            "udf" | "svc" | "hvc" | "smc" | "brk" | "eret" => {
                return Err(format!("`{mnemonic}`: exceptions are not supported"));
            }
            "mrs" | "msr" => return self.system_register(mnemonic == "mrs"),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A label, or how many bytes on: `.+8`.
    fn target(&mut self) -> Result<String> {
        if self.cursor().accept(".+") {
            return Ok(format!(".+{}", self.cursor().number()?));
        }
        if self.cursor().accept(".-") {
            return Ok(format!(".-{}", self.cursor().number()?));
        }
        self.cursor().accept("#");
        Ok(self.cursor().label()?.to_string())
    }

    /// The flags as a register, the only system register there is here.
    fn system_register(&mut self, read: bool) -> Result<bool> {
        let mut to = None;
        if read {
            to = Some(self.register()?.register);
            self.cursor().expect(",")?;
        }
        let name = self.cursor().word("a system register")?.to_ascii_lowercase();
        if name != "nzcv" {
            return Err(format!("there is no system register `{name}` here"));
        }
        if let Some(to) = to {
            let value = self.reader.read(NZCV);
            let value = self.reader.with_number(Binary::ShiftLeft, value, FLAGS_AT);
            self.reader.write(to, value);
        } else {
            self.cursor().expect(",")?;
            let from = self.register()?.register;
            let value = self.reader.read(from);
            let value = self.reader.with_number(Binary::ShiftRight, value, FLAGS_AT);
            let value = self.reader.with_number(Binary::And, value, 0xf);
            self.reader.write(NZCV, value);
        }
        Ok(true)
    }

    fn fence(&mut self, mnemonic: &str) -> Result<bool> {
        match mnemonic {
            "isb" => {
                let option = self.cursor().mnemonic();
                if !option.is_empty() && !option.eq_ignore_ascii_case("sy") {
                    return Err(format!("there is no option `{option}` of `isb`"));
                }
                self.reader.out.fence(&["ISB"]);
            }
            "dmb" | "dsb" => {
                let option = self.cursor().mnemonic().to_ascii_uppercase();
                let option = if option.is_empty() { "SY".to_string() } else { option };
                let name = format!("{}.{option}", mnemonic.to_ascii_uppercase());
                let Some(set) = SETS.iter().find(|set| **set == name) else {
                    return Err(format!("there is no option `{option}` of `{mnemonic}`"));
                };
                self.reader.out.fence(&[set]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
