use super::*;
use tribunal_history::verdict::{Limit, ModificationOrder, Unsupported, Verdict, Witness};

fn witness(orders: &[&[EventId]]) -> Witness {
    let mut mo = ModificationOrder::new();
    for order in orders {
        mo.push_location(order.iter().copied());
    }
    Witness::Mo(mo)
}

/// The axiom that refuses mo of x; y has its initial write only.
fn refused_by(x: &Execution, model: Model, order: &[EventId]) -> Option<Axiom> {
    match verify_witness(x, model, &witness(&[order, &[x.init_write(Y)]])) {
        Ok(()) => None,
        Err(Refusal::Broken { axiom, .. }) => Some(axiom),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn mo_must_agree_with_program_order() {
    let x = history(&[&[Op::write(X, 1), Op::write(X, 2)]]);
    let (init, one, two) = (x.init_write(X), event(&x, 0, 0), event(&x, 0, 1));
    for model in MO_MODELS {
        let axiom = if model == Model::Sra { Axiom::StrongWriteCoherence } else { Axiom::WriteCoherence };
        assert_eq!(refused_by(&x, model, &[init, one, two]), None);
        for spoilt in [[init, two, one], [one, init, two], [one, two, init]] {
            assert_eq!(refused_by(&x, model, &spoilt), Some(axiom), "{model} {spoilt:?}");
        }
    }
}

#[test]
fn reads_must_not_go_back_in_mo() {
    let x = history(&[&[Op::write(X, 1)], &[Op::write(X, 2)], &[Op::read(X, 1), Op::read(X, 2)]]);
    let (init, one, two) = (x.init_write(X), event(&x, 0, 0), event(&x, 1, 0));
    for model in MO_MODELS {
        assert_eq!(refused_by(&x, model, &[init, one, two]), None);
        assert_eq!(refused_by(&x, model, &[init, two, one]), Some(Axiom::ReadCoherence));
    }
}

#[test]
fn a_write_follows_what_its_thread_has_read() {
    let x = history(&[&[Op::write(X, 1)], &[Op::read(X, 1), Op::write(X, 2)]]);
    let (init, one, two) = (x.init_write(X), event(&x, 0, 0), event(&x, 1, 1));
    assert_eq!(refused_by(&x, Model::Relaxed, &[init, one, two]), None);
    assert_eq!(refused_by(&x, Model::Relaxed, &[init, two, one]), Some(Axiom::WriteCoherence));
}

#[test]
fn an_rmw_directly_follows_its_source() {
    let x = history(&[&[Op::write(X, 1)], &[Op::rmw(X, 0, 2)], &[Op::write(X, 3)]]);
    let (init, one, rmw, three) = (x.init_write(X), event(&x, 0, 0), event(&x, 1, 0), event(&x, 2, 0));
    for model in MO_MODELS {
        assert_eq!(refused_by(&x, model, &[init, rmw, one, three]), None);
        assert_eq!(refused_by(&x, model, &[init, one, rmw, three]), Some(Axiom::Atomicity));
    }
    let x = history(&[&[Op::write(X, 1)], &[Op::rmw(X, 1, 2)]]);
    let (init, one, rmw) = (x.init_write(X), event(&x, 0, 0), event(&x, 1, 0));
    assert_eq!(refused_by(&x, Model::Relaxed, &[init, one, rmw]), None);
    assert_eq!(refused_by(&x, Model::Relaxed, &[init, rmw, one]), Some(Axiom::WriteCoherence));
    assert_eq!(refused_by(&x, Model::Sra, &[init, rmw, one]), Some(Axiom::StrongWriteCoherence));
}

#[test]
fn the_final_write_is_last() {
    let x = with_finals(&[&[Op::write(X, 1)], &[Op::write(X, 2)]], &[(X, 1)]);
    let (init, one, two) = (x.init_write(X), event(&x, 0, 0), event(&x, 1, 0));
    for model in MO_MODELS {
        assert_eq!(refused_by(&x, model, &[init, two, one]), None);
        assert_eq!(refused_by(&x, model, &[init, one, two]), Some(Axiom::FinalValue));
    }
    let refusal = verify_witness(&x, Model::Wra, &Witness::History);
    assert_eq!(refusal, Err(Refusal::DoesNotApply { model: Model::Wra, why: Unsupported::Finals }));
}

#[test]
fn load_buffering_is_a_cycle_in_every_c11_model() {
    let x = history(&[&[Op::read(X, 1), Op::write(Y, 1)], &[Op::read(Y, 1), Op::write(X, 1)]]);
    let mo = witness(&[&[x.init_write(X), event(&x, 1, 1)], &[x.init_write(Y), event(&x, 0, 1)]]);
    for model in C11_MODELS {
        let witness = if model == Model::Wra { &Witness::History } else { &mo };
        let refusal = verify_witness(&x, model, witness);
        assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::PoRf, .. })), "{model}: {refusal:?}");
    }
    let own_future = history(&[&[Op::read(X, 1), Op::write(X, 1)]]);
    let refusal = verify_witness(&own_future, Model::Wra, &Witness::History);
    assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::PoRf, .. })));
    let itself = history(&[&[Op::rmw(X, 1, 1)]]);
    let refusal = verify_witness(&itself, Model::Wra, &Witness::History);
    assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::PoRf, .. })));
}

