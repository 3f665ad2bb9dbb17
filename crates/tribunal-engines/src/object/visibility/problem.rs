//! A history and axioms as sets of operations.

use rustc_hash::FxHashMap;
use tribunal_cat::relation::FixedSet;
use tribunal_history::object::{Axiom, History, OpId, Relation, Specification, Value};

/// The history and the axioms as the engines see them.
///
/// Operations are numbered in the order in which they return, pending ones last: this is the order in which a search tries them.
pub struct Problem<'a, const W: usize> {
    pub spec: &'a dyn Specification,
    pub history: &'a History,
    /// By number.
    pub ops: Vec<OpId>,
    /// By number: the operations before it in its process.
    pub po: Vec<FixedSet<W>>,
    /// By number: the operations that happen before it.
    pub hb: Vec<FixedSet<W>>,
    pub all: FixedSet<W>,
    pub pending: FixedSet<W>,
    pub completed: FixedSet<W>,
    /// The operations whose invocation is read-only.
    pub reads: FixedSet<W>,
    /// By number: the updates that can change what it returns.
    pub relevant: Vec<FixedSet<W>>,
    /// By number: its key; 0 if it concerns the whole object.
    key: Vec<u32>,
    pub rules: Vec<Rule<W>>,
    /// Whether views that cannot take effect may matter: then reads and keys are not distinguished.
    pub cautious: bool,
    /// Whether a rule mentions vis on its right.
    pub vis_matters: bool,
    /// Whether a rule has lin before its last relation.
    pub lin_inside: bool,
    /// The operations whose visibility depends on their place in lin, through a rule that ends in lin.
    placed_by_lin: FixedSet<W>,
    /// Whether such a rule asks for more than what is before an operation in lin.
    beyond_lin: bool,
}

/// An axiom `vis ⊇ chain∘last`, for the pairs that end in `to`. Axioms on lin hold in every abstract execution, since every
/// relation is contained in it.
pub struct Rule<const W: usize> {
    pub chain: Vec<Relation>,
    pub last: Relation,
    pub to: FixedSet<W>,
}

impl<'a, const W: usize> Problem<'a, W> {
    /// A cautious problem has no shortcuts that rely on every invocation taking effect in every state.
    pub fn new(history: &'a History, spec: &'a dyn Specification, axioms: &[Axiom], cautious: bool) -> Self {
        let n = history.len();
        let ops = in_order_of_return(history);
        let mut po = vec![FixedSet::EMPTY; n];
        let mut hb = vec![FixedSet::EMPTY; n];
        for (b, &op) in ops.iter().enumerate() {
            for (a, &earlier) in ops.iter().enumerate() {
                if history.before(earlier, op) {
                    hb[b].insert(a);
                    if history.process(earlier) == history.process(op) {
                        po[b].insert(a);
                    }
                }
            }
        }
        let having = |holds: &dyn Fn(OpId) -> bool| -> FixedSet<W> {
            ops.iter().enumerate().filter(|(_, op)| holds(**op)).map(|(number, _)| number).collect()
        };
        let all = having(&|_| true);
        let pending = having(&|op| history.is_pending(op));
        let reads = having(&|op| spec.read_only(history.called(op)));
        let key = keys(history, spec, &ops);
        let updates = if cautious { all } else { all - reads };
        let relevant = (0..n)
            .map(|viewer| {
                let sees =
                    |&op: &usize| cautious || key[viewer] == 0 || key[op] == 0 || key[op] == key[viewer];
                updates.iter().filter(sees).collect()
            })
            .collect();
        let rules: Vec<Rule<W>> = axioms
            .iter()
            .filter(|axiom| axiom.left == Relation::Vis)
            .filter_map(|axiom| {
                let (&last, chain) = axiom.right.split_last()?;
                let to = match &axiom.to {
                    Some(method) => having(&|op| history.called(op).method == method),
                    None => all,
                };
                Some(Rule { chain: chain.to_vec(), last, to })
            })
            .collect();
        let mentions = |rule: &Rule<W>, relation| rule.last == relation || rule.chain.contains(&relation);
        let placed_by_lin = rules
            .iter()
            .filter(|rule| rule.last == Relation::Lin)
            .fold(FixedSet::EMPTY, |placed, rule| placed | rule.to);
        Problem {
            spec,
            history,
            po,
            hb,
            all,
            pending,
            completed: all - pending,
            reads,
            relevant,
            key,
            cautious,
            vis_matters: rules.iter().any(|rule| mentions(rule, Relation::Vis)),
            lin_inside: rules.iter().any(|rule| rule.chain.contains(&Relation::Lin)),
            placed_by_lin,
            beyond_lin: rules.iter().any(|rule| rule.last == Relation::Lin && !rule.chain.is_empty()),
            rules,
            ops,
        }
    }

