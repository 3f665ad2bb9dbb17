//! What a document says of an object: rows, keys, states, and partial linearizations.

use crate::check;
use serde_json::json;
use tribunal_history::limits::Limits;
use tribunal_view::{Document, ObjectDrawing, Picture, Request, answer, svg};

fn shown(history: &serde_json::Value) -> Document {
    let request = Request { models: "linearizable".into(), ..Request::default() };
    let bytes = history.to_string().into_bytes();
    let document = answer("history.json", bytes, &request, &Limits::default()).expect("a document").document;
    check(&document);
    document
}

fn drawing(document: &Document) -> &ObjectDrawing {
    let Picture::Object { answers, .. } = &document.picture else { panic!("an object") };
    &answers[0].drawn
}

/// Operations one after another, each by its process: name, method, arguments, return.
fn history(
    spec: &str,
    operations: &[(&str, &str, serde_json::Value, serde_json::Value)],
) -> serde_json::Value {
    let operation = |(at, (process, f, args, ret)): (usize, &(&str, &str, _, _))| json!({"process": process, "f": f, "args": args, "ret": ret, "call": 10 * at, "return": 10 * at + 5});
    let operations: Vec<_> = operations.iter().enumerate().map(operation).collect();
    json!({"kind": "object", "spec": spec, "operations": operations})
}

#[test]
fn rows_are_in_the_order_of_names() {
    let write = |process| (process, "write", json!([1]), json!(null));
    let document = shown(&history("register", &[write("p10"), write("p9"), write("p2")]));
    let Picture::Object { processes, operations, .. } = &document.picture else { panic!("an object") };
    let names: Vec<&str> = processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!(names, ["p2", "p9", "p10"]);
    assert_eq!(operations.iter().map(|operation| operation.process).collect::<Vec<_>>(), [2, 1, 0]);
}

#[test]
fn a_linearization_has_states() {
    let document = shown(&history(
        "queue",
        &[
            ("0", "enqueue", json!([1]), json!(null)),
            ("0", "enqueue", json!([2]), json!(null)),
            ("0", "dequeue", json!([]), json!(1)),
        ],
    ));
    let drawing = drawing(&document);
    assert_eq!(drawing.lin, [0, 1, 2]);
    assert_eq!(drawing.states, ["[1]", "[1, 2]", "[2]"]);
    assert!(drawing.partial.is_none());
}

#[test]
fn a_violation_has_the_longest_partial_linearization_with_states() {
    let document = shown(&history(
        "queue",
        &[
            ("0", "enqueue", json!([1]), json!(null)),
            ("1", "dequeue", json!([]), json!(7)),
            ("0", "enqueue", json!([2]), json!(null)),
        ],
    ));
    let drawing = drawing(&document);
    let partial = drawing.partial.as_ref().expect("partial linearizations");
    assert_eq!(partial.ends, [Some(0), None, None]);
    assert_eq!((partial.longest[0].end, partial.longest[0].length), (Some(0), 1));
    assert_eq!(partial.steps[0].state.as_deref(), Some("[1]"));
    assert_eq!(partial.longest[0].limit, None);
    assert_eq!(drawing.failing, Some(1));
    let picture = svg(&document, 0);
    assert!(
        picture.contains("class=\"point\"") && picture.contains("longest partial linearization"),
        "{picture}"
    );
}

/// A picture cannot be scrolled: of forty operations it has those around the one that fails.
#[test]
fn a_picture_has_what_fails_in_view() {
    let mut operations: Vec<_> = (0..39).map(|at| ("0", "write", json!([at]), json!(null))).collect();
    operations.insert(30, ("0", "read", json!([]), json!(77)));
    let document = shown(&history("register", &operations));
    assert_eq!(drawing(&document).failing, Some(30));
    let picture = svg(&document, 0);
    assert!(picture.contains("13 of 40 operations"), "{picture}");
    assert!(picture.contains("read() → 77") && !picture.contains("write(5)"));
    // Without a violation all are drawn.
    operations.remove(30);
    assert!(svg(&shown(&history("register", &operations)), 0).contains("write(5)"));
}

#[test]
fn each_key_of_a_store_is_listed() {
    let document = shown(&history(
        "keyed register",
        &[
            ("0", "write", json!([10, 1]), json!(null)),
            ("0", "write", json!([9, 1]), json!(null)),
            ("1", "read", json!([10]), json!(1)),
            ("1", "read", json!([9]), json!(3)),
        ],
    ));
    let Picture::Object { keys, operations, .. } = &document.picture else { panic!("an object") };
    let listed: Vec<_> = keys.iter().map(|key| (key.name.as_str(), key.length, key.linearizable)).collect();
    assert_eq!(listed, [("9", 2, Some(false)), ("10", 2, Some(true))]);
    assert_eq!(operations.iter().map(|operation| operation.key).collect::<Vec<_>>(), [1, 0, 1, 0].map(Some));
    let partial = drawing(&document).partial.as_ref().expect("partial linearizations");
    let lengths: Vec<u32> = partial.longest.iter().map(|longest| longest.length).collect();
    assert_eq!(lengths, [1, 2]);
}

#[test]
fn what_the_nemesis_did_is_drawn() {
    let edn = r#"{:process 0 :type :invoke :f :write :value 1 :time 1}
        {:process 0 :type :ok :f :write :value 1 :time 2}
        {:process :nemesis :type :info :f :kill :value ["n1"] :time 3}
        {:process 1 :type :invoke :f :write :value 2 :time 4}
        {:process 1 :type :info :f :write :value 2 :error :timeout :time 5}
        {:process :nemesis :type :info :f :start :value ["n1"] :time 6}
        {:process 0 :type :invoke :f :read :value nil :time 7}
        {:process 0 :type :ok :f :read :value 3 :time 8}"#;
    let request = Request { models: "linearizable".into(), ..Request::default() };
    let document = answer("a.edn", edn.into(), &request, &Limits::default()).expect("a document").document;
    check(&document);
    let Picture::Object { operations, disturbances, .. } = &document.picture else { panic!("an object") };
    let errors: Vec<_> = operations.iter().map(|operation| operation.error.as_deref()).collect();
    assert_eq!(errors, [None, Some("timeout"), None]);
    let [kill] = &disturbances[..] else { panic!("{disturbances:?}") };
    assert_eq!((kill.what.as_str(), kill.from, kill.to, kill.line), ("nemesis kill [\"n1\"]", 2, Some(3), 3));
    assert_eq!(kill.times, Some(("3".into(), Some("6".into()))));
    let picture = svg(&document, 0);
    assert!(
        picture.contains("nemesis kill [&quot;n1&quot;]") && picture.contains("write(2) → ? (timeout)"),
        "{picture}"
    );
}
