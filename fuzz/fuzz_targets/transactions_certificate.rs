#![no_main]

use libfuzzer_sys::fuzz_target;
use tribunal_history::transactions::{Level, Verdict};
use tribunal_verify::transactions::verify;
use tribunal_formats::certificate::transactions::{
    violation_from_json, violation_to_json, witness_from_json, witness_to_json,
};
use tribunal_formats::read;

const HISTORY: &str = r#"{"init":0,"sessions":[
    [{"txn":[["r","x",0],["w","x",1]],"begin":1,"end":5},{"txn":[["r","x",1]],"begin":6,"end":7}],
    [{"txn":[["append","l",1],["r","x",0]],"begin":2,"status":"unknown"},{"txn":[["r","l",[1]],["w","x",1]],"begin":9,"end":10}]]}"#;

// Certificates come back from JSON as they were, and whatever they say, verification ends with an answer.
fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = serde_json::from_slice(bytes) else {
        return;
    };
    let history =
        read(HISTORY.as_bytes(), "-", None).expect("JSON").next().expect("a history").expect("well-formed");
    let history = &history.transactions().expect("of transactions").history;
    if let Ok(violation) = violation_from_json(history, &json) {
        for level in Level::ALL {
            let _ = verify(history, level, &Verdict::Inconsistent(violation.clone()));
        }
        assert_eq!(violation_from_json(history, &violation_to_json(history, &violation)), Ok(violation));
    }
    if let Ok(witness) = witness_from_json(history, &json) {
        for level in Level::ALL {
            let _ = verify(history, level, &Verdict::Consistent(witness.clone()));
        }
        assert_eq!(witness_from_json(history, &witness_to_json(history, &witness)), Ok(witness));
    }
});
