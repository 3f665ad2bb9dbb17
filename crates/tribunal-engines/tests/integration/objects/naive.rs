//! The definitions of the criteria, tried out: every choice of pending operations, every lin, every vis.
//!
//! For histories of a handful of operations. Relations are matrices, and axioms are evaluated on them as they are written.

use tribunal_history::object::{
    AbstractExecution, Axiom, Criterion, History, OpId, ProcessId, Relation, Specification, Visibility,
};

/// The operations there may be.
const MOST: usize = 16;

/// By operation, the operations related to it, a bit for each.
#[derive(Clone, Copy)]
struct Matrix([u32; MOST]);

impl Matrix {
    fn of(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let mut matrix = [0; MOST];
        for (b, column) in matrix.iter_mut().enumerate().take(n) {
            *column = (0..n).filter(|&a| holds(a, b)).map(|a| 1 << a).sum();
        }
        Matrix(matrix)
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[b] >> a & 1 == 1
    }

    fn then(&self, next: &Matrix) -> Matrix {
        let mut composed = [0; MOST];
        for (c, column) in composed.iter_mut().enumerate() {
            let mut between = next.0[c];
            while between != 0 {
                *column |= self.0[between.trailing_zeros() as usize];
                between &= between - 1;
            }
        }
        Matrix(composed)
    }

    /// The pairs of operations of a set.
    fn within(&self, set: u32) -> Matrix {
        let mut matrix = [0; MOST];
        for op in (0..MOST).filter(|op| set >> op & 1 == 1) {
            matrix[op] = self.0[op] & set;
        }
        Matrix(matrix)
    }
}

struct Naive<'a> {
    history: &'a History,
    spec: &'a dyn Specification,
    axioms: Vec<Axiom>,
    /// What lin must contain.
    order: Matrix,
    po: Matrix,
    hb: Matrix,
}

/// The axioms of MODELS.md beyond Ret, lin ⊇ vis and lin ⊇ hb.
fn axioms(criterion: &Criterion) -> Vec<Axiom> {
    use Relation::{Hb, Lin, Po, Vis};
    let vis = |right: &[Relation]| Axiom { left: Vis, right: right.to_vec(), to: None };
    match criterion {
        Criterion::Weak => vec![],
        Criterion::Ryw => vec![vis(&[Po])],
        Criterion::Mr => vec![vis(&[Vis, Po])],
        Criterion::Causal => vec![vis(&[Po]), vis(&[Vis, Vis])],
        Criterion::Hbvis => vec![vis(&[Hb])],
        Criterion::Linearizable | Criterion::Sequential => vec![vis(&[Lin])],
        Criterion::Axioms(axioms) => axioms.clone(),
    }
}

/// Whether some abstract execution explains the history.
pub fn consistent(history: &History, spec: &dyn Specification, criterion: &Criterion) -> bool {
    let naive = Naive::new(history, spec, criterion);
    let pending: Vec<usize> = history.ops().filter(|&op| history.is_pending(op)).map(OpId::index).collect();
    (0u32..1 << pending.len()).any(|choice| {
        let took_effect = |op: usize| match pending.iter().position(|&other| other == op) {
            Some(at) => choice >> at & 1 == 1,
            None => true,
        };
        let ops: Vec<usize> = (0..history.len()).filter(|&op| took_effect(op)).collect();
        naive.extends(&ops, &mut Vec::new(), &mut vec![0; history.len()])
    })
}

/// Whether an abstract execution explains the history.
pub fn explains(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    execution: &AbstractExecution,
) -> bool {
    let n = history.len();
    let lin: Vec<usize> = execution.lin.iter().map(|op| op.index()).collect();
    let times = |op: usize| lin.iter().filter(|&&other| other == op).count();
    if lin.iter().any(|&op| op >= n || times(op) > 1)
        || history.ops().any(|op| !history.is_pending(op) && times(op.index()) == 0)
    {
        return false;
    }
    let place = |op: usize| lin.iter().position(|&other| other == op);
    let mut vis = vec![0; n];
    match &execution.vis {
        Visibility::All => {
            for (at, &op) in lin.iter().enumerate() {
                vis[op] = lin[..at].iter().map(|&seen| 1 << seen).sum();
            }
        }
        Visibility::Sets(sets) => {
            if sets.len() != lin.len() {
                return false;
            }
            for (at, (&op, set)) in lin.iter().zip(sets).enumerate() {
                let places: Option<Vec<usize>> = set.iter().map(|seen| place(seen.index())).collect();
                let Some(places) = places else { return false };
                if places.iter().any(|&seen| seen >= at) || !places.is_sorted_by(|a, b| a < b) {
                    return false;
                }
                vis[op] = set.iter().map(|seen| 1 << seen.0).sum();
            }
        }
    }
    let naive = Naive::new(history, spec, criterion);
    let ordered = (0..lin.len()).all(|at| lin[at..].iter().all(|&later| !naive.order.has(later, lin[at])));
    ordered && naive.satisfied(&lin, &vis) && lin.iter().all(|&op| naive.returns(op, &lin, vis[op]))
}

