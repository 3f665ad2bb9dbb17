//! Holding lines of JSON to a JSON Schema. Tests include this file by `#[path]`.

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

/// Holds all lines to the schema in a file; there must be some.
pub fn hold(lines: &str, schema: &Path) {
    let name = schema.display();
    let schema = std::fs::read_to_string(schema).expect("a schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    assert!(!lines.is_empty(), "{name}");
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let problems = problems(&value, &schema, &schema, "line");
        assert!(problems.is_empty(), "{name}: {problems:?}\n{line}");
    }
}