#[test]
fn sra_orders_the_writes_of_all_locations_together() {
    // 2+2W
    let x = history(&[&[Op::write(X, 1), Op::write(Y, 2)], &[Op::write(Y, 1), Op::write(X, 2)]]);
    let (x1, y2, y1, x2) = (event(&x, 0, 0), event(&x, 0, 1), event(&x, 1, 0), event(&x, 1, 1));
    let crossed = witness(&[&[x.init_write(X), x2, x1], &[x.init_write(Y), y2, y1]]);
    let straight = witness(&[&[x.init_write(X), x1, x2], &[x.init_write(Y), y2, y1]]);
    for model in [Model::Rc20, Model::Ra, Model::Relaxed] {
        assert_eq!(verify_witness(&x, model, &crossed), Ok(()));
    }
    assert_eq!(verify_witness(&x, Model::Sra, &straight), Ok(()));
    let refusal = verify_witness(&x, Model::Sra, &crossed);
    assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::StrongWriteCoherence, .. })));
}

#[test]
fn mo_lists_each_write_of_each_location_once() {
    let x = history(&[&[Op::write(X, 1), Op::write(Y, 1), Op::read(X, 1), Op::fence(Order::Release)]]);
    let (x0, y0) = (x.init_write(X), x.init_write(Y));
    let (x1, y1, read, fence) = (event(&x, 0, 0), event(&x, 0, 1), event(&x, 0, 2), event(&x, 0, 3));
    let refusal =
        |orders: &[&[EventId]]| verify_witness(&x, Model::Rc20, &witness(orders)).expect_err("spoilt");
    assert_eq!(verify_witness(&x, Model::Rc20, &witness(&[&[x0, x1], &[y0, y1]])), Ok(()));
    assert!(matches!(refusal(&[&[x0, x1], &[y0]]), Refusal::Omitted { event, .. } if event.event == y1));
    assert!(matches!(refusal(&[&[x1], &[y0, y1]]), Refusal::Omitted { event, .. } if event.event == x0));
    assert!(matches!(refusal(&[&[x0, x1, x1], &[y0, y1]]), Refusal::Repeated { .. }));
    for stranger in [y1, y0, read, fence] {
        assert!(matches!(refusal(&[&[x0, x1, stranger], &[y0, y1]]), Refusal::NotAWriteOf { .. }));
    }
    for id in [6, 1000, u32::MAX] {
        let event = EventId(id);
        assert_eq!(refusal(&[&[x0, x1, event], &[y0, y1]]), Refusal::UnknownEvent { event });
    }
    assert_eq!(refusal(&[]), Refusal::LocationCount { given: 0, expected: 2 });
    assert_eq!(refusal(&[&[x0, x1]]), Refusal::LocationCount { given: 1, expected: 2 });
    let empty = Witness::Mo(ModificationOrder::default());
    let refusal = verify_witness(&x, Model::Rc20, &empty);
    assert_eq!(refusal, Err(Refusal::LocationCount { given: 0, expected: 2 }));
}

