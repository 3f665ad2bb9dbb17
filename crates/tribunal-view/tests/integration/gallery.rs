//! The examples that a page with a checker offers: those of examples/, without what was expected of them.

use serde_json::Value;
use std::path::Path;
use tribunal_history::limits::Limits;
use tribunal_view::{Request, answer};

/// The text of an example without its comments and expectations.
fn bare(file: &str, text: &str) -> String {
    if file.ends_with(".txt") {
        let kept =
            text.split_inclusive('\n').filter(|line| !line.starts_with('#') && !line.starts_with("expect:"));
        return kept.collect();
    }
    let (before, verdicts) = text.split_once("\"verdicts\":{").expect("verdicts");
    let (_, after) = verdicts.split_once('}').expect("an end");
    format!("{}{after}", before.trim_end().trim_end_matches(','))
}

#[test]
fn the_gallery_is_of_the_examples() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let gallery: Value = serde_json::from_str(include_str!("../../page/gallery.json")).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_string();
    let mut count = 0;
    for group in gallery.as_array().expect("groups") {
        for example in group["examples"].as_array().expect("examples") {
            let file = text(&example["file"]);
            let source = std::fs::read_to_string(examples.join(text(&group["folder"])).join(&file))
                .expect("an example");
            assert_eq!(text(&example["text"]), bare(&file, &source), "{file}");
            assert!(!text(&example["name"]).is_empty() && !text(&example["about"]).is_empty(), "{file}");
            let answer =
                answer(&file, text(&example["text"]).into(), &Request::default(), &Limits::default());
            assert!(answer.is_ok(), "{file}: {answer:?}");
            count += 1;
        }
    }
    assert!(count > 20);
}
