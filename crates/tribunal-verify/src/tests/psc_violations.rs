//! Violations of acyclic(psc).

use super::*;

const MODELS: [Model; 2] = [Model::Rc20, Model::Rc11];

const fn sc(op: Op) -> Op {
    op.order(Order::SeqCst)
}

const FENCE: Op = Op::fence(Order::SeqCst);

fn psc(from: EventId, to: EventId, path: Vec<Edge>) -> Edge {
    edge(from, to, Because::Psc { path })
}

/// A psc edge of one step.
fn one(step: Edge) -> Edge {
    psc(step.from, step.to, vec![step])
}

fn lemma(from: EventId, to: EventId, i: usize) -> Edge {
    edge(from, to, Because::Lemma(i))
}

fn assumed(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Assumed)
}

/// fr from a read, by an mo edge from its source.
fn fr(read: EventId, mo: Edge) -> Edge {
    edge(read, mo.to, Because::Fr { premise: Box::new(mo) })
}

fn sw(from: EventId, to: EventId) -> Edge {
    edge(from, to, Because::Sw { write: from, read: to })
}

/// The lemma that a write comes after the initial one.
fn after_init(x: &Execution, write: EventId) -> Edge {
    let init = x.init_write(x.loc(write).expect("a write"));
    coherence(init, write, vec![po(init, write)])
}

fn violation(lemmas: Vec<Edge>, edges: Vec<Edge>) -> Violation {
    Violation { axiom: Axiom::SeqCst, refutation: Refutation::Cycle(Cycle { lemmas, edges }) }
}

/// The events of a history, thread by thread.
fn events<const N: usize>(x: &Execution) -> [EventId; N] {
    assert_eq!(x.len(), N);
    std::array::from_fn(EventId::from_index)
}

/// Accepts a violation, and nothing that differs from it in an edge, a step or the order of a seq_cst event.
fn holds(threads: &[&[Op]], models: &[Model], lemmas: &[Edge], edges: &[Edge]) {
    let x = history(threads);
    for &model in models {
        let right = violation(lemmas.to_vec(), edges.to_vec());
        accepts(&x, model, &right);
        // What the lemmas depend on is involved too.
        let involved = [Axiom::SeqCst, Axiom::WriteCoherence, Axiom::ReadCoherence, Axiom::FinalValue];
        for axiom in Axiom::ALL.into_iter().filter(|axiom| !involved.contains(axiom)) {
            let refusal = refuses(&x, model, &Violation { axiom, ..right.clone() });
            // Where every event is seq_cst, this may be one of sc.
            assert!(axiom == Axiom::Sequential || refusal == Refusal::NotInvolved { axiom }, "{refusal}");
        }
        for i in 0..edges.len() {
            let spoilt = |spoil: &dyn Fn(&mut Vec<Edge>)| {
                let mut edges = edges.to_vec();
                spoil(&mut edges);
                refuses(&x, model, &violation(lemmas.to_vec(), edges))
            };
            spoilt(&|edges| drop(edges.remove(i)));
            spoilt(&|edges| (edges[i].from, edges[i].to) = (edges[i].to, edges[i].from));
            let Because::Psc { path } = &edges[i].because else { panic!("a psc edge") };
            for step in 0..path.len() {
                let spoilt = |spoil: &dyn Fn(&mut Vec<Edge>)| {
                    spoilt(&|edges| {
                        let Because::Psc { path } = &mut edges[i].because else { panic!("a psc edge") };
                        spoil(path);
                    })
                };
                spoilt(&|path| drop(path.remove(step)));
                spoilt(&|path| path.insert(step, path[step].clone()));
                spoilt(&|path| (path[step].from, path[step].to) = (path[step].to, path[step].from));
                for event in [x.len() as u32 + 2, u32::MAX].map(EventId) {
                    assert_eq!(spoilt(&|path| path[step].from = event), Refusal::UnknownEvent { event });
                    assert_eq!(spoilt(&|path| path[step].to = event), Refusal::UnknownEvent { event });
                }
                let others = [Because::Final, Because::Chain, Because::Ppo, Because::PoLoc, Because::Dep];
                for because in others.into_iter().chain([Because::Psc { path: path.clone() }]) {
                    spoilt(&|path| path[step].because = because.clone());
                }
            }
        }
        // Without seq_cst at an end of an edge nothing is left of it.
        for (t, ops) in threads.iter().enumerate() {
            for i in 0..ops.len() {
                let e = event(&x, t as u32, i as u32);
                if edges.iter().any(|edge| edge.from == e) {
                    let mut weaker: Vec<Vec<Op>> = threads.iter().map(|ops| ops.to_vec()).collect();
                    weaker[t][i] = weaker[t][i].order(Order::AcqRel);
                    let weaker = history(&weaker.iter().map(Vec::as_slice).collect::<Vec<_>>());
                    let refusal = refuses(&weaker, model, &right);
                    assert!(matches!(fault(refusal), EdgeFault::NotSeqCst(_)), "{}", weaker.show(e));
                }
            }
        }
    }
    for model in [
        Model::Ra,
        Model::Sra,
        Model::Relaxed,
        Model::Wra,
        Model::Sc,
        Model::Tso,
        Model::Coherence,
        Model::Cc,
    ] {
        if model.unsupported(&x).is_none() {
            refuses(&x, model, &violation(lemmas.to_vec(), edges.to_vec()));
        }
    }
}

