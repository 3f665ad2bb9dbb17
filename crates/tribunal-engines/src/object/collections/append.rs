//! Lists and texts that are appended to: a read returns the whole, and so names the order of what was appended.

use super::pieces::{Content, PieceId, Pieces, Written};
use super::zones::{self, ClusterId};
use super::{Found, POLL, Partly};
use crate::object::linearize::{Keys, merge};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::object::{
    Collection, History, Intervals, InvocationId, NEVER, OpId, ReturnId, Specification,
};
use tribunal_history::object::{Unsupported, Value, Violation};
use tribunal_history::verdict::Limit;

/// Decides a history of an append-only list or of a store of texts, key by key, in O(n log n) beside one look at what reads
/// return.
///
/// A put begins an *epoch*, and what was there initially is one; a state of an epoch is a prefix of the longest content read
/// of it. The piece at the end of a state names who wrote it, where pieces are distinct: see [`Epochs::assign`]. So a
/// linearization has each epoch in one piece: the put, its reads, the first append, its reads, and so on. It needs, and it
/// suffices:
/// - in an epoch, state `i` can begin: who writes it, and all that belongs to earlier states, was called before anything of
///   state `i` or of a later one returned;
/// - the epochs, with each write that nobody read as a cluster of its own, can follow one another ([`zones`]).
///
/// It suffices: an epoch that begins at an instant `x` no later than its first return, `f`, can have each state begin at `x`
/// or at the latest of those calls, whichever is later. So it is over at `x` or at its last call, `s`, whichever is later:
/// it takes an instant of a backward zone, or a forward zone. A write that nobody read is at its best outside all epochs; a
/// pending one is left out.
pub(super) fn decide(
    history: &History,
    spec: &dyn Specification,
    collection: &Collection,
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    let Some(intervals) = history.intervals() else {
        return Ok(Found::Unsupported(Unsupported::NotIntervals));
    };
    let mut invocations = (0..history.invocation_count() as u32).map(InvocationId);
    if !invocations.all(|id| collection.knows(history.invocation(id))) {
        return Ok(Found::Unsupported(Unsupported::NoCollection));
    }
    if !history.ops().all(|op| returns_its_kind(history, collection, op)) {
        return Ok(Found::Unsupported(Unsupported::NoCollection));
    }
    let keys = Keys::of(history, spec);
    let mut lins = Vec::with_capacity(keys.len());
    let mut left: Vec<usize> = Vec::new();
    for key in 0..keys.len() {
        limits.check(0)?;
        match of_key(history, intervals, collection, keys.ops(key), limits)? {
            OfKey::Linearized(lin) => lins.push(lin),
            OfKey::Violated(violation) => return Ok(Found::Violated(violation)),
            OfKey::Ambiguous => left.push(key),
        }
    }
    Ok(match (&left[..], lins.len()) {
        ([], 1) => Found::Linearized(lins.swap_remove(0)),
        ([], _) => Found::Linearized(merge(intervals, lins)),
        (_, 0) => Found::Unsupported(Unsupported::NotDistinct),
        (left, _) => Found::Partly(Partly { lins, left: keys.only(left) }),
    })
}

/// The result for a key.
enum OfKey {
    Linearized(Vec<OpId>),
    Violated(Violation),
    /// The reads do not tell who wrote what they returned.
    Ambiguous,
}

/// Whether a read returned a list or a text, as the collection's do, and a write null; or none of them returned.
fn returns_its_kind(history: &History, collection: &Collection, op: OpId) -> bool {
    match (history.called(op).method, history.result(op), collection) {
        (_, None, _)
        | ("read" | "get", Some(Value::List(_)), Collection::List | Collection::KeyedList)
        | ("read" | "get", Some(Value::Text(_)), Collection::KvStore) => true,
        (method, Some(ret), _) => !matches!(method, "read" | "get") && *ret == Value::Null,
    }
}

