//! ru, rc, mav, rat and tcc: what reads force of ww, and one search for a cycle.
//!
//! A level forbids `d ; rw`, for a relation d that does not depend on co. So a transaction t₁ that writes x and is before t₃ by d, where t₃ reads
//! x from t₀ ≠ t₁, must be before t₀ (ww), and nothing else is asked: any order that contains b, wr and these ww will do.
//!
//! | level | d | edges |
//! |---|---|---|
//! | ru | | lists alone |
//! | rc | ∅ | |
//! | mav | wr of an earlier read | per reader, its sources' writes against its reads, the smaller of the two |
//! | rat | b ∪ wr | the same; and the last writer of the key in the session |
//! | tcc | (b ∪ wr)⁺ | per read and session, the last writer of the key that the reader knows of |
//!
//! Source: Møldrup and Pavlogiannis, PLDI 2025 (AWDIT). Bounds: O(n) for ru and rc, O(n^{3/2}) for mav and rat, O(n·k·log n) for tcc, for n operations
//! of k sessions; strict levels add a sort.

use super::graph::{Edge, Graph, Node, Why};
use super::relations::{self, Nodes, counted, reads};
use super::versions::Versions;
use super::{
    Base, Because, End, History, INIT, Isolation, KeyId, Level, Link, OpId, Proof, Rel, SessionId, Status,
    Step, TxnId,
};
use crate::reach::clocks::{Rows, join};
use crate::reach::lists::Lists;
use rustc_hash::FxHashMap;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The commit order, init left out, or why there is none. The level is one of those above; sources are known, and there are times if it needs
/// them.
pub(super) fn decide(
    history: &History,
    level: Level,
    versions: &Versions,
    limits: &Limits<'_>,
) -> Result<Result<Vec<TxnId>, Proof>, Limit> {
    match order(history, level, versions, limits) {
        Ok(commits) => Ok(Ok(commits)),
        Err(Stop::Refuted(proof)) => Ok(Err(proof)),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}

/// The reason why there is no order, or no answer.
enum Stop {
    Refuted(Proof),
    Limit(Limit),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

fn order(
    history: &History,
    level: Level,
    versions: &Versions,
    limits: &Limits<'_>,
) -> Result<Vec<TxnId>, Stop> {
    let isolation = level.isolation();
    // wr, so, moments and what is forced, in a list and as a graph.
    let edges = history.ops().len() + 4 * history.len();
    let limits = &limits.beside(2 * edges * size_of::<Edge>() + versions.bytes())?;
    limits.check(0)?;
    let nodes = Nodes::of(history);
    let mut edges = Vec::new();
    let mut count = nodes.count();
    if isolation != Isolation::Ru {
        count = relations::base(history, level.base(), &mut edges);
        relations::wr(history, &mut edges);
    }
    let known = (isolation == Isolation::Tcc).then(|| Graph::new(count, &edges));
    relations::lists(versions, &mut edges);
    let explanation = Explanation { history, level, known: known.as_ref() };
    let mut forcing = Forcing::new(history, limits, &mut edges);
    match isolation {
        Isolation::Mav => forcing.by_sources(true)?,
        Isolation::Rat => {
            forcing.by_sources(false)?;
            if level.base() != Base::None {
                forcing.by_session()?;
            }
            if level.base() == Base::Strict {
                count = forcing.by_time(count as Node)? as usize;
            }
        }
        Isolation::Tcc => {
            if let Some(known) = &known {
                let order = known.order().map_err(|cycle| Stop::Refuted(explanation.cycle(&cycle)))?;
                forcing.by_knowledge(known, &order)?;
            }
        }
        _ => {}
    }
    if let Some((writer, read)) = forcing.initial {
        return Err(Stop::Refuted(explanation.initial(writer, read)));
    }
    let order = Graph::new(count, &edges).order();
    let order = order.map_err(|cycle| Stop::Refuted(explanation.cycle(&cycle)))?;
    let commits = order.into_iter().filter_map(|node| nodes.txn(node));
    Ok(commits.filter(|&txn| txn != INIT && history.reads().counts(txn)).collect())
}

/// Turns cycles into proofs.
struct Explanation<'a> {
    history: &'a History,
    level: Level,
    /// Of tcc, D.
    known: Option<&'a Graph>,
}

impl Explanation<'_> {
    fn cycle(&self, edges: &[Edge]) -> Proof {
        let nodes = Nodes::of(self.history);
        let start = edges.iter().position(|edge| nodes.txn(edge.from).is_some()).unwrap_or(0);
        let (mut steps, mut cycle) = (Vec::new(), Vec::new());
        let mut left = INIT;
        for &Edge { from, to, why } in edges[start..].iter().chain(&edges[..start]) {
            left = nodes.txn(from).unwrap_or(left);
            let Some(to) = nodes.txn(to) else { continue };
            let key = |read: OpId| self.history.key(read);
            let (rel, because) = match why {
                Why::Session => (Rel::So, None),
                Why::Time => (Rel::Rt, None),
                Why::Read(op) => (Rel::Wr(op), None),
                Why::List(read) => (Rel::Ww(key(read)), Some((read, Because::List(read)))),
                Why::Seen(read) => {
                    let path = self.path(left, read);
                    (Rel::Ww(key(read)), Some((read, Because::Seen { read, path })))
                }
            };
            cycle.push(Link { from: left, to, rel });
            let step = |(read, because)| Step { key: key(read), first: left, second: to, because };
            steps.extend(because.map(step));
        }
        Proof { steps, end: End::Cycle(cycle) }
    }

    /// A writer of the key comes before a read of its initial value.
    fn initial(&self, writer: TxnId, read: OpId) -> Proof {
        let mut cycle = self.path(writer, read);
        cycle.push(Link { from: self.history.txn_of(read), to: writer, rel: Rel::Rw(read) });
        Proof { steps: Vec::new(), end: End::Cycle(cycle) }
    }

    /// The path by which a writer comes before a reader.
    fn path(&self, writer: TxnId, read: OpId) -> Vec<Link> {
        let (history, reader) = (self.history, self.history.txn_of(read));
        let link = |rel| vec![Link { from: writer, to: reader, rel }];
        if let Some(known) = self.known {
            let edges = known.path(writer.0, reader.0);
            let End::Cycle(path) = self.cycle(&edges).end else {
                return Vec::new();
            };
            return path;
        }
        let wr = reads(history, reader).find(|&(_, _, source)| source == writer);
        if let Some((op, ..)) = wr.filter(|(op, ..)| self.level.isolation() != Isolation::Mav || *op < read) {
            return link(Rel::Wr(op));
        }
        let same = history.session_of(writer) == history.session_of(reader);
        link(if same && writer < reader { Rel::So } else { Rel::Rt })
    }
}

