//! The question of a test: places to show, a filter, and a quantified proposition on final states.

use super::lexer::{Litmus, number};
use crate::error::Fault;
use tribunal_cat::text::{Cursor, Grammar, Infix, Operators, Position, Token};

/// A place in an initial state or a question.
pub(super) type Lexer<'a> = Cursor<'a, Litmus<false>>;

/// How a proposition is quantified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// Some execution satisfies it.
    Exists,
    /// None does.
    NotExists,
    /// Each does.
    ForAll,
}

/// A place of a final state, as a text names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// `0:r1`
    Register {
        /// Its thread.
        thread: u32,
        /// Its name.
        name: String,
    },
    /// `%r1`, of whichever thread has it.
    Symbolic {
        /// Its name.
        name: String,
    },
    /// `x`, `[x]`, `*x`, `a[1]`
    Location {
        /// Its name.
        name: String,
        /// Which element, if it is an array's.
        index: Option<i64>,
    },
}

/// What a place is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number.
    Int(i64),
    /// The address of a location.
    Name(String),
    /// The address of an array's element.
    Element(String, i64),
    /// A label of a thread's code.
    Label(u32, String),
    /// What another place holds.
    Place(Place),
    /// The values of an array.
    Array(Vec<Term>),
}

/// How they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=` or `==`
    Equal,
    /// `<>` or `!=`
    Different,
}

/// A proposition on final states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// A place compared with a term.
    Atom(Place, Comparison, Term),
    /// All of them; `true` where there are none.
    And(Vec<Proposition>),
    /// Some of them; `false` where there are none.
    Or(Vec<Proposition>),
    /// The opposite.
    Not(Box<Proposition>),
    /// The second wherever the first.
    Implies(Box<Proposition>, Box<Proposition>),
}

/// A scope of threads: a node of the test's tree of scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// What kind of scope it is.
    pub name: String,
    /// The threads below it.
    pub threads: Vec<u32>,
}

/// What a test asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub scopes: Vec<Scope>,
    pub locations: Vec<(Place, Position)>,
    pub filter: Option<Proposition>,
    pub quantifier: Quantifier,
    pub proposition: Proposition,
}

/// How deep scopes may be nested.
const MAX_DEPTH: u32 = 200;

/// `(system (gpu P0 P1))`: a scope after those inside it; its threads.
fn scope(lexer: &mut Lexer<'_>, scopes: &mut Vec<Scope>, depth: u32) -> Result<Vec<u32>, Fault> {
    if depth > MAX_DEPTH {
        return Err(lexer.fault(format!("scopes may be nested {MAX_DEPTH} deep")));
    }
    lexer.expect("(")?;
    let name = lexer.name("the name of a scope")?.to_owned();
    let mut threads = Vec::new();
    while !lexer.take(")") {
        if lexer.is("(") {
            threads.extend(scope(lexer, scopes, depth + 1)?);
            continue;
        }
        let fault = lexer.expected("a thread, as in `P0`, or a scope in parentheses");
        let thread = lexer.name("a thread")?.strip_prefix('P').and_then(|number| number.parse().ok());
        threads.push(thread.ok_or(fault)?);
    }
    scopes.push(Scope { name, threads: threads.clone() });
    Ok(threads)
}

/// Reads all after the program. `<<` ends it; so does what follows a complete question.
pub(crate) fn question(text: &str, position: Position) -> Result<Question, Fault> {
    let mut lexer = Lexer::new(text, position);
    let mut scopes = Vec::new();
    if lexer.take("scopes") {
        lexer.expect(":")?;
        scope(&mut lexer, &mut scopes, 0)?;
    }
    let mut locations = Vec::new();
    if lexer.take("locations") {
        lexer.expect("[")?;
        while !lexer.take("]") {
            let at = lexer.at();
            locations.push((place(&mut lexer)?, at));
            // A type may follow: `x int*`.
            while matches!(lexer.peek(), Token::Name(_) | Token::Sign("*")) {
                lexer.next();
            }
            if !lexer.take(";") && !lexer.is("]") {
                return Err(lexer.expected("`;` or `]`"));
            }
        }
    }
    let filter = if lexer.take("filter") { Some(lexer.climb(1)?) } else { None };
    let (quantifier, proposition) = match lexer.peek() {
        Token::End | Token::Sign("<<") => (Quantifier::ForAll, Proposition::And(Vec::new())),
        Token::Name("exists" | "final") => {
            lexer.next();
            (Quantifier::Exists, lexer.climb(1)?)
        }
        Token::Name("forall") => {
            lexer.next();
            (Quantifier::ForAll, lexer.climb(1)?)
        }
        Token::Sign("~") => {
            lexer.next();
            lexer.expect("exists")?;
            (Quantifier::NotExists, lexer.climb(1)?)
        }
        Token::Name("observed" | "Observed") => {
            lexer.next();
            (Quantifier::Exists, observed(&mut lexer)?)
        }
        Token::Sign("(") => (Quantifier::Exists, lexer.climb(1)?),
        _ => return Err(lexer.expected("`exists`, `~exists` or `forall`")),
    };
    lexer.take(";");
    match lexer.peek() {
        Token::End | Token::Sign("<<") | Token::Name("with") => {}
        _ => return Err(lexer.expected("the end")),
    }
    Ok(Question { scopes, locations, filter, quantifier, proposition })
}

