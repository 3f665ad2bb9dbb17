//! Certificates of transaction histories.
//!
//! A transaction is `[session, index]` and an operation `[session, index, operation]`, all counted from 0; the initial transaction is
//! `"init"`. Reading checks that everything named exists; verification checks that the certificate is right.

use super::{CertificateError, nested, shortened, unexpected};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use tribunal_history::transactions::{
    Because, End, History, INIT, Incompatible, KeyId, Link, Misread, Misreading, OpId, Proof, Rel, SessionId,
    Step, TxnId, Violation, Witness,
};

/// A witness as JSON: `{"commits":[[0,0],[1,0]]}`. If values repeat, it also has the chosen sources,
/// `"sources":[{"read":[1,0,0],"source":[0,1]}]`.
///
/// ```
/// use tribunal::transactions::{Level, Verdict, check};
/// use tribunal_formats::{certificate::transactions, read};
/// let json = r#"{"sessions":[[{"txn":[["r","x",1]]}],[{"txn":[["w","x",1]]}]]}"#;
/// let history = read(json.as_bytes(), "one", None)?.next().expect("a history")?;
/// let history = &history.transactions().expect("of transactions").history;
/// let Verdict::Consistent(witness) = check(history, Level::SER) else { panic!() };
/// let json = transactions::witness_to_json(history, &witness);
/// assert_eq!(json.to_string(), r#"{"commits":[[1,0],[0,0]]}"#);
/// assert_eq!(transactions::witness_from_json(history, &json), Ok(witness));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn witness_to_json(history: &History, witness: &Witness) -> Value {
    let mut json = Map::new();
    let commits: Value = witness.commits.iter().map(|&txn| txn_to_json(history, txn)).collect();
    json.insert("commits".into(), commits);
    if !witness.sources.is_empty() {
        let source = |&(read, source)| json!({"read": op_to_json(history, read), "source": txn_to_json(history, source)});
        json.insert("sources".into(), witness.sources.iter().map(source).collect());
    }
    Value::Object(json)
}

/// A violation as JSON. Cases are listed, not nested.
///
/// ```
/// use tribunal::transactions::{Level, Verdict, check};
/// use tribunal_formats::{certificate::transactions, read};
/// let json = r#"{"sessions":[[{"txn":[["w","x",1]],"status":"aborted"}],[{"txn":[["r","x",1]]}]]}"#;
/// let history = read(json.as_bytes(), "one", None)?.next().expect("a history")?;
/// let history = &history.transactions().expect("of transactions").history;
/// let Verdict::Inconsistent(violation) = check(history, Level::SER) else { panic!() };
/// let json = transactions::violation_to_json(history, &violation);
/// assert_eq!(json.to_string(), r#"{"misread":{"read":[1,0,0],"what":"G1a"}}"#);
/// assert_eq!(transactions::violation_from_json(history, &json), Ok(violation));
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub fn violation_to_json(history: &History, violation: &Violation) -> Value {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut json = case_to_json(history, Case::Violation(violation), &mut cases);
    let mut listed = Vec::new();
    while let Some(&case) = cases.get(listed.len()) {
        listed.push(Value::Object(case_to_json(history, case, &mut cases)));
    }
    if !listed.is_empty() {
        json.insert("cases".into(), listed.into());
    }
    Value::Object(json)
}

/// A case.
#[derive(Clone, Copy)]
enum Case<'a> {
    Violation(&'a Violation),
    Proof(&'a Proof),
}

/// A case as JSON; its own cases are appended to `cases` and referred to by index.
fn case_to_json<'a>(history: &History, case: Case<'a>, cases: &mut Vec<Case<'a>>) -> Map<String, Value> {
    let mut json = Map::new();
    let proof = match case {
        Case::Proof(proof) | Case::Violation(Violation::Proof(proof)) => proof,
        Case::Violation(Violation::Misread(Misread { op, what })) => {
            json.insert("misread".into(), json!({"read": op_to_json(history, *op), "what": what.name()}));
            return json;
        }
        Case::Violation(Violation::Incompatible(Incompatible { key, op, other })) => {
            let incompatible = json!({
                "key": history.key_name(*key),
                "read": op_to_json(history, *op),
                "other": op_to_json(history, *other),
            });
            json.insert("incompatible".into(), incompatible);
            return json;
        }
        Case::Violation(Violation::Sources { read, cases: sources }) => {
            let first = cases.len();
            let of = |(i, (source, _)): (usize, &(TxnId, Violation))| json!({"source": txn_to_json(history, *source), "case": first + i});
            let listed: Value = sources.iter().enumerate().map(of).collect();
            cases.extend(sources.iter().map(|(_, violation)| Case::Violation(violation)));
            json.insert("sources".into(), json!({"read": op_to_json(history, *read), "cases": listed}));
            return json;
        }
    };
    let steps: Value = proof.steps.iter().map(|step| step_to_json(history, step)).collect();
    json.insert("steps".into(), steps);
    match &proof.end {
        End::Cycle(links) => {
            json.insert("cycle".into(), links_to_json(history, links));
        }
        End::Cases { key, first, second, forward, backward } => {
            let index = cases.len();
            cases.extend([Case::Proof(forward), Case::Proof(backward)]);
            let split = json!({
                "key": history.key_name(*key),
                "first": txn_to_json(history, *first),
                "second": txn_to_json(history, *second),
                "forward": index,
                "backward": index + 1,
            });
            json.insert("split".into(), split);
        }
    }
    json
}

