//! What to do when nobody can run: some came too early, and come later.
//!
//! Those that cannot run wait for each other in a cycle: a node for one before it that has not run; a writer w of x for a reader of u's x, which is
//! the latest; under si also a snapshot for the commit of who has taken a key. If u comes before w, as it did, nobody on the cycle can ever
//! run: one of these w comes before its u. Where the cycle has one, that follows. Else one is assumed, that of the latest u, and the others are left for later.
//!
//! So this is a search through cases, all of which are sound, that goes back chronologically; it proves nothing when it ends, since patience may end it.
//! It is no [theory](crate::split::Theory): taking a case back leaves what has run as it is.

use super::super::graph::Node;
use super::super::{INIT, TxnId};
use super::known::{Hop, backward};
use super::simulation::{NOBODY, Obstacle, Simulation};
use crate::reach::lists::Lists;
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// So many that wait are looked at for an edge that follows.
const MOST: usize = 32;

/// So many nodes are looked at for a way from one to another.
const FAR: usize = 2_000;

/// An edge that a repair adds.
type Edge = (Node, Node);

/// Edges that were added because the simulation could not go on.
pub(super) struct Repairs {
    /// The number of nodes that may still be looked at.
    patience: usize,
    /// The edges known in the beginning, the other way around; made when it is needed.
    known: Option<Lists<Node>>,
    /// Where the edges lead that were added, and where they come from.
    next: FxHashMap<Node, Vec<Node>>,
    previous: FxHashMap<Node, Vec<Node>>,
    /// In the order in which they were added.
    trail: Vec<Added>,
    /// By node, the last search that has seen it.
    seen: Vec<u32>,
    searches: u32,
}

/// An edge that was added.
struct Added {
    edge: Edge,
    /// What else would have done.
    others: Vec<Edge>,
}

impl Repairs {
    pub(super) fn new(patience: usize) -> Self {
        let (next, previous, trail, seen) = Default::default();
        Repairs { patience, known: None, next, previous, trail, seen, searches: 0 }
    }

    /// Where the edges of a node lead that were added.
    #[inline]
    pub(super) fn next(&self, node: Node) -> &[Node] {
        if self.next.is_empty() {
            return &[];
        }
        self.next.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The nodes that edges lead from to a node.
    fn previous(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let known = self.known.as_ref().map_or(&[][..], |known| known.of(node as usize));
        let added = self.previous.get(&node).map_or(&[][..], Vec::as_slice);
        known.iter().chain(added).copied()
    }

    /// Counts nodes that are looked at; whether there is patience for them.
    fn look(&mut self, nodes: usize) -> bool {
        self.patience = self.patience.saturating_sub(nodes);
        self.patience > 0
    }
}

impl Simulation<'_> {
    /// Nobody can run: undoes what came too early. Whether the simulation can go on.
    pub(super) fn repair(&mut self, hops: &[Hop], limits: &Limits<'_>) -> Result<bool, Limit> {
        limits.check(0)?;
        if self.repairs.patience == 0 {
            return Ok(false);
        }
        if self.repairs.known.is_none() {
            limits.product(hops.len() + self.nodes.count(), 3 * size_of::<Node>())?;
            self.repairs.seen = vec![0; self.nodes.count()];
            self.repairs.known = Some(backward(self.nodes.count(), hops));
        }
        let mut cases = match self.follows() {
            Some(edge) => vec![edge],
            None => self.cycle(),
        };
        if !self.repairs.look(1 + self.waiting().count()) {
            return Ok(false);
        }
        loop {
            if let Some(edge) = cases.pop() {
                self.add(edge);
                self.repairs.trail.push(Added { edge, others: cases });
                return Ok(true);
            }
            // What was assumed last cannot be.
            let Some(Added { edge, others }) = self.repairs.trail.pop() else { return Ok(false) };
            self.remove(edge);
            if !self.repairs.look(1) {
                return Ok(false);
            }
            cases = others;
        }
    }

    /// What a node waits for that a key is in the way of: nodes that have not run, and the edge by which it would not have to wait.
    fn awaited(&self, node: Node, obstacle: Obstacle) -> (Vec<Node>, Option<Edge>) {
        let nodes = self.nodes;
        let txn = nodes.txn(node).unwrap_or(INIT);
        match obstacle {
            Obstacle::Taken(key) => {
                let by = TxnId(self.taken[key.index()]);
                (vec![nodes.commit(by)], Some((nodes.commit(txn), nodes.snapshot(by))))
            }
            Obstacle::Unread(key) => {
                let latest = self.latest[key.index()];
                let readers = self.accesses.readers(latest).iter().map(|&(reader, _)| nodes.snapshot(reader));
                let unread = readers.filter(|&reader| reader != node && !self.has_run(reader)).collect();
                let (_, by) = self.accesses.of_version(latest);
                (unread, (by != INIT).then(|| (nodes.commit(txn), nodes.target(by))))
            }
        }
    }

