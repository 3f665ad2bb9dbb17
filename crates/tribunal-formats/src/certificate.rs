//! Certificates as JSON: those of memories here, of objects in [`object`], of transactions in [`transactions`].
//!
//! An event is `[thread, index]`, both from 0, or `{"init":"x"}` for the initial write of x. `docs/formats.md` documents the
//! format. Reading checks that every event, location and name exists; `tribunal-verify` checks that the certificate is
//! right.

mod digest;
mod document;
pub mod object;
pub mod transactions;

pub use digest::digest;
pub use document::parse;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use tribunal_history::memory::{EventId, Execution, LocId, Observation, ThreadId};
use tribunal_history::verdict::{
    Axiom, Because, Check, Cycle, Edge, ModificationOrder, Race, Refutation, Violation, Witness,
};

/// The depth to which the reasons of an edge may be nested, and cases within cases.
const EDGE_DEPTH: usize = 32;
const CASE_DEPTH: usize = 1000;

/// The reason why a JSON document is not a certificate of a history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A key is missing.
    #[error("missing key \"{key}\" in {object}")]
    MissingKey {
        /// The key.
        key: &'static str,
        /// The kind of the object.
        object: &'static str,
    },
    /// A value of the wrong type or shape.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The thing that was expected.
        expected: &'static str,
        /// The text that is there, shortened.
        found: String,
    },
    /// The history has no such event.
    #[error("the history has no event {event}")]
    UnknownEvent {
        /// The event as written.
        event: String,
    },
    /// The history has no such operation.
    #[error("the history has no operation {operation}")]
    UnknownOperation {
        /// The operation as written.
        operation: String,
    },
    /// The history has no such transaction.
    #[error("the history has no transaction {txn}")]
    UnknownTransaction {
        /// The transaction as written.
        txn: String,
    },
    /// The history has no such key.
    #[error("the history has no key `{key}`")]
    UnknownKey {
        /// The key's name.
        key: String,
    },
    /// The history has no such location.
    #[error("the history has no location `{loc}`")]
    UnknownLocation {
        /// The location's name.
        loc: String,
    },
    /// A witness omits a location.
    #[error("the witness has no mo of location `{loc}`")]
    MissingLocation {
        /// The location's name.
        loc: String,
    },
    /// Unknown axiom, relation or reason.
    #[error("unknown {what} `{name}`")]
    UnknownName {
        /// The kind that it should be.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Reasons or cases are nested too deep.
    #[error("nested more than {limit} levels deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

/// A violation as JSON.
///
/// ```
/// use tribunal::{history::verdict::{Axiom, Because, Cycle, Edge, Refutation}, memory::Violation};
/// use tribunal_formats::{certificate, read};
/// let lb = "T0: R x 1; W y 1\nT1: R y 1; W x 1\n";
/// let x = read(lb.as_bytes(), "lb", None)?.next().expect("a history")?.into_memory().expect("of a memory");
/// let [a, b, c, d] = [0, 1, 2, 3].map(tribunal::memory::EventId);
/// let edge = |from, to, because| Edge { from, to, because };
/// let edges = vec![
///     edge(a, b, Because::Po), edge(b, c, Because::Rf), edge(c, d, Because::Po), edge(d, a, Because::Rf),
/// ];
/// let cycle = Refutation::Cycle(Cycle { lemmas: vec![], edges });
/// let violation = Violation { axiom: Axiom::PoRf, refutation: cycle };
/// let json = certificate::violation_to_json(&x, &violation);
/// assert_eq!(json["cycle"][1].to_string(), r#"{"from":[0,1],"to":[1,0],"rel":"rf"}"#);
/// assert_eq!(certificate::violation_from_json(&x, &json), Ok(violation));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn violation_to_json(x: &Execution, violation: &Violation) -> Value {
    let mut json = Map::new();
    json.insert("axiom".into(), violation.axiom.name().into());
    // Cases are listed rather than nested: certificates of searches nest deeper than JSON parsers like.
    let mut cases: Vec<(Option<Axiom>, &Refutation)> = Vec::new();
    json.extend(refutation_to_json(x, &violation.refutation, &mut cases));
    let mut listed = Vec::new();
    while let Some(&(axiom, case)) = cases.get(listed.len()) {
        let mut json = Map::new();
        json.extend(axiom.map(|axiom| ("axiom".into(), axiom.name().into())));
        json.extend(refutation_to_json(x, case, &mut cases));
        listed.push(Value::Object(json));
    }
    if !listed.is_empty() {
        json.insert("cases".into(), listed.into());
    }
    Value::Object(json)
}

