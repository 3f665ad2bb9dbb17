//! Violations of the causal models.

use super::*;

fn seen(from: EventId, to: EventId, observer: EventId, read: EventId, path: Vec<Edge>) -> Edge {
    edge(from, to, Because::Seen { observer, read, path })
}

fn by(because: Because) -> impl Fn(EventId, EventId) -> Edge {
    move |from, to| edge(from, to, because.clone())
}

fn overwritten(axiom: Axiom, read: EventId, by: EventId, before: Vec<Edge>, after: Vec<Edge>) -> Violation {
    Violation { axiom, refutation: Refutation::Overwritten { read, by, before, after } }
}

#[test]
fn an_overwritten_write_is_read_in_the_causal_past() {
    let x =
        history(&[&[Op::write(X, 1), Op::write(X, 2), Op::write(Y, 1)], &[Op::read(Y, 1), Op::read(X, 1)]]);
    let [one, two, flag, see, miss] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
    let after = || vec![po(two, flag), rf(flag, see), po(see, miss)];
    let right = |axiom| overwritten(axiom, miss, two, vec![po(one, two)], after());
    for model in [Model::Cc, Model::Ccv, Model::Cm, Model::Ccm] {
        accepts(&x, model, &right(Axiom::CausalPast));
        let refusal = refuses(&x, model, &right(Axiom::WeakReadCoherence));
        assert_eq!(refusal, Refusal::NotInvolved { axiom: Axiom::WeakReadCoherence });
        for i in 0..3 {
            let mut short = after();
            short.remove(i);
            refuses(&x, model, &overwritten(Axiom::CausalPast, miss, two, vec![po(one, two)], short));
        }
        refuses(&x, model, &overwritten(Axiom::CausalPast, miss, two, vec![], after()));
        refuses(&x, model, &overwritten(Axiom::CausalPast, miss, one, vec![po(one, two)], after()));
    }
    accepts(&x, Model::Wra, &right(Axiom::WeakReadCoherence));
    for model in [Model::Pram, Model::Wccm, Model::Wsc, Model::Sc, Model::Tso] {
        let refusal = refuses(&x, model, &right(Axiom::CausalPast));
        assert!(matches!(refusal, Refusal::OtherRefutation { .. }));
    }
}

#[test]
fn cycles_of_po_and_rf() {
    let x = history(&[&[Op::read(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::write(X, 1)]]);
    let [a, b, c, d] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
    let edges = [po(a, b), rf(b, c), po(c, d), rf(d, a)];
    for model in [Model::Cc, Model::Ccv, Model::Cm, Model::Ccm] {
        stands(&x, model, Axiom::PoRf, &edges);
    }
    stands(&x, Model::Ccm, Axiom::CausalConvergence, &edges);
    // A thread of pram does not see what others read.
    misplaced(&x, Model::Pram, Axiom::Pipelined, &edges);
    misplaced(&x, Model::Wccm, Axiom::WeakCausalConvergence, &edges);
    let ppo = by(Because::Ppo);
    stands(&x, Model::Wccm, Axiom::WeakCausalConvergence, &[ppo(a, b), rf(b, c), ppo(c, d), rf(d, a)]);
    let po_loc = by(Because::PoLoc);
    let refusal = refuses(&x, Model::Wccm, &cycle(Axiom::PoLocRf, vec![po_loc(a, b), rf(b, a)]));
    assert_eq!(fault(refusal), EdgeFault::NotPoLoc);

    let own_future = history(&[&[Op::read(X, 1), Op::write(X, 1)]]);
    let [r, w] = [0, 1].map(|i| event(&own_future, 0, i));
    stands(&own_future, Model::Pram, Axiom::Pipelined, &[po(r, w), rf(w, r)]);
    stands(&own_future, Model::Wccm, Axiom::PoLocRf, &[po_loc(r, w), rf(w, r)]);
    let refusal =
        refuses(&own_future, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, vec![ppo(r, w), rf(w, r)]));
    assert!(matches!(fault(refusal), EdgeFault::ReadsInternally(_)));
}