/// Adds the ww that reads force to the edges of a graph.
struct Forcing<'h, 'e> {
    history: &'h History,
    limits: &'e Limits<'e>,
    edges: &'e mut Vec<Edge>,
    /// A writer that comes before a read of the initial value of what it writes, and that read.
    initial: Option<(TxnId, OpId)>,
    /// By transaction, the keys that it writes, in order; where they begin, and where the last end.
    write_starts: Vec<u32>,
    write_keys: Vec<KeyId>,
    steps: u32,
}

/// The last of something that is not there.
const NONE: u32 = u32::MAX;

impl<'h, 'e> Forcing<'h, 'e> {
    fn new(history: &'h History, limits: &'e Limits<'e>, edges: &'e mut Vec<Edge>) -> Self {
        let (mut write_starts, mut write_keys) = (vec![0], Vec::new());
        for txn in history.transactions() {
            write_keys.extend(relations::written(history, txn));
            write_starts.push(write_keys.len() as u32);
        }
        Forcing { history, limits, edges, initial: None, write_starts, write_keys, steps: 0 }
    }

    fn writes(&self, txn: TxnId) -> &[KeyId] {
        &self.write_keys[self.write_starts[txn.index()] as usize..self.write_starts[txn.index() + 1] as usize]
    }

    /// What the read returned is of the source, though `first` comes before the read: so it comes before the source.
    #[inline]
    fn force(&mut self, first: TxnId, source: TxnId, read: OpId) -> Result<(), Limit> {
        if source == INIT {
            self.initial.get_or_insert((first, read));
            return Ok(());
        }
        self.edge(Edge { from: first.0, to: source.0, why: Why::Seen(read) })
    }

    #[inline]
    fn edge(&mut self, edge: Edge) -> Result<(), Limit> {
        if self.edges.len().is_multiple_of(4096) {
            self.check()?;
        }
        self.edges.push(edge);
        Ok(())
    }

