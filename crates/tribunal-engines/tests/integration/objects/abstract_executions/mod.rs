//! The definitions of MODELS.md, word for word: what an abstract execution is, and whether there is one, by trying all.

use tribunal_history::object::{
    AbstractExecution, Axiom, Criterion, History, OpId, Relation, Specification, Visibility,
};

/// By place in lin: the places that are related to it.
type Matrix = Vec<Vec<bool>>;

fn matrix(size: usize, related: impl Fn(usize, usize) -> bool) -> Matrix {
    (0..size).map(|a| (0..size).map(|b| related(a, b)).collect()).collect()
}

fn holds(history: &History, lin: &[OpId], vis: &Matrix, axiom: &Axiom) -> bool {
    let size = lin.len();
    let of = |relation: Relation| match relation {
        Relation::Lin => matrix(size, |a, b| a < b),
        Relation::Vis => vis.clone(),
        Relation::Hb => matrix(size, |a, b| history.before(lin[a], lin[b])),
        Relation::Po => matrix(size, |a, b| {
            history.before(lin[a], lin[b]) && history.process(lin[a]) == history.process(lin[b])
        }),
    };
    let mut right = of(axiom.right[0]);
    for &relation in &axiom.right[1..] {
        let next = of(relation);
        right = matrix(size, |a, c| (0..size).any(|b| right[a][b] && next[b][c]));
    }
    let left = of(axiom.left);
    let ends = |b: usize| axiom.to.as_ref().is_none_or(|method| history.called(lin[b]).method == method);
    (0..size).all(|a| (0..size).all(|b| !right[a][b] || left[a][b] || !ends(b)))
}

/// Whether an operation returns what the history says after what it sees.
fn returns(history: &History, spec: &dyn Specification, lin: &[OpId], vis: &Matrix, at: usize) -> bool {
    let Some(expected) = history.result(lin[at]) else { return true };
    let mut replay = spec.replay();
    for before in (0..lin.len()).filter(|&before| vis[before][at]) {
        if replay.call(history.called(lin[before])).is_none() {
            return false;
        }
    }
    replay.call(history.called(lin[at])).as_ref() == Some(expected)
}

/// Whether an abstract execution shows that the history satisfies the criterion; if not, why.
pub fn satisfies(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    execution: &AbstractExecution,
) -> Result<(), String> {
    let lin = &execution.lin;
    let place = |op: OpId| lin.iter().position(|&other| other == op);
    for op in history.ops() {
        if lin.iter().filter(|&&other| other == op).count() != 1
            && !(place(op).is_none() && history.is_pending(op))
        {
            return Err(format!("{} is not once in lin", history.show(op)));
        }
    }
    for a in 0..lin.len() {
        if let Some(b) = lin[..a].iter().find(|&&b| history.before(lin[a], b)) {
            return Err(format!("{} is before {} in lin", history.show(*b), history.show(lin[a])));
        }
    }
    let vis = match &execution.vis {
        Visibility::All => matrix(lin.len(), |a, b| a < b),
        Visibility::Sets(sets) => matrix(lin.len(), |a, b| sets[b].contains(&lin[a])),
    };
    if (0..lin.len()).any(|a| (0..=a).any(|b| vis[a][b])) {
        return Err("vis is not in lin".into());
    }
    if let Some(axiom) = criterion.axioms().iter().find(|axiom| !holds(history, lin, &vis, axiom)) {
        return Err(format!("{axiom} does not hold"));
    }
    match (0..lin.len()).find(|&at| !returns(history, spec, lin, &vis, at)) {
        Some(at) => Err(format!("{} does not return that after what it sees", history.show(lin[at]))),
        None => Ok(()),
    }
}

/// Whether some abstract execution satisfies a weak criterion, by trying all of them.
pub fn consistent(history: &History, spec: &dyn Specification, criterion: &Criterion) -> bool {
    let axioms = criterion.axioms();
    let mut lins: Vec<Vec<OpId>> = vec![Vec::new()];
    while let Some(lin) = lins.pop() {
        if history.ops().all(|op| history.is_pending(op) || lin.contains(&op))
            && some_visibility(history, spec, &axioms, &lin)
        {
            return true;
        }
        let may_follow = |op: &OpId| {
            let late = |other: OpId| history.before(other, *op) && !lin.contains(&other);
            !lin.contains(op)
                && !lin.iter().any(|&placed| history.before(*op, placed))
                && !history.ops().any(|other| late(other) && !history.is_pending(other))
        };
        lins.extend(history.ops().filter(may_follow).map(|op| [&lin[..], &[op]].concat()));
    }
    false
}

fn some_visibility(history: &History, spec: &dyn Specification, axioms: &[Axiom], lin: &[OpId]) -> bool {
    let pairs: Vec<(usize, usize)> = (0..lin.len()).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    (0..1u64 << pairs.len()).any(|mask| {
        let mut vis = matrix(lin.len(), |_, _| false);
        for (at, &(a, b)) in pairs.iter().enumerate() {
            vis[a][b] = mask >> at & 1 == 1;
        }
        (0..lin.len()).all(|at| returns(history, spec, lin, &vis, at))
            && axioms.iter().all(|axiom| holds(history, lin, &vis, axiom))
    })
}
