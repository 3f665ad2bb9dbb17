use super::*;

/// Message passing, refuted in ra: the data is before the initial write in mo, and after it.
struct MessagePassing {
    x: Execution,
    init: EventId,
    data: EventId,
    flag: EventId,
    see: EventId,
    miss: EventId,
}

impl MessagePassing {
    fn new() -> Self {
        let x = message_passing();
        let init = x.init_write(X);
        let [data, flag, see, miss] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
        MessagePassing { x, init, data, flag, see, miss }
    }

    fn after_init(&self) -> Edge {
        coherence(self.init, self.data, vec![po(self.init, self.data)])
    }

    fn path(&self, middle: Because) -> Vec<Edge> {
        vec![po(self.data, self.flag), edge(self.flag, self.see, middle), po(self.see, self.miss)]
    }

    fn sw(&self) -> Because {
        Because::Sw { write: self.flag, read: self.see }
    }

    fn violation(&self, middle: Because) -> Violation {
        let before_init = read(self.data, self.init, self.miss, self.path(middle));
        cycle(Axiom::ReadCoherence, vec![self.after_init(), before_init])
    }
}

#[test]
fn message_passing_is_refuted_by_the_edges_of_each_model() {
    let mp = MessagePassing::new();
    for model in [Model::Ra, Model::Sra] {
        accepts(&mp.x, model, &mp.violation(Because::Rf));
        assert_eq!(fault(refuses(&mp.x, model, &mp.violation(mp.sw()))), EdgeFault::Misplaced);
    }
    accepts(&mp.x, Model::Rc20, &mp.violation(mp.sw()));
    assert_eq!(fault(refuses(&mp.x, Model::Rc20, &mp.violation(Because::Rf))), EdgeFault::Misplaced);
    for middle in [Because::Rf, mp.sw()] {
        assert_eq!(
            fault(refuses(&mp.x, Model::Relaxed, &mp.violation(middle.clone()))),
            EdgeFault::Misplaced
        );
        assert_eq!(fault(refuses(&mp.x, Model::Wra, &mp.violation(middle))), EdgeFault::NoMo(Model::Wra));
    }
}

#[test]
fn a_spoilt_cycle_is_refused() {
    let mp = MessagePassing::new();
    let right = mp.violation(Because::Rf);
    let spoilt = |spoil: &dyn Fn(&mut Violation, &mut Vec<Edge>)| {
        let mut violation = right.clone();
        let Refutation::Cycle(cycle) = &mut violation.refutation else { unreachable!() };
        let mut edges = std::mem::take(&mut cycle.edges);
        spoil(&mut violation, &mut edges);
        let Refutation::Cycle(cycle) = &mut violation.refutation else { unreachable!() };
        cycle.edges = edges;
        refuses(&mp.x, Model::Ra, &violation)
    };
    let path = |edges: &mut Vec<Edge>, spoil: &dyn Fn(&mut Vec<Edge>)| match &mut edges[1].because {
        Because::Read { path, .. } => spoil(path),
        _ => unreachable!(),
    };

    for axiom in Axiom::ALL {
        if ![Axiom::ReadCoherence, Axiom::WriteCoherence].contains(&axiom) {
            assert_eq!(spoilt(&|v, _| v.axiom = axiom), Refusal::NotInvolved { axiom });
        }
    }
    assert_eq!(spoilt(&|_, edges| edges.clear()), Refusal::EmptyCycle);
    for i in 0..2 {
        assert!(matches!(spoilt(&|_, edges| drop(edges.remove(i))), Refusal::OtherEnd { .. }));
    }
    assert!(matches!(spoilt(&|_, edges| edges[1] = edges[0].clone()), Refusal::Gap { .. }));
    for i in 0..3 {
        let refusal = spoilt(&|_, edges| path(edges, &|path| drop(path.remove(i))));
        assert!(matches!(refusal, Refusal::Gap { .. } | Refusal::OtherEnd { .. }), "{refusal}");
    }
    let empty = spoilt(&|_, edges| path(edges, &|path| path.clear()));
    assert!(matches!(empty, Refusal::OtherEnd { .. }));
    let not_po = spoilt(&|_, edges| path(edges, &|path| path[1].because = Because::Po));
    assert_eq!(fault(not_po), EdgeFault::NotPo);
    let not_rf = spoilt(&|_, edges| path(edges, &|path| path[0].because = Because::Rf));
    assert_eq!(fault(not_rf), EdgeFault::NotRf);
    let mo_in_path = spoilt(&|_, edges| path(edges, &|path| path[0].because = Because::Chain));
    assert_eq!(fault(mo_in_path), EdgeFault::Misplaced);
    let backward = spoilt(&|_, edges| path(edges, &|path| path[0] = po(mp.flag, mp.data)));
    assert_eq!(fault(backward), EdgeFault::NotPo);
    // A read of something else, and a read that is none.
    for other in [mp.see, mp.data] {
        let refusal = spoilt(&|_, edges| {
            let Because::Read { read, .. } = &mut edges[1].because else { unreachable!() };
            *read = other;
        });
        assert!(matches!(fault(refusal), EdgeFault::NotReadFrom(_)));
    }
    // Every other reason for either edge.
    let reasons = [
        (Because::Po, EdgeFault::NotPo),
        (Because::Rf, EdgeFault::NotRf),
        (Because::Chain, EdgeFault::NotChain),
        (Because::Final, EdgeFault::NotFinal),
        (Because::Assumed, EdgeFault::NotAssumed),
        (Because::Lemma(0), EdgeFault::NoLemma(0)),
        (Because::Coherence { path: vec![] }, EdgeFault::EmptyPath),
    ];
    for (because, expected) in reasons {
        assert_eq!(fault(spoilt(&|_, edges| edges[1].because = because.clone())), expected);
    }
    // mo is between distinct writes of one location.
    for to in [mp.init, mp.flag, mp.see, mp.x.init_write(Y)] {
        let refusal = spoilt(&|_, edges| edges[0].to = to);
        assert_eq!(fault(refusal), EdgeFault::NotWritesOfOneLocation);
    }
}

