//! Reading programs: declarations, and the tools for the rest.

mod cases;
mod expressions;
mod statements;

use super::error::{Mistake, TextError};
use super::syntax::{
    Block, Claim, ClaimKind, Constant, ConstantValue, Expr, File, Function, Initial, Location, LocationKind,
    Name, Thread,
};
use super::token::{Program, number};
use rustc_hash::FxHashMap;
use tribunal_cat::text::{Cursor, Grammar, Position, Token};

/// Blocks and parentheses within one another.
pub(super) const DEPTH: usize = 100;

/// Expectations; the program is compiled for each that sets constants.
const CASES: usize = 1000;

/// Reads a program.
pub(super) fn parse(text: &str) -> Result<File, TextError> {
    Cursor::read(text, Position::START, |cursor| {
        let mut parser = Parser { cursor, declared: FxHashMap::default(), file: File::default() };
        parser.file()?;
        Ok(parser.file)
    })
}

type Parsed<T> = Result<T, TextError>;

struct Parser<'a> {
    cursor: Cursor<'a, Program>,
    /// Everything declared so far.
    declared: FxHashMap<&'a str, (Declared, Position)>,
    file: File,
}

impl<'a> Grammar<'a> for Parser<'a> {
    type Language = Program;

    fn cursor(&mut self) -> &mut Cursor<'a, Program> {
        &mut self.cursor
    }
}

/// What a declared name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Location,
    Other,
}

