//! The requirement that a weaker criterion lacks, where it allows a history that a stronger one forbids.

use crate::line::{Arrow, Line};
use std::collections::BTreeSet;
use tribunal_history::object::{AbstractExecution, Axiom, Criterion, History, OpId, Relation, Visibility};

/// Of longer histories it is not said which operations make the difference: they are looked for in triples.
const MANY: usize = 256;

/// Where the abstract execution by which a criterion allows a history breaks another criterion that does not: an axiom of the
/// other, and operations that do not keep it.
pub fn difference(
    history: &History,
    strong: &Criterion,
    weak: &Criterion,
    execution: &AbstractExecution,
) -> Vec<Line<OpId>> {
    let view = View::new(history, execution);
    if *weak == Criterion::Sequential
        && *strong != Criterion::Sequential
        && let Some((late, early)) = view.against_real_time()
    {
        let (a, b) = (history.show(early), history.show(late));
        let text = format!("{weak} knows no real time: {a} takes effect after {b}, though it came before it");
        let arrow = Arrow { from: early, to: late, name: "hb" };
        return vec![Line { about: vec![early, late], arrows: vec![arrow], ..Line::new(0, &text) }];
    }
    let axioms = strong.axioms();
    let broken = axioms.iter().find_map(|axiom| view.broken(axiom).map(|pair| (axiom, pair)));
    if let Some((axiom, (unseen, viewer))) = broken {
        let (a, b) = (history.show(unseen), history.show(viewer));
        let why = match axiom.right.as_slice() {
            [Relation::Po] => "which came before it in its process",
            [Relation::Hb] => "which had returned before it was called",
            [Relation::Lin] => "which took effect before it",
            [Relation::Vis, Relation::Po] => "which an earlier operation of its process saw",
            [Relation::Vis, Relation::Vis] => "which an operation that it saw had seen",
            _ => "which it has to see",
        };
        let name = axiom.right.first().map_or("vis", |relation| relation.name());
        let text = format!("{strong} asks for {axiom}; {weak} lets {b} not see {a}, {why}");
        let arrows = vec![Arrow { from: unseen, to: viewer, name }];
        return vec![Line { about: vec![unseen, viewer], arrows, ..Line::new(0, &text) }];
    }
    [strong, weak].map(|criterion| Line::new(0, &format!("{criterion} asks for {}", asked(criterion)))).into()
}

/// A criterion's axioms in one line.
fn asked(criterion: &Criterion) -> String {
    let beyond: Vec<String> = criterion.axioms().iter().map(ToString::to_string).collect();
    let always = match criterion {
        Criterion::Sequential => "Ret; lin >= po",
        _ => "Ret; lin >= vis; lin >= hb",
    };
    [&[always.to_string()], beyond.as_slice()].concat().join("; ")
}

/// An abstract execution, to be asked what is related.
struct View<'a> {
    history: &'a History,
    lin: &'a [OpId],
    /// By place in `lin`, what is visible there; none: all before it.
    vis: Option<Vec<BTreeSet<OpId>>>,
}

impl<'a> View<'a> {
    fn new(history: &'a History, execution: &'a AbstractExecution) -> Self {
        let vis = match &execution.vis {
            Visibility::All => None,
            Visibility::Sets(sets) => Some(sets.iter().map(|set| set.iter().copied().collect()).collect()),
        };
        View { history, lin: &execution.lin, vis }
    }

    /// Two operations whose effects are in the other order than they happened: the one that takes effect first, and the
    /// one that happened first.
    fn against_real_time(&self) -> Option<(OpId, OpId)> {
        let Some(intervals) = self.history.intervals() else {
            let ops = self.lin.iter().take(MANY);
            let mut pairs =
                ops.clone().enumerate().flat_map(|(at, &a)| ops.clone().skip(at + 1).map(move |&b| (a, b)));
            return pairs.find(|&(a, b)| self.history.before(b, a));
        };
        // Of those that took effect, the one that was called last is the one that any other may have come before.
        let mut last: Option<OpId> = None;
        for &op in self.lin {
            match last {
                Some(late) if self.history.before(op, late) => return Some((late, op)),
                Some(late) if intervals.call[op.index()] <= intervals.call[late.index()] => {}
                _ => last = Some(op),
            }
        }
        None
    }

    /// Two operations of which the second does not see the first, though an axiom asks for it.
    fn broken(&self, axiom: &Axiom) -> Option<(OpId, OpId)> {
        if axiom.left != Relation::Vis || self.lin.len() > MANY {
            return None;
        }
        let places = 0..self.lin.len();
        let method = |at: usize| self.history.called(self.lin[at]).method;
        let asked = |at: usize| axiom.to.as_deref().is_none_or(|to| method(at) == to);
        for viewer in places.clone().filter(|&at| asked(at)) {
            for other in places.clone().filter(|&other| other != viewer && !self.sees(viewer, other)) {
                let related = match axiom.right.as_slice() {
                    [only] => self.related(*only, other, viewer),
                    [first, second] => places.clone().any(|between| {
                        self.related(*first, other, between) && self.related(*second, between, viewer)
                    }),
                    _ => false,
                };
                if related {
                    return Some((self.lin[other], self.lin[viewer]));
                }
            }
        }
        None
    }

    fn sees(&self, viewer: usize, other: usize) -> bool {
        match &self.vis {
            None => other < viewer,
            Some(sets) => sets.get(viewer).is_some_and(|set| set.contains(&self.lin[other])),
        }
    }

    fn related(&self, relation: Relation, a: usize, b: usize) -> bool {
        let (from, to) = (self.lin[a], self.lin[b]);
        match relation {
            Relation::Lin => a < b,
            Relation::Vis => a != b && self.sees(b, a),
            Relation::Hb => self.history.before(from, to),
            Relation::Po => {
                self.history.process(from) == self.history.process(to) && self.history.before(from, to)
            }
        }
    }
}
