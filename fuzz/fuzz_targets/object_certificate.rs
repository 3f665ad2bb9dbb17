#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_formats::certificate::object::{
    violation_from_json, violation_to_json, witness_from_json, witness_to_json,
};
use tribunal_formats::read;

const HISTORY: &str = r#"{"kind":"object","spec":"queue","operations":[
    {"process":0,"f":"enqueue","args":[1],"ret":null,"call":0,"return":3},
    {"process":1,"f":"dequeue","args":[],"ret":1,"call":1,"return":2},
    {"process":1,"f":"dequeue","args":[],"call":4}]}"#;

// Certificates come back from JSON as they were.
fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = serde_json::from_slice(bytes) else {
        return;
    };
    let history =
        read(HISTORY.as_bytes(), "-", None).expect("JSON").next().expect("a history").expect("well-formed");
    let history = &history.object().expect("of an object").history;
    if let Ok(violation) = violation_from_json(history, &json) {
        assert_eq!(violation_from_json(history, &violation_to_json(&violation)), Ok(violation));
    }
    if let Ok(witness) = witness_from_json(history, &json) {
        assert_eq!(witness_from_json(history, &witness_to_json(&witness)), Ok(witness));
    }
});
