//! One event from one line: a JSON object, an EDN map, or a line of a Jepsen text log.

use serde_json::Value as Json;
use tribunal::object::Value;

/// What happens to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// It is called.
    Invoke,
    /// It took effect.
    Ok,
    /// It did not take effect; in a text log, a cas saw another value.
    Fail,
    /// Nobody knows.
    Info,
}

/// An event as the line says it.
#[derive(Debug, Default)]
pub struct Line {
    pub process: String,
    /// `invoke`, `ok`, `fail` or `info`.
    pub kind: String,
    pub method: String,
    /// Jepsen's one value.
    pub value: Value,
    pub key: Option<Value>,
    /// The arguments or the return as such, in native events.
    pub args: Option<Value>,
    pub ret: Option<Value>,
    /// Whether it is from a text log, where a cas fails because it saw another value, and nil is a value.
    pub log: bool,
}

impl Line {
    /// The event in a line; nothing if there is none, or it is of no client.
    pub fn read(text: &str) -> Result<Option<Line>, String> {
        let text = text.trim();
        let line = match text.as_bytes().first() {
            None | Some(b';' | b'#') => return Ok(None),
            Some(b'{') if text[1..].trim_start().starts_with('"') => json(text)?,
            Some(b'{' | b'[' | b']' | b'(' | b')') => match edn(text)? {
                Some(line) => line,
                None => return Ok(None),
            },
            Some(_) => match log(text)? {
                Some(line) => line,
                None => return Ok(None),
            },
        };
        if line.process == "nemesis" || line.process == ":nemesis" {
            return Ok(None);
        }
        if line.process.is_empty() {
            return Err("expected an event with a process".into());
        }
        Ok(Some(line))
    }

    /// What happens.
    pub fn happens(&self) -> Result<Type, String> {
        match self.kind.as_str() {
            "invoke" => Ok(Type::Invoke),
            "ok" => Ok(Type::Ok),
            "fail" => Ok(Type::Fail),
            "info" => Ok(Type::Info),
            other => Err(format!("expected the type invoke, ok, fail or info, found `{other}`")),
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        let word = |value: &Value| match value {
            Value::Text(text) => text.trim_start_matches(':').to_string(),
            other => other.to_string(),
        };
        match key {
            "process" => self.process = word(&value),
            "type" => self.kind = word(&value),
            "f" => self.method = word(&value),
            "value" => self.value = value,
            "key" => self.key = Some(value).filter(|key| *key != Value::Null),
            "args" => self.args = Some(value),
            "ret" => self.ret = Some(value),
            _ => {}
        }
    }
}

fn json(text: &str) -> Result<Line, String> {
    let object: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Json::Object(entries) = object else { return Err("expected an object".into()) };
    let mut line = Line::default();
    for (key, value) in &entries {
        if matches!(key.as_str(), "process" | "type" | "f" | "value" | "key" | "args" | "ret") {
            line.set(key, of_json(value)?);
        }
    }
    Ok(line)
}

/// The depth of nesting is bounded by serde_json.
fn of_json(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => {
            Value::Int(number.as_i64().ok_or_else(|| format!("expected a whole number, found {number}"))?)
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => Value::List(values.iter().map(of_json).collect::<Result<_, _>>()?),
        Json::Object(entries) => {
            let pair = |(key, value): (&String, &Json)| {
                Ok(Value::list([Value::from(key.as_str()), of_json(value)?]))
            };
            Value::List(entries.iter().map(pair).collect::<Result<_, String>>()?)
        }
    })
}

