//! Running a declared method. If something has no meaning (a number added to a text), the operation cannot take effect;
//! if a value is too large or the work too much, the result is unknown.

use crate::syntax::{Block, Cell, End, Expr, Local, Operator, Source, Statement};
use Stop::{Refused, TooLarge};
use std::cmp::Ordering;
use std::sync::Arc;
use tribunal_history::object::Value;

/// Statements and values that one operation may go through: some tenths of a second. Loops run over finite lists, but nested ones
/// multiply.
const BUDGET: u64 = 1 << 24;

/// Values that one may consist of, and all of a state together, as often as they occur: what is held once costs no memory a second
/// time, but hashing goes through all.
const LARGEST: usize = 1 << 20;
const LARGEST_STATE: usize = 1 << 22;

/// How deep values may be nested: what compares, hashes or drops them recurses so deep. Readers allow half of it.
const DEEPEST: u32 = 256;

/// Why an operation does not come to its end.
pub(crate) enum Stop {
    /// It cannot take effect.
    Refused,
    /// It makes too large a value, or takes too much work.
    TooLarge,
}

pub(crate) type Ran<T> = Result<T, Stop>;

/// How many values a state consists of; nothing if they are too many.
pub(crate) fn parts(state: &[Cell]) -> Option<usize> {
    let mut parts = 0usize;
    let mut add = |value: &Value| {
        parts += value.parts(LARGEST_STATE.checked_sub(parts)?, DEEPEST)?;
        Some(())
    };
    for cell in state {
        match cell {
            Cell::Value(value) => add(value)?,
            Cell::Sequence(values) => values.iter().try_for_each(&mut add)?,
            Cell::Map(map) => {
                map.iter().try_for_each(|(key, value)| add(key).and_then(|()| add(value)))?;
            }
            Cell::TooLarge => return None,
        }
    }
    Some(parts)
}

