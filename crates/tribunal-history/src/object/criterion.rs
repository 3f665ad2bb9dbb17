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
        let mut reader = Reader { text, at: 0 };
        let mut axioms = Vec::new();
        loop {
            while reader.takes(&[";", "\n", "\r"]) {}
            if reader.rest().is_empty() {
                break;
            }
            axioms.push(reader.axiom()?);
            if !reader.rest().is_empty() && !reader.takes(&[";", "\n", "\r"]) {
                return Err(reader.expected("`.`, `;` or the end"));
            }
        }
        if axioms.is_empty() {
            return Err(reader.expected("the name of a criterion or an axiom"));
        }
        Ok(Criterion::Axioms(axioms))
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
        expected: &'static str,
        /// The text that was found, in quotes, or that the text ends.
        found: String,
    },
}

/// Reads axioms from a text, token by token.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The text that is left, without the spaces before it. A line break is no space: it separates axioms.
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Goes past one of these tokens, if one is next.
    fn takes(&mut self, tokens: &[&str]) -> bool {
        let rest = self.rest();
        match tokens.iter().find(|&&token| rest.starts_with(token)) {
            Some(token) => {
                self.at += token.len();
                true
            }
            None => false,
        }
    }

    fn expected(&mut self, expected: &'static str) -> MalformedCriterion {
        let rest = self.rest();
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let found = match rest.chars().next() {
            None => "the end".into(),
            Some('\n' | '\r') => "the end of the line".into(),
            Some(first) => format!("`{}`", &rest[..word.max(first.len_utf8())]),
        };
        let column = self.text[..self.at].chars().count() + 1;
        MalformedCriterion::Unexpected { column, expected, found }
    }

    fn relation(&mut self, among: &[Relation]) -> Option<Relation> {
        let rest = self.rest();
        let word = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
        let relation = among.iter().copied().find(|relation| relation.name() == word)?;
        self.at += word.len();
        Some(relation)
    }

    fn axiom(&mut self) -> Result<Axiom, MalformedCriterion> {
        use Relation::{Hb, Lin, Po, Vis};
        let left = self.relation(&[Lin, Vis]).ok_or_else(|| self.expected("lin or vis"))?;
        if !self.takes(&[">=", "⊇"]) {
            return Err(self.expected("`>=`"));
        }
        let mut right = Vec::new();
        let mut to = None;
        loop {
            if !right.is_empty() && self.takes(&["["]) {
                to = Some(self.method()?);
                break;
            }
            let relation = self.relation(&[Lin, Vis, Po, Hb]);
            right.push(relation.ok_or_else(|| self.expected("lin, vis, po or hb"))?);
            if !self.takes(&[".", "∘"]) {
                break;
            }
        }
        Ok(Axiom { left, right, to })
    }

    fn method(&mut self) -> Result<String, MalformedCriterion> {
        let rest = self.rest();
        let end = rest.find([']', '\n', ';']).filter(|&end| rest[end..].starts_with(']'));
        match end {
            Some(end) if !rest[..end].trim().is_empty() => {
                self.at += end + 1;
                Ok(rest[..end].trim().into())
            }
            _ => Err(self.expected("the name of a method and `]`")),
        }
    }
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
