//! Verifies certificates of transaction histories against the definitions of the levels.
//!
//! A commit order is checked against the relation of the level's [`Isolation`]. A proof is checked step by step: a step may use so, rt, wr, ww from
//! earlier steps, and rw derived from those. The edges of paths and cycles:
//!
//! | level | a path to a read, `Seen` | a cycle |
//! |---|---|---|
//! | ru | | ww |
//! | rc | | b, wr, ww |
//! | mav | one wr, of a read before it | the same; or a path and the rw back |
//! | rat | one of b or wr | the same |
//! | tcc | b and wr | the same |
//! | psi | b, wr and ww | the same |
//! | pc | (b ∪ wr) ; rw? and ww; not an rw first or last, nor ww before rw | the same |
//! | si | (b ∪ wr ∪ ww) ; rw?, not an rw first or last | the same, no two rw in a row |
//! | ser | b, wr, ww and rw | the same |
//!
//! A path between two writers, `Otherwise`, excludes the opposite order.
//!
//! The commit order of a small history is also checked by evaluating the [text](Level::text) of the level.
//!
//! What reads read from, which transactions count and which reads are impossible is found here from the operations alone: nothing is taken
//! from [`History::reads`], on which the engines rest.

mod order;
mod past;
mod poll;
mod proof;
mod reads;
mod refusal;
mod writes;

pub use refusal::{Named, NamedLink, Refusal};

use poll::Poll;
use reads::{Reads, admitted};
use rustc_hash::FxHashSet;
use tribunal_history::limits::Limits;
use tribunal_history::transactions::definition::{self, ExternalRead};
use tribunal_history::transactions::{
    Base, History, INIT, Isolation, KeyId, Level, Op, OpId, Status, TxnId, Unsupported, Verdict, Violation,
    Witness,
};
use writes::Writes;

/// Of how many transactions and reads together the text of a level is evaluated: its relations are matrices.
const EVALUATED: usize = 256;

/// Verifies a verdict.
///
/// ```
/// use tribunal::transactions::{History, Level, Op, Status, check};
/// use tribunal::verify::transactions::verify;
/// let mut b = History::builder();
/// let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
/// b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
/// b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
/// let history = b.build()?;
/// for level in Level::ALL.into_iter().filter(|level| !level.needs_times()) {
///     verify(&history, level, &check(&history, level))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(history: &History, level: Level, verdict: &Verdict) -> Result<(), Refusal> {
    verify_within(history, level, verdict, &Limits::default())
}

/// Verifies a verdict, with limits.
pub fn verify_within(
    history: &History,
    level: Level,
    verdict: &Verdict,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    if level.needs_times() && !history.is_timed() {
        let said = matches!(verdict, Verdict::Unsupported(Unsupported::Times));
        return if said { Ok(()) } else { Err(Refusal::NoTimes(level)) };
    }
    let poll = Poll::new(limits);
    let writes = Writes::of(history, &poll)?;
    match verdict {
        Verdict::Consistent(Witness { commits, sources }) => {
            let facts = Facts::of(history, level, &writes, sources, &poll)?;
            facts.no_open()?;
            facts.witness(commits)
        }
        Verdict::Inconsistent(violation) => {
            refuted(history, level, violation, &writes, &mut Vec::new(), &poll)
        }
        Verdict::Undecided(_) | Verdict::Unsupported(_) => Err(Refusal::NoCertificate),
    }
}

/// Accepts a commit order on which every check of the level's [text](Level::text) holds. Sources must not be open, and the order must have every transaction
/// that counts once.
///
/// A relation on n transactions and reads is a matrix of n² bits: this is for histories of at most some thousands.
pub fn evaluate(
    history: &History,
    level: Level,
    commits: &[TxnId],
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let poll = Poll::new(limits);
    let writes = Writes::of(history, &poll)?;
    let facts = Facts::of(history, level, &writes, &[], &poll)?;
    facts.no_open()?;
    limits.check_memory(definition::bytes(facts.events()), 0)?;
    facts.places(commits)?;
    facts.text(commits)
}

/// A violation of the history with what is assumed of its open reads.
fn refuted(
    history: &History,
    level: Level,
    violation: &Violation,
    writes: &Writes,
    assumed: &mut Vec<(OpId, TxnId)>,
    poll: &Poll<'_>,
) -> Result<(), Refusal> {
    let facts = Facts::of(history, level, writes, assumed, poll)?;
    let Violation::Sources { read, cases } = violation else {
        return facts.violation(violation);
    };
    let cases_of: FxHashSet<TxnId> = cases.iter().map(|(source, _)| *source).collect();
    let is_open = facts.known.open().binary_search(read).is_ok();
    let every = || {
        let sources = admitted(history, level, writes, writes.txn_of[read.index()], *read);
        sources.iter().all(|source| cases_of.contains(source))
    };
    if !is_open || !every() {
        return Err(Refusal::Sources(Named::new(history, *read)));
    }
    drop(facts);
    for (source, violation) in cases {
        assumed.push((*read, *source));
        refuted(history, level, violation, writes, assumed, poll)?;
        assumed.pop();
    }
    Ok(())
}

