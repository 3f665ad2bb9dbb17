//! What README.md and docs/certificates.md show is what the command prints.
#![allow(missing_docs)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The indented block of a document that begins with this line, without the line.
fn block(document: &str, first: &str) -> String {
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let mut lines = text.lines().skip_while(|line| line.trim() != first);
    assert!(lines.next().is_some(), "{document} has the line `{first}`");
    let mut block: Vec<&str> =
        lines.map_while(|line| line.strip_prefix("    ").or(line.is_empty().then_some(""))).collect();
    while block.last().is_some_and(|line| line.is_empty()) {
        block.pop();
    }
    block.join("\n")
}

fn tribunal(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("the command runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_readme_shows_the_first_command_as_it_is() {
    let shown = block("README.md", "$ cargo run --release -p tribunal-cli -- check examples/litmus/mp.txt");
    assert_eq!(shown, tribunal(&["check", "examples/litmus/mp.txt"]).trim_end());
}

#[test]
fn the_certificates_shown_are_those_printed() {
    for (line, key, arguments) in [
        (
            "$ tribunal check --model ra --output json examples/litmus/mp.txt",
            "violation",
            &["check", "--model", "ra", "--output", "json", "examples/litmus/mp.txt"][..],
        ),
        (
            "$ tribunal check --model rc20 --output json --witness examples/litmus/mp.txt",
            "witness",
            &["check", "--model", "rc20", "--output", "json", "--witness", "examples/litmus/mp.txt"],
        ),
    ] {
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("one JSON object");
        let (shown, printed) = (json(&block("docs/certificates.md", line)), json(&tribunal(arguments)));
        assert!(shown[key].is_object(), "{line}");
        assert_eq!(shown[key], printed[key], "{line}");
    }
}
