//! Reading what is expected: `expect with N = 3, o = sc under tso: executions 8, outcomes (0|1, 0..3) except (0, 0)`.

use super::{Parsed, Parser};
use crate::text::FailureKind;
use crate::text::error::Mistake;
use crate::text::syntax::{Case, ConstantValue, Expectation, Expr, Values};
use std::ops::RangeInclusive;
use tribunal_cat::text::{Position, Token};
use tribunal_history::model::Model;

/// Outcomes that an expectation names.
const OUTCOMES: u64 = 1 << 16;

impl Parser<'_> {
    pub(super) fn case(&mut self, at: Position) -> Parsed<Case> {
        let mut case = Case { at, settings: Vec::new(), model: None, items: Vec::new() };
        if self.cursor.take("with") {
            loop {
                let name = self.name("a constant")?;
                self.cursor.expect("=")?;
                let value = match self.cursor.peek() {
                    Token::Word(_) | Token::Name(_) => ConstantValue::Order(self.order_name()?),
                    _ => ConstantValue::Number(Expr::Number(self.signed()?)),
                };
                case.settings.push((name, value));
                if !self.cursor.take(",") {
                    break;
                }
            }
        }
        if self.cursor.take("under") {
            let at = self.cursor.at();
            let name = self.name("a model")?;
            let unknown =
                || Mistake::Expected { expected: "a model".into(), found: format!("`{}`", name.text) };
            case.model = Some(name.text.parse::<Model>().map_err(|_| unknown().at(at))?);
        }
        if !case.settings.is_empty() || case.model.is_some() {
            self.cursor.expect(":")?;
            self.separators();
        }
        loop {
            let at = self.cursor.at();
            let item = self.expectation()?;
            case.items.push((item, at));
            if !self.cursor.take(",") {
                return Ok(case);
            }
            self.separators();
        }
    }

    fn expectation(&mut self) -> Parsed<Expectation> {
        let at = self.cursor.at();
        const EXPECTATION: &str = "what is expected (executions, blocked, outcomes, success, or a failure: failure, assertion, race, deadlock, livelock, misuse, endless)";
        let Token::Name(word) = self.cursor.peek() else { return Err(self.cursor.expected(EXPECTATION)) };
        if let Some(kind) = FailureKind::named(word) {
            self.cursor.next();
            return Ok(Expectation::Failure(kind));
        }
        match word {
            "executions" => {
                self.cursor.next();
                self.whole_number("how many executions").map(Expectation::Executions)
            }
            "blocked" => {
                self.cursor.next();
                self.whole_number("how many blocked executions").map(Expectation::Blocked)
            }
            "success" => {
                self.cursor.next();
                Ok(Expectation::Success)
            }
            "outcomes" => {
                self.cursor.next();
                if let Token::Number(_) = self.cursor.peek() {
                    return self.whole_number("").map(Expectation::OutcomeCount);
                }
                let these = self.tuples()?;
                let except = if self.cursor.take("except") { self.tuples()? } else { Vec::new() };
                let named = these.iter().chain(&except).map(|tuple| outcomes(tuple));
                if named.fold(0, u64::saturating_add) > OUTCOMES {
                    return Err(Mistake::TooLarge("2^16 outcomes in an expectation").at(at));
                }
                Ok(Expectation::Outcomes { these, except })
            }
            _ => Err(self.cursor.expected(EXPECTATION)),
        }
    }

    /// Outcomes in parentheses, one after the other, on as many lines as it takes.
    fn tuples(&mut self) -> Parsed<Vec<Vec<Values>>> {
        let mut tuples = Vec::new();
        loop {
            let end = self.cursor;
            self.separators();
            if !self.cursor.take("(") {
                self.cursor = end;
                break;
            }
            let mut tuple = vec![self.values()?];
            while self.cursor.take(",") {
                tuple.push(self.values()?);
            }
            self.cursor.expect(")")?;
            tuples.push(tuple);
        }
        if tuples.is_empty() {
            Err(self.cursor.expected("an outcome, as `(0, 1)`, or how many"))
        } else {
            Ok(tuples)
        }
    }

    /// `0`, `0|1`, `0..3`
    fn values(&mut self) -> Parsed<Values> {
        let mut values = Vec::new();
        loop {
            let first = self.signed()?;
            let last = if self.cursor.take("..") { self.signed()?.saturating_sub(1) } else { first };
            values.push(first..=last);
            if !self.cursor.take("|") {
                return Ok(values);
            }
        }
    }

    fn signed(&mut self) -> Parsed<i64> {
        let negative = self.cursor.take("-");
        let number = self.whole_number("a number")? as i64;
        Ok(if negative { -number } else { number })
    }
}

/// How many outcomes a tuple stands for.
fn outcomes(tuple: &[Values]) -> u64 {
    let length = |range: &RangeInclusive<i64>| {
        range.end().saturating_sub(*range.start()).saturating_add(1).max(0) as u64
    };
    let values = |values: &Values| values.iter().map(length).fold(0, u64::saturating_add);
    tuple.iter().map(values).fold(1, u64::saturating_mul)
}
