//! Reading programs: declarations, and the tools for the rest.

mod cases;
mod expressions;
mod statements;

use super::error::{Mistake, TextError};
use super::syntax::{
    Block, Claim, ClaimKind, Constant, ConstantValue, Expr, File, Function, Initial, Location, LocationKind,
    Name, Position, Thread,
};
use super::token::{Placed, Token, tokens};
use rustc_hash::FxHashMap;

/// Blocks and parentheses within one another.
pub(super) const DEPTH: usize = 100;

/// Expectations; the program is compiled for each that sets constants.
const CASES: usize = 1000;

/// Words with a meaning, which cannot be names.
const KEYWORDS: [&str; 36] = [
    "atomic", "plain", "mutex", "const", "order", "thread", "main", "final", "fn", "outcome", "exists",
    "forall", "never", "allow", "expect", "if", "else", "while", "loop", "for", "in", "step", "break",
    "continue", "return", "fence", "await", "assume", "assert", "spin", "lock", "unlock", "trylock", "free",
    "xchg", "cas",
];

/// Reads a program.
pub(super) fn parse(text: &str) -> Result<File, TextError> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        declared: FxHashMap::default(),
        file: File::default(),
    };
    parser.file()?;
    Ok(parser.file)
}

type Parsed<T> = Result<T, TextError>;

struct Parser<'a> {
    text: &'a str,
    /// The last is [`Token::End`].
    tokens: Vec<Placed<'a>>,
    next: usize,
    depth: usize,
    /// Everything declared so far.
    declared: FxHashMap<&'a str, (Declared, Position)>,
    file: File,
}

