//! An abstract execution against the definitions.

use super::known;
use super::refusal::{Named, Refusal};
use tribunal_history::limits::Limits;
use tribunal_history::object::{
    AbstractExecution, Axiom, Criterion, History, Intervals, OpId, ProcessId, Relation, Specification, Value,
    Visibility,
};

/// The bytes that an operation takes while a witness is checked, at most.
const BYTES_PER_OPERATION: usize = 16;

/// The place of an operation that is not in lin.
const NOWHERE: u32 = u32::MAX;

/// Verifies that an abstract execution explains the history under the criterion.
///
/// With vis = lin it takes one run of the specification and O(n) time (O(n·p) for p processes if the order is not
/// an interval order). With sets it takes one run per set, and O(n²) for each relation of each axiom. What exceeds
/// the limits is refused.
pub fn verify_witness(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    execution: &AbstractExecution,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    history.typed(spec).map_err(Refusal::Malformed)?;
    limits.check(0).map_err(Refusal::Limit)?;
    limits.check_memory(history.len().saturating_mul(BYTES_PER_OPERATION), 0).map_err(Refusal::Limit)?;
    let place = places(history, &execution.lin)?;
    let witness = Witness { history, lin: &execution.lin, place, limits };
    if *criterion == Criterion::Sequential {
        witness.contains_po()?
    } else {
        witness.contains_hb()?
    }
    let axioms = criterion.axioms();
    match &execution.vis {
        Visibility::All => {
            // po and hb are within lin by now (po alone for `sequential`, whose axiom does not mention hb), and vis is
            // lin, which is transitive: any composition of them is within vis and lin. An empty one is not.
            for axiom in axioms.iter().filter(|axiom| axiom.right.is_empty()) {
                witness.identity(axiom)?;
            }
            witness.returns_after_all(spec)
        }
        Visibility::Sets(vis) => {
            witness.within_lin(vis)?;
            for axiom in &axioms {
                witness.satisfies(axiom, vis)?;
            }
            witness.returns_after(spec, vis)
        }
    }
}

/// By operation, its place in lin. Every operation that returned has one.
fn places(history: &History, lin: &[OpId]) -> Result<Vec<u32>, Refusal> {
    let mut place = vec![NOWHERE; history.len()];
    for (at, &op) in lin.iter().enumerate() {
        let place = &mut place[known(history, op)?.index()];
        if *place != NOWHERE {
            return Err(Refusal::Repeated { op: Named::new(history, op) });
        }
        *place = at as u32;
    }
    match history.ops().find(|&op| place[op.index()] == NOWHERE && !history.is_pending(op)) {
        Some(op) => Err(Refusal::Omitted { op: Named::new(history, op) }),
        None => Ok(place),
    }
}

struct Witness<'a> {
    history: &'a History,
    lin: &'a [OpId],
    place: Vec<u32>,
    limits: &'a Limits<'a>,
}