/// A refutation as JSON; its cases are appended to `cases` and referred to by index.
fn refutation_to_json<'a>(
    x: &Execution,
    refutation: &'a Refutation,
    cases: &mut Vec<(Option<Axiom>, &'a Refutation)>,
) -> Map<String, Value> {
    let event = |e| event_to_json(x, e);
    let mut json = Map::new();
    match refutation {
        Refutation::Cycle(cycle) => {
            json.insert("cycle".into(), edges_to_json(x, &cycle.edges));
            if !cycle.lemmas.is_empty() {
                json.insert("lemmas".into(), edges_to_json(x, &cycle.lemmas));
            }
        }
        Refutation::SharedSource { write, rmws: [first, second] } => {
            let shared = json!({"write": event(*write), "rmws": [event(*first), event(*second)]});
            json.insert("shared_source".into(), shared);
        }
        Refutation::Overwritten { read, by, before, after } => {
            let overwritten = json!({
                "read": event(*read),
                "by": event(*by),
                "before": edges_to_json(x, before),
                "after": edges_to_json(x, after),
            });
            json.insert("overwritten".into(), overwritten);
        }
        Refutation::Split { first, second, forward, backward } => {
            let index = cases.len();
            cases.extend([(None, &**forward), (None, &**backward)]);
            let split = json!({
                "first": event(*first),
                "second": event(*second),
                "forward": index,
                "backward": index + 1,
            });
            json.insert("split".into(), split);
        }
        Refutation::ThinAir(of) => {
            json.insert("thin_air".into(), Value::Object(observation_to_json(x, *of)));
        }
        Refutation::NoSource(read) => {
            json.insert("no_source".into(), json!({"read": event(*read)}));
        }
        Refutation::Forced { sources, then } => {
            let forced = json!({"sources": sources_to_json(x, sources), "then": cases.len()});
            cases.push((Some(then.axiom), &then.refutation));
            json.insert("forced".into(), forced);
        }
        Refutation::Sources { of, cases: sources } => {
            let mut open = observation_to_json(x, *of);
            let first = cases.len();
            let case = |(i, (source, _)): (usize, &(EventId, Violation))| json!({"source": event(*source), "case": first + i});
            open.insert("cases".into(), sources.iter().enumerate().map(case).collect());
            cases.extend(sources.iter().map(|(_, case)| (Some(case.axiom), &case.refutation)));
            json.insert("sources".into(), Value::Object(open));
        }
        Refutation::Check(Check { index, mo, events }) => {
            let mo: Value = mo.iter().map(|&(first, second)| json!([event(first), event(second)])).collect();
            let events: Value = events.iter().map(|&e| event(e)).collect();
            json.insert("check".into(), json!({"index": index, "mo": mo, "events": events}));
        }
    }
    json
}

/// `{"read":[0,1]}`, or `{"final":"x","value":1}`.
fn observation_to_json(x: &Execution, of: Observation) -> Map<String, Value> {
    let mut json = Map::new();
    match of {
        Observation::Read(read) => {
            json.insert("read".into(), event_to_json(x, read));
        }
        Observation::Final { loc, value } => {
            json.insert("final".into(), x.location_name(loc).into());
            json.insert("value".into(), value.into());
        }
    }
    json
}

fn sources_to_json(x: &Execution, sources: &[(Observation, EventId)]) -> Value {
    let source = |&(of, source)| {
        let mut json = observation_to_json(x, of);
        json.insert("source".into(), event_to_json(x, source));
        Value::Object(json)
    };
    sources.iter().map(source).collect()
}

fn edges_to_json(x: &Execution, edges: &[Edge]) -> Value {
    edges.iter().map(|edge| edge_to_json(x, edge)).collect()
}

