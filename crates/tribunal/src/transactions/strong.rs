//! psi, pc, si and ser: an order of the writers of each key, found by saturation and, where that leaves choices, by search.
//!
//! With D = b ∪ wr, for an order ww of the writers of each key and rw = wr⁻¹ ; ww:
//!
//! | level | condition | nodes | D | ww | rw |
//! |---|---|---|---|---|---|
//! | ser | acyclic(D ∪ ww ∪ rw) | t | t→t | t→t | t→t |
//! | si | acyclic((D ∪ ww) ; rw?) | S→C | C→S | C→S | S→C |
//! | pc | acyclic((D ; rw?) ∪ ww) | S→C | C→S | C→C | S→C |
//! | psi | irreflexive((D ∪ ww)⁺ ; rw?) | t | t→t | t→t | none |
//!
//! So each is acyclicity of one graph, but for psi, whose rw are never edges: what they forbid is what the first rule says.
//!
//! - A writer w of x that comes before a reader of t₀'s x comes before t₀.
//! - A writer that must come before another does so with all who read from it: they do not see the other.
//!
//! Invariant: a clock says of each chain (a session, or a transaction by itself) how many of its nodes lead to a node; a node that leads to itself
//! is a conflict. When all writers of each key are ordered and there is none, the level holds.
//!
//! Sources: Tan et al. 2020 (Cobra) and Zennou et al. 2020 for the rules, Zhang et al. 2023 (Viper) for the two nodes.

use super::graph::Node;
use super::history::Kind;
use super::relations::{counted, reads, so};
use super::versions::Versions;
use super::{Base, History, INIT, Isolation, KeyId, Level, SessionId, Status, TxnId};
use crate::limits::Limits;
use crate::verdict::Limit;
use rustc_hash::FxHashMap;

/// Something leads to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conflict;

/// Why there is no answer, or none yet.
enum Stop {
    Conflict,
    Limit(Limit),
}

impl From<Conflict> for Stop {
    fn from(_: Conflict) -> Self {
        Stop::Conflict
    }
}

/// The commit order, if there is one.
pub(super) fn decide(
    history: &History,
    level: Level,
    versions: &FxHashMap<KeyId, Versions>,
    limits: &Limits<'_>,
) -> Result<Option<Vec<TxnId>>, Limit> {
    let mut saturation = match Saturation::new(history, level, limits)? {
        Some(saturation) => saturation,
        None => return Ok(None),
    };
    match saturation.begin(versions, limits).and_then(|()| saturation.search(limits)) {
        Ok(()) => Ok(Some(saturation.commits())),
        Err(Stop::Conflict) => Ok(None),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}

/// No node, or no edge.
const NONE: u32 = u32::MAX;

/// What is known of the order of transactions, and goes back.
struct Saturation<'h> {
    history: &'h History,
    level: Level,
    /// Whether a transaction is two nodes.
    two: bool,
    /// By node, its chain and its place there.
    places: Vec<(u32, u32)>,
    width: usize,
    /// By node and chain, how many nodes of the chain lead to it.
    clocks: Vec<u32>,
    /// By node, its first edge; by edge, where it leads and the next.
    first: Vec<u32>,
    edges: Vec<(Node, u32)>,
    /// Changes, to be undone: of a clock, or of a first edge.
    trail: Vec<Change>,
    /// Nodes whose clocks have grown since their rules were applied.
    grown: Vec<Node>,
    is_grown: Vec<bool>,
    /// By key, its writers by chain and place.
    writers: FxHashMap<KeyId, Vec<Writer>>,
    /// By key and source, who reads it.
    readers: FxHashMap<(KeyId, TxnId), Vec<TxnId>>,
    /// By transaction, the keys that it writes.
    written: Vec<Vec<KeyId>>,
    states: u64,
}

#[derive(Clone, Copy)]
struct Writer {
    chain: u32,
    /// The places of the node that ww leads to, and of the commit.
    target: u32,
    commit: u32,
    txn: TxnId,
}

#[derive(Clone, Copy)]
enum Change {
    Clock { at: usize, old: u32 },
    Edge { from: Node, old: u32 },
}

