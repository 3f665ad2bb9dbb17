//! Verifying a refutation by evaluation alone, without sharing code with the deciders.
//!
//! - A clause holds if its check fails on the least orders that contain its edges, if the check is monotone; otherwise its edges must make the orders total.
//! - A tree of cases holds if in each leaf the assumptions imply the edges of its clause, or have a cycle.

use super::{Case, Clause, Edge, Refutation};
use crate::evaluate::{Evaluator, UnknownName};
use crate::plan::{Effect, Facts, Orders, Plan};
use crate::polarity::Polarities;
use crate::relation::{Relation, Set};

/// The reason why a refutation is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A name of the model is unknown.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// The range of one choice depends on another.
    #[error("the range of `{name}` depends on other choices")]
    Dependent {
        /// The choice.
        name: String,
    },
    /// There is no such case, clause, check or choice, or a case is used twice.
    #[error("{what} {number} does not exist or is misplaced")]
    Number {
        /// Of what kind.
        what: &'static str,
        /// Its number.
        number: usize,
    },
    /// An edge between events that the choice does not order.
    #[error("events {first} and {second} are not ordered by choice {choice}")]
    Edge {
        /// The choice.
        choice: u32,
        /// The first event.
        first: usize,
        /// The second event.
        second: usize,
    },
    /// A check holds on the edges of its clause.
    #[error("check {check} does not fail on the edges of clause {clause}")]
    Clause {
        /// The clause.
        clause: usize,
        /// Its check.
        check: usize,
    },
    /// The check is not monotone, and the edges of its clause are not total orders.
    #[error(
        "check {check} may hold once all is ordered, and the edges of clause {clause} leave something open"
    )]
    Partial {
        /// The clause.
        clause: usize,
        /// Its check.
        check: usize,
    },
    /// The assumptions do not refute a leaf.
    #[error("the assumptions of case {case} do not refute it")]
    Leaf {
        /// The case.
        case: usize,
    },
}

impl Refutation {
    /// Verifies that an execution has no orders on which the checks of a plan hold. `extra`: pairs that the first choice must contain.
    pub fn verify(&self, plan: &Plan, facts: &dyn Facts, extra: &[(usize, usize)]) -> Result<(), Invalid> {
        let mut evaluator = Evaluator::new(plan, &[]);
        evaluator.load(facts)?;
        let choices = (0..plan.choices.len())
            .map(|choice| Chosen::new(&mut evaluator, facts, choice, if choice == 0 { extra } else { &[] }))
            .collect::<Result<Vec<_>, _>>()?;
        let polarities = Polarities::of_choices(plan);
        for (index, clause) in self.clauses.iter().enumerate() {
            verify_clause(&mut evaluator, &choices, &polarities, index, clause)?;
        }
        self.verify_cases(&choices)
    }

    /// Depth first from the last case on. A case is of one split at most, and comes before it, so that all is visited once.
    fn verify_cases(&self, choices: &[Chosen]) -> Result<(), Invalid> {
        let mut visited = vec![false; self.cases.len()];
        let mut assumed: Vec<Edge> = Vec::new();
        let Some(root) = self.cases.len().checked_sub(1) else {
            return Err(Invalid::Number { what: "case", number: 0 });
        };
        // A case to visit, with how many edges are assumed before its own.
        let mut open: Vec<(usize, usize, Option<Edge>)> = vec![(root, 0, None)];
        while let Some((case, depth, edge)) = open.pop() {
            assumed.truncate(depth);
            assumed.extend(edge);
            match self.cases.get(case) {
                Some(_) if visited[case] => return Err(Invalid::Number { what: "case", number: case }),
                None => return Err(Invalid::Number { what: "case", number: case }),
                Some(&Case::Split { edge, forward, backward }) => {
                    check_edge(choices, edge)?;
                    for (next, edge) in [(forward, edge), (backward, edge.reversed())] {
                        if next as usize >= case {
                            return Err(Invalid::Number { what: "case", number: next as usize });
                        }
                        open.push((next as usize, assumed.len(), Some(edge)));
                    }
                }
                Some(&Case::Clause(clause)) => {
                    let number = clause as usize;
                    let clause =
                        self.clauses.get(number).ok_or(Invalid::Number { what: "clause", number })?;
                    let direct = |edge: &Edge| {
                        assumed.contains(edge)
                            || choices[edge.choice as usize].least.contains(edge.first, edge.second)
                    };
                    if !clause.edges.iter().all(direct) {
                        let orders: Vec<Relation> = closures(choices, &assumed);
                        let implied =
                            |edge: &Edge| orders[edge.choice as usize].contains(edge.first, edge.second);
                        if !clause.edges.iter().all(implied) {
                            return Err(Invalid::Leaf { case });
                        }
                    }
                }
                Some(Case::Cycle) => {
                    if closures(choices, &assumed).iter().all(Relation::is_irreflexive) {
                        return Err(Invalid::Leaf { case });
                    }
                }
            }
            visited[case] = true;
        }
        Ok(())
    }
}

