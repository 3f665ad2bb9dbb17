//! Untrusted JSON documents: no duplicate keys, and bounded memory.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Error, Map, Number, Value};
use std::cell::Cell;
use std::fmt;
use std::mem::size_of;

/// Reads a JSON document that takes at most `max_memory` bytes in addition to its text. A duplicate key is an error,
/// because neither of its values can be trusted.
///
/// ```
/// use tribunal_formats::certificate::parse;
/// assert_eq!(parse("[1, {}]", 1000)?.to_string(), "[1,{}]");
/// let twice = parse(r#"{"a":1,"a":2}"#, 1000).expect_err("which is it?");
/// assert!(twice.to_string().starts_with("duplicate key \"a\""));
/// assert!(parse("[1, 2, 3, 4, 5, 6, 7, 8, 9]", 100).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn parse(text: &str, max_memory: usize) -> Result<Value, Error> {
    let allowance = Allowance { max_memory, taken: Cell::new(0) };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Document(&allowance).deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

struct Allowance {
    max_memory: usize,
    taken: Cell<usize>,
}

impl Allowance {
    fn take<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        self.taken.set(self.taken.get().saturating_add(bytes));
        if self.taken.get() <= self.max_memory {
            return Ok(());
        }
        Err(E::custom(format_args!("it takes more than the {} bytes that are allowed", self.max_memory)))
    }
}

struct Document<'a>(&'a Allowance);

/// Vectors grow by doubling, and while they do so the old one is still there.
const GROWTH: usize = 3;
/// An entry of a map: its key, its value, its hash and its place in the index.
const ENTRY: usize = size_of::<String>() + size_of::<Value>() + 2 * size_of::<usize>();

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.0.take(text.len())?;
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = elements.next_element_seed(Document(self.0))? {
            self.0.take(GROWTH * size_of::<Value>())?;
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.0.take(key.len() + GROWTH * ENTRY)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            map.insert(key, entries.next_value_seed(Document(self.0))?);
        }
        Ok(Value::Object(map))
    }
}