/// What a declared name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declared {
    Location,
    Other,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token<'a> {
        self.tokens[self.next].token
    }

    fn at(&self) -> Position {
        self.tokens[self.next].at
    }

    /// Goes on to the next token.
    fn skip(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn expected<T>(&self, expected: impl Into<String>) -> Parsed<T> {
        let (expected, found) = (expected.into(), self.token().describe());
        Err(Mistake::Expected { expected, found }.at(self.at()))
    }

    /// Takes a sign, if it is next.
    fn takes(&mut self, sign: &str) -> bool {
        let takes = matches!(self.token(), Token::Sign(found) if found == sign);
        if takes {
            self.skip();
        }
        takes
    }

    fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.expected(format!("`{sign}`")) }
    }

    /// Takes a word, if it is next.
    fn takes_word(&mut self, word: &str) -> bool {
        let takes = self.token() == Token::Word(word);
        if takes {
            self.skip();
        }
        takes
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { self.expected(format!("`{word}`")) }
    }

    /// A word that is not a keyword, as it stands in the text.
    fn raw_name(&mut self, what: &str) -> Parsed<(&'a str, Position)> {
        match self.token() {
            Token::Word(word) if !KEYWORDS.contains(&word) => {
                let at = self.at();
                self.skip();
                Ok((word, at))
            }
            _ => self.expected(what),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        self.raw_name(what).map(|(word, at)| Name { text: word.into(), at })
    }

    /// A name that means nothing yet.
    fn new_name(&mut self, what: &str, declared: Declared) -> Parsed<Name> {
        let (word, at) = self.raw_name(what)?;
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
        match self.token() {
            Token::Number(number) => {
                self.skip();
                Ok(number as u64)
            }
            _ => self.expected(what),
        }
    }

    fn separators(&mut self) {
        while self.token() == Token::Separator {
            self.skip();
        }
    }

    /// The end of a statement or a declaration.
    fn end_of_statement(&mut self) -> Parsed<()> {
        match self.token() {
            Token::Separator => self.separators(),
            Token::End | Token::Sign("}") => {}
            _ => return self.expected("the end of the statement (a new line or `;`)"),
        }
        Ok(())
    }

    /// Something one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEPTH {
            return Err(Mistake::Deep(DEPTH).at(self.at()));
        }
        self.depth += 1;
        let parsed = inner(self);
        self.depth -= 1;
        parsed
    }

    /// The text between two tokens, the second excluded.
    fn text_of(&self, first: usize, end: usize) -> String {
        let (begin, end) = (self.tokens[first].bytes.0, self.tokens[end - 1].bytes.1);
        self.text[begin..end].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn file(&mut self) -> Parsed<()> {
        self.separators();
        while self.token() != Token::End {
            self.declaration()?;
            if self.token() != Token::End && self.token() != Token::Separator {
                return self.expected("the end of the declaration (a new line or `;`)");
            }
            self.separators();
        }
        if self.file.threads.is_empty() && self.file.main.is_none() {
            return self.expected("a `thread` or `main`");
        }
        Ok(())
    }

    fn declaration(&mut self) -> Parsed<()> {
        let at = self.at();
        let Token::Word(word) = self.token() else { return self.expected(DECLARATION) };
        let kind = self.next;
        self.skip();
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
                let copies = if self.takes("[") { Some(self.copies()?) } else { None };
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
                let first = self.next;
                let condition = self.expression()?;
                let text = self.text_of(first, self.next);
                self.file.claims.push(Claim { kind, condition, text, at });
            }
            "allow" => {
                self.word("races")?;
                let always = !self.takes_word("if");
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
                self.next = kind;
                return self.expected(DECLARATION);
            }
        }
        Ok(())
    }

    fn constants(&mut self, value: impl Fn(&mut Self) -> Parsed<ConstantValue>) -> Parsed<()> {
        loop {
            let name = self.new_name("the name of the constant", Declared::Other)?;
            self.sign("=")?;
            let value = value(self)?;
            self.file.constants.push(Constant { name, value });
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    /// Locations, and behind them what is true of all.
    fn locations(&mut self, kind: impl FnOnce(&mut Self) -> Parsed<LocationKind>) -> Parsed<()> {
        // What `x` means in a statement must be known when it is read.
        if !(self.file.threads.is_empty() && self.file.functions.is_empty() && self.file.main.is_none()) {
            let (what, place) = ("declarations of locations", "before all functions and threads");
            return Err(Mistake::Misplaced { what, place }.at(self.at()));
        }
        let first = self.file.locations.len();
        loop {
            let name = self.new_name("the name of a location", Declared::Location)?;
            let mut length = None;
            if self.takes("[") {
                length = Some(self.expression()?);
                self.sign("]")?;
            }
            let initial = if self.takes("=") { self.initial()? } else { Initial::Same(None) };
            self.file.locations.push(Location { name, kind: LocationKind::Plain, length, initial });
            if !self.takes(",") {
                break;
            }
        }
        let kind = kind(self)?;
        self.file.locations[first..].iter_mut().for_each(|location| location.kind = kind.clone());
        Ok(())
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if !self.takes("{") {
            return Ok(Initial::Same(Some(self.expression()?)));
        }
        let mut each = vec![self.expression()?];
        while self.takes(",") {
            each.push(self.expression()?);
        }
        self.sign("}")?;
        Ok(Initial::Each(each))
    }

    fn parameters(&mut self) -> Parsed<Vec<Name>> {
        self.sign("(")?;
        let mut parameters = Vec::new();
        while !self.takes(")") {
            if !parameters.is_empty() {
                self.sign(",")?;
            }
            parameters.push(self.name("a parameter")?);
        }
        Ok(parameters)
    }

    /// `i in 0..N]`
    fn copies(&mut self) -> Parsed<(Name, Expr, Expr)> {
        let parameter = self.name("a parameter")?;
        self.word("in")?;
        let from = self.expression()?;
        self.sign("..")?;
        let to = self.expression()?;
        self.sign("]")?;
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
        if self.takes_word("none") {
            return Ok(outcome);
        }
        loop {
            let first = self.next;
            let expression = self.expression()?;
            outcome.push((expression, self.text_of(first, self.next)));
            if !self.takes(",") {
                return Ok(outcome);
            }
        }
    }
}

const DECLARATION: &str = "a declaration (const, order, atomic, plain, mutex, fn, thread, main, final, outcome, exists, forall, never, \
     allow races, expect)";
