//! Histories that tell models apart, and the glossary of models.

use crate::error::error;
use crate::history::History;
use crate::limits::{Budget, interruptible};
use crate::names;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tribunal_formats::{Notes, Object, Subject};
use tribunal_history::model::Model;
use tribunal_history::object::{Criterion, Specification, specs};
use tribunal_host::specifications;
use tribunal_report::Question;
use tribunal_separate::{MOST_EVENTS, Pair, Search, Separations};

/// The objects whose histories tell criteria apart.
const OBJECTS: [&str; 5] = ["register", "counter", "set", "queue", "stack"];

/// The smallest history that one model allows and another forbids; None if there is none of up to `events` events.
///
/// Both are memory models or both are criteria of objects. `events` defaults to 7, or 3 for objects, and is at most 8.
///
/// >>> import tribunal
/// >>> message_passing = tribunal.separate("pso", "tso")
/// >>> len(message_passing), bool(message_passing.check("pso")), bool(message_passing.check("tso"))
/// (4, True, False)
#[pyfunction]
#[pyo3(signature = (allows, forbids, *, events=None, spec=None, timeout=None))]
pub fn separate(
    py: Python<'_>,
    allows: &str,
    forbids: &str,
    events: Option<usize>,
    spec: Option<&str>,
    timeout: Option<f64>,
) -> PyResult<Option<History>> {
    let budget = Budget::new(timeout, None, None)?;
    let (allows, forbids) = (names::question(allows)?, names::question(forbids)?);
    if let Some(events) = events.filter(|events| !(1..=MOST_EVENTS).contains(events)) {
        return Err(error(format!("events={events}: expected a number from 1 to {MOST_EVENTS}")));
    }
    let found = match (allows, forbids) {
        (Question::Model(allows), Question::Model(forbids)) => interruptible(py, |stop| {
            let search =
                Search { events: events.unwrap_or(7), limits: budget.limits(&stop), needed_only: true };
            let pair = Pair { allows, forbids };
            found(tribunal_separate::models(&[pair], &search, |_, _| ()), |x| Subject::Memory(x.into()))
        })?,
        (Question::Criterion(allows), Question::Criterion(forbids)) => {
            let given = specifications(spec).map_err(error)?;
            let built_in: Vec<_> = OBJECTS.iter().filter_map(|name| specs::named(name).ok()).collect();
            let specs: Vec<&dyn Specification> = match given.given() {
                Some(given) => vec![given],
                None => built_in.iter().map(|spec| &**spec).collect(),
            };
            interruptible(py, |stop| {
                let search =
                    Search { events: events.unwrap_or(3), limits: budget.limits(&stop), needed_only: true };
                let pair = Pair { allows, forbids };
                found(tribunal_separate::criteria(&[pair], &specs, &search, |_, _| ()), |example| {
                    let lines = vec![1; example.history.len()];
                    let spec = spec.unwrap_or_else(|| OBJECTS[example.spec]).to_string();
                    Subject::Object(Object {
                        history: example.history.into(),
                        spec,
                        lines,
                        notes: Notes::default(),
                    })
                })
            })?
        }
        (allows, forbids) => Err(format!(
            "{allows} and {forbids}: one is of memories and the other of objects, which have no history in common"
        )),
    };
    Ok(found.map_err(error)?.map(|subject| History::made("separation", subject)))
}

/// What was found, if the search was not cut short before.
fn found<E>(
    mut separations: Separations<E>,
    subject: impl FnOnce(E) -> Subject,
) -> Result<Option<Subject>, String> {
    match (separations.found.pop().flatten(), separations.limit) {
        (Some(example), _) => Ok(Some(subject(example))),
        (None, Some(limit)) => Err(format!("undecided: {limit}; none up to {} events", separations.complete)),
        (None, None) => Ok(None),
    }
}

/// The memory models and criteria by name, each with a sentence.
///
/// >>> import tribunal
/// >>> tribunal.models("memory")["sc"]
/// 'Sequential consistency: one interleaving of the threads explains every read.'
#[pyfunction]
#[pyo3(signature = (kind=None))]
pub fn models<'py>(py: Python<'py>, kind: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let (memories, objects) = match kind {
        None => (true, true),
        Some("memory") => (true, false),
        Some("object") => (false, true),
        Some(other) => return Err(error(format!("kind `{other}`: expected memory or object"))),
    };
    let names = PyDict::new(py);
    for model in Model::ALL.into_iter().filter(|_| memories) {
        names.set_item(model.name(), model.sentence())?;
    }
    for criterion in Criterion::ALL.into_iter().filter(|_| objects) {
        names.set_item(criterion.name(), criterion.sentence())?;
    }
    Ok(names)
}