fn edge_to_json(x: &Execution, edge: &Edge) -> Value {
    let mut json = Map::new();
    let mut put = |key: &str, value: Value| json.insert(key.into(), value);
    put("from", event_to_json(x, edge.from));
    put("to", event_to_json(x, edge.to));
    if edge.because.is_mo() {
        put("rel", "mo".into());
        put("because", edge.because.name().into());
    } else {
        put("rel", edge.because.name().into());
    }
    match &edge.because {
        Because::Po | Because::Rf | Because::Ppo | Because::PoLoc | Because::Dep => {}
        Because::Chain | Because::Final | Because::Assumed => {}
        Because::Sw { write, read } => {
            put("write", event_to_json(x, *write));
            put("read", event_to_json(x, *read));
        }
        Because::Coherence { path } | Because::Psc { path } => {
            put("path", edges_to_json(x, path));
        }
        Because::Unless { cycle } => {
            put("cycle", edges_to_json(x, cycle));
        }
        Because::Read { read, path } => {
            put("read", event_to_json(x, *read));
            put("path", edges_to_json(x, path));
        }
        Because::Seen { observer, read, path } => {
            put("observer", event_to_json(x, *observer));
            put("read", event_to_json(x, *read));
            put("path", edges_to_json(x, path));
        }
        Because::Atomic { premise } | Because::Fr { premise } => {
            put("premise", edge_to_json(x, premise));
        }
        Because::Lemma(index) => {
            put("lemma", (*index).into());
        }
    }
    Value::Object(json)
}

fn event_to_json(x: &Execution, event: EventId) -> Value {
    match x.slot(event) {
        Some(slot) => json!([slot.thread.0, slot.index]),
        None => json!({"init": x.loc(event).map(|loc| x.location_name(loc))}),
    }
}

/// A witness as JSON: `{"mo":{"x":[{"init":"x"},[0,1]]}}`, or `{}` if the history itself is the witness. If values repeat, it also
/// has the chosen sources, `"sources":[{"read":[1,0],"source":[0,1]}]`.
pub fn witness_to_json(x: &Execution, witness: &Witness) -> Value {
    let mut json = Map::new();
    if let Witness::Sources { sources, .. } = witness {
        json.insert("sources".into(), sources_to_json(x, sources));
    }
    if let Some(mo) = witness.mo() {
        let mut orders = Map::new();
        for loc in x.locations() {
            let writes: Value = mo.of(loc).iter().map(|&write| event_to_json(x, write)).collect();
            orders.insert(x.location_name(loc).into(), writes);
        }
        json.insert("mo".into(), Value::Object(orders));
    }
    Value::Object(json)
}

/// A data race as JSON: `{"accesses":[[0,2],[1,3]],"known":[0,1]}`.
///
/// ```
/// use tribunal::memory::{EventId, Race};
/// use tribunal_formats::{certificate, read};
/// let text = "T0: W.na x 1\nT1: R.na x 0\n";
/// let x = read(text.as_bytes(), "race", None)?.next().expect("a history")?.into_memory().expect("of a memory");
/// let race = Race { accesses: [EventId(0), EventId(1)], known: [0, 0] };
/// let json = certificate::race_to_json(&x, &race);
/// assert_eq!(json.to_string(), r#"{"accesses":[[0,0],[1,0]],"known":[0,0]}"#);
/// assert_eq!(certificate::race_from_json(&x, &json), Ok(race));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn race_to_json(x: &Execution, race: &Race) -> Value {
    let accesses: Value = race.accesses.iter().map(|&access| event_to_json(x, access)).collect();
    json!({"accesses": accesses, "known": race.known})
}

/// A violation from JSON.
pub fn violation_from_json(x: &Execution, json: &Value) -> Result<Violation, CertificateError> {
    let reading = Reading::new(x);
    let object = reading.object(json, "a violation")?;
    let axiom = reading.axiom(object, "the violation")?;
    let listed = match object.get("cases") {
        Some(cases) => reading.array(cases, "a list of cases")?.as_slice(),
        None => &[],
    };
    // What has cases refers to later ones only, so the last comes first; each serves once.
    let mut cases: Vec<Option<Case>> = listed.iter().map(|_| None).collect();
    for (i, case) in listed.iter().enumerate().rev() {
        let case = reading.object(case, "a case")?;
        let (_, later) = cases.split_at_mut(i + 1);
        let (refutation, depth) = reading.refutation(case, i + 1, later)?;
        let axiom = case.contains_key("axiom").then(|| reading.axiom(case, "a case")).transpose()?;
        cases[i] = Some(Case { axiom, refutation, depth });
    }
    let (refutation, _) = reading.refutation(object, 0, &mut cases)?;
    Ok(Violation { axiom, refutation })
}

