//! Loads and stores: plain, acquire, release, exclusive and in pairs.

use super::operands::{Address, Operand};
use super::{Line, RESERVATION};
use crate::arch::cursor::Result;
use crate::arch::reader::Conditional;
use crate::micro::{Access, Micro, Temporary};
use crate::value::{Size, Unary};

/// A mnemonic without its `b` or `h`, and the size that it says.
pub(super) fn narrowed<'m>(mnemonic: &'m str, bases: &[&str]) -> Option<(&'m str, Option<Size>)> {
    if bases.contains(&mnemonic) {
        return Some((mnemonic, None));
    }
    let sizes = [('b', Size::Byte), ('h', Size::Short)];
    let (base, size) =
        sizes.iter().find_map(|(letter, size)| Some((mnemonic.strip_suffix(*letter)?, *size)))?;
    bases.contains(&base).then_some((base, Some(size)))
}

impl Line<'_, '_> {
    pub(super) fn access(&mut self, mnemonic: &str) -> Result<bool> {
        let bases = [
            "ldr", "ldur", "ldar", "ldapr", "ldapur", "ldxr", "ldaxr", "str", "stur", "stlr", "stlur",
            "stxr", "stlxr",
        ];
        if let Some((base, size)) = narrowed(mnemonic, &bases) {
            match base {
                "ldr" | "ldur" => self.load(size, None)?,
                "ldar" => self.load_ordered(size, Access::new(Size::Word, &["A"]))?,
                "ldapr" | "ldapur" => self.load_ordered(size, Access::new(Size::Word, &["Q"]))?,
                "ldxr" => self.load_exclusive(size, &["X"])?,
                "ldaxr" => self.load_exclusive(size, &["X", "A"])?,
                "str" | "stur" => self.store(size, &[])?,
                "stlr" | "stlur" => self.store(size, &["L"])?,
                "stxr" => self.store_exclusive(size, &["X"])?,
                _ => self.store_exclusive(size, &["X", "L"])?,
            }
            return Ok(true);
        }
        match mnemonic {
            "ldrsb" | "ldursb" => self.load(Some(Size::Byte), Some(Size::Byte))?,
            "ldrsh" | "ldursh" => self.load(Some(Size::Short), Some(Size::Short))?,
            "ldrsw" | "ldursw" => self.load(Some(Size::Word), Some(Size::Word))?,
            "ldp" | "ldpsw" => self.load_pair(mnemonic == "ldpsw", &[], false)?,
            "ldnp" => self.load_pair(false, &["NT"], false)?,
            "ldiapp" => self.load_pair(false, &["Q"], true)?,
            "stp" => self.store_pair(&[], false)?,
            "stnp" => self.store_pair(&["NT"], false)?,
            "stilp" => self.store_pair(&["L"], true)?,
            // Two words at once: no other store may come between them, which events of a word do not say.
            "ldxp" | "ldaxp" | "stxp" | "stlxp" => {
                return Err(format!("`{mnemonic}`, an exclusive access of two words, is not understood"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What was loaded, in a register: extended by zeros, or by its sign up to the register's width.
    fn keep(&mut self, to: Operand, value: Temporary, size: Size, signed: Option<Size>) {
        let value = match signed {
            None => self.narrow(size, value),
            Some(size) => {
                let value = self.reader.out.unary(Unary::Sign(size), value);
                self.narrow(to.size, value)
            }
        };
        self.reader.write(to.register, value);
    }

    fn load(&mut self, size: Option<Size>, signed: Option<Size>) -> Result<()> {
        let to = self.register()?;
        let address = self.address()?;
        let size = size.unwrap_or(to.size);
        self.write_back(&address);
        let value = self.reader.out.load(address.at, Access::new(size, &[]));
        self.keep(to, value, size, signed);
        Ok(())
    }

    fn load_ordered(&mut self, size: Option<Size>, access: Access) -> Result<()> {
        let to = self.register()?;
        let address = self.address()?;
        let size = size.unwrap_or(to.size);
        let value = self.reader.out.load(address.at, Access { size, ..access });
        self.keep(to, value, size, None);
        Ok(())
    }

    fn load_exclusive(&mut self, size: Option<Size>, sets: &[&'static str]) -> Result<()> {
        let to = self.register()?;
        let address = self.address()?;
        let size = size.unwrap_or(to.size);
        self.reader.out.write(RESERVATION, address.at);
        let value = self.reader.out.load(address.at, Access::exclusive(size, sets));
        self.keep(to, value, size, None);
        Ok(())
    }

    fn store(&mut self, size: Option<Size>, sets: &[&'static str]) -> Result<()> {
        let from = self.register()?;
        let address = self.address()?;
        let size = size.unwrap_or(from.size);
        self.write_back(&address);
        let value = self.stored(from, size);
        self.reader.out.store(address.at, value, Access::new(size, sets));
        Ok(())
    }

    /// What a store takes of a register.
    pub(super) fn stored(&mut self, from: Operand, size: Size) -> Temporary {
        let value = self.reader.data(from.register);
        self.narrow(size, value)
    }

    /// Either outcome; the status depends on nothing.
    fn store_exclusive(&mut self, size: Option<Size>, sets: &[&'static str]) -> Result<()> {
        let (status, from) = (self.register()?.register, self.comma_operand()?);
        let address = self.address()?.at;
        let size = size.unwrap_or(from.size);
        let value = self.stored(from, size);
        let access = Access::exclusive(size, sets);
        let status = Some(status).filter(|status| *status != super::ZERO);
        Conditional { reservation: RESERVATION, address, value, access }.write(
            &mut self.reader.out,
            |out, _| {
                if let Some(status) = status {
                    let success = out.constant(0);
                    out.write(status, success);
                }
            },
            |out| {
                if let Some(status) = status {
                    let failure = out.constant(1);
                    out.write(status, failure);
                }
            },
        );
        Ok(())
    }

    /// Two registers and the address of the first.
    fn pair(&mut self) -> Result<(Operand, Operand, Address)> {
        let (first, second) = (self.register()?, self.comma_operand()?);
        Ok((first, second, self.address()?))
    }

    fn load_pair(&mut self, signed: bool, sets: &[&'static str], ordered: bool) -> Result<()> {
        let (first, second, address) = self.pair()?;
        let size = if signed { Size::Word } else { first.size };
        self.write_back(&address);
        let one = self.reader.out.load(address.at, Access::new(size, sets));
        self.keep(first, one, size, signed.then_some(size));
        let next = self.reader.offset(address.at, i64::from(size.bytes()));
        let two = self.reader.out.load(next, Access::new(size, sets));
        self.keep(second, two, size, signed.then_some(size));
        if ordered {
            self.reader.out.push(Micro::Ordered { first: one, second: two });
        }
        Ok(())
    }

    fn store_pair(&mut self, sets: &[&'static str], ordered: bool) -> Result<()> {
        let (first, second, address) = self.pair()?;
        let size = first.size;
        self.write_back(&address);
        let value = self.stored(first, size);
        let one = self.reader.out.store(address.at, value, Access::new(size, sets));
        let next = self.reader.offset(address.at, i64::from(size.bytes()));
        let value = self.stored(second, size);
        let two = self.reader.out.store(next, value, Access::new(size, sets));
        if ordered {
            // Where the base moves first, the second store comes first.
            let moves = address.writeback != super::operands::Writeback::None;
            let (first, second) = if moves { (two, one) } else { (one, two) };
            self.reader.out.push(Micro::Ordered { first, second });
        }
        Ok(())
    }
}
