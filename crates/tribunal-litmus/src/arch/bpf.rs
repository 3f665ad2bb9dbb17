//! BPF, in the notation of its verifier: `r1 = *(u32 *)(r0 + 0)`.

use super::cursor::Result;
use super::reader::Reader;
use super::{Arch, Context};
use crate::micro::{Access, Micro, Register, Temporary, Update};
use crate::value::{Binary, Size, Unary};

/// BPF.
pub struct Bpf;

/// What `cmpxchg` compares with, and where it leaves what it read.
const R0: Register = Register(0);

impl Arch for Bpf {
    fn name(&self) -> &'static str {
        "BPF"
    }

    fn register(&self, name: &str) -> Option<Register> {
        let number: u16 = name.strip_prefix('r')?.parse().ok()?;
        (number <= 10).then_some(Register(number))
    }

    fn register_name(&self, register: Register) -> String {
        format!("r{}", register.0)
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "SC", "AQ", "RL", "AMO"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line(Reader::new(&Bpf, None, text, context));
        line.instruction()?;
        line.0.finish()
    }
}

struct Line<'a, 'c>(Reader<'a, 'c>);

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.0.cursor;
        if self.0.cursor.accept("*") {
            return self.store();
        }
        match self.0.cursor.run(|c| c.is_ascii_alphanumeric() || c == '_') {
            "goto" => {
                let target = self.0.cursor.label()?;
                self.0.out.jump(target);
                Ok(())
            }
            "if" => self.branch(),
            "lock" => self.locked(),
            "store_release" => {
                self.0.cursor.expect("(")?;
                let (address, size) = self.place()?;
                self.0.cursor.expect(",")?;
                let from = self.0.register()?;
                self.0.cursor.expect(")")?;
                let value = self.0.data(from);
                self.0.out.store(address, value, Access::new(size, &["RL"]));
                Ok(())
            }
            name => match Bpf.register(name) {
                Some(to) => self.assignment(to),
                None => Err(start.unknown()),
            },
        }
    }

    /// `(u32 *)(r0 + 0)`
    fn place(&mut self) -> Result<(Temporary, Size)> {
        self.0.cursor.expect("(")?;
        let size = match self.0.cursor.word("the type of a place")? {
            "u8" => Size::Byte,
            "u16" => Size::Short,
            "u32" => Size::Word,
            "u64" => Size::Quad,
            other => return Err(format!("there is no type `{other}`")),
        };
        self.0.cursor.expect("*")?;
        self.0.cursor.expect(")")?;
        self.0.cursor.expect("(")?;
        let address = self.displaced()?;
        self.0.cursor.expect(")")?;
        Ok((address, size))
    }

    /// `r0 + 0`
    fn displaced(&mut self) -> Result<Temporary> {
        let base = self.0.register()?;
        let base = self.0.read(base);
        if !self.0.cursor.sees("-") {
            self.0.cursor.expect("+")?;
        }
        let offset = self.0.cursor.number()?;
        Ok(self.0.offset(base, offset))
    }

    /// `*(u32 *)(r0 + 0) = 1` after its star.
    fn store(&mut self) -> Result<()> {
        let (address, size) = self.place()?;
        self.0.cursor.expect("=")?;
        let value = self.operand()?;
        self.0.out.store(address, value, Access::new(size, &[]));
        Ok(())
    }

    /// A register or a number.
    fn operand(&mut self) -> Result<Temporary> {
        self.0.cursor.accept("+");
        if self.0.cursor.sees_number() {
            let number = self.0.cursor.number()?;
            return Ok(self.0.out.constant(number));
        }
        let register = self.0.register()?;
        Ok(self.0.data(register))
    }

    /// `lock *(u64 *)(r0 + 0) += r1`: an update that gives nothing back, and orders nothing.
    fn locked(&mut self) -> Result<()> {
        self.0.cursor.expect("*")?;
        let (address, size) = self.place()?;
        let Some(op) = self.assignment_operator() else {
            return Err(self.0.cursor.error("an operation such as `+=`"));
        };
        let from = self.0.register()?;
        let value = self.0.data(from);
        self.0.out.update(address, Update::Fetch(op, value), Access::new(size, &["X", "AMO"]));
        Ok(())
    }

    /// `if r1 == 0 goto L`
    fn branch(&mut self) -> Result<()> {
        let left = self.0.register()?;
        let left = self.0.read(left);
        let conditions = [("==", Binary::Eq), ("!=", Binary::Ne), (">=", Binary::Ge), ("<", Binary::Lt)];
        let Some((_, op)) = conditions.iter().find(|(token, _)| self.0.cursor.accept(token)) else {
            return Err(self.0.cursor.error("a comparison"));
        };
        let right = self.operand()?;
        self.0.cursor.expect("goto")?;
        let target = self.0.cursor.label()?;
        let holds = self.0.out.binary(*op, left, right);
        self.0.out.branch(holds, target);
        Ok(())
    }

    fn assignment_operator(&mut self) -> Option<Binary> {
        let operators = [
            ("+=", Binary::Add),
            ("-=", Binary::Sub),
            ("%=", Binary::Rem),
            ("*=", Binary::Mul),
            ("/=", Binary::Div),
            ("^=", Binary::Xor),
            ("&=", Binary::And),
            ("|=", Binary::Or),
            ("s>>=", Binary::ShiftRightSigned),
            (">>=", Binary::ShiftRight),
            ("<<=", Binary::ShiftLeft),
        ];
        operators.iter().find(|(token, _)| self.0.cursor.accept(token)).map(|(_, op)| *op)
    }

    /// What follows the register that is assigned.
    fn assignment(&mut self, to: Register) -> Result<()> {
        if let Some(op) = self.assignment_operator() {
            let left = self.0.data(to);
            let right = self.operand()?;
            let value = self.0.out.binary(op, left, right);
            self.0.write(to, value);
            return Ok(());
        }
        self.0.cursor.expect("=")?;
        if self.0.cursor.accept("*") {
            let (address, size) = self.place()?;
            let value = self.0.out.load(address, Access::new(size, &[]));
            let value = self.0.out.unary(Unary::Zero(size), value);
            self.0.write(to, value);
            return Ok(());
        }
        let before = self.0.cursor;
        match self.0.cursor.run(|c| c.is_ascii_alphanumeric() || c == '_') {
            "load_acquire" => {
                self.0.cursor.expect("(")?;
                let (address, size) = self.place()?;
                self.0.cursor.expect(")")?;
                let value = self.0.out.load(address, Access::new(size, &["AQ"]));
                let value = self.0.out.unary(Unary::Zero(size), value);
                self.0.write(to, value);
            }
            "atomic_fetch_add" => self.fetch(Some(Binary::Add), None)?,
            "atomic_fetch_and" => self.fetch(Some(Binary::And), None)?,
            "atomic_fetch_or" => self.fetch(Some(Binary::Or), None)?,
            "atomic_fetch_xor" => self.fetch(Some(Binary::Xor), None)?,
            "xchg_64" => self.fetch(None, Some(Size::Quad))?,
            "xchg_32_32" => self.fetch(None, Some(Size::Word))?,
            "cmpxchg_64" => self.compare_exchange(Size::Quad)?,
            "cmpxchg32_32" => self.compare_exchange(Size::Word)?,
            _ => {
                self.0.cursor = before;
                let value = self.operand()?;
                self.0.write(to, value);
            }
        }
        Ok(())
    }

    /// What an update with a result does: the register that it takes is the one that it gives. An exchange has its place without a type.
    fn fetch(&mut self, op: Option<Binary>, size: Option<Size>) -> Result<()> {
        self.0.cursor.expect("(")?;
        let (address, size) = match size {
            Some(size) => (self.displaced()?, size),
            None => self.place()?,
        };
        self.0.cursor.expect(",")?;
        let register = self.0.register()?;
        self.0.cursor.expect(")")?;
        let value = self.0.data(register);
        let update = op.map_or(Update::Exchange(value), |op| Update::Fetch(op, value));
        let old = self.0.out.update(address, update, Access::new(size, &["X", "SC", "AMO"]));
        let old = self.0.out.unary(Unary::Zero(size), old);
        self.0.write(register, old);
        Ok(())
    }

    /// `cmpxchg_64(r1 + 0, r0, r2)`: both outcomes. Success is a load and a store that are ordered as an update; failure a plain load.
    fn compare_exchange(&mut self, size: Size) -> Result<()> {
        self.0.cursor.expect("(")?;
        let address = self.displaced()?;
        self.0.cursor.expect(",")?;
        self.0.register()?;
        let from = self.0.comma_register()?;
        self.0.cursor.expect(")")?;
        let (expected, desired) = (self.0.data(R0), self.0.data(from));
        let expected = self.0.out.unary(Unary::Zero(size), expected);
        self.0.out.either(
            |out| {
                let old = out.load(address, Access::atomic(size, &["X", "SC"]));
                let old = out.unary(Unary::Zero(size), old);
                let same = out.binary(Binary::Eq, old, expected);
                out.assume(same);
                out.controlled(same, |out| {
                    out.store(address, desired, Access::atomic(size, &["X", "SC"]));
                });
                out.write(R0, old);
            },
            |out| {
                let old = out.load(address, Access::new(size, &[]));
                let old = out.unary(Unary::Zero(size), old);
                let other = out.binary(Binary::Ne, old, expected);
                out.assume(other);
                out.write(R0, old);
            },
        );
        Ok(())
    }
}
