//! Bad histories of objects: each kind has its answer, one line long, that names file and line.

use crate::command::{ENQUEUES, Place};

/// Checks that a file is refused with one line that begins so and contains this.
fn refused_with(options: &[&str], name: &str, content: &str, begins: &str, contains: &str) {
    let place = Place::with(name, content);
    for command in [&["check"][..], &["check", "--style", "brief"], &["shrink"]] {
        let ran = place.run(&[command, options, &[name]].concat());
        assert_eq!(ran.status, 2, "{name}: {ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {begins}")), "{begins}: {}", ran.stderr);
        assert!(ran.stderr.contains(contains), "{contains}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{name}");
    }
}

fn refused(name: &str, content: &str, begins: &str, contains: &str) {
    refused_with(&[], name, content, begins, contains);
}

/// A history whose second operation, on line 3, is this.
fn second(operation: &str) -> String {
    format!(
        "{{\"kind\":\"object\",\"spec\":\"register\",\"operations\":[\n\
         {{\"process\":0,\"f\":\"write\",\"args\":[1],\"ret\":null,\"call\":0,\"return\":5}},\n{operation}]}}\n"
    )
}

#[test]
fn operations_of_a_process_overlap() {
    let overlap = second(r#"{"process":0,"f":"read","args":[],"ret":1,"call":3,"return":9}"#);
    refused("a.json", &overlap, "a.json:3", "while its write(1) is still open");
    refused(
        "a.edn",
        "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :invoke, :f :read, :value nil}\n",
        "a.edn:2",
        "still open",
    );
}

#[test]
fn a_return_without_a_call() {
    refused("a.edn", "{:process 0, :type :ok, :f :read, :value 1}\n", "a.edn:1", "");
    refused("a.log", "INFO  jepsen.util - 0\t:ok\t:read\t1\n", "a.log:1", "");
}

#[test]
fn an_unknown_method() {
    refused(
        "a.json",
        &second(r#"{"process":1,"f":"push","args":[1],"ret":null,"call":3,"return":9}"#),
        "a.json:3",
        "register has no method `push`; it has write, read",
    );
}

#[test]
fn a_wrong_number_of_arguments() {
    refused(
        "a.json",
        &second(r#"{"process":1,"f":"read","args":[1],"ret":1,"call":3,"return":9}"#),
        "a.json:3",
        "read takes 0 arguments, found 1",
    );
}

#[test]
fn a_wrong_type() {
    let add = r#"{"kind":"object","spec":"counter","operations":[
{"process":0,"f":"add","args":["one"],"ret":null,"call":0,"return":5}]}"#;
    refused("a.json", add, "a.json:2", "add: argument 1 must be a whole number, found \"one\"");
    refused_with(&["--spec", "counter"], "a.json", ENQUEUES, "a.json:2", "counter has no method `enqueue`");
}

#[test]
fn a_return_of_a_wrong_type_is_inconsistent_not_an_error() {
    let wrong = second(r#"{"process":1,"f":"write","args":[1],"ret":true,"call":3,"return":9}"#);
    let ran = Place::with("a.json", wrong).run(&["check", "--style", "json", "--verify", "a.json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (1, "7 certificates verified, 0 refused\n"));
    assert!(ran.stdout.lines().all(|line| line.contains(r#""verdict":"inconsistent""#)), "{}", ran.stdout);
}

#[test]
fn times_going_backwards() {
    refused(
        "a.json",
        &second(r#"{"process":1,"f":"read","args":[],"ret":1,"call":9,"return":3}"#),
        "a.json:3",
        "returns at 3, which is not after its call at 9",
    );
}

#[test]
fn an_unknown_specification() {
    refused("a.json", &ENQUEUES.replace("queue\"", "cupboard\""), "a.json:1", "cupboard");
}

#[test]
fn a_cycle_of_hb() {
    let cycle = r#"{"kind":"object","spec":"counter","operations":[{"process":0,"f":"inc","args":[],"ret":null},{"process":1,"f":"inc","args":[],"ret":null}],"hb":[[0,1],[1,0]]}"#;
    refused("a.json", cycle, "a.json:1", "cycle");
}

#[test]
fn a_specification_file_with_an_error() {
    let place = Place::with("a.json", ENQUEUES);
    place.write("bad.spec", "object queue {\n  state items: heap = []\n}\n");
    for command in ["check", "shrink"] {
        let ran = place.run(&[command, "--spec", "bad.spec", "a.json"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with("error: bad.spec:2:"), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn truncated() {
    for length in 1..ENQUEUES.trim_end().len() {
        let ran = Place::with("a.json", &ENQUEUES[..length]).run(&["check", "a.json"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{length}: {ran:?}");
        assert!(ran.stderr.starts_with("error: a.json"), "{}", ran.stderr);
    }
}