/// An external read.
#[derive(Clone, Copy)]
struct Read {
    op: OpId,
    key: KeyId,
    source: TxnId,
}

/// The facts that the definitions mention.
struct Facts<'h> {
    history: &'h History,
    level: Level,
    poll: &'h Poll<'h>,
    written: &'h Writes,
    known: Reads,
    /// The external reads of transactions that count, in their order; by transaction, where they begin, and where the last end.
    reads: Vec<Read>,
    starts: Vec<u32>,
    /// The number of transactions that count.
    counted: usize,
    /// By key, who writes it.
    writers: Vec<Vec<TxnId>>,
    writes: FxHashSet<(TxnId, KeyId)>,
}

impl<'h> Facts<'h> {
    /// With sources, each of which is possible.
    fn of(
        history: &'h History,
        level: Level,
        written: &'h Writes,
        sources: &[(OpId, TxnId)],
        poll: &'h Poll<'h>,
    ) -> Result<Self, Refusal> {
        let known = Reads::of(history, level, written, sources, poll)?;
        for &(read, from) in sources {
            if known.source(read) != Some(from) {
                return Err(Refusal::NoSource { read: Named::new(history, read), from });
            }
        }
        let mut facts = Facts {
            history,
            level,
            poll,
            written,
            known,
            reads: Vec::new(),
            starts: Vec::with_capacity(history.len() + 1),
            counted: 0,
            writers: vec![Vec::new(); history.key_count()],
            writes: FxHashSet::default(),
        };
        for txn in history.transactions() {
            facts.starts.push(facts.reads.len() as u32);
            if !facts.known.counts(txn) {
                continue;
            }
            facts.counted += 1;
            for op in history.ops_of(txn) {
                poll.step()?;
                match history.op(op) {
                    Op::Write(key, _) | Op::Append(key, _) => {
                        if facts.writes.insert((txn, key)) {
                            facts.writers[key.index()].push(txn);
                        }
                    }
                    read => {
                        let source = facts.known.source(op);
                        let source = source.filter(|&source| source == INIT || facts.known.counts(source));
                        facts.reads.extend(source.map(|source| Read { op, key: read.key(), source }));
                    }
                }
            }
        }
        facts.starts.push(facts.reads.len() as u32);
        Ok(facts)
    }

    /// No read needs a source that is not given.
    fn no_open(&self) -> Result<(), Refusal> {
        match self.known.open().first() {
            Some(&read) => Err(Refusal::Open(self.named(read))),
            None => Ok(()),
        }
    }

    fn named(&self, op: OpId) -> Named {
        Named::new(self.history, op)
    }

    fn counts(&self, txn: TxnId) -> bool {
        txn != INIT && self.known.counts(txn)
    }

    fn reads(&self, txn: TxnId) -> &[Read] {
        &self.reads[self.starts[txn.index()] as usize..self.starts[txn.index() + 1] as usize]
    }

    /// The number of events that the text of the level has.
    fn events(&self) -> usize {
        self.counted + 1 + self.reads.len()
    }

    /// Every check of the level's text holds of a commit order.
    fn text(&self, commits: &[TxnId]) -> Result<(), Refusal> {
        let reads = commits.iter().flat_map(|&reader| {
            let external =
                move |read: &Read| ExternalRead { op: read.op, reader, source: read.source, key: read.key };
            self.reads(reader).iter().map(external)
        });
        let broken = definition::broken(self.history, self.level, commits, reads.collect());
        broken.map_or(Ok(()), |check| Err(Refusal::Text(check)))
    }

    fn so(&self, first: TxnId, second: TxnId) -> bool {
        self.level.base() != Base::None
            && self.history.session_of(first) == self.history.session_of(second)
            && first < second
            && self.history.status(first) == Status::Committed
    }

    fn rt(&self, first: TxnId, second: TxnId) -> bool {
        let end = self.history.span(first).and_then(|span| span.end);
        let begin = self.history.span(second).map(|span| span.begin);
        self.level.base() == Base::Strict
            && self.history.status(first) == Status::Committed
            && end.zip(begin).is_some_and(|(end, begin)| end < begin)
    }

    fn ignores_misreads(&self) -> bool {
        self.level.isolation() == Isolation::Ru
    }
}