impl<'h> Saturation<'h> {
    /// Nothing if D alone has a cycle.
    fn new(history: &'h History, level: Level, limits: &Limits<'_>) -> Result<Option<Self>, Limit> {
        let two = matches!(level.isolation(), Isolation::Si | Isolation::Pc);
        let nodes_of_txn = if two { 2 } else { 1 };
        let mut moments = 0;
        let mut ends: Vec<(i64, TxnId)> = Vec::new();
        if level.base() == Base::Strict {
            let committed = counted(history).filter(|&txn| history.status(txn) == Status::Committed);
            ends.extend(committed.filter_map(|txn| Some((history.span(txn)?.end?, txn))));
            ends.sort_unstable();
            moments = ends.len();
        }
        let nodes = nodes_of_txn * history.len() + moments;
        let mut places = vec![(NONE, 0); nodes];
        let mut width = 0u32;
        for session in (0..history.session_count() as u32).map(SessionId) {
            let (chain, mut place) = (width, 0);
            width += 1;
            for txn in history.session(session).filter(|&txn| history.reads().counts(txn)) {
                let committed = history.status(txn) == Status::Committed;
                let in_chain = committed && level.base() != Base::None;
                let mut put = |node: usize| {
                    if in_chain {
                        places[node] = (chain, place);
                        place += 1;
                    } else {
                        places[node] = (width, (node % nodes_of_txn) as u32);
                    }
                };
                (0..nodes_of_txn).for_each(|part| put(nodes_of_txn * txn.index() + part));
                width += u32::from(!in_chain);
            }
        }
        for moment in 0..moments {
            places[nodes_of_txn * history.len() + moment] = (width, moment as u32);
        }
        width += u32::from(moments > 0);
        let width = width as usize;
        limits.check_memory(nodes * width * size_of::<u32>(), 0)?;
        let mut saturation = Saturation {
            history,
            level,
            two,
            places,
            width,
            clocks: vec![0; nodes * width],
            first: vec![NONE; nodes],
            edges: Vec::new(),
            trail: Vec::new(),
            grown: Vec::new(),
            is_grown: vec![false; nodes],
            writers: FxHashMap::default(),
            readers: FxHashMap::default(),
            written: vec![Vec::new(); history.len()],
            states: 0,
        };
        saturation.index();
        let known = saturation.relate(&ends);
        Ok(known.is_ok().then_some(saturation))
    }

    fn index(&mut self) {
        let history = self.history;
        for txn in counted(history) {
            let writes = |&op: &usize| matches!(history.kinds[op], Kind::Write | Kind::Append);
            let mut keys: Vec<KeyId> = history.range(txn).filter(writes).map(|op| history.keys[op]).collect();
            keys.sort_unstable();
            keys.dedup();
            for &key in &keys {
                let (chain, target) = self.places[self.target(txn) as usize];
                let commit = self.places[self.commit(txn) as usize].1;
                self.writers.entry(key).or_default().push(Writer { chain, target, commit, txn });
            }
            self.written[txn.index()] = keys;
            for (_, key, source) in reads(history, txn) {
                let readers = self.readers.entry((key, source)).or_default();
                if readers.last() != Some(&txn) {
                    readers.push(txn);
                }
            }
        }
        self.writers.values_mut().for_each(|writers| writers.sort_unstable_by_key(|w| (w.chain, w.commit)));
    }