#[test]
fn unknown_events_are_refused_wherever_they_stand() {
    let mp = MessagePassing::new();
    let e = mp.data;
    for id in [mp.x.len() as u32 + 2, u32::MAX - 1, u32::MAX] {
        let unknown = EventId(id);
        let path = || vec![po(unknown, e)];
        let reasons = |from, to| {
            [
                Because::Po,
                Because::Rf,
                Because::Sw { write: e, read: e },
                Because::Chain,
                Because::Coherence { path: path() },
                Because::Read { read: mp.miss, path: path() },
                Because::Atomic { premise: Box::new(edge(from, to, Because::Chain)) },
                Because::Final,
                Because::Assumed,
                Because::Lemma(0),
            ]
        };
        let mut refutations = vec![
            Refutation::SharedSource { write: unknown, rmws: [e, e] },
            Refutation::SharedSource { write: e, rmws: [e, unknown] },
            Refutation::Overwritten { read: unknown, by: e, before: vec![], after: vec![] },
            Refutation::Overwritten { read: mp.miss, by: unknown, before: vec![], after: vec![] },
            Refutation::Overwritten { read: mp.miss, by: e, before: path(), after: path() },
        ];
        for (from, to) in [(unknown, e), (e, unknown), (unknown, unknown)] {
            let empty = || Box::new(Refutation::Cycle(Cycle::default()));
            refutations.push(Refutation::Split {
                first: from,
                second: to,
                forward: empty(),
                backward: empty(),
            });
            for because in reasons(from, to) {
                let edge = edge(from, to, because);
                refutations.push(Refutation::Cycle(Cycle { lemmas: vec![], edges: vec![edge.clone()] }));
                refutations.push(Refutation::Cycle(Cycle { lemmas: vec![edge], edges: vec![] }));
            }
        }
        for (from, to) in [(mp.init, e), (e, mp.init)] {
            let sw = Because::Sw { write: unknown, read: mp.see };
            let premise = Box::new(edge(unknown, to, Because::Chain));
            let reasons = [
                Because::Coherence { path: path() },
                Because::Coherence { path: vec![edge(mp.flag, mp.see, sw)] },
                Because::Coherence { path: vec![edge(unknown, e, Because::Final)] },
                Because::Read { read: unknown, path: path() },
                Because::Fr { premise: premise.clone() },
                Because::Seen { observer: unknown, read: e, path: path() },
                Because::Seen { observer: e, read: unknown, path: path() },
                Because::Ppo,
                Because::PoLoc,
                Because::Dep,
                Because::Atomic { premise },
                Because::Lemma(usize::MAX),
            ];
            let cycles =
                reasons.map(|because| Cycle { lemmas: vec![], edges: vec![edge(from, to, because)] });
            refutations.extend(cycles.map(Refutation::Cycle));
        }
        for refutation in refutations {
            for model in Model::ALL {
                for axiom in Axiom::ALL {
                    refuses(&mp.x, model, &Violation { axiom, refutation: refutation.clone() });
                }
            }
        }
    }
}

