//! The specification in Rust that docs/specifications.md shows, as it stands there.

use tribunal_engines::object::check_promises;
use tribunal_history::object::{Invocation, Kind, Signature, Spec, Value};

/// Hands out each number once.
struct Tickets;

impl Spec for Tickets {
    type State = i64;
    fn name(&self) -> &str {
        "tickets"
    }
    fn signatures(&self) -> &[Signature] {
        const { &[Signature::new("take", &[], Kind::Int), Signature::new("left", &[Kind::Int], Kind::Int)] }
    }
    fn initial(&self) -> i64 {
        0
    }
    fn step(&self, next: &mut i64, call: Invocation<'_>) -> Option<Value> {
        if let [Value::Int(all)] = call.args {
            return Some(Value::from(all - *next));
        }
        *next += 1;
        Some(Value::from(*next - 1))
    }
    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "left"
    }
}

#[test]
fn tickets_keep_their_promises() {
    let args = [Value::from(10)];
    let calls = [Invocation { method: "take", args: &[] }, Invocation { method: "left", args: &args }];
    check_promises(&Tickets, &calls, 4).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn the_document_shows_what_runs_here() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/specifications.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let blocks: Vec<&str> =
        text.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        // Users take both from the front page.
        let shown = include_str!("tickets.rs").replace("tribunal_history::", "tribunal::");
        assert!(shown.contains(block), "not here:\n{block}");
    }
}
