//! The weak criteria, by trying every lin, and for each operation every visibility that could be needed.

use super::violation::{Budget, Exceeded};
use crate::object::{Axiom, Criterion, History, Machine, OpId, ProcessId, Relation, Specification};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// A set of operations, a bit for each.
type Set = u64;

fn bit(op: OpId) -> Set {
    1 << op.0
}

fn ops(set: Set) -> impl Iterator<Item = OpId> {
    (0..u64::BITS).filter(move |at| set >> at & 1 == 1).map(OpId)
}

/// The first operations of a lin, with what they see.
#[derive(Clone)]
struct Prefix {
    lin: Vec<OpId>,
    /// By operation.
    vis: Vec<Set>,
    placed: Set,
}

struct Part<'a> {
    history: &'a History,
    axioms: Vec<Axiom>,
    /// By operation, what is before it in po, in hb, and after it in hb.
    po: Vec<Set>,
    hb: Vec<Set>,
    after: Vec<Set>,
    returned: Set,
    read_only: Set,
    /// Whether what is to come depends on the whole of lin, or on vis: some axiom composes it.
    lin_matters: bool,
    vis_matters: bool,
    /// Whether something read-only could not take effect in a view.
    read_only_stuck: Cell<bool>,
}

/// Whether the part has an abstract execution.
///
/// Builds lin from its beginning. Whatever the axioms relate to an operation is before it in lin, so its visibility is
/// chosen when it is placed, and for good. Exponential; parts of more than 64 operations are not tried.
pub(super) fn explained(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    budget: &mut Budget,
) -> Result<bool, Exceeded> {
    if history.len() > u64::BITS as usize {
        return Err(Exceeded);
    }
    let mut part = Part::new(history, spec, criterion);
    let mut machine = spec.machine(history);
    let explained = part.explained(machine.as_mut(), budget)?;
    // Where something read-only cannot always take effect, its place among the others matters to those that see it.
    if explained || part.lin_matters || !part.read_only_stuck.get() {
        return Ok(explained);
    }
    part.lin_matters = true;
    part.explained(machine.as_mut(), budget)
}

impl<'a> Part<'a> {
    fn explained(&self, machine: &mut dyn Machine, budget: &mut Budget) -> Result<bool, Exceeded> {
        let mut visited = FxHashSet::default();
        let mut stack = vec![Prefix { lin: Vec::new(), vis: vec![0; self.history.len()], placed: 0 }];
        while let Some(prefix) = stack.pop() {
            if self.returned & !prefix.placed == 0 {
                return Ok(true);
            }
            for op in self.next(&prefix) {
                for vis in self.visibilities(&prefix, op, machine, budget)? {
                    let mut next = prefix.clone();
                    next.lin.push(op);
                    next.vis[op.index()] = vis;
                    next.placed |= bit(op);
                    if visited.insert(self.future(&next)) {
                        stack.push(next);
                    }
                }
            }
        }
        Ok(false)
    }

    fn new(history: &'a History, spec: &dyn Specification, criterion: &Criterion) -> Self {
        let set = |is_in: &dyn Fn(OpId) -> bool| history.ops().filter(|&op| is_in(op)).map(bit).sum();
        let sets = |are_in: &dyn Fn(OpId, OpId) -> bool| -> Vec<Set> {
            history.ops().map(|op| set(&|other| are_in(other, op))).collect()
        };
        let mut po = vec![0; history.len()];
        for process in 0..history.process_count() as u32 {
            let mut before = 0;
            for &op in history.of_process(ProcessId(process)) {
                po[op.index()] = before;
                before |= bit(op);
            }
        }
        let axioms = criterion.axioms();
        let composes = |relation| axioms.iter().any(|axiom| axiom.right.contains(&relation));
        Part {
            history,
            po,
            hb: sets(&|other, op| history.before(other, op)),
            after: sets(&|other, op| history.before(op, other)),
            returned: set(&|op| !history.is_pending(op)),
            read_only: set(&|op| spec.read_only(history.called(op))),
            lin_matters: composes(Relation::Lin),
            vis_matters: composes(Relation::Vis),
            axioms,
            read_only_stuck: Cell::new(false),
        }
    }

