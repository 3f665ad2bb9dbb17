//! From the bytes of a file to a document: what the page, the server and the WebAssembly ask for.

use crate::{Document, document};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tribunal_formats::{Format, History, NoSpecification, ReadOptions, Subject, UnknownFormat};
use tribunal_history::model::definition::{Definition, NoFiles};
use tribunal_history::object::specs;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_report::{Check, NotCheckable, Questions, Specifications};
use web_time::Instant;

/// Histories of a file are counted up to here; beyond it the answer only says that there are more.
const COUNTED: u64 = 10_000;

/// A request to check a file. As JSON: `{"models": "sc,mine.cat", "texts": {"mine.cat": "acyclic po | rf"}}`; every field is optional.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// The models, criteria or levels, separated by commas. `all` means those that apply and those given in `texts`.
    pub models: String,
    /// Models written in cat, by file name.
    pub texts: BTreeMap<String, String>,
    /// The number of the history in the file, from 0.
    pub index: u64,
    /// The built-in specification of an object, by name. Without it, the one that the history names.
    pub spec: Option<String>,
    /// The format, by name. Without it, the format is recognized.
    pub format: Option<String>,
}

impl Default for Request {
    fn default() -> Self {
        Request { models: "all".into(), texts: BTreeMap::new(), index: 0, spec: None, format: None }
    }
}

/// The response to a request.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The history and its verdicts, ready to be drawn.
    pub document: Document,
    /// The number of histories that the file has, as far as they were counted. Malformed ones count.
    pub histories: u64,
    /// Whether there are more than were counted.
    pub more: bool,
}

/// The reason why a request has no answer. Its text is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The history could not be read; the text begins with `file:line:column`.
    #[error(transparent)]
    Input(#[from] tribunal_formats::Error),
    /// There is no such format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// There is no such model or criterion.
    #[error("{0}")]
    Question(String),
    /// There is no such history.
    #[error("{file}: expected a history of index {index}, from 0, found only {histories}")]
    NoHistory {
        /// The file's name.
        file: String,
        /// The index asked for.
        index: u64,
        /// The number of histories that there are.
        histories: u64,
    },
    /// The history's specification, or the one given, is unknown.
    #[error("{file}:{line}: {problem}")]
    Specification {
        /// The file's name.
        file: String,
        /// The line where the history begins.
        line: u64,
        /// The problem.
        problem: NoSpecification,
    },
}

/// Reads a file, compressed or not, checks one of its histories and makes a document of the verdicts. The checks share the time until
/// the deadline. `max_memory` bounds reading the history, and each engine on top of that.
pub fn answer(
    name: &str,
    bytes: Vec<u8>,
    request: &Request,
    limits: &Limits<'_>,
) -> Result<Response, RequestError> {
    let given = request.texts.iter().map(|(name, text)| {
        Definition::new(name, text, &mut NoFiles).map_err(|error| RequestError::Question(error.to_string()))
    });
    let given: Vec<Definition> = given.collect::<Result<_, _>>()?;
    let questions: Questions = request.models.parse().map_err(RequestError::Question)?;
    let format = request.format.as_deref().map(str::parse::<Format>).transpose()?;
    let mut histories = tribunal_formats::read(
        std::io::Cursor::new(bytes),
        name,
        ReadOptions { format, max_memory: limits.max_memory, ..ReadOptions::default() },
    )?
    .read_as(questions.read_as(request.spec.as_deref()));
    let mut before = 0;
    let history = loop {
        match histories.next() {
            Some(history) if before == request.index => break history?,
            Some(history) => drop(history?),
            None => {
                let (file, index) = (name.into(), request.index);
                return Err(RequestError::NoHistory { file, index, histories: before });
            }
        }
        before += 1;
    };
    let document = checked(&history, name, (questions, &given), request.spec.as_deref(), limits)?;
    drop(history);
    // Malformed ones count: asking for one says what is wrong with it.
    let left = COUNTED.saturating_sub(before + 1);
    let after = histories.by_ref().take(left as usize).count() as u64;
    Ok(Response { document, histories: before + 1 + after, more: histories.next().is_some() })
}

fn checked(
    history: &History,
    file: &str,
    (questions, given): (Questions, &[Definition]),
    spec: Option<&str>,
    limits: &Limits<'_>,
) -> Result<Document, RequestError> {
    let unspecified =
        |problem| RequestError::Specification { file: file.into(), line: history.line, problem };
    // Only objects have a specification.
    let spec = spec.filter(|_| matches!(history.subject, Subject::Object(_)));
    let spec = spec.map(specs::named).transpose().map_err(|unknown| unspecified(unknown.into()))?;
    let given = given.iter().copied().map(Model::Cat);
    let check = Check::new(questions, Specifications::new(spec)).beside(given);
    let checkable = check.checkable(&history.subject, file).map_err(|unfit| match unfit {
        NotCheckable::Specification(problem) => unspecified(problem),
        NotCheckable::IllTyped(error) | NotCheckable::OtherMethods { source: error, .. } => error.into(),
    })?;
    let asked = check.questions(&checkable).len();
    let answers = check.ask_all(&checkable, |question, known| {
        // The first, which is the strongest, may take half of the time; then each a part, and one is left for drawing.
        let parts = if known.is_empty() { 2 } else { asked - known.len() + 1 };
        Some(check.answer_after(known, &checkable, question, &share(limits, parts as u32)))
    });
    Ok(document(history, file, &answers, limits))
}

/// The limits of the next of so many checks. A quick one leaves its time to those that follow.
fn share<'a>(limits: &Limits<'a>, parts: u32) -> Limits<'a> {
    let now = limits.deadline.map(|_| Instant::now());
    let deadline = limits.deadline.zip(now);
    let deadline = deadline.map(|(deadline, now)| now + deadline.saturating_duration_since(now) / parts);
    Limits { deadline, ..*limits }
}
