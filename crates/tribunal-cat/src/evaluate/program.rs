//! A plan prepared for evaluation: operations that need no matrix of their own are part of what uses them, and each root
//! knows what has to be evaluated for it, and in which order.

use crate::plan::{NodeId, Op, Orders, Plan, Type};

/// What a node's value depends on, a bit for each source that may change by itself.
pub(crate) type Sources = u64;

/// The facts that are given once.
pub(crate) const FIXED: Sources = 1;

/// How a node is computed.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "operations of relation algebra, by their names")]
pub enum Code {
    Base,
    Event(usize),
    Empty,
    Universe,
    /// Of two or more: unions that nothing else uses are part of it.
    Union(Vec<NodeId>),
    Intersection(NodeId, NodeId),
    Difference(NodeId, NodeId),
    Complement(NodeId),
    Domain(NodeId),
    Range(NodeId),
    Identity(NodeId),
    Product(NodeId, NodeId),
    Sequence(NodeId, NodeId),
    /// `a^-1 ; b`
    InverseSequence(NodeId, NodeId),
    Inverse(NodeId),
    Optional(NodeId),
    Plus(NodeId),
    Star(NodeId),
    Variable,
    Fixpoint(usize),
    Choice,
    /// `[from] ; r ; [to]`, or `r & (from * to)`.
    Restrict(NodeId, Option<NodeId>, Option<NodeId>),
    /// `r \ (from * to)`
    Without(NodeId, NodeId, NodeId),
}

impl Code {
    /// What it is computed of; the bodies of a fixpoint are not among them.
    pub(crate) fn operands(&self) -> impl Iterator<Item = NodeId> + '_ {
        let (many, few): (&[NodeId], [Option<NodeId>; 3]) = match self {
            Code::Base
            | Code::Event(_)
            | Code::Empty
            | Code::Universe
            | Code::Variable
            | Code::Choice
            | Code::Fixpoint(..) => (&[], [None; 3]),
            Code::Union(operands) => (operands, [None; 3]),
            &Code::Complement(a)
            | &Code::Domain(a)
            | &Code::Range(a)
            | &Code::Identity(a)
            | &Code::Inverse(a)
            | &Code::Optional(a)
            | &Code::Plus(a)
            | &Code::Star(a) => (&[], [Some(a), None, None]),
            &Code::Intersection(a, b)
            | &Code::Difference(a, b)
            | &Code::Product(a, b)
            | &Code::Sequence(a, b)
            | &Code::InverseSequence(a, b) => (&[], [Some(a), Some(b), None]),
            &Code::Restrict(a, from, to) => (&[], [Some(a), from, to]),
            &Code::Without(a, from, to) => (&[], [Some(a), Some(from), Some(to)]),
        };
        many.iter().copied().chain(few.into_iter().flatten())
    }
}

/// A plan prepared for evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub codes: Vec<Code>,
    pub depends: Vec<Sources>,
    /// For each check, what is evaluated for it, in order.
    pub checks: Vec<Vec<NodeId>>,
    /// For each choice, what is evaluated for what it ranges over.
    pub domains: Vec<Vec<NodeId>>,
    /// For each fixpoint and each of its bodies, what is evaluated in each round.
    pub cones: Vec<Vec<Vec<NodeId>>>,
    /// For each node, whether it has a value of its own, for some check.
    pub kept: Vec<bool>,
    /// For each node, the fixpoints whose variables it depends on.
    open: Vec<Vec<u32>>,
}

impl Program {
    /// `varying`: the names of facts that may change while the others stay.
    pub(crate) fn new(plan: &Plan, varying: &[&str]) -> Program {
        let uses = uses(plan);
        let codes: Vec<Code> = (0..plan.nodes.len()).map(|id| code(plan, &uses, NodeId(id as u32))).collect();
        let mut program = Program {
            codes,
            depends: Vec::new(),
            checks: Vec::new(),
            domains: Vec::new(),
            cones: Vec::new(),
            kept: Vec::new(),
            open: Vec::new(),
        };
        program.find_dependencies(plan, varying);
        program.cones = (0..plan.fixpoints.len()).map(|f| program.find_cones(plan, f)).collect();
        program.checks = plan.checks.iter().map(|check| program.needs(plan, check.node)).collect();
        program.domains = plan
            .choices
            .iter()
            .map(|choice| {
                let (Orders::Locations { events, base } | Orders::Linearizations { events, base }) =
                    choice.from;
                let mut needs = program.needs(plan, events);
                needs.extend(program.needs(plan, base));
                needs.sort_unstable();
                needs.dedup();
                needs
            })
            .collect();
        program.kept = vec![false; plan.nodes.len()];
        let variables = plan.fixpoints.iter().flat_map(|fixpoint| &fixpoint.variables);
        let lists = program.checks.iter().chain(&program.domains).chain(program.cones.iter().flatten());
        for node in lists.flatten().chain(variables) {
            program.kept[node.0 as usize] = true;
        }
        program
    }