impl Witness<'_> {
    /// Looks at the limits, after so many operations.
    fn poll(&self, at: usize, every: usize) -> Result<(), Refusal> {
        if at.is_multiple_of(every) { self.limits.check(0).map_err(Refusal::Limit) } else { Ok(()) }
    }

    fn named(&self, op: OpId) -> Named {
        Named::new(self.history, op)
    }

    fn against(&self, earlier: OpId, later: OpId, order: &'static str) -> Refusal {
        Refusal::AgainstOrder { earlier: self.named(earlier), later: self.named(later), order }
    }

    fn contains_po(&self) -> Result<(), Refusal> {
        let mut last: Vec<Option<OpId>> = vec![None; self.history.process_count()];
        let place = places_in_po(self.history);
        for &op in self.lin {
            let last = &mut last[self.history.process(op).index()];
            match *last {
                Some(later) if place[op.index()] < place[later.index()] => {
                    return Err(self.against(op, later, "po"));
                }
                _ => *last = Some(op),
            }
        }
        Ok(())
    }

    fn contains_hb(&self) -> Result<(), Refusal> {
        match self.history.intervals() {
            Some(intervals) => self.contains_intervals(intervals),
            None => self.contains_partial(),
        }
    }

    /// Of the operations so far, the one called last is the one that the next may be before.
    fn contains_intervals(&self, Intervals { call, ret, .. }: Intervals<'_>) -> Result<(), Refusal> {
        let mut latest: Option<OpId> = None;
        for &op in self.lin {
            match latest {
                Some(later) if ret[op.index()] < call[later.index()] => {
                    return Err(self.against(op, later, "hb"));
                }
                Some(later) if call[op.index()] < call[later.index()] => {}
                _ => latest = Some(op),
            }
        }
        Ok(())
    }

    /// Backward. Of each process's operations that come later in lin, the first in po is before an operation if any is:
    /// hb contains po and is transitive.
    fn contains_partial(&self) -> Result<(), Refusal> {
        let mut first: Vec<Option<OpId>> = vec![None; self.history.process_count()];
        let place = places_in_po(self.history);
        for &op in self.lin.iter().rev() {
            if let Some(earlier) =
                first.iter().flatten().copied().find(|&other| self.history.before(other, op))
            {
                return Err(self.against(earlier, op, "hb"));
            }
            let first = &mut first[self.history.process(op).index()];
            if first.is_none_or(|first| place[op.index()] < place[first.index()]) {
                *first = Some(op);
            }
        }
        Ok(())
    }

    fn identity(&self, axiom: &Axiom) -> Result<(), Refusal> {
        match self.lin.iter().find(|&&op| self.ends_in(axiom, op)) {
            Some(&op) => {
                Err(Refusal::Broken { axiom: axiom.clone(), from: self.named(op), to: self.named(op) })
            }
            None => Ok(()),
        }
    }

    fn ends_in(&self, axiom: &Axiom, op: OpId) -> bool {
        axiom.to.as_deref().is_none_or(|method| self.history.called(op).method == method)
    }

    fn within_lin(&self, vis: &[Vec<OpId>]) -> Result<(), Refusal> {
        if vis.len() != self.lin.len() {
            return Err(Refusal::VisibilityCount { given: vis.len(), expected: self.lin.len() });
        }
        for (at, (&viewer, seen)) in self.lin.iter().zip(vis).enumerate() {
            let mut last = None;
            for &op in seen {
                let place = self.place[known(self.history, op)?.index()];
                let (seen, viewer) = (|| self.named(op), || self.named(viewer));
                if place == NOWHERE || place as usize >= at {
                    return Err(Refusal::NotBefore { seen: seen(), viewer: viewer() });
                }
                if last.is_some_and(|last| last >= place) {
                    return Err(Refusal::NotInLinOrder { seen: seen(), viewer: viewer() });
                }
                last = Some(place);
            }
        }
        Ok(())
    }

    /// For each operation, goes back from it through the relations of the right side.
    fn satisfies(&self, axiom: &Axiom, vis: &[Vec<OpId>]) -> Result<(), Refusal> {
        let n = self.lin.len();
        let place_in_po = places_in_po(self.history);
        let mut reached = vec![false; n];
        let mut next = vec![false; n];
        let mut seen = vec![false; n];
        for at in (0..n).filter(|&at| self.ends_in(axiom, self.lin[at])) {
            self.poll(at, 16)?;
            reached.fill(false);
            reached[at] = true;
            for &relation in axiom.right.iter().rev() {
                next.fill(false);
                self.go_back(relation, vis, &place_in_po, &reached, &mut next);
                std::mem::swap(&mut reached, &mut next);
            }
            seen.fill(false);
            match axiom.left {
                Relation::Vis => vis[at].iter().for_each(|op| seen[self.place[op.index()] as usize] = true),
                _ => seen[..at].fill(true),
            }
            if let Some(from) = (0..n).find(|&from| reached[from] && !seen[from]) {
                let (from, to) = (self.named(self.lin[from]), self.named(self.lin[at]));
                return Err(Refusal::Broken { axiom: axiom.clone(), from, to });
            }
        }
        Ok(())
    }

    /// The places from which a relation leads to one that is reached.
    fn go_back(
        &self,
        relation: Relation,
        vis: &[Vec<OpId>],
        place_in_po: &[u32],
        reached: &[bool],
        next: &mut [bool],
    ) {
        let ends = || (0..reached.len()).filter(|&at| reached[at]);
        match relation {
            Relation::Lin => next[..ends().next_back().unwrap_or(0)].fill(true),
            Relation::Vis => {
                for op in ends().flat_map(|at| &vis[at]) {
                    next[self.place[op.index()] as usize] = true;
                }
            }
            Relation::Po => {
                let mut upto = vec![0; self.history.process_count()];
                for op in ends().map(|at| self.lin[at]) {
                    let upto = &mut upto[self.history.process(op).index()];
                    *upto = place_in_po[op.index()].max(*upto);
                }
                for (at, &op) in self.lin.iter().enumerate() {
                    next[at] = place_in_po[op.index()] < upto[self.history.process(op).index()];
                }
            }
            Relation::Hb => match self.history.intervals() {
                Some(Intervals { call, ret, .. }) => {
                    let latest = ends().map(|at| call[self.lin[at].index()]).max().unwrap_or(0);
                    for (at, &op) in self.lin.iter().enumerate() {
                        next[at] = ret[op.index()] < latest;
                    }
                }
                None => {
                    for op in ends().map(|at| self.lin[at]) {
                        for (at, &other) in self.lin.iter().enumerate() {
                            next[at] |= self.history.before(other, op);
                        }
                    }
                }
            },
        }
    }

    /// One run over lin. A pending operation that cannot take effect is seen by all after it, so none of them may have returned.
    fn returns_after_all(&self, spec: &dyn Specification) -> Result<(), Refusal> {
        let mut run = spec.replay();
        let mut stuck: Option<OpId> = None;
        for (at, &op) in self.lin.iter().enumerate() {
            self.poll(at, 1024)?;
            let found = if stuck.is_none() { run.call(self.history.called(op)) } else { None };
            if found.is_none() {
                stuck = stuck.or(Some(op));
            }
            self.returns(op, found, stuck)?;
        }
        Ok(())
    }

    /// One run for each operation, over what it sees.
    fn returns_after(&self, spec: &dyn Specification, vis: &[Vec<OpId>]) -> Result<(), Refusal> {
        let mut run = spec.replay();
        let views = self.lin.iter().zip(vis).enumerate();
        for (at, (&op, seen)) in views.filter(|&(_, (&op, _))| !self.history.is_pending(op)) {
            self.poll(at, 16)?;
            run.restart();
            let mut found = None;
            let mut stuck = None;
            for &call in seen.iter().chain([&op]) {
                found = run.call(self.history.called(call));
                if found.is_none() {
                    stuck = Some(call);
                    break;
                }
            }
            self.returns(op, found, stuck)?;
        }
        Ok(())
    }

    fn returns(&self, op: OpId, found: Option<Value>, stuck: Option<OpId>) -> Result<(), Refusal> {
        match (self.history.result(op), found, stuck) {
            (None, ..) => Ok(()),
            (Some(ret), Some(found), _) if *ret == found => Ok(()),
            (Some(_), Some(found), _) => Err(Refusal::OtherReturn { op: self.named(op), found }),
            (Some(_), None, stuck) => {
                Err(Refusal::Stuck { op: self.named(op), stuck: self.named(stuck.unwrap_or(op)) })
            }
        }
    }
}

/// By operation, its place in its process.
fn places_in_po(history: &History) -> Vec<u32> {
    let mut place = vec![0; history.len()];
    for process in 0..history.process_count() as u32 {
        for (at, op) in history.of_process(ProcessId(process)).iter().enumerate() {
            place[op.index()] = at as u32;
        }
    }
    place
}
