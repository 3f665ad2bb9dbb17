//! The labeled corpora: library, naive checker and labels agree on every history, and every certificate verifies.

use crate::memories::engines;
use crate::memories::naive;
use rayon::prelude::*;
use std::path::PathBuf;
use tribunal_formats::{History, Input, open};
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_history::verdict::Verdict;
use tribunal_history::verdict::Witness;
use tribunal_verify::verify;

fn corpus(name: &str) -> Result<Vec<History>, tribunal_formats::Error> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect();
    open(&Input::Path(path), None)?.collect()
}

/// The corpus without labels of rc11, and that of histories with seq_cst.
const MEMORY: &str = "memory-public.jsonl.zst";
const SEQ_CST: &str = "seqcst-public.jsonl.zst";

/// The labels of a history. The corpus without rc11 was labeled when rc20 did not apply to seq_cst: there it has no label.
fn labels(history: &History) -> impl Iterator<Item = (Model, Option<bool>)> {
    let labels = history.labels.0.iter().map(|(name, label)| {
        let model: Model = name.parse().expect("a label is for a model");
        (model, *label)
    });
    labels.filter(|&label| label != (Model::Rc20, None))
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

fn the_naive_checker_meets_every_label(name: &str, count: usize) -> Result<(), tribunal_formats::Error> {
    let corpus = corpus(name)?;
    assert_eq!(corpus.iter().map(|history| labels(history).count()).sum::<usize>(), count);
    none(
        corpus
            .par_iter()
            .flat_map_iter(|history| {
                labels(history).filter_map(|(model, label)| {
                    let naive = naive::consistent(history.memory().expect("of a memory"), model);
                    let differs = naive != label;
                    differs.then(|| format!("line {}, {model}: {naive:?} instead of {label:?}", history.line))
                })
            })
            .collect(),
    );
    Ok(())
}

#[test]
fn the_naive_checker_meets_every_label_of_memories() -> Result<(), tribunal_formats::Error> {
    // 898 histories have seq_cst.
    the_naive_checker_meets_every_label(MEMORY, 17 * 3000 - 898)
}

#[test]
fn the_naive_checker_meets_every_label_with_seq_cst() -> Result<(), tribunal_formats::Error> {
    the_naive_checker_meets_every_label(SEQ_CST, 18 * 1985)
}

/// What no corpus labels is held to the naive checker.
fn every_engine_meets_every_label(name: &str) -> Result<(), tribunal_formats::Error> {
    let of = |history: &History| {
        let x = history.memory().expect("of a memory");
        let mut expected: Vec<(Model, Option<bool>)> = labels(history).collect();
        for model in [Model::Wmo, Model::Rc20, Model::Rc11] {
            if expected.iter().all(|&(labeled, _)| labeled != model) {
                expected.push((model, naive::consistent(x, model)));
            }
        }
        let mismatches = expected.iter().flat_map(|&(model, expected)| mismatches(x, model, expected));
        mismatches.map(|mismatch| format!("line {}, {mismatch}", history.line)).collect::<Vec<_>>()
    };
    none(corpus(name)?.par_iter().flat_map_iter(of).collect());
    Ok(())
}

#[test]
fn every_engine_meets_every_label_of_memories_and_every_certificate_verifies()
-> Result<(), tribunal_formats::Error> {
    every_engine_meets_every_label(MEMORY)
}

#[test]
fn every_engine_meets_every_label_with_seq_cst_and_every_certificate_verifies()
-> Result<(), tribunal_formats::Error> {
    every_engine_meets_every_label(SEQ_CST)
}