    /// S, or the transaction itself.
    fn snapshot(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 } else { txn.0 }
    }

    /// C, or the transaction itself.
    fn commit(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 + 1 } else { txn.0 }
    }

    /// Where ww leads.
    fn target(&self, txn: TxnId) -> Node {
        if self.level.isolation() == Isolation::Pc { self.commit(txn) } else { self.snapshot(txn) }
    }

    /// Whether one node leads to another.
    fn leads(&self, from: Node, to: Node) -> bool {
        let (chain, place) = self.places[from as usize];
        self.clocks[to as usize * self.width + chain as usize] > place
    }

    /// Puts D in.
    fn relate(&mut self, ends: &[(i64, TxnId)]) -> Result<(), Conflict> {
        let history = self.history;
        if self.two {
            for txn in counted(history) {
                self.edge(self.snapshot(txn), self.commit(txn))?;
            }
        }
        if self.level.base() != Base::None {
            for (from, to) in so(history) {
                self.edge(self.commit(from), self.snapshot(to))?;
            }
        }
        let first = (if self.two { 2 } else { 1 }) * history.len() as Node;
        for (moment, &(_, txn)) in (first..).zip(ends) {
            self.edge(self.commit(txn), moment)?;
            if moment > first {
                self.edge(moment - 1, moment)?;
            }
        }
        for txn in counted(history) {
            if let Some(span) = history.span(txn).filter(|_| !ends.is_empty()) {
                let before = ends.partition_point(|&(end, _)| end < span.begin);
                if before > 0 {
                    self.edge(first + before as Node - 1, self.snapshot(txn))?;
                }
            }
            for (.., source) in reads(history, txn).filter(|&(.., source)| source != INIT) {
                self.edge(self.commit(source), self.snapshot(txn))?;
            }
        }
        Ok(())
    }

    /// Adds an edge, unless it is known, with all that follows for clocks.
    fn edge(&mut self, from: Node, to: Node) -> Result<(), Conflict> {
        if self.leads(from, to) {
            return Ok(());
        }
        if from == to || self.leads(to, from) {
            return Err(Conflict);
        }
        let old = self.first[from as usize];
        self.trail.push(Change::Edge { from, old });
        self.first[from as usize] = self.edges.len() as u32;
        self.edges.push((to, old));
        let mut pending = vec![(from, to)];
        while let Some((from, to)) = pending.pop() {
            if self.learn(from, to) {
                let mut edge = self.first[to as usize];
                while edge != NONE {
                    let (next, following) = self.edges[edge as usize];
                    pending.push((to, next));
                    edge = following;
                }
            }
        }
        Ok(())
    }

    /// What leads to one node, and that node, lead to another; whether that is new.
    fn learn(&mut self, from: Node, to: Node) -> bool {
        let (chain, place) = self.places[from as usize];
        let (source, sink) = (from as usize * self.width, to as usize * self.width);
        let mut new = false;
        for column in 0..self.width {
            let mut known = self.clocks[source + column];
            if column == chain as usize {
                known = known.max(place + 1);
            }
            let at = sink + column;
            if self.clocks[at] < known {
                self.trail.push(Change::Clock { at, old: self.clocks[at] });
                self.clocks[at] = known;
                new = true;
            }
        }
        if new && !std::mem::replace(&mut self.is_grown[to as usize], true) {
            self.grown.push(to);
        }
        new
    }

    /// `first` comes before `second`, which writes the same key: whoever reads from the first does so without seeing the second.
    fn before(&mut self, key: KeyId, first: TxnId, second: TxnId) -> Result<(), Conflict> {
        self.edge(self.commit(first), self.target(second))?;
        self.unseen(key, first, second)
    }

    fn unseen(&mut self, key: KeyId, source: TxnId, writer: TxnId) -> Result<(), Conflict> {
        if self.level.isolation() == Isolation::Psi {
            return Ok(());
        }
        let count = self.readers.get(&(key, source)).map_or(0, Vec::len);
        for at in 0..count {
            let reader = self.readers[&(key, source)][at];
            if reader != writer {
                self.edge(self.snapshot(reader), self.commit(writer))?;
            }
        }
        Ok(())
    }

    /// What is known before anything is chosen.
    fn begin(&mut self, versions: &FxHashMap<KeyId, Versions>, limits: &Limits<'_>) -> Result<(), Stop> {
        for (&key, Versions { read, unread, .. }) in versions {
            for pair in read.windows(2) {
                self.before(key, pair[0], pair[1])?;
            }
            if let Some(&last) = read.last() {
                for &unread in unread {
                    self.before(key, last, unread)?;
                }
            }
        }
        let keys: Vec<KeyId> = self.writers.keys().copied().collect();
        for key in keys {
            for at in 0..self.writers[&key].len() {
                // In each chain the first stands for those behind it.
                let writers = &self.writers[&key];
                let writer = writers[at].txn;
                if at == 0 || writers[at - 1].chain != writers[at].chain {
                    self.unseen(key, INIT, writer)?;
                }
            }
        }
        self.saturate(limits)
    }

    /// Applies the rules until nothing new follows.
    fn saturate(&mut self, limits: &Limits<'_>) -> Result<(), Stop> {
        while let Some(node) = self.grown.pop() {
            self.is_grown[node as usize] = false;
            self.states += 1;
            if self.states.is_multiple_of(1024) {
                limits.check(self.states).map_err(Stop::Limit)?;
            }
            let per_txn = if self.two { 2 } else { 1 };
            let txn = TxnId(node / per_txn);
            if txn.index() >= self.history.len() {
                continue;
            }
            if node == self.snapshot(txn) {
                self.as_reader(txn)?;
            }
            if node == self.commit(txn) {
                self.as_writer(txn)?;
            }
        }
        Ok(())
    }

    /// The last writers of a key in each chain that lead to a node, by their commits or by where ww leads.
    fn last_writers(&self, key: KeyId, node: Node, by_commit: bool) -> Vec<TxnId> {
        let Some(writers) = self.writers.get(&key) else { return Vec::new() };
        let clock = &self.clocks[node as usize * self.width..][..self.width];
        let of_chain = |chain: &[Writer]| {
            let known = clock[chain[0].chain as usize];
            let place = |writer: &Writer| if by_commit { writer.commit } else { writer.target };
            let before = chain.partition_point(|writer| place(writer) < known);
            before.checked_sub(1).map(|last| chain[last].txn)
        };
        writers.chunk_by(|a, b| a.chain == b.chain).filter_map(of_chain).collect()
    }

    /// Writers of what a transaction reads that are before it are before its sources.
    fn as_reader(&mut self, txn: TxnId) -> Result<(), Stop> {
        let history = self.history;
        let node = self.snapshot(txn);
        for (_, key, source) in reads(history, txn) {
            for writer in self.last_writers(key, node, true) {
                if writer == source || writer == txn {
                    continue;
                }
                if source == INIT {
                    return Err(Stop::Conflict);
                }
                self.before(key, writer, source)?;
            }
        }
        Ok(())
    }

    /// Writers of what a transaction writes that would be behind it in a cycle are before it.
    fn as_writer(&mut self, txn: TxnId) -> Result<(), Stop> {
        let node = self.commit(txn);
        for at in 0..self.written[txn.index()].len() {
            let key = self.written[txn.index()][at];
            for writer in self.last_writers(key, node, false) {
                if writer != txn {
                    self.before(key, writer, txn)?;
                }
            }
        }
        Ok(())
    }

    /// Goes back to what was known.
    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Change::Clock { at, old }) => self.clocks[at] = old,
                Some(Change::Edge { from, old }) => {
                    self.first[from as usize] = old;
                    self.edges.pop();
                }
                None => {}
            }
        }
        self.grown.drain(..).for_each(|node| self.is_grown[node as usize] = false);
    }

    /// Orders writers of a key that are not ordered, one pair after the other, first as they come in an order of all; and the other way
    /// round where that ends in a conflict.
    fn search(&mut self, limits: &Limits<'_>) -> Result<(), Stop> {
        // Choices so far: where they began, and what is left to try.
        let mut choices: Vec<(usize, Option<(KeyId, TxnId, TxnId)>)> = Vec::new();
        while let Some((key, first, second)) = self.unordered() {
            limits.check(self.states).map_err(Stop::Limit)?;
            choices.push((self.trail.len(), Some((key, second, first))));
            let mut tried = self.choose(key, first, second, limits);
            while let Err(stop) = tried {
                if let Stop::Limit(_) = stop {
                    return Err(stop);
                }
                let Some((mark, other)) = choices.pop() else { return Err(Stop::Conflict) };
                self.undo(mark);
                tried = match other {
                    None => Err(Stop::Conflict),
                    Some((key, first, second)) => {
                        choices.push((mark, None));
                        self.choose(key, first, second, limits)
                    }
                };
            }
        }
        Ok(())
    }

    fn choose(&mut self, key: KeyId, first: TxnId, second: TxnId, limits: &Limits<'_>) -> Result<(), Stop> {
        self.states += 1;
        self.before(key, first, second)?;
        self.saturate(limits)
    }

    /// Two writers of a key neither of which is known to come before the other, next to each other in an order of all.
    fn unordered(&self) -> Option<(KeyId, TxnId, TxnId)> {
        let place = self.order();
        let mut keys: Vec<KeyId> = self.writers.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let mut writers: Vec<TxnId> = self.writers[&key].iter().map(|writer| writer.txn).collect();
            writers.sort_unstable_by_key(|&txn| place[self.commit(txn) as usize]);
            let apart = |pair: &&[TxnId]| !self.leads(self.commit(pair[0]), self.target(pair[1]));
            if let Some(pair) = writers.windows(2).find(apart) {
                return Some((key, pair[0], pair[1]));
            }
        }
        None
    }

    /// By node, its place in an order that contains the edges.
    fn order(&self) -> Vec<u32> {
        let nodes = self.first.len();
        let mut before = vec![0u32; nodes];
        let edges = |node: usize| {
            let first = Some(self.first[node]).filter(|&edge| edge != NONE);
            let edges = std::iter::successors(first, |&edge| {
                Some(self.edges[edge as usize].1).filter(|&edge| edge != NONE)
            });
            edges.map(|edge| self.edges[edge as usize].0 as usize)
        };
        (0..nodes).flat_map(edges).for_each(|to| before[to] += 1);
        let mut queue: Vec<usize> = (0..nodes).filter(|&node| before[node] == 0).collect();
        let (mut done, mut place) = (0, vec![0; nodes]);
        while let Some(&node) = queue.get(done) {
            place[node] = done as u32;
            done += 1;
            for to in edges(node) {
                before[to] -= 1;
                if before[to] == 0 {
                    queue.push(to);
                }
            }
        }
        place
    }

    /// The transactions that count, in the order of their commits.
    fn commits(&self) -> Vec<TxnId> {
        let place = self.order();
        let mut commits: Vec<TxnId> = counted(self.history).collect();
        commits.sort_unstable_by_key(|&txn| place[self.commit(txn) as usize]);
        commits
    }
}
