#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_history::model::Model;
use tribunal_verify::{verify_violation, verify_witness};
use tribunal_formats::certificate::{
    violation_from_json, violation_to_json, witness_from_json, witness_to_json,
};
use tribunal_formats::read;

// Certificates come back from JSON as they were, and whatever they say, verification ends with an answer.
fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = serde_json::from_slice(bytes) else {
        return;
    };
    for history in [
        "T0: W x 1; W y 1; U x 1>2\nT1: R y 1; R x 0; U x 2>3",
        "T0: W x 1; F.sc; R y 0\nT1: R x 1; W y 1 dep 0; F.rel; W x 2\nfinal: x=2",
    ] {
        let x = read(history.as_bytes(), "-", None)
            .expect("text")
            .next()
            .expect("a history")
            .expect("well-formed")
            .into_memory()
            .expect("of a memory");
        if let Ok(violation) = violation_from_json(&x, &json) {
            for model in Model::ALL {
                let _ = verify_violation(&x, model, &violation);
            }
            assert_eq!(violation_from_json(&x, &violation_to_json(&x, &violation)), Ok(violation));
        }
        if let Ok(witness) = witness_from_json(&x, &json) {
            for model in Model::ALL {
                let _ = verify_witness(&x, model, &witness);
            }
            assert_eq!(witness_from_json(&x, &witness_to_json(&x, &witness)), Ok(witness));
        }
    }
});