#[test]
fn the_witness_is_of_the_kind_of_the_model() {
    let x = history(&[&[Op::write(X, 1)]]);
    let mo = witness(&[&[x.init_write(X), event(&x, 0, 0)], &[x.init_write(Y)]]);
    assert_eq!(verify_witness(&x, Model::Wra, &Witness::History), Ok(()));
    let other = |model, mo| Err(Refusal::OtherWitness { model, mo });
    assert_eq!(verify_witness(&x, Model::Wra, &mo), other(Model::Wra, false));
    for model in MO_MODELS {
        assert_eq!(verify_witness(&x, model, &Witness::History), other(model, true));
    }
}

/// Whether rc20 lets the last read of a message-passing history miss the data.
fn misses(threads: &[&[Op]]) -> bool {
    let x = history(threads);
    let mut mo = ModificationOrder::new();
    for loc in x.locations() {
        // In these histories, the order of values is the order of mo.
        let mut writes: Vec<_> =
            x.events().filter(|&e| x.label(e).writes() && x.loc(e) == Some(loc)).collect();
        writes.sort_by_key(|&w| x.value(w));
        mo.push_location(std::iter::once(x.init_write(loc)).chain(writes));
    }
    match verify_witness(&x, Model::Rc20, &Witness::Mo(mo)) {
        Ok(()) => true,
        Err(Refusal::Broken { axiom: Axiom::ReadCoherence, .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn rc20_synchronizes_by_the_orders_given() {
    let data = Op::write(X, 1);
    let miss = Op::read(X, 0);
    let (flag, see) = (Op::write(Y, 1), Op::read(Y, 1));
    let fence = Op::fence;
    let both = Order::AcqRel;

    assert!(!misses(&[&[data, rel(flag)], &[acq(see), miss]]));
    assert!(misses(&[&[data, flag], &[acq(see), miss]]));
    assert!(misses(&[&[data, rel(flag)], &[see, miss]]));
    assert!(misses(&[&[data, flag.order(Order::Acquire)], &[acq(see), miss]]));

    // Fences stand for the order of the accesses after or before them, if they have that order.
    assert!(!misses(&[&[data, fence(Order::Release), flag], &[acq(see), miss]]));
    assert!(!misses(&[&[data, rel(flag)], &[see, fence(Order::Acquire), miss]]));
    assert!(!misses(&[&[data, fence(both), flag], &[see, fence(both), miss]]));
    assert!(misses(&[&[data, fence(Order::Acquire), flag], &[acq(see), miss]]));
    assert!(misses(&[&[data, rel(flag)], &[see, fence(Order::Release), miss]]));
    assert!(misses(&[&[fence(Order::Release), data, flag], &[acq(see), miss]]));
    assert!(misses(&[&[data, rel(flag)], &[fence(Order::Acquire), see, miss]]));
    assert!(misses(&[&[data, rel(flag)], &[see, miss, fence(Order::Acquire)]]));

    // A release sequence goes on through RMWs of any order, but not through a write.
    let step = Op::rmw(Y, 1, 2);
    let see = Op::read(Y, 2);
    assert!(!misses(&[&[data, rel(flag)], &[step], &[acq(see), miss]]));
    assert!(!misses(&[&[data, fence(Order::Release), flag], &[step], &[see, fence(Order::Acquire), miss]]));
    assert!(!misses(&[&[data, rel(flag)], &[rel(step)], &[acq(see), miss]]));
    assert!(!misses(&[&[data, rel(flag)], &[fence(Order::Release), step], &[acq(see), miss]]));
    assert!(misses(&[&[data, rel(flag), Op::write(Y, 2)], &[acq(see), miss]]));
    // The middle thread synchronizes by its acquire, and then on.
    assert!(!misses(&[&[data, rel(flag)], &[acq(Op::read(Y, 1)), rel(Op::write(Y, 2))], &[acq(see), miss]]));
    assert!(misses(&[&[data, rel(flag)], &[Op::read(Y, 1), rel(Op::write(Y, 2))], &[acq(see), miss]]));

    // A fence before the data, a release after it, and the sequence comes back through the same thread.
    let back = Op::rmw(Y, 2, 3);
    let own = [fence(Order::Release), data, rel(flag), back];
    assert!(!misses(&[&own, &[step], &[acq(Op::read(Y, 3)), miss]]));
}

#[test]
fn a_relaxed_write_between_threads_orders_nothing_in_rc20_but_in_ra() {
    let x = message_passing();
    let mo = witness(&[&[x.init_write(X), event(&x, 0, 0)], &[x.init_write(Y), event(&x, 0, 1)]]);
    for model in [Model::Rc20, Model::Ra, Model::Sra] {
        let refusal = verify_witness(&x, model, &mo);
        assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::ReadCoherence, .. })), "{model}");
    }
    assert_eq!(verify_witness(&x, Model::Relaxed, &mo), Ok(()));
}