#[test]
fn synchronization_must_be_as_defined() {
    // A release fence, a chain of two RMWs, an acquire fence.
    let x = history(&[
        &[Op::write(X, 1), Op::fence(Order::Release), Op::write(Y, 1)],
        &[Op::rmw(Y, 1, 2), Op::rmw(Y, 2, 3)],
        &[Op::read(Y, 3), Op::fence(Order::Acquire), Op::read(X, 0)],
    ]);
    let init = x.init_write(X);
    let [data, release, flag] = [0, 1, 2].map(|i| event(&x, 0, i));
    let [step, second] = [0, 1].map(|i| event(&x, 1, i));
    let [see, acquire, miss] = [0, 1, 2].map(|i| event(&x, 2, i));
    let violation = |from, to, write, read_| {
        let sw = edge(from, to, Because::Sw { write, read: read_ });
        let path = vec![po(data, from), sw, po(to, miss)];
        let before_init = read(data, init, miss, path);
        cycle(Axiom::ReadCoherence, vec![coherence(init, data, vec![po(init, data)]), before_init])
    };
    let refused = |from, to, write, read| fault(refuses(&x, Model::Rc20, &violation(from, to, write, read)));
    accepts(&x, Model::Rc20, &violation(release, acquire, flag, see));
    assert_eq!(refused(flag, acquire, flag, see), EdgeFault::NotRelease);
    assert_eq!(refused(release, see, flag, see), EdgeFault::NotAcquire);
    assert!(matches!(refused(release, acquire, step, see), EdgeFault::NotReleasedBy(_)));
    assert!(matches!(refused(release, acquire, data, see), EdgeFault::NotReleasedBy(_)));
    assert!(matches!(refused(release, acquire, release, see), EdgeFault::NotReleasedBy(_)));
    assert!(matches!(refused(release, acquire, flag, miss), EdgeFault::NotAcquiredBy(_)));
    assert!(matches!(refused(release, acquire, flag, second), EdgeFault::NotAcquiredBy(_)));
    assert!(matches!(refused(release, acquire, flag, acquire), EdgeFault::NotAcquiredBy(_)));

    // A plain write ends the release sequence.
    let x = history(&[&[rel(Op::write(Y, 1)), Op::write(Y, 2)], &[acq(Op::read(Y, 2))]]);
    let (head, next, see) = (event(&x, 0, 0), event(&x, 0, 1), event(&x, 1, 0));
    let sw = edge(head, see, Because::Sw { write: head, read: see });
    let violation = cycle(Axiom::ReadCoherence, vec![read(head, next, see, vec![sw])]);
    let refused = fault(refuses(&x, Model::Rc20, &violation));
    assert!(matches!(refused, EdgeFault::NotInReleaseSequence { .. }));

    // What is not atomic synchronizes with nothing, not even by way of fences.
    for (write_order, read_order) in [(Order::NonAtomic, Order::Relaxed), (Order::Relaxed, Order::NonAtomic)]
    {
        let x = history(&[
            &[Op::write(X, 1), Op::fence(Order::Release), Op::write(Y, 1).order(write_order)],
            &[Op::read(Y, 1).order(read_order), Op::fence(Order::Acquire), Op::read(X, 0)],
        ]);
        let ([data, release, flag], [see, acquire, miss]) =
            ([0, 1, 2].map(|i| event(&x, 0, i)), [0, 1, 2].map(|i| event(&x, 1, i)));
        let init = x.init_write(X);
        let sw = edge(release, acquire, Because::Sw { write: flag, read: see });
        let before_init = read(data, init, miss, vec![po(data, release), sw, po(acquire, miss)]);
        let mo = coherence(init, data, vec![po(init, data)]);
        let refused = fault(refuses(&x, Model::Rc20, &cycle(Axiom::ReadCoherence, vec![mo, before_init])));
        match write_order {
            Order::NonAtomic => assert!(matches!(refused, EdgeFault::NotReleasedBy(_))),
            _ => assert!(matches!(refused, EdgeFault::NotAcquiredBy(_))),
        }
    }
}