const SB: [&[Op]; 2] =
    [&[sc(Op::write(X, 1)), sc(Op::read(Y, 0))], &[sc(Op::write(Y, 1)), sc(Op::read(X, 0))]];

fn store_buffering(x: &Execution) -> (Vec<Edge>, Vec<Edge>) {
    let [wx, ry, wy, rx] = events(x);
    let lemmas = vec![after_init(x, wx), after_init(x, wy)];
    let edges = vec![
        one(po(wx, ry)),
        one(fr(ry, lemma(x.init_write(Y), wy, 1))),
        one(po(wy, rx)),
        one(fr(rx, lemma(x.init_write(X), wx, 0))),
    ];
    (lemmas, edges)
}

#[test]
fn store_buffering_with_accesses() {
    let x = history(&SB);
    let (lemmas, edges) = store_buffering(&x);
    holds(&SB, &MODELS, &lemmas, &edges);
}

#[test]
fn store_buffering_with_fences() {
    let threads: [&[Op]; 2] =
        [&[Op::write(X, 1), FENCE, Op::read(Y, 0)], &[Op::write(Y, 1), FENCE, Op::read(X, 0)]];
    let x = history(&threads);
    let [wx, f, ry, wy, g, rx] = events(&x);
    let lemmas = [after_init(&x, wx), after_init(&x, wy)];
    let edges = [
        psc(f, g, vec![po(f, ry), fr(ry, lemma(x.init_write(Y), wy, 1)), po(wy, g)]),
        psc(g, f, vec![po(g, rx), fr(rx, lemma(x.init_write(X), wx, 0)), po(wx, f)]),
    ];
    holds(&threads, &MODELS, &lemmas, &edges);
}

/// A fence in one thread, an access in the other.
#[test]
fn store_buffering_with_one_fence() {
    let threads: [&[Op]; 2] =
        [&[Op::write(X, 1), FENCE, Op::read(Y, 0)], &[sc(Op::write(Y, 1)), sc(Op::read(X, 0))]];
    let x = history(&threads);
    let [wx, f, ry, wy, rx] = events(&x);
    let lemmas = [after_init(&x, wx), after_init(&x, wy)];
    let edges = [
        psc(f, wy, vec![po(f, ry), fr(ry, lemma(x.init_write(Y), wy, 1))]),
        one(po(wy, rx)),
        psc(rx, f, vec![fr(rx, lemma(x.init_write(X), wx, 0)), po(wx, f)]),
    ];
    holds(&threads, &MODELS, &lemmas, &edges);
}

