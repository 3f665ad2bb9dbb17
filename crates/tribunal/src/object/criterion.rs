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

use std::fmt;

/// What a history may be asked to satisfy.
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

/// `left ⊇ right`, where the right side is a composition; with `to`, only for pairs that end in an operation of that method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axiom {
    /// The relation that contains the other: lin or vis.
    pub left: Relation,
    /// What it contains: the first relation, then the second, ...
    pub right: Vec<Relation>,
    /// The method at whose operations the pairs end; none: every method.
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

    /// The axioms beyond Φ0; for `sequential`, which is without lin ⊇ hb, those beyond Ret and lin ⊇ po.
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
