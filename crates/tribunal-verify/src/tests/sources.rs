//! Histories whose values repeat, or were never written.

use super::*;
use tribunal_engines::memory::{check, judge};
use tribunal_history::limits::Limits;
use tribunal_history::memory::Observation;
use tribunal_history::verdict::{ModificationOrder, Witness};

fn sources(refutation: Refutation) -> Violation {
    Violation { axiom: Axiom::Sources, refutation }
}

/// T0 writes 1, 2 and T1 writes 1; T2 reads 2 and then 1.
fn flags() -> Execution {
    history(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::write(X, 1)], &[Op::read(X, 2), Op::read(X, 1)]])
}

#[test]
fn a_value_from_thin_air_is_seen_by_looking() {
    let x = history(&[&[Op::write(X, 1), Op::read(X, 7), Op::read(X, 1)]]);
    let read = |index| Observation::Read(event(&x, 0, index));
    for model in Model::ALL {
        let verdict = check(&x, model);
        assert_eq!(verdict, Verdict::Inconsistent(sources(Refutation::ThinAir(read(1)))), "{model}");
        assert_eq!(verify(&x, model, &verdict), Ok(()), "{model}");
        let written = verify_violation(&x, model, &sources(Refutation::ThinAir(read(2))));
        assert!(matches!(written, Err(Refusal::Written { .. })), "{model}: {written:?}");
        let axiom = Violation { axiom: Axiom::ReadCoherence, refutation: Refutation::ThinAir(read(1)) };
        assert!(matches!(verify_violation(&x, model, &axiom), Err(Refusal::NotInvolved { .. })), "{model}");
    }
}

#[test]
fn a_final_value_may_be_from_thin_air_or_of_any_of_its_writes() {
    let nobody = with_finals(&[&[Op::write(X, 1)]], &[(X, 3)]);
    let verdict = check(&nobody, Model::Sc);
    let of = Observation::Final { loc: X, value: 3 };
    assert_eq!(verdict, Verdict::Inconsistent(sources(Refutation::ThinAir(of))));
    assert_eq!(verify(&nobody, Model::Sc, &verdict), Ok(()));
    // Only T1's write of 1 can be the last.
    let x = with_finals(&[&[Op::write(X, 1), Op::write(X, 2)], &[Op::write(X, 1)]], &[(X, 1)]);
    let verdict = check(&x, Model::Sc);
    assert!(verdict.is_consistent());
    assert_eq!(verify(&x, Model::Sc, &verdict), Ok(()));
}

#[test]
fn a_witness_has_a_source_for_each_open_read_and_for_no_other() {
    let x = flags();
    let Verdict::Consistent(witness) = check(&x, Model::Sc) else { panic!("T1's write is the last") };
    assert_eq!(verify_witness(&x, Model::Sc, &witness), Ok(()));
    let Witness::Sources { sources, then } = &witness else { panic!("the second read is open") };
    let (of, other) = (Observation::Read(event(&x, 2, 1)), event(&x, 0, 0));
    assert_eq!(sources.as_slice(), [(of, event(&x, 1, 0))]);
    let with = |sources| {
        let witness = Witness::Sources { sources, then: then.clone() };
        verify_witness(&x, Model::Sc, &witness)
    };
    assert!(matches!(with(vec![]), Err(Refusal::Unchosen { .. })));
    assert!(matches!(with(vec![(of, event(&x, 0, 1))]), Err(Refusal::NotASource { .. })));
    assert!(matches!(with(vec![(of, EventId(99))]), Err(Refusal::UnknownEvent { .. })));
    assert!(matches!(with(vec![sources[0], sources[0]]), Err(Refusal::NothingOpen)));
    assert!(matches!(with(vec![(of, other)]), Err(Refusal::Broken { .. })));
    assert!(matches!(verify_witness(&x, Model::Sc, then), Err(Refusal::Unchosen { .. })));
    // Where every read has its source there is nothing to choose.
    let plain = history(&[&[Op::write(X, 1)]]);
    let mut mo = ModificationOrder::new();
    mo.push_location([plain.init_write(X), event(&plain, 0, 0)]);
    mo.push_location([plain.init_write(Y)]);
    let chosen = Witness::Sources { sources: vec![], then: Box::new(Witness::Mo(mo)) };
    assert_eq!(verify_witness(&plain, Model::Sc, &chosen), Err(Refusal::NothingOpen));
}

#[test]
fn no_source_may_be_passed_over() {
    let x = flags();
    let (of, read) = (Observation::Read(event(&x, 2, 1)), event(&x, 2, 1));
    let own = event(&x, 0, 0);
    for model in Model::ALL {
        // The history is consistent with all models: nothing proves the opposite.
        let forged = [
            Refutation::NoSource(read),
            Refutation::Sources { of, cases: Vec::new() },
            Refutation::Sources { of, cases: vec![(own, sources(Refutation::NoSource(read)))] },
            Refutation::Forced {
                sources: vec![(of, own)],
                then: Box::new(sources(Refutation::NoSource(read))),
            },
            Refutation::NoSource(event(&x, 2, 0)),
            Refutation::NoSource(event(&x, 0, 0)),
            Refutation::NoSource(EventId(77)),
            Refutation::Sources { of: Observation::Final { loc: LocId(9), value: 1 }, cases: Vec::new() },
            Refutation::ThinAir(Observation::Read(EventId(77))),
        ];
        for refutation in forged {
            let verified = verify_violation(&x, model, &sources(refutation.clone()));
            assert!(verified.is_err(), "{model}: {refutation:?}");
        }
    }
}

#[test]
fn cases_of_sources_are_all_needed() {
    // T1 reads 2 and then the 1 that came before it, or the 1 that comes after the read.
    let x = history(&[
        &[Op::write(X, 1), Op::write(X, 2), Op::write(Y, 1)],
        &[Op::read(Y, 1), Op::read(X, 1), Op::write(Y, 2)],
        &[Op::read(Y, 2), Op::write(X, 1)],
    ]);
    for model in [Model::Sc, Model::Tso, Model::Ra, Model::Cc, Model::Sra, Model::Wsc] {
        let verdict = judge(&x, model, &Limits::default()).0;
        assert_eq!(verify(&x, model, &verdict), Ok(()), "{model}");
        let Verdict::Inconsistent(violation) = verdict else { panic!("{model} allows it") };
        let Refutation::NoSource(read) = violation.refutation else { panic!("{model}: {violation:?}") };
        assert_eq!(read, event(&x, 1, 1));
    }
    // For rmo only program order within a location eliminates: there are cases, and none can be left out.
    let lock = history(&[
        &[Op::rmw(X, 0, 1), Op::read(Y, 0)],
        &[Op::rmw(X, 0, 1)],
        &[Op::write(X, 0), Op::write(X, 2), Op::read(X, 0)],
    ]);
    let verdict = check(&lock, Model::Coherence);
    assert_eq!(verify(&lock, Model::Coherence, &verdict), Ok(()));
}