impl<'a> Naive<'a> {
    fn new(history: &'a History, spec: &'a dyn Specification, criterion: &Criterion) -> Self {
        let n = history.len();
        assert!(n <= MOST, "{n} operations are too many to try everything");
        let id = |op: usize| OpId(op as u32);
        let po = Matrix::of(n, |a, b| {
            let process = history.process(id(a));
            let place = |op| history.of_process(process).iter().position(|&other| other == id(op));
            history.process(id(b)) == process && place(a) < place(b)
        });
        let hb = Matrix::of(n, |a, b| match (history.times(id(a)), history.times(id(b))) {
            (Some((_, Some(end))), Some((begin, _))) => end < begin || po.has(a, b),
            (Some(_), Some(_)) => false,
            _ => history.before(id(a), id(b)),
        });
        let order = if *criterion == Criterion::Sequential { po } else { hb };
        Naive { history, spec, axioms: axioms(criterion), order, po, hb }
    }

    /// Whether a lin and a vis begin as given and explain these operations.
    fn extends(&self, ops: &[usize], lin: &mut Vec<usize>, vis: &mut Vec<u32>) -> bool {
        if lin.len() == ops.len() {
            return true;
        }
        let left: Vec<usize> = ops.iter().copied().filter(|op| !lin.contains(op)).collect();
        for &op in left.iter().filter(|&&op| !left.iter().any(|&other| self.order.has(other, op))) {
            let before: u32 = lin.iter().map(|&other| 1 << other).sum();
            lin.push(op);
            for seen in (0..=before).filter(|seen| seen & !before == 0) {
                vis[op] = seen;
                // All relations are within lin, so what holds of the whole holds of its beginnings.
                if !self.satisfied(lin, vis) || !self.returns(op, lin, seen) {
                    continue;
                }
                if self.extends(ops, lin, vis) {
                    return true;
                }
                // If no axiom composes vis, what one operation sees means nothing to the others.
                if !self.axioms.iter().any(|axiom| axiom.right.contains(&Relation::Vis)) {
                    break;
                }
            }
            vis[op] = 0;
            lin.pop();
        }
        false
    }

    fn satisfied(&self, lin: &[usize], vis: &[u32]) -> bool {
        let (mut placed, mut before, mut seen, mut same) = (0, [0; MOST], [0; MOST], [0; MOST]);
        for &op in lin {
            before[op] = placed;
            seen[op] = vis[op];
            same[op] = 1 << op;
            placed |= 1 << op;
        }
        let relation = |relation: &Relation| match relation {
            Relation::Lin => Matrix(before),
            Relation::Vis => Matrix(seen),
            Relation::Po => self.po.within(placed),
            Relation::Hb => self.hb.within(placed),
        };
        self.axioms.iter().all(|axiom| {
            let right = axiom.right.iter().fold(Matrix(same), |left, right| left.then(&relation(right)));
            let left = relation(&axiom.left);
            let ends_there = |op: usize| {
                axiom.to.as_ref().is_none_or(|to| self.history.called(OpId(op as u32)).method == to)
            };
            lin.iter().all(|&op| right.0[op] & !left.0[op] == 0 || !ends_there(op))
        })
    }

    /// Whether an operation returns what it would after what it sees.
    fn returns(&self, op: usize, lin: &[usize], seen: u32) -> bool {
        let id = |op: usize| OpId(op as u32);
        let Some(expected) = self.history.result(id(op)) else { return true };
        let mut run = self.spec.replay();
        for &other in lin.iter().filter(|&&other| seen >> other & 1 == 1) {
            if run.call(self.history.called(id(other))).is_none() {
                return false;
            }
        }
        run.call(self.history.called(id(op))).as_ref() == Some(expected)
    }
}

/// Whether hb contains po and is transitive.
pub fn is_closed(history: &History) -> bool {
    let po = (0..history.process_count() as u32)
        .flat_map(|process| history.of_process(ProcessId(process)).windows(2))
        .all(|pair| history.before(pair[0], pair[1]));
    let before = |a, b| history.before(a, b);
    let transitive = |(a, b): (OpId, OpId)| history.ops().all(|c| !before(b, c) || before(a, c));
    let mut pairs = history.ops().flat_map(|a| history.ops().map(move |b| (a, b)));
    po && pairs.all(|(a, b)| !before(a, b) || transitive((a, b)))
}