/// `INFO  jepsen.util - <process> :<type> :<f> <value>`, or without what is before the process.
fn log(text: &str) -> Result<Option<Line>, String> {
    let event = text.split_once(" - ").map_or(text, |(_, event)| event);
    let (process, rest) = token(event);
    let (kind, rest) = token(rest);
    let (method, rest) = token(rest);
    if !kind.starts_with(':') || !method.starts_with(':') {
        return Ok(None);
    }
    let mut line = Line { log: true, ..Line::default() };
    line.process = process.into();
    line.kind = kind[1..].into();
    line.method = method[1..].into();
    let mut reader = Reader { text: rest, at: 0 };
    line.value = if reader.peek().is_some() { reader.value(0)? } else { Value::Null };
    Ok(Some(line))
}

fn token(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// A map, perhaps with a bracket of the vector of all maps before or after it.
fn edn(text: &str) -> Result<Option<Line>, String> {
    let mut reader = Reader { text, at: 0 };
    while matches!(reader.peek(), Some('[' | '(' | ']' | ')')) {
        reader.at += 1;
    }
    if reader.peek().is_none() {
        return Ok(None);
    }
    let mut line = Line::default();
    reader.expect('{')?;
    while !reader.takes('}') {
        let key = reader.value(0)?;
        let value = reader.value(0)?;
        if let Value::Text(key) = key {
            line.set(key.trim_start_matches(':'), value);
        }
    }
    Ok(Some(line))
}

/// Reads EDN values.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// How deep values may be nested.
const DEEPEST: usize = 64;

impl Reader<'_> {
    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text[self.at..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        self.at = self.text.len() - rest.len();
        rest.chars().next().filter(|&c| c != ';')
    }

    fn takes(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.at += wanted.len_utf8();
        }
        there
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.takes(wanted) { Ok(()) } else { Err(self.expected(&format!("`{wanted}`"))) }
    }

    fn expected(&mut self, wanted: &str) -> String {
        match self.peek() {
            Some(found) => format!("column {}: expected {wanted}, found `{found}`", self.at + 1),
            None => format!("column {}: expected {wanted}, found the end of the line", self.at + 1),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(format!("column {}: values are nested more than {DEEPEST} deep", self.at + 1));
        }
        match self.peek() {
            Some('[') => self.list('[', ']', depth),
            Some('(') => self.list('(', ')', depth),
            Some('{') => {
                self.at += 1;
                let mut entries = Vec::new();
                while !self.takes('}') {
                    let key = self.value(depth + 1)?;
                    entries.push(Value::list([key, self.value(depth + 1)?]));
                }
                Ok(Value::List(entries.into()))
            }
            Some('"') => self.text(),
            Some('#') => {
                // A set, or a tag, which says nothing here.
                self.at += 1;
                if self.peek() != Some('{') {
                    self.word();
                    return self.value(depth + 1);
                }
                self.list('{', '}', depth)
            }
            Some(c) if c == ':' || c == '-' || c == '+' || c.is_alphanumeric() => {
                let word = self.word();
                Ok(match word {
                    "nil" => Value::Null,
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    _ => match word.trim_end_matches('N').parse() {
                        Ok(number) => Value::Int(number),
                        Err(_) => Value::from(word.trim_start_matches(':')),
                    },
                })
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn list(&mut self, open: char, close: char, depth: usize) -> Result<Value, String> {
        self.expect(open)?;
        let mut values = Vec::new();
        while !self.takes(close) {
            values.push(self.value(depth + 1)?);
        }
        Ok(Value::List(values.into()))
    }

    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let end =
            |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}' | '(' | ')' | '"' | ';');
        let end = rest.find(end).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn text(&mut self) -> Result<Value, String> {
        self.at += 1;
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in self.text[self.at..].char_indices() {
            match (escaped, c) {
                (false, '"') => {
                    self.at += at + 1;
                    return Ok(Value::from(text.as_str()));
                }
                (false, '\\') => {
                    escaped = true;
                    continue;
                }
                (true, 'n') => text.push('\n'),
                (true, 't') => text.push('\t'),
                (true, 'r') => text.push('\r'),
                (_, c) => text.push(c),
            }
            escaped = false;
        }
        Err("a text without an end".into())
    }
}