fn step_to_json(history: &History, step: &Step) -> Value {
    let mut json = json!({
        "key": history.key_name(step.key),
        "first": txn_to_json(history, step.first),
        "second": txn_to_json(history, step.second),
    });
    match &step.because {
        Because::List(read) => {
            json["because"] = "list".into();
            json["read"] = op_to_json(history, *read);
        }
        Because::Seen { read, path } => {
            json["because"] = "seen".into();
            json["read"] = op_to_json(history, *read);
            json["path"] = links_to_json(history, path);
        }
        Because::Otherwise(path) => {
            json["because"] = "otherwise".into();
            json["path"] = links_to_json(history, path);
        }
    }
    json
}

fn links_to_json(history: &History, links: &[Link]) -> Value {
    links.iter().map(|link| link_to_json(history, link)).collect()
}

fn link_to_json(history: &History, link: &Link) -> Value {
    let mut json = json!({"from": txn_to_json(history, link.from), "to": txn_to_json(history, link.to)});
    let (rel, key, value) = match link.rel {
        Rel::So => ("so", None, Value::Null),
        Rel::Rt => ("rt", None, Value::Null),
        Rel::Wr(read) => ("wr", Some("read"), op_to_json(history, read)),
        Rel::Rw(read) => ("rw", Some("read"), op_to_json(history, read)),
        Rel::Ww(key) => ("ww", Some("key"), history.key_name(key).into()),
    };
    json["rel"] = rel.into();
    if let Some(key) = key {
        json[key] = value;
    }
    json
}

fn place(history: &History, txn: TxnId) -> (u32, u32) {
    let session = history.session_of(txn);
    let first = history.session(session).next().unwrap_or(txn);
    (session.0, txn.0 - first.0)
}

fn txn_to_json(history: &History, txn: TxnId) -> Value {
    if txn == INIT {
        return "init".into();
    }
    let (session, index) = place(history, txn);
    json!([session, index])
}

fn op_to_json(history: &History, op: OpId) -> Value {
    let txn = history.txn_of(op);
    let (session, index) = place(history, txn);
    let first = history.ops_of(txn).next().unwrap_or(op);
    json!([session, index, op.0 - first.0])
}

/// A witness from JSON.
pub fn witness_from_json(history: &History, json: &Value) -> Result<Witness, CertificateError> {
    const SOURCE: &str = "a read with its source";
    let reading = Reading::new(history);
    let object = object(json, "a witness")?;
    let commits = array(get(object, "commits", "a witness")?, "a list of transactions")?;
    let commits = commits.iter().map(|txn| reading.txn(txn)).collect::<Result<_, _>>()?;
    let sources = match object.get("sources") {
        None => Vec::new(),
        Some(sources) => {
            let source = |json| {
                let object = self::object(json, SOURCE)?;
                let read = reading.op(get(object, "read", SOURCE)?)?;
                Ok((read, reading.txn(get(object, "source", SOURCE)?)?))
            };
            array(sources, "a list of reads with their sources")?
                .iter()
                .map(source)
                .collect::<Result<_, CertificateError>>()?
        }
    };
    Ok(Witness { commits, sources })
}

/// A violation from JSON.
pub fn violation_from_json(history: &History, json: &Value) -> Result<Violation, CertificateError> {
    let reading = Reading::new(history);
    let whole = object(json, "a violation")?;
    let listed = match whole.get("cases") {
        Some(cases) => array(cases, "a list of cases")?.as_slice(),
        None => &[],
    };
    // What has cases refers to later ones only, so the last comes first; each serves once.
    let mut cases: Vec<Option<(Violation, usize)>> = listed.iter().map(|_| None).collect();
    for (i, case) in listed.iter().enumerate().rev() {
        let (_, later) = cases.split_at_mut(i + 1);
        cases[i] = Some(reading.case(object(case, "a case")?, i + 1, later)?);
    }
    Ok(reading.case(whole, 0, &mut cases)?.0)
}

