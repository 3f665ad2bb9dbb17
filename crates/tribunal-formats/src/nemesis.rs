//! The doings of the nemesis as spans of time.

use crate::{Notes, OtherEvent};
use std::collections::BTreeMap;

/// Something that a process that is no client did: it lasts from one event to another, which may be the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// The one who did it, and the deed: `nemesis kill ["n1"]`.
    pub what: String,
    /// The event that began it, an index of [`Notes::others`].
    pub first: usize,
    /// The event that ended it; none if nothing did.
    pub last: Option<usize>,
}

/// The words that begin something that lasts, and those that end it, in the words of Jepsen's nemeses. So do `start-x` and `stop-x`.
const PAIRS: [(&str, &str); 9] = [
    ("start", "stop"),
    ("kill", "start"),
    ("kill", "restart"),
    ("pause", "resume"),
    ("partition", "heal"),
    ("bump", "reset"),
    ("strobe", "reset"),
    ("bump-clock", "reset-clock"),
    ("strobe-clock", "reset-clock"),
];

/// Whether what a method does lasts until something ends it.
fn lasts(method: &str) -> bool {
    method.starts_with("start-") || PAIRS.iter().any(|&(begins, _)| begins == method)
}

/// The last action of a process, and the actions of its that go on.
#[derive(Default)]
struct Doer<'a> {
    /// The method of its last event, if that event began an action, which the next may complete.
    begun: Option<&'a str>,
    /// The action that it began.
    began: Option<usize>,
    /// The actions that it ended.
    ended: Vec<usize>,
    /// By method, what goes on.
    open: BTreeMap<String, Vec<usize>>,
}

impl Doer<'_> {
    /// The actions that go on and are ended by a method.
    fn ended_by(&mut self, method: &str) -> Vec<usize> {
        let family = method.strip_prefix("stop-").map(|what| format!("start-{what}"));
        let pairs = PAIRS.iter().filter(|&&(_, ends)| ends == method).map(|&(begins, _)| begins.to_string());
        pairs.chain(family).filter_map(|begins| self.open.remove(&begins)).flatten().collect()
    }
}

impl Notes {
    /// The actions of others than clients, in the order of its beginnings. Jepsen notes an action of the nemesis twice, when it begins and
    /// when it is done: these are one. What begins something, such as `kill`, lasts until what ends it, such as `start`.
    ///
    /// ```
    /// use tribunal_formats::read;
    /// let event = |method: &str| format!("{{:process :nemesis :type :info :f {method} :value nil}} ");
    /// let edn = [":start-partition", ":start-partition", ":kill", ":kill", ":stop-partition", ":stop-partition", ":check"];
    /// let edn: String = edn.into_iter().map(event).collect();
    /// let write = "{:process 0 :type :invoke :f :write :value 1}";
    /// let history = read(std::io::Cursor::new(edn + write), "a.edn", None)?.next().expect("a history")?;
    /// let disturbances = history.object().expect("of an object").notes.disturbances();
    /// let found: Vec<_> = disturbances.iter().map(|did| (did.what.as_str(), did.first, did.last)).collect();
    /// let partition = ("nemesis start-partition", 0, Some(5));
    /// assert_eq!(found, [partition, ("nemesis kill", 2, None), ("nemesis check", 6, Some(6))]);
    /// # Ok::<(), tribunal_formats::Error>(())
    /// ```
    pub fn disturbances(&self) -> Vec<Disturbance> {
        let mut found: Vec<Disturbance> = Vec::new();
        let mut doers: BTreeMap<&str, Doer<'_>> = BTreeMap::new();
        for (at, event) in self.others.iter().enumerate() {
            let method = event.method();
            let doer = doers.entry(&event.process).or_default();
            if doer.begun.take() == Some(method) {
                // The second event of an action, which says what came of it.
                doer.ended.drain(..).for_each(|ended| found[ended].last = Some(at));
                if let Some(did) = doer.began.take().map(|began| &mut found[began]) {
                    did.last = did.last.map(|_| at);
                    if event.what != method {
                        did.what = event.to_string();
                    }
                }
                continue;
            }
            (doer.begun, doer.began, doer.ended) = (Some(method), None, doer.ended_by(method));
            doer.ended.iter().for_each(|&ended| found[ended].last = Some(at));
            if doer.ended.is_empty() {
                doer.began = Some(found.len());
                if lasts(method) {
                    doer.open.entry(method.to_string()).or_default().push(found.len());
                }
                let last = (!lasts(method)).then_some(at);
                found.push(Disturbance { what: event.to_string(), first: at, last });
            }
        }
        found
    }
}

impl OtherEvent {
    /// The event without its value.
    fn method(&self) -> &str {
        self.what.split(' ').next().unwrap_or_default()
    }
}
