//! What is known of the order of transactions: edges with their reasons, and clocks that follow from them.

use super::super::graph::Node;
use super::super::{History, KeyId, Level, OpId, TxnId};
use super::accesses::{Accesses, Version};
use super::chains::Chains;
use super::known::Hop;
use super::nodes::Nodes;
use crate::reach::clocks::Rows;
use crate::reach::digraph::{sort, unsorted};
use crate::reach::trail::Trail;
use rustc_hash::FxHashSet;
use tribunal_history::heap::held;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// No edge, no step, or no chain.
pub(super) const NONE: u32 = u32::MAX;

/// The reason why a node leads to another.
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
    /// rw by way of a junction: first the read, then the step.
    Reads(OpId),
    Overwrites(u32),
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
    /// The number of edges: it depends on them alone.
    pub edges: usize,
}

/// The reason why a writer comes before another.
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

/// The reason why the rules do not come to an end.
pub(super) enum Halt {
    Conflict(Conflict),
    /// Nodes on cycles, or between them.
    Cyclic(Vec<Node>),
    Limit(Limit),
}

impl From<Limit> for Halt {
    fn from(limit: Limit) -> Self {
        Halt::Limit(limit)
    }
}

impl From<Conflict> for Halt {
    fn from(conflict: Conflict) -> Self {
        Halt::Conflict(conflict)
    }
}

/// What is known of the order of transactions; it grows, and goes back.
pub(super) struct CommitSaturation<'h> {
    pub history: &'h History,
    pub level: Level,
    pub nodes: Nodes,
    pub accesses: &'h Accesses,
    limits: &'h Limits<'h>,
    /// How much has been done since the limits were asked.
    work: usize,
    /// By node, its chain and its place there.
    places: Vec<(u32, u32)>,
    /// By node and chain, how many nodes of the chain lead to it, itself among them.
    clocks: Rows,
    /// By node, its latest edge.
    latest: Vec<u32>,
    pub edges: Vec<Hop>,
    /// By edge, the one before it of the same node.
    previous: Vec<u32>,
    pub steps: Vec<Known>,
    /// Whether changes are noted, to be undone.
    pub notes: bool,
    /// In a round, the edges that are new.
    pub round: Option<FxHashSet<(Node, Node)>>,
    trail: Trail<Change>,
    /// Nodes whose clocks have grown since the rules were applied to them; by node, in which chains, one bit for each 64th.
    pub grown: Vec<Node>,
    pub grown_in: Vec<u64>,
    /// By key, its writers by chain and place.
    writers: Vec<Writer>,
    /// Versions and writers after them, of which all follows that can; what is assumed is not among them.
    pub applied: FxHashSet<(Version, TxnId)>,
    /// Room for what a rule finds.
    pub found: Vec<TxnId>,
    pub states: u64,
}

/// A writer of a key.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    pub chain: u32,
    /// The places of the node that ww leads to, and of the commit.
    pub target: u32,
    pub commit: u32,
    pub txn: TxnId,
}

/// What was changed, to be undone.
#[derive(Clone, Copy)]
enum Change {
    Clock { at: usize, old: u32 },
    Edge { from: Node },
    Step,
}

impl<'h> CommitSaturation<'h> {
    /// With what is known so far; if that has no order it can only be refuted, and has no clocks.
    pub(super) fn new(
        history: &'h History,
        level: Level,
        accesses: &'h Accesses,
        nodes: Nodes,
        steps: Vec<Known>,
        chains: Chains,
        limits: &'h Limits<'h>,
    ) -> Result<Self, Limit> {
        let Chains { places, width } = chains;
        let entries = nodes.count().saturating_mul(width);
        limits.check_memory(entries.saturating_mul(size_of::<u32>()), 0)?;
        let mut saturation = CommitSaturation {
            history,
            level,
            nodes,
            accesses,
            limits,
            work: 0,
            places,
            clocks: Rows::of(nodes.count(), width),
            latest: vec![NONE; nodes.count()],
            edges: Vec::new(),
            previous: Vec::new(),
            steps,
            notes: false,
            round: None,
            trail: Trail::default(),
            grown: (0..nodes.count() as Node).rev().collect(),
            grown_in: vec![u64::MAX; nodes.count()],
            writers: Vec::new(),
            applied: FxHashSet::default(),
            found: Vec::new(),
            states: 0,
        };
        for (node, &(chain, place)) in saturation.places.iter().enumerate() {
            if chain != NONE {
                saturation.clocks.row_mut(node as u32)[chain as usize] = place + 1;
            }
        }
        for key in accesses.keys() {
            let start = saturation.writers.len();
            for &txn in accesses.writers(key) {
                let place = |node: Node| saturation.places.get(node as usize).copied().unwrap_or_default();
                let ((chain, target), (_, commit)) = (place(nodes.target(txn)), place(nodes.commit(txn)));
                saturation.writers.push(Writer { chain, target, commit, txn });
            }
            saturation.writers[start..].sort_unstable_by_key(|writer| (writer.chain, writer.commit));
        }
        Ok(saturation)
    }

    /// The writers of a key, by chain and place.
    pub(super) fn writers(&self, key: KeyId) -> &[Writer] {
        &self.writers[self.accesses.writer_range(key)]
    }

