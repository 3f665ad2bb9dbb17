//! Polarities: whether the value of a node grows or shrinks when choices or facts grow.
//!
//! `| ; & + * ? ^-1 [ ]`, products, domains, ranges and fixpoints that are monotone in their own names preserve the direction; `~` and
//! the right side of `\` reverse it. Both together are mixed.

use crate::plan::{Check, NodeId, Op, Orders, Plan};

/// How a value moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// Not at all.
    Free,
    /// It grows.
    Monotone,
    /// It shrinks.
    Antitone,
    /// It may do both.
    Mixed,
}

impl Polarity {
    fn join(self, other: Polarity) -> Polarity {
        match (self, other) {
            (Polarity::Free, other) | (other, Polarity::Free) => other,
            (a, b) if a == b => a,
            _ => Polarity::Mixed,
        }
    }

    fn flip(self) -> Polarity {
        match self {
            Polarity::Monotone => Polarity::Antitone,
            Polarity::Antitone => Polarity::Monotone,
            same => same,
        }
    }

    /// Whether it never shrinks.
    pub fn grows(self) -> bool {
        matches!(self, Polarity::Free | Polarity::Monotone)
    }
}

/// The polarity of each node of a plan.
#[derive(Clone, Debug)]
pub struct Polarities(Vec<Polarity>);

impl Polarities {
    /// With respect to some choices, and facts by name. If the base of a choice depends on these facts, the choice changes with its base.
    pub fn of(plan: &Plan, names: &[&str], choices: &[u32]) -> Polarities {
        let mut analysis = Analysis { plan, wild: vec![false; plan.fixpoints.len()], paths: false };
        analysis.find_wild();
        let facts = analysis
            .run(|op| matches!(op, Op::Base(name) if names.contains(&name.as_str())), |_| Polarity::Free);
        let moves = |op: &Op| match op {
            Op::Base(name) => names.contains(&name.as_str()),
            Op::Choice(choice) => choices.contains(&choice.0),
            _ => false,
        };
        Polarities(analysis.run(moves, |op| match op {
            Op::Choice(choice) if choices.contains(&choice.0) => of_choice(plan, &facts, choice.0),
            _ => Polarity::Monotone,
        }))
    }

    /// With respect to executions that get more events: how the part of a value on the existing events changes. Paths may use
    /// new events; facts about existing events stay the same.
    pub fn of_events(plan: &Plan) -> Polarities {
        let mut analysis = Analysis { plan, wild: vec![false; plan.fixpoints.len()], paths: false };
        analysis.find_wild();
        analysis.paths = true;
        let facts = analysis.run(|_| false, |_| Polarity::Free);
        Polarities(analysis.run(
            |op| matches!(op, Op::Choice(_)),
            |op| match op {
                Op::Choice(choice) => of_choice(plan, &facts, choice.0),
                _ => Polarity::Free,
            },
        ))
    }

    /// With regard to all choices.
    pub fn of_choices(plan: &Plan) -> Polarities {
        Polarities::of(plan, &[], &(0..plan.choices.len() as u32).collect::<Vec<_>>())
    }

    /// Of a node.
    pub fn node(&self, node: NodeId) -> Polarity {
        self.0[node.0 as usize]
    }

    /// Of what makes a check fail: if it grows, a failed check keeps failing.
    pub fn failure(&self, check: &Check) -> Polarity {
        let polarity = self.node(check.node);
        if check.negated { polarity.flip() } else { polarity }
    }
}

/// A choice grows with what its orders contain, if it orders the same events.
fn of_choice(plan: &Plan, facts: &[Polarity], choice: u32) -> Polarity {
    let (Orders::Locations { events, base } | Orders::Linearizations { events, base }) =
        plan.choices[choice as usize].from;
    match (facts[events.0 as usize], facts[base.0 as usize]) {
        (Polarity::Free, base) if base.grows() => Polarity::Monotone,
        _ => Polarity::Mixed,
    }
}

struct Analysis<'p> {
    plan: &'p Plan,
    /// Whether there may be new events, which what goes through events may go through.
    paths: bool,
    /// For each fixpoint, whether a body does not grow with the names.
    wild: Vec<bool>,
}

impl Analysis<'_> {
    /// Fixpoints inside others come first: their bodies have smaller ids.
    fn find_wild(&mut self) {
        let mut order: Vec<usize> = (0..self.plan.fixpoints.len()).collect();
        order.sort_by_key(|&fixpoint| self.plan.fixpoints[fixpoint].bodies.iter().max().map(|body| body.0));
        for fixpoint in order {
            let own = |op: &Op| matches!(op, Op::Variable(of, _) if of.0 as usize == fixpoint);
            let polarities = self.run(own, |_| Polarity::Monotone);
            let bodies = &self.plan.fixpoints[fixpoint].bodies;
            self.wild[fixpoint] = bodies.iter().any(|body| !polarities[body.0 as usize].grows());
        }
    }

    /// What moves moves in a direction; all else follows. Rounds end since polarities only go up, twice at most.
    fn run(&self, moves: impl Fn(&Op) -> bool, direction: impl Fn(&Op) -> Polarity) -> Vec<Polarity> {
        let mut polarities = vec![Polarity::Free; self.plan.nodes.len()];
        loop {
            let mut changed = false;
            for (id, node) in self.plan.nodes.iter().enumerate() {
                let at = |node: NodeId| polarities[node.0 as usize];
                let polarity = match node.op {
                    _ if moves(&node.op) => direction(&node.op),
                    Op::Variable(of, index) => at(self.plan.fixpoints[of.0 as usize].bodies[index as usize]),
                    Op::Difference(a, b) => at(a).join(at(b).flip()),
                    Op::Complement(a) => at(a).flip(),
                    Op::Fixpoint(of, index) => {
                        let bodies = &self.plan.fixpoints[of.0 as usize].bodies;
                        let all = bodies.iter().fold(Polarity::Free, |all, &body| all.join(at(body)));
                        match all {
                            Polarity::Free if !(self.paths && self.wild[of.0 as usize]) => Polarity::Free,
                            _ if self.wild[of.0 as usize] => Polarity::Mixed,
                            _ => at(bodies[index as usize]),
                        }
                    }
                    ref op => {
                        let through = matches!(
                            op,
                            Op::Sequence(..) | Op::Plus(_) | Op::Star(_) | Op::Domain(_) | Op::Range(_)
                        );
                        let own = if self.paths && through { Polarity::Monotone } else { Polarity::Free };
                        self.plan.operands(op).fold(own, |all, operand| all.join(at(operand)))
                    }
                };
                changed |= polarities[id] != polarity;
                polarities[id] = polarity;
            }
            if !changed {
                return polarities;
            }
        }
    }
}
