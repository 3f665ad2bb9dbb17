//! The models' axioms over relation matrices, straight from their definitions: what the tests hold the machines to.

use tribunal::memory::{EventId, Execution, Label, Order};

/// A relation on 0..n as a bit matrix.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    n: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    pub(crate) fn new(n: usize) -> Self {
        let words = n.div_ceil(64);
        Relation { n, words, bits: vec![0; n * words] }
    }

    pub(crate) fn from_fn(n: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let mut relation = Relation::new(n);
        for a in 0..n {
            (0..n).filter(|&b| holds(a, b)).for_each(|b| relation.insert(a, b));
        }
        relation
    }

    pub(crate) fn insert(&mut self, a: usize, b: usize) {
        self.bits[a * self.words + b / 64] |= 1 << (b % 64);
    }

    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    fn or_row(&mut self, a: usize, row: &[u64]) {
        self.bits[a * self.words..].iter_mut().zip(row).for_each(|(into, from)| *into |= from);
    }

    fn or(mut self, other: &Relation) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a |= b);
        self
    }

    fn then(&self, other: &Relation) -> Self {
        let mut composed = Relation::new(self.n);
        for a in 0..self.n {
            for b in (0..self.n).filter(|&b| self.has(a, b)) {
                composed.or_row(a, &other.bits[b * self.words..][..self.words]);
            }
        }
        composed
    }

    fn inverse(&self) -> Self {
        Relation::from_fn(self.n, |a, b| self.has(b, a))
    }

    fn without_identity(mut self) -> Self {
        (0..self.n).for_each(|a| self.bits[a * self.words + a / 64] &= !(1 << (a % 64)));
        self
    }

    /// `r?`
    fn or_identity(mut self) -> Self {
        (0..self.n).for_each(|a| self.insert(a, a));
        self
    }

    fn closure(mut self) -> Self {
        for via in 0..self.n {
            let row = self.bits[via * self.words..][..self.words].to_vec();
            for a in 0..self.n {
                if self.has(a, via) {
                    self.or_row(a, &row);
                }
            }
        }
        self
    }

    fn irreflexive(&self) -> bool {
        (0..self.n).all(|a| !self.has(a, a))
    }

    fn acyclic(self) -> bool {
        self.closure().irreflexive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axioms {
    Sc,
    Tso,
    Pso,
    Rc20,
    Ra,
}

/// A history's relations: events by id, the initial writes last.
pub(crate) struct History<'a> {
    x: &'a Execution,
    n: usize,
    po: Relation,
    po_loc: Relation,
    rf: Relation,
    rfe: Relation,
}

impl<'a> History<'a> {
    pub(crate) fn new(x: &'a Execution) -> Self {
        let n = x.len() + x.location_count();
        let id = |e: usize| EventId(e as u32);
        let po = Relation::from_fn(n, |a, b| match (x.thread_of(id(a)), x.thread_of(id(b))) {
            (None, Some(_)) => true,
            (Some(t), Some(u)) => t == u && a < b,
            (_, None) => false,
        });
        let po_loc = Relation::from_fn(n, |a, b| {
            po.has(a, b) && x.loc(id(a)).is_some() && x.loc(id(a)) == x.loc(id(b))
        });
        let rf = Relation::from_fn(n, |a, b| x.rf(id(b)) == Some(id(a)));
        let rfe = Relation::from_fn(n, |a, b| rf.has(a, b) && !po.has(a, b) && !po.has(b, a));
        History { x, n, po, po_loc, rf, rfe }
    }

    fn label(&self, e: usize) -> Label {
        self.x.label(EventId(e as u32))
    }

    /// Whether some mo satisfies the axioms. Tries them all.
    pub(crate) fn consistent(&self, axioms: Axioms) -> bool {
        let per_location: Vec<Vec<EventId>> = self
            .x
            .locations()
            .map(|loc| {
                let writes = self.x.events().filter(|&e| self.label(e.index()).writes());
                writes.filter(|&e| self.x.loc(e) == Some(loc)).collect()
            })
            .collect();
        self.some_mo(axioms, &per_location, &mut Relation::new(self.n))
    }

    fn some_mo(&self, axioms: Axioms, rest: &[Vec<EventId>], mo: &mut Relation) -> bool {
        let Some((writes, rest)) = rest.split_first() else { return self.satisfies(axioms, mo) };
        let mut writes = writes.clone();
        let loc = self.x.location_count() - rest.len() - 1;
        permutations(&mut writes, 0, &mut |order| {
            let mut mo = mo.clone();
            // The initial write is first: it is po-before all others.
            let init = self.x.len() + loc;
            insert_order(&mut mo, std::iter::once(init).chain(order.iter().map(|w| w.index())));
            self.some_mo(axioms, rest, &mut mo)
        })
    }