#[test]
fn coherence_of_one_location_in_every_model_with_mo() {
    // T0 and T1 disagree on the order of the writes: an rf edge and then hb lead to the other read.
    let x = history(&[
        &[Op::write(X, 1)],
        &[Op::write(X, 2)],
        &[Op::read(X, 1), Op::read(X, 2)],
        &[Op::read(X, 2), Op::read(X, 1)],
    ]);
    let [one, two] = [0, 1].map(|t| event(&x, t, 0));
    let reads = |t| [0, 1].map(|i| event(&x, t, i));
    let ([a, b], [c, d]) = (reads(2), reads(3));
    let violation = cycle(
        Axiom::ReadCoherence,
        vec![read(one, two, b, vec![rf(one, a), po(a, b)]), read(two, one, d, vec![rf(two, c), po(c, d)])],
    );
    for model in MO_MODELS {
        accepts(&x, model, &violation);
    }
    refuses(&x, Model::Wra, &violation);
    // rf alone is not in the past of a read that reads from something else.
    let short = cycle(Axiom::ReadCoherence, vec![read(one, two, a, vec![rf(one, a)])]);
    assert!(matches!(fault(refuses(&x, Model::Relaxed, &short)), EdgeFault::NotReadFrom(_)));
}

#[test]
fn cycles_of_po_and_rf_in_every_model() {
    let x = history(&[&[Op::read(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::write(X, 1)]]);
    let [a, b, c, d] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
    let edges = vec![po(a, b), rf(b, c), po(c, d), rf(d, a)];
    for model in C11_MODELS {
        accepts(&x, model, &cycle(Axiom::PoRf, edges.clone()));
        for axiom in Axiom::ALL.into_iter().filter(|&axiom| axiom != Axiom::PoRf) {
            let refusal = refuses(&x, model, &cycle(axiom, edges.clone()));
            assert_eq!(refusal, Refusal::NotInvolved { axiom });
        }
        for i in 0..4 {
            let mut broken = edges.clone();
            broken.remove(i);
            refuses(&x, model, &cycle(Axiom::PoRf, broken));
            let mut relabeled = edges.clone();
            relabeled[i].because = if i % 2 == 0 { Because::Rf } else { Because::Po };
            refuses(&x, model, &cycle(Axiom::PoRf, relabeled));
        }
    }
    // Program order does not lead to an initial write, nor from one to another.
    let inits = [x.init_write(X), x.init_write(Y)];
    for [from, to] in [[a, inits[0]], [inits[0], inits[1]], [inits[0], inits[0]], [a, a]] {
        let refusal = refuses(&x, Model::Ra, &cycle(Axiom::PoRf, vec![po(from, to), po(to, from)]));
        assert_eq!(fault(refusal), EdgeFault::NotPo);
    }
}

#[test]
fn an_rmw_that_reads_from_itself() {
    let x = history(&[&[Op::rmw(X, 1, 1)]]);
    let e = event(&x, 0, 0);
    for model in C11_MODELS {
        accepts(&x, model, &cycle(Axiom::PoRf, vec![rf(e, e)]));
        refuses(&x, model, &cycle(Axiom::PoRf, vec![po(e, e)]));
    }
    let chain = cycle(Axiom::WriteCoherence, vec![edge(e, e, Because::Chain)]);
    assert_eq!(fault(refuses(&x, Model::Ra, &chain)), EdgeFault::NotWritesOfOneLocation);
    let chain = cycle(Axiom::WriteCoherence, vec![edge(x.init_write(X), e, Because::Chain)]);
    assert_eq!(fault(refuses(&x, Model::Ra, &chain)), EdgeFault::NotChain);
}

#[test]
fn two_rmws_with_one_source() {
    let x = history(&[&[Op::rmw(X, 0, 1)], &[Op::rmw(X, 0, 2)], &[Op::read(X, 0), Op::rmw(X, 2, 3)]]);
    let init = x.init_write(X);
    let [one, two] = [0, 1].map(|t| event(&x, t, 0));
    let [plain, three] = [0, 1].map(|i| event(&x, 2, i));
    let violation =
        |axiom, write, rmws| Violation { axiom, refutation: Refutation::SharedSource { write, rmws } };
    for model in C11_MODELS {
        let (right, wrong) = match model {
            Model::Wra => (Axiom::WeakAtomicity, Axiom::Atomicity),
            _ => (Axiom::Atomicity, Axiom::WeakAtomicity),
        };
        accepts(&x, model, &violation(right, init, [one, two]));
        let refusal = refuses(&x, model, &violation(wrong, init, [one, two]));
        assert_eq!(refusal, Refusal::NotInvolved { axiom: wrong });
        for (write, rmws) in
            [(init, [one, one]), (init, [one, plain]), (init, [one, three]), (two, [one, two])]
        {
            let refusal = refuses(&x, model, &violation(right, write, rmws));
            assert!(matches!(refusal, Refusal::NoSharedSource { .. }));
        }
    }
}

#[test]
fn overwritten_writes_are_for_wra() {
    let mp = MessagePassing::new();
    let violation = |read, by, before: &[Edge], after: &[Edge]| Violation {
        axiom: Axiom::WeakReadCoherence,
        refutation: Refutation::Overwritten { read, by, before: before.to_vec(), after: after.to_vec() },
    };
    let (before, after) = ([po(mp.init, mp.data)], mp.path(Because::Rf));
    let right = violation(mp.miss, mp.data, &before, &after);
    accepts(&mp.x, Model::Wra, &right);
    for model in MO_MODELS {
        assert!(matches!(refuses(&mp.x, model, &right), Refusal::OtherRefutation { .. }));
    }
    let refused = |violation: Violation| refuses(&mp.x, Model::Wra, &violation);
    for axiom in Axiom::ALL.into_iter().filter(|&axiom| axiom != Axiom::WeakReadCoherence) {
        assert_eq!(refused(Violation { axiom, ..right.clone() }), Refusal::NotInvolved { axiom });
    }
    assert!(matches!(refused(violation(mp.miss, mp.data, &[], &after)), Refusal::EmptyPath { .. }));
    assert!(matches!(refused(violation(mp.miss, mp.data, &before, &[])), Refusal::EmptyPath { .. }));
    assert!(matches!(refused(violation(mp.miss, mp.data, &before, &after[1..])), Refusal::Gap { .. }));
    assert!(matches!(refused(violation(mp.miss, mp.data, &before, &after[..2])), Refusal::OtherEnd { .. }));
    for by in [mp.init, mp.flag, mp.see] {
        assert!(matches!(refused(violation(mp.miss, by, &before, &after)), Refusal::NotOverwritten { .. }));
    }
    assert!(matches!(refused(violation(mp.flag, mp.data, &before, &after)), Refusal::NotOverwritten { .. }));
    let with_sw = violation(mp.miss, mp.data, &before, &mp.path(mp.sw()));
    assert_eq!(fault(refused(with_sw)), EdgeFault::Misplaced);

    // An RMW does not overwrite its own source.
    let x = history(&[&[Op::write(X, 1), Op::rmw(X, 1, 2)]]);
    let [write, rmw] = [0, 1].map(|i| event(&x, 0, i));
    let refutation =
        Refutation::Overwritten { read: rmw, by: rmw, before: vec![rf(write, rmw)], after: vec![] };
    let refusal = refuses(&x, Model::Wra, &Violation { axiom: Axiom::WeakReadCoherence, refutation });
    assert!(matches!(refusal, Refusal::EmptyPath { .. }));
}

/// `one` is after the initial write and before the RMW that reads from it, of which the chain goes on.
struct Chained {
    x: Execution,
    init: EventId,
    one: EventId,
    rmws: [EventId; 3],
}

impl Chained {
    fn new() -> Self {
        let x = history(&[
            &[Op::write(X, 1)],
            &[Op::rmw(X, 0, 2), Op::rmw(X, 2, 3), Op::rmw(X, 3, 4)],
            &[Op::read(X, 1), Op::read(X, 3)],
        ]);
        let one = event(&x, 0, 0);
        let rmws = [0, 1, 2].map(|i| event(&x, 1, i));
        Chained { init: x.init_write(X), one, rmws, x }
    }

    /// mo(one, the second RMW), by the reads of the third thread.
    fn read(&self) -> Edge {
        let [a, b] = [0, 1].map(|i| event(&self.x, 2, i));
        read(self.one, self.rmws[1], b, vec![rf(self.one, a), po(a, b)])
    }

    fn after_init(&self) -> Edge {
        coherence(self.init, self.one, vec![po(self.init, self.one)])
    }
}

fn atomic(from: EventId, to: EventId, premise: Edge) -> Edge {
    edge(from, to, Because::Atomic { premise: Box::new(premise) })
}

#[test]
fn atomicity_carries_mo_along_rmws() {
    let c = Chained::new();
    let [two, three, four] = c.rmws;
    for model in MO_MODELS {
        let violation = |last| cycle(Axiom::Atomicity, vec![c.after_init(), last]);
        accepts(&c.x, model, &violation(atomic(c.one, c.init, c.read())));
        // In two steps, and down the chain from the initial write.
        accepts(&c.x, model, &violation(atomic(c.one, c.init, atomic(c.one, two, c.read()))));
        let down = atomic(four, c.one, c.after_init());
        let up = atomic(c.one, two, c.read());
        let chain = edge(two, four, Because::Chain);
        accepts(&c.x, model, &cycle(Axiom::Atomicity, vec![down, up, chain]));

        // The walk goes the other way, meets the other end, or leaves the chain.
        let chain = |from, to| edge(from, to, Because::Chain);
        for (from, to, premise) in [
            (c.one, four, c.read()),
            (c.init, three, c.read()),
            (three, two, chain(c.init, three)),
            (three, c.init, chain(two, three)),
            (two, c.init, chain(two, three)),
            (four, two, chain(c.init, three)),
            (four, three, chain(two, three)),
            (two, c.init, chain(c.init, three)),
        ] {
            let refusal = refuses(&c.x, model, &violation(atomic(from, to, premise)));
            assert!(matches!(fault(refusal), EdgeFault::NotCarried { .. }));
        }
        for not_mo in [po(c.init, c.one), rf(c.init, two)] {
            let (from, to) = (not_mo.from, not_mo.to);
            let refusal = refuses(&c.x, model, &violation(atomic(from, to, not_mo)));
            assert_eq!(fault(refusal), EdgeFault::NotMo);
        }
    }
}

#[test]
fn chains_follow_rmws_only() {
    let c = Chained::new();
    let [two, three, four] = c.rmws;
    let violation = |from, to| {
        let back = read(c.one, three, event(&c.x, 2, 1), Vec::new());
        cycle(Axiom::WriteCoherence, vec![edge(from, to, Because::Chain), back])
    };
    for (from, to) in [(three, two), (four, c.init), (c.one, two), (c.init, c.one), (c.one, c.init)] {
        assert_eq!(fault(refuses(&c.x, Model::Relaxed, &violation(from, to))), EdgeFault::NotChain);
    }
}

#[test]
fn lemmas_are_earlier_and_say_the_same() {
    let c = Chained::new();
    let (two, three) = (c.rmws[0], c.rmws[1]);
    let lemma = |from, to, i| edge(from, to, Because::Lemma(i));
    let violation = |lemmas: Vec<Edge>, edges: Vec<Edge>| Violation {
        axiom: Axiom::Atomicity,
        refutation: Refutation::Cycle(Cycle { lemmas, edges }),
    };
    let up = || atomic(c.one, two, lemma(c.one, three, 0));
    let lemmas = || vec![c.read(), up()];
    let edges = || vec![c.after_init(), atomic(c.one, c.init, lemma(c.one, two, 1))];
    accepts(&c.x, Model::Ra, &violation(lemmas(), edges()));

    let refused = |lemmas, edges| fault(refuses(&c.x, Model::Ra, &violation(lemmas, edges)));
    assert_eq!(refused(vec![up(), c.read()], edges()), EdgeFault::NoLemma(0));
    assert_eq!(refused(vec![c.read()], edges()), EdgeFault::NoLemma(1));
    assert_eq!(refused(vec![c.read(), c.read()], edges()), EdgeFault::OtherLemma(1));
    assert_eq!(refused(vec![lemma(c.one, three, 0)], edges()), EdgeFault::NoLemma(0));
    assert_eq!(refused(vec![rf(c.init, two)], edges()), EdgeFault::NotMo);
    assert_eq!(refused(vec![po(c.init, c.one)], edges()), EdgeFault::NotMo);
}

#[test]
fn final_writes_are_last() {
    let x = with_finals(&[&[Op::write(X, 1), Op::write(X, 2)]], &[(X, 1)]);
    let [one, two] = [0, 1].map(|i| event(&x, 0, i));
    let last = edge(two, one, Because::Final);
    let after = coherence(one, two, vec![po(one, two)]);
    for model in MO_MODELS {
        accepts(&x, model, &cycle(Axiom::FinalValue, vec![last.clone(), after.clone()]));
        let other = edge(x.init_write(X), two, Because::Final);
        let refusal = refuses(&x, model, &cycle(Axiom::FinalValue, vec![other]));
        assert_eq!(fault(refusal), EdgeFault::NotFinal);
    }
    let without = history(&[&[Op::write(X, 1), Op::write(X, 2)]]);
    let refusal = refuses(&without, Model::Ra, &cycle(Axiom::FinalValue, vec![last, after]));
    assert_eq!(fault(refusal), EdgeFault::NotFinal);
}

/// 2+2W with reads that fix the other order of each location: only sra forbids it.
struct TwoPlusTwo {
    x: Execution,
    x1: EventId,
    y2: EventId,
    y1: EventId,
    x2: EventId,
}

impl TwoPlusTwo {
    fn new() -> Self {
        let x = history(&[
            &[Op::write(X, 1), Op::write(Y, 2), Op::read(Y, 1)],
            &[Op::write(Y, 1), Op::write(X, 2), Op::read(X, 1)],
        ]);
        let [x1, y2, y1, x2] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, i)| event(&x, t, i));
        TwoPlusTwo { x, x1, y2, y1, x2 }
    }

    fn y2_y1(&self) -> Edge {
        let r = event(&self.x, 0, 2);
        read(self.y2, self.y1, r, vec![po(self.y2, r)])
    }

    fn x2_x1(&self) -> Edge {
        let r = event(&self.x, 1, 2);
        read(self.x2, self.x1, r, vec![po(self.x2, r)])
    }
}

