//! The last step, which leaves out the nodes that no check and no choice needs.

use crate::plan::{Check, Choice, ChoiceId, Effect, Fixpoint, FixpointId, Node, NodeId, Op, Orders, Plan};

/// The plan without nodes that nothing needs. Choices are needed even where no check mentions them, since a base that cannot be ordered
/// refuses every execution; except for one that the text never made.
pub(super) fn reachable(mut plan: Plan, implicit: Option<usize>) -> Plan {
    let nodes = &plan.nodes;
    plan.checks.retain(|check| !is_idle(check, &nodes[check.node.0 as usize].op));
    let mut marks = Marks {
        nodes: vec![false; plan.nodes.len()],
        choices: (0..plan.choices.len()).map(|choice| Some(choice) != implicit).collect(),
        fixpoints: vec![false; plan.fixpoints.len()],
    };
    let mut work: Vec<NodeId> = plan.checks.iter().map(|check| check.node).collect();
    for (choice, _) in plan.choices.iter().zip(&marks.choices).filter(|(_, needed)| **needed) {
        work.extend(parts(choice.from));
    }
    while let Some(node) = work.pop() {
        if std::mem::replace(&mut marks.nodes[node.0 as usize], true) {
            continue;
        }
        let op = &plan.node(node).op;
        work.extend(plan.operands(op));
        match *op {
            Op::Choice(choice) if !marks.choices[choice.0 as usize] => {
                marks.choices[choice.0 as usize] = true;
                work.extend(parts(plan.choices[choice.0 as usize].from));
            }
            // All names of a fixpoint are needed for one of them.
            Op::Fixpoint(fixpoint, _) => {
                marks.fixpoints[fixpoint.0 as usize] = true;
                work.extend(&plan.fixpoints[fixpoint.0 as usize].variables);
            }
            _ => {}
        }
    }
    renumber(plan, &marks)
}

/// Whether a check can be seen to change nothing: of nothing, every condition holds.
fn is_idle(check: &Check, op: &Op) -> bool {
    let raises = match check.effect {
        Effect::Flag => !check.negated,
        Effect::Require | Effect::UndefinedUnless | Effect::Assert => check.negated,
    };
    *op == Op::Empty && !raises
}

struct Marks {
    nodes: Vec<bool>,
    choices: Vec<bool>,
    fixpoints: Vec<bool>,
}

fn parts(orders: Orders) -> [NodeId; 2] {
    match orders {
        Orders::Locations { events, base } | Orders::Linearizations { events, base } => [events, base],
    }
}

/// New numbers for what is marked, in the old order.
fn numbers(marked: &[bool]) -> Vec<u32> {
    let mut next = 0;
    marked
        .iter()
        .map(|&marked| {
            next += u32::from(marked);
            next.wrapping_sub(1)
        })
        .collect()
}

fn renumber(plan: Plan, marks: &Marks) -> Plan {
    let (nodes, choices, fixpoints) =
        (numbers(&marks.nodes), numbers(&marks.choices), numbers(&marks.fixpoints));
    let node = |id: NodeId| NodeId(nodes[id.0 as usize]);
    let fixpoint = |id: FixpointId| FixpointId(fixpoints[id.0 as usize]);
    let op = |op: Op| match op {
        Op::Union(a, b) => Op::Union(node(a), node(b)),
        Op::Intersection(a, b) => Op::Intersection(node(a), node(b)),
        Op::Difference(a, b) => Op::Difference(node(a), node(b)),
        Op::Product(a, b) => Op::Product(node(a), node(b)),
        Op::Sequence(a, b) => Op::Sequence(node(a), node(b)),
        Op::Complement(a) => Op::Complement(node(a)),
        Op::Domain(a) => Op::Domain(node(a)),
        Op::Range(a) => Op::Range(node(a)),
        Op::Identity(a) => Op::Identity(node(a)),
        Op::Inverse(a) => Op::Inverse(node(a)),
        Op::Optional(a) => Op::Optional(node(a)),
        Op::Plus(a) => Op::Plus(node(a)),
        Op::Star(a) => Op::Star(node(a)),
        Op::Variable(f, i) => Op::Variable(fixpoint(f), i),
        Op::Fixpoint(f, i) => Op::Fixpoint(fixpoint(f), i),
        Op::Choice(c) => Op::Choice(ChoiceId(choices[c.0 as usize])),
        op @ (Op::Base(_) | Op::Event(_) | Op::Empty | Op::Universe) => op,
    };
    let from = |orders: Orders| match orders {
        Orders::Locations { events, base } => Orders::Locations { events: node(events), base: node(base) },
        Orders::Linearizations { events, base } => {
            Orders::Linearizations { events: node(events), base: node(base) }
        }
    };
    let kept = |marked: &[bool], i: usize| marked[i];
    let Plan { nodes: old, fixpoints: old_fixpoints, choices: old_choices, mut checks } = plan;
    for check in &mut checks {
        check.node = node(check.node);
    }
    Plan {
        nodes: old
            .into_iter()
            .enumerate()
            .filter(|(i, _)| kept(&marks.nodes, *i))
            .map(|(_, Node { op: old, ty, name })| Node { op: op(old), ty, name })
            .collect(),
        fixpoints: old_fixpoints
            .into_iter()
            .enumerate()
            .filter(|(i, _)| kept(&marks.fixpoints, *i))
            .map(|(_, f)| Fixpoint {
                variables: f.variables.into_iter().map(node).collect(),
                bodies: f.bodies.into_iter().map(node).collect(),
            })
            .collect(),
        choices: old_choices
            .into_iter()
            .enumerate()
            .filter(|(i, _)| kept(&marks.choices, *i))
            .map(|(_, Choice { name, from: orders })| Choice { name, from: from(orders) })
            .collect(),
        checks,
    }
}
