//! The JSON lines of every command keep to their schema in docs/schema.

use crate::command::{MISSED, MP, Place, SB, SEEN, STALE, several};
use serde_json::Value;
use std::path::Path;

/// What is wrong with a value by a schema. Of JSON Schema this knows what ours use; unlike it, a key that the schema does not
/// list is wrong, so that nothing is printed that is not described.
fn problems(value: &Value, schema: &Value, root: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect("a definition");
        return problems(value, target, root, at);
    }
    let mut found = Vec::new();
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
        found.push(format!("{at}: {value} is not of {types:?}"));
    }
    if let Some(known) = schema["enum"].as_array().filter(|known| !known.contains(value)) {
        found.push(format!("{at}: {value} is not in {known:?}"));
    }
    if schema.get("const").is_some_and(|known| known != value) {
        found.push(format!("{at}: {value} is not {}", schema["const"]));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64())
        && number < least
    {
        found.push(format!("{at}: {number} is less than {least}"));
    }
    if let (Some(items), Some(elements)) = (schema.get("items"), value.as_array()) {
        found.extend(elements.iter().flat_map(|element| problems(element, items, root, &format!("{at}[]"))));
    }
    if let (Some(known), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for (key, value) in object {
            match known.get(key) {
                Some(schema) => found.extend(problems(value, schema, root, &format!("{at}.{key}"))),
                None => found.push(format!("{at}.{key} is not in the schema")),
            }
        }
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing = required.filter(|key| !object.contains_key(*key));
        found.extend(missing.map(|key| format!("{at}.{key} is missing")));
    }
    found
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the test does not know the type {other}"),
    }
}

/// Holds all lines to a schema; there must be some.
fn hold(lines: &str, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name);
    let schema = std::fs::read_to_string(path).expect("a schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    assert!(!lines.is_empty(), "{name}");
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let problems = problems(&value, &schema, &schema, "line");
        assert!(problems.is_empty(), "{name}: {problems:?}\n{line}");
    }
}

#[test]
fn verdict_lines() {
    let racy = "name: racy\nT0: W.na x 1; W.rel y 1\nT1: R y 1; R.na x 1\n";
    let place = Place::with("all.txt", several(&[SEEN, MISSED, MP, SB, racy]));
    place.write("stale.json", STALE);
    place.write("lost.json", include_str!("../../../../../examples/transactions/lost-update.json"));
    place.write("bad.txt", several(&[SEEN, "T0: nonsense\n"]));
    for arguments in [
        &["--witness", "--verify", "all.txt", "stale.json", "lost.json"][..],
        &["--timeout", "0", "all.txt", "stale.json", "lost.json"],
        &["--model", "linearizable,sc,ser", "all.txt", "stale.json", "lost.json"],
        &["--keep-going", "bad.txt"],
    ] {
        let ran = place.run(&[&["check", "--style", "json"], arguments].concat());
        hold(&ran.stdout, "check.json");
    }
    let stored = ["check", "--style", "json", "--certificates", "stored", "--certificate-limit", "0"];
    hold(&place.run(&[&stored[..], &["all.txt"]].concat()).stdout, "check.json");
}

#[test]
fn races_and_kernels() {
    let racy = "name: racy\nT0: W.na x 1; W.rel y 1\nT1: R y 1; R.na x 1\n";
    let open = "name: open\nT0: W.na x 1; W y 1\nT1: W y 1; R.na x 0\nT2: R y 1\n";
    let cyclic = "name: cyclic\nT0: R.na x 1; W y 1\nT1: R y 1; W x 1\n";
    let place = Place::with("all.txt", several(&[racy, open, cyclic, SEEN]));
    hold(&place.run(&["races", "--all", "--style", "json", "all.txt"]).stdout, "races.json");
    hold(&place.run(&["races", "--timeout", "0", "--style", "json", "all.txt"]).stdout, "races.json");
    let generate =
        ["generate", "machine", "--threads", "6", "--events", "60", "--histories", "3", "-o", "sc.txt"];
    assert_eq!(place.run(&generate).status, 0);
    place.write("sb.txt", SB);
    hold(&place.run(&["kernel", "--style", "json", "sc.txt", "sb.txt"]).stdout, "kernel.json");
    hold(&place.run(&["kernel", "--timeout", "0", "--style", "json", "sc.txt"]).stdout, "kernel.json");
}

#[test]
fn programs_and_litmus_tests() {
    let sb = "atomic x, y @rlx\nthread A { x = 1; a = y }\nthread B { y = 1; b = x }\nexpect executions 3\n";
    let race =
        "plain d\natomic y\nthread A { d = 1; y = 1 @rel }\nthread B { if y @rlx { a = d } }\nexpect race\n";
    let place = Place::with("sb.prog", sb);
    place.write("race.prog", race);
    let explore = ["explore", "--style", "json", "--models", "--repair", "sb.prog", "race.prog"];
    hold(&place.run(&explore).stdout, "explore.json");
    let test = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    place.write("sb.litmus", test);
    hold(&place.run(&["litmus", "--style", "json", "--model", "sc,tso", "sb.litmus"]).stdout, "litmus.json");
}
