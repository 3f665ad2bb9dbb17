//! Returns that are not true but look it.

use super::calls::Calls;
use tribunal_history::object::{Kind, Value};
use tribunal_random::Xoshiro;

/// Another return of the kind that the method has; nothing if the method has only one.
pub(super) fn instead_of(truth: &Value, kind: Kind, calls: &Calls, rng: &mut Xoshiro) -> Option<Value> {
    let lie = match (kind, truth) {
        (Kind::Null, _) => return None,
        (Kind::Any, Value::Int(_)) if rng.index(4) == 0 => Value::Null,
        (Kind::Any, _) => calls.plausible(rng).into(),
        (_, Value::Bool(truth)) => (!truth).into(),
        (_, Value::Int(number)) => {
            if rng.flip() { number.wrapping_add(1) } else { number.wrapping_sub(1) }.into()
        }
        (_, Value::Text(text)) => match text.char_indices().next_back() {
            Some((last, _)) => text[..last].into(),
            None => "?".into(),
        },
        (_, Value::List(values)) => return in_list(values, calls, rng),
        (_, Value::Null) => return None,
    };
    (lie != *truth).then_some(lie)
}

/// One element changed or, if they are plain values, one left out.
fn in_list(values: &[Value], calls: &Calls, rng: &mut Xoshiro) -> Option<Value> {
    if values.is_empty() {
        return Some(Value::list([calls.plausible(rng).into()]));
    }
    let at = rng.index(values.len());
    let mut lie = values.to_vec();
    match &values[at] {
        Value::List(row) => {
            let write = row.first() == Some(&Value::from("w"));
            let (last, rest) = row.split_last().filter(|_| !write)?;
            let number = last.as_int().map_or(calls.plausible(rng), |number| number.wrapping_add(1));
            lie[at] = Value::list(rest.iter().cloned().chain([number.into()]));
        }
        _ => drop(lie.remove(at)),
    }
    Some(Value::list(lie))
}
