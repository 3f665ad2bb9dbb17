//! Certificates of object histories.
//!
//! An operation is its index in the history, from 0. Reading checks that every operation exists; verification checks that the
//! certificate is right.

use super::{CertificateError, shortened, unexpected};
use serde_json::{Value, json};
use tribunal_history::object::{AbstractExecution, History, OpId, Violation, Visibility};

/// A witness as JSON: `{"lin":[0,2,1],"vis":"all"}`, or for each operation of `lin` the visible ones: `"vis":[[],[0],[0]]`.
///
/// ```
/// use tribunal::object::{AbstractExecution, OpId, Visibility};
/// use tribunal_formats::{certificate::object, read};
/// let json = r#"{"kind":"object","spec":"counter","operations":[
///     {"process":0,"f":"inc","args":[],"ret":null,"call":0,"return":1},
///     {"process":1,"f":"get","args":[],"ret":1,"call":2,"return":3}]}"#;
/// let history = read(json.as_bytes(), "inc", None)?.next().expect("a history")?;
/// let history = &history.object().expect("of an object").history;
/// let witness = AbstractExecution { lin: vec![OpId(0), OpId(1)], vis: Visibility::All };
/// let json = object::witness_to_json(&witness);
/// assert_eq!(json.to_string(), r#"{"lin":[0,1],"vis":"all"}"#);
/// assert_eq!(object::witness_from_json(history, &json), Ok(witness));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn witness_to_json(witness: &AbstractExecution) -> Value {
    let vis = match &witness.vis {
        Visibility::All => json!("all"),
        Visibility::Sets(sets) => sets.iter().map(|set| ops_to_json(set)).collect(),
    };
    json!({"lin": ops_to_json(&witness.lin), "vis": vis})
}

/// A violation as JSON: `{"operations":[0,2]}`, with `"cut":3` for the state after that many events.
pub fn violation_to_json(violation: &Violation) -> Value {
    let mut json = json!({"operations": ops_to_json(&violation.operations)});
    if let Some(cut) = violation.cut {
        json["cut"] = cut.into();
    }
    json
}

fn ops_to_json(ops: &[OpId]) -> Value {
    ops.iter().map(|op| op.0).collect()
}

/// A witness from JSON.
pub fn witness_from_json(history: &History, json: &Value) -> Result<AbstractExecution, CertificateError> {
    const EXPECTED: &str = "\"all\", or for each operation of lin a list of those visible to it";
    let lin = ops(history, get(json, "lin", "a witness")?)?;
    let vis = match get(json, "vis", "a witness")? {
        Value::String(word) if word == "all" => Visibility::All,
        Value::Array(sets) if sets.len() == lin.len() => {
            Visibility::Sets(sets.iter().map(|set| ops(history, set)).collect::<Result<_, _>>()?)
        }
        other => return Err(unexpected(EXPECTED, other)),
    };
    Ok(AbstractExecution { lin, vis })
}

/// A violation from JSON.
pub fn violation_from_json(history: &History, json: &Value) -> Result<Violation, CertificateError> {
    let operations = ops(history, get(json, "operations", "a violation")?)?;
    let cut = match json.get("cut") {
        None | Some(Value::Null) => None,
        Some(cut) => {
            let events = history.ops().map(|op| if history.is_pending(op) { 1 } else { 2 }).sum();
            let number = cut.as_u64().and_then(|cut| u32::try_from(cut).ok()).filter(|&cut| cut <= events);
            Some(number.ok_or_else(|| unexpected("a number of events, no more than the history has", cut))?)
        }
    };
    Ok(Violation { operations, cut })
}

fn get<'j>(json: &'j Value, key: &'static str, object: &'static str) -> Result<&'j Value, CertificateError> {
    let entries = json.as_object().ok_or_else(|| unexpected(object, json))?;
    entries.get(key).ok_or(CertificateError::MissingKey { key, object })
}

fn ops(history: &History, json: &Value) -> Result<Vec<OpId>, CertificateError> {
    let list = json.as_array().ok_or_else(|| unexpected("a list of operations", json))?;
    list.iter().map(|op| operation(history, op)).collect()
}

fn operation(history: &History, json: &Value) -> Result<OpId, CertificateError> {
    let index = json.as_u64().ok_or_else(|| unexpected("the index of an operation", json))?;
    match u32::try_from(index) {
        Ok(op) if (op as usize) < history.len() => Ok(OpId(op)),
        _ => Err(CertificateError::UnknownOperation { operation: shortened(&index.to_string()) }),
    }
}
