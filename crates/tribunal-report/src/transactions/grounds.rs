//! The reasons why one transaction comes before another: each step in a sentence, with what it rests on.

use super::{key, key_of, name, reading, relation, session, source, value, write};
use crate::line::{Arrow, Line};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_history::transactions::{Because, History, INIT, KeyId, Link, Op, OpId, Rel, Span, Step, TxnId};

/// Deeper reasons are left out.
const DEEPEST: usize = 8;

/// A pair of writers of a key, in their order.
pub(super) type Pair = (KeyId, TxnId, TxnId);

/// What is known of the order of writers, and which of it has been explained.
pub(super) struct Grounds<'a> {
    history: &'a History,
    steps: BTreeMap<Pair, &'a Step>,
    told: BTreeSet<Pair>,
}

impl<'a> Grounds<'a> {
    pub(super) fn new(history: &'a History, steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let pair = |step: &'a Step| ((step.key, step.first, step.second), step);
        Grounds { history, steps: steps.into_iter().map(pair).collect(), told: BTreeSet::new() }
    }

    /// A link as a sentence, and below it what it rests on.
    pub(super) fn link(&mut self, depth: usize, label: &str, link: &Link) -> Vec<Line<TxnId>> {
        let (text, pair) = self.sentence(link);
        let rests = pair.map(|pair| (self.reason(pair), pair));
        let mut line = match (&rests, link.rel) {
            (None, _) => line(depth, &format!("{label}{text}"), [link]),
            // Of ww the reason is the sentence.
            (Some(((reason, _), _)), Rel::Ww(_)) => line(depth, &format!("{label}{text}{reason}"), [link]),
            (Some(_), _) => line(depth, &format!("{label}{text}:"), [link]),
        };
        if let Rel::Rw(op) = link.rel {
            line.about.extend(source(self.history, op).filter(|&source| source != INIT));
        }
        if let (Some((_, pair)), Rel::Ww(_)) = (&rests, link.rel) {
            line.about.extend(self.reader(*pair));
        }
        let mut lines = vec![line];
        match (rests, link.rel) {
            (None, _) => {}
            (Some(((_, path), pair)), Rel::Ww(_)) => lines.extend(self.path(depth + 1, pair, path)),
            (Some((_, pair)), _) => lines.extend(self.claim(depth + 1, "", pair)),
        }
        lines
    }

    /// What a link says, and the order of writers that it rests on, if it rests on one.
    fn sentence(&self, link: &Link) -> (String, Option<Pair>) {
        let &Link { from, to, rel } = link;
        let (history, first, second) = (self.history, name(from), name(to));
        match rel {
            Rel::So => (format!("{first} is before {second} in session {}", session(history, to)), None),
            Rel::Rt => {
                (format!("{first} {}, before {second} {}", ended(history, from), began(history, to)), None)
            }
            Rel::Wr(op) => {
                let read = reading(history, op);
                let text = match (history.op(op), write(history, from, history.op(op).key())) {
                    (Op::ReadList(..), Some(append)) => {
                        let last = last_of(history, from, op).unwrap_or_else(|| value(history, append));
                        format!("{second} read {read} with {first}'s {last}, so it comes after {first}")
                    }
                    _ => format!("{second} read {read}, which {first} wrote, so it comes after {first}"),
                };
                (text, None)
            }
            Rel::Ww(of) => {
                let pair = (of, from, to);
                (self.order(pair), Some(pair))
            }
            Rel::Rw(op) => {
                let of = history.op(op).key();
                let read = reading(history, op);
                let written = self.written(to, of);
                let writes = match write(history, to, of) {
                    Some(op) if history.is_list(of) => {
                        format!("appends {} to {}", value(history, op), key(history, of))
                    }
                    _ => format!("writes {written}"),
                };
                match source(history, op) {
                    Some(source) if source != INIT => (
                        format!(
                            "{first} read {read} of {} and not {second}'s {written}, so it comes before {second}",
                            name(source)
                        ),
                        Some((of, source, to)),
                    ),
                    _ => (
                        format!(
                            "{first} read the initial {read}, so it comes before {second}, which {writes}"
                        ),
                        None,
                    ),
                }
            }
        }
    }

    /// That one wrote a key before another.
    fn order(&self, (of, first, second): Pair) -> String {
        let did = if self.history.is_list(of) { "appended to" } else { "wrote" };
        format!("{} {did} {} before {} did", name(first), key(self.history, of), name(second))
    }

    /// What a transaction writes to a key: `x = 1`.
    fn written(&self, txn: TxnId, of: KeyId) -> String {
        let name = key(self.history, of);
        match write(self.history, txn, of) {
            Some(op) if self.history.is_list(of) => format!("{name} with {}", value(self.history, op)),
            Some(op) => format!("{name} = {}", value(self.history, op)),
            None => name,
        }
    }

    /// That one wrote a key before another, with the reason and what that rests on.
    fn claim(&mut self, depth: usize, lead: &str, pair: Pair) -> Vec<Line<TxnId>> {
        let (reason, path) = self.reason(pair);
        let link = Link { from: pair.1, to: pair.2, rel: Rel::Ww(pair.0) };
        let mut claim = line(depth, &format!("{lead}{}{reason}", self.order(pair)), [&link]);
        claim.about.extend(self.reader(pair));
        let mut lines = vec![claim];
        lines.extend(self.path(depth + 1, pair, path));
        lines
    }

    /// Whose read tells that one wrote a key before another, if one does.
    fn reader(&self, pair: Pair) -> Option<TxnId> {
        match self.steps.get(&pair)?.because {
            Because::List(read) | Because::Seen { read, .. } => Some(self.history.txn_of(read)),
            Because::Otherwise(_) => None,
        }
    }

