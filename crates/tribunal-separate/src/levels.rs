//! Separating isolation levels: the smallest history of transactions that one allows and another forbids.
//!
//! The size of a history is how many operations it has. What is left out, no smallest example needs:
//!
//! - *Lists*: what reads of them tell of ww only makes levels forbid more, and registers separate all levels as it is.
//! - Keys that nobody reads, or nobody writes; reads of what the transaction has written itself; a second write of a key in a transaction.
//! - *Sessions* of more than one transaction, if the forbidding level does not look at them, and *times* likewise. If only the forbidding level looks at
//!   times, transactions run one after the other: then it forbids most.
//! - *Aborted* transactions, and reads of writes that were overwritten, unless the allowing level is ru, which alone allows to read from them.

use crate::search::{Pair, Search, Separations};
use std::ops::ControlFlow;
use tribunal_engines::transactions::judge;
use tribunal_history::transactions::{Base, History, Isolation, Level, Op, Span, Status};
use tribunal_history::verdict::Limit;

/// An operation of a draft.
#[derive(Clone, Copy, Debug)]
struct Draft {
    txn: usize,
    session: usize,
    key: usize,
    /// The operation that is read, none if the value is initial; none at all for a write.
    reads: Option<Option<usize>>,
}

/// Looks for the smallest history of transactions that separates each pair of levels. `tick` is told from time to time how many operations the histories
/// have that are being tried, and how many have been tried.
///
/// ```
/// use tribunal::Limits;
/// use tribunal_separate::{Pair, Search, levels};
/// let pair = Pair { allows: "pc".parse()?, forbids: "si".parse()? };
/// let search = Search { events: 4, limits: Limits::default(), needed_only: true };
/// let separations = levels(&[pair], &search, |_, _| ());
/// let lost_update = separations.found[0].as_ref().expect("a lost update");
/// assert_eq!((lost_update.len(), lost_update.ops().len()), (2, 4));
/// # Ok::<(), String>(())
/// ```
pub fn levels(
    pairs: &[Pair<Level>],
    search: &Search<'_>,
    tick: impl FnMut(usize, u64),
) -> Separations<History> {
    let mut state = State { search, tick, histories: 0, limit: None };
    let mut found = vec![None; pairs.len()];
    let mut complete = search.events;
    for (pair, found) in pairs.iter().zip(&mut found) {
        // What is included has no example.
        if pair.forbids.includes(pair.allows) {
            continue;
        }
        let mut reached = 0;
        for events in 1..=search.events {
            let mut enumeration = Enumeration { pair, ops: Vec::new(), found: None };
            let outcome = state.size(&mut enumeration, events);
            *found = enumeration.found;
            if outcome.is_break() {
                break;
            }
            reached = events;
        }
        if found.is_none() {
            complete = complete.min(reached);
        }
        if state.limit.is_some() {
            break;
        }
    }
    let State { histories, limit, .. } = state;
    Separations { found, complete, histories, limit }
}

struct State<'s, T> {
    search: &'s Search<'s>,
    tick: T,
    histories: u64,
    limit: Option<Limit>,
}

/// All histories of some size, for a pair.
struct Enumeration<'p> {
    pair: &'p Pair<Level>,
    ops: Vec<Draft>,
    found: Option<History>,
}