#[test]
fn sra_mixes_mo_with_the_history() {
    let h = TwoPlusTwo::new();
    let mixed = vec![po(h.x1, h.y2), h.y2_y1(), po(h.y1, h.x2), h.x2_x1()];
    accepts(&h.x, Model::Sra, &cycle(Axiom::StrongWriteCoherence, mixed.clone()));
    for model in [Model::Ra, Model::Rc20, Model::Relaxed] {
        let violation = cycle(Axiom::ReadCoherence, mixed.clone());
        assert_eq!(fault(refuses(&h.x, model, &violation)), EdgeFault::Misplaced);
    }

    // The same by an ordering path through a lemma.
    let lemma = edge(h.y2, h.y1, Because::Lemma(0));
    let path = || vec![po(h.x1, h.y2), lemma.clone(), po(h.y1, h.x2)];
    let by_lemma = |path| Violation {
        axiom: Axiom::StrongWriteCoherence,
        refutation: Refutation::Cycle(Cycle {
            lemmas: vec![h.y2_y1()],
            edges: vec![coherence(h.x1, h.x2, path), h.x2_x1()],
        }),
    };
    accepts(&h.x, Model::Sra, &by_lemma(path()));
    for model in [Model::Ra, Model::Rc20, Model::Relaxed] {
        assert_eq!(fault(refuses(&h.x, model, &by_lemma(path()))), EdgeFault::Misplaced);
    }
    let mut inlined = path();
    inlined[1] = h.y2_y1();
    assert_eq!(fault(refuses(&h.x, Model::Sra, &by_lemma(inlined))), EdgeFault::Misplaced);
    let mut assumed = path();
    assumed[1].because = Because::Assumed;
    assert_eq!(fault(refuses(&h.x, Model::Sra, &by_lemma(assumed))), EdgeFault::NotAssumed);

    // The path of a read is one of hb alone.
    let r = event(&h.x, 1, 2);
    let through_mo = read(h.x2, h.x1, r, vec![lemma, po(h.y1, r)]);
    let violation = Violation {
        axiom: Axiom::ReadCoherence,
        refutation: Refutation::Cycle(Cycle { lemmas: vec![h.y2_y1()], edges: vec![through_mo] }),
    };
    assert_eq!(fault(refuses(&h.x, Model::Sra, &violation)), EdgeFault::Misplaced);
}