/// One call: the state, and the values of parameters and `let`s.
pub(crate) struct Frame<'a> {
    state: &'a mut [Cell],
    locals: Vec<Value>,
    left: u64,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(state: &'a mut [Cell], args: impl Iterator<Item = Value>, locals: usize) -> Self {
        let mut frame = Frame { state, locals: Vec::with_capacity(locals), left: BUDGET };
        frame.locals.extend(args);
        frame.locals.resize(locals, Value::Null);
        frame
    }

    fn spend(&mut self, work: usize) -> Ran<()> {
        self.left = self.left.checked_sub(work as u64 + 1).ok_or(TooLarge)?;
        Ok(())
    }

    /// Spends what going through a value takes.
    fn weigh(&mut self, value: &Value) -> Ran<usize> {
        let parts = value.parts(LARGEST, DEEPEST).ok_or(TooLarge)?;
        self.spend(parts)?;
        Ok(parts)
    }

    /// A value that was made, unless it is too large.
    fn made(&mut self, value: Value) -> Ran<Value> {
        self.weigh(&value)?;
        Ok(value)
    }

    /// Runs statements: the return, if one is reached.
    pub(crate) fn run(&mut self, block: &Block) -> Ran<Option<Value>> {
        for statement in block {
            self.spend(0)?;
            match statement {
                Statement::Let(Local(at), expr) => self.locals[*at] = self.value(expr)?,
                Statement::Assign(state, expr) => {
                    let value = self.value(expr)?;
                    self.state[state.0] = Cell::Value(value);
                }
                Statement::Put(state, key, expr) => {
                    let (key, value) = (self.value(key)?, self.value(expr)?);
                    let Cell::Map(map) = &mut self.state[state.0] else { return Err(Refused) };
                    map.insert(key, value);
                }
                Statement::Remove(state, key) => {
                    let key = self.value(key)?;
                    let Cell::Map(map) = &mut self.state[state.0] else { return Err(Refused) };
                    map.remove(&key);
                }
                Statement::Push(state, end, expr) => {
                    let value = self.value(expr)?;
                    let Cell::Sequence(sequence) = &mut self.state[state.0] else { return Err(Refused) };
                    match end {
                        End::Front => sequence.push_front(value),
                        End::Back => sequence.push_back(value),
                    }
                }
                Statement::Clear(state) => match &mut self.state[state.0] {
                    Cell::Sequence(sequence) => sequence.clear(),
                    Cell::Map(map) => map.clear(),
                    Cell::Value(_) | Cell::TooLarge => return Err(Refused),
                },
                Statement::Evaluate(expr) => drop(self.value(expr)?),
                Statement::When(condition, then, otherwise) => {
                    let block = if self.truth(condition)? { then } else { otherwise };
                    if let Some(ret) = self.run(block)? {
                        return Ok(Some(ret));
                    }
                }
                Statement::For(Local(at), list, body) => {
                    for element in self.list(list)?.iter() {
                        self.locals[*at] = element.clone();
                        if let Some(ret) = self.run(body)? {
                            return Ok(Some(ret));
                        }
                    }
                }
                Statement::Require(condition) => {
                    if !self.truth(condition)? {
                        return Err(Refused);
                    }
                }
                Statement::Return(expr) => return self.value(expr).map(Some),
            }
        }
        Ok(None)
    }

    pub(crate) fn truth(&mut self, expr: &Expr) -> Ran<bool> {
        match self.value(expr)? {
            Value::Bool(truth) => Ok(truth),
            _ => Err(Refused),
        }
    }

    fn number(&mut self, expr: &Expr) -> Ran<i64> {
        self.value(expr)?.as_int().ok_or(Refused)
    }

    fn list(&mut self, expr: &Expr) -> Ran<Arc<[Value]>> {
        match self.value(expr)? {
            Value::List(list) => Ok(list),
            _ => Err(Refused),
        }
    }

    fn value(&mut self, expr: &Expr) -> Ran<Value> {
        Ok(match expr {
            Expr::Constant(value) => value.clone(),
            Expr::Local(Local(at)) => self.locals[*at].clone(),
            Expr::State(state) => {
                let list = match &self.state[state.0] {
                    Cell::Value(value) => return Ok(value.clone()),
                    Cell::Sequence(sequence) => Value::list(sequence.iter().cloned()),
                    Cell::Map(map) => {
                        Value::list(map.iter().map(|(key, value)| Value::list([key.clone(), value.clone()])))
                    }
                    Cell::TooLarge => return Err(Refused),
                };
                self.made(list)?
            }
            Expr::List(values) => {
                let values: Ran<Vec<Value>> = values.iter().map(|value| self.value(value)).collect();
                self.made(Value::list(values?))?
            }
            Expr::Not(value) => (!self.truth(value)?).into(),
            Expr::Negative(value) => self.number(value)?.wrapping_neg().into(),
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Expr::Element(list, index) => {
                let list = self.list(list)?;
                let index = self.number(index)?;
                usize::try_from(index).ok().and_then(|index| list.get(index)).cloned().unwrap_or_default()
            }
            Expr::Entry(state, index) => {
                let index = self.value(index)?;
                self.weigh(&index)?;
                match &self.state[state.0] {
                    Cell::Map(map) => map.get(&index).cloned().unwrap_or_default(),
                    Cell::Sequence(sequence) => {
                        let index = usize::try_from(index.as_int().ok_or(Refused)?).ok();
                        index.and_then(|index| sequence.get(index)).cloned().unwrap_or_default()
                    }
                    Cell::Value(_) | Cell::TooLarge => return Err(Refused),
                }
            }
            Expr::Has(state, value) => {
                let value = self.value(value)?;
                let parts = self.weigh(&value)?;
                if let Cell::Sequence(sequence) = &self.state[state.0] {
                    self.spend(sequence.len().saturating_mul(parts))?;
                }
                match &self.state[state.0] {
                    Cell::Map(map) => map.contains_key(&value).into(),
                    Cell::Sequence(sequence) => sequence.contains(&value).into(),
                    Cell::Value(_) | Cell::TooLarge => return Err(Refused),
                }
            }
            Expr::Size(Source::State(state)) => Value::Int(cell_size(&self.state[state.0]) as i64),
            Expr::Size(Source::Expr(expr)) => match self.value(expr)? {
                Value::List(list) => Value::Int(list.len() as i64),
                Value::Text(text) => Value::Int(text.chars().count() as i64),
                _ => return Err(Refused),
            },
            Expr::Least(state) => match &self.state[state.0] {
                Cell::Map(map) => map.first_key_value().map(|(key, _)| key.clone()).unwrap_or_default(),
                _ => return Err(Refused),
            },
            Expr::Greatest(state) => match &self.state[state.0] {
                Cell::Map(map) => map.last_key_value().map(|(key, _)| key.clone()).unwrap_or_default(),
                _ => return Err(Refused),
            },
            Expr::Keys(state) | Expr::Values(state) => {
                let list = match (&self.state[state.0], expr) {
                    (Cell::Map(map), Expr::Keys(_)) => Value::list(map.keys().cloned()),
                    (Cell::Map(map), _) => Value::list(map.values().cloned()),
                    _ => return Err(Refused),
                };
                self.made(list)?
            }
            Expr::Pop(state, end) => match (&mut self.state[state.0], end) {
                (Cell::Sequence(sequence), End::Front) => sequence.pop_front().unwrap_or_default(),
                (Cell::Sequence(sequence), End::Back) => sequence.pop_back().unwrap_or_default(),
                _ => return Err(Refused),
            },
        })
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Ran<Value> {
        // These three look at their right side only if they must.
        match operator {
            Operator::Or => return Ok((self.truth(left)? || self.truth(right)?).into()),
            Operator::And => return Ok((self.truth(left)? && self.truth(right)?).into()),
            Operator::Else => {
                let value = self.value(left)?;
                return if value == Value::Null { self.value(right) } else { Ok(value) };
            }
            _ => (),
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        if let Value::List(_) | Value::Text(_) = left {
            self.weigh(&left)?;
        }
        let compared = |holds: fn(Ordering) -> bool| Ok(holds(left.cmp(&right)).into());
        match operator {
            Operator::Equal => Ok((left == right).into()),
            Operator::Unequal => Ok((left != right).into()),
            Operator::Less => compared(Ordering::is_lt),
            Operator::LessOrEqual => compared(Ordering::is_le),
            Operator::Greater => compared(Ordering::is_gt),
            Operator::GreaterOrEqual => compared(Ordering::is_ge),
            Operator::In => match &right {
                Value::List(list) => {
                    self.weigh(&right)?;
                    Ok(list.contains(&left).into())
                }
                _ => Err(Refused),
            },
            Operator::Plus => self.sum(&left, &right),
            Operator::Minus | Operator::Times => {
                let (left, right) = (left.as_int().ok_or(Refused)?, right.as_int().ok_or(Refused)?);
                let times = operator == Operator::Times;
                Ok(if times { left.wrapping_mul(right) } else { left.wrapping_sub(right) }.into())
            }
            Operator::Or | Operator::And | Operator::Else => Err(Refused),
        }
    }

    /// Numbers are added, texts and lists joined.
    fn sum(&mut self, left: &Value, right: &Value) -> Ran<Value> {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) => Ok(left.wrapping_add(*right).into()),
            (Value::Text(left), Value::Text(right)) => {
                self.spend(left.len() + right.len())?;
                self.made(Value::Text([&**left, &**right].concat().into()))
            }
            (Value::List(left), Value::List(right)) => {
                self.spend(left.len() + right.len())?;
                self.made(Value::list(left.iter().chain(right.iter()).cloned()))
            }
            _ => Err(Refused),
        }
    }
}

fn cell_size(cell: &Cell) -> usize {
    match cell {
        Cell::Value(_) | Cell::TooLarge => 0,
        Cell::Sequence(sequence) => sequence.len(),
        Cell::Map(map) => map.len(),
    }
}
