//! Trees to micro-operations. Every statement is an instruction.

use std::borrow::Cow;

use super::Names;
use super::ast::{Expr, Function, Mode, Order, Statement};
use super::macros::{Arguments, Body, Macros};
use crate::error::Fault;
use crate::micro::{Access, Builder, Micro, Name, Temporary, Update};
use crate::syntax::Position;
use crate::test::{Instruction, Thread};
use crate::value::{Binary, Size, Value};

/// How deep macros may use each other.
const MAX_EXPANSION: u32 = 30;
/// How many instructions a thread may have.
const MAX_CODE: usize = 1 << 14;
/// How deep statements and expressions may nest once macros are expanded.
const MAX_NESTING: u32 = 400;
/// How many expressions a thread may have once macros are expanded.
const MAX_EXPRESSIONS: u32 = 1 << 15;

struct Lower<'a> {
    thread: Thread,
    names: &'a mut dyn Names,
    macros: &'a Macros,
    labels: u32,
    expansion: u32,
    /// How deep the present statement or expression is in others, those of macros included.
    nesting: u32,
    /// How many expressions this thread has had.
    expressions: u32,
    position: Position,
}

pub(super) fn thread(function: &Function, macros: &Macros, names: &mut dyn Names) -> Result<Thread, Fault> {
    let mut lower = Lower {
        thread: Thread { number: function.thread, ..Thread::default() },
        names,
        macros,
        labels: 0,
        expansion: 0,
        nesting: 0,
        expressions: 0,
        position: function.position,
    };
    for parameter in &function.parameters {
        let address = Value::Address(lower.names.symbol(parameter), 0);
        let register = lower.names.register(function.thread, parameter);
        lower.thread.registers.push((register, address));
    }
    for statement in &function.body {
        lower.statement(statement)?;
    }
    Ok(lower.thread)
}

fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "RLX",
        Order::Consume => "CON",
        Order::Acquire => "ACQ",
        Order::Release => "REL",
        Order::AcqRel => "ACQ_REL",
        Order::SeqCst => "SC",
    }
}

/// A tag's set: its name with a capital.
fn tag(annotation: &str) -> Name {
    let mut letters = annotation.chars();
    Cow::Owned(letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect())
}

fn tags(annotations: &[String]) -> Vec<Name> {
    annotations.iter().map(|a| tag(a)).collect()
}