    /// The reason why one wrote a key before another, as the rest of a sentence; and the path that shows it, if one does.
    fn reason(&self, pair: Pair) -> (String, &'a [Link]) {
        let (history, (of, first, second)) = (self.history, pair);
        let Some(step) = self.steps.get(&pair) else { return (", as supposed".into(), &[]) };
        if self.told.contains(&pair) {
            return (", as above".into(), &[]);
        }
        match &step.because {
            Because::List(read) => (format!(": {}", listed(history, *read, of, first, second)), &[]),
            Because::Seen { read, path } => {
                let reader = name(history.txn_of(*read));
                let text = format!(
                    ": {reader} comes after {} and yet read {} of {}:",
                    name(first),
                    reading(history, *read),
                    name(second)
                );
                (text, path)
            }
            Because::Otherwise(path) => match (&path[..], history.is_list(of)) {
                (&[Link { rel: Rel::So, .. }], _) => (": it is before it in its session".into(), &[]),
                (&[Link { rel: Rel::Rt, .. }], _) => (
                    format!(": it {}, before the other {}", ended(history, first), began(history, second)),
                    &[],
                ),
                (&[Link { rel: Rel::Wr(op), .. }], false) if history.op(op).key() == of => {
                    (format!(": {} overwrites what it read of it", name(second)), &[])
                }
                (&[Link { rel: Rel::Wr(op), .. }], _) => {
                    (format!(": {} read its {}", name(second), reading(history, op)), &[])
                }
                (&[Link { rel: Rel::Rw(op), .. }], _) if source(history, op) == Some(INIT) => {
                    let (read, other) = (reading(history, op), name(second));
                    (format!(": it read the initial {read}, and nothing of {other}"), &[])
                }
                _ => (": the other way round there is a cycle:".into(), path),
            },
        }
    }

    /// A path on a line of its own, and below it what its steps rest on.
    fn path(&mut self, depth: usize, pair: Pair, path: &[Link]) -> Vec<Line<TxnId>> {
        if !self.told.insert(pair) || path.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![line(depth, &chain(self.history, path), path)];
        if depth >= DEEPEST {
            return lines;
        }
        for link in path {
            let pair = match link.rel {
                Rel::Ww(of) => (of, link.from, link.to),
                Rel::Rw(op) => match source(self.history, op) {
                    Some(source) if source != INIT => (self.history.op(op).key(), source, link.to),
                    _ => continue,
                },
                Rel::So | Rel::Rt | Rel::Wr(_) => continue,
            };
            if !self.told.contains(&pair) {
                lines.extend(self.claim(depth, "where ", pair));
            }
        }
        lines
    }
}

/// A line about links.
fn line<'l>(depth: usize, text: &str, links: impl IntoIterator<Item = &'l Link>) -> Line<TxnId> {
    let mut line = Line::new(depth, text);
    for link in links {
        for txn in [link.from, link.to].into_iter().filter(|&txn| txn != INIT) {
            if !line.about.contains(&txn) {
                line.about.push(txn);
            }
        }
        line.arrows.push(arrow(link));
    }
    line
}

/// A link as an edge.
pub(super) fn arrow(link: &Link) -> Arrow<TxnId> {
    Arrow { from: link.from, to: link.to, name: relation(link.rel) }
}

/// A path in one line: `T0 -wr x-> T2 -so-> T3`.
pub(super) fn chain(history: &History, path: &[Link]) -> String {
    let mut text = path.first().map_or_else(String::new, |link| name(link.from));
    for link in path {
        let of = key_of(history, link.rel).map_or_else(String::new, |of| format!(" {}", key(history, of)));
        text += &format!(" -{}{of}-> {}", relation(link.rel), name(link.to));
    }
    text
}

/// What a read of a list says of the order of two that appended to it.
fn listed(history: &History, read: OpId, of: KeyId, first: TxnId, second: TxnId) -> String {
    let reader = name(history.txn_of(read));
    let list = value(history, read);
    let here = last_of(history, first, read).unwrap_or_default();
    let key = key(history, of);
    match (last_of(history, second, read), write(history, second, of)) {
        (Some(there), _) => {
            format!("{reader} read {key} = {list}, {} {here} before {} {there}", owner(first), owner(second))
        }
        (None, Some(write)) => {
            format!(
                "{reader} read {key} = {list}, with {} {here} and not {} {}",
                owner(first),
                owner(second),
                value(history, write)
            )
        }
        (None, None) => format!("{reader} read {key} = {list}"),
    }
}

fn owner(txn: TxnId) -> String {
    format!("{}'s", name(txn))
}

/// The last element of a transaction that a read of a list returned.
fn last_of(history: &History, txn: TxnId, read: OpId) -> Option<String> {
    let Op::ReadList(of, list) = history.op(read) else { return None };
    if txn == INIT {
        return None;
    }
    let appended: BTreeSet<i64> = history
        .ops_of(txn)
        .filter_map(|op| match history.op(op) {
            Op::Append(key, element) if key == of => Some(element),
            _ => None,
        })
        .collect();
    list.iter().rev().find(|element| appended.contains(element)).map(ToString::to_string)
}

fn ended(history: &History, txn: TxnId) -> String {
    let end = if txn == INIT { None } else { history.span(txn).and_then(|Span { end, .. }| end) };
    end.map_or_else(|| "ended".into(), |end| format!("ended at {end}"))
}

fn began(history: &History, txn: TxnId) -> String {
    let span = if txn == INIT { None } else { history.span(txn) };
    span.map_or_else(|| "began".into(), |Span { begin, .. }| format!("began at {begin}"))
}