/// A witness from JSON.
pub fn witness_from_json(x: &Execution, json: &Value) -> Result<Witness, CertificateError> {
    let reading = Reading::new(x);
    let object = reading.object(json, "a witness")?;
    let then = reading.axioms_witness(object)?;
    match object.get("sources") {
        None => Ok(then),
        Some(sources) => Ok(Witness::Sources { sources: reading.sources(sources)?, then: Box::new(then) }),
    }
}

/// A data race from JSON.
pub fn race_from_json(x: &Execution, json: &Value) -> Result<Race, CertificateError> {
    race(&Reading::new(x), json)
}

/// A list of data races from JSON.
pub fn races_from_json(x: &Execution, json: &Value) -> Result<Vec<Race>, CertificateError> {
    let reading = Reading::new(x);
    reading.array(json, "a list of races")?.iter().map(|json| race(&reading, json)).collect()
}

fn race(reading: &Reading<'_>, json: &Value) -> Result<Race, CertificateError> {
    const OBJECT: &str = "a race";
    const COUNTS: &str = "two counts of events";
    let object = reading.object(json, OBJECT)?;
    let accesses = reading.get(object, "accesses", OBJECT)?;
    let [first, second] = reading.array(accesses, "two accesses")?.as_slice() else {
        return Err(unexpected("two accesses", accesses));
    };
    let known = reading.get(object, "known", OBJECT)?;
    let [of_first, of_second] = reading.array(known, COUNTS)?.as_slice() else {
        return Err(unexpected(COUNTS, known));
    };
    let count = |json: &Value| {
        let count = json.as_u64().and_then(|count| u32::try_from(count).ok());
        count.ok_or_else(|| unexpected(COUNTS, json))
    };
    Ok(Race {
        accesses: [reading.event(first)?, reading.event(second)?],
        known: [count(of_first)?, count(of_second)?],
    })
}

/// A case that a later refutation takes.
struct Case {
    /// The axiom, where it is a violation by itself.
    axiom: Option<Axiom>,
    refutation: Refutation,
    depth: usize,
}

/// Reads parts of a certificate of an execution.
struct Reading<'a> {
    x: &'a Execution,
    locs: FxHashMap<&'a str, LocId>,
}

impl<'a> Reading<'a> {
    fn new(x: &'a Execution) -> Self {
        Reading { x, locs: x.locations().map(|loc| (x.location_name(loc), loc)).collect() }
    }

    /// The witness of the axioms: mo, or nothing.
    fn axioms_witness(&self, object: &Map<String, Value>) -> Result<Witness, CertificateError> {
        let (reading, x) = (self, self.x);
        let Some(orders) = object.get("mo") else {
            return Ok(Witness::History);
        };
        let orders = reading.object(orders, "an object of locations")?;
        let mut mo = ModificationOrder::new();
        for loc in x.locations() {
            let name = x.location_name(loc);
            let writes =
                orders.get(name).ok_or_else(|| CertificateError::MissingLocation { loc: name.into() })?;
            let writes = reading.array(writes, "a list of writes")?;
            let writes: Vec<_> = writes.iter().map(|write| reading.event(write)).collect::<Result<_, _>>()?;
            mo.push_location(writes);
        }
        if let Some(loc) = orders.keys().find(|name| !reading.locs.contains_key(name.as_str())) {
            return Err(CertificateError::UnknownLocation { loc: shortened(loc) });
        }
        Ok(Witness::Mo(mo))
    }

    fn axiom(&self, object: &Map<String, Value>, what: &'static str) -> Result<Axiom, CertificateError> {
        let name = self.string(self.get(object, "axiom", what)?, "an axiom's name")?;
        Axiom::known(name)
            .ok_or_else(|| CertificateError::UnknownName { what: "axiom", name: shortened(name) })
    }