/// `observed a; b; and c; d;`
fn observed(lexer: &mut Lexer<'_>) -> Result<Proposition, Fault> {
    let mut ways = Vec::new();
    loop {
        let mut atoms = Vec::new();
        while lexer.peek() != Token::End && !matches!(lexer.peek(), Token::Name("and")) {
            atoms.push(atom(lexer)?);
            if !lexer.take(";") {
                break;
            }
        }
        ways.push(Proposition::And(atoms));
        if !lexer.take("and") {
            return Ok(Proposition::Or(ways));
        }
    }
}

impl<'a> Operators<'a, Proposition> for Lexer<'a> {
    type Operator = fn(Vec<Proposition>) -> Proposition;
    fn operator(written: &str, _least: u8) -> Option<(u8, Self::Operator)> {
        Some(match written {
            "\\/" => (1, Proposition::Or),
            "/\\" => (2, Proposition::And),
            _ => return None,
        })
    }

    fn operand(&mut self, _: u8) -> Result<Proposition, Fault> {
        implication(self)
    }

    fn combine(
        &mut self,
        mut left: Proposition,
        infix: Infix<Self::Operator>,
        right: Proposition,
    ) -> Result<Proposition, Fault> {
        match &mut left {
            Proposition::Or(all) | Proposition::And(all) if infix.continues => all.push(right),
            _ => left = (infix.operator)(vec![left, right]),
        }
        Ok(left)
    }
}

/// `a => b => c` is an operand: it binds tighter than the operators.
fn implication(lexer: &mut Lexer<'_>) -> Result<Proposition, Fault> {
    let left = primary(lexer)?;
    if lexer.take("=>") {
        let right = lexer.deeper(implication)?;
        return Ok(Proposition::Implies(Box::new(left), Box::new(right)));
    }
    Ok(left)
}

fn primary(lexer: &mut Lexer<'_>) -> Result<Proposition, Fault> {
    match lexer.peek() {
        Token::Sign("(") => {
            lexer.next();
            let inner = lexer.deeper(|lexer| lexer.climb(1))?;
            lexer.expect(")")?;
            Ok(inner)
        }
        Token::Name("not") | Token::Sign("~") => {
            lexer.next();
            Ok(Proposition::Not(Box::new(lexer.deeper(primary)?)))
        }
        Token::Name("true") => {
            lexer.next();
            Ok(Proposition::And(Vec::new()))
        }
        Token::Name("false") => {
            lexer.next();
            Ok(Proposition::Or(Vec::new()))
        }
        _ => atom(lexer),
    }
}

fn atom(lexer: &mut Lexer<'_>) -> Result<Proposition, Fault> {
    let place = place(lexer)?;
    let comparison = match lexer.peek() {
        Token::Sign("=" | "==") => Comparison::Equal,
        Token::Sign("<>" | "!=") => Comparison::Different,
        _ => return Err(lexer.expected("`=` or `<>`")),
    };
    lexer.next();
    if !lexer.take("{") {
        return Ok(Proposition::Atom(place, comparison, term(lexer)?));
    }
    let mut values = Vec::new();
    while !lexer.take("}") {
        values.push(term(lexer)?);
        if !lexer.take(",") && !lexer.is("}") {
            return Err(lexer.expected("`,` or `}`"));
        }
    }
    Ok(Proposition::Atom(place, comparison, Term::Array(values)))
}