impl<'a> Parser<'a> {
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let at = self.cursor.at();
        Ok(Name { text: self.cursor.name(what)?.into(), at })
    }

    /// A name that means nothing yet.
    fn new_name(&mut self, what: &str, declared: Declared) -> Parsed<Name> {
        let at = self.cursor.at();
        let word = self.cursor.name(what)?;
        match self.declared.get(word) {
            Some(&(_, Position { line, .. })) => Err(Mistake::Again { name: word.into(), line }.at(at)),
            None => {
                self.declared.insert(word, (declared, at));
                Ok(Name { text: word.into(), at })
            }
        }
    }

    fn is_location(&self, word: &str) -> bool {
        matches!(self.declared.get(word), Some((Declared::Location, _)))
    }

    fn whole_number(&mut self, what: &str) -> Parsed<u64> {
        match self.cursor.peek() {
            Token::Number(digits) => {
                let number = number(digits).map_err(|mistake| self.cursor.fault(mistake))?;
                self.cursor.next();
                Ok(number as u64)
            }
            _ => Err(self.cursor.expected(what)),
        }
    }

    fn ends_statement(&self) -> bool {
        self.cursor.is("\n") || self.cursor.is(";")
    }

    fn separators(&mut self) {
        while self.ends_statement() {
            self.cursor.next();
        }
    }

    /// The end of a statement or a declaration.
    fn end_of_statement(&mut self) -> Parsed<()> {
        match self.cursor.peek() {
            Token::Sign("\n" | ";") => self.separators(),
            Token::End | Token::Sign("}") => {}
            _ => return Err(self.cursor.expected("the end of the statement (a new line or `;`)")),
        }
        Ok(())
    }

    /// The text from a token to the one before the next, on one line.
    fn text_since(&self, first: &Cursor<'a, Program>) -> String {
        self.cursor.since(first).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn file(&mut self) -> Parsed<()> {
        self.separators();
        while self.cursor.peek() != Token::End {
            self.declaration()?;
            if self.cursor.peek() != Token::End && !self.ends_statement() {
                return Err(self.cursor.expected("the end of the declaration (a new line or `;`)"));
            }
            self.separators();
        }
        if self.file.threads.is_empty() && self.file.main.is_none() {
            return Err(self.cursor.expected("a `thread` or `main`"));
        }
        Ok(())
    }

    fn declaration(&mut self) -> Parsed<()> {
        let at = self.cursor.at();
        let Token::Word(word) = self.cursor.peek() else { return Err(self.cursor.expected(DECLARATION)) };
        let kind = self.cursor;
        self.cursor.next();
        match word {
            "const" => self.constants(|parser| parser.expression().map(ConstantValue::Number))?,
            "order" => self.constants(|parser| parser.order_name().map(ConstantValue::Order))?,
            "atomic" => self.locations(|parser| Ok(LocationKind::Atomic(parser.order()?)))?,
            "plain" => self.locations(|_| Ok(LocationKind::Plain))?,
            "mutex" => self.locations(|_| Ok(LocationKind::Mutex))?,
            "fn" => {
                let name = self.new_name("the name of the function", Declared::Other)?;
                let parameters = self.parameters()?;
                let body = self.block()?;
                self.file.functions.push(Function { name, parameters, body });
            }
            "thread" => {
                let name = self.new_name("the name of the thread", Declared::Other)?;
                let copies = if self.cursor.take("[") { Some(self.copies()?) } else { None };
                let body = self.block()?;
                self.file.threads.push(Thread { name, copies, body });
            }
            "main" => self.file.main = Some(self.only_block("`main`", self.file.main.is_some(), at)?),
            "final" => self.file.last = Some(self.only_block("`final`", self.file.last.is_some(), at)?),
            "outcome" => {
                if self.file.outcome.is_some() {
                    return Err(Mistake::Misplaced { what: "`outcome`", place: "once in a program" }.at(at));
                }
                self.file.outcome = Some(self.outcome()?);
            }
            "exists" | "forall" | "never" => {
                let kind = match word {
                    "exists" => ClaimKind::Exists,
                    "forall" => ClaimKind::Forall,
                    _ => ClaimKind::Never,
                };
                let first = self.cursor;
                let condition = self.expression()?;
                let text = self.text_since(&first);
                self.file.claims.push(Claim { kind, condition, text, at });
            }
            "allow" => {
                self.cursor.expect("races")?;
                let always = !self.cursor.take("if");
                self.file.allow_races = Some(if always { Expr::Number(1) } else { self.expression()? });
            }
            "expect" if self.file.cases.len() == CASES => {
                return Err(Mistake::TooLarge("1000 expectations").at(at));
            }
            "expect" => {
                let case = self.case(at)?;
                self.file.cases.push(case);
            }
            _ => {
                self.cursor = kind;
                return Err(self.cursor.expected(DECLARATION));
            }
        }
        Ok(())
    }

    fn constants(&mut self, value: impl Fn(&mut Self) -> Parsed<ConstantValue>) -> Parsed<()> {
        loop {
            let name = self.new_name("the name of the constant", Declared::Other)?;
            self.cursor.expect("=")?;
            let value = value(self)?;
            self.file.constants.push(Constant { name, value });
            if !self.cursor.take(",") {
                return Ok(());
            }
        }
    }

    /// Locations, and behind them what is true of all.
    fn locations(&mut self, kind: impl FnOnce(&mut Self) -> Parsed<LocationKind>) -> Parsed<()> {
        // What `x` means in a statement must be known when it is read.
        if !(self.file.threads.is_empty() && self.file.functions.is_empty() && self.file.main.is_none()) {
            let (what, place) = ("declarations of locations", "before all functions and threads");
            return Err(Mistake::Misplaced { what, place }.at(self.cursor.at()));
        }
        let first = self.file.locations.len();
        loop {
            let name = self.new_name("the name of a location", Declared::Location)?;
            let mut length = None;
            if self.cursor.take("[") {
                length = Some(self.expression()?);
                self.cursor.expect("]")?;
            }
            let initial = if self.cursor.take("=") { self.initial()? } else { Initial::Same(None) };
            self.file.locations.push(Location { name, kind: LocationKind::Plain, length, initial });
            if !self.cursor.take(",") {
                break;
            }
        }
        let kind = kind(self)?;
        self.file.locations[first..].iter_mut().for_each(|location| location.kind = kind.clone());
        Ok(())
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if !self.cursor.take("{") {
            return Ok(Initial::Same(Some(self.expression()?)));
        }
        let mut each = vec![self.expression()?];
        while self.cursor.take(",") {
            each.push(self.expression()?);
        }
        self.cursor.expect("}")?;
        Ok(Initial::Each(each))
    }

    fn parameters(&mut self) -> Parsed<Vec<Name>> {
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.take(")") {
            if !parameters.is_empty() {
                self.cursor.expect(",")?;
            }
            parameters.push(self.name("a parameter")?);
        }
        Ok(parameters)
    }

    /// `i in 0..N]`
    fn copies(&mut self) -> Parsed<(Name, Expr, Expr)> {
        let parameter = self.name("a parameter")?;
        self.cursor.expect("in")?;
        let from = self.expression()?;
        self.cursor.expect("..")?;
        let to = self.expression()?;
        self.cursor.expect("]")?;
        Ok((parameter, from, to))
    }

    fn only_block(&mut self, what: &'static str, again: bool, at: Position) -> Parsed<Block> {
        if again {
            return Err(Mistake::Misplaced { what, place: "once in a program" }.at(at));
        }
        self.block()
    }

    /// Expressions with their texts; `none` for none.
    fn outcome(&mut self) -> Parsed<Vec<(Expr, String)>> {
        let mut outcome = Vec::new();
        if self.cursor.take("none") {
            return Ok(outcome);
        }
        loop {
            let first = self.cursor;
            let expression = self.expression()?;
            outcome.push((expression, self.text_since(&first)));
            if !self.cursor.take(",") {
                return Ok(outcome);
            }
        }
    }
}

const DECLARATION: &str = "a declaration (const, order, atomic, plain, mutex, fn, thread, main, final, outcome, exists, forall, never, \
     allow races, expect)";