    /// The operations that may come next. A pending one that changes nothing is of no use to anybody, and one that must come
    /// before something placed is left out.
    fn next(&self, prefix: &Prefix) -> impl Iterator<Item = OpId> {
        let useful = self.returned | !self.read_only;
        self.history.ops().filter(move |&op| {
            let waits = self.hb[op.index()] & self.returned & !prefix.placed;
            let late = (bit(op) | self.after[op.index()]) & prefix.placed;
            bit(op) & useful != 0 && waits == 0 && late == 0
        })
    }

    /// All that what is to come depends on: the order of the operations that change something, and what the axioms compose.
    fn future(&self, prefix: &Prefix) -> (Set, Vec<OpId>, Vec<Set>) {
        let keeps = |op: &&OpId| self.lin_matters || self.read_only & bit(**op) == 0;
        let lin = prefix.lin.iter().filter(keeps).copied().collect();
        (prefix.placed, lin, if self.vis_matters { prefix.vis.clone() } else { Vec::new() })
    }

    /// What an operation may see if it comes next: among the sets that satisfy the axioms and Ret, the smallest and perhaps
    /// others. Larger ones are of no use, since the axioms ask more of later operations the more this one sees.
    fn visibilities(
        &self,
        prefix: &Prefix,
        op: OpId,
        machine: &mut dyn Machine,
        budget: &mut Budget,
    ) -> Result<Vec<Set>, Exceeded> {
        let mut found: Vec<Set> = Vec::new();
        let least = self.closed(prefix, op, 0);
        let mut known = FxHashSet::from_iter(least);
        let mut level: Vec<Set> = least.into_iter().collect();
        while !level.is_empty() {
            let mut next = Vec::new();
            for vis in level {
                if found.iter().any(|&smaller| smaller & !vis == 0) {
                    continue;
                }
                budget.spend()?;
                if self.history.is_pending(op) || self.returns(prefix, op, vis, machine) {
                    found.push(vis);
                    // What is seen matters to others only through axioms that compose vis.
                    if !self.vis_matters {
                        return Ok(found);
                    }
                    continue;
                }
                // To see more that changes nothing does not change the return.
                for more in ops(prefix.placed & !vis & !self.read_only) {
                    next.extend(
                        self.closed(prefix, op, vis | bit(more)).filter(|&larger| known.insert(larger)),
                    );
                }
            }
            level = next;
        }
        Ok(found)
    }

    /// The least set that contains the given one and what the axioms ask for, if all of that is placed.
    fn closed(&self, prefix: &Prefix, op: OpId, mut vis: Set) -> Option<Set> {
        let method = self.history.called(op).method;
        let applies = |axiom: &&Axiom| axiom.to.as_deref().is_none_or(|to| to == method);
        loop {
            let before = vis;
            for axiom in self.axioms.iter().filter(applies) {
                let asked = self.related(prefix, op, vis, &axiom.right);
                if asked & !prefix.placed != 0 {
                    return None;
                }
                if axiom.left == Relation::Vis {
                    vis |= asked;
                }
            }
            if vis == before {
                return Some(vis);
            }
        }
    }

    /// What a composition relates to an operation that comes next and sees that.
    fn related(&self, prefix: &Prefix, op: OpId, vis: Set, composition: &[Relation]) -> Set {
        let mut set = bit(op);
        for relation in composition.iter().rev() {
            let before = |end: OpId| match relation {
                Relation::Lin if end == op => prefix.placed,
                Relation::Lin => {
                    prefix.lin.iter().take_while(|&&other| other != end).map(|&other| bit(other)).sum()
                }
                Relation::Vis if end == op => vis,
                Relation::Vis => prefix.vis[end.index()],
                Relation::Po => self.po[end.index()] & prefix.placed,
                Relation::Hb => self.hb[end.index()] & prefix.placed,
            };
            set = ops(set).fold(0, |all, end| all | before(end));
        }
        set
    }

    fn returns(&self, prefix: &Prefix, op: OpId, vis: Set, machine: &mut dyn Machine) -> bool {
        let mut state = machine.initial();
        for &seen in prefix.lin.iter().filter(|&&seen| vis & bit(seen) != 0) {
            match machine.execute(state, seen) {
                Some(after) => state = after,
                None => {
                    self.read_only_stuck.set(self.read_only_stuck.get() || self.read_only & bit(seen) != 0);
                    return false;
                }
            }
        }
        machine.apply(state, op).is_some()
    }
}
