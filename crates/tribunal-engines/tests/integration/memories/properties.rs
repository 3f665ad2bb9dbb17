//! What must hold of every history: the library agrees with the naive checker, and its certificates are proofs.

use crate::memories::engines;
use crate::memories::inclusions;
use crate::memories::litmus::{litmus, needs_cases, needs_search};
use crate::memories::mutation::{mutate, mutation};
use crate::memories::naive;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use tribunal_engines::memory::check;
use tribunal_history::memory::{EventId, Execution, LocId, Op, Order};
use tribunal_history::model::Model;
use tribunal_history::model::{Keep, Preserved};
use tribunal_history::verdict::{ModificationOrder, Refutation, Verdict, Witness};
use tribunal_verify::{verify, verify_violation, verify_witness};

/// The histories are small: eight times as many cases as `PROPTEST_CASES` says, or 2048.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 8 * default.cases, failure_persistence: None, ..default }
}

/// The models with mo.
const MO_MODELS: [Model; 11] = [
    Model::Sc,
    Model::Tso,
    Model::Pso,
    Model::Rmo,
    Model::Wmo,
    Model::Coherence,
    Model::Sra,
    Model::Ra,
    Model::Rc20,
    Model::Rc11,
    Model::Relaxed,
];

/// The models whose axioms mention the history alone.
fn models_without_mo() -> impl Iterator<Item = Model> {
    Model::ALL.into_iter().filter(|model| !MO_MODELS.contains(model))
}

/// A pair (po-mm, rf-mm).
fn preserved() -> impl Strategy<Value = Preserved> {
    let keep = || prop::sample::select(vec![Keep::Never, Keep::SameLocation, Keep::Always]);
    (keep(), keep(), keep(), keep(), any::<[bool; 5]>()).prop_map(
        |(rr, rw, wr, ww, [rmws, dependencies, times, internal_rf, load_hazards])| Preserved {
            rr,
            rw,
            wr,
            ww,
            rmws,
            dependencies,
            times,
            internal_rf,
            load_hazards,
        },
    )
}

/// Consistent or not; none if the model does not apply.
fn consistent(x: &Execution, model: Model) -> Result<Option<bool>, TestCaseError> {
    answer(model, &check(x, model))
}

fn answer(model: Model, verdict: &Verdict) -> Result<Option<bool>, TestCaseError> {
    match verdict {
        Verdict::Consistent(_) => Ok(Some(true)),
        Verdict::Inconsistent(_) => Ok(Some(false)),
        Verdict::Unsupported(_) => Ok(None),
        Verdict::Undecided(limit) => Err(TestCaseError::fail(format!("{model}: {limit}"))),
    }
}