type Object = Map<String, Value>;

/// Reads parts of a certificate.
struct Reading<'a> {
    history: &'a History,
    keys: FxHashMap<&'a str, KeyId>,
}

impl<'a> Reading<'a> {
    fn new(history: &'a History) -> Self {
        let keys = (0..history.key_count() as u32).map(KeyId);
        Reading { history, keys: keys.map(|key| (history.key_name(key), key)).collect() }
    }

    /// A violation and how deeply its cases are nested. `later` are the cases from index `base` on.
    fn case(
        &self,
        json: &Object,
        base: usize,
        later: &mut [Option<(Violation, usize)>],
    ) -> Result<(Violation, usize), CertificateError> {
        if let Some(misread) = json.get("misread") {
            return Ok((Violation::Misread(self.misread(misread)?), 0));
        }
        if let Some(incompatible) = json.get("incompatible") {
            const OBJECT: &str = "incompatible reads";
            let incompatible = object(incompatible, OBJECT)?;
            let key = self.key(get(incompatible, "key", OBJECT)?)?;
            let op = self.op(get(incompatible, "read", OBJECT)?)?;
            let other = self.op(get(incompatible, "other", OBJECT)?)?;
            return Ok((Violation::Incompatible(Incompatible { key, op, other }), 0));
        }
        if let Some(sources) = json.get("sources") {
            const OBJECT: &str = "cases of sources";
            let sources = object(sources, OBJECT)?;
            let read = self.op(get(sources, "read", OBJECT)?)?;
            let (mut cases, mut deepest) = (Vec::new(), 0);
            for case in array(get(sources, "cases", OBJECT)?, "a list of cases")? {
                let case = object(case, "a case of a source")?;
                let (violation, depth) = take(get(case, "case", "a case of a source")?, base, later)?;
                cases.push((self.txn(get(case, "source", "a case of a source")?)?, violation));
                deepest = deepest.max(depth);
            }
            return Ok((Violation::Sources { read, cases }, nested(deepest)?));
        }
        let (proof, depth) = self.proof(json, base, later)?;
        Ok((Violation::Proof(proof), depth))
    }

    fn misread(&self, json: &Value) -> Result<Misread, CertificateError> {
        const OBJECT: &str = "a read that cannot be";
        const ALL: [Misreading; 7] = [
            Misreading::ThinAir,
            Misreading::Internal,
            Misreading::FutureRead,
            Misreading::DuplicateElements,
            Misreading::AbortedRead,
            Misreading::IntermediateRead,
            Misreading::DirtyUpdate,
        ];
        let misread = object(json, OBJECT)?;
        let name = string(get(misread, "what", OBJECT)?, "what is wrong with a read")?;
        let what = ALL.into_iter().find(|what| what.name() == name);
        let what =
            what.ok_or_else(|| CertificateError::UnknownName { what: "misreading", name: shortened(name) })?;
        Ok(Misread { op: self.op(get(misread, "read", OBJECT)?)?, what })
    }

    fn proof(
        &self,
        json: &Object,
        base: usize,
        later: &mut [Option<(Violation, usize)>],
    ) -> Result<(Proof, usize), CertificateError> {
        const OBJECT: &str = "a violation or a case without \"misread\", \"incompatible\" or \"sources\"";
        let steps = array(get(json, "steps", OBJECT)?, "a list of steps")?;
        let steps = steps.iter().map(|step| self.step(step)).collect::<Result<_, _>>()?;
        if let Some(cycle) = json.get("cycle") {
            return Ok((Proof { steps, end: End::Cycle(self.links(cycle)?) }, 0));
        }
        const SPLIT: &str = "a split";
        let split = object(get(json, "split", "a proof without \"cycle\"")?, SPLIT)?;
        let mut side = |name| {
            let index = get(split, name, SPLIT)?;
            match take(index, base, later)? {
                (Violation::Proof(proof), depth) => Ok((Box::new(proof), depth)),
                _ => Err(unexpected("the index of a case with \"steps\"", index)),
            }
        };
        let ((forward, one), (backward, other)) = (side("forward")?, side("backward")?);
        let end = End::Cases {
            key: self.key(get(split, "key", SPLIT)?)?,
            first: self.txn(get(split, "first", SPLIT)?)?,
            second: self.txn(get(split, "second", SPLIT)?)?,
            forward,
            backward,
        };
        Ok((Proof { steps, end }, nested(one.max(other))?))
    }