#[test]
fn independent_reads() {
    let threads: [&[Op]; 4] = [
        &[sc(Op::write(X, 1))],
        &[sc(Op::write(Y, 1))],
        &[sc(Op::read(X, 1)), sc(Op::read(Y, 0))],
        &[sc(Op::read(Y, 1)), sc(Op::read(X, 0))],
    ];
    let x = history(&threads);
    let [wx, wy, x1, y0, y1, x0] = events(&x);
    let lemmas = [after_init(&x, wx), after_init(&x, wy)];
    let edges = [
        one(sw(wx, x1)),
        one(po(x1, y0)),
        one(fr(y0, lemma(x.init_write(Y), wy, 1))),
        one(sw(wy, y1)),
        one(po(y1, x0)),
        one(fr(x0, lemma(x.init_write(X), wx, 0))),
    ];
    holds(&threads, &MODELS, &lemmas, &edges);
}

/// rf counts between fences, and only there.
#[test]
fn message_passing_between_fences() {
    let threads: [&[Op]; 2] =
        [&[Op::write(Y, 1), FENCE, Op::write(X, 1)], &[Op::read(X, 1), FENCE, Op::read(Y, 0)]];
    let x = history(&threads);
    let [wy, f, wx, rx, g, ry] = events(&x);
    let lemmas = [after_init(&x, wy)];
    let back = psc(g, f, vec![po(g, ry), fr(ry, lemma(x.init_write(Y), wy, 0)), po(wy, f)]);
    holds(&threads, &MODELS, &lemmas, &[psc(f, g, vec![po(f, wx), rf(wx, rx), po(rx, g)]), back.clone()]);

    let x = history(&[threads[0], &[sc(Op::read(X, 1)), FENCE, Op::read(Y, 0)]]);
    for model in MODELS {
        let access = [psc(f, rx, vec![po(f, wx), rf(wx, rx)]), one(po(rx, g)), back.clone()];
        let refusal = refuses(&x, model, &violation(lemmas.to_vec(), access.to_vec()));
        assert_eq!(fault(refusal), EdgeFault::NotPsc);
    }
}

/// Happens-before between accesses of two locations counts if it begins and ends with po; for rc11, with po between
/// accesses of two locations.
#[test]
fn what_is_far() {
    let threads: [&[Op]; 3] = [
        &[acq(Op::read(X, 2)), sc(Op::read(Y, 0))],
        &[sc(Op::write(X, 1)), sc(Op::write(X, 2))],
        &[sc(Op::write(Y, 1)), sc(Op::read(X, 0))],
    ];
    let x = history(&threads);
    let [x2, y0, w1, w2, wy, x0] = events(&x);
    let lemmas = [after_init(&x, w1), after_init(&x, wy)];
    let edges = [
        psc(w1, y0, vec![po(w1, w2), sw(w2, x2), po(x2, y0)]),
        one(fr(y0, lemma(x.init_write(Y), wy, 1))),
        one(po(wy, x0)),
        one(fr(x0, lemma(x.init_write(X), w1, 0))),
    ];
    holds(&threads, &[Model::Rc20], &lemmas, &edges);
    let violation = violation(lemmas.to_vec(), edges.to_vec());
    assert_eq!(fault(refuses(&x, Model::Rc11, &violation)), EdgeFault::NotPsc);
}

/// Z6.U: happens-before from one access to another that begins with sw is not psc.
#[test]
fn what_is_not_far() {
    let threads: [&[Op]; 3] = [
        &[sc(Op::write(X, 1)), rel(Op::write(Y, 1))],
        &[sc(Op::rmw(Y, 1, 2)), Op::read(Y, 3)],
        &[sc(Op::write(Y, 3)), sc(Op::read(X, 0))],
    ];
    let x = history(&threads);
    let [wx, w1, u, _, w3, x0] = events(&x);
    let u_before = read(u, w3, EventId(3), vec![po(u, EventId(3))]);
    let lemmas = vec![after_init(&x, wx), u_before];
    let edges = |first: Vec<Edge>| {
        let first = psc(wx, u, first);
        let order = one(lemma(u, w3, 1));
        vec![first, order, one(po(w3, x0)), one(fr(x0, lemma(x.init_write(X), wx, 0)))]
    };
    for model in MODELS {
        let violation = violation(lemmas.clone(), edges(vec![po(wx, w1), sw(w1, u)]));
        assert_eq!(fault(refuses(&x, model, &violation)), EdgeFault::NotPsc);
    }
}