/// `0:r1`, `P0:r1`, `%r`, `x`, `[x]`, `*x`, `a[1]`.
pub(super) fn place(lexer: &mut Lexer<'_>) -> Result<Place, Fault> {
    while lexer.take("*") {}
    match lexer.peek() {
        Token::Number(digits) => {
            let at = lexer.at();
            let thread = digits
                .parse()
                .map_err(|_| Fault::new(at, format!("a thread's number was expected, not `{digits}`")))?;
            lexer.next();
            lexer.expect(":")?;
            Ok(Place::Register { thread, name: lexer.name("a register")?.to_owned() })
        }
        Token::Name(word) if word.starts_with('%') => {
            lexer.next();
            Ok(Place::Symbolic { name: word.to_owned() })
        }
        Token::Name("fault" | "Fault" | "PTE" | "TTD" | "PA" | "tag" | "TAG")
            if lexer.second() == Token::Sign("(") =>
        {
            Err(lexer.fault("faults, page tables and tags are not supported"))
        }
        Token::Name(word) => {
            lexer.next();
            if lexer.is(":") {
                let number = word.strip_prefix(['P', 'p']).and_then(|n| n.parse().ok());
                let thread = number.ok_or_else(|| {
                    lexer.fault(format!("a thread, as in `P0`, was expected, not `{word}`"))
                })?;
                lexer.next();
                return Ok(Place::Register { thread, name: lexer.name("a register")?.to_owned() });
            }
            let index = index(lexer)?;
            Ok(Place::Location { name: word.to_owned(), index })
        }
        Token::Sign("[") => {
            lexer.next();
            let name = lexer.name("a location")?.to_owned();
            let index = index(lexer)?;
            lexer.expect("]")?;
            Ok(Place::Location { name, index })
        }
        _ => Err(lexer.expected("a register or a location")),
    }
}

fn index(lexer: &mut Lexer<'_>) -> Result<Option<i64>, Fault> {
    if !lexer.take("[") {
        return Ok(None);
    }
    let index = number(lexer, "an index")?;
    lexer.expect("]")?;
    Ok(Some(index))
}

pub(super) fn term(lexer: &mut Lexer<'_>) -> Result<Term, Fault> {
    lexer.take("&");
    match lexer.peek() {
        Token::Number(_) if lexer.second() == Token::Sign(":") => place(lexer).map(Term::Place),
        Token::Number(_) | Token::Sign("-") => number(lexer, "a value").map(Term::Int),
        Token::Sign("[" | "*") => place(lexer).map(Term::Place),
        Token::Name(word) => {
            if word.starts_with('%') {
                return place(lexer).map(Term::Place);
            }
            if word == "label" && lexer.second() == Token::Sign(":") {
                return label(lexer);
            }
            let at = lexer.at();
            match place(lexer)? {
                Place::Location { name, index: None } => Ok(Term::Name(name)),
                Place::Location { name, index: Some(index) } => Ok(Term::Element(name, index)),
                Place::Register { thread, name } if word.starts_with('P') => Ok(Term::Label(thread, name)),
                _ => Err(Fault::new(at, "a value was expected")),
            }
        }
        _ => Err(lexer.expected("a value")),
    }
}

/// `label:"P0:L"` or `label:"0:L"`, as states print the addresses of instructions.
fn label(lexer: &mut Lexer<'_>) -> Result<Term, Fault> {
    lexer.next();
    lexer.next();
    let fault = lexer.expected("a label in quotes, as in `\"P0:L\"`,");
    let Token::Text(text) = lexer.next() else { return Err(fault) };
    let parts = text.split_once(':').map(|(thread, name)| (thread.trim_start_matches('P').parse(), name));
    let Some((Ok(thread), name)) = parts else { return Err(fault) };
    Ok(Term::Label(thread, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Question {
        question(text, Position::START).expect("a question")
    }

    #[test]
    fn precedence_and_forms() {
        let q =
            read("locations [x; 1:r0; a[1];] filter (x=1) ~exists x=1 /\\ 0:r1=y \\/ not [z] <> 2 => true");
        assert_eq!(q.locations.len(), 3);
        assert_eq!(q.quantifier, Quantifier::NotExists);
        let Proposition::Or(ways) = &q.proposition else { panic!("an or") };
        assert!(matches!(&ways[0], Proposition::And(both) if both.len() == 2));
        assert!(matches!(&ways[1], Proposition::Implies(..)));
        assert_eq!(read("").proposition, Proposition::And(Vec::new()));
        assert!(
            matches!(read("observed x=1; y=1; and x=2;").proposition, Proposition::Or(ways) if ways.len() == 2)
        );
        assert_eq!(read("exists (x=1) with tso: ~exists;").quantifier, Quantifier::Exists);
        assert_eq!(read("(x=1) << text").quantifier, Quantifier::Exists);
    }

    #[test]
    fn nesting_is_limited() {
        let deep = format!("exists {}x=1", "(".repeat(100_000));
        assert!(question(&deep, Position::START).is_err());
        let deep = format!("exists {}x=1", "~".repeat(100_000));
        assert!(question(&deep, Position::START).is_err());
    }
}