    /// A step that adds no edge: the limits are asked from time to time.
    #[inline]
    fn step(&mut self) -> Result<(), Limit> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(1 << 14) { self.check() } else { Ok(()) }
    }

    /// d = wr; with `in_order` only the wr of reads before the one that would be wrong.
    ///
    /// Of several reads of one key, each source comes before the next: the first of them that is behind a source stands for those that follow it. Without `in_order` each source also
    /// comes before the one before it, which is a cycle: nothing more is needed.
    fn by_sources(&mut self, in_order: bool) -> Result<(), Limit> {
        let history = self.history;
        // By key, the reader whose reads are listed, and the range of its reads of the key.
        let mut listed: Vec<(u32, u32, u32)> = vec![(NONE, 0, 0); history.key_count()];
        let mut its_reads: Vec<(KeyId, OpId, TxnId)> = Vec::new();
        let mut sources: Vec<(TxnId, OpId)> = Vec::new();
        for reader in counted(history) {
            self.step()?;
            its_reads.clear();
            its_reads.extend(reads(history, reader).map(|(op, key, source)| (key, op, source)));
            if its_reads.len() < 2 {
                continue;
            }
            its_reads.sort_unstable();
            sources.clear();
            sources.extend(its_reads.iter().map(|&(_, op, source)| (source, op)));
            // Each source by its first read.
            sources.sort_unstable();
            sources.dedup_by_key(|(source, _)| *source);
            for (place, &(key, ..)) in (0..).zip(&its_reads) {
                let (of, start, end) = &mut listed[key.index()];
                if *of != reader.0 {
                    (*of, *start) = (reader.0, place);
                }
                *end = place + 1;
            }
            for pair in its_reads.windows(2) {
                let ((key, op, source), (other_key, other_op, other)) = (pair[0], pair[1]);
                if key != other_key || source == other {
                    continue;
                }
                if source != INIT {
                    self.force(source, other, other_op)?;
                }
                if !in_order && other != INIT {
                    self.force(other, source, op)?;
                }
            }
            for &(source, first) in sources.iter().filter(|(source, _)| *source != INIT) {
                // The first read of a key that it writes, behind its own if that matters.
                let of_key = |start: u32, end: u32| {
                    let of_key = &its_reads[start as usize..end as usize];
                    let behind = of_key.partition_point(|&(_, op, _)| in_order && op <= first);
                    of_key.get(behind).filter(|&&(.., other)| other != source).copied()
                };
                if self.writes(source).len() <= its_reads.len() {
                    for at in 0..self.writes(source).len() {
                        self.step()?;
                        let (of, start, end) = listed[self.writes(source)[at].index()];
                        if of == reader.0
                            && let Some((_, op, other)) = of_key(start, end)
                        {
                            self.force(source, other, op)?;
                        }
                    }
                } else {
                    let mut start = 0;
                    while let Some(&(key, ..)) = its_reads.get(start as usize) {
                        self.step()?;
                        let (_, _, end) = listed[key.index()];
                        if self.writes(source).binary_search(&key).is_ok()
                            && let Some((_, op, other)) = of_key(start, end)
                        {
                            self.force(source, other, op)?;
                        }
                        start = end;
                    }
                }
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Limit> {
        self.limits.check(0)?;
        self.limits.check_memory(self.edges.held(), 0)
    }

    /// d = so: the last writer of the key in the session stands for those before it.
    fn by_session(&mut self) -> Result<(), Limit> {
        let history = self.history;
        let mut last: Vec<(u32, TxnId)> = vec![(NONE, INIT); history.key_count()];
        for session in (0..history.session_count() as u32).map(SessionId) {
            for txn in history.session(session).filter(|&txn| history.reads().counts(txn)) {
                for (op, key, source) in reads(history, txn) {
                    let (of, writer) = last[key.index()];
                    self.step()?;
                    if of == session.0 && writer != source {
                        self.force(writer, source, op)?;
                    }
                }
                if history.status(txn) == Status::Committed {
                    for at in 0..self.writes(txn).len() {
                        last[self.writes(txn)[at].index()] = (session.0, txn);
                    }
                }
            }
        }
        Ok(())
    }

    /// d = rt, with moments for each key: all its writers up to a time. Gives the number of nodes.
    ///
    /// A source that is read after it ended comes after all writers that ended before it, by a moment, and after those that ended between its end and that read. These are few in all: if
    /// another such source is among them, each of the two comes before the other, and nothing more is needed of what is behind it.
    fn by_time(&mut self, mut next: Node) -> Result<Node, Limit> {
        let history = self.history;
        let mut writers: FxHashMap<KeyId, Vec<(i64, TxnId)>> = FxHashMap::default();
        for txn in counted(history).filter(|&txn| history.status(txn) == Status::Committed) {
            let Some(end) = history.span(txn).and_then(|span| span.end) else { continue };
            for &key in self.writes(txn) {
                writers.entry(key).or_default().push((end, txn));
            }
        }
        writers.values_mut().for_each(|writers| writers.sort_unstable());
        // Of the reads of a key from a source, the one whose transaction begins last asks for most.
        let mut latest: FxHashMap<(KeyId, TxnId), (i64, OpId)> = FxHashMap::default();
        for txn in counted(history) {
            let Some(span) = history.span(txn) else { continue };
            for (op, key, source) in reads(history, txn).filter(|(_, key, _)| writers.contains_key(key)) {
                let latest = latest.entry((key, source)).or_insert((span.begin, op));
                *latest = (*latest).max((span.begin, op));
            }
        }
        let mut sorted: Vec<_> = latest.into_iter().collect();
        sorted.sort_unstable();
        for reads in sorted.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
            let writers = &writers[&reads[0].0.0];
            let first = next;
            for (moment, &(_, txn)) in (first..).zip(writers) {
                self.edge(Edge { from: txn.0, to: moment, why: Why::Time })?;
                if moment > first {
                    self.edge(Edge { from: moment - 1, to: moment, why: Why::Time })?;
                }
            }
            next += writers.len() as Node;
            // Sources by their own place among the writers, behind which come those that have none.
            let mut placed: Vec<(usize, TxnId, i64, OpId)> = Vec::with_capacity(reads.len());
            for &((_, source), (begin, op)) in reads {
                let its_end =
                    (source != INIT).then(|| history.span(source).and_then(|span| span.end)).flatten();
                let own = its_end.map(|end| writers.partition_point(|&writer| writer < (end, source)));
                placed.push((own.unwrap_or(usize::MAX), source, begin, op));
            }
            placed.sort_unstable();
            // Up to where the writers behind a source have been gone through.
            let mut done = 0;
            for (own, source, begin, op) in placed {
                self.step()?;
                let before = writers.partition_point(|&(end, _)| end < begin);
                let prefix = own.min(before);
                if source == INIT {
                    if let Some(&(_, writer)) = writers[..prefix].first() {
                        self.force(writer, INIT, op)?;
                    }
                } else if prefix > 0 {
                    let from = first + prefix as Node - 1;
                    self.edge(Edge { from, to: source.0, why: Why::Seen(op) })?;
                }
                if own < before && done <= own {
                    for &(_, writer) in &writers[own + 1..before] {
                        self.force(writer, source, op)?;
                    }
                    done = before;
                }
            }
        }
        Ok(next)
    }

    /// d = (b ∪ wr)⁺, by clocks: of each session how many committed transactions are before a node. A transaction of unknown outcome, which nothing
    /// follows in its session, has a place of its own.
    fn by_knowledge(&mut self, graph: &Graph, order: &[Node]) -> Result<(), Limit> {
        let history = self.history;
        // By transaction, its column and its place there.
        let mut places: Vec<(u32, u32)> = vec![(NONE, 0); history.len()];
        let mut columns = history.session_count() as u32;
        for session in (0..columns).map(SessionId) {
            let mut committed = 0;
            for txn in history.session(session).filter(|&txn| history.reads().counts(txn)) {
                if history.status(txn) == Status::Committed {
                    places[txn.index()] = (session.0, committed);
                    committed += 1;
                } else {
                    places[txn.index()] = (columns, 0);
                    columns += 1;
                }
            }
        }
        let width = columns as usize;
        self.limits.check_memory(graph.nodes().saturating_mul(width).saturating_mul(size_of::<u32>()), 0)?;
        let writers = self.writers(&places);
        let before = graph.reversed();
        let mut clocks = Rows::of(graph.nodes(), width);
        let mut clock = vec![0u32; width];
        for (at, &node) in order.iter().enumerate() {
            if at.is_multiple_of(16) {
                self.check()?;
            }
            clock.fill(0);
            before.of(node as usize).iter().for_each(|&from| join(&mut clock, clocks.row(from)));
            if let Some(&(column, place)) = places.get(node as usize)
                && column != NONE
            {
                for (op, key, source) in reads(history, TxnId(node)) {
                    for of_column in writers.of(key.index()).chunk_by(|a, b| a.0 == b.0) {
                        let known = clock[of_column[0].0 as usize];
                        let before = of_column.partition_point(|&(_, place, _)| place < known);
                        self.step()?;
                        if let Some(&(.., last)) = of_column[..before].last()
                            && last != source
                        {
                            self.force(last, source, op)?;
                        }
                    }
                }
                clock[column as usize] = clock[column as usize].max(place + 1);
            }
            clocks.row_mut(node).copy_from_slice(&clock);
        }
        Ok(())
    }

    /// By key, its writers, each with its column and place. Those of a session are in its order, one behind the other.
    fn writers(&self, places: &[(u32, u32)]) -> Lists<(u32, u32, TxnId)> {
        let keys = self.write_keys.iter().map(|key| key.index());
        let of_txn = |txn: TxnId| {
            let (column, place) = places[txn.index()];
            self.writes(txn).iter().map(move |key| (key.index(), (column, place, txn)))
        };
        Lists::new(self.history.key_count(), keys, self.history.transactions().flat_map(of_txn))
    }
}
