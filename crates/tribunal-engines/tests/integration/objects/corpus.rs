//! The labeled corpus: library, naive checker and labels agree on every history, and every certificate verifies.

use crate::objects::engines::{mismatches, none};
use crate::objects::naive;
use rayon::prelude::*;
use std::path::PathBuf;
use tribunal_formats::{Error, History, Input, Object, open};
use tribunal_history::object::specs::named;
use tribunal_history::object::{Criterion, Specification};

pub fn corpus() -> Result<Vec<History>, Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "object-public.jsonl.zst"].iter().collect();
    open(&Input::Path(path), None)?.collect()
}

/// The parts of a labeled history.
pub fn labeled(history: &History) -> (&Object, Box<dyn Specification>, Vec<(Criterion, bool)>) {
    let object = history.object().expect("of an object");
    let spec = named(&object.spec).expect("a built-in specification");
    let label = |(name, label): &(String, Option<bool>)| {
        (name.parse().expect("a label is for a criterion"), label.expect("every criterion applies"))
    };
    (object, spec, history.labels.0.iter().map(label).collect())
}

#[test]
fn the_naive_checker_meets_every_label() -> Result<(), Error> {
    let corpus = corpus()?;
    assert_eq!(corpus.iter().map(|history| history.labels.0.len()).sum::<usize>(), 7 * 2000);
    let of = |history: &History| {
        let (object, spec, labels) = labeled(history);
        let mut wrong = Vec::new();
        if !naive::is_closed(&object.history) {
            wrong.push(format!("line {}: hb is not transitive or lacks po", history.line));
        }
        for (criterion, label) in labels {
            let naive = naive::consistent(&object.history, &*spec, &criterion);
            if naive != label {
                wrong.push(format!("line {}, {criterion}: {naive} instead of {label}", history.line));
            }
        }
        wrong
    };
    none(corpus.par_iter().flat_map_iter(of).collect());
    Ok(())
}

#[test]
fn every_label_is_met_by_every_engine_and_every_certificate_verifies() -> Result<(), Error> {
    let of = |history: &History| {
        let (object, spec, labels) = labeled(history);
        let wrong = |(criterion, label)| mismatches(&object.history, &*spec, &criterion, label);
        let wrong = labels.into_iter().flat_map(wrong);
        wrong.map(|mismatch| format!("line {}, {mismatch}", history.line)).collect::<Vec<_>>()
    };
    none(corpus()?.par_iter().flat_map_iter(of).collect());
    Ok(())
}
