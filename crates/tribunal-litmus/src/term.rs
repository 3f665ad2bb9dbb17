//! Values as terms over what is read.

use crate::value::{Binary, Size, Unary, Value};
use tribunal_history::heap::Heap;

/// A term of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TermId(pub u32);

/// What a term is. Operands come before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    Constant(Value),
    /// What the load of that index in its thread reads.
    Read(u16),
    Unary(Unary, TermId),
    Binary(Binary, TermId, TermId),
}

/// The terms of a thread's paths.
#[derive(Debug, Default)]
pub(crate) struct Terms(Vec<Term>);

impl Terms {
    pub fn get(&self, id: TermId) -> Term {
        self.0[id.0 as usize]
    }

    /// What they take.
    pub fn bytes(&self) -> usize {
        self.0.held()
    }

    fn push(&mut self, term: Term) -> TermId {
        self.0.push(term);
        TermId(self.0.len() as u32 - 1)
    }

    pub fn constant(&mut self, value: Value) -> TermId {
        self.push(Term::Constant(value))
    }

    pub fn read(&mut self, event: u16) -> TermId {
        self.push(Term::Read(event))
    }

    pub fn known(&self, id: TermId) -> Option<Value> {
        match self.get(id) {
            Term::Constant(value) => Some(value),
            _ => None,
        }
    }

    pub fn unary(&mut self, op: Unary, of: TermId) -> TermId {
        let whole = matches!(op, Unary::Sign(Size::Quad) | Unary::Zero(Size::Quad));
        if whole || matches!(self.get(of), Term::Unary(inner, _) if inner == op && op.extends()) {
            return of;
        }
        match self.known(of).and_then(|v| op.apply(v)) {
            Some(value) => self.constant(value),
            None => self.push(Term::Unary(op, of)),
        }
    }

    /// Simplified where that needs no values: `x^x` and `x&0` are zero, `x+0`, `x|0` and `x^0` are `x`. Of such terms dependencies are made.
    pub fn binary(&mut self, op: Binary, left: TermId, right: TermId) -> TermId {
        let (l, r) = (self.known(left), self.known(right));
        if let (Some(l), Some(r)) = (l, r)
            && let Some(value) = op.apply(l, r)
        {
            return self.constant(value);
        }
        let zero = Some(Value::ZERO);
        match op {
            Binary::Xor | Binary::Sub | Binary::Ne if left == right => self.constant(Value::ZERO),
            Binary::Eq if left == right => self.constant(Value::Int(1)),
            Binary::And if l == zero || r == zero => self.constant(Value::ZERO),
            Binary::Add | Binary::Or | Binary::Xor if l == zero => right,
            Binary::Add | Binary::Or | Binary::Xor | Binary::Sub if r == zero => left,
            Binary::And | Binary::Or if left == right => left,
            _ => self.push(Term::Binary(op, left, right)),
        }
    }
}