    fn sources(&self, json: &Value) -> Result<Vec<(Observation, EventId)>, CertificateError> {
        const OBJECT: &str = "a read with its source";
        let sources = self.array(json, "a list of reads with their sources")?.iter();
        let source = |json| {
            let object = self.object(json, OBJECT)?;
            Ok((self.observation(object, OBJECT)?, self.event(self.get(object, "source", OBJECT)?)?))
        };
        sources.map(source).collect()
    }

    fn observation(
        &self,
        object: &Map<String, Value>,
        what: &'static str,
    ) -> Result<Observation, CertificateError> {
        let Some(name) = object.get("final") else {
            return Ok(Observation::Read(self.event(self.get(object, "read", what)?)?));
        };
        let name = self.string(name, "a location's name")?;
        let value = self.get(object, "value", what)?;
        match self.locs.get(name) {
            None => Err(CertificateError::UnknownLocation { loc: shortened(name) }),
            Some(&loc) => {
                let value = value.as_u64().ok_or_else(|| unexpected("a value", value))?;
                Ok(Observation::Final { loc, value })
            }
        }
    }

    /// A refutation and how deeply its cases are nested. `later` are the cases from index `base` on.
    fn refutation(
        &self,
        object: &Map<String, Value>,
        base: usize,
        later: &mut [Option<Case>],
    ) -> Result<(Refutation, usize), CertificateError> {
        let leaf = if let Some(cycle) = object.get("cycle") {
            let lemmas = match object.get("lemmas") {
                Some(lemmas) => self.edges(lemmas, 0)?,
                None => Vec::new(),
            };
            Refutation::Cycle(Cycle { lemmas, edges: self.edges(cycle, 0)? })
        } else if let Some(shared) = object.get("shared_source") {
            let shared = self.object(shared, "a write and its RMWs")?;
            let rmws = self.get(shared, "rmws", "the shared source")?;
            let [first, second] = self.array(rmws, "two RMWs")?.as_slice() else {
                return Err(unexpected("two RMWs", rmws));
            };
            Refutation::SharedSource {
                write: self.event(self.get(shared, "write", "the shared source")?)?,
                rmws: [self.event(first)?, self.event(second)?],
            }
        } else if let Some(check) = object.get("check") {
            const OBJECT: &str = "the check";
            const PAIR: &str = "two writes";
            let check = self.object(check, OBJECT)?;
            let index = self.get(check, "index", OBJECT)?;
            let pair = |json: &Value| match self.array(json, PAIR)?.as_slice() {
                [first, second] => Ok((self.event(first)?, self.event(second)?)),
                _ => Err(unexpected(PAIR, json)),
            };
            let mo = self.array(self.get(check, "mo", OBJECT)?, "a list of pairs of writes")?;
            let events = self.array(self.get(check, "events", OBJECT)?, "a list of events")?;
            Refutation::Check(Check {
                index: index
                    .as_u64()
                    .and_then(|index| usize::try_from(index).ok())
                    .ok_or_else(|| unexpected("the number of a check", index))?,
                mo: mo.iter().map(pair).collect::<Result<_, _>>()?,
                events: events.iter().map(|event| self.event(event)).collect::<Result<_, _>>()?,
            })
        } else if let Some(overwritten) = object.get("overwritten") {
            const OBJECT: &str = "the overwritten read";
            let overwritten = self.object(overwritten, OBJECT)?;
            Refutation::Overwritten {
                read: self.event(self.get(overwritten, "read", OBJECT)?)?,
                by: self.event(self.get(overwritten, "by", OBJECT)?)?,
                before: self.edges(self.get(overwritten, "before", OBJECT)?, 0)?,
                after: self.edges(self.get(overwritten, "after", OBJECT)?, 0)?,
            }
        } else if let Some(of) = object.get("thin_air") {
            const OBJECT: &str = "a read from thin air";
            Refutation::ThinAir(self.observation(self.object(of, OBJECT)?, OBJECT)?)
        } else if let Some(of) = object.get("no_source") {
            const OBJECT: &str = "a read without a source";
            Refutation::NoSource(self.event(self.get(self.object(of, OBJECT)?, "read", OBJECT)?)?)
        } else if let Some(split) = object.get("split") {
            return self.split(split, base, later);
        } else if let Some(forced) = object.get("forced") {
            return self.forced(forced, base, later);
        } else if let Some(sources) = object.get("sources") {
            return self.cases(sources, base, later);
        } else {
            return Err(CertificateError::MissingKey {
                key: "cycle",
                object: "a violation or a case without \"shared_source\", \"check\", \"overwritten\", \"split\", \"thin_air\", \"no_source\", \"forced\" or \"sources\"",
            });
        };
        Ok((leaf, 0))
    }