    /// The bit of a choice.
    pub(crate) fn choice(varying: usize, choice: usize) -> Sources {
        1 << (1 + varying + choice).min(63)
    }

    /// The bit of a fact that varies.
    pub(crate) fn varying(index: usize) -> Sources {
        1 << (1 + index).min(63)
    }

    fn find_dependencies(&mut self, plan: &Plan, varying: &[&str]) {
        self.depends = vec![0; plan.nodes.len()];
        self.open = vec![Vec::new(); plan.nodes.len()];
        // Names of a `let rec` depend on what their bodies depend on, which comes later.
        while self.spread_dependencies(plan, varying) {}
    }

    /// Once through all nodes; whether something was new.
    fn spread_dependencies(&mut self, plan: &Plan, varying: &[&str]) -> bool {
        let mut new = false;
        for (id, node) in plan.nodes.iter().enumerate() {
            let (mut depends, mut open): (Sources, Vec<u32>) = match &node.op {
                Op::Base(name) => {
                    let bit =
                        varying.iter().position(|varying| varying == name).map_or(FIXED, Program::varying);
                    (bit, Vec::new())
                }
                Op::Choice(choice) => (Program::choice(varying.len(), choice.0 as usize), Vec::new()),
                Op::Variable(fixpoint, _) => {
                    let bodies = &plan.fixpoints[fixpoint.0 as usize].bodies;
                    (bodies.iter().fold(0, |all, body| all | self.depends[body.0 as usize]), vec![fixpoint.0])
                }
                _ => (0, Vec::new()),
            };
            let fixpoint = match node.op {
                Op::Fixpoint(fixpoint, _) => Some(fixpoint.0),
                _ => None,
            };
            for operand in plan.operands(&node.op) {
                depends |= self.depends[operand.0 as usize];
                open.extend(&self.open[operand.0 as usize]);
            }
            open.sort_unstable();
            open.dedup();
            open.retain(|&open| Some(open) != fixpoint);
            new |= self.depends[id] != depends || self.open[id] != open;
            self.depends[id] = depends;
            self.open[id] = open;
        }
        new
    }

    /// Whether a node depends on a name of a `let rec` that it is inside.
    pub(crate) fn is_open(&self, node: NodeId) -> bool {
        !self.open[node.0 as usize].is_empty()
    }

    /// What has to be evaluated for a node that is outside all fixpoints, in order.
    pub(crate) fn needs(&self, plan: &Plan, root: NodeId) -> Vec<NodeId> {
        let (mut needs, _) = self.visit(plan, root);
        needs.retain(|node| self.open[node.0 as usize].is_empty());
        needs
    }

    fn find_cones(&self, plan: &Plan, fixpoint: usize) -> Vec<Vec<NodeId>> {
        let cone = |&body: &NodeId| {
            let (mut cone, within) = self.visit(plan, body);
            cone.retain(|node| {
                let open = &self.open[node.0 as usize];
                let variable = matches!(self.codes[node.0 as usize], Code::Variable);
                !variable
                    && open.contains(&(fixpoint as u32))
                    && !open.iter().any(|open| within.contains(open))
            });
            cone
        };
        plan.fixpoints[fixpoint].bodies.iter().map(cone).collect()
    }

    /// What a node is computed of, in order, and the fixpoints on the way.
    fn visit(&self, plan: &Plan, root: NodeId) -> (Vec<NodeId>, Vec<u32>) {
        let mut seen = vec![false; plan.nodes.len()];
        let (mut stack, mut fixpoints) = (vec![root], Vec::new());
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            stack.extend(self.codes[node.0 as usize].operands());
            if let Code::Fixpoint(fixpoint) = self.codes[node.0 as usize] {
                stack.extend(&plan.fixpoints[fixpoint].bodies);
                fixpoints.push(fixpoint as u32);
            }
        }
        (
            seen.iter().enumerate().filter(|&(_, &seen)| seen).map(|(id, _)| NodeId(id as u32)).collect(),
            fixpoints,
        )
    }
}