    /// Whether this mo satisfies the axioms.
    pub(crate) fn satisfies(&self, axioms: Axioms, mo: &Relation) -> bool {
        let fr = self.rf.inverse().then(mo).without_identity();
        let com = mo.clone().or(&fr);
        match axioms {
            Axioms::Sc => self.po.clone().or(&self.rf).or(&com).acyclic(),
            Axioms::Tso | Axioms::Pso => {
                self.po_loc.clone().or(&self.rf).or(&com).acyclic()
                    && self.ppo(axioms).or(&self.rfe).or(&com).acyclic()
            }
            Axioms::Rc20 | Axioms::Ra => {
                let synchronises = if axioms == Axioms::Ra { self.rf.clone() } else { self.sw() };
                let hb = self.po.clone().or(&synchronises).closure();
                let rf = self.rf.clone().or_identity();
                self.po.clone().or(&self.rf).acyclic()
                    && mo.then(&rf).then(&hb.clone().or_identity()).irreflexive()
                    && fr.then(&rf).then(&hb).irreflexive()
                    && fr.then(mo).irreflexive()
                    && (axioms == Axioms::Ra || self.psc(&hb, mo, &fr).acyclic())
            }
        }
    }

    /// `scb = po ∪ (po ; hb ; po) ∪ hb-loc ∪ mo ∪ fr`,
    /// `psc = ([SC] ∪ [F_sc];hb?) ; scb ; ([SC] ∪ hb?;[F_sc]) ∪ [F_sc] ; (hb ∪ hb;eco;hb) ; [F_sc]`
    fn psc(&self, hb: &Relation, mo: &Relation, fr: &Relation) -> Relation {
        let set = |of: &dyn Fn(Label) -> bool| Relation::from_fn(self.n, |a, b| a == b && of(self.label(a)));
        let sc = set(&|label| label.order() == Order::SeqCst);
        let fences = set(&|label| label.order() == Order::SeqCst && label.is_fence());
        let loc = |e: usize| self.x.loc(EventId(e as u32));
        let hb_loc = Relation::from_fn(self.n, |a, b| hb.has(a, b) && loc(a).is_some() && loc(a) == loc(b));
        let scb = self.po.clone().or(&self.po.then(hb).then(&self.po)).or(&hb_loc).or(mo).or(fr);
        let some_hb = hb.clone().or_identity();
        let from = sc.clone().or(&fences.then(&some_hb));
        let to = sc.or(&some_hb.then(&fences));
        let eco = self.rf.clone().or(mo).or(fr).closure();
        let between = hb.clone().or(&hb.then(&eco).then(hb));
        from.then(&scb).then(&to).or(&fences.then(&between).then(&fences))
    }

    fn ppo(&self, axioms: Axioms) -> Relation {
        Relation::from_fn(self.n, |a, b| {
            let (from, to) = (self.label(a), self.label(b));
            if !self.po.has(a, b) || from.is_fence() || to.is_fence() {
                return false;
            }
            let fenced = (0..self.n).any(|f| {
                let order = self.label(f).order();
                self.label(f).is_fence()
                    && self.po.has(a, f)
                    && self.po.has(f, b)
                    && (order == Order::SeqCst
                        || order.is_acquire() && from.reads()
                        || order.is_release() && to.writes())
            });
            from.reads() || fenced || axioms == Axioms::Tso && from.writes() && to.writes()
        })
    }

    /// `[E⊒REL] ; ([F];po)? ; [W⊒rlx] ; rf⁺ ; [R⊒rlx] ; (po;[F])? ; [E⊒ACQ]`
    fn sw(&self) -> Relation {
        let release = Relation::from_fn(self.n, |a, b| {
            let label = self.label(a);
            label.order().is_release()
                && (a == b || label.is_fence() && self.po.has(a, b) && self.label(b).is_atomic())
        });
        let acquire = Relation::from_fn(self.n, |a, b| {
            let label = self.label(b);
            label.order().is_acquire()
                && (a == b || label.is_fence() && self.po.has(a, b) && self.label(a).is_atomic())
        });
        release.then(&self.rf.clone().closure()).then(&acquire)
    }
}

/// Orders these events one after the other.
pub(crate) fn insert_order(relation: &mut Relation, order: impl IntoIterator<Item = usize>) {
    let order: Vec<usize> = order.into_iter().collect();
    for (i, &a) in order.iter().enumerate() {
        order[i + 1..].iter().for_each(|&b| relation.insert(a, b));
    }
}

/// Whether `test` holds for some permutation of `items[fixed..]`.
fn permutations<T>(items: &mut [T], fixed: usize, test: &mut impl FnMut(&[T]) -> bool) -> bool {
    if fixed >= items.len() {
        return test(items);
    }
    (fixed..items.len()).any(|i| {
        items.swap(fixed, i);
        let found = permutations(items, fixed + 1, test);
        items.swap(fixed, i);
        found
    })
}