    fn split(
        &self,
        split: &Value,
        base: usize,
        later: &mut [Option<Case>],
    ) -> Result<(Refutation, usize), CertificateError> {
        const OBJECT: &str = "a split";
        let split = self.object(split, OBJECT)?;
        let mut case = |key| self.case(self.get(split, key, OBJECT)?, base, later);
        let (forward, backward) = (case("forward")?, case("backward")?);
        let refutation = Refutation::Split {
            first: self.event(self.get(split, "first", OBJECT)?)?,
            second: self.event(self.get(split, "second", OBJECT)?)?,
            forward: Box::new(forward.refutation),
            backward: Box::new(backward.refutation),
        };
        Ok((refutation, nested(forward.depth.max(backward.depth))?))
    }

    /// Takes the case of this index, among those from index `base` on.
    fn case(&self, index: &Value, base: usize, later: &mut [Option<Case>]) -> Result<Case, CertificateError> {
        const EXPECTED: &str = "the index of a later case that nothing else uses";
        let taken = self.index(index, EXPECTED)?.checked_sub(base).and_then(|i| later.get_mut(i)?.take());
        taken.ok_or_else(|| unexpected(EXPECTED, index))
    }

    /// Like [`case`](Self::case), of a case that is a violation by itself.
    fn violation_case(
        &self,
        index: &Value,
        base: usize,
        later: &mut [Option<Case>],
    ) -> Result<(Violation, usize), CertificateError> {
        let Case { axiom, refutation, depth } = self.case(index, base, later)?;
        let axiom =
            axiom.ok_or(CertificateError::MissingKey { key: "axiom", object: "a case of sources" })?;
        Ok((Violation { axiom, refutation }, depth))
    }

    fn forced(
        &self,
        forced: &Value,
        base: usize,
        later: &mut [Option<Case>],
    ) -> Result<(Refutation, usize), CertificateError> {
        const OBJECT: &str = "forced sources";
        let forced = self.object(forced, OBJECT)?;
        let (then, depth) = self.violation_case(self.get(forced, "then", OBJECT)?, base, later)?;
        let sources = self.sources(self.get(forced, "sources", OBJECT)?)?;
        Ok((Refutation::Forced { sources, then: Box::new(then) }, nested(depth)?))
    }

    fn cases(
        &self,
        sources: &Value,
        base: usize,
        later: &mut [Option<Case>],
    ) -> Result<(Refutation, usize), CertificateError> {
        const OBJECT: &str = "cases of sources";
        let sources = self.object(sources, OBJECT)?;
        let (mut cases, mut deepest) = (Vec::new(), 0);
        for case in self.array(self.get(sources, "cases", OBJECT)?, "a list of cases")? {
            let case = self.object(case, "a case of a source")?;
            let get = |key| self.get(case, key, "a case of a source");
            let (violation, depth) = self.violation_case(get("case")?, base, later)?;
            cases.push((self.event(get("source")?)?, violation));
            deepest = deepest.max(depth);
        }
        Ok((Refutation::Sources { of: self.observation(sources, OBJECT)?, cases }, nested(deepest)?))
    }

    fn edges(&self, json: &Value, depth: usize) -> Result<Vec<Edge>, CertificateError> {
        self.array(json, "a list of edges")?.iter().map(|edge| self.edge(edge, depth)).collect()
    }