/// Each of two threads reads the other's write after its own.
struct Crossed {
    x: Execution,
    one: EventId,
    read_two: EventId,
    two: EventId,
    read_one: EventId,
}

impl Crossed {
    fn new() -> Self {
        let x = history(&[&[Op::write(X, 1), Op::read(X, 2)], &[Op::write(X, 2), Op::read(X, 1)]]);
        let [one, read_two, two, read_one] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
        Crossed { x, one, read_two, two, read_one }
    }

    fn conflicts(&self, order: Because) -> [Edge; 2] {
        let order = by(order);
        [
            read(self.one, self.two, self.read_two, vec![order(self.one, self.read_two)]),
            read(self.two, self.one, self.read_one, vec![order(self.two, self.read_one)]),
        ]
    }

    fn seen(&self, order: Because) -> [Edge; 2] {
        let order = by(order);
        [
            seen(self.one, self.two, self.read_two, self.read_two, vec![order(self.one, self.read_two)]),
            seen(self.two, self.one, self.read_one, self.read_one, vec![order(self.two, self.read_one)]),
        ]
    }
}

#[test]
fn conflicts_must_be_acyclic() {
    let h = Crossed::new();
    let edges = h.conflicts(Because::Po);
    stands(&h.x, Model::Ccv, Axiom::CausalConflict, &edges);
    stands(&h.x, Model::Ccm, Axiom::CausalConvergence, &edges);
    for (model, axiom) in
        [(Model::Cc, Axiom::CausalPast), (Model::Cm, Axiom::CausalMemory), (Model::Pram, Axiom::Pipelined)]
    {
        misplaced(&h.x, model, axiom, &edges);
    }
    stands(&h.x, Model::Wccm, Axiom::WeakCausalConvergence, &h.conflicts(Because::PoLoc));
    misplaced(&h.x, Model::Wccm, Axiom::WeakCausalConvergence, &edges);
    // tso's ppo lets the reads overtake the writes.
    let refusal =
        refuses(&h.x, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, h.conflicts(Because::Ppo).into()));
    assert_eq!(fault(refusal), EdgeFault::NotPpo);
    // The other read.
    let other = read(h.one, h.two, h.read_one, vec![po(h.one, h.read_two)]);
    let refusal = refuses(&h.x, Model::Ccv, &cycle(Axiom::CausalConflict, vec![other, edges[1].clone()]));
    assert!(matches!(fault(refusal), EdgeFault::NotReadFrom(_)));
    // What observers see is no part of ccv.
    let seen = h.seen(Because::Po);
    misplaced(&h.x, Model::Ccv, Axiom::CausalConflict, &seen);
    let by_seen = coherence(h.one, h.two, vec![seen[0].clone()]);
    misplaced(&h.x, Model::Ccv, Axiom::CausalConflict, &[by_seen, edges[1].clone()]);
}

#[test]
fn observers_of_different_threads_converge_or_not() {
    let h = Crossed::new();
    let seen = h.seen(Because::Po);
    for (model, axiom) in [(Model::Cm, Axiom::CausalMemory), (Model::Pram, Axiom::Pipelined)] {
        let refusal = refuses(&h.x, model, &cycle(axiom, seen.to_vec()));
        assert!(matches!(fault(refusal), EdgeFault::NotObserved { .. }));
    }
    let converged = |seen: [Edge; 2]| seen.map(|edge| coherence(edge.from, edge.to, vec![edge]));
    stands(&h.x, Model::Ccm, Axiom::CausalConvergence, &converged(seen.clone()));
    stands(&h.x, Model::Wccm, Axiom::WeakCausalConvergence, &converged(h.seen(Because::PoLoc)));
    misplaced(&h.x, Model::Ccm, Axiom::CausalConvergence, &seen);
    // fr: the reader of 1 is before 2.
    let premise = Box::new(converged(seen)[0].clone());
    let fr = edge(h.read_one, h.two, Because::Fr { premise });
    stands(&h.x, Model::Ccm, Axiom::CausalConvergence, &[fr.clone(), po(h.two, h.read_one)]);
    misplaced(&h.x, Model::Ccv, Axiom::CausalConflict, &[fr, po(h.two, h.read_one)]);
}