/// Decides the operations of one key.
fn of_key(
    history: &History,
    intervals: Intervals<'_>,
    collection: &Collection,
    ops: &[OpId],
    limits: &Limits<'_>,
) -> Result<OfKey, Limit> {
    let mut ops = ops.to_vec();
    ops.sort_unstable_by_key(|op| intervals.call[op.index()]);
    let reads = |method: &String| matches!(&method[..], "read" | "get");
    let reads: Vec<bool> = history.methods().iter().map(reads).collect();
    let (reads, writers): (Vec<OpId>, Vec<OpId>) = ops.iter().partition(|&&op| reads[history.method_of(op)]);
    let pieces = match collection {
        Collection::KvStore => Pieces::texts(history, &writers),
        _ => Some(Pieces::elements(history, &writers)),
    };
    let Some(pieces) = pieces else { return Ok(OfKey::Ambiguous) };
    limits.check(0)?;
    let mut epochs = Epochs::new(history, intervals, pieces);
    match epochs.order(&reads, limits) {
        Ok(order) => Ok(OfKey::Linearized(epochs.linearization(&order))),
        // The law of violations leaves no value out of a text, nor out of one of several lists.
        Err(Stop::Conflict(conflict)) => Ok(OfKey::Violated(match collection {
            Collection::List => conflict.with_writers(intervals, &epochs.pieces),
            _ => conflict.with_all(intervals, &ops),
        })),
        Err(Stop::Ambiguous) => Ok(OfKey::Ambiguous),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}

/// The reason why the operations of a key are not put in order.
enum Stop {
    Conflict(Conflict),
    /// The reads do not tell who wrote what they returned.
    Ambiguous,
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Operations whose returns contradict each other, if nobody else writes these pieces.
struct Conflict {
    operations: Vec<OpId>,
    pieces: Vec<PieceId>,
}

impl Conflict {
    /// The number of events that have happened when all of them have returned.
    fn cut(&self, intervals: Intervals<'_>) -> u32 {
        let returns = self.operations.iter().map(|op| intervals.ret[op.index()]);
        returns.filter(|&ret| ret != NEVER).max().map_or(0, |last| last + 1)
    }

    /// All operations of the key by then.
    fn with_all(self, intervals: Intervals<'_>, ops: &[OpId]) -> Violation {
        let cut = self.cut(intervals);
        part(intervals, ops.to_vec(), cut)
    }

    /// Those operations, and all by then that write the pieces.
    fn with_writers(self, intervals: Intervals<'_>, pieces: &Pieces<'_>) -> Violation {
        let cut = self.cut(intervals);
        let mut operations = self.operations;
        for piece in self.pieces {
            operations.extend(pieces.writers(piece));
        }
        part(intervals, operations, cut)
    }
}

fn part(intervals: Intervals<'_>, mut operations: Vec<OpId>, cut: u32) -> Violation {
    operations.retain(|op| intervals.call[op.index()] < cut);
    operations.sort_unstable();
    operations.dedup();
    Violation { operations, cut: Some(cut) }
}

fn conflict<T>(operations: Vec<OpId>, pieces: Vec<PieceId>) -> Result<T, Stop> {
    Err(Stop::Conflict(Conflict { operations, pieces }))
}

/// A state of an epoch.
type StateId = u32;

/// No operation: who wrote what was there initially, or an operation not found yet.
const NOBODY: OpId = OpId(u32::MAX);

/// No piece: the initial state ends with none.
const NOTHING: PieceId = PieceId(u32::MAX);

/// The epochs of a key; the first is the initial one, which has no states if nobody read it.
struct Epochs<'h> {
    history: &'h History,
    intervals: Intervals<'h>,
    pieces: Pieces<'h>,
    /// By epoch: its states, one who read the most of it, and that.
    states: Vec<Range<StateId>>,
    longest: Vec<OpId>,
    content: Vec<Content<'h>>,
    /// By state: the piece at its end, how long the content is, and who wrote the piece.
    piece: Vec<PieceId>,
    len: Vec<usize>,
    writer: Vec<OpId>,
    /// By state: the read of it, or of a later one of its epoch, that returned first.
    told: Vec<OpId>,
    /// By state: the operation of it, or of a later one of its epoch, that returned first.
    first: Vec<OpId>,
    /// By state: the read of it that was called last.
    latest: Vec<OpId>,
    /// By epoch: the operation that was called last.
    last: Vec<OpId>,
    /// The reads in the order of their calls, with their states.
    reads: Vec<(StateId, OpId)>,
    /// Completed writes that nobody read: a cluster each, after the epochs.
    unread: Vec<OpId>,
}

impl<'h> Epochs<'h> {
    fn new(history: &'h History, intervals: Intervals<'h>, pieces: Pieces<'h>) -> Self {
        Epochs {
            history,
            intervals,
            pieces,
            states: vec![Range::default()],
            longest: vec![NOBODY],
            content: vec![Content::List(&[])],
            piece: Vec::new(),
            len: Vec::new(),
            writer: Vec::new(),
            told: Vec::new(),
            first: Vec::new(),
            latest: Vec::new(),
            last: Vec::new(),
            reads: Vec::new(),
            unread: Vec::new(),
        }
    }

    fn ret(&self, op: OpId) -> u32 {
        if op == NOBODY { NEVER } else { self.intervals.ret[op.index()] }
    }

    fn call(&self, op: OpId) -> u32 {
        self.intervals.call[op.index()]
    }

    /// The epochs and the unread writes in an order that contains hb. The reads are in the order of their calls.
    fn order(&mut self, reads: &[OpId], limits: &Limits<'_>) -> Result<Vec<ClusterId>, Stop> {
        self.find(reads, limits)?;
        limits.check(0)?;
        self.assign()?;
        limits.check(0)?;
        self.first = vec![NOBODY; self.piece.len()];
        for epoch in 0..self.states.len() {
            self.enter(epoch)?;
        }
        let epochs = self.states.len();
        let clusters = u32::from(self.states[0].is_empty())..(epochs + self.unread.len()) as ClusterId;
        let f = |cluster: ClusterId| match cluster as usize {
            0 => 0,
            epoch if epoch < epochs => self.ret(self.first[self.states[epoch].start as usize]),
            unread => self.ret(self.unread[unread - epochs]),
        };
        let s = |cluster: ClusterId| match cluster as usize {
            epoch if epoch < epochs => self.call(self.last[epoch]),
            unread => self.call(self.unread[unread - epochs]),
        };
        zones::order(clusters, f, s).map_err(|(a, b)| Stop::Conflict(self.crossing(a, b)))
    }

    /// Finds the epochs, and the state that each read returned.
    fn find(&mut self, reads: &[OpId], limits: &Limits<'_>) -> Result<(), Stop> {
        // By return: the places of its reads, who returned it first, and what.
        let mut by_return: Vec<(ReturnId, u32)> = Vec::with_capacity(reads.len());
        for (at, &op) in reads.iter().enumerate() {
            by_return.extend(self.history.return_of(op).map(|id| (id, at as u32)));
        }
        by_return.sort_unstable();
        let mut returns = Vec::new();
        for alike in by_return.chunk_by(|a, b| a.0 == b.0) {
            let ops = alike.iter().map(|&(_, at)| reads[at as usize]);
            let first = ops.min_by_key(|&op| self.ret(op)).expect("a chunk has a read");
            let Some(content) = self.history.result(first).and_then(Content::of) else {
                return Err(Stop::Ambiguous);
            };
            returns.push((alike, first, content));
        }
        // The longest content of each epoch first.
        returns.sort_unstable_by_key(|&(_, op, content)| (std::cmp::Reverse(content.len()), op));
        let mut epoch_of: FxHashMap<PieceId, usize> = FxHashMap::default();
        let mut occurrences = vec![0; self.pieces.len()];
        let mut state_of: Vec<Option<StateId>> = vec![None; reads.len()];
        for (at, &(alike, op, content)) in returns.iter().enumerate() {
            if at % POLL == 0 {
                limits.check(0)?;
            }
            let epoch = match self.pieces.next(content, 0) {
                None if content.len() == 0 => 0,
                None => return conflict(vec![op], vec![]),
                Some((piece, _)) => match self.pieces.written(piece) {
                    Written::Appended => 0,
                    Written::Put => *epoch_of.entry(piece).or_insert(self.states.len()),
                    Written::Ambiguous => return Err(Stop::Ambiguous),
                },
            };
            if epoch == self.states.len() {
                self.states.push(0..0);
                self.longest.push(NOBODY);
                self.content.push(content);
            }
            let state = match self.longest[epoch] {
                NOBODY => self.parse(epoch, op, content, &mut occurrences, limits)?,
                _ => self.prefix(epoch, op, content)?,
            };
            alike.iter().for_each(|&(_, at)| state_of[at as usize] = Some(state));
        }
        let with_states = reads.iter().zip(state_of);
        self.reads = with_states.filter_map(|(&op, state)| state.map(|state| (state, op))).collect();
        Ok(())
    }

    /// Makes the states of an epoch out of the longest content read of it; the last one.
    fn parse(
        &mut self,
        epoch: usize,
        op: OpId,
        content: Content<'h>,
        occurrences: &mut [u32],
        limits: &Limits<'_>,
    ) -> Result<StateId, Stop> {
        let begin = self.piece.len();
        (self.longest[epoch], self.content[epoch]) = (op, content);
        if epoch == 0 {
            self.piece.push(NOTHING);
            self.len.push(0);
        }
        let mut at = 0;
        while at < content.len() {
            if self.piece.len().is_multiple_of(POLL) {
                limits.check(0)?;
            }
            let Some((piece, end)) = self.pieces.next(content, at) else { return conflict(vec![op], vec![]) };
            match self.pieces.written(piece) {
                Written::Ambiguous => return Err(Stop::Ambiguous),
                // What is put is at the beginning.
                Written::Put if at > 0 => return conflict(vec![op], vec![]),
                Written::Put | Written::Appended => {}
            }
            self.piece.push(piece);
            self.len.push(end);
            occurrences[piece.index()] += 1;
            if occurrences[piece.index()] as usize > self.pieces.writers(piece).len() {
                let had = |states: &Range<StateId>| self.pieces_of(states).contains(&piece);
                let others = self.states.iter().zip(&self.longest).filter(|(states, _)| had(states));
                return conflict(others.map(|(_, &read)| read).chain([op]).collect(), vec![piece]);
            }
            at = end;
        }
        self.states[epoch] = begin as StateId..self.piece.len() as StateId;
        Ok(self.piece.len() as StateId - 1)
    }

    fn pieces_of(&self, states: &Range<StateId>) -> &[PieceId] {
        &self.piece[states.start as usize..states.end as usize]
    }

    /// The state of an epoch that a content is, which must be a prefix of the longest one.
    fn prefix(&self, epoch: usize, op: OpId, content: Content<'h>) -> Result<StateId, Stop> {
        let states = self.states[epoch].clone();
        let lens = &self.len[states.start as usize..states.end as usize];
        let common = content.common(self.content[epoch]);
        let Some(last) = lens.partition_point(|&len| len <= common).checked_sub(1) else {
            return conflict(vec![op], vec![]);
        };
        if lens[last] == content.len() {
            return Ok(states.start + last as StateId);
        }
        // Both go on from there, with different pieces; or this one with none.
        let its = self.pieces.next(content, lens[last]).map(|(piece, _)| piece);
        let other = self.piece.get(states.start as usize + last + 1).copied();
        match (its, other) {
            (Some(its), Some(other)) => conflict(vec![op, self.longest[epoch]], vec![its, other]),
            _ => conflict(vec![op], vec![]),
        }
    }

    /// Finds who wrote each piece that was read.
    ///
    /// The occurrences of a piece, in the order in which somebody was first told of each, must have been written by as
    /// many operations called by then. Where these are no more, each has its writer: the next one called.
    fn assign(&mut self) -> Result<(), Stop> {
        self.told = vec![NOBODY; self.piece.len()];
        self.latest = vec![NOBODY; self.piece.len()];
        for at in 0..self.reads.len() {
            let (state, op) = self.reads[at];
            self.latest[state as usize] = op;
            if self.ret(op) < self.ret(self.told[state as usize]) {
                self.told[state as usize] = op;
            }
        }
        for states in &self.states {
            for state in states.clone().rev().skip(1) {
                let (this, next) = (self.told[state as usize], self.told[state as usize + 1]);
                if self.ret(next) < self.ret(this) {
                    self.told[state as usize] = next;
                }
            }
        }
        self.writer = vec![NOBODY; self.piece.len()];
        let mut occurrences: Vec<(PieceId, u32, StateId)> = Vec::with_capacity(self.piece.len());
        for (state, &piece) in self.piece.iter().enumerate().filter(|&(_, &piece)| piece != NOTHING) {
            occurrences.push((piece, self.ret(self.told[state]), state as StateId));
        }
        occurrences.sort_unstable();
        let mut is_read = vec![0; self.pieces.len()];
        for (at, &(piece, told, state)) in occurrences.iter().enumerate() {
            let writers = self.pieces.writers(piece);
            let before = is_read[piece.index()];
            let called = writers.partition_point(|&op| self.call(op) < told);
            match called.cmp(&(before + 1)) {
                std::cmp::Ordering::Less => {
                    let told = occurrences[at - before..=at].iter();
                    return conflict(
                        told.map(|&(.., state)| self.told[state as usize]).collect(),
                        vec![piece],
                    );
                }
                std::cmp::Ordering::Greater => return Err(Stop::Ambiguous),
                std::cmp::Ordering::Equal => self.writer[state as usize] = writers[before],
            }
            is_read[piece.index()] += 1;
        }
        for piece in (0..self.pieces.len() as u32).map(PieceId) {
            let unread = &self.pieces.writers(piece)[is_read[piece.index()]..];
            self.unread.extend(unread.iter().filter(|&&op| !self.history.is_pending(op)));
        }
        Ok(())
    }

    /// Finds what returned first and what was called last in an epoch; that each of its states can begin.
    fn enter(&mut self, epoch: usize) -> Result<(), Stop> {
        let states = self.states[epoch].start as usize..self.states[epoch].end as usize;
        let mut first = NOBODY;
        for state in states.clone().rev() {
            for op in [self.told[state], self.writer[state]] {
                if self.ret(op) < self.ret(first) {
                    first = op;
                }
            }
            self.first[state] = first;
        }
        let mut last = NOBODY;
        for state in states {
            last = self.called_last(last, self.writer[state]);
            let first = self.first[state];
            if last != NOBODY && self.call(last) > self.ret(first) {
                let mut late = Conflict { operations: vec![self.longest[epoch]], pieces: Vec::new() };
                self.involve(first, &mut late);
                self.involve(last, &mut late);
                // What one read has and the other, later, has not.
                if late.pieces.is_empty() {
                    self.involve(self.writer[state], &mut late);
                }
                return Err(Stop::Conflict(late));
            }
            last = self.called_last(last, self.latest[state]);
        }
        self.last.push(last);
        Ok(())
    }

    fn called_last(&self, a: OpId, b: OpId) -> OpId {
        match (a, b) {
            (NOBODY, op) | (op, NOBODY) => op,
            _ if self.call(a) > self.call(b) => a,
            _ => b,
        }
    }

    /// Adds an operation to a conflict; of one that writes, also how it is known which of the piece it wrote.
    fn involve(&self, op: OpId, conflict: &mut Conflict) {
        conflict.operations.push(op);
        let Some(piece) = self.pieces.of(op) else { return };
        conflict.pieces.push(piece);
        if self.pieces.writers(piece).len() > 1 {
            let told = self.piece.iter().zip(&self.told).filter(|&(&its, _)| its == piece);
            conflict.operations.extend(told.map(|(_, &read)| read));
        }
    }

    /// Two clusters that must precede each other.
    fn crossing(&self, a: ClusterId, b: ClusterId) -> Conflict {
        let mut crossing = Conflict { operations: Vec::new(), pieces: Vec::new() };
        for cluster in [a as usize, b as usize] {
            if let Some(unread) = cluster.checked_sub(self.states.len()) {
                self.involve(self.unread[unread], &mut crossing);
                continue;
            }
            crossing.operations.push(self.longest[cluster]);
            self.involve(self.last[cluster], &mut crossing);
            // What was there initially was there before all.
            if cluster > 0 {
                self.involve(self.first[self.states[cluster].start as usize], &mut crossing);
            }
        }
        crossing
    }

    /// Cluster by cluster: an epoch state by state, the write and then the reads in the order of their calls.
    fn linearization(&self, order: &[ClusterId]) -> Vec<OpId> {
        let written = self.writer.iter().filter(|&&op| op != NOBODY).count();
        let mut lin = vec![NOBODY; written + self.reads.len() + self.unread.len()];
        // By state, how many read it; and then, where the next of them goes.
        let mut next = vec![0usize; self.piece.len()];
        for &(state, _) in &self.reads {
            next[state as usize] += 1;
        }
        let mut at = 0;
        for &cluster in order {
            if let Some(unread) = (cluster as usize).checked_sub(self.states.len()) {
                lin[at] = self.unread[unread];
                at += 1;
                continue;
            }
            for state in self.states[cluster as usize].clone().map(|state| state as usize) {
                if self.writer[state] != NOBODY {
                    lin[at] = self.writer[state];
                    at += 1;
                }
                let reads = std::mem::replace(&mut next[state], at);
                at += reads;
            }
        }
        for &(state, op) in &self.reads {
            lin[next[state as usize]] = op;
            next[state as usize] += 1;
        }
        lin
    }
}
