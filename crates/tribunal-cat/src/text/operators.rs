//! Expressions: operands and the operators between them.

use super::{Grammar, Parsed, Position, Token};

/// An operator between two operands.
pub struct Infix<O> {
    /// Its meaning.
    pub operator: O,
    /// Its place.
    pub at: Position,
    /// Where the right operand begins.
    pub right: Position,
    /// True if the left operand is a row of operators that bind as tightly, without parentheses.
    pub continues: bool,
}

/// A grammar with expressions of operands `T` and operators between them, which are read by how tightly these bind.
pub trait Operators<'a, T>: Grammar<'a> {
    /// The meaning of an operator.
    type Operator;

    /// The table of operators: how tightly one binds, from 1, and its meaning, by how it is written. Those that bind
    /// less than `least` are not asked for.
    fn operator(written: &str, least: u8) -> Option<(u8, Self::Operator)>;

    /// True if each operator of a row is a level of nesting, because the tree of a row is as deep as the row is long.
    const NESTS: bool = false;

    /// Reads an operand of operators that bind at least so tightly.
    fn operand(&mut self, least: u8) -> Parsed<T, Self::Language>;

    /// Makes one operand of two and the operator between them.
    fn combine(&mut self, left: T, infix: Infix<Self::Operator>, right: T) -> Parsed<T, Self::Language>;

    /// Refuses what may not stand behind a row of so many operators that bind so tightly; behind an operand, for none.
    fn check(&mut self, _binding: u8, _length: usize) -> Parsed<(), Self::Language> {
        Ok(())
    }

    /// Reads operands and the operators between them that bind at least so tightly, by precedence climbing.
    fn climb(&mut self, least: u8) -> Parsed<T, Self::Language> {
        let mut left = self.operand(least)?;
        let nested = |length| if Self::NESTS { length } else { 0 };
        // How tightly the row binds that `left` is, and of how many operators it is.
        let (mut row, mut length) = (0, 0);
        loop {
            self.check(row, length)?;
            let (Token::Sign(text) | Token::Word(text) | Token::Name(text)) = self.cursor().peek() else {
                break;
            };
            let Some((binding, operator)) =
                Self::operator(text, least).filter(|&(binding, _)| binding >= least)
            else {
                break;
            };
            let continues = row == binding;
            if !continues {
                self.cursor().leave(nested(length));
                (row, length) = (binding, 0);
            }
            let at = self.cursor().at();
            self.cursor().next();
            if Self::NESTS {
                self.cursor().enter()?;
            }
            length += 1;
            let infix = Infix { operator, at, right: self.cursor().at(), continues };
            let right = self.climb(binding + 1)?;
            left = self.combine(left, infix, right)?;
        }
        self.cursor().leave(nested(length));
        Ok(left)
    }
}