    /// About what a problem of so many operations and the search for its abstract executions take, except for what the search
    /// collects on its way.
    pub const fn bytes(operations: usize) -> usize {
        operations * (8 * size_of::<FixedSet<W>>() + 128)
    }

    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// The reads that may wait, in a search, until an update that they happen before takes its place.
    ///
    /// Moving a read later in lin leaves it more operations to see, and others see the same effects, so nothing is lost;
    /// unless a rule asks it, or others through it, to see all that is before it.
    pub fn deferrable(&self) -> FixedSet<W> {
        if self.cautious || self.lin_inside { FixedSet::EMPTY } else { self.reads - self.placed_by_lin }
    }

    /// Whether two operations that are next to each other in lin, and not ordered by hb, can change places: they have
    /// the same effects and returns in either order, and no third one must see more than before.
    pub fn exchangeable(&self, a: usize, b: usize) -> bool {
        let free = |op: usize| !self.placed_by_lin.contains(op);
        if self.lin_inside || (self.vis_matters || self.beyond_lin) && !(free(a) && free(b)) {
            return false;
        }
        let apart = self.key[a] != 0 && self.key[b] != 0 && self.key[a] != self.key[b];
        let called = |op: usize| self.history.called(self.ops[op]);
        apart || self.spec.commute(called(a), called(b))
    }

    /// Whether nobody sees an operation, whatever it sees itself: a read that nothing comes after.
    pub fn unseen(&self, op: usize) -> bool {
        let by_lin = self.lin_inside || !self.placed_by_lin.is_empty();
        let last = !self.hb.iter().any(|earlier| earlier.contains(op));
        self.reads.contains(op) && last && !by_lin && !self.cautious
    }

    /// What an operation sees in any case, as far as the rules say so without vis and lin before the last relation.
    pub fn certain(&self, op: usize) -> FixedSet<W> {
        let direct = self.rules.iter().filter(|rule| rule.chain.is_empty() && rule.to.contains(op));
        direct.fold(FixedSet::EMPTY, |seen, rule| match rule.last {
            Relation::Po => seen | self.po[op],
            Relation::Hb => seen | self.hb[op],
            Relation::Lin => self.all,
            Relation::Vis => seen,
        })
    }
}

fn in_order_of_return(history: &History) -> Vec<OpId> {
    let mut ops: Vec<OpId> = history.ops().collect();
    match history.intervals() {
        Some(intervals) => {
            ops.sort_unstable_by_key(|op| (intervals.ret[op.index()], intervals.call[op.index()]));
        }
        None => {
            let earlier = |op: OpId| history.ops().filter(|&other| history.before(other, op)).count();
            ops.sort_by_cached_key(|&op| (history.is_pending(op), earlier(op)));
        }
    }
    ops
}

/// By number: the key as a small number; 0 for none.
fn keys(history: &History, spec: &dyn Specification, ops: &[OpId]) -> Vec<u32> {
    let mut ids: FxHashMap<Value, u32> = FxHashMap::default();
    let mut of = |op: &OpId| {
        spec.key(history.called(*op)).map_or(0, |key| {
            let fresh = ids.len() as u32 + 1;
            *ids.entry(key).or_insert(fresh)
        })
    };
    ops.iter().map(&mut of).collect()
}
