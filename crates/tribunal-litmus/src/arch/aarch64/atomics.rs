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
            let count = if base == "casp" { 2 } else { 1 };
            self.compare_and_swap(orders, size, count)?;
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
    /// again, or nothing is stored; then the register may or may not be under control of the comparison. `casp` does so with two of each.
    fn compare_and_swap(&mut self, orders: Orders, size: Option<Size>, count: usize) -> Result<()> {
        let mut registers = vec![self.register()?];
        while registers.len() < 2 * count {
            registers.push(self.comma_operand()?);
        }
        let (expected, desired) = registers.split_at(count);
        let size = size.unwrap_or(registers[0].size);
        let start = self.address()?.at;
        let mut addresses = vec![start];
        if count == 2 {
            addresses.push(self.reader.offset(start, i64::from(size.bytes())));
        }
        let with: Vec<Temporary> = expected.iter().map(|register| self.stored(*register, size)).collect();
        let swap = Swap { orders, size, addresses, with, expected, single: count == 1 };
        let mut ways = Vec::new();
        for controlled in [true, false] {
            let outer = self.reader.out.open();
            let new: Vec<Temporary> = desired.iter().map(|register| self.stored(*register, size)).collect();
            swap.succeed(&mut self.reader.out, &new, controlled);
            ways.push(self.reader.out.close(outer));
        }
        let out = &mut self.reader.out;
        let outer = out.open();
        swap.fail_and_store(out);
        ways.push(out.close(outer));
        for controlled in [true, false] {
            let outer = out.open();
            swap.fail(out, controlled);
            ways.push(out.close(outer));
        }
        out.push(Micro::Either { ways });
        Ok(())
    }
}

/// A compare-and-swap, of one location or of two that follow each other.
struct Swap<'a> {
    orders: Orders,
    size: Size,
    addresses: Vec<Temporary>,
    /// What is expected to be there.
    with: Vec<Temporary>,
    /// The registers that hold it, and get what was there.
    expected: &'a [Operand],
    single: bool,
}

impl Swap<'_> {
    /// Whether what is read goes to a register.
    fn kept(&self) -> bool {
        !self.single || self.expected[0].register != ZERO
    }

    fn load(&self, out: &mut Builder, access: &Access) -> Vec<Temporary> {
        self.addresses.iter().map(|address| out.load(*address, access.clone())).collect()
    }

    fn store(&self, out: &mut Builder, values: &[Temporary]) {
        for (address, value) in self.addresses.iter().zip(values) {
            out.store(*address, *value, self.orders.store(self.size));
        }
    }

    fn keep(&self, out: &mut Builder, values: &[Temporary]) {
        for (operand, value) in
            self.expected.iter().zip(values).filter(|(operand, _)| operand.register != ZERO)
        {
            let value =
                if self.size == Size::Quad { *value } else { out.unary(Unary::Zero(self.size), *value) };
            out.write(operand.register, value);
        }
    }

    /// Assumes that what was read is as expected, or not.
    fn compare(&self, out: &mut Builder, old: &[Temporary], same: bool) -> Temporary {
        let mut all = None;
        for (old, with) in old.iter().zip(&self.with) {
            let equal = out.binary(Binary::Eq, *old, *with);
            all = Some(all.map_or(equal, |all| out.binary(Binary::And, all, equal)));
        }
        let all = all.unwrap_or(self.with[0]);
        let holds = if same { all } else { out.unary(Unary::IsZero, all) };
        out.assume(holds);
        holds
    }

    fn succeed(&self, out: &mut Builder, new: &[Temporary], controlled: bool) {
        let old = self.load(out, &self.orders.load(self.size, self.kept()));
        let holds = self.compare(out, &old, true);
        if !controlled {
            self.keep(out, &old);
        }
        out.push(Micro::Predicate { condition: holds });
        if controlled {
            self.keep(out, &self.with);
        }
        self.store(out, new);
    }

    fn fail_and_store(&self, out: &mut Builder) {
        let plain = self.orders.failed(self.size, self.kept());
        let access = if self.single { self.orders.load(self.size, self.kept()) } else { plain };
        let old = self.load(out, &access);
        let holds = self.compare(out, &old, false);
        self.keep(out, &old);
        out.push(Micro::Predicate { condition: holds });
        self.store(out, &old);
    }

    fn fail(&self, out: &mut Builder, controlled: bool) {
        let old = self.load(out, &self.orders.failed(self.size, self.kept()));
        let holds = self.compare(out, &old, false);
        if !controlled {
            self.keep(out, &old);
        }
        out.push(Micro::Predicate { condition: holds });
        if controlled {
            self.keep(out, &old);
        }
    }
}
