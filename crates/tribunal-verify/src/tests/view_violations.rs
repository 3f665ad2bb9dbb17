//! Violations of sc, wsc, coherence and the multiprocessor models.

use super::*;
use tribunal_history::memory::Interval;
use tribunal_history::model::Preserved;
use tribunal_history::verdict::Unsupported;

const MULTIPROCESSORS: [Model; 4] = [Model::Tso, Model::Pso, Model::Rmo, Model::Wmo];

fn ppo(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Ppo)
}

fn po_loc(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::PoLoc)
}

fn dep(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Dep)
}

fn fr(from: EventId, to: EventId, premise: Edge) -> Edge {
    edge(from, to, Because::Fr { premise: Box::new(premise) })
}

/// fr from a read of the initial write, which is before the write by `first`.
fn fr_init(x: &Execution, read: EventId, write: EventId, first: fn(EventId, EventId) -> Edge) -> Edge {
    let init = x.rf(read).expect("a read");
    fr(read, write, coherence(init, write, vec![first(init, write)]))
}

fn events<const N: usize>(x: &Execution, places: [(u32, u32); N]) -> [EventId; N] {
    places.map(|(t, i)| event(x, t, i))
}

#[test]
fn store_buffering_breaks_sc_alone() {
    let x = history(&[&[Op::write(X, 1), Op::read(Y, 0)], &[Op::write(Y, 1), Op::read(X, 0)]]);
    let [wx, ry, wy, rx] = events(&x, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let by = |order: fn(EventId, EventId) -> Edge, first: fn(EventId, EventId) -> Edge| {
        vec![order(wx, ry), fr_init(&x, ry, wy, first), order(wy, rx), fr_init(&x, rx, wx, first)]
    };
    stands(&x, Model::Sc, Axiom::Sequential, &by(po, po));
    stands(&x, Model::Wsc, Axiom::SaturatedSequential, &by(po, po));
    misplaced(&x, Model::Sc, Axiom::Sequential, &by(po, po_loc));
    misplaced(&x, Model::Coherence, Axiom::PerLocation, &by(po, po_loc));
    for model in MULTIPROCESSORS {
        misplaced(&x, model, Axiom::Global, &by(po, po_loc));
        let refusal = refuses(&x, model, &cycle(Axiom::Global, by(ppo, po_loc)));
        assert_eq!(fault(refusal), EdgeFault::NotPpo);
    }
    // Every axiom but the one it breaks is refused.
    for axiom in Axiom::ALL.into_iter().filter(|&axiom| axiom != Axiom::Sequential) {
        let refusal = refuses(&x, Model::Sc, &cycle(axiom, by(po, po)));
        assert_eq!(refusal, Refusal::NotInvolved { axiom });
    }
    // A model that is sc except for the name, and one that is nearly.
    stands(&x, Model::Custom(Preserved::SC), Axiom::Sequential, &by(po, po));
    let custom = Model::Custom(Preserved { internal_rf: false, ..Preserved::SC });
    stands(&x, custom, Axiom::Global, &by(ppo, po_loc));
    misplaced(&x, custom, Axiom::Global, &by(po, po_loc));
}

#[test]
fn fr_needs_the_right_premise() {
    let x = history(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::read(X, 2), Op::read(X, 1)]]);
    let [one, two, r2, r1] = events(&x, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let right = coherence(one, two, vec![po(one, two)]);
    let edges = |premise| vec![fr(r1, two, premise), rf(two, r2), po(r2, r1)];
    stands(&x, Model::Sc, Axiom::Sequential, &edges(right.clone()));
    let refused = |premise| fault(refuses(&x, Model::Sc, &cycle(Axiom::Sequential, edges(premise))));
    let init = x.init_write(X);
    assert_eq!(refused(coherence(init, two, vec![po(init, two)])), EdgeFault::NotFr);
    assert_eq!(refused(coherence(two, one, vec![po(one, two)])), EdgeFault::NotFr);
    assert_eq!(refused(po(one, two)), EdgeFault::NotMo);
    assert_eq!(refused(edge(one, two, Because::Assumed)), EdgeFault::NotAssumed);
    assert_eq!(refused(edge(one, two, Because::Final)), EdgeFault::NotFinal);
    assert_eq!(refused(coherence(one, two, vec![])), EdgeFault::EmptyPath);
    for because in [Because::Chain, Because::Atomic { premise: Box::new(right) }] {
        assert_eq!(refused(edge(one, two, because)), EdgeFault::Misplaced);
    }
}

