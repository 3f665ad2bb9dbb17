//! Consistency criteria, as axioms over abstract executions.
//!
//! Every criterion but `sequential` contains Φ0 = { Ret, lin ⊇ vis, lin ⊇ hb }. Beyond it:
//!
//! | criterion | axioms |
//! |---|---|
//! | `weak` | none |
//! | `ryw` | vis ⊇ po |
//! | `mr` | vis ⊇ vis∘po |
//! | `causal` | vis ⊇ po, vis ⊇ vis∘vis |
//! | `hbvis` | vis ⊇ hb |
//! | `linearizable` | vis ⊇ lin |
//! | `sequential` | Ret, lin ⊇ po, vis = lin, without lin ⊇ hb |

use crate::names::suggestion;
use std::fmt;
use std::str::FromStr;
use tribunal_cat::text::{Cursor, Language, Located, Parsed, Position, Scanned, Token, run};

/// A consistency criterion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// Return-value consistency: each operation is explained by some operations before it.
    Weak,
    /// Read your writes.
    Ryw,
    /// Monotonic reads.
    Mr,
    /// Causal convergence.
    Causal,
    /// Everything that happened before is visible.
    Hbvis,
    /// Operations take effect one at a time between call and return.
    Linearizable,
    /// Operations take effect one at a time, in the order of each process.
    Sequential,
    /// Φ0 and these axioms.
    Axioms(Vec<Axiom>),
}

/// `left ⊇ right`, where the right side is a composition; with `to`, restricted to pairs that end in an operation of that method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axiom {
    /// The containing relation: lin or vis.
    pub left: Relation,
    /// The contained composition: the first relation, then the second, ...
    pub right: Vec<Relation>,
    /// The method of the operations at which the pairs end; `None`: every method.
    pub to: Option<String>,
}

/// A relation of an abstract execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The linearization.
    Lin,
    /// Visibility.
    Vis,
    /// The order of each process.
    Po,
    /// Happens-before.
    Hb,
}

impl Relation {
    /// The relation's name.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::Lin => "lin",
            Relation::Vis => "vis",
            Relation::Po => "po",
            Relation::Hb => "hb",
        }
    }
}

impl Criterion {
    /// Every named criterion, from the weakest to the strongest.
    pub const ALL: [Criterion; 7] = [
        Criterion::Weak,
        Criterion::Ryw,
        Criterion::Mr,
        Criterion::Causal,
        Criterion::Hbvis,
        Criterion::Sequential,
        Criterion::Linearizable,
    ];

    /// The criterion's name in every output; a list of axioms has its text.
    ///
    /// ```
    /// use tribunal::object::Criterion;
    /// assert_eq!(Criterion::Causal.to_string(), "causal");
    /// ```
    pub const fn name(&self) -> &'static str {
        match self {
            Criterion::Weak => "weak",
            Criterion::Ryw => "ryw",
            Criterion::Mr => "mr",
            Criterion::Causal => "causal",
            Criterion::Hbvis => "hbvis",
            Criterion::Linearizable => "linearizable",
            Criterion::Sequential => "sequential",
            Criterion::Axioms(_) => "axioms",
        }
    }

    /// The criterion in a sentence.
    pub const fn sentence(&self) -> &'static str {
        match self {
            Criterion::Weak => {
                "Return-value consistency: each return follows from some earlier calls, in one order for all."
            }
            Criterion::Ryw => "Read your writes: a process sees its own earlier operations.",
            Criterion::Mr => "Monotonic reads: a process goes on seeing what it has seen.",
            Criterion::Causal => {
                "Causal consistency: a process sees its own operations, and whatever those that it sees have seen."
            }
            Criterion::Hbvis => "Happens-before visibility: every operation that has returned is seen.",
            Criterion::Linearizable => {
                "Linearizability: each operation takes effect at one moment between its call and its return."
            }
            Criterion::Sequential => {
                "Sequential consistency: one interleaving of the processes explains every return."
            }
            Criterion::Axioms(_) => "A criterion given by its axioms.",
        }
    }

    /// The axioms beyond Φ0; for `sequential`, which lacks lin ⊇ hb, those beyond Ret and lin ⊇ po.
    pub fn axioms(&self) -> Vec<Axiom> {
        use Relation::{Hb, Lin, Po, Vis};
        let vis = |right: &[Relation]| Axiom { left: Vis, right: right.to_vec(), to: None };
        match self {
            Criterion::Weak => vec![],
            Criterion::Ryw => vec![vis(&[Po])],
            Criterion::Mr => vec![vis(&[Vis, Po])],
            Criterion::Causal => vec![vis(&[Po]), vis(&[Vis, Vis])],
            Criterion::Hbvis => vec![vis(&[Hb])],
            Criterion::Linearizable | Criterion::Sequential => vec![vis(&[Lin])],
            Criterion::Axioms(axioms) => axioms.clone(),
        }
    }

    /// Whether every history that satisfies the other criterion also satisfies this one, as far as the axioms show.
    /// The answer is exact between named criteria.
    ///
    /// ```
    /// use tribunal::object::Criterion;
    /// assert!(Criterion::Ryw.includes(&Criterion::Causal));
    /// assert!(!Criterion::Weak.includes(&Criterion::Sequential));
    /// let own: Criterion = "vis >= po; vis >= vis.vis".parse()?;
    /// assert!(own.includes(&Criterion::Causal) && Criterion::Mr.includes(&own));
    /// # Ok::<(), tribunal::object::MalformedCriterion>(())
    /// ```
    pub fn includes(&self, other: &Criterion) -> bool {
        match (self, other) {
            (Criterion::Sequential, _) => matches!(other, Criterion::Sequential | Criterion::Linearizable),
            (_, Criterion::Sequential) => false,
            _ => {
                let given = other.axioms();
                self.axioms().iter().all(|axiom| axiom.follows_from(&given))
            }
        }
    }
}

