//! Names in histories are anything: none of them may become markup, move a cursor or turn the text around.

use crate::{check, xml};
use tribunal_history::limits::Limits;
use tribunal_view::{Document, Request, RequestError, answer, dot, page, svg};

const NAMES: [&str; 6] = [
    "</script><script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "\\\"]; } <!--DOCUMENT-->",
    "\\u001b[31m\\u0000\\u0007",
    "\\u202Exyz\\u2066\\u200F",
    "\\uFFFF & ' `",
];

fn memory(name: &str) -> String {
    format!(
        r#"{{"kind":"memory","name":"{name}","threads":[{{"name":"{name}","events":[{{"op":"write","loc":"{name}","value":1}},{{"op":"read","loc":"{name}","value":0}}]}}]}}"#
    )
}

fn object(name: &str) -> String {
    format!(
        r#"{{"kind":"object","name":"{name}","spec":"register","operations":[
        {{"process":"{name}","f":"write","args":["{name}"],"ret":null,"call":0,"return":1}},
        {{"process":"b","f":"read","args":[],"ret":"<{name}","call":2,"return":3}}]}}"#
    )
}

fn document(text: String) -> Result<Document, RequestError> {
    let answer = answer("<b>.json", text.into_bytes(), &Request::default(), &Limits::default())?;
    check(&answer.document);
    Ok(answer.document)
}

fn nothing_raw(what: &str, text: &str) {
    assert!(!text.contains("<script>alert") && !text.contains("<svg onload"), "{what}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{what}");
    assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200f}', '\u{ffff}']), "{what}");
}

#[test]
fn names_stay_names() {
    let mut pictures = 0;
    for name in NAMES {
        for text in [memory(name), object(name)] {
            let document = document(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let drawn = svg(&document, document.shown);
            assert_eq!(xml::fault(&drawn), None, "{name}");
            nothing_raw(name, &drawn);
            let graph = dot(&document, document.shown);
            nothing_raw(name, &graph);
            // Every quotation ends: no name adds a quotation mark of its own.
            assert_eq!(graph.matches('"').count() % 2, 0, "{name}");
            assert!(!graph.contains("\\\""), "{name}");
            let (empty, page) = (page(None, ""), page(Some(&document), ""));
            // The document adds one element, whatever is in it.
            assert_eq!(page.matches("<script").count(), empty.matches("<script").count() + 1, "{name}");
            assert_eq!(page.matches("</script").count(), empty.matches("</script").count() + 1, "{name}");
            assert_eq!(page.matches("<svg").count(), empty.matches("<svg").count(), "{name}");
            let json = page.split("id=\"document\">").nth(1).and_then(|rest| rest.split("</script>").next());
            let json = json.expect("a document");
            nothing_raw(name, json);
            assert!(!json.contains('<'), "{name}");
            serde_json::from_str::<serde_json::Value>(json).expect("JSON");
            pictures += 1;
        }
    }
    assert_eq!(pictures, 12);
}

#[test]
fn long_names_do_not_make_long_pages() {
    let long = document(memory(&"x".repeat(1 << 20))).expect("a long name");
    assert!(page(Some(&long), "").len() < page(None, "").len() + 120_000);
    let long = document(object(&"y".repeat(1 << 20))).expect("a long name");
    assert!(page(Some(&long), "").len() < page(None, "").len() + 120_000);
}

#[test]
fn errors_are_one_line() {
    let ask = |text: &str, request: &Request| {
        let error = answer("a.txt", text.into(), request, &Limits::default()).expect_err("no document");
        error.to_string()
    };
    let usual = Request::default();
    assert_eq!(ask("T0: W x one", &usual), "a.txt:1:9: expected the value written, found `one`");
    assert_eq!(ask("", &usual), "a.txt: empty input: it has no history");
    let second = Request { index: 1, ..usual.clone() };
    assert_eq!(ask("T0: W x 1\n", &second), "a.txt: expected a history of index 1, from 0, found only 1");
    let xml = Request { format: Some("xml".into()), ..usual.clone() };
    assert!(ask("T0: W x 1\n", &xml).starts_with("unknown format `xml`"));
    let unknown = Request { models: "sc,strong".into(), ..usual.clone() };
    assert!(ask("T0: W x 1\n", &unknown).starts_with("unknown model `strong`; for memories: sc,"));
    let spec = Request { spec: Some("heap".into()), format: Some("json".into()), ..usual };
    assert!(ask(&object("a"), &spec).starts_with("a.txt:1: "));
}

#[test]
fn histories_are_counted() {
    let text = "T0: W x 1\n---\nT0: W x 2\n---\nT0: W x what\n";
    let ask =
        |index| answer("a.txt", text.into(), &Request { index, ..Request::default() }, &Limits::default());
    let second = ask(1).expect("the second");
    assert_eq!((second.document.source.as_str(), second.histories, second.more), ("a.txt:3", 3, false));
    assert_eq!(
        ask(2).expect_err("malformed").to_string(),
        "a.txt:5:9: expected the value written, found `what`"
    );
    let many = "T0: W x 1\n---\n".repeat(10_100) + "T0: W x 1\n";
    let request = Request { models: "sc".into(), ..Request::default() };
    let answer = answer("a.txt", many.into(), &request, &Limits::default()).expect("the first");
    assert_eq!((answer.histories, answer.more), (10_000, true));
}
