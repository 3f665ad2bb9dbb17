//! The labelled corpus: library, naive checker and labels agree on every history, and every certificate verifies.

mod engines;
mod naive;

use rayon::prelude::*;
use std::path::PathBuf;
use tribunal::Model;
use tribunal::Verdict;
use tribunal::memory::Execution;
use tribunal::verdict::Witness;
use tribunal::verify::verify;
use tribunal_formats::{History, Input, open};

fn corpus() -> Result<Vec<History>, tribunal_formats::Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    open(&Input::Path(path), None)?.collect()
}

/// What is wrong with the library's answers, by whatever engine.
fn mismatches(x: &Execution, model: Model, expected: Option<bool>) -> Vec<String> {
    let expected = match expected {
        Some(true) => "consistent",
        Some(false) => "inconsistent",
        None => "unsupported",
    };
    let mut mismatches = Vec::new();
    for (engine, verdict) in engines::verdicts(x, model) {
        let mut mismatch = |what: String| mismatches.push(format!("{model} by {engine}: {what}"));
        if verdict.word() != expected {
            mismatch(format!("{} instead of {expected}", verdict.word()));
        }
        if let Err(refusal) = verify(x, model, &verdict) {
            mismatch(format!("the certificate is refused: {refusal}"));
        }
        if let Verdict::Consistent(Witness::Mo(mo)) = &verdict
            && !naive::satisfies(x, model, mo)
        {
            mismatch("the naive checker refuses the witness".into());
        }
    }
    mismatches
}

fn none(mismatches: Vec<String>) {
    assert!(mismatches.is_empty(), "{} mismatches\n{}", mismatches.len(), mismatches.join("\n"));
}

#[test]
fn the_naive_checker_meets_every_label() -> Result<(), tribunal_formats::Error> {
    let corpus = corpus()?;
    assert_eq!(corpus.iter().map(|history| history.labels.0.len()).sum::<usize>(), 17 * 3000);
    none(
        corpus
            .par_iter()
            .flat_map_iter(|history| {
                history.labels.0.iter().filter_map(|(name, label)| {
                    let model: Model = name.parse().expect("a label is for a model");
                    let naive = naive::consistent(history.memory().expect("of a memory"), model);
                    let differs = naive != *label;
                    differs.then(|| format!("line {}, {model}: {naive:?} instead of {label:?}", history.line))
                })
            })
            .collect(),
    );
    Ok(())
}

#[test]
fn every_label_is_met_by_every_engine_and_every_certificate_verifies() -> Result<(), tribunal_formats::Error>
{
    let of = |history: &History| {
        let x = history.memory().expect("of a memory");
        let labels = history.labels.0.iter().map(|(name, label)| {
            let model: Model = name.parse().expect("a label is for a model");
            (model, *label)
        });
        // The corpus has no labels for wmo.
        let wmo = (Model::Wmo, naive::consistent(x, Model::Wmo));
        let mismatches = labels.chain([wmo]).flat_map(|(model, expected)| mismatches(x, model, expected));
        mismatches.map(|mismatch| format!("line {}, {mismatch}", history.line)).collect::<Vec<_>>()
    };
    none(corpus()?.par_iter().flat_map_iter(of).collect());
    Ok(())
}