/// What a choice ranges over.
struct Chosen {
    /// The events that are ordered with each event.
    same: Relation,
    /// What all orders contain, closed.
    least: Relation,
}

impl Chosen {
    fn new(
        evaluator: &mut Evaluator<'_>,
        facts: &dyn Facts,
        choice: usize,
        extra: &[(usize, usize)],
    ) -> Result<Chosen, Invalid> {
        let of = &evaluator.plan().choices[choice];
        let (Orders::Locations { events, base } | Orders::Linearizations { events, base }) = of.from;
        if evaluator.moves(events) || evaluator.moves(base) {
            return Err(Invalid::Dependent { name: of.name.clone() });
        }
        let size = evaluator.size();
        let events: Set = evaluator.set(events).clone();
        let mut same = Relation::product(&events, &events);
        if let Orders::Locations { .. } = of.from {
            let mut loc = Relation::empty(size);
            if !facts.relation("loc", &mut loc) {
                return Err(UnknownName { name: "loc".into() }.into());
            }
            same.retain(&loc);
        }
        same.subtract(&Relation::identity(size));
        let mut least = evaluator.relation(base).clone();
        extra.iter().for_each(|&(a, b)| least.insert(a, b));
        // A pair of an event with itself leaves no order at all.
        let mut within = same.clone();
        within.extend_identity(&events);
        least.retain(&within);
        least.close();
        Ok(Chosen { same, least })
    }
}

fn check_edge(choices: &[Chosen], edge: Edge) -> Result<(), Invalid> {
    let choice = choices
        .get(edge.choice as usize)
        .ok_or(Invalid::Number { what: "choice", number: edge.choice as usize })?;
    let (first, second) = (edge.first, edge.second);
    let size = choice.same.size();
    if first < size && second < size && choice.same.contains(first, second) {
        Ok(())
    } else {
        Err(Invalid::Edge { choice: edge.choice, first, second })
    }
}

/// The least orders that contain some edges.
fn closures(choices: &[Chosen], edges: &[Edge]) -> Vec<Relation> {
    let close = |(index, choice): (usize, &Chosen)| {
        let mut order = choice.least.clone();
        edges
            .iter()
            .filter(|edge| edge.choice as usize == index)
            .for_each(|edge| order.insert(edge.first, edge.second));
        order.close();
        order
    };
    choices.iter().enumerate().map(close).collect()
}

fn verify_clause(
    evaluator: &mut Evaluator<'_>,
    choices: &[Chosen],
    polarities: &Polarities,
    index: usize,
    clause: &Clause,
) -> Result<(), Invalid> {
    let plan = evaluator.plan();
    let check = clause.check;
    let of = plan.checks.get(check).filter(|of| of.effect == Effect::Require);
    let of = of.ok_or(Invalid::Number { what: "check", number: check })?;
    clause.edges.iter().try_for_each(|&edge| check_edge(choices, edge))?;
    let orders = closures(choices, &clause.edges);
    if !polarities.failure(of).grows() {
        let total = |(order, choice): (&Relation, &Chosen)| {
            2 * order.len() == choice.same.len() && order.is_irreflexive()
        };
        if !orders.iter().zip(choices).all(total) {
            return Err(Invalid::Partial { clause: index, check });
        }
    }
    for (choice, order) in orders.iter().enumerate() {
        evaluator.choose(crate::plan::ChoiceId(choice as u32), order);
    }
    if evaluator.holds(check) { Err(Invalid::Clause { clause: index, check }) } else { Ok(()) }
}
