//! The checker in the page: from the bytes of a file to the JSON that the page draws, in WebAssembly.
//!
//! `cargo xtask page` builds it and puts it into the page, where it runs in a worker (`court/`).

use serde_json::json;
use std::time::Duration;
use tribunal::Limits;
use tribunal_view::Request;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;

/// How long the answers to one request may take together; who has less patience stops the worker.
const TIME: Duration = Duration::from_secs(120);
/// How much an engine may take beside the history: WebAssembly ends at 4 GB.
const MEMORY: usize = 1 << 30;

/// Runs once, before anything is heard. WebAssembly does not unwind: a panic leaves as an exception that says where it
/// was, and the worker, which is of no use any more, ends.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Hears a request about a file: `{"document": .., "histories": .., "more": ..}`, or `{"error": ".."}` in one line.
#[wasm_bindgen]
pub fn hear(name: &str, bytes: Vec<u8>, request: &str) -> String {
    let refused = |error: String| json!({ "error": error }).to_string();
    let request: Request = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return refused(format!("the request: {error}")),
    };
    let limits = Limits { deadline: Some(Instant::now() + TIME), max_memory: MEMORY, ..Limits::default() };
    match tribunal_view::hear(name, bytes, &request, &limits) {
        Ok(heard) => serde_json::to_string(&heard).unwrap_or_else(|error| refused(error.to_string())),
        Err(unheard) => refused(unheard.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn heard(text: &str, request: &str) -> Value {
        serde_json::from_str(&hear("sb.txt", text.into(), request)).expect("JSON")
    }

    #[test]
    fn a_history_is_heard() {
        let sb = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";
        let answer = heard(sb, r#"{"models": "sc,tso"}"#);
        let verdicts = answer["document"]["rulings"].as_array().expect("rulings").iter();
        let verdicts: Vec<_> = verdicts.map(|said| said["verdict"].as_str()).collect();
        assert_eq!(verdicts, [Some("inconsistent"), Some("consistent")]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, request, error) in [
            ("T0: W x one\n", "{}", "sb.txt:1:9: expected the value written, found `one`"),
            ("T0: W x 1\n", r#"{"models": "x86"}"#, "x86"),
            ("T0: W x 1\n", "[]x", "the request: "),
        ] {
            let answer = heard(text, request);
            let said = answer["error"].as_str().expect("an error");
            assert!(said.contains(error), "{said}");
        }
    }
}