impl Relation {
    /// Whether this relation is contained in another in every abstract execution.
    fn within(self, other: Relation) -> bool {
        self == other || other == Relation::Lin || (self, other) == (Relation::Po, Relation::Hb)
    }
}

impl Axiom {
    /// Whether the axiom holds wherever Φ0 and the given ones hold: one of them says more, or the steps are visible one by
    /// one and visibility is transitive.
    fn follows_from(&self, given: &[Axiom]) -> bool {
        let covered = |right: &[Relation], to: &Option<String>| {
            given.iter().any(|axiom| {
                let wide = axiom.right == [Relation::Lin];
                let stepwise = axiom.right.len() == right.len()
                    && right.iter().zip(&axiom.right).all(|(&small, &large)| small.within(large));
                axiom.left == Relation::Vis && (wide || stepwise) && (axiom.to.is_none() || axiom.to == *to)
            })
        };
        let visible = |step: Relation| step == Relation::Vis || covered(&[step], &None);
        self.left == Relation::Lin
            || self.right == [Relation::Vis]
            || covered(&self.right, &self.to)
            || (covered(&[Relation::Vis, Relation::Vis], &None)
                && self.right.iter().all(|&step| visible(step)))
    }
}

/// A name, or axioms as the paper writes them: `vis >= po; vis >= vis.vis`, where `⊇` and `∘` may stand for `>=` and `.`,
/// and a line break for `;`. A composition is read from left to right. `.[method]` at its end keeps the pairs that end in an operation of that
/// method.
///
/// ```
/// use tribunal::object::Criterion;
/// assert_eq!("hbvis".parse(), Ok(Criterion::Hbvis));
/// let own: Criterion = "vis ⊇ vis∘po; vis >= lin.[size]".parse()?;
/// assert_eq!(own.to_string(), "vis >= vis.po; vis >= lin.[size]");
/// let error = "vis >= rf".parse::<Criterion>().expect_err("no such relation");
/// assert_eq!(error.to_string(), "column 8: expected lin, vis, po or hb, found `rf`");
/// # Ok::<(), tribunal::object::MalformedCriterion>(())
/// ```
impl FromStr for Criterion {
    type Err = MalformedCriterion;

    fn from_str(text: &str) -> Result<Self, MalformedCriterion> {
        let trimmed = text.trim();
        if let Some(named) = Criterion::ALL.into_iter().find(|named| named.name() == trimmed) {
            return Ok(named);
        }
        if !trimmed.is_empty() && trimmed.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
            return Err(MalformedCriterion::UnknownName { name: trimmed.into() });
        }
        let axioms = Cursor::<Axioms>::read(text, Position::START, |mut cursor| {
            let mut axioms = Vec::new();
            loop {
                while separator(&mut cursor) {}
                if cursor.peek() == Token::End {
                    break;
                }
                axioms.push(axiom(&mut cursor)?);
                if cursor.peek() != Token::End && !separator(&mut cursor) {
                    return Err(cursor.expected("`.`, `;` or the end"));
                }
            }
            let none = cursor.expected("the name of a criterion or an axiom");
            if axioms.is_empty() { Err(none) } else { Ok(Criterion::Axioms(axioms)) }
        });
        axioms.map_err(|Located { at, problem: (expected, found) }| {
            // Columns are those of the whole text, as if it were one line.
            let before = text.split_inclusive('\n').take(at.line as usize - 1);
            let before: usize = before.map(|line| line.chars().count()).sum();
            MalformedCriterion::Unexpected { column: before + at.column as usize, expected, found }
        })
    }
}

