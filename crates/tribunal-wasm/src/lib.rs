//! The checker in the page: from the bytes of a file to the JSON that the page draws, in WebAssembly.
//!
//! `cargo xtask page` builds it and puts it into the page, where it runs in a worker (`checker/`).

use serde_json::json;
use std::time::Duration;
use tribunal_history::limits::Limits;
use tribunal_view::Request;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;

/// How long the checks of a request may take together. The page can stop the worker earlier.
const TIME: Duration = Duration::from_secs(120);
/// The memory of an engine, on top of the history. WebAssembly has 4 GB at most.
const MEMORY: usize = 1 << 30;

/// Runs once, first. WebAssembly does not unwind: a panic becomes an exception that says where it happened, and the page replaces
/// the worker.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Answers a request about a file: `{"document": .., "histories": .., "more": ..}`, or `{"error": ".."}` in one line.
#[wasm_bindgen]
pub fn check(name: &str, bytes: Vec<u8>, request: &str) -> String {
    let failed = |error: String| json!({ "error": error }).to_string();
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return failed(format!("the request: {error}")),
    };
    let limits = Limits { deadline: Some(Instant::now() + TIME), max_memory: MEMORY, ..Limits::default() };
    match tribunal_view::answer(name, bytes, &request, &limits) {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_else(|error| failed(error.to_string())),
        Err(error) => failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn answered(text: &str, request: &str) -> Value {
        serde_json::from_str(&check("sb.txt", text.into(), request)).expect("JSON")
    }

    #[test]
    fn a_history_is_checked() {
        let sb = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
        let answer = answered(sb, r#"{"models": "sc,tso"}"#);
        let verdicts = answer["document"]["answers"].as_array().expect("answers").iter();
        let verdicts: Vec<_> = verdicts.map(|said| said["verdict"].as_str()).collect();
        assert_eq!(verdicts, [Some("inconsistent"), Some("consistent")]);
    }

    #[test]
    fn errors_are_reported() {
        for (text, request, error) in [
            ("T0: W x one\n", "{}", "sb.txt:1:9: expected the value written, found `one`"),
            ("T0: W x 1\n", r#"{"models": "x86"}"#, "x86"),
            ("T0: W x 1\n", "[]x", "the request: "),
        ] {
            let answer = answered(text, request);
            let said = answer["error"].as_str().expect("an error");
            assert!(said.contains(error), "{said}");
        }
    }
}
