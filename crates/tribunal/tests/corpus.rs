//! The labelled corpus: library, naive checker and labels agree on every history, and every certificate verifies.

mod naive;

use std::path::PathBuf;
use tribunal::verdict::Witness;
use tribunal::verify::verify;
use tribunal::{Model, Verdict, check};
use tribunal_formats::{Input, open};

#[test]
fn every_label_is_met_and_every_certificate_verifies() -> Result<(), tribunal_formats::Error> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "data", "memory-public.jsonl.zst"].iter().collect();
    let (mut compared, mut mismatches) = (0, Vec::new());
    for history in open(&Input::Path(path), None)? {
        let history = history?;
        let x = &history.execution;
        for (name, label) in &history.labels.0 {
            let Ok(model) = name.parse::<Model>() else { continue };
            let mut mismatch =
                |what: String| mismatches.push(format!("line {}, {model}: {what}", history.line));
            compared += 1;
            let naive = naive::consistent(x, model);
            if naive != *label {
                mismatch(format!("the naive checker says {naive:?}, the label {label:?}"));
            }
            let verdict = check(x, model);
            let expected = match label {
                Some(true) => "consistent",
                Some(false) => "inconsistent",
                None => "unsupported",
            };
            if verdict.word() != expected {
                mismatch(format!("{}, but the label says {expected}", verdict.word()));
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
    }
    assert!(mismatches.is_empty(), "{} mismatches\n{}", mismatches.len(), mismatches.join("\n"));
    assert_eq!(compared, 15_000);
    Ok(())
}
