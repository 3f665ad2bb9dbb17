//! The weak criteria, by trying every lin, and for each operation every visibility that could be needed.

use super::budget::{Budget, took_every_step};
use super::found::{Found, Trust};
use super::idle::Idles;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use tribunal_cat::relation::bits::of_word;
use tribunal_history::heap::{block, entry};
use tribunal_history::object::{
    Axiom, Criterion, History, Machine, OpId, ProcessId, Relation, Specification, StateId,
};
use tribunal_history::verdict::Limit;

/// A set of operations, a bit for each: parts have at most 64, and a plain word is easiest to check.
type Set = u64;

fn bit(op: OpId) -> Set {
    1 << op.0
}

fn ops(set: Set) -> impl Iterator<Item = OpId> {
    of_word(set).map(|at| OpId(at as u32))
}

/// Whether an axiom mentions operations of a method.
fn applies(axiom: &Axiom, method: &str) -> bool {
    axiom.to.as_deref().is_none_or(|to| to == method)
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
    /// By operation, what the axioms let it see in any case, of what is before it in po and hb.
    must_see: Vec<Set>,
    returned: Set,
    read_only: Set,
    /// Whether what is to come depends on the whole of lin, or on vis: some axiom composes it.
    lin_matters: bool,
    vis_matters: bool,
    /// Whether something read-only could not take effect in a view.
    read_only_stuck: Cell<bool>,
}

/// A prefix with what it takes of the stack, or a future with what it takes of the table of those visited.
impl Prefix {
    fn bytes(&self) -> usize {
        3 * size_of::<Prefix>() + block(2 * size_of_val(&*self.lin)) + block(size_of_val(&*self.vis))
    }
}

/// All that what is to come depends on: what is placed; the state after the first of lin, which all to come will see, and the
/// order of the others that change something; and what the axioms compose.
type Future = (Set, Option<StateId>, Box<[OpId]>, Box<[Set]>);

fn bytes((_, _, lin, vis): &Future) -> usize {
    entry(size_of::<Future>()) + block(size_of_val(&**lin)) + block(size_of_val(&**vis))
}

/// Whether the part has an abstract execution.
///
/// Builds lin from its beginning. Whatever the axioms relate to an operation is before it in lin, so its visibility is
/// chosen when it is placed, and for good. Exponential; parts of more than 64 operations are not tried.
pub(super) fn explained(
    history: &History,
    spec: &dyn Specification,
    (criterion, idles): (&Criterion, &Idles),
    mut trust: Trust,
    budget: &mut Budget<'_>,
) -> Result<Found, Limit> {
    let (operations, most) = (history.len(), u64::BITS as usize);
    if operations > most {
        return Err(Limit::Operations { operations, most });
    }
    let mut read_only = 0;
    for op in history.ops().filter(|op| trust.rely(idles.read_only[op.index()].trusting())) {
        read_only |= bit(op);
    }
    let mut part = Part::new(history, criterion, read_only);
    let mut machine = spec.machine(history);
    let mut explained = part.explained(machine.as_mut(), budget)?;
    // Where something read-only cannot always take effect, its place among the others matters to those that see it.
    if !explained && !part.lin_matters && part.read_only_stuck.get() {
        part.lin_matters = true;
        explained = part.explained(machine.as_mut(), budget)?;
    }
    took_every_step(machine.as_ref())?;
    Ok(if explained { Found::Explained } else { Found::Refuted(trust.used) })
}

impl<'a> Part<'a> {
    fn explained(&self, machine: &mut dyn Machine, budget: &mut Budget<'_>) -> Result<bool, Limit> {
        let mut visited: FxHashSet<Future> = FxHashSet::default();
        let first = Prefix { lin: Vec::new(), vis: vec![0; self.history.len()], placed: 0 };
        let mut held = first.bytes();
        let mut stack = vec![first];
        while let Some(prefix) = stack.pop() {
            held -= prefix.bytes();
            if self.returned & !prefix.placed == 0 {
                return Ok(true);
            }
            for op in self.next(&prefix) {
                for vis in self.visibilities(&prefix, op, machine, (budget, held))? {
                    budget.hold(held + machine.bytes())?;
                    let mut next = prefix.clone();
                    next.lin.push(op);
                    next.vis[op.index()] = vis;
                    next.placed |= bit(op);
                    let future = self.future(&next, machine);
                    let bytes = bytes(&future);
                    if visited.insert(future) {
                        held += bytes + next.bytes();
                        stack.push(next);
                    }
                }
            }
        }
        Ok(false)
    }

    fn new(history: &'a History, criterion: &Criterion, read_only: Set) -> Self {
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
        let hb = sets(&|other, op| history.before(other, op));
        let must_see = |op: OpId| {
            let method = history.called(op).method;
            let of_op = axioms.iter().filter(|axiom| axiom.left == Relation::Vis && applies(axiom, method));
            of_op.fold(0, |seen, axiom| match axiom.right[..] {
                [Relation::Po] => seen | po[op.index()],
                [Relation::Hb] => seen | hb[op.index()],
                _ => seen,
            })
        };
        Part {
            history,
            must_see: history.ops().map(must_see).collect(),
            po,
            hb,
            after: sets(&|other, op| history.before(op, other)),
            returned: set(&|op| !history.is_pending(op)),
            read_only,
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

    fn future(&self, prefix: &Prefix, machine: &mut dyn Machine) -> Future {
        let keeps = |op: &&OpId| self.lin_matters || self.read_only & bit(**op) == 0;
        let mut lin: Vec<OpId> = prefix.lin.iter().filter(keeps).copied().collect();
        let mut state = Some(machine.initial());
        if !self.lin_matters {
            let to_come = ops(self.returned & !prefix.placed);
            let seen = to_come.fold(prefix.placed, |seen, op| seen & self.must_see[op.index()]);
            let first = lin.iter().take_while(|&&op| seen & bit(op) != 0).count();
            state = lin.drain(..first).try_fold(machine.initial(), |state, op| machine.execute(state, op));
        }
        let vis = if self.vis_matters { prefix.vis.as_slice().into() } else { Box::default() };
        (prefix.placed, state, lin.into(), vis)
    }

    /// The sets that an operation may see if it comes next: among the sets that satisfy the axioms and Ret, the smallest and perhaps
    /// others. Larger ones are of no use, since the axioms ask more of later operations the more this one sees.
    fn visibilities(
        &self,
        prefix: &Prefix,
        op: OpId,
        machine: &mut dyn Machine,
        (budget, held): (&mut Budget<'_>, usize),
    ) -> Result<Vec<Set>, Limit> {
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
                let sets =
                    entry(size_of::<Set>()) * known.len() + 3 * size_of::<Set>() * (found.len() + next.len());
                budget.spend(held + sets + machine.bytes())?;
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
        loop {
            let before = vis;
            for axiom in self.axioms.iter().filter(|axiom| applies(axiom, method)) {
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

    /// The operations that a composition relates to one that comes next and sees that.
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