#[test]
fn one_observer_sees_writes_both_ways() {
    let x = history(&[&[Op::write(X, 1)], &[Op::write(X, 2), Op::read(X, 1), Op::read(X, 2)]]);
    let [one, two, r1, r2] = [(0, 0), (1, 0), (1, 1), (1, 2)].map(|(t, i)| event(&x, t, i));
    let back = |observer| seen(two, one, observer, r1, vec![po(two, r1)]);
    let forth = |observer| seen(one, two, observer, r2, vec![rf(one, r1), po(r1, r2)]);
    for (model, axiom) in [(Model::Cm, Axiom::CausalMemory), (Model::Pram, Axiom::Pipelined)] {
        stands(&x, model, axiom, &[back(r1), forth(r2)]);
        accepts(&x, model, &cycle(axiom, vec![back(r2), forth(r2)]));
        // A lemma has the observer of what it repeats.
        let edges = vec![edge(two, one, Because::Lemma(0)), forth(r2)];
        let cycle = Refutation::Cycle(Cycle { lemmas: vec![back(r1)], edges });
        accepts(&x, model, &Violation { axiom, refutation: cycle });
        for spoilt in [
            [back(two), forth(r2)],
            [back(one), forth(r2)],
            [back(r1), forth(r1)],
            [back(r1), forth(one)],
            [back(r1), seen(one, two, r2, r1, vec![rf(one, r1)])],
            [back(r1), seen(one, two, r2, r2, vec![])],
            [back(r1), seen(one, two, r2, r2, vec![po(two, r2)])],
            [back(r1), edge(one, two, Because::Assumed)],
        ] {
            refuses(&x, model, &self::cycle(axiom, spoilt.to_vec()));
        }
    }
    // po-loc keeps it all; the rf is from outside.
    let po_loc = by(Because::PoLoc);
    let [back, forth] = [
        seen(two, one, r1, r1, vec![po_loc(two, r1)]),
        seen(one, two, r2, r2, vec![rf(one, r1), po_loc(r1, r2)]),
    ];
    let weak = [back, forth].map(|edge| coherence(edge.from, edge.to, vec![edge]));
    stands(&x, Model::Wccm, Axiom::WeakCausalConvergence, &weak);
}

#[test]
fn what_is_seen_may_rest_on_what_is_seen() {
    // T2 sees 1 before 2 on x; with that, y = 9 before x = 1 is before its read of y = 3.
    let x = history(&[
        &[Op::write(Y, 9), Op::write(X, 1)],
        &[Op::write(X, 2)],
        &[Op::read(X, 1), Op::read(X, 2), Op::read(Y, 3), Op::read(Y, 9)],
        &[Op::write(Y, 3)],
    ]);
    let [nine, one, two, r1, r2, r3, r9, three] =
        [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0)].map(|(t, i)| event(&x, t, i));
    let inner = |observer| seen(one, two, observer, r2, vec![rf(one, r1), po(r1, r2)]);
    let outer = |observer, inner| {
        seen(nine, three, observer, r3, vec![po(nine, one), inner, rf(two, r2), po(r2, r3)])
    };
    let back = seen(three, nine, r9, r9, vec![rf(three, r3), po(r3, r9)]);
    stands(&x, Model::Cm, Axiom::CausalMemory, &[outer(r3, inner(r2)), back.clone()]);
    // The inner observer must be no later than the outer.
    let refusal =
        refuses(&x, Model::Cm, &cycle(Axiom::CausalMemory, vec![outer(r3, inner(r9)), back.clone()]));
    assert!(matches!(fault(refusal), EdgeFault::NotObserved { .. }));
    accepts(&x, Model::Cm, &cycle(Axiom::CausalMemory, vec![outer(r9, inner(r9)), back.clone()]));
    // Nothing recurses in what is seen.
    let mut deep = inner(r2);
    for _ in 0..1000 {
        deep = seen(one, two, r2, r2, vec![deep, rf(two, r2)]);
    }
    accepts(&x, Model::Cm, &cycle(Axiom::CausalMemory, vec![outer(r3, deep), back]));
}