/// Between a fence and an access, happens-before needs po or the location at the end of the access.
#[test]
fn happens_before_between_fences_and_accesses() {
    // Of x: f, a write, a release fence and another write, which c reads; then d.
    let release = Op::fence(Order::Release);
    let near = [FENCE, Op::write(X, 1), release, Op::write(X, 2)];
    let away = [FENCE, Op::write(Y, 1), release, Op::write(X, 2)];
    let reader = [sc(Op::read(X, 2)), FENCE];
    for (writer, stands) in [(near, true), (away, false)] {
        let x = history(&[&writer, &reader]);
        let [f, w, g, w2, c, h] = events(&x);
        let through = edge(g, c, Because::Sw { write: w2, read: c });
        for model in MODELS {
            let path = vec![po(f, w), po(w, g), through.clone()];
            // The cycle does not close, but that is found after the path.
            let refusal = refuses(&x, model, &violation(vec![], vec![psc(f, c, path)]));
            match stands {
                true => assert!(matches!(refusal, Refusal::OtherEnd { .. }), "{refusal}"),
                false => assert_eq!(fault(refusal), EdgeFault::NotPsc),
            }
            let refusal = refuses(
                &x,
                model,
                &violation(vec![], vec![psc(f, h, vec![po(f, g), through.clone(), po(c, h)])]),
            );
            assert!(matches!(refusal, Refusal::OtherEnd { .. }), "{refusal}");
        }
    }
}

/// 2+2W: one order follows from the other.
#[test]
fn mo_by_what_else_would_be() {
    let threads: [&[Op]; 2] =
        [&[sc(Op::write(X, 1)), sc(Op::write(Y, 2))], &[sc(Op::write(Y, 1)), sc(Op::write(X, 2))]];
    let x = with_finals(&threads, &[(X, 1), (Y, 1)]);
    let [x1, y2, y1, x2] = events(&x);
    let round = |of_x: Edge, of_y: Edge| vec![one(po(x1, y2)), one(of_y), one(po(y1, x2)), one(of_x)];
    let finally = |from, to| edge(from, to, Because::Final);
    let unless = |cycle: Vec<Edge>| edge(x1, x2, Because::Unless { cycle });
    let right = round(assumed(x2, x1), lemma(y2, y1, 0));
    let closed = |by: Edge| violation(vec![finally(y2, y1), by], vec![lemma(x1, x2, 1), finally(x2, x1)]);
    for model in MODELS {
        accepts(&x, model, &closed(unless(right.clone())));
        // Directly, too.
        let lemmas = vec![finally(y2, y1), finally(x2, x1)];
        accepts(&x, model, &violation(lemmas, round(lemma(x2, x1, 1), lemma(y2, y1, 0))));
        // By cases.
        let cases = |forward: Vec<Edge>, backward: Vec<Edge>| Violation {
            axiom: Axiom::SeqCst,
            refutation: Refutation::Split {
                first: y2,
                second: y1,
                forward: Box::new(Refutation::Cycle(Cycle { lemmas: vec![finally(x2, x1)], edges: forward })),
                backward: Box::new(Refutation::Cycle(Cycle { lemmas: vec![], edges: backward })),
            },
        };
        let forward = round(lemma(x2, x1, 0), assumed(y2, y1));
        let backward = vec![assumed(y1, y2), finally(y2, y1)];
        accepts(&x, model, &cases(forward.clone(), backward.clone()));
        assert_eq!(fault(refuses(&x, model, &cases(backward, forward))), EdgeFault::NotAssumed);

        assert_eq!(refuses(&x, model, &closed(unless(vec![]))), Refusal::EmptyCycle);
        let other = round(assumed(x1, x2), lemma(y2, y1, 0));
        assert!(matches!(fault(refuses(&x, model, &closed(unless(other)))), EdgeFault::NotAssumed));
        let own = round(lemma(x2, x1, 1), lemma(y2, y1, 0));
        assert_eq!(fault(refuses(&x, model, &closed(unless(own)))), EdgeFault::NoLemma(1));
        let open = right[..3].to_vec();
        assert!(matches!(refuses(&x, model, &closed(unless(open))), Refusal::OtherEnd { .. }));
        let mixed = vec![assumed(x2, x1), finally(x1, x2)];
        assert_eq!(fault(refuses(&x, model, &closed(unless(mixed)))), EdgeFault::Misplaced);
        // What is supposed ends with the reason.
        let mut beyond = closed(unless(right.clone()));
        let Refutation::Cycle(cycle) = &mut beyond.refutation else { unreachable!() };
        cycle.edges[1] = assumed(x2, x1);
        assert_eq!(fault(refuses(&x, model, &beyond)), EdgeFault::NotAssumed);
    }
    for model in [Model::Ra, Model::Sra, Model::Relaxed, Model::Sc, Model::Tso] {
        assert_eq!(fault(refuses(&x, model, &closed(unless(right.clone())))), EdgeFault::Misplaced);
    }
}