fn names(names: &[&'static str]) -> Vec<Name> {
    names.iter().map(|name| Cow::Borrowed(*name)).collect()
}

fn access(mode: &Mode) -> Access {
    let sets = match mode {
        Mode::Order(order) => vec![Cow::Borrowed("A"), Cow::Borrowed(order_name(*order))],
        Mode::Annotated(annotations) => tags(annotations),
    };
    Access { size: Size::Quad, sets, atomic: false }
}

/// Half of a read-modify-write of the kernel's.
fn half(annotations: &[String]) -> Access {
    let mut sets = tags(annotations);
    sets.push(Cow::Borrowed("RMW"));
    Access { size: Size::Quad, sets, atomic: true }
}

impl Lower<'_> {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("#{}", self.labels)
    }

    fn mark(&mut self, label: String) {
        self.thread.labels.insert(label, self.thread.code.len());
    }

    fn emit(&mut self, micros: Vec<Micro>) -> Result<(), Fault> {
        if self.thread.code.len() >= MAX_CODE {
            return Err(Fault::new(
                self.position,
                format!("a thread of at most {MAX_CODE} statements was expected"),
            ));
        }
        self.thread.code.push(Instruction { micros, position: self.position });
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Fault> {
        self.deeper(|this| this.statement_inside(statement))
    }

    fn statement_inside(&mut self, statement: &Statement) -> Result<(), Fault> {
        let mut i = Builder::default();
        match statement {
            Statement::Block(all) => return all.iter().try_for_each(|s| self.statement(s)),
            Statement::If(condition, then, otherwise) => {
                let (other, end) = (self.label(), self.label());
                let condition = self.expr(&mut i, condition, false)?;
                let target = if otherwise.is_some() { other.clone() } else { end.clone() };
                i.push(Micro::Unless { condition, target, until: end.clone(), repeats: false });
                self.emit(i.finish())?;
                self.statement(then)?;
                if let Some(otherwise) = otherwise {
                    self.emit(vec![Micro::Jump { target: end.clone() }])?;
                    self.mark(other);
                    self.statement(otherwise)?;
                }
                self.mark(end);
                return Ok(());
            }
            Statement::While(condition, body) => {
                let (start, end) = (self.label(), self.label());
                self.mark(start.clone());
                let condition = self.expr(&mut i, condition, false)?;
                i.push(Micro::Unless { condition, target: end.clone(), until: end.clone(), repeats: true });
                self.emit(i.finish())?;
                self.statement(body)?;
                self.emit(vec![Micro::Repeat { target: start }])?;
                self.mark(end);
                return Ok(());
            }
            Statement::Assign(to, value, at) => {
                self.position = *at;
                let value = self.expr(&mut i, value, true)?;
                if let Some(name) = to {
                    i.write(self.names.register(self.thread.number, name), value);
                }
            }
            Statement::Store(address, value, mode, at) => {
                self.position = *at;
                let address = self.expr(&mut i, address, false)?;
                let value = self.expr(&mut i, value, true)?;
                i.store(address, value, access(mode));
            }
            Statement::Fence(mode, at) => {
                self.position = *at;
                let sets = match mode {
                    Mode::Order(order) => vec![Cow::Borrowed(order_name(*order))],
                    Mode::Annotated(annotations) => tags(annotations),
                };
                i.push(Micro::Fence { sets });
            }
            Statement::AtomicOp(address, op, operand, annotations, at) => {
                self.position = *at;
                self.atomic_op(&mut i, address, *op, operand, annotations)?;
            }
            Statement::Call(name, arguments, at) => {
                self.position = *at;
                return self.call(name, arguments, *at);
            }
            Statement::Lock(lock, kernel, at) => {
                self.position = *at;
                let lock = self.expr(&mut i, lock, false)?;
                match kernel {
                    // A read and a write.
                    true => {
                        let read = i.mark(lock, names(&["LK", "LKR"]));
                        i.controlled(read, |i| {
                            i.mark(lock, names(&["LK", "LKW"]));
                        });
                    }
                    false => {
                        i.mark(lock, names(&["LK", "LS"]));
                    }
                }
            }
            Statement::Unlock(lock, _, at) => {
                self.position = *at;
                let lock = self.expr(&mut i, lock, false)?;
                i.mark(lock, names(&["UL"]));
            }
            Statement::Srcu(.., Some(_), at) => {
                return Err(Fault::new(*at, "values of events of sleepable RCU are not supported"));
            }
            Statement::Srcu(structure, annotations, None, at) => {
                self.position = *at;
                let structure = self.expr(&mut i, structure, false)?;
                i.mark(structure, tags(annotations));
            }
        }
        self.emit(i.finish())
    }

    fn expand(&mut self, name: &str, count: usize, at: Position) -> Result<&Body, Fault> {
        self.expansion += 1;
        if self.expansion > MAX_EXPANSION {
            return Err(Fault::new(at, format!("macros may use each other {MAX_EXPANSION} deep")));
        }
        let found = self
            .macros
            .get(name)
            .ok_or_else(|| Fault::new(at, format!("there is no function or macro `{name}`")))?;
        if found.formals.len() != count {
            return Err(Fault::new(
                at,
                format!("`{name}` has {} parameters, not {count}", found.formals.len()),
            ));
        }
        Ok(&found.body)
    }

    fn call(&mut self, name: &str, arguments: &[Expr], at: Position) -> Result<(), Fault> {
        self.expand(name, arguments.len(), at)?;
        let macros = self.macros;
        let Some(found) = macros.get(name) else { return Ok(()) };
        let arguments = Arguments::new(&found.formals, arguments);
        let body = match &found.body {
            Body::Block(block) => arguments.statement(block),
            Body::Expr(expr) => Statement::Assign(None, arguments.expr(expr), at),
        };
        arguments.fit(at)?;
        let result = self.statement(&body);
        self.expansion -= 1;
        result
    }

    /// One level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.nesting == MAX_NESTING {
            let message = format!("with its macros a program may be nested {MAX_NESTING} deep");
            return Err(Fault::new(self.position, message));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn expr(&mut self, i: &mut Builder, expr: &Expr, data: bool) -> Result<Temporary, Fault> {
        self.expressions += 1;
        if self.expressions > MAX_EXPRESSIONS {
            let message = format!("a thread of at most {MAX_EXPRESSIONS} expressions was expected");
            return Err(Fault::new(self.position, message));
        }
        self.deeper(|this| this.expr_inside(i, expr, data))
    }

    fn expr_inside(&mut self, i: &mut Builder, expr: &Expr, data: bool) -> Result<Temporary, Fault> {
        Ok(match expr {
            Expr::Int(value) => i.constant(*value),
            Expr::Name(name) => {
                let register = self.names.register(self.thread.number, name);
                if data { i.data(register) } else { i.address(register) }
            }
            Expr::Load(address, mode) => {
                let address = self.expr(i, address, data)?;
                i.load(address, access(mode))
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(i, left, data)?;
                let right = self.expr(i, right, data)?;
                i.binary(*op, left, right)
            }
            Expr::Exchange(address, value, Mode::Order(order)) => {
                let value = self.expr(i, value, true)?;
                let address = self.expr(i, address, false)?;
                i.update(address, Update::Exchange(value), access(&Mode::Order(*order)))
            }
            Expr::Exchange(address, value, Mode::Annotated(annotations)) => {
                let address = self.expr(i, address, false)?;
                let value = self.expr(i, value, true)?;
                let old = i.load(address, half(annotations));
                i.controlled(old, |i| {
                    i.store(address, value, half(annotations));
                });
                old
            }
            Expr::Fetch(address, op, value, order) => {
                let value = self.expr(i, value, true)?;
                let address = self.expr(i, address, false)?;
                i.update(address, Update::Fetch(*op, value), access(&Mode::Order(*order)))
            }
            Expr::CompareExchange(three, success, failure, strong) => {
                self.compare_exchange(i, three, *success, *failure, *strong)?
            }
            Expr::CmpXchg(three, annotations) => self.cmpxchg(i, three, annotations)?,
            Expr::AtomicOp { location, op, operand, fetch, annotations } => {
                let (old, new) = self.atomic_op(i, location, *op, operand, annotations)?;
                if *fetch { old } else { new }
            }
            Expr::AddUnless(three, annotations) => self.add_unless(i, three, annotations)?,
            Expr::Srcu(..) | Expr::TryLock(_) | Expr::IsLocked(_) => {
                return Err(Fault::new(self.position, "asking for the state of a lock is not supported"));
            }
            Expr::Call(name, arguments, at) => {
                if name == "&" {
                    return Err(Fault::new(*at, "what is accessed was expected: `*x`"));
                }
                self.expand(name, arguments.len(), *at)?;
                let macros = self.macros;
                let body = macros.get(name).map(|found| (&found.formals, &found.body));
                let Some((formals, Body::Expr(body))) = body else {
                    return Err(Fault::new(*at, format!("`{name}` has no value")));
                };
                let arguments = Arguments::new(formals, arguments);
                let body = arguments.expr(body);
                arguments.fit(*at)?;
                let result = self.expr(i, &body, data)?;
                self.expansion -= 1;
                result
            }
        })
    }

    /// The expected value is read where it is; on failure, what was found is written there, without atomicity.
    fn compare_exchange(
        &mut self,
        i: &mut Builder,
        three: &[Expr; 3],
        success: Order,
        failure: Order,
        strong: bool,
    ) -> Result<Temporary, Fault> {
        let where_expected = self.expr(i, &three[1], false)?;
        let object = self.expr(i, &three[0], false)?;
        let expected = i.load(where_expected, access(&Mode::PLAIN));
        let result = i.temporary();
        let outer = i.open();
        let desired = self.expr(i, &three[2], true);
        let desired_micros = i.close(outer);
        let desired = desired?;
        i.controlled(expected, |i| {
            i.either(
                |i| {
                    let found = i.load(object, access(&Mode::Order(failure)));
                    if strong {
                        let other = i.binary(Binary::Ne, found, expected);
                        i.assume(other);
                    }
                    i.controlled(found, |i| {
                        i.store(where_expected, found, access(&Mode::PLAIN));
                    });
                    i.push(Micro::Constant { value: Value::ZERO, into: result });
                },
                |i| {
                    desired_micros.iter().for_each(|m| i.push(m.clone()));
                    let found = i.update(object, Update::Exchange(desired), access(&Mode::Order(success)));
                    let same = i.binary(Binary::Eq, found, expected);
                    i.assume(same);
                    i.push(Micro::Constant { value: Value::Int(1), into: result });
                },
            );
        });
        Ok(result)
    }

    fn cmpxchg(
        &mut self,
        i: &mut Builder,
        three: &[Expr; 3],
        annotations: &[String],
    ) -> Result<Temporary, Fault> {
        let address = self.expr(i, &three[0], false)?;
        let old = self.expr(i, &three[1], true)?;
        let result = i.temporary();
        let outer = i.open();
        let new = self.expr(i, &three[2], true);
        let new_micros = i.close(outer);
        let new = new?;
        let zero = i.constant(0);
        i.either(
            |i| {
                new_micros.iter().for_each(|m| i.push(m.clone()));
                let found = i.load(address, half(annotations));
                let same = i.binary(Binary::Eq, found, old);
                i.assume(same);
                i.controlled(found, |i| {
                    i.store(address, new, half(annotations));
                });
                i.push(Micro::Binary { op: Binary::Add, left: found, right: zero, into: result });
            },
            |i| {
                let found = i.load(address, half(annotations));
                let other = i.binary(Binary::Ne, found, old);
                i.assume(other);
                i.push(Micro::Binary { op: Binary::Add, left: found, right: zero, into: result });
            },
        );
        Ok(result)
    }

    /// What was there before, and what is after.
    fn atomic_op(
        &mut self,
        i: &mut Builder,
        address: &Expr,
        op: Binary,
        operand: &Expr,
        annotations: &[String],
    ) -> Result<(Temporary, Temporary), Fault> {
        let operand = self.expr(i, operand, true)?;
        let address = self.expr(i, address, false)?;
        let old = i.load(address, half(annotations));
        let new = i.binary(op, old, operand);
        i.store(address, new, half(annotations));
        Ok((old, new))
    }

    fn add_unless(
        &mut self,
        i: &mut Builder,
        three: &[Expr; 3],
        annotations: &[String],
    ) -> Result<Temporary, Fault> {
        let address = self.expr(i, &three[0], false)?;
        let add = self.expr(i, &three[1], true)?;
        let unless = self.expr(i, &three[2], true)?;
        let result = i.temporary();
        i.either(
            |i| {
                let old = i.load(address, half(annotations));
                let other = i.binary(Binary::Ne, old, unless);
                i.assume(other);
                let new = i.binary(Binary::Add, old, add);
                i.store(address, new, half(annotations));
                i.push(Micro::Constant { value: Value::Int(1), into: result });
            },
            |i| {
                let old = i.load(address, half(annotations));
                let same = i.binary(Binary::Eq, old, unless);
                i.assume(same);
                i.push(Micro::Constant { value: Value::ZERO, into: result });
            },
        );
        Ok(result)
    }
}