    fn edge(&self, json: &Value, depth: usize) -> Result<Edge, CertificateError> {
        const OBJECT: &str = "an edge";
        if depth > EDGE_DEPTH {
            return Err(CertificateError::TooDeep { limit: EDGE_DEPTH });
        }
        let object = self.object(json, OBJECT)?;
        let get = |key| self.get(object, key, OBJECT);
        let event = |key| self.event(get(key)?);
        let path = || self.edges(get("path")?, depth + 1);
        let premise = || Ok(Box::new(self.edge(get("premise")?, depth + 1)?));
        let because = match self.string(get("rel")?, "a relation")? {
            "po" => Because::Po,
            "rf" => Because::Rf,
            "sw" => Because::Sw { write: event("write")?, read: event("read")? },
            "ppo" => Because::Ppo,
            "po-loc" => Because::PoLoc,
            "dep" => Because::Dep,
            "fr" => Because::Fr { premise: premise()? },
            "psc" => Because::Psc { path: path()? },
            "mo" => match self.string(get("because")?, "a reason")? {
                "chain" => Because::Chain,
                "coherence" => Because::Coherence { path: path()? },
                "read" => Because::Read { read: event("read")?, path: path()? },
                "seen" => Because::Seen { observer: event("observer")?, read: event("read")?, path: path()? },
                "atomic" => Because::Atomic { premise: premise()? },
                "unless" => Because::Unless { cycle: self.edges(get("cycle")?, depth + 1)? },
                "final" => Because::Final,
                "assumed" => Because::Assumed,
                "lemma" => Because::Lemma(self.index(get("lemma")?, "the index of a lemma")?),
                name => return Err(CertificateError::UnknownName { what: "reason", name: shortened(name) }),
            },
            name => return Err(CertificateError::UnknownName { what: "relation", name: shortened(name) }),
        };
        Ok(Edge { from: event("from")?, to: event("to")?, because })
    }

    fn event(&self, json: &Value) -> Result<EventId, CertificateError> {
        const EXPECTED: &str = "an event: [thread, index] or {\"init\":\"x\"}";
        let unknown = || CertificateError::UnknownEvent { event: shortened(&json.to_string()) };
        match json {
            Value::Array(pair) => {
                let [thread, index] = pair.as_slice() else {
                    return Err(unexpected(EXPECTED, json));
                };
                let number = |value: &Value| value.as_u64().ok_or_else(|| unexpected(EXPECTED, json));
                let (thread, index) = (number(thread)?, number(index)?);
                let (Ok(thread), Ok(index)) = (u32::try_from(thread), u32::try_from(index)) else {
                    return Err(unknown());
                };
                self.x.event_at(ThreadId(thread), index).ok_or_else(unknown)
            }
            Value::Object(object) => {
                let name = self.string(self.get(object, "init", "an event")?, "a location's name")?;
                let loc = self.locs.get(name);
                loc.map(|&loc| self.x.init_write(loc))
                    .ok_or_else(|| CertificateError::UnknownLocation { loc: shortened(name) })
            }
            _ => Err(unexpected(EXPECTED, json)),
        }
    }

    fn get<'j>(
        &self,
        object: &'j Map<String, Value>,
        key: &'static str,
        what: &'static str,
    ) -> Result<&'j Value, CertificateError> {
        object.get(key).ok_or(CertificateError::MissingKey { key, object: what })
    }

    fn object<'j>(
        &self,
        json: &'j Value,
        expected: &'static str,
    ) -> Result<&'j Map<String, Value>, CertificateError> {
        json.as_object().ok_or_else(|| unexpected(expected, json))
    }

    fn array<'j>(&self, json: &'j Value, expected: &'static str) -> Result<&'j Vec<Value>, CertificateError> {
        json.as_array().ok_or_else(|| unexpected(expected, json))
    }

    fn string<'j>(&self, json: &'j Value, expected: &'static str) -> Result<&'j str, CertificateError> {
        json.as_str().ok_or_else(|| unexpected(expected, json))
    }

    fn index(&self, json: &Value, expected: &'static str) -> Result<usize, CertificateError> {
        let number = json.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| unexpected(expected, json))
    }
}

/// The depth of cases that have such cases.
fn nested(depth: usize) -> Result<usize, CertificateError> {
    if depth < CASE_DEPTH { Ok(depth + 1) } else { Err(CertificateError::TooDeep { limit: CASE_DEPTH }) }
}

fn unexpected(expected: &'static str, found: &Value) -> CertificateError {
    let found = match found {
        Value::Array(_) => "an array".to_string(),
        Value::Object(_) => "an object".to_string(),
        simple => format!("`{}`", shortened(&simple.to_string())),
    };
    CertificateError::Unexpected { expected, found }
}

fn shortened(text: &str) -> String {
    crate::error::quote(text.as_bytes())
}