    fn step(&self, json: &Value) -> Result<Step, CertificateError> {
        const OBJECT: &str = "a step";
        let step = object(json, OBJECT)?;
        let field = |key| get(step, key, OBJECT);
        let because = match string(field("because")?, "a reason")? {
            "list" => Because::List(self.op(field("read")?)?),
            "seen" => Because::Seen { read: self.op(field("read")?)?, path: self.links(field("path")?)? },
            "otherwise" => Because::Otherwise(self.links(field("path")?)?),
            name => return Err(CertificateError::UnknownName { what: "reason", name: shortened(name) }),
        };
        let (first, second) = (self.txn(field("first")?)?, self.txn(field("second")?)?);
        Ok(Step { key: self.key(field("key")?)?, first, second, because })
    }

    fn links(&self, json: &Value) -> Result<Vec<Link>, CertificateError> {
        array(json, "a list of links")?.iter().map(|link| self.link(link)).collect()
    }

    fn link(&self, json: &Value) -> Result<Link, CertificateError> {
        const OBJECT: &str = "a link";
        let link = object(json, OBJECT)?;
        let field = |key| get(link, key, OBJECT);
        let rel = match string(field("rel")?, "a relation")? {
            "so" => Rel::So,
            "rt" => Rel::Rt,
            "wr" => Rel::Wr(self.op(field("read")?)?),
            "rw" => Rel::Rw(self.op(field("read")?)?),
            "ww" => Rel::Ww(self.key(field("key")?)?),
            name => return Err(CertificateError::UnknownName { what: "relation", name: shortened(name) }),
        };
        Ok(Link { from: self.txn(field("from")?)?, to: self.txn(field("to")?)?, rel })
    }

    fn key(&self, json: &Value) -> Result<KeyId, CertificateError> {
        let name = string(json, "a key's name")?;
        self.keys.get(name).copied().ok_or_else(|| CertificateError::UnknownKey { key: shortened(name) })
    }

    fn txn(&self, json: &Value) -> Result<TxnId, CertificateError> {
        const EXPECTED: &str = "a transaction: [session, index] or \"init\"";
        if json == "init" {
            return Ok(INIT);
        }
        let unknown = || CertificateError::UnknownTransaction { txn: shortened(&json.to_string()) };
        let [session, index] = numbers(json, EXPECTED)?;
        self.txn_at(session, index).ok_or_else(unknown)
    }

    fn txn_at(&self, session: u64, index: u64) -> Option<TxnId> {
        let session = u32::try_from(session).ok()?;
        if session as usize >= self.history.session_count() {
            return None;
        }
        self.history.session(SessionId(session)).nth(usize::try_from(index).ok()?)
    }

    fn op(&self, json: &Value) -> Result<OpId, CertificateError> {
        const EXPECTED: &str = "an operation: [session, index, operation]";
        let unknown = || CertificateError::UnknownOperation { operation: shortened(&json.to_string()) };
        let [session, index, op] = numbers(json, EXPECTED)?;
        let txn = self.txn_at(session, index).ok_or_else(unknown)?;
        let op = usize::try_from(op).ok().and_then(|op| self.history.ops_of(txn).nth(op));
        op.ok_or_else(unknown)
    }
}

/// Takes the case of this index, among those from index `base` on.
fn take(
    index: &Value,
    base: usize,
    later: &mut [Option<(Violation, usize)>],
) -> Result<(Violation, usize), CertificateError> {
    const EXPECTED: &str = "the index of a later case that nothing else uses";
    let number = index.as_u64().and_then(|number| usize::try_from(number).ok());
    let taken = number.and_then(|number| later.get_mut(number.checked_sub(base)?)?.take());
    taken.ok_or_else(|| unexpected(EXPECTED, index))
}

fn numbers<const N: usize>(json: &Value, expected: &'static str) -> Result<[u64; N], CertificateError> {
    let list: Option<Vec<u64>> = json.as_array().and_then(|list| list.iter().map(Value::as_u64).collect());
    list.and_then(|list| list.try_into().ok()).ok_or_else(|| unexpected(expected, json))
}

fn get<'j>(object: &'j Object, key: &'static str, what: &'static str) -> Result<&'j Value, CertificateError> {
    object.get(key).ok_or(CertificateError::MissingKey { key, object: what })
}

fn object<'j>(json: &'j Value, expected: &'static str) -> Result<&'j Object, CertificateError> {
    json.as_object().ok_or_else(|| unexpected(expected, json))
}

fn array<'j>(json: &'j Value, expected: &'static str) -> Result<&'j Vec<Value>, CertificateError> {
    json.as_array().ok_or_else(|| unexpected(expected, json))
}

fn string<'j>(json: &'j Value, expected: &'static str) -> Result<&'j str, CertificateError> {
    json.as_str().ok_or_else(|| unexpected(expected, json))
}