#[test]
fn wra_refuses_overwritten_writes() {
    let refused_by =
        |threads: &[&[Op]]| match verify_witness(&history(threads), Model::Wra, &Witness::History) {
            Ok(()) => None,
            Err(Refusal::Broken { axiom, .. }) => Some(axiom),
            Err(other) => panic!("{other}"),
        };
    let (one, two) = (Op::write(X, 1), Op::write(X, 2));
    assert_eq!(refused_by(&[&[one, Op::read(X, 0)]]), Some(Axiom::WeakReadCoherence));
    assert_eq!(refused_by(&[&[one, two, Op::read(X, 1)]]), Some(Axiom::WeakReadCoherence));
    assert_eq!(refused_by(&[&[one, two], &[Op::read(X, 2), Op::read(X, 1)]]), Some(Axiom::WeakReadCoherence));
    assert_eq!(refused_by(&[&[one], &[two], &[Op::read(X, 2), Op::read(X, 1), Op::read(X, 2)]]), None);
    assert_eq!(refused_by(&[&[one, Op::rmw(X, 1, 2)], &[Op::read(X, 2), Op::rmw(X, 2, 3)]]), None);
    assert_eq!(refused_by(&[&[Op::rmw(X, 0, 1)], &[Op::rmw(X, 0, 2)]]), Some(Axiom::WeakAtomicity));
    let mp = message_passing();
    let refusal = verify_witness(&mp, Model::Wra, &Witness::History);
    assert!(matches!(refusal, Err(Refusal::Broken { axiom: Axiom::WeakReadCoherence, .. })));
}

#[test]
fn verdicts_without_certificate() {
    let plain = history(&[&[Op::write(X, 1)]]);
    let fenced = history(&[&[Op::write(X, 1), Op::fence(Order::SeqCst)]]);
    let unsupported = Verdict::Unsupported(Unsupported::Fences);
    assert_eq!(verify(&fenced, Model::Cc, &unsupported), Ok(()));
    assert!(matches!(verify(&plain, Model::Cc, &unsupported), Err(Refusal::Applies { .. })));
    for model in [Model::Ra, Model::Rc20, Model::Rc11] {
        assert!(matches!(verify(&fenced, model, &unsupported), Err(Refusal::Applies { .. })));
    }
    let finals = Verdict::Unsupported(Unsupported::Finals);
    assert!(matches!(verify(&fenced, Model::Cc, &finals), Err(Refusal::Applies { .. })));
    let refusal = verify(&fenced, Model::Cc, &Verdict::Consistent(Witness::History));
    assert_eq!(refusal, Err(Refusal::DoesNotApply { model: Model::Cc, why: Unsupported::Fences }));
    let mo = witness(&[&[fenced.init_write(X), event(&fenced, 0, 0)], &[fenced.init_write(Y)]]);
    for model in MO_MODELS {
        assert_eq!(verify(&fenced, model, &Verdict::Consistent(mo.clone())), Ok(()));
    }
    assert_eq!(verify(&plain, Model::Ra, &Verdict::Undecided(Limit::Stopped)), Err(Refusal::Undecided));
}

#[test]
fn an_empty_history_is_consistent() {
    let x = Execution::builder().build().expect("nothing is wrong with it");
    for model in MO_MODELS {
        assert_eq!(verify_witness(&x, model, &witness(&[])), Ok(()));
    }
    assert_eq!(verify_witness(&x, Model::Wra, &Witness::History), Ok(()));
}