/// The number of times that each node is used.
fn uses(plan: &Plan) -> Vec<u32> {
    let mut uses = vec![0; plan.nodes.len()];
    let mut used = |node: NodeId| uses[node.0 as usize] += 1;
    for node in &plan.nodes {
        if !matches!(node.op, Op::Fixpoint(..)) {
            plan.operands(&node.op).for_each(&mut used);
        }
    }
    plan.fixpoints.iter().flat_map(|fixpoint| &fixpoint.bodies).for_each(|&body| used(body));
    plan.checks.iter().for_each(|check| used(check.node));
    for choice in &plan.choices {
        let (Orders::Locations { events, base } | Orders::Linearizations { events, base }) = choice.from;
        used(events);
        used(base);
    }
    uses
}

fn code(plan: &Plan, uses: &[u32], id: NodeId) -> Code {
    if plan.node(id).ty == Type::Relation
        && let (relation, from, to) = restriction(plan, uses, id)
        && relation != id
    {
        return Code::Restrict(relation, from, to);
    }
    match plan.node(id).op {
        Op::Base(_) => Code::Base,
        Op::Event(event) => Code::Event(event as usize),
        Op::Empty => Code::Empty,
        Op::Universe => Code::Universe,
        Op::Union(..) => {
            let mut union = Vec::new();
            let mut stack = vec![id];
            while let Some(node) = stack.pop() {
                match plan.node(node).op {
                    Op::Union(a, b) if node == id || uses[node.0 as usize] == 1 => stack.extend([b, a]),
                    _ => union.push(node),
                }
            }
            Code::Union(union)
        }
        Op::Intersection(a, b) => Code::Intersection(a, b),
        Op::Difference(a, b) => match plan.node(b).op {
            Op::Product(from, to) => Code::Without(a, from, to),
            _ => Code::Difference(a, b),
        },
        Op::Complement(a) => Code::Complement(a),
        Op::Domain(a) => Code::Domain(a),
        Op::Range(a) => Code::Range(a),
        Op::Identity(a) => Code::Identity(a),
        Op::Product(a, b) => Code::Product(a, b),
        Op::Sequence(a, b) => match plan.node(a).op {
            Op::Inverse(inverse) => Code::InverseSequence(inverse, b),
            _ => Code::Sequence(a, b),
        },
        Op::Inverse(a) => Code::Inverse(a),
        Op::Optional(a) => Code::Optional(a),
        Op::Plus(a) => Code::Plus(a),
        Op::Star(a) => Code::Star(a),
        Op::Variable(..) => Code::Variable,
        Op::Fixpoint(fixpoint, _) => Code::Fixpoint(fixpoint.0 as usize),
        Op::Choice(_) => Code::Choice,
    }
}

/// A node as a relation between sets: itself where it is not written as one.
fn restriction(plan: &Plan, uses: &[u32], id: NodeId) -> (NodeId, Option<NodeId>, Option<NodeId>) {
    let (mut relation, mut from, mut to) = (id, None, None);
    while relation == id || uses[relation.0 as usize] == 1 {
        let (inner, inner_from, inner_to) = match plan.node(relation).op {
            Op::Sequence(a, b) => match (&plan.node(a).op, &plan.node(b).op) {
                (&Op::Identity(from), _) => (b, Some(from), None),
                (_, &Op::Identity(to)) => (a, None, Some(to)),
                _ => break,
            },
            Op::Intersection(a, b) => match (&plan.node(a).op, &plan.node(b).op) {
                (_, &Op::Product(from, to)) => (a, Some(from), Some(to)),
                (&Op::Product(from, to), _) => (b, Some(from), Some(to)),
                _ => break,
            },
            _ => break,
        };
        if from.is_some() && inner_from.is_some() || to.is_some() && inner_to.is_some() {
            break;
        }
        (relation, from, to) = (inner, from.or(inner_from), to.or(inner_to));
    }
    (relation, from, to)
}
