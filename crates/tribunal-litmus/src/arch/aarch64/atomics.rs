//! Read-modify-writes of one instruction: `swp`, `cas`, and the fetching operations. Each is a load and a store.

use super::memory::narrowed;
use super::operands::Operand;
use super::{Line, ZERO};
use crate::arch::cursor::Result;
use crate::micro::{Access, Builder, Micro, Temporary};
use crate::value::{Binary, Size, Unary};

/// The ordering of the two accesses.
#[derive(Clone, Copy)]
struct Orders {
    acquire: bool,
    release: bool,
}

impl Orders {
    /// The load of an instruction that keeps what it reads, or not.
    fn load(self, size: Size, kept: bool) -> Access {
        Access::atomic(
            size,
            if !kept {
                &["X", "NoRet"]
            } else if self.acquire {
                &["X", "A"]
            } else {
                &["X"]
            },
        )
    }

    fn store(self, size: Size) -> Access {
        Access::atomic(size, if self.release { &["X", "L"] } else { &["X"] })
    }

    /// The load of a `cas` that fails and stores nothing.
    fn failed(self, size: Size, kept: bool) -> Access {
        if kept { Access::new(size, if self.acquire { &["A"] } else { &[] }) } else { self.load(size, false) }
    }
}

/// A mnemonic without its `a`, `l`, `al` and its size.
fn ordered<'m>(mnemonic: &'m str, bases: &[&str]) -> Option<(&'m str, Orders, Option<Size>)> {
    for base in bases {
        let Some(rest) = mnemonic.strip_prefix(base) else { continue };
        let Some((orders, size)) = narrowed(rest, &["", "a", "l", "al"]) else { continue };
        let orders = Orders { acquire: orders.contains('a'), release: orders.contains('l') };
        return mnemonic.get(..base.len()).map(|base| (base, orders, size));
    }
    None
}

/// What a fetching operation does with what it reads, and whether the values are signed.
fn fetching(name: &str) -> Option<(Binary, bool)> {
    Some(match name {
        "add" => (Binary::Add, false),
        "eor" => (Binary::Xor, false),
        "set" => (Binary::Or, false),
        "clr" => (Binary::AndNot, false),
        "smax" => (Binary::Max, true),
        "smin" => (Binary::Min, true),
        "umax" => (Binary::MaxUnsigned, false),
        "umin" => (Binary::MinUnsigned, false),
        _ => return None,
    })
}

const LOADING: [&str; 8] = ["ldadd", "ldeor", "ldset", "ldclr", "ldsmax", "ldsmin", "ldumax", "ldumin"];
const STORING: [&str; 8] = ["stadd", "steor", "stset", "stclr", "stsmax", "stsmin", "stumax", "stumin"];

impl Line<'_, '_> {
    pub(super) fn atomic(&mut self, mnemonic: &str) -> Result<bool> {
        if let Some((_, orders, size)) = ordered(mnemonic, &["swp"]) {
            self.swap(orders, size)?;
        } else if let Some((base, orders, size)) = ordered(mnemonic, &["casp", "cas"]) {
            if base == "casp" {
                return Err("`casp`, a compare-and-swap of two words, is not understood".to_string());
            }
            self.compare_and_swap(orders, size)?;
        } else if let Some((base, orders, size)) = ordered(mnemonic, &LOADING) {
            let from = self.register()?;
            let to = self.comma_operand()?;
            self.fetch(base, orders, size, from, to)?;
        } else if let Some((base, orders, size)) = ordered(mnemonic, &STORING) {
            let from = self.register()?;
            self.fetch(base, orders, size, from, Operand { register: ZERO, ..from })?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn swap(&mut self, orders: Orders, size: Option<Size>) -> Result<()> {
        let (from, to) = (self.register()?, self.comma_operand()?);
        let address = self.address()?.at;
        let size = size.unwrap_or(from.size);
        let value = self.stored(from, size);
        let kept = to.register != ZERO;
        let old = self.reader.out.load(address, orders.load(size, kept));
        if kept {
            let old = self.narrow(size, old);
            self.reader.write(to.register, old);
        }
        let done = self.reader.out.store(address, value, orders.store(size));
        self.reader.out.push(Micro::Ordered { first: old, second: done });
        Ok(())
    }

    fn fetch(
        &mut self,
        base: &str,
        orders: Orders,
        size: Option<Size>,
        from: Operand,
        to: Operand,
    ) -> Result<()> {
        let Some((op, signed)) = base.get(2..).and_then(fetching) else {
            return Err(format!("there is no operation `{base}`"));
        };
        let address = self.address()?.at;
        let size = size.unwrap_or(from.size);
        let mut value = self.stored(from, size);
        let kept = to.register != ZERO;
        let mut old = self.reader.out.load(address, orders.load(size, kept));
        if signed {
            value = self.reader.out.unary(Unary::Sign(size), value);
            old = self.reader.out.unary(Unary::Sign(size), old);
        }
        let new = self.reader.out.binary(op, old, value);
        let new = self.narrow(size, new);
        self.reader.out.store(address, new, orders.store(size));
        if kept {
            let old = self.narrow(size, old);
            self.reader.write(to.register, old);
        }
        Ok(())
    }

    /// Five ways, as herd has them. On success the register gets what it held, under control, or what was read. On failure the old value is stored
    /// again, or nothing is stored; then the register may or may not be under control of the comparison.
    fn compare_and_swap(&mut self, orders: Orders, size: Option<Size>) -> Result<()> {
        let (expected, desired) = (self.register()?, self.comma_operand()?);
        let address = self.address()?.at;
        let size = size.unwrap_or(expected.size);
        let kept = expected.register != ZERO;
        let with = self.stored(expected, size);
        let register = expected.register;
        let keep = |out: &mut Builder, value: Temporary| {
            if kept {
                let value = if size == Size::Quad { value } else { out.unary(Unary::Zero(size), value) };
                out.write(register, value);
            }
        };
        let compare = |out: &mut Builder, old: Temporary, op: Binary| {
            let holds = out.binary(op, old, with);
            out.assume(holds);
            holds
        };
        let mut ways = Vec::new();
        for controlled in [true, false] {
            let outer = self.reader.out.open();
            let new = self.stored(desired, size);
            let out = &mut self.reader.out;
            let old = out.load(address, orders.load(size, kept));
            let holds = compare(out, old, Binary::Eq);
            if !controlled {
                keep(out, old);
            }
            out.push(Micro::Predicate { condition: holds });
            if controlled {
                keep(out, with);
            }
            out.store(address, new, orders.store(size));
            ways.push(out.close(outer));
        }
        let outer = self.reader.out.open();
        let out = &mut self.reader.out;
        let old = out.load(address, orders.load(size, kept));
        let differs = compare(out, old, Binary::Ne);
        keep(out, old);
        out.push(Micro::Predicate { condition: differs });
        out.store(address, old, orders.store(size));
        ways.push(out.close(outer));
        for controlled in [true, false] {
            let outer = out.open();
            let old = out.load(address, orders.failed(size, kept));
            let differs = compare(out, old, Binary::Ne);
            if !controlled {
                keep(out, old);
            }
            out.push(Micro::Predicate { condition: differs });
            if controlled {
                keep(out, old);
            }
            ways.push(out.close(outer));
        }
        out.push(Micro::Either { ways });
        Ok(())
    }
}