#[test]
fn message_passing_needs_what_each_model_keeps() {
    let edges = |x: &Execution, order: fn(EventId, EventId) -> Edge| {
        let last = |t: u32| x.thread_events(ThreadId(t)).end - x.thread_events(ThreadId(t)).start - 1;
        let [wx, wy, ry, rx] = events(x, [(0, 0), (0, last(0)), (1, 0), (1, last(1))]);
        vec![order(wx, wy), rf(wy, ry), order(ry, rx), fr_init(x, rx, wx, po_loc)]
    };
    let plain = history(&[&[Op::write(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::read(X, 0)]]);
    stands(&plain, Model::Tso, Axiom::Global, &edges(&plain, ppo));
    for model in [Model::Pso, Model::Rmo, Model::Wmo] {
        let refusal = refuses(&plain, model, &cycle(Axiom::Global, edges(&plain, ppo)));
        assert_eq!(fault(refusal), EdgeFault::NotPpo);
    }

    // The second write and the second read are kept in place by fences.
    let fenced = |write: Order, read: Order| {
        history(&[
            &[Op::write(X, 1), Op::fence(write), Op::write(Y, 1)],
            &[Op::read(Y, 1), Op::fence(read), Op::read(X, 0)],
        ])
    };
    use Order::{AcqRel, Acquire, Release, SeqCst};
    for (write, read, kept) in [
        (Release, Acquire, true),
        (AcqRel, AcqRel, true),
        (SeqCst, SeqCst, true),
        (Acquire, Acquire, false),
        (Release, Release, false),
    ] {
        let x = fenced(write, read);
        for model in [Model::Rmo, Model::Wmo] {
            if kept {
                stands(&x, model, Axiom::Global, &edges(&x, ppo));
            } else {
                let refusal = refuses(&x, model, &cycle(Axiom::Global, edges(&x, ppo)));
                assert_eq!(fault(refusal), EdgeFault::NotPpo, "{model} {write:?} {read:?}");
            }
        }
    }
}

#[test]
fn what_a_thread_reads_from_itself_is_not_global() {
    // Store buffering, and each thread reads its own write first: tso allows it.
    let x = history(&[
        &[Op::write(X, 1), Op::read(X, 1), Op::read(Y, 0)],
        &[Op::write(Y, 1), Op::read(Y, 1), Op::read(X, 0)],
    ]);
    let [wx, rx1, ry0, wy, ry1, rx0] = events(&x, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    let edges = [
        rf(wx, rx1),
        ppo(rx1, ry0),
        fr_init(&x, ry0, wy, po_loc),
        rf(wy, ry1),
        ppo(ry1, rx0),
        fr_init(&x, rx0, wx, po_loc),
    ];
    for model in [Model::Tso, Model::Pso] {
        misplaced(&x, model, Axiom::Global, &edges);
    }
    stands(&x, Model::Custom(Preserved { internal_rf: true, ..Preserved::TSO }), Axiom::Global, &edges);
    // Nor may such a path tell the order of writes.
    let path = vec![rf(wx, rx1), ppo(rx1, ry0)];
    let derived = [read(wx, x.init_write(X), rx1, path.clone()), read(wx, x.init_write(X), ry0, path)];
    for edge in derived {
        refuses(&x, Model::Tso, &cycle(Axiom::Global, vec![edge]));
    }
}

#[test]
fn coherence_is_broken_in_the_local_view() {
    let x = history(&[&[Op::write(X, 1)], &[Op::read(X, 1), Op::read(X, 0)]]);
    let [w, r1, r0] = events(&x, [(0, 0), (1, 0), (1, 1)]);
    let edges = [rf(w, r1), po_loc(r1, r0), fr_init(&x, r0, w, po_loc)];
    for model in [Model::Coherence, Model::Tso, Model::Pso, Model::Wmo] {
        stands(&x, model, Axiom::PerLocation, &edges);
        let refusal = refuses(&x, model, &cycle(Axiom::ThinAir, edges.to_vec()));
        assert_eq!(refusal, Refusal::NotInvolved { axiom: Axiom::ThinAir });
    }
    // rmo allows load-load hazards.
    let refusal = refuses(&x, Model::Rmo, &cycle(Axiom::PerLocation, edges.to_vec()));
    assert_eq!(fault(refusal), EdgeFault::NotPoLoc);
    // The same as two mo edges.
    let init = x.init_write(X);
    let both_ways =
        [coherence(init, w, vec![po_loc(init, w)]), read(w, init, r0, vec![rf(w, r1), po_loc(r1, r0)])];
    stands(&x, Model::Coherence, Axiom::PerLocation, &both_ways);
    // Paths keep to one view.
    let mixed = read(w, init, r0, vec![rf(w, r1), ppo(r1, r0)]);
    accepts(&x, Model::Tso, &cycle(Axiom::Global, vec![both_ways[0].clone(), mixed.clone()]));
    misplaced(&x, Model::Coherence, Axiom::PerLocation, &[both_ways[0].clone(), mixed]);
}

#[test]
fn views_do_not_mix() {
    // W x 1 -po-loc-> R x 1 -ppo-> R y 0: tso keeps each, but in different views.
    let x =
        history(&[&[Op::write(X, 1), Op::read(X, 1), Op::read(Y, 0)], &[Op::write(Y, 1), Op::read(X, 0)]]);
    let [wx, rx1, ry, wy, rx0] = events(&x, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
    let edges = [
        po_loc(wx, rx1),
        ppo(rx1, ry),
        fr_init(&x, ry, wy, po_loc),
        ppo(wy, rx0),
        fr_init(&x, rx0, wx, po_loc),
    ];
    refuses(&x, Model::Tso, &cycle(Axiom::Global, edges.to_vec()));
    let path = vec![po_loc(wx, rx1), ppo(rx1, ry)];
    let refusal = refuses(&x, Model::Tso, &cycle(Axiom::Global, vec![read(wx, x.init_write(X), rx1, path)]));
    assert!(matches!(refusal, Refusal::OtherEnd { .. } | Refusal::Edge { .. }));
}

#[test]
fn thin_air_is_a_cycle_of_dependencies() {
    let build = |depends: bool| {
        let mut b = Execution::builder();
        let (t0, t1, x, y) = (b.thread("T0"), b.thread("T1"), b.location("x"), b.location("y"));
        b.push(t0, Op::read(x, 1));
        let first = b.push(t0, Op::write(y, 1));
        b.push(t1, Op::read(y, 1));
        let second = b.push(t1, Op::write(x, 1));
        if depends {
            b.depends(first, 0).depends(second, 0);
        }
        b.build().expect("a well-formed history")
    };
    let x = build(true);
    let [rx, wy, ry, wx] = events(&x, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let edges =
        |order: fn(EventId, EventId) -> Edge| vec![order(rx, wy), rf(wy, ry), order(ry, wx), rf(wx, rx)];
    stands(&x, Model::Rmo, Axiom::ThinAir, &edges(dep));
    stands(&x, Model::Rmo, Axiom::Global, &edges(ppo));
    misplaced(&x, Model::Tso, Axiom::ThinAir, &edges(dep));
    let independent = build(false);
    let refusal = refuses(&independent, Model::Rmo, &cycle(Axiom::ThinAir, edges(dep)));
    assert_eq!(fault(refusal), EdgeFault::NotDep);
    let refusal = refuses(&independent, Model::Rmo, &cycle(Axiom::Global, edges(ppo)));
    assert_eq!(fault(refusal), EdgeFault::NotPpo);
    stands(&independent, Model::Pso, Axiom::Global, &edges(ppo));
}

#[test]
fn wmo_keeps_what_times_tell() {
    let build = |begin: u64| {
        let mut b = Execution::builder();
        let (t0, t1, x, y) = (b.thread("T0"), b.thread("T1"), b.location("x"), b.location("y"));
        b.push(t0, Op::write(x, 1));
        b.push(t0, Op::fence(Order::SeqCst));
        b.push(t0, Op::write(y, 1));
        let first = b.push(t1, Op::read(y, 1));
        let second = b.push(t1, Op::read(x, 0));
        b.interval(first, Interval { begin: Some(1), end: Some(5) });
        b.interval(second, Interval { begin: Some(begin), end: None });
        b.build().expect("a well-formed history")
    };
    let x = build(6);
    let [wx, wy, ry, rx] = events(&x, [(0, 0), (0, 2), (1, 0), (1, 1)]);
    let edges = [ppo(wx, wy), rf(wy, ry), ppo(ry, rx), fr_init(&x, rx, wx, po_loc)];
    stands(&x, Model::Wmo, Axiom::Global, &edges);
    refuses(&x, Model::Rmo, &cycle(Axiom::Global, edges.to_vec()));
    let refusal = refuses(&build(5), Model::Wmo, &cycle(Axiom::Global, edges.to_vec()));
    assert_eq!(fault(refusal), EdgeFault::NotPpo);
}

#[test]
fn cases_are_distinguished_on_mo() {
    let x = history(&[
        &[Op::write(X, 1)],
        &[Op::write(X, 2)],
        &[Op::read(X, 1), Op::read(X, 2)],
        &[Op::read(X, 2), Op::read(X, 1)],
    ]);
    let [one, two, a1, a2, b2, b1] = events(&x, [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1)]);
    let leaf = |order: fn(EventId, EventId) -> Edge, from, to, first, second| {
        let edges =
            vec![fr(second, to, edge(from, to, Because::Assumed)), rf(to, first), order(first, second)];
        Box::new(Refutation::Cycle(Cycle { lemmas: Vec::new(), edges }))
    };
    let split = |axiom, order| Violation {
        axiom,
        refutation: Refutation::Split {
            first: one,
            second: two,
            forward: leaf(order, one, two, b2, b1),
            backward: leaf(order, two, one, a1, a2),
        },
    };
    accepts(&x, Model::Sc, &split(Axiom::Sequential, po));
    for model in [Model::Coherence, Model::Tso, Model::Pso, Model::Wmo] {
        accepts(&x, model, &split(Axiom::PerLocation, po_loc));
    }
    refuses(&x, Model::Rmo, &split(Axiom::PerLocation, po_loc));
    let refusal = refuses(&x, Model::Wsc, &split(Axiom::SaturatedSequential, po));
    assert!(matches!(refusal, Refusal::OtherRefutation { model: Model::Wsc, .. }));
    let mut swapped = split(Axiom::Sequential, po);
    if let Refutation::Split { forward, backward, .. } = &mut swapped.refutation {
        std::mem::swap(forward, backward);
    }
    assert_eq!(fault(refuses(&x, Model::Sc, &swapped)), EdgeFault::NotAssumed);
}

#[test]
fn the_final_write_is_last_in_every_model_with_mo() {
    let x = with_finals(&[&[Op::write(X, 1), Op::write(X, 2)]], &[(X, 1)]);
    let [one, two] = events(&x, [(0, 0), (0, 1)]);
    let edges = |order: fn(EventId, EventId) -> Edge| {
        vec![edge(two, one, Because::Final), coherence(one, two, vec![order(one, two)])]
    };
    for axiom in [Axiom::FinalValue, Axiom::Sequential] {
        stands(&x, Model::Sc, axiom, &edges(po));
    }
    for model in [Model::Coherence, Model::Tso, Model::Rmo] {
        stands(&x, model, Axiom::FinalValue, &edges(po_loc));
        stands(&x, model, Axiom::PerLocation, &edges(po_loc));
    }
    let refusal = refuses(&x, Model::Wsc, &cycle(Axiom::FinalValue, edges(po)));
    assert_eq!(refusal, Refusal::DoesNotApply { model: Model::Wsc, why: Unsupported::Finals });
}

#[test]
fn lemmas_are_mo_edges_proved_before() {
    let x = history(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::read(X, 2), Op::read(X, 1)]]);
    let [one, two, r2, r1] = events(&x, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let by_lemma = |lemmas: Vec<Edge>, i| {
        let edges = vec![fr(r1, two, edge(one, two, Because::Lemma(i))), rf(two, r2), po(r2, r1)];
        Violation { axiom: Axiom::Sequential, refutation: Refutation::Cycle(Cycle { lemmas, edges }) }
    };
    let lemma = coherence(one, two, vec![po(one, two)]);
    let repeated = edge(one, two, Because::Lemma(0));
    accepts(&x, Model::Sc, &by_lemma(vec![lemma.clone()], 0));
    accepts(&x, Model::Sc, &by_lemma(vec![lemma.clone(), repeated.clone()], 1));
    let refused = |lemmas, i| fault(refuses(&x, Model::Sc, &by_lemma(lemmas, i)));
    assert_eq!(refused(vec![lemma.clone()], 1), EdgeFault::NoLemma(1));
    assert_eq!(refused(vec![repeated, lemma], 1), EdgeFault::NoLemma(0));
    assert_eq!(refused(vec![po(one, two)], 0), EdgeFault::NotMo);
    let init = x.init_write(X);
    assert_eq!(refused(vec![coherence(init, two, vec![po(init, two)])], 0), EdgeFault::OtherLemma(0));
}

#[test]
fn two_rmws_with_one_source_break_every_view() {
    let x = history(&[&[Op::rmw(X, 0, 1)], &[Op::rmw(X, 0, 2)]]);
    let (write, rmws) = (x.init_write(X), [0, 1].map(|t| event(&x, t, 0)));
    let shared = |axiom| Violation { axiom, refutation: Refutation::SharedSource { write, rmws } };
    accepts(&x, Model::Sc, &shared(Axiom::Sequential));
    accepts(&x, Model::Wsc, &shared(Axiom::SaturatedSequential));
    accepts(&x, Model::Coherence, &shared(Axiom::PerLocation));
    for model in MULTIPROCESSORS {
        accepts(&x, model, &shared(Axiom::PerLocation));
        accepts(&x, model, &shared(Axiom::Global));
        accepts(&x, model, &shared(Axiom::Atomicity));
        let refusal = refuses(&x, model, &shared(Axiom::WeakAtomicity));
        assert_eq!(refusal, Refusal::NotInvolved { axiom: Axiom::WeakAtomicity });
    }
    for model in [Model::Cc, Model::Ccv, Model::Cm, Model::Ccm, Model::Wccm, Model::Pram] {
        let refusal = refuses(&x, model, &shared(Axiom::CausalConvergence));
        assert!(matches!(refusal, Refusal::OtherRefutation { .. }));
    }
}

/// A reason may depend on reasons to any depth: nothing recurses.
#[test]
fn reasons_nest_deeply() {
    let x = history(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::read(X, 2), Op::read(X, 1)]]);
    let [one, two, r2, r1] = events(&x, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    let mut premise = coherence(one, two, vec![po(one, two)]);
    for _ in 0..1000 {
        premise = coherence(one, two, vec![premise]);
    }
    accepts(&x, Model::Sc, &cycle(Axiom::Sequential, vec![fr(r1, two, premise), rf(two, r2), po(r2, r1)]));
}