#[test]
fn pram_sees_the_reads_of_one_thread_only() {
    // Causality broken across three threads: T2 sees y = 1, but not x = 1, which T1 had seen.
    let x =
        history(&[&[Op::write(X, 1)], &[Op::read(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::read(X, 0)]]);
    let [wx, rx, wy, ry, miss] = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)].map(|(t, i)| event(&x, t, i));
    let init = x.init_write(X);
    let path = vec![rf(wx, rx), po(rx, wy), rf(wy, ry), po(ry, miss)];
    let edges = [po(init, wx), seen(wx, init, miss, miss, path)];
    stands(&x, Model::Cm, Axiom::CausalMemory, &edges);
    misplaced(&x, Model::Pram, Axiom::Pipelined, &edges);
}

#[test]
fn wccm_keeps_to_one_line_at_a_time() {
    // T1 sees y = 1 but not x = 1.
    let x = history(&[&[Op::write(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::read(X, 0)]]);
    let [wx, wy, ry, miss] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
    let init = x.init_write(X);
    let (ppo, po_loc) = (by(Because::Ppo), by(Because::PoLoc));
    let path = || vec![ppo(wx, wy), rf(wy, ry), ppo(ry, miss)];
    let back = coherence(wx, init, vec![seen(wx, init, miss, miss, path())]);
    let forth = |order: &Edge| coherence(init, wx, vec![order.clone()]);
    for order in [ppo(init, wx), po_loc(init, wx)] {
        stands(&x, Model::Wccm, Axiom::WeakCausalConvergence, &[back.clone(), forth(&order)]);
        stands(&x, Model::Wccm, Axiom::WeakCausalConvergence, &[back.clone(), order]);
    }
    // A read of the initial write is internal.
    let conflict = read(wx, init, miss, path());
    let refusal =
        refuses(&x, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, vec![conflict, ppo(init, wx)]));
    assert!(matches!(fault(refusal), EdgeFault::ReadsInternally(_)));
    // The path of what is seen keeps to one line: nothing else than ppo will do here.
    let mut mixed = path();
    mixed[0] = po_loc(wx, wy);
    let mixed = coherence(wx, init, vec![seen(wx, init, miss, miss, mixed)]);
    refuses(&x, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, vec![mixed, ppo(init, wx)]));
    let same = history(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::read(X, 2), Op::read(X, 1)]]);
    let [one, two, r2, r1] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&same, t, i));
    let seen_along = |first: &Edge, second: &Edge| {
        let edge = seen(two, one, r1, r1, vec![rf(two, r2), second.clone()]);
        vec![coherence(two, one, vec![edge]), first.clone()]
    };
    accepts(
        &same,
        Model::Wccm,
        &cycle(Axiom::WeakCausalConvergence, seen_along(&ppo(one, two), &po_loc(r2, r1))),
    );
    let along_both = seen(two, one, r1, r1, vec![rf(two, r2), ppo(r2, r1), rf(one, r1)]);
    refuses(&same, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, vec![along_both, ppo(one, two)]));
    // The cycle itself keeps to one line, too.
    let cyc = vec![coherence(two, one, vec![ppo(one, two)]), ppo(one, two)];
    refuses(&same, Model::Wccm, &cycle(Axiom::WeakCausalConvergence, cyc));
}
