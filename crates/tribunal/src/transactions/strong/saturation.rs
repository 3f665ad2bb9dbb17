//! What is known of the order of transactions: edges with their reasons, clocks that follow from them, and the rules.

use super::super::graph::Node;
use super::super::history::Kind;
use super::super::relations::{counted, reads, so};
use super::super::versions::Versions;
use super::super::{Base, History, INIT, Isolation, KeyId, Level, OpId, SessionId, Status, TxnId};
use crate::limits::Limits;
use crate::verdict::Limit;
use rustc_hash::FxHashMap;

/// No edge, no step, or no chain.
pub(super) const NONE: u32 = u32::MAX;

/// Why a node leads to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// From S to C.
    Inside,
    So,
    /// A part of rt, which a moment stands between.
    Moment,
    Wr(OpId),
    /// By a step.
    Ww(u32),
    /// A read, and the step by which what it returned is overwritten; none if that is initial.
    Rw(OpId, u32),
}

/// An edge that would close a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub from: Node,
    pub to: Node,
    pub reason: Reason,
}

/// That a writer comes before another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub key: KeyId,
    pub first: TxnId,
    pub second: TxnId,
    pub ground: Ground,
    /// How many edges there were: it rests on them alone.
    pub edges: usize,
}

/// Why a writer comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    List(OpId),
    /// The first leads to this read of the second.
    Seen(OpId),
    /// The first leads to the second.
    Otherwise,
    /// It was chosen, as the choice of this number.
    Assumed(u32),
}

/// Why the rules do not come to an end.
pub(super) enum Halt {
    Conflict(Conflict),
    Limit(Limit),
}

impl From<Conflict> for Halt {
    fn from(conflict: Conflict) -> Self {
        Halt::Conflict(conflict)
    }
}

/// What is known of the order of transactions; it grows, and goes back.
pub(super) struct Saturation<'h> {
    pub history: &'h History,
    pub level: Level,
    /// Whether a transaction is two nodes.
    two: bool,
    /// By node, its chain and its place there.
    places: Vec<(u32, u32)>,
    width: usize,
    /// By node and chain, how many nodes of the chain lead to it.
    clocks: Vec<u32>,
    /// By node, its latest edge.
    pub latest: Vec<u32>,
    /// Where they lead, why, and the one before of the same node.
    pub edges: Vec<(Node, Reason, u32)>,
    pub steps: Vec<Known>,
    trail: Vec<Change>,
    /// Nodes whose clocks have grown since the rules were applied to them.
    grown: Vec<Node>,
    is_grown: Vec<bool>,
    /// By key, its writers by chain and place.
    pub writers: FxHashMap<KeyId, Vec<Writer>>,
    /// By key and source, who reads it.
    readers: FxHashMap<(KeyId, TxnId), Vec<(TxnId, OpId)>>,
    /// By transaction, the keys that it writes.
    written: Vec<Vec<KeyId>>,
    pub states: u64,
}

/// A writer of a key.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    chain: u32,
    /// The places of the node that ww leads to, and of the commit.
    target: u32,
    commit: u32,
    pub txn: TxnId,
}

/// What was changed, to be undone.
#[derive(Clone, Copy)]
enum Change {
    Clock { at: usize, old: u32 },
    Edge { from: Node },
    Step,
}