    /// The clock of a node.
    pub(super) fn clock(&self, node: Node) -> &[u32] {
        self.clocks.row(node)
    }

    /// Whether one node leads to another.
    #[inline]
    pub(super) fn leads(&self, from: Node, to: Node) -> bool {
        let (chain, place) = self.places[from as usize];
        self.clocks.entry(to, chain as usize) > place
    }

    /// Adds an edge, unless it is known, with all that follows for clocks; in a round clocks are told of it at the end.
    pub(super) fn edge(&mut self, from: Node, to: Node, reason: Reason) -> Result<(), Halt> {
        if from != to && self.leads(from, to) {
            return Ok(());
        }
        if self.leads(to, from) {
            return Err(Halt::Conflict(Conflict { from, to, reason }));
        }
        if let Some(round) = &mut self.round
            && !round.insert((from, to))
        {
            return Ok(());
        }
        self.note(Change::Edge { from });
        self.list(from, to, reason);
        self.worked(1)?;
        if self.round.is_none() { self.propagate(from, to) } else { Ok(()) }
    }

    /// So much has been done: from time to time the limits are asked.
    pub(super) fn worked(&mut self, steps: usize) -> Result<(), Limit> {
        /// How much may be done in between: comparisons of clocks, most often.
        const MOST: usize = 1 << 16;
        self.work += steps;
        if self.work < MOST {
            return Ok(());
        }
        self.work = 0;
        self.limits.check(self.states)?;
        self.limits.check_memory(self.bytes(), self.states)
    }

    /// An edge without what follows for clocks.
    pub(super) fn list(&mut self, from: Node, to: Node, reason: Reason) {
        self.previous.push(self.latest[from as usize]);
        self.latest[from as usize] = self.edges.len() as u32;
        self.edges.push((from, to, reason));
    }

    /// Tells the clocks of an edge.
    pub(super) fn propagate(&mut self, from: Node, to: Node) -> Result<(), Halt> {
        let mut pending = vec![(from, to)];
        while let Some((from, to)) = pending.pop() {
            self.worked(self.clocks.width() + 1)?;
            if self.learn(from, to) {
                pending.extend(self.edges_of(to).map(|(next, ..)| (to, next)));
            }
        }
        Ok(())
    }

    /// Tells the clocks of all edges, node by node in an order that contains them.
    pub(super) fn propagate_all(&mut self, order: &[Node]) -> Result<(), Halt> {
        for &node in order {
            let mut edge = self.latest[node as usize];
            while edge != NONE {
                self.worked(self.clocks.width() / 8 + 1)?;
                let (_, next, _) = self.edges[edge as usize];
                self.learn(node, next);
                edge = self.previous[edge as usize];
            }
        }
        Ok(())
    }

    /// All nodes in an order that contains the edges; or those on cycles, or between them.
    pub(super) fn order(&self) -> Result<Vec<Node>, Vec<Node>> {
        let mut before = vec![0u32; self.latest.len()];
        self.edges.iter().for_each(|&(_, to, _)| before[to as usize] += 1);
        sort(before, |node| self.edges_of(node).map(|(to, ..)| to)).map_err(|before| unsorted(&before))
    }

    /// What leads to one node leads to another; whether that is new.
    fn learn(&mut self, from: Node, to: Node) -> bool {
        let width = self.clocks.width();
        // Most often nothing is new: that is told quickly.
        if !self.clocks.has_news(from, to, width) {
            return false;
        }
        let CommitSaturation { clocks, trail, notes, .. } = self;
        let new = clocks.learn(from, to, (width, width), |at, old| {
            if *notes {
                trail.push(Change::Clock { at, old });
            }
        });
        let grown = &mut self.grown_in[to as usize];
        if *grown == 0 {
            self.grown.push(to);
        }
        *grown |= new;
        true
    }

    fn note(&mut self, change: Change) {
        if self.notes {
            self.trail.push(change);
        }
    }

    /// The number of a step that is new.
    pub(super) fn step(&mut self, known: Known) -> u32 {
        self.steps.push(known);
        self.note(Change::Step);
        self.steps.len() as u32 - 1
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let lists = held(&[&self.applied, &self.edges, &self.previous, &self.steps]);
        self.clocks.bytes() + self.trail.bytes() + lists
    }

    /// A moment to go back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Goes back.
    pub(super) fn undo(&mut self, mark: usize) {
        while let Some(change) = self.trail.pop_to(mark) {
            match change {
                Change::Clock { at, old } => self.clocks.put_back(at, old),
                Change::Edge { from } => {
                    self.edges.pop();
                    self.latest[from as usize] = self.previous.pop().unwrap_or(NONE);
                }
                Change::Step => _ = self.steps.pop(),
            }
        }
        self.grown.drain(..).for_each(|node| self.grown_in[node as usize] = 0);
    }

    /// The edges of a node, the latest first: where they lead, why, and their numbers.
    pub(super) fn edges_of(&self, node: Node) -> impl Iterator<Item = (Node, Reason, u32)> + '_ {
        let mut edge = self.latest[node as usize];
        std::iter::from_fn(move || {
            let &(_, to, reason) = self.edges.get(edge as usize)?;
            let number = edge;
            edge = self.previous[number as usize];
            Some((to, reason, number))
        })
    }
}