/// The reason why a text is not a criterion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedCriterion {
    /// No criterion has this name.
    #[error(
        "no criterion `{name}`{}; there are weak, ryw, mr, causal, hbvis, sequential, linearizable, and axioms such as `vis >= po`",
        suggestion(name, Criterion::ALL.iter().map(Criterion::name))
    )]
    UnknownName {
        /// The name given.
        name: String,
    },
    /// Unexpected text in the axioms.
    #[error("column {column}: expected {expected}, found {found}")]
    Unexpected {
        /// The column in characters, from 1.
        column: usize,
        /// The text that must stand there.
        expected: String,
        /// The text that was found, in quotes, or that the text ends.
        found: String,
    },
}

/// The language of axioms. A line break is no blank: it separates them.
enum Axioms {}

impl Language for Axioms {
    /// What was expected, and what was found.
    type Problem = (String, String);

    fn is_blank(c: char) -> bool {
        matches!(c, ' ' | '\t')
    }

    fn token(first: char, rest: &str) -> Scanned<'_, Self::Problem> {
        let name = run(rest, char::is_alphanumeric);
        Ok(match name.len() {
            0 if rest.starts_with(">=") => (Token::Sign(">="), 2),
            0 => (Token::Sign(&rest[..first.len_utf8()]), first.len_utf8()),
            length => (Token::Name(name), length),
        })
    }

    fn expected(expected: &str, found: Token<'_>) -> Self::Problem {
        let found = match found {
            Token::Sign("\n" | "\r") => "the end of the line".into(),
            Token::Sign(">=") => "`>`".into(),
            Token::Name(word) | Token::Sign(word) => format!("`{word}`"),
            _ => "the end".into(),
        };
        (expected.into(), found)
    }
}

type Read<T> = Parsed<T, Axioms>;

fn separator(cursor: &mut Cursor<'_, Axioms>) -> bool {
    cursor.take(";") || cursor.take("\n") || cursor.take("\r")
}

fn relation(cursor: &mut Cursor<'_, Axioms>, among: &[Relation], expected: &str) -> Read<Relation> {
    let relation = among.iter().find(|relation| cursor.take(relation.name()));
    relation.copied().ok_or_else(|| cursor.expected(expected))
}

fn axiom(cursor: &mut Cursor<'_, Axioms>) -> Read<Axiom> {
    use Relation::{Hb, Lin, Po, Vis};
    let left = relation(cursor, &[Lin, Vis], "lin or vis")?;
    if !cursor.take(">=") && !cursor.take("⊇") {
        return Err(cursor.expected("`>=`"));
    }
    let mut axiom = Axiom { left, right: Vec::new(), to: None };
    loop {
        if !axiom.right.is_empty() && cursor.take("[") {
            axiom.to = Some(method(cursor)?);
            return Ok(axiom);
        }
        axiom.right.push(relation(cursor, &[Lin, Vis, Po, Hb], "lin, vis, po or hb")?);
        if !cursor.take(".") && !cursor.take("∘") {
            return Ok(axiom);
        }
    }
}

fn method(cursor: &mut Cursor<'_, Axioms>) -> Read<String> {
    let begin = *cursor;
    while !matches!(cursor.peek(), Token::Sign("]" | "\n" | ";") | Token::End) {
        cursor.next();
    }
    let name = cursor.since(&begin).trim();
    if name.is_empty() || !cursor.take("]") {
        return Err(begin.expected("the name of a method and `]`"));
    }
    Ok(name.into())
}

impl fmt::Display for Axiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let right: Vec<_> = self.right.iter().map(|relation| relation.name()).collect();
        write!(f, "{} >= {}", self.left.name(), right.join("."))?;
        match &self.to {
            Some(method) => write!(f, ".[{method}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Criterion::Axioms(axioms) => {
                for (at, axiom) in axioms.iter().enumerate() {
                    write!(f, "{}{axiom}", if at > 0 { "; " } else { "" })?;
                }
                Ok(())
            }
            named => f.write_str(named.name()),
        }
    }
}