impl<T: FnMut(usize, u64)> State<'_, T> {
    /// Adds operations until there are so many, then sources.
    fn size(&mut self, enumeration: &mut Enumeration<'_>, events: usize) -> ControlFlow<()> {
        let ops = &enumeration.ops;
        if ops.len() == events {
            return if enumeration.is_needed() {
                self.sources(enumeration, 0)
            } else {
                ControlFlow::Continue(())
            };
        }
        let keys = ops.iter().map(|op| op.key + 1).max().unwrap_or(0);
        let places: Vec<(usize, usize)> = match ops.last() {
            None => vec![(0, 0)],
            Some(last) if enumeration.pair.forbids.base() == Base::None => {
                vec![(last.txn, last.session), (last.txn + 1, last.session + 1)]
            }
            Some(last) => {
                vec![(last.txn, last.session), (last.txn + 1, last.session), (last.txn + 1, last.session + 1)]
            }
        };
        for (txn, session) in places {
            for key in 0..=keys {
                for reads in [None, Some(None)] {
                    let writes = |op: &Draft| op.txn == txn && op.key == key && op.reads.is_none();
                    if enumeration.ops.iter().any(writes)
                        && enumeration.pair.allows.isolation() != Isolation::Ru
                    {
                        continue;
                    }
                    enumeration.ops.push(Draft { txn, session, key, reads });
                    self.size(enumeration, events)?;
                    enumeration.ops.pop();
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Gives every read a source, then transactions their outcomes and times.
    fn sources(&mut self, enumeration: &mut Enumeration<'_>, at: usize) -> ControlFlow<()> {
        let Some(op) = enumeration.ops.get(at).copied() else { return self.outcomes(enumeration) };
        if op.reads.is_none() {
            return self.sources(enumeration, at + 1);
        }
        let other = |write: &Draft| write.reads.is_none() && write.key == op.key && write.txn != op.txn;
        let writes = (0..enumeration.ops.len()).filter(|&write| other(&enumeration.ops[write]));
        let sources: Vec<Option<usize>> = writes.map(Some).chain([None]).collect();
        for source in sources {
            enumeration.ops[at].reads = Some(source);
            self.sources(enumeration, at + 1)?;
        }
        enumeration.ops[at].reads = Some(None);
        ControlFlow::Continue(())
    }

    /// Tries all outcomes and times of the transactions.
    fn outcomes(&mut self, enumeration: &mut Enumeration<'_>) -> ControlFlow<()> {
        let count = enumeration.transactions();
        let outcomes = if enumeration.pair.allows.isolation() == Isolation::Ru { 1u32 << count } else { 1 };
        for aborted in 0..outcomes {
            for spans in &enumeration.times() {
                self.histories += 1;
                if self.histories.is_multiple_of(256) {
                    (self.tick)(enumeration.ops.len(), self.histories);
                    if let Err(limit) = self.search.limits.check(0) {
                        self.limit = Some(limit);
                        return ControlFlow::Break(());
                    }
                }
                let history = enumeration.build(aborted, spans);
                let Pair { allows, forbids } = *enumeration.pair;
                let limits = &self.search.limits;
                if judge(&history, forbids, limits).0.is_inconsistent()
                    && judge(&history, allows, limits).0.is_consistent()
                {
                    enumeration.found = Some(history);
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Enumeration<'_> {
    fn transactions(&self) -> usize {
        self.ops.last().map_or(0, |op| op.txn + 1)
    }

    /// Whether all keys are read and written, and sessions are in one of their orders only: the longest first.
    fn is_needed(&self) -> bool {
        let keys = self.ops.iter().map(|op| op.key + 1).max().unwrap_or(0);
        let has =
            |key: usize, reads: bool| self.ops.iter().any(|op| op.key == key && op.reads.is_some() == reads);
        let sessions = self.ops.last().map_or(0, |op| op.session + 1);
        let length = |session: usize| self.ops.iter().filter(|op| op.session == session).count();
        (0..keys).all(|key| has(key, true) && has(key, false))
            && (1..sessions).all(|session| length(session - 1) >= length(session))
    }

    /// The times to try: none, one transaction after the other in all orders that keep to sessions, or all intervals there are.
    fn times(&self) -> Vec<Vec<Option<Span>>> {
        let Pair { allows, forbids } = self.pair;
        let count = self.transactions();
        if !forbids.needs_times() {
            return vec![vec![None; count]];
        }
        let session = |txn: usize| self.ops.iter().find(|op| op.txn == txn).map(|op| op.session);
        let mut all = Vec::new();
        let rounds = count as i64;
        let mut spans: Vec<(i64, i64)> = vec![(0, 0); count];
        // By counting through all of them: there are few transactions.
        let choices: Vec<(i64, i64)> = if allows.needs_times() {
            (0..rounds).flat_map(|begin| (begin..rounds).map(move |end| (begin, end))).collect()
        } else {
            (0..rounds).map(|round| (round, round)).collect()
        };
        for mut number in 0..choices.len().pow(count as u32) {
            for span in &mut spans {
                *span = choices[number % choices.len()];
                number /= choices.len();
            }
            let in_order =
                (1..count).all(|txn| session(txn - 1) != session(txn) || spans[txn - 1].1 < spans[txn].0);
            if in_order {
                let span =
                    |&(begin, end): &(i64, i64)| Some(Span { begin: 2 * begin, end: Some(2 * end + 1) });
                all.push(spans.iter().map(span).collect());
            }
        }
        all
    }

    fn build(&self, aborted: u32, spans: &[Option<Span>]) -> History {
        let mut b = History::builder();
        let value = |write: usize| write as i64 + 1;
        for (txn, &span) in spans.iter().enumerate() {
            let of_txn = || self.ops.iter().enumerate().filter(move |(_, op)| op.txn == txn);
            let Some((_, first)) = of_txn().next() else { continue };
            let session = b.session(&first.session.to_string());
            b.begin(session);
            for (at, op) in of_txn() {
                let key = b.key(["x", "y", "z", "u", "v", "w"].get(op.key).unwrap_or(&"k"));
                b.op(match op.reads {
                    None => Op::Write(key, value(at)),
                    Some(source) => Op::Read(key, source.map(value)),
                });
            }
            let status = if aborted >> txn & 1 == 1 { Status::Aborted } else { Status::Committed };
            b.end(status, span);
        }
        b.build().expect("a draft is a history")
    }
}