/// Where every event is seq_cst, what refutes sc will do.
#[test]
fn a_violation_of_sc_where_every_event_is_seq_cst() {
    let x = history(&SB);
    let [wx, ry, wy, rx] = events(&x);
    let init = |write| after_init(&x, write);
    let edges = vec![po(wx, ry), fr(ry, init(wy)), po(wy, rx), fr(rx, init(wx))];
    let of_sc = cycle(Axiom::Sequential, edges);
    let weaker =
        history(&[&[sc(Op::write(X, 1)), sc(Op::read(Y, 0))], &[sc(Op::write(Y, 1)), Op::read(X, 0)]]);
    accepts(&x, Model::Sc, &of_sc);
    accepts(&weaker, Model::Sc, &of_sc);
    for model in MODELS {
        accepts(&x, model, &of_sc);
        refuses(&weaker, model, &of_sc);
        let mut spoilt = of_sc.clone();
        let Refutation::Cycle(cycle) = &mut spoilt.refutation else { unreachable!() };
        cycle.edges.pop();
        assert!(matches!(refuses(&x, model, &spoilt), Refusal::OtherEnd { .. }));
    }
}

/// A later write of the thread continues a release sequence of rc11, also through RMWs.
#[test]
fn release_sequences_of_rc11() {
    let writer = [Op::write(X, 1), rel(Op::write(Y, 1)), Op::write(Y, 2)];
    let x = history(&[&writer, &[Op::rmw(Y, 2, 3)], &[acq(Op::read(Y, 3)), Op::read(X, 0)]]);
    let [data, head, later, u, see, miss] = events(&x);
    let stale = |write| {
        let path = vec![po(data, head), edge(head, see, Because::Sw { write, read: see }), po(see, miss)];
        let back = read(data, x.init_write(X), miss, path);
        cycle(Axiom::ReadCoherence, vec![after_init(&x, data), back])
    };
    accepts(&x, Model::Rc11, &stale(head));
    let fault_of = |model, write| fault(refuses(&x, model, &stale(write)));
    assert!(matches!(fault_of(Model::Rc20, head), EdgeFault::NotInReleaseSequence { .. }));
    for write in [later, u, data] {
        assert!(matches!(fault_of(Model::Rc11, write), EdgeFault::NotReleasedBy(_)));
    }
    // A write of another thread, one of another location, and a non-atomic one continue nothing.
    let others: [&[&[Op]]; 3] = [
        &[&writer[..2], &[Op::write(Y, 2), Op::rmw(Y, 2, 3)], &[acq(Op::read(Y, 3)), Op::read(X, 0)]],
        &[
            &[Op::write(X, 1), rel(Op::write(Y, 1)), Op::write(X, 2)],
            &[],
            &[acq(Op::read(X, 2)), Op::read(X, 0)],
        ],
        &[
            &[writer[0], writer[1], writer[2].order(Order::NonAtomic)],
            &[],
            &[acq(Op::read(Y, 2)), Op::read(X, 0)],
        ],
    ];
    for threads in others {
        let x = history(threads);
        let (see, miss) = (event(&x, 2, 0), event(&x, 2, 1));
        let path =
            vec![po(data, head), edge(head, see, Because::Sw { write: head, read: see }), po(see, miss)];
        let stale =
            cycle(Axiom::ReadCoherence, vec![after_init(&x, data), read(data, x.init_write(X), miss, path)]);
        let refusal = refuses(&x, Model::Rc11, &stale);
        assert!(matches!(fault(refusal), EdgeFault::NotInReleaseSequence { .. }));
    }
}
