//! LISA, the language of tests whose annotations a bell file names: `r[once] r1 x`, `w[release] x 1`, `f[mb]`.

use super::cursor::{Cursor, Result};
use super::{Arch, Context};
use crate::micro::{Access, Builder, Micro, Name, Register, Temporary};
use crate::value::{Binary, Size, Value};
use std::borrow::Cow;

/// LISA.
pub struct Lisa;

impl Arch for Lisa {
    fn name(&self) -> &'static str {
        "LISA"
    }

    fn register(&self, name: &str) -> Option<Register> {
        name.strip_prefix('r')?.parse().ok().map(Register)
    }

    fn register_name(&self, register: Register) -> String {
        format!("r{}", register.0)
    }

    fn sets(&self) -> &'static [&'static str] {
        &["X", "RMW"]
    }

    fn instruction(&self, text: &str, context: &mut dyn Context) -> Result<Vec<Micro>> {
        let mut line = Line { cursor: Cursor::new(text), out: Builder::default(), context };
        line.instruction()?;
        line.cursor.end()?;
        Ok(line.out.finish())
    }
}

struct Line<'a, 'c> {
    cursor: Cursor<'a>,
    out: Builder,
    context: &'c mut dyn Context,
}

impl Line<'_, '_> {
    fn instruction(&mut self) -> Result<()> {
        let start = self.cursor;
        match self.cursor.word("an instruction")? {
            "r" => {
                let sets = self.annotations()?;
                let to = self.register()?;
                let address = self.address()?;
                let value = self.out.load(address, access(sets));
                self.out.write(to, value);
            }
            "w" => {
                let sets = self.annotations()?;
                let address = self.address()?;
                let value = self.operand(true)?;
                self.out.store(address, value, access(sets));
            }
            "f" => {
                let sets = self.annotations()?;
                self.out.push(Micro::Fence { sets });
            }
            "mov" => {
                let to = self.register()?;
                let value = self.value()?;
                self.out.write(to, value);
            }
            "b" => {
                self.annotations()?;
                let before = self.cursor;
                let condition =
                    self.cursor.word("a register or a label").ok().and_then(|name| Lisa.register(name));
                match condition {
                    Some(register) => {
                        let condition = self.out.address(register);
                        let target = self.cursor.label()?;
                        self.out.branch(condition, target);
                    }
                    None => {
                        self.cursor = before;
                        let target = self.cursor.label()?;
                        self.out.jump(target);
                    }
                }
            }
            _ => return Err(start.unknown()),
        }
        Ok(())
    }

    /// `[tag,tag]`, as the names of their sets: with a capital.
    fn annotations(&mut self) -> Result<Vec<Name>> {
        let mut sets = Vec::new();
        self.cursor.expect("[")?;
        while !self.cursor.accept("]") {
            let tag = self.cursor.label()?;
            let mut letters = tag.chars();
            let name = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
            sets.push(Cow::Owned(name));
            if !self.cursor.accept(",") && !self.cursor.sees("]") {
                return Err(self.cursor.error("`,` or `]`"));
            }
        }
        Ok(sets)
    }

    fn register(&mut self) -> Result<Register> {
        let before = self.cursor;
        let name = self.cursor.word("a register")?;
        Lisa.register(name).ok_or_else(|| {
            self.cursor = before;
            self.cursor.error("a register")
        })
    }

    /// `x`, `r1`, `x+1`
    fn address(&mut self) -> Result<Temporary> {
        let base = self.operand(false)?;
        if !self.cursor.accept("+") {
            return Ok(base);
        }
        let offset = self.operand(false)?;
        Ok(self.out.binary(Binary::Add, base, offset))
    }

    /// A number, a register, or a location's address.
    fn operand(&mut self, data: bool) -> Result<Temporary> {
        if self.cursor.sees_number() {
            let number = self.cursor.number()?;
            return Ok(self.out.constant(number));
        }
        let name = self.cursor.word("a register, a location or a number")?;
        Ok(match Lisa.register(name) {
            Some(register) if data => self.out.data(register),
            Some(register) => self.out.address(register),
            None => {
                let address = Value::Address(self.context.symbol(name), 0);
                self.out.value(address)
            }
        })
    }

    /// An operand, or `(op a b)`.
    fn value(&mut self) -> Result<Temporary> {
        if !self.cursor.accept("(") {
            return self.operand(true);
        }
        let op = match self.cursor.word("an operation")? {
            "add" => Binary::Add,
            "sub" => Binary::Sub,
            "and" => Binary::And,
            "or" => Binary::Or,
            "xor" => Binary::Xor,
            "eq" => Binary::Eq,
            "neq" => Binary::Ne,
            _ => return Err(self.cursor.error("add, sub, and, or, xor, eq or neq")),
        };
        let left = self.operand(true)?;
        self.cursor.accept(",");
        let right = self.operand(true)?;
        self.cursor.expect(")")?;
        Ok(self.out.binary(op, left, right))
    }
}

fn access(sets: Vec<Name>) -> Access {
    Access { size: Size::Quad, sets, atomic: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Symbol;

    struct Names;

    impl Context for Names {
        fn symbol(&mut self, _: &str) -> Symbol {
            Symbol(0)
        }

        fn symbolic(&mut self, _: &str) -> Register {
            Register(0)
        }
    }

    #[test]
    fn annotations_are_sets() {
        let micros = Lisa.instruction("f[rcu-lock]", &mut Names).unwrap();
        assert!(matches!(&micros[..], [Micro::Fence { sets }] if sets[0] == "Rcu-lock"));
        for text in ["r[] r1 x", "w[once] x 1", "w[] r1+1 r2", "mov r2 (xor r1 r1)", "b[] r1 L", "b[] L"] {
            assert!(Lisa.instruction(text, &mut Names).is_ok(), "{text}");
        }
        for text in ["r[ r1 x", "r[] x", "q[] x", "mov r1 (f r1 r2)", "w[] x 1 2", ""] {
            assert!(Lisa.instruction(text, &mut Names).is_err(), "{text}");
        }
    }
}