    /// An edge that follows: who waits for a key alone is before what it waits for.
    fn follows(&mut self) -> Option<Edge> {
        let waiting: Vec<Node> = self.waiting().take(MOST).collect();
        for node in waiting {
            let Some(obstacle) = self.obstacle(node) else { continue };
            let (awaited, Some(edge)) = self.awaited(node, obstacle) else { continue };
            if self.leads(node, awaited) {
                return Some(edge);
            }
            if self.repairs.patience == 0 {
                return None;
            }
        }
        None
    }

    /// Whether edges lead from a node to some of these, all not having run. What is far away is not looked at.
    fn leads(&mut self, from: Node, to: Vec<Node>) -> bool {
        let (mut seen, mut looked, mut open) = (std::mem::take(&mut self.repairs.seen), 0, to);
        self.repairs.searches += 1;
        let search = self.repairs.searches;
        // A moment leads to all later ones: whoever begins long after the end of a transaction comes after it.
        let moments = self.nodes.first_moment()..self.nodes.first_junction();
        let commit = self.nodes.txn(from).map_or(from, |txn| self.nodes.commit(txn));
        let end = self.next_of(commit).filter(|next| moments.contains(next)).min();
        let mut found = false;
        while let (false, Some(at)) = (found || looked == FAR, open.pop()) {
            looked += 1;
            found = at == from || moments.contains(&at) && end.is_some_and(|end| end <= at);
            let is_new = |node: &Node| !self.has_run(*node) && seen[*node as usize] != search;
            let first = open.len();
            open.extend(self.repairs.previous(at).filter(is_new));
            open[first..].iter().for_each(|&node| seen[node as usize] = search);
        }
        self.repairs.seen = seen;
        self.repairs.look(looked);
        found
    }

    /// A cycle of nodes that wait for each other, as the edges of which there is one: the one to be tried first is the last.
    fn cycle(&mut self) -> Vec<Edge> {
        let unrun = || (0..self.places.len() as Node).find(|&node| !self.has_run(node));
        let Some(mut node) = self.waiting().next().or_else(unrun) else { return Vec::new() };
        // By node, when it was met; and for each the edge by which it would not have to wait, if a key is in its way.
        let mut met: FxHashMap<Node, usize> = FxHashMap::default();
        let mut edges: Vec<Option<Edge>> = Vec::new();
        while !met.contains_key(&node) {
            met.insert(node, edges.len());
            let before = self.repairs.previous(node).find(|&before| !self.has_run(before));
            let (next, edge) = match (before, self.obstacle(node)) {
                (Some(before), _) => (Some(before), None),
                (None, Some(obstacle)) => {
                    let (awaited, edge) = self.awaited(node, obstacle);
                    (awaited.first().copied(), edge)
                }
                (None, None) => (None, None),
            };
            let Some(next) = next else { return Vec::new() };
            edges.push(edge);
            node = next;
        }
        self.repairs.look(edges.len());
        let mut cases: Vec<Edge> = edges[met[&node]..].iter().flatten().copied().collect();
        cases.sort_unstable_by_key(|&(_, to)| self.places[to as usize]);
        cases.dedup();
        cases
    }

    /// Adds an edge, and undoes what has run against it.
    fn add(&mut self, (from, to): Edge) {
        let place = self.places[to as usize];
        if place != NOBODY && place < self.places[from as usize] {
            self.repairs.look(self.ran.len() - place as usize);
            self.go_back(place as usize);
        }
        if !self.has_run(from) {
            self.before[to as usize] += 1;
        }
        self.repairs.next.entry(from).or_default().push(to);
        self.repairs.previous.entry(to).or_default().push(from);
    }

    /// Takes an edge back. What has run stays as it is.
    fn remove(&mut self, (from, to): Edge) {
        let take = |edges: &mut FxHashMap<Node, Vec<Node>>, from: Node, to: Node| {
            if let Some(all) = edges.get_mut(&from)
                && let Some(at) = all.iter().rposition(|&other| other == to)
            {
                all.remove(at);
            }
        };
        take(&mut self.repairs.next, from, to);
        take(&mut self.repairs.previous, to, from);
        if !self.has_run(from) {
            self.before[to as usize] -= 1;
            if self.before[to as usize] == 0 && !self.has_run(to) {
                self.may_run(to);
            }
        }
    }
}