/// Every engine gives the answer of the definitions, and proves it.
fn judged_right(x: &Execution, model: Model) -> Result<(), TestCaseError> {
    let expected = naive::consistent(x, model);
    for (engine, verdict) in engines::verdicts(x, model) {
        prop_assert_eq!(answer(model, &verdict)?, expected, "{} by {}", model, engine);
        if let Err(refusal) = verify(x, model, &verdict) {
            prop_assert!(false, "{} by {}: {}\n{:?}", model, engine, refusal, verdict);
        }
        if let Verdict::Consistent(Witness::Mo(mo)) = &verdict {
            prop_assert!(naive::satisfies(x, model, mo), "{} by {}: {:?}", model, engine, mo);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_engine_agrees_with_the_definitions_and_proves_it(litmus in litmus()) {
        let x = litmus.execution();
        for model in Model::ALL {
            judged_right(&x, model)?;
        }
    }

    #[test]
    fn so_does_every_pair_of_po_and_rf(litmus in litmus(), preserved in preserved()) {
        judged_right(&litmus.execution(), Model::Custom(preserved))?;
    }

    #[test]
    fn a_model_is_the_pair_that_defines_it(litmus in litmus()) {
        let x = litmus.execution();
        for model in Model::ALL {
            if let Some(preserved) = model.preserved() {
                prop_assert_eq!(consistent(&x, model)?, consistent(&x, Model::Custom(preserved))?, "{}", model);
            }
        }
    }

    #[test]
    fn stronger_models_are_included_in_weaker_ones(litmus in litmus()) {
        let x = litmus.execution();
        for model in Model::ALL {
            consistent(&x, model)?;
        }
        let contradiction = inclusions::contradiction(&x, |model| consistent(&x, model).ok().flatten());
        prop_assert_eq!(contradiction, None);
    }

    #[test]
    fn names_do_not_matter(litmus in litmus(), threads in any::<[Index; 4]>(), locations in any::<[Index; 3]>()) {
        let mut renamed = litmus.clone();
        shuffle(&mut renamed.threads, &threads);
        shuffle(&mut renamed.locations, &locations);
        let (x, renamed) = (litmus.execution(), renamed.execution());
        for model in Model::ALL {
            prop_assert_eq!(consistent(&x, model)?, consistent(&renamed, model)?, "{}", model);
        }
    }

    #[test]
    fn a_fence_never_makes_a_history_consistent(
        litmus in litmus(),
        (thread, place) in any::<(Index, Index)>(),
        order in prop::sample::select(Order::OF_FENCES.to_vec()),
    ) {
        let mut fenced = litmus.clone();
        let events = thread.get_mut(&mut fenced.threads);
        events.insert(place.index(events.len() + 1), Op::fence(order).into());
        let (x, fenced) = (litmus.execution(), fenced.execution());
        for model in Model::ALL {
            if consistent(&x, model)? == Some(false) {
                prop_assert_ne!(consistent(&fenced, model)?, Some(true), "{}", model);
            }
        }
    }

    /// Also with an initial write that is not first, and whatever the history.
    #[test]
    fn a_witness_is_accepted_if_and_only_if_it_satisfies_the_axioms(
        litmus in litmus(),
        order in any::<[Index; 5]>(),
        swap in any::<[Index; 3]>(),
    ) {
        let x = litmus.execution();
        for model in models_without_mo() {
            let accepted = verify_witness(&x, model, &Witness::History).is_ok();
            prop_assert_eq!(accepted, naive::consistent(&x, model) == Some(true), "{}", model);
        }
        for model in MO_MODELS {
            let shuffled = any_mo(&x, |writes| shuffle(writes, &order));
            let mut mos = vec![shuffled];
            if let Verdict::Consistent(Witness::Mo(mo)) = check(&x, model) {
                // Nearly right: two writes of one location change places.
                let spoilt = swap[0].index(x.location_count());
                mos.push(rebuilt(&x, |loc, writes| {
                    writes.clear();
                    writes.extend(mo.of(loc));
                    if loc.index() == spoilt {
                        let (a, b) = (swap[1].index(writes.len()), swap[2].index(writes.len()));
                        writes.swap(a, b);
                    }
                }));
                mos.push(mo);
            }
            for mo in mos {
                let applies = naive::consistent(&x, model).is_some();
                let satisfies = applies && naive::satisfies(&x, model, &mo);
                let verified = verify_witness(&x, model, &Witness::Mo(mo.clone()));
                prop_assert_eq!(verified.is_ok(), satisfies, "{}: {:?}, {:?}", model, mo, verified);
            }
        }
    }

    /// A violation that verifies proves inconsistency: of a spoilt violation, in another model, of another history.
    #[test]
    fn no_violation_of_a_consistent_history_verifies(
        litmus in litmus(),
        spoil in prop::collection::vec(mutation(), 1..4),
        other in any::<[Index; 3]>(),
    ) {
        let other = litmus.clone().reading_otherwise(other);
        let histories = [litmus.execution(), other.execution()];
        for model in Model::ALL {
            let Verdict::Inconsistent(violation) = check(&histories[0], model) else { continue };
            let mut spoilt = violation.clone();
            spoil.iter().for_each(|mutation| mutate(&mut spoilt, &histories[0], mutation));
            for (x, judged) in histories.iter().flat_map(|x| Model::ALL.map(|model| (x, model))) {
                let verifies = |violation| verify_violation(x, judged, violation).is_ok();
                if verifies(&violation) || verifies(&spoilt) {
                    prop_assert_eq!(naive::consistent(x, judged), Some(false), "{}: {:?}", judged, [&violation, &spoilt]);
                }
            }
        }
    }
}

/// Case distinctions are rare in random histories, so this makes sure of one.
#[test]
fn sra_needs_case_distinctions() {
    let x = needs_cases().execution();
    assert_eq!(naive::consistent(&x, Model::Sra), Some(false));
    assert!(check(&x, Model::Ra).is_consistent());
    let verdict = check(&x, Model::Sra);
    assert_eq!(verify(&x, Model::Sra, &verdict), Ok(()));
    let Verdict::Inconsistent(violation) = verdict else { panic!("{verdict:?}") };
    assert!(matches!(violation.refutation, Refutation::Split { .. }), "{violation:?}");
}

/// And so are histories that need a search.
#[test]
fn sc_needs_case_distinctions() {
    let x = needs_search().execution();
    assert_eq!(naive::consistent(&x, Model::Sc), Some(false));
    assert!(check(&x, Model::Wsc).is_consistent());
    for (engine, verdict) in engines::verdicts(&x, Model::Sc) {
        assert_eq!(verify(&x, Model::Sc, &verdict), Ok(()), "by {engine}");
        let Verdict::Inconsistent(violation) = verdict else { panic!("{engine}: {verdict:?}") };
        assert!(matches!(violation.refutation, Refutation::Split { .. }), "{engine}: {violation:?}");
    }
}

fn shuffle<T>(items: &mut [T], by: &[Index]) {
    for (i, index) in by.iter().enumerate().take(items.len()) {
        let j = i + index.index(items.len() - i);
        items.swap(i, j);
    }
}

/// An mo made of the writes of each location, after `arrange` has put them in order.
fn rebuilt(x: &Execution, arrange: impl Fn(LocId, &mut Vec<EventId>)) -> ModificationOrder {
    let mut mo = ModificationOrder::new();
    for loc in x.locations() {
        let mut writes = vec![x.init_write(loc)];
        writes.extend(x.events().filter(|&e| x.label(e).writes() && x.loc(e) == Some(loc)));
        arrange(loc, &mut writes);
        mo.push_location(writes);
    }
    mo
}

fn any_mo(x: &Execution, arrange: impl Fn(&mut Vec<EventId>)) -> ModificationOrder {
    rebuilt(x, |_, writes| arrange(writes))
}
