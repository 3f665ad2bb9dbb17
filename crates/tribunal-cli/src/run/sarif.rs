//! What was found as SARIF 2.1.0, which code hosts show beside the source.

use super::Ran;
use super::report::{Failure, Place};
use crate::output::Page;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The kinds of failures, and what they are.
const RULES: [(&str, &str); 10] = [
    ("race", "Two accesses, one of them a write and one not atomic, that happens-before does not order"),
    ("panic", "An assertion that does not hold, an uncaught exception or abort"),
    ("crash", "A signal, such as that of an invalid address"),
    ("deadlock", "Threads that wait for each other for ever"),
    ("livelock", "Threads that loop until something changes, which nothing will"),
    ("leak", "Memory that nobody frees"),
    ("misuse", "A misuse of memory, locks or threads, such as use after free"),
    ("nondeterminism", "A program that does not do the same when it reads the same"),
    ("too-long", "An execution that is too long, as of a loop without an end"),
    ("other", "Another failure"),
];

pub fn document(all: &[Ran], page: &mut Page) -> io::Result<()> {
    let rules = RULES.map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}}));
    let results = all.iter().flat_map(|ran| ran.report.failure.iter().map(|failure| result(ran, failure)));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "tribunal",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": all.iter().map(invocation).collect::<Vec<Value>>(),
            "results": results.collect::<Vec<Value>>(),
        }],
    });
    writeln!(page, "{document:#}")
}

fn invocation(ran: &Ran) -> Value {
    let unfinished = ran.report.unfinished.as_ref().filter(|_| ran.report.failure.is_none());
    let notes = unfinished.into_iter().chain(&ran.warnings);
    let notes = notes.map(|text| json!({"level": "warning", "message": {"text": text}}));
    json!({
        "executionSuccessful": !ran.report.is_unfinished(),
        "commandLine": ran.name,
        "toolExecutionNotifications": notes.collect::<Vec<Value>>(),
    })
}

fn result(ran: &Ran, failure: &Failure) -> Value {
    let known = RULES.iter().position(|(id, _)| *id == failure.kind);
    let rule = known.unwrap_or(RULES.len() - 1);
    let first = failure.place.iter().chain(failure.places()).next();
    let others = failure.places().filter(|place| Some(*place) != first);
    let others = others.filter(|place| place.line > 0).map(location);
    json!({
        "ruleId": RULES[rule].0,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": failure.headline},
        "locations": first.into_iter().map(location).collect::<Vec<Value>>(),
        "relatedLocations": others.collect::<Vec<Value>>(),
        "properties": {
            "replay": failure.replay,
            "model": ran.report.model,
            "thread": failure.thread,
            "execution": failure.text,
        },
    })
}

/// A line of a file; of a program without debug information, a place in that.
fn location(place: &Place) -> Value {
    if place.line == 0 {
        return json!({"logicalLocations": [{"fullyQualifiedName": place.file}]});
    }
    let mut region = json!({"startLine": place.line});
    if place.column > 0 {
        region["startColumn"] = place.column.into();
    }
    json!({"physicalLocation": {"artifactLocation": {"uri": uri(&place.file)}, "region": region}})
}

/// A path as a URI, relative if the path is.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_as_uris() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/home/ä.c"), "file:///home/%C3%A4.c");
    }
}