impl<'h> Saturation<'h> {
    /// With nothing known yet.
    pub(super) fn new(history: &'h History, level: Level, limits: &Limits<'_>) -> Result<Self, Limit> {
        let two = matches!(level.isolation(), Isolation::Si | Isolation::Pc);
        let parts = if two { 2 } else { 1 };
        let ends = |txn: &TxnId| history.status(*txn) == Status::Committed;
        let moments = if level.base() == Base::Strict { counted(history).filter(ends).count() } else { 0 };
        let nodes = parts * history.len() + moments;
        let mut places = vec![(NONE, 0); nodes];
        let mut width = 0u32;
        for session in (0..history.session_count() as u32).map(SessionId) {
            let (chain, mut place) = (width, 0);
            width += 1;
            for txn in history.session(session).filter(|&txn| history.reads().counts(txn)) {
                // Nothing follows a transaction of unknown outcome in its session.
                let in_chain = level.base() != Base::None && history.status(txn) == Status::Committed;
                for part in 0..parts {
                    places[parts * txn.index() + part] =
                        if in_chain { (chain, place + part as u32) } else { (width, part as u32) };
                }
                if in_chain {
                    place += parts as u32;
                } else {
                    width += 1;
                }
            }
        }
        for moment in 0..moments {
            places[parts * history.len() + moment] = (width, moment as u32);
        }
        let width = width as usize + usize::from(moments > 0);
        limits.check_memory(nodes.saturating_mul(width).saturating_mul(size_of::<u32>()), 0)?;
        let mut saturation = Saturation {
            history,
            level,
            two,
            places,
            width,
            clocks: vec![0; nodes * width],
            latest: vec![NONE; nodes],
            edges: Vec::new(),
            steps: Vec::new(),
            trail: Vec::new(),
            grown: Vec::new(),
            is_grown: vec![false; nodes],
            writers: FxHashMap::default(),
            readers: FxHashMap::default(),
            written: vec![Vec::new(); history.len()],
            states: 0,
        };
        saturation.index();
        Ok(saturation)
    }

    fn index(&mut self) {
        let history = self.history;
        for txn in counted(history) {
            let writes = |&op: &usize| matches!(history.kinds[op], Kind::Write | Kind::Append);
            let mut keys: Vec<KeyId> = history.range(txn).filter(writes).map(|op| history.keys[op]).collect();
            keys.sort_unstable();
            keys.dedup();
            let (chain, target) = self.places[self.target(txn) as usize];
            let commit = self.places[self.commit(txn) as usize].1;
            for &key in &keys {
                self.writers.entry(key).or_default().push(Writer { chain, target, commit, txn });
            }
            self.written[txn.index()] = keys;
            for (op, key, source) in reads(history, txn) {
                let readers = self.readers.entry((key, source)).or_default();
                if readers.last().is_none_or(|(last, _)| *last != txn) {
                    readers.push((txn, op));
                }
            }
        }
        self.writers.values_mut().for_each(|writers| writers.sort_unstable_by_key(|w| (w.chain, w.commit)));
    }