#[test]
fn a_split_needs_both_cases() {
    let h = TwoPlusTwo::new();
    let assumed = |from, to| edge(from, to, Because::Assumed);
    let leaf = |edges| Refutation::Cycle(Cycle { lemmas: vec![], edges });
    // mo(y1, y2) goes against the read of T0; mo(y2, y1) closes the cycle through x.
    let forward = || leaf(vec![assumed(h.y1, h.y2), h.y2_y1()]);
    let backward = || leaf(vec![po(h.x1, h.y2), assumed(h.y2, h.y1), po(h.y1, h.x2), h.x2_x1()]);
    let split = |first, second, forward, backward| Violation {
        axiom: Axiom::StrongWriteCoherence,
        refutation: Refutation::Split {
            first,
            second,
            forward: Box::new(forward),
            backward: Box::new(backward),
        },
    };
    accepts(&h.x, Model::Sra, &split(h.y1, h.y2, forward(), backward()));
    accepts(&h.x, Model::Sra, &split(h.y2, h.y1, backward(), forward()));
    let refused = |violation: &Violation| refuses(&h.x, Model::Sra, violation);
    assert_eq!(fault(refused(&split(h.y2, h.y1, forward(), backward()))), EdgeFault::NotAssumed);
    assert_eq!(fault(refused(&split(h.x1, h.x2, forward(), backward()))), EdgeFault::NotAssumed);
    assert_eq!(fault(refused(&split(h.y1, h.y2, forward(), forward()))), EdgeFault::NotAssumed);
    assert_eq!(refused(&split(h.y1, h.y2, forward(), leaf(vec![]))), Refusal::EmptyCycle);
    for (first, second) in [(h.y1, h.y1), (h.y1, h.x1), (h.y1, event(&h.x, 0, 2))] {
        let refusal = refused(&split(first, second, forward(), backward()));
        assert!(matches!(refusal, Refusal::NotOrdered { .. }));
    }
    // An assumption ends with its case.
    let nested = split(h.x1, h.x2, split(h.y1, h.y2, forward(), backward()).refutation, backward());
    assert_eq!(fault(refused(&nested)), EdgeFault::NotAssumed);
    let refusal = refuses(&h.x, Model::Wra, &split(h.y1, h.y2, forward(), backward()));
    assert!(matches!(refusal, Refusal::OtherRefutation { .. }));
}

#[test]
fn deep_nesting_is_no_problem() {
    let h = TwoPlusTwo::new();
    let leaf = |edges| Refutation::Cycle(Cycle { lemmas: vec![], edges });
    let contradiction = || leaf(vec![edge(h.y1, h.y2, Because::Assumed), h.y2_y1()]);
    let mut refutation = leaf(vec![po(h.x1, h.y2), h.y2_y1(), po(h.y1, h.x2), h.x2_x1()]);
    for _ in 0..2_000 {
        refutation = Refutation::Split {
            first: h.y1,
            second: h.y2,
            forward: Box::new(contradiction()),
            backward: Box::new(refutation),
        };
    }
    accepts(&h.x, Model::Sra, &Violation { axiom: Axiom::StrongWriteCoherence, refutation });

    let c = Chained::new();
    let mut edge = c.read();
    for _ in 0..2_000 {
        edge = atomic(c.one, c.rmws[1], edge);
    }
    accepts(&c.x, Model::Ra, &cycle(Axiom::Atomicity, vec![c.after_init(), atomic(c.one, c.init, edge)]));
}