    /// S, or the transaction itself.
    pub(super) fn snapshot(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 } else { txn.0 }
    }

    /// C, or the transaction itself.
    pub(super) fn commit(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 + 1 } else { txn.0 }
    }

    /// Where ww leads.
    pub(super) fn target(&self, txn: TxnId) -> Node {
        if self.level.isolation() == Isolation::Pc { self.commit(txn) } else { self.snapshot(txn) }
    }

    /// The transaction of a node; none if it is a moment.
    pub(super) fn txn(&self, node: Node) -> Option<TxnId> {
        let txn = TxnId(if self.two { node / 2 } else { node });
        (txn.index() < self.history.len()).then_some(txn)
    }

    /// Whether one node leads to another.
    #[inline]
    pub(super) fn leads(&self, from: Node, to: Node) -> bool {
        let (chain, place) = self.places[from as usize];
        self.clocks[to as usize * self.width + chain as usize] > place
    }

    /// Puts D in, and what is known of ww before anything follows.
    pub(super) fn begin(&mut self, versions: &FxHashMap<KeyId, Versions>) -> Result<(), Conflict> {
        let history = self.history;
        if self.two {
            for txn in counted(history) {
                self.edge(self.snapshot(txn), self.commit(txn), Reason::Inside)?;
            }
        }
        if self.level.base() != Base::None {
            for (from, to) in so(history) {
                self.edge(self.commit(from), self.snapshot(to), Reason::So)?;
            }
        }
        if self.level.base() == Base::Strict {
            self.real_time()?;
        }
        for txn in counted(history) {
            for (op, _, source) in reads(history, txn).filter(|&(.., source)| source != INIT) {
                self.edge(self.commit(source), self.snapshot(txn), Reason::Wr(op))?;
            }
        }
        let mut keys: Vec<KeyId> = self.writers.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            if let Some(Versions { read, unread, by: Some(by) }) = versions.get(&key) {
                let list = Ground::List(*by);
                for pair in read.windows(2) {
                    self.before(key, pair[0], pair[1], list)?;
                }
                for (&last, &unread) in
                    read.last().into_iter().flat_map(|last| unread.iter().map(move |u| (last, u)))
                {
                    self.before(key, last, unread, list)?;
                }
            }
            self.initial(key)?;
        }
        Ok(())
    }

    /// rt, by way of a moment for each end of a committed transaction.
    fn real_time(&mut self) -> Result<(), Conflict> {
        let history = self.history;
        let committed = counted(history).filter(|&txn| history.status(txn) == Status::Committed);
        let mut ends: Vec<(i64, TxnId)> =
            committed.filter_map(|txn| Some((history.span(txn)?.end?, txn))).collect();
        ends.sort_unstable();
        let first = self.latest.len() as Node - ends.len() as Node;
        for (moment, &(_, txn)) in (first..).zip(&ends) {
            if moment > first {
                self.edge(moment - 1, moment, Reason::Moment)?;
            }
            self.edge(self.commit(txn), moment, Reason::Moment)?;
        }
        for txn in counted(history) {
            let Some(span) = history.span(txn) else { continue };
            let before = ends.partition_point(|&(end, _)| end < span.begin);
            if before > 0 {
                self.edge(first + before as Node - 1, self.snapshot(txn), Reason::Moment)?;
            }
        }
        Ok(())
    }

    /// Who reads the initial value comes before all writers; the first of a chain stands for those behind it.
    fn initial(&mut self, key: KeyId) -> Result<(), Conflict> {
        if self.level.isolation() == Isolation::Psi {
            return Ok(());
        }
        for at in 0..self.writers[&key].len() {
            let writers = &self.writers[&key];
            let writer = writers[at];
            if at > 0 && writers[at - 1].chain == writer.chain {
                continue;
            }
            for reader in 0..self.readers.get(&(key, INIT)).map_or(0, Vec::len) {
                let (reader, op) = self.readers[&(key, INIT)][reader];
                if reader != writer.txn {
                    self.edge(self.snapshot(reader), self.commit(writer.txn), Reason::Rw(op, NONE))?;
                }
            }
        }
        Ok(())
    }

    /// Adds an edge, unless it is known, with all that follows for clocks.
    fn edge(&mut self, from: Node, to: Node, reason: Reason) -> Result<(), Conflict> {
        if self.leads(from, to) {
            return Ok(());
        }
        if self.leads(to, from) {
            return Err(Conflict { from, to, reason });
        }
        self.trail.push(Change::Edge { from });
        self.edges.push((to, reason, self.latest[from as usize]));
        self.latest[from as usize] = self.edges.len() as u32 - 1;
        let mut pending = vec![(from, to)];
        while let Some((from, to)) = pending.pop() {
            if self.learn(from, to) {
                let mut edge = self.latest[to as usize];
                while edge != NONE {
                    let (next, _, following) = self.edges[edge as usize];
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
            let own = if column == chain as usize { place + 1 } else { 0 };
            let known = self.clocks[source + column].max(own);
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

    /// `first` comes before `second`, which writes the same key, and so does whoever reads from it: without seeing the second.
    pub(super) fn before(
        &mut self,
        key: KeyId,
        first: TxnId,
        second: TxnId,
        ground: Ground,
    ) -> Result<(), Conflict> {
        let mut known = Some(Known { key, first, second, ground, edges: self.edges.len() });
        let (from, to) = (self.commit(first), self.target(second));
        if !self.leads(from, to) {
            let step = self.step(&mut known);
            self.edge(from, to, Reason::Ww(step))?;
        }
        if self.level.isolation() == Isolation::Psi {
            return Ok(());
        }
        for at in 0..self.readers.get(&(key, first)).map_or(0, Vec::len) {
            let (reader, op) = self.readers[&(key, first)][at];
            let (from, to) = (self.snapshot(reader), self.commit(second));
            if reader != second && !self.leads(from, to) {
                let step = self.step(&mut known);
                self.edge(from, to, Reason::Rw(op, step))?;
            }
        }
        Ok(())
    }

    /// The number of a step, which is noted once.
    fn step(&mut self, known: &mut Option<Known>) -> u32 {
        if let Some(known) = known.take() {
            self.steps.push(known);
            self.trail.push(Change::Step);
        }
        self.steps.len() as u32 - 1
    }

    /// Applies the rules until nothing new follows.
    pub(super) fn saturate(&mut self, limits: &Limits<'_>) -> Result<(), Halt> {
        while let Some(node) = self.grown.pop() {
            self.is_grown[node as usize] = false;
            self.states += 1;
            if self.states.is_multiple_of(1024) {
                limits.check(self.states).map_err(Halt::Limit)?;
            }
            let Some(txn) = self.txn(node) else { continue };
            if node == self.snapshot(txn) {
                self.as_reader(txn)?;
            }
            if node == self.commit(txn) {
                self.as_writer(txn)?;
            }
        }
        Ok(())
    }

    /// The last writers of a key in each chain that lead to a node, by their commits or by where ww leads; its own transaction is left out.
    fn last_writers(&self, key: KeyId, node: Node, by_commit: bool) -> Vec<TxnId> {
        let own = self.txn(node);
        let Some(writers) = self.writers.get(&key) else { return Vec::new() };
        let clock = &self.clocks[node as usize * self.width..][..self.width];
        let of_chain = |chain: &[Writer]| {
            let known = clock[chain[0].chain as usize];
            let place = |writer: &Writer| if by_commit { writer.commit } else { writer.target };
            let before = chain.partition_point(|writer| place(writer) < known);
            chain[..before].iter().rev().map(|writer| writer.txn).find(|&txn| Some(txn) != own)
        };
        writers.chunk_by(|a, b| a.chain == b.chain).filter_map(of_chain).collect()
    }

    /// Writers of what a transaction reads that come before it come before its sources.
    fn as_reader(&mut self, txn: TxnId) -> Result<(), Conflict> {
        let node = self.snapshot(txn);
        for (op, key, source) in reads(self.history, txn) {
            for writer in self.last_writers(key, node, true) {
                if writer == source {
                    continue;
                }
                if source == INIT {
                    let reason = Reason::Rw(op, NONE);
                    return Err(Conflict { from: node, to: self.commit(writer), reason });
                }
                self.before(key, writer, source, Ground::Seen(op))?;
            }
        }
        Ok(())
    }

    /// Writers of what a transaction writes that cannot come after it come before it.
    fn as_writer(&mut self, txn: TxnId) -> Result<(), Conflict> {
        let node = self.commit(txn);
        for at in 0..self.written[txn.index()].len() {
            let key = self.written[txn.index()][at];
            for writer in self.last_writers(key, node, false) {
                self.before(key, writer, txn, Ground::Otherwise)?;
            }
        }
        Ok(())
    }

    /// A moment to go back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Goes back.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Change::Clock { at, old }) => self.clocks[at] = old,
                Some(Change::Edge { from }) => {
                    if let Some((_, _, before)) = self.edges.pop() {
                        self.latest[from as usize] = before;
                    }
                }
                Some(Change::Step) => drop(self.steps.pop()),
                None => {}
            }
        }
        self.grown.drain(..).for_each(|node| self.is_grown[node as usize] = false);
    }

    /// The edges of a node, the latest first: where they lead, why, and their numbers.
    pub(super) fn edges_of(&self, node: Node) -> impl Iterator<Item = (Node, Reason, u32)> + '_ {
        let mut edge = self.latest[node as usize];
        std::iter::from_fn(move || {
            let &(to, reason, before) = self.edges.get(edge as usize)?;
            let number = std::mem::replace(&mut edge, before);
            Some((to, reason, number))
        })
    }

    /// By node, its place in an order that contains the edges.
    pub(super) fn order(&self) -> Vec<u32> {
        let nodes = self.latest.len();
        let mut before = vec![0u32; nodes];
        self.edges.iter().for_each(|(to, ..)| before[*to as usize] += 1);
        let mut queue: Vec<Node> = (0..nodes as Node).filter(|&node| before[node as usize] == 0).collect();
        let (mut done, mut place) = (0, vec![0; nodes]);
        while let Some(&node) = queue.get(done) {
            place[node as usize] = done as u32;
            done += 1;
            for (to, ..) in self.edges_of(node) {
                before[to as usize] -= 1;
                if before[to as usize] == 0 {
                    queue.push(to);
                }
            }
        }
        place
    }

    /// The transactions that count, in the order of their commits.
    pub(super) fn commits(&self) -> Vec<TxnId> {
        let place = self.order();
        let mut commits: Vec<TxnId> = counted(self.history).collect();
        commits.sort_unstable_by_key(|&txn| place[self.commit(txn) as usize]);
        commits
    }
}
